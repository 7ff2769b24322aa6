/* The layout of a trial's detail: what is written is read back, byte for byte when
 * written again, and details of earlier versions are read. */
#include "base/json.h"
#include "model/detail.h"
#include "tests/test.h"

#include <math.h>

static const char *text_of(const struct detail *d, struct arena *out)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    detail_write(d, &b);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

static void survives(const char *text, struct arena *out)
{
    struct detail d;
    if (!detail_read(text, out, &d)) fail_msg("not read: %s", text);
    assert_string_equal(text_of(&d, out), text);
}

/* As the last version that had no declared layout wrote them. */
static const char single[] =
    "{\"case\":\"b\",\"usage\":{\"cpu_s\":0.002451,\"memory_peak_mb\":2.224128},\"judged\":"
    "true,"
    "\"score\":1,\"rubric\":{\"checks\":[{\"check\":\"exact\",\"weight\":1,\"score\":1,"
    "\"why\":\"as expected\"}],\"score\":1}}";
static const char failed[] = "{\"duration_s\":0.003481128,\"case\":\"b\",\"usage\":{\"cpu_s\":"
                             "0.000958},\"judged\":true}";
static const char talk[] =
    "{\"case\":\"t\",\"turns\":[{\"output_tokens\":9,\"phases\":[{\"name\":\"think\",\"start_"
    "s\":0,"
    "\"duration_s\":0.5,\"cpu_s\":0.1}],\"tool_calls\":[{\"name\":\"f\"}]},{\"output_tokens\":"
    "3}],"
    "\"usage\":{\"input_tokens\":12,\"output_tokens\":12},\"gaps\":{\"n\":8,\"p50_s\":0.25,"
    "\"p95_s\":0.5,\"max_s\":0.75},\"flags\":[\"tokens_counted_by_harness\",\"simulated\"],"
    "\"judged\":true,\"score\":0.5,\"turn_scores\":[{\"score\":1,\"rubric\":{\"score\":1}},"
    "{\"score\":0,\"not_judged\":\"no \\\"expected\\\"\"}],\"judge\":{\"calls\":2,"
    "\"cost_usd\":0.01}}";

TEST(what_was_written_reads_back_and_writes_the_same)
{
    struct arena a = arena_open();
    survives(single, &a);
    survives(failed, &a);
    survives(talk, &a);
    survives("{}", &a);
    survives("{\"duration_s\":0.5}", &a);
    arena_close(&a);
}

TEST(every_field_is_where_it_was)
{
    struct arena a = arena_open();
    struct detail d;
    assert_true(detail_read(talk, &a, &d));
    assert_string_equal(d.case_name, "t");
    assert_true(d.is_talk && d.has_usage && d.has_judgement && d.is_judged);
    assert_int_equal(d.turn_count, 2);
    assert_int_equal(d.turns[0].phase_count, 1);
    assert_string_equal(d.turns[0].phases[0].name, "think");
    assert_true(d.turns[0].phases[0].cpu_s == 0.1 && isnan(d.turns[0].phases[0].memory_mb));
    assert_true(d.turns[1].output_tokens == 3 && d.turns[1].score == 0);
    assert_string_equal(d.turns[1].not_judged, "no \"expected\"");
    assert_true(d.usage[DETAIL_INPUT_TOKENS] == 12 && isnan(d.usage[DETAIL_COST_USD]));
    assert_int_equal(d.gap_count, 8);
    assert_int_equal(d.flags, 1u << DETAIL_TOKENS_COUNTED | 1u << DETAIL_SIMULATED);
    assert_true(d.judge_calls == 2 && d.judge_cost_usd == 0.01 && isnan(d.duration_s));
    arena_close(&a);
}

TEST(a_case_name_is_found_without_reading_the_rest)
{
    static const struct {
        const char *text;
        const char *name;
    } rows[] = {
        {single, "b"},
        {failed, "b"},
        {"{\"case\":\"say \\\"x\\\"\"}", "say \"x\""},
        {"{\"duration_s\":1}", NULL},
        {"{\"usage\":{\"case\":\"no\"},\"case\":\"yes\"}", "yes"},
        {"{\"duration_s\":1e-05,\"case\":\"c\",\"x\":", "c"}, /* the rest is not looked at */
        {"{\"case\":7}", NULL},
        {"not json", NULL},
        {"{\"case\":\"open", NULL},
        {NULL, NULL},
    };
    struct arena a = arena_open();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *name = detail_case_name(rows[i].text, &a);
        if (!rows[i].name) {
            assert_null(name);
        } else if (!name || strcmp(name, rows[i].name) != 0) {
            fail_msg("%s: '%s'", rows[i].text, name ? name : "(none)");
        }
    }
    arena_close(&a);
}

TEST(a_failure_gets_its_duration)
{
    struct arena a = arena_open();
    assert_string_equal(detail_with_duration((struct str){0}, 0.25, &a),
                        "{\"duration_s\":0.25}");
    assert_string_equal(detail_with_duration(S("{}"), 0.25, &a), "{\"duration_s\":0.25}");
    assert_string_equal(detail_with_duration(S("{\"case\":\"a\",\"judged\":false}"), 0.25, &a),
                        "{\"duration_s\":0.25,\"case\":\"a\",\"judged\":false}");
    arena_close(&a);
}

TEST(what_is_not_an_object_is_not_read)
{
    struct arena a = arena_open();
    struct detail d;
    static const char *const texts[] = {NULL, "", "[]", "3", "{", "\"x\""};
    for (size_t i = 0; i < COUNT(texts); i++) assert_false(detail_read(texts[i], &a, &d));
    /* Of another kind than ours: as if it were not there. */
    assert_true(detail_read(
        "{\"phases\":3,\"turns\":{},\"usage\":[],\"flags\":{},\"judged\":1}", &a, &d));
    assert_true(d.turns[0].phase_count == 0 && !d.is_talk && !d.has_judgement);
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_was_written_reads_back_and_writes_the_same),
        T(every_field_is_where_it_was),
        T(a_case_name_is_found_without_reading_the_rest),
        T(a_failure_gets_its_duration),
        T(what_is_not_an_object_is_not_read),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
