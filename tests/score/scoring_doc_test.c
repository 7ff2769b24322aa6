/* Every example of docs/scoring.md gives the scores that the page says. */
#include "base/os.h"
#include "tests/check/bench.h"

static void try_answer(const struct rubric *r, const struct value *expected,
                       const struct value_pair *pair, struct arena *a)
{
    struct check_env env = {.arena = a};
    struct rubric_session *s;
    struct error err = {0};
    if (!rubric_open(r, &env, &s, &err)) fail_msg("%s", err.text);
    struct check_input in = {.output = pair->key, .expected = expected, .output_tokens = NAN};
    struct rubric_result result;
    if (!rubric_evaluate(s, &in, a, &result, &err)) fail_msg("%s", err.text);
    double wanted = value_number(pair->value);
    if (!(fabs(result.score - wanted) < 1e-12))
        fail_msg("line %u: '%.*s' gets %.17g, not %.17g: %.*s", pair->line, STR_ARG(pair->key),
                 result.score, wanted, STR_ARG(result.detail));
    rubric_close(s);
}

/* The number of answers tried. */
static size_t try_block(struct str block, struct arena *a)
{
    const struct value *v = NULL;
    struct value_error why = {0};
    if (!value_read(block, &value_limits_spec, a, &v, &why))
        fail_msg("%u: %s\n%.*s", why.line, why.error.text, STR_ARG(block));
    struct problems p = {.arena = a};
    const struct rubric *r = NULL;
    if (!rubric_read(value_get(v, "rubric"), a, &r, &p))
        fail_msg("%s\n%.*s", p.items[0].text, STR_ARG(block));
    const struct value *answers = value_get(v, "answers");
    for (size_t i = 0; answers && i < answers->map.count; i++) {
        try_answer(r, value_get(v, "expected"), &answers->map.pairs[i], a);
    }
    return answers ? answers->map.count : 0;
}

TEST(examples)
{
    struct arena a = arena_open();
    struct str rest;
    struct error err = {0};
    if (!os_read_file("docs/scoring.md", 1 << 20, &a, &rest, &err)) fail_msg("%s", err.text);
    const char *text = rest.p;
    size_t tried = 0;
    while (rest.p) {
        struct str line = str_cut(&rest, '\n');
        if (!str_is(line, "```yaml")) continue;
        struct str block = {rest.p, 0};
        while (rest.p && !str_is(line = str_cut(&rest, '\n'), "```")) block.n += line.n + 1;
        tried += try_block(block, &a);
    }
    assert_true(tried >= 45);
    /* Every check has its chapter. */
    for (size_t i = 0; check_kind_at(i); i++) {
        if (!strstr(text, arena_printf(&a, "\n### %s\n", check_kind_at(i)->name)))
            fail_msg("docs/scoring.md does not speak of '%s'", check_kind_at(i)->name);
    }
    arena_close(&a);
}

TEST_MAIN(T(examples))
