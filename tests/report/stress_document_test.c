/* The documents of a stress test say what its answer holds, and nothing of it is markup. */
#include "report/answer_stress.h"
#include "report/answer_stress_results.h"
#include "report/answers.h"
#include "report/stress_document.h"
#include "tests/test.h"

#include <math.h>

static const struct stress_block blocks[] = {
    {.is_answered = true, .rate = 100, .p95_s = 0.01},
    {.is_answered = true, .rate = 101, .p95_s = 0.02},
};
static const struct stress_phase phases[] = {
    {.ask = {.rate = 100, .shape = "constant", .fault = "none"}, .blocks = blocks, .count = 2},
    {.ask = {.rate = 200, .shape = "constant", .fault = "none"}, .blocks = blocks, .count = 2},
};
static const struct breaking_answer breaking = {.has_broken = true,
                                                .holds = 100,
                                                .breaks = 200,
                                                .point = 141,
                                                .mode = BREAKING_QUEUE_GROWTH,
                                                .precision = 1.1};

static struct stress planted(struct stress_result results[2],
                             struct stress_recommendation *advice)
{
    results[0] = (struct stress_result){
        .scenario = stress_scenario_find(S("high_load")),
        .outcome = STRESS_BROKE,
        .rule = {"queue_growth", 2.5, 1, "1"},
        .figures = {{"holds", "1/s", 100, NAN, NAN}, {"p95_slope", "s/h", 0.5, 0.25, 0.75}},
        .figure_count = 2,
        .score = 0.25,
        .breaking = &breaking,
        .phases = phases,
        .phase_count = 2};
    results[1] = (struct stress_result){.scenario = stress_scenario_find(S("memory_pressure")),
                                        .outcome = STRESS_NOT_APPLICABLE,
                                        .reason = STRESS_NO_PROCESS,
                                        .score = NAN};
    *advice = (struct stress_recommendation){STRESS_ADVISE_LIMIT, "high_load", results[0].rule};
    return (struct stress){.agent = "<b>|bad_agent",
                           .run_id = "0199-run",
                           .usual = {.normal_rate = 50,
                                     .usual_p95_s = 0.01,
                                     .objective_s = 0.1,
                                     .error_share = 0.01,
                                     .usual_accuracy = NAN},
                           .results = results,
                           .count = 2,
                           .resilience = 0.25,
                           .is_partial = true,
                           .recommendations = advice,
                           .recommendation_count = 1};
}

static struct str write(const char *format, struct arena *out)
{
    struct stress_result results[2];
    struct stress_recommendation advice;
    struct stress s = planted(results, &advice);
    struct buf text;
    buf_init(&text, 1 << 20);
    answer_format_find(&answer_stress, format)->write(&s, &text);
    assert_false(text.overflow);
    struct str copy = str_copy(out, buf_str(&text));
    buf_release(&text);
    return copy;
}

static size_t count(struct str text, const char *part)
{
    size_t n = 0;
    for (const char *p = text.p; (p = strstr(p, part)); p += strlen(part)) n++;
    return n;
}

TEST(markdown_has_a_row_for_each_scenario_and_figure)
{
    struct arena a = arena_open();
    struct str text = write("markdown", &a);
    assert_non_null(
        strstr(text.p, "| high\\_load | broke | 0.25 | breaks between 90.91 and 220"));
    assert_non_null(
        strstr(text.p, "| memory\\_pressure | not\\_applicable | - | assay did not start"));
    assert_non_null(strstr(text.p, "| high\\_load | p95\\_slope | 0.500 s/h | 0.250 s/h"));
    assert_non_null(strstr(text.p, "- high\\_load: refuse requests early"));
    assert_non_null(strstr(text.p, "resilience 0.25 (of 1 scenario)"));
    assert_int_equal(count(text, "```"), 2); /* one picture */
    assert_int_equal(count(text, "<b>"), 0);
    assert_non_null(strstr(text.p, "&lt;b\\>\\|bad\\_agent breaks in 1 of 2 scenarios"));
    arena_close(&a);
}

