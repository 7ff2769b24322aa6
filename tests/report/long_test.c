/* Names that are long: sentences hold all of them, and what is stored is whole. */
#include "history/regress.h"
#include "judge/versus.h"
#include "report/regress_words.h"
#include "report/report.h"
#include "report/versus_words.h"
#include "tests/arena.h"
#include "tests/report/fixture.h"

/* As many as asked for, and 'z' at the end. */
static const char *long_name(size_t n)
{
    char *name = arena_new(&arena, char, n + 1);
    memset(name, 'n', n);
    name[n - 1] = 'z';
    return name;
}

TEST(an_impact_has_all_that_follows_long_names)
{
    struct regress_impact x = {.unit = "s",
                               .case_count = 9,
                               .cases_worse = 2,
                               .worst_count = 2,
                               .cost_baseline_usd = 1,
                               .cost_current_usd = 2};
    for (size_t i = 0; i < 2; i++) x.worst[i].name = long_name(2000);
    assert_non_null(
        strstr(regress_words_impact(&x, &arena), "; 1000 trials cost 1000 USD more"));
}

TEST(the_stored_analysis_of_a_long_name_is_there)
{
    struct baseline_pair pair = {.name = long_name(9000)};
    struct regress_row row = {.rule = REGRESS_BEYOND, .metric = "duration_s"};
    const struct regress r = {
        .set = {.pairs = &pair, .count = 1}, .rows = &row, .row_count = 1};
    const char *text = regress_words_analysis(&r, &row, &arena);
    assert_non_null(text);
    assert_non_null(strstr(text, "z, duration_s"));
    assert_int_equal(text[strlen(text) - 1], '}');
}

TEST(advice_names_every_case_that_it_counts)
{
    struct versus_case cases[2] = {0};
    for (size_t i = 0; i < 2; i++) {
        cases[i] = (struct versus_case){.benchmark = long_name(300),
                                        .name = i ? "second" : "first",
                                        .is_judged = true,
                                        .passed = {false, true}};
    }
    struct versus *v = arena_new(&arena, struct versus, 1);
    v->agent[0].name = "a";
    v->agent[1].name = "b";
    v->cases = cases;
    v->case_count = 2;
    const struct versus_advice advice = {.id = VERSUS_LEARN_FROM_FLIPS, .count = 2};
    assert_non_null(strstr(versus_words_advice(v, &advice, &arena), "z/second."));
}

TEST(markdown_has_every_warning_of_a_large_run)
{
    struct view *view = fixture_view(
        &arena, (struct fixture_shape){.cells = 40, .trials = 2, .metrics = 1, .typical_s = 1});
    for (size_t i = 0; i < view->cell_count; i++)
        view->cells[i].record.error_details = long_name(60000);
    view->cells[view->cell_count - 1].record.error_details = "the last of them";
    struct buf b;
    buf_init(&b, REPORT_MAX_BYTES);
    reporter_find(S("markdown"))->write(view, &(struct report_options){0}, &b);
    assert_non_null(strstr(b.p, ": the last of them\n"));
    buf_release(&b);
}

TEST(what_is_kept_of_a_text_says_that_it_was_cut)
{
    struct buf b;
    buf_init(&b, 4);
    buf_text(&b, "whole");
    assert_string_equal(buf_keep(&b, &arena), "whol ...");
    buf_init(&b, 4);
    assert_string_equal(buf_keep(&b, &arena), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_impact_has_all_that_follows_long_names),
        T(the_stored_analysis_of_a_long_name_is_there),
        T(advice_names_every_case_that_it_counts),
        T(markdown_has_every_warning_of_a_large_run),
        T(what_is_kept_of_a_text_says_that_it_was_cut),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
