#include "score/rubric.h"

#include "tests/test.h"

static const struct rubric *read_rubric(struct arena *a, const char *yaml, struct problems *p)
{
    const struct value *v = NULL;
    struct value_error err = {0};
    *p = (struct problems){.arena = a, .file = "t.yaml"};
    if (!value_read(str_of(yaml), &value_limits_spec, a, &v, &err))
        fail_msg("%s", err.error.text);
    const struct rubric *r = NULL;
    bool is_right = rubric_read(v, a, &r, p);
    assert_int_equal(is_right, p->total == 0);
    return is_right ? r : NULL;
}

static struct rubric_result evaluate(struct arena *a, const char *yaml, const char *output,
                                     const struct value *expected)
{
    struct problems p;
    const struct rubric *r = read_rubric(a, yaml, &p);
    if (!r) fail_msg("%s: %u:%u %s", yaml, p.items[0].line, p.items[0].column, p.items[0].text);
    struct check_env env = {.arena = a};
    struct rubric_session *s;
    struct error err = {0};
    if (!rubric_open(r, &env, &s, &err)) fail_msg("%s", err.text);
    struct check_input in = {.output = str_of(output), .expected = expected};
    struct rubric_result result;
    if (!rubric_evaluate(s, &in, a, &result, &err)) fail_msg("%s", err.text);
    rubric_close(s);
    return result;
}

TEST(forms_and_totals)
{
    static const struct {
        const char *yaml;
        const char *output;
        double score;
    } table[] = {
        {"~", "yes\n", 1},
        {"~", "no", 0},
        {"exact", "yes", 1},
        {"{exact: 0.7, contains: 0.3}", "yes", 1},
        {"{exact: 0.7, contains: 0.3}", "oh yes", 0.3},
        {"{exact: , contains: }", "oh yes", 0.5},
        {"[exact, contains]", "oh yes", 0.5},
        {"{exact: {weight: 0.25, ignore_case: true}, contains: 0.75}", "YES", 0.25},
        {"{check: exact, ignore_case: true}", "YES", 1},
        {"[{check: exact, weight: 0.4}, {check: contains, weight: 0.6}]", "oh yes", 0.6},
        {"[{check: exact, weight: 0.1}, {check: contains, weight: 0.2}, {check: contains, "
         "weight: 0.7, text: [oh, no]}]",
         "oh yes", 0.2 + 0.35},
        {"[{check: exact, weight: 0.5}, {group: form, weight: 0.5, rubric: {exact: 0.5, "
         "contains: 0.5}}]",
         "oh yes", 0.25},
        {"[{check: exact, weight: 0}, {check: contains, weight: 1}]", "oh yes", 1},
    };
    struct arena a = arena_open();
    const struct value *expected = value_new_text(&a, S("yes"));
    for (size_t i = 0; i < COUNT(table); i++) {
        struct rubric_result r = evaluate(&a, table[i].yaml, table[i].output, expected);
        if (fabs(r.score - table[i].score) > 1e-15)
            fail_msg("%s: %.17g, expected %.17g", table[i].yaml, r.score, table[i].score);
    }
    arena_close(&a);
}

/* Every split of 1 into three weights of twentieths, in every order. */
TEST(a_perfect_answer_is_exactly_1)
{
    struct arena a = arena_open();
    const struct value *expected = value_new_text(&a, S("yes"));
    for (int x = 1; x < 19; x++) {
        for (int y = 1; x + y < 20; y++) {
            const char *yaml =
                arena_printf(&a,
                             "[{check: exact, weight: %g}, {check: contains, weight: %g}, "
                             "{check: max_length, weight: %g, chars: 5}]",
                             x / 20.0, y / 20.0, (20 - x - y) / 20.0);
            struct rubric_result r = evaluate(&a, yaml, "yes", expected);
            if (r.score != 1) fail_msg("%s: %.17g", yaml, r.score);
            r = evaluate(&a, yaml, "definitely not", expected);
            if (r.score != 0) fail_msg("%s: %.17g", yaml, r.score);
        }
    }
    arena_close(&a);
}

TEST(a_group_below_its_threshold_is_0)
{
    static const struct {
        const char *threshold;
        double score; /* of a half of the group, which is a half of all, and the rest right */
    } table[] = {{"0", 0.75}, {"0.4", 0.75}, {"0.5", 0.75}, {"0.6", 0.5}, {"1", 0.5}};
    struct arena a = arena_open();
    const struct value *expected = value_new_text(&a, S("yes"));
    for (size_t i = 0; i < COUNT(table); i++) {
        const char *yaml = arena_printf(&a,
                                        "[{check: contains, weight: 0.5}, {group: g, weight: "
                                        "0.5, threshold: %s, rubric: [exact, contains]}]",
                                        table[i].threshold);
        assert_close(evaluate(&a, yaml, "oh yes", expected).score, table[i].score, 0);
        assert_close(evaluate(&a, yaml, "yes", expected).score, 1, 0);
    }
    /* Three tenths and one are four, though not in binary. */
    struct rubric_result r =
        evaluate(&a,
                 "{group: g, threshold: 0.4, rubric: [{check: contains, weight: 0.3}, {check: "
                 "contains, weight: 0.1}, {check: exact, weight: 0.6}]}",
                 "oh yes", expected);
    assert_close(r.score, 0.4, 1e-15);
    arena_close(&a);
}