TEST(what_could_not_be_told_is_not_held)
{
    struct arena a = arena_open();
    struct stress_result results[2];
    struct stress_recommendation advice;
    struct stress s = planted(results, &advice);
    results[0].outcome = STRESS_SPOILED;
    results[1].outcome = STRESS_HELD;
    assert_string_equal(answer_stress_head(&s, &a),
                        "<b>|bad_agent holds in 1 of 2 scenarios; 1 undecided");
    results[1].outcome = STRESS_SPOILED;
    assert_string_equal(answer_stress_head(&s, &a),
                        "<b>|bad_agent: nothing was shown; 2 undecided");
    results[0].outcome = results[1].outcome = STRESS_HELD;
    assert_string_equal(answer_stress_head(&s, &a), "<b>|bad_agent holds under load");
    arena_close(&a);
}

/* What is stored says the same in the API as the command said when it was measured. */
TEST(the_stored_answer_says_what_the_command_said)
{
    struct arena a = arena_open();
    struct stress_record rows[3] = {
        {.scenario = "high_load",
         .resilience_score = 1,
         .parameters = "{}",
         .result =
             "{\"outcome\":\"spoiled\",\"reason\":\"generator\",\"recommendation\":null}"},
        {.scenario = "large_inputs",
         .resilience_score = 1,
         .parameters = "{}",
         .result = "{\"outcome\":\"held\",\"reason\":null,\"recommendation\":null}"},
        {.scenario = "memory_pressure",
         .resilience_score = 1,
         .parameters = "{}",
         .result = "{\"outcome\":\"not_applicable\",\"reason\":\"no_process\"}"}};
    struct answer_stress_results stored = {.agent = "web", .rows = rows, .count = 3};
    stored.conclusions = answer_stress_conclusions(rows, 3, &a);
    struct buf b;
    buf_init(&b, 1 << 16);
    answer_json(&answer_stress_results, &stored, &b);
    const char *text = str_cstr(&a, buf_str(&b));
    assert_non_null(strstr(text, "\"sentence\":\"web holds in 1 of 3 scenarios; 1 undecided; "
                                 "1 does not apply; resilience 1.00 (of 1 scenario)\""));
    assert_non_null(strstr(text, "\"next\":\"run it again with the generator on a machine"));
    assert_non_null(strstr(text, "saturated in 1 of 3 scenarios"));
    buf_clear(&b);
    answer_stress_results.text(&stored, &(struct answer_look){0}, &b);
    assert_string_equal(b.p, "high_load undecided\nlarge_inputs did not break\n"
                             "memory_pressure not applicable\n");
    rows[1].result = "{\"outcome\":\"broke\",\"recommendation\":\"refuse early\"}";
    stored.conclusions = answer_stress_conclusions(rows, 3, &a);
    buf_clear(&b);
    answer_json(&answer_stress_results, &stored, &b);
    text = str_cstr(&a, buf_str(&b));
    assert_non_null(strstr(text, "web breaks in 1 of 3 scenarios; 1 undecided"));
    assert_non_null(strstr(text, "\"next\":\"large_inputs: refuse early\""));
    buf_release(&b);
    arena_close(&a);
}

/* A number with an interval has both of its ends. */
TEST(json_has_the_intervals_of_figures)
{
    struct arena a = arena_open();
    struct stress_result results[2];
    struct stress_recommendation advice;
    struct stress s = planted(results, &advice);
    struct buf b;
    buf_init(&b, 1 << 20);
    answer_json(&answer_stress, &s, &b);
    const char *text = str_cstr(&a, buf_str(&b));
    assert_non_null(strstr(text, "\"p95_slope\":0.5,\"p95_slope_low\":0.25,"
                                 "\"p95_slope_high\":0.75"));
    assert_null(strstr(text, "holds_low"));
    buf_release(&b);
    arena_close(&a);
}

TEST(html_is_one_page_with_its_pictures_and_loads_nothing)
{
    struct arena a = arena_open();
    struct str text = write("html", &a);
    assert_int_equal(count(text, "<svg"), 1);
    assert_int_equal(count(text, "<tr>"), count(text, "</tr>"));
    assert_int_equal(count(text, "<table>"), 2);
    assert_int_equal(count(text, "</table>"), 2);
    assert_int_equal(count(text, "<b>"), 0);
    assert_true(count(text, "&lt;b&gt;|bad_agent") >= 2); /* title and heading */
    assert_int_equal(count(text, "src="), 0);
    assert_int_equal(count(text, "href="), 0);
    assert_non_null(strstr(text.p, "<td>high_load</td><td>broke</td><td>0.25</td>"));
    arena_close(&a);
}

