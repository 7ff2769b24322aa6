/* What regressions must not pass over: values that are gone, comparisons without room. */
#include "history/regress_internal.h"
#include "report/regress_words.h"
#include "tests/history/bench.h"

static struct regress ask(struct bench *b)
{
    struct error err = {0};
    struct regress r;
    const struct regress_question q = {.which = {.agent = "a"}};
    OK(regress_ask(b->store, &q, &b->f.arena, &r, &err));
    return r;
}

static const struct regress_row *whole_of(const struct regress *r, const char *metric)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (row->rule == REGRESS_WHOLE && strcmp(row->metric, metric) == 0) return row;
    }
    fail_msg("no whole of %s", metric);
    abort();
}

/* Faster where it was measured; a third was not. */
TEST(a_whole_of_which_values_are_gone_is_undecided)
{
    for (size_t mute = 0; mute <= 10; mute += 10) {
        struct bench b = bench_open();
        for (int i = 0; i < 6; i++) {
            const char *name = arena_printf(&b.f.arena, "b%d", i / 2);
            put(&b, (struct shape){.version = i % 2 ? "2" : "1",
                                   .benchmark = name,
                                   .level = i % 2 ? 0.5 : 1,
                                   .mute = i == 1 ? mute : 0});
        }
        struct regress r = ask(&b);
        const struct regress_row *whole = whole_of(&r, "duration_s");
        assert_int_equal(whole->ask.gone, mute);
        assert_int_equal(whole->state, mute ? REGRESS_UNDECIDED : REGRESS_IMPROVED);
        const char *text = regress_words_row(&r, whole, &b.f.arena);
        if (mute) assert_non_null(strstr(text, "10 of 90 trials no longer report duration_s"));
        bench_close(&b);
    }
}

/* By another machine nothing is healthy, but what is slower there is found: runners that get a
 * new name each time would else pass everything. */
TEST(times_of_another_host_can_only_be_worse)
{
    for (int k = 0; k < 4; k++) {
        struct bench b = bench_open();
        bool is_there = k % 2;
        bool is_slow = k / 2;
        put(&b, (struct shape){.version = "1", .level = 1, .accuracy = 1, .host = "there"});
        put(&b, (struct shape){.version = "2",
                               .level = is_slow ? 5 : 0.5,
                               .accuracy = 0.5,
                               .host = is_there ? "there" : "here"});
        struct regress r = ask(&b);
        bool is_timed = false;
        bool is_wrong = false;
        for (size_t i = 0; i < r.row_count; i++) {
            is_timed |=
                strcmp(r.rows[i].metric, "duration_s") == 0 && r.rows[i].state == REGRESS_FOUND;
            is_wrong |=
                strcmp(r.rows[i].metric, "accuracy") == 0 && r.rows[i].state == REGRESS_FOUND;
        }
        assert_int_equal(is_timed, is_slow);
        assert_true(is_wrong);
        assert_int_equal(r.refusal_count, is_there ? 0 : 1);
        if (!is_there) assert_int_equal(r.refusals[0].gap.code, COMPARE_HOSTS);
        assert_int_equal(r.incomplete, is_there ? 0 : 1);
        bench_close(&b);
    }
}

TEST(what_had_no_room_is_not_healthy)
{
    struct bench b = bench_open();
    put(&b, (struct shape){.version = "1", .level = 1});
    put(&b, (struct shape){.version = "2", .level = 1});
    struct regress r = ask(&b);
    assert_string_equal(r.overall_health, "healthy");
    struct regress_work w = {.r = &r, .capacity = r.row_count};
    assert_null(regress_add_row(&w, REGRESS_BEYOND, 0, "duration_s", "s", 0.1));
    assert_true(r.is_cut);
    regress_count(&b.f.arena, &r);
    assert_string_equal(r.overall_health, "unknown");
    assert_int_equal(r.action, REGRESS_DO_COMPLETE);
    assert_non_null(strstr(regress_words_action(&r, &b.f.arena), "--agent"));
    bench_close(&b);
}

/* A command that was measured again in turns has pairs of trials, not cases. */
TEST(pairs_are_called_cases_only_if_they_are)
{
    struct bench b = bench_open();
    put(&b, (struct shape){.version = "1", .level = 1});
    put(&b, (struct shape){.version = "2", .level = 2});
    struct regress r = ask(&b);
    struct regress_row row = r.rows[0];
    row.w.is_paired = true;
    assert_non_null(strstr(regress_words_row(&r, &row, &b.f.arena), "30 pairs"));
    row.w.by_case = true;
    assert_non_null(strstr(regress_words_row(&r, &row, &b.f.arena), "30 cases"));
    row.w.has_no_interval = true;
    row.w.why = (struct verdict_reason){.code = REASON_EMPTY};
    assert_non_null(strstr(regress_words_row(&r, &row, &b.f.arena), "no case has a value"));
    row.w.by_case = false;
    assert_non_null(strstr(regress_words_row(&r, &row, &b.f.arena), "no pair has a value"));
    bench_close(&b);
}

TEST_MAIN(T(pairs_are_called_cases_only_if_they_are),
          T(a_whole_of_which_values_are_gone_is_undecided), T(what_had_no_room_is_not_healthy),
          T(times_of_another_host_can_only_be_worse))
