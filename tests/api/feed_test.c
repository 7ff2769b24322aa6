/* What a log keeps when it is full: lines that last, and the newest of those that pass. */
#include "api/feed.h"
#include "tests/test.h"

static struct feed *full_log(struct feeds *e, struct arena *arena, int lasting_every)
{
    *e = (struct feeds){.arena = arena};
    struct feed *log = feed_get(e, "run", "default");
    char line[1000];
    for (int i = 1; i <= 3 * FEED_BYTES / (int)sizeof line; i++) {
        bool lasts = i % lasting_every == 0;
        snprintf(line, sizeof line, "<%d>%s%*s", i, lasts ? "lasts" : "passes", 980, "");
        feed_add(log, str_of(line), !lasts);
    }
    return log;
}

static bool has(const struct feed *log, int number, const char *kind)
{
    char text[40];
    int n = snprintf(text, sizeof text, "<%d>%s", number, kind);
    return memmem(log->text.p, log->text.n, text, (size_t)n) != NULL;
}

TEST(lines_that_last_stay_and_of_the_others_the_newest)
{
    struct arena arena = arena_open();
    struct feeds e;
    const struct feed *log = full_log(&e, &arena, 100);
    int count = 3 * FEED_BYTES / 1000;
    assert_int_equal(log->last, count);
    assert_true(log->text.n <= FEED_BYTES);
    for (int i = 100; i <= count; i += 100) {
        if (!has(log, i, "lasts")) fail_msg("line %d is gone", i);
    }
    assert_false(has(log, 1, "passes"));
    for (int i = count - 1000; i <= count; i++) {
        if (i % 100 && !has(log, i, "passes")) fail_msg("line %d is gone", i);
    }
    feeds_release(&e);
    arena_close(&arena);
}

TEST(where_all_last_the_oldest_go)
{
    struct arena arena = arena_open();
    struct feeds e;
    const struct feed *log = full_log(&e, &arena, 1);
    int count = 3 * FEED_BYTES / 1000;
    assert_true(log->text.n <= FEED_BYTES);
    assert_false(has(log, 1, "lasts"));
    assert_true(has(log, count, "lasts"));
    assert_true(has(log, count - 1000, "lasts"));
    feeds_release(&e);
    arena_close(&arena);
}

TEST_MAIN(T(lines_that_last_stay_and_of_the_others_the_newest), T(where_all_last_the_oldest_go))