TEST(the_worst_outcome_is_what_a_gate_asks_for)
{
    struct stress_result results[2] = {{.outcome = STRESS_NOT_APPLICABLE},
                                       {.outcome = STRESS_HELD}};
    struct stress s = {.results = results, .count = 2};
    assert_int_equal(stress_worst(&s), STRESS_HELD);
    results[0].outcome = STRESS_SPOILED;
    assert_int_equal(stress_worst(&s), STRESS_SPOILED);
    results[1].outcome = STRESS_BROKE;
    assert_int_equal(stress_worst(&s), STRESS_BROKE);
    results[0].outcome = STRESS_HELD;
    assert_int_equal(stress_worst(&s), STRESS_BROKE);
}

/* People read these: the names of rules are for programs. */
TEST(a_result_says_what_was_seen_in_words)
{
    static const struct {
        struct stress_rule rule;
        const char *words;
    } rows[] = {
        {{"spike_lingers", 3, 2, "1"},
         "it takes 3 times as long as its queue explains, allowed are 2"},
        {{"within_objective", 0, 0.01, "1"}, "0 % of the requests failed, allowed are 1 %"},
        {{"within_objective", 0.0404, 0.405, "s"},
         "95 % of the answers came within 40.4 ms, the objective is 405 ms"},
        {{"within_objective", 102, 300, "1/s"},
         "it held 102/s, the highest rate tried was 300/s"},
        {{"queue_growth", 2.35, 1, "1"},
         "requests came 2.35 times as fast as they were answered"},
        {{"no_retry_after", 0, 1, "1"},
         "it refuses requests and does not say when to come back"},
        {{"some_other", 1, 2, "1"}, "some_other: 1, threshold 2"},
    };
    struct arena a = arena_open();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct stress_result r = {.outcome = STRESS_BROKE, .rule = rows[i].rule};
        assert_string_equal(answer_stress_sentence(&r, &a), rows[i].words);
    }
    struct stress_result spike = {.outcome = STRESS_BROKE,
                                  .rule = {"spike_lingers", 3, 2, "1"},
                                  .figures = {{"slowest_recovery_s", "s", 2.4, NAN, NAN},
                                              {"drain_s", "s", 0.8, NAN, NAN}},
                                  .figure_count = 2};
    assert_string_equal(
        answer_stress_sentence(&spike, &a),
        "it took 2.40 s or longer to be back to normal; its queue takes 800 ms");
    struct stress_result open_end = {.outcome = STRESS_SPOILED,
                                     .reason = STRESS_GENERATOR,
                                     .figures = {{"holds", "1/s", 512, NAN, NAN}},
                                     .figure_count = 1};
    assert_string_equal(answer_stress_sentence(&open_end, &a),
                        "held up to 512 requests per second; beyond that the generator is "
                        "measured, not the agent");
    struct stress_result squeezed = {.outcome = STRESS_BROKE,
                                     .rule = {"squeezed_p95", 0.5, 0.1, "s"},
                                     .figures = {{"usual_memory_mb", "MB", 40, NAN, NAN},
                                                 {"breaks_with_mb", "MB", 20, NAN, NAN}},
                                     .figure_count = 2};
    assert_string_equal(answer_stress_sentence(&squeezed, &a),
                        "with 20.0 MB of 40.0 MB memory 95 % of the answers took up to 500 ms, "
                        "the objective is 100 ms");
    arena_close(&a);
}

/* What is stored of each scenario has its advice: the page shows it without asking again. */
TEST(a_stored_result_says_what_to_do)
{
    struct stress_phase last = phases[1];
    struct stress_result results[2];
    struct stress_recommendation advice;
    struct stress s = planted(results, &advice);
    struct arena a = arena_open();
    size_t stored = 0;
    last.execution_id = "0199-execution";
    results[0].phases = &last;
    results[0].phase_count = 1;
    const struct stress_record *rows = answer_stress_records(&s, &a, &stored);
    assert_true(stored >= 1);
    assert_non_null(strstr(rows[0].result, "\"recommendation\":\"refuse requests early"));
    arena_close(&a);
}

TEST_MAIN(T(json_has_the_intervals_of_figures), T(the_worst_outcome_is_what_a_gate_asks_for),
          T(a_result_says_what_was_seen_in_words), T(a_stored_result_says_what_to_do),
          T(markdown_has_a_row_for_each_scenario_and_figure),
          T(what_could_not_be_told_is_not_held),
          T(the_stored_answer_says_what_the_command_said),
          T(html_is_one_page_with_its_pictures_and_loads_nothing))
