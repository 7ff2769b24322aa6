#include "history/alarm.h"
#include "report/words.h"
#include "tests/history/bench.h"

static const char *no_analysis(const struct regress *r, const struct regress_row *row,
                               struct arena *out)
{
    (void)r;
    (void)row;
    (void)out;
    return "{}";
}

static struct regress keep(struct bench *b)
{
    struct error err = {0};
    struct regress r;
    const struct regress_question q = {.which = {.agent = "a"}};
    OK(regress_ask(b->store, &q, &b->f.arena, &r, &err));
    OK(regress_keep(b->store, &r, no_analysis, &b->f.arena, &err));
    return r;
}

static const char *amount_of(const struct alarm_list *list, const char *metric,
                             struct arena *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct alarm_record *a = &list->rows[i];
        if (strcmp(a->metric, metric) == 0 && strcmp(a->rule, "beyond_threshold") == 0)
            return words_alarm_amount(a, out);
    }
    fail_msg("no alarm of %s", metric);
    abort();
}

/* Of a share the amount is in points, wherever it is said. */
TEST(the_amount_of_an_alarm_has_the_unit_of_its_metric)
{
    struct bench b = bench_open();
    struct error err = {0};
    struct arena *out = &b.f.arena;
    put(&b, (struct shape){.version = "1", .level = 1, .trials = 120, .accuracy = 0.9});
    put(&b, (struct shape){.version = "2", .level = 2, .trials = 120, .accuracy = 0.5});
    keep(&b);
    struct alarm_stats stats;
    OK(alarm_stats_ask(b.store, NULL, out, &stats, &err));
    assert_string_equal(amount_of(&stats.list, "accuracy", out), "40 points");
    assert_non_null(strstr(amount_of(&stats.list, "duration_s", out), " %"));
    const struct alarm_mark real = {.judges = true, .is_real = true};
    const struct alarm_choice of_accuracy = {.metric = "accuracy"};
    struct alarm_list marked;
    OK(alarm_mark(b.store, &of_accuracy, &real, out, &marked, &err));
    assert_string_equal(amount_of(&marked, "accuracy", out), "40 points");
    put(&b, (struct shape){.version = "3", .level = 2, .trials = 120, .accuracy = 0.5});
    struct regress r = keep(&b);
    assert_non_null(strstr(words_skipped(&r.set.pairs[0], out), "accuracy worse by 40 points"));
    bench_close(&b);
}

TEST_MAIN(T(the_amount_of_an_alarm_has_the_unit_of_its_metric))