TEST(what_is_wrong_is_said_at_its_place)
{
    static const struct {
        const char *yaml;
        const char *said;
    } table[] = {
        {"{exact: 0.7, contains: 0.2}", "1:1: the weights add up to 0.9, not 1"},
        {"[{check: exact, weight: 0.7}, {check: contains, weight: 0.2}]",
         "1:1: the weights add up to 0.9, not 1"},
        {"{exakt: 1}", "1:2: unknown check 'exakt'; did you mean 'exact'?"},
        {"[{check: exakt, weight: 1}]", "1:10: unknown check 'exakt'; did you mean 'exact'?"},
        {"exakt", "1:1: unknown check 'exakt'; did you mean 'exact'?"},
        {"[{check: exact, weight: 70}]",
         "1:25: 'weight' must be from 0 to 1 (is 70); the weights of a level add up to 1"},
        {"{exact: most}", "1:9: 'weight' must be a number from 0 to 1"},
        {"[{check: exact, weight: 0.5}, contains]",
         "1:1: 'contains' has no weight, but others next to it do"},
        {"[]", "1:1: the rubric is empty; omit it for 'exact'"},
        {"3", "1:1: a rubric is a list of checks, a mapping of checks to weights, or the name "
              "of a check"},
        {"[{weight: 1}]",
         "1:2: an entry of a rubric needs 'check' (the name of a check) or 'group'"},
        {"[{group: g, weight: 1}]", "1:2: a group needs a 'rubric': the list of its checks"},
        {"[{group: g, weight: 1, check: exact, rubric: exact}]",
         "1:24: unknown key 'check' of a group; it has group, weight, threshold, "
         "dimension and rubric"},
        {"[{group: g, threshold: 2, rubric: exact}]",
         "1:24: 'threshold' must be a number from 0 to 1"},
        {"[{check: exact, dimension: beauty}]",
         "1:28: 'dimension' must be one of correctness, completeness, relevance"},
        {"[{check: exact, trim: 3}]", "1:23: 'trim' must be true or false (is 3)"},
        {"{rubric: {rubric: {rubric: {rubric: {rubric: {rubric: {rubric: {rubric: "
         "exact}}}}}}}}",
         "1:73: groups nested more than 8 deep"},
        {"{group: a, rubric: {exact: 0.5, contains: 0.4}}",
         "1:20: the weights add up to 0.9, not 1"},
    };
    struct arena a = arena_open();
    for (size_t i = 0; i < COUNT(table); i++) {
        struct problems p;
        assert_null(read_rubric(&a, table[i].yaml, &p));
        const char *said =
            arena_printf(&a, "%u:%u: %s", p.items[0].line, p.items[0].column, p.items[0].text);
        if (p.kept != 1 || strcmp(said, table[i].said) != 0)
            fail_msg("%s: (%zu) %s", table[i].yaml, p.kept, said);
    }
    arena_close(&a);
}

TEST(dimensions_are_the_shares_that_name_them)
{
    struct arena a = arena_open();
    const struct value *expected = value_new_text(&a, S("yes"));
    struct rubric_result r =
        evaluate(&a,
                 "[{check: exact, weight: 0.5, dimension: correctness},"
                 " {group: g, weight: 0.5, dimension: output_relevance, rubric:"
                 "  [{check: contains, weight: 0.25}, {check: exact, weight: 0.5},"
                 "   {check: contains, weight: 0.25, text: [zz], dimension: completeness}]}]",
                 "oh yes", expected);
    assert_close(r.dimensions[RUBRIC_CORRECTNESS], 0, 0);
    assert_close(r.dimensions[RUBRIC_RELEVANCE], 0.125 / 0.375, 1e-15);
    assert_close(r.dimensions[RUBRIC_COMPLETENESS], 0, 0);
    r = evaluate(&a, "exact", "yes", expected);
    assert_true(isnan(r.dimensions[RUBRIC_CORRECTNESS]));
    arena_close(&a);
}

TEST(no_expected_answer_is_not_judged)
{
    struct arena a = arena_open();
    struct rubric_result r = evaluate(&a, "~", "yes", NULL);
    assert_true(isnan(r.score));
    assert_string_equal(r.why, "check 'exact': the case has no expected answer");
    r = evaluate(&a, "{check: contains, text: [yes]}", "yes", NULL);
    assert_close(r.score, 1, 0);
    struct problems p;
    assert_false(rubric_judges(read_rubric(&a, "~", &p), NULL));
    assert_true(rubric_judges(read_rubric(&a, "~", &p), value_new_int(&a, 1)));
    assert_true(rubric_judges(read_rubric(&a, "{check: contains, text: [yes]}", &p), NULL));
    arena_close(&a);
}

TEST(detail_is_json_and_the_same_every_time)
{
    struct arena a = arena_open();
    const struct value *expected = value_new_text(&a, S("yes"));
    const char *yaml = "[{check: exact, weight: 0.5, dimension: correctness},"
                       " {group: form, weight: 0.5, rubric: contains}]";
    struct str first = evaluate(&a, yaml, "oh yes", expected).detail;
    assert_true(str_is(
        first,
        "{\"checks\":[{\"check\":\"exact\",\"weight\":0.5,\"dimension\":\"output_correctness\","
        "\"score\":0,\"why\":\"'oh yes' instead of 'yes'\"},"
        "{\"group\":\"form\",\"weight\":0.5,\"checks\":[{\"check\":\"contains\",\"weight\":1,"
        "\"score\":1,\"why\":\"contains 'yes'\"}],\"score\":1}],\"score\":0.5}"));
    for (int i = 0; i < 3; i++) {
        assert_true(str_equal(first, evaluate(&a, yaml, "oh yes", expected).detail));
    }
    arena_close(&a);
}

TEST_MAIN(T(forms_and_totals), T(a_perfect_answer_is_exactly_1),
          T(a_group_below_its_threshold_is_0), T(what_is_wrong_is_said_at_its_place),
          T(dimensions_are_the_shares_that_name_them), T(no_expected_answer_is_not_judged),
          T(detail_is_json_and_the_same_every_time))
