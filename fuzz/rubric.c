/* Rubrics from strangers: a rubric in YAML, a NUL byte, an answer. What is
 * accepted must judge, within 0..1, and say the same twice. No program is run
 * and no agent is there to be asked. */
#include "score/rubric.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const struct rubric *r, struct str answer, const struct value *expected)
{
    struct arena a = arena_open();
    struct check_env env = {.arena = &a, .base_dir = "/nonexistent"};
    struct rubric_session *s = NULL;
    struct error err = {0};
    if (rubric_open(r, &env, &s, &err)) {
        struct check_input in = {.output = answer, .expected = expected, .output_tokens = 3};
        struct rubric_result first;
        struct rubric_result again;
        bool done = rubric_evaluate(s, &in, &a, &first, &err);
        CHECK(isnan(first.score) || (first.score >= 0 && first.score <= 1));
        CHECK(done || (isnan(first.score) && err.code != ERROR_NONE));
        CHECK(rubric_evaluate(s, &in, &a, &again, &err) == done);
        CHECK(str_equal(first.detail, again.detail));
        const struct value *detail;
        static const struct value_limits limits = {1 << 20, 64, 100000};
        CHECK(value_read_json(first.detail, &limits, &a, &detail, &err));
        rubric_close(s);
    }
    arena_close(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    const char *end = size ? memchr(exact, '\0', size) : NULL;
    struct str text = {exact, end ? (size_t)(end - exact) : size};
    struct str answer = end ? (struct str){end + 1, size - text.n - 1} : text;
    struct arena a = arena_open();
    const struct value *v = NULL;
    struct value_error why;
    struct problems p = {.arena = &a};
    const struct rubric *r;
    if (value_read(text, &value_limits_spec, &a, &v, &why) && rubric_read(v, &a, &r, &p) &&
        !rubric_runs_program(r)) {
        judge(r, answer, value_new_text(&a, S("42")));
        judge(r, answer, v); /* an expected answer of any shape */
        judge(r, answer, NULL);
    }
    arena_close(&a);
    free(exact);
    return 0;
}
