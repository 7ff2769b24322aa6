/* bench.h - one check, many answers. */
#ifndef TESTS_SCORE_BENCH_H
#define TESTS_SCORE_BENCH_H

#include "check/check.h"
#include "score/rubric.h"
#include "tests/test.h"

#define HARNESS_ERROR (-1.0)

struct check_case {
    const char *options;  /* YAML flow mapping; "" = none */
    const char *expected; /* YAML; "" = no expected answer */
    const char *output;
    double score;    /* HARNESS_ERROR: `why` is in the error */
    const char *why; /* must be in the reason; NULL = any */
};

static inline const struct value *bench_yaml(struct arena *a, const char *text)
{
    const struct value *v = NULL;
    struct value_error err = {0};
    if (!*text) return NULL;
    if (!value_read(str_of(text), &value_limits_spec, a, &v, &err))
        fail_msg("%s: %s", text, err.error.text);
    return v;
}

static inline const struct rubric *bench_rubric(struct arena *a, const char *check,
                                                const char *options, struct problems *p)
{
    *p = (struct problems){.arena = a, .file = "t"};
    const char *text = arena_printf(a, "{%s: {%s}}", check, options);
    const struct rubric *r = NULL;
    return rubric_read(bench_yaml(a, text), a, &r, p) ? r : NULL;
}

/* The result in *r; false = harness error. */
static inline bool bench_run(struct arena *a, const char *check, const struct check_case *c,
                             struct str output, const struct check_env *more,
                             struct rubric_result *r, struct error *err)
{
    struct problems p;
    const struct rubric *rubric = bench_rubric(a, check, c->options, &p);
    if (!rubric) fail_msg("%s: %s", c->options, p.items[0].text);
    struct check_env env = more ? *more : (struct check_env){0};
    env.arena = a;
    struct rubric_session *s = NULL;
    *err = (struct error){0};
    if (!rubric_open(rubric, &env, &s, err)) return false;
    struct check_input in = {
        .output = output,
        .input = S("the question"),
        .expected = bench_yaml(a, c->expected),
        .output_tokens = NAN,
    };
    bool done = rubric_evaluate(s, &in, a, r, err);
    rubric_close(s);
    return done;
}

static inline void bench_cases(const char *check, const struct check_case *cases, size_t count,
                               const struct check_env *more)
{
    for (size_t i = 0; i < count; i++) {
        const struct check_case *c = &cases[i];
        struct arena a = arena_open();
        struct rubric_result r = {0};
        struct error err = {0};
        bool done = bench_run(&a, check, c, str_of(c->output), more, &r, &err);
        const char *label = arena_printf(&a, "%s[%zu] {%s} %s <- %.80s", check, i, c->options,
                                         c->expected, c->output);
        const char *said =
            done ? arena_printf(&a, "%.*s", STR_ARG(r.detail)) : (const char *)err.text;
        double score = done ? r.score : HARNESS_ERROR;
        bool is_same = isnan(c->score) ? isnan(score) : fabs(score - c->score) <= 1e-12;
        if (!is_same) fail_msg("%s: %.17g, expected %.17g: %s", label, score, c->score, said);
        if (c->why && !strstr(said, c->why)) fail_msg("%s: no '%s' in %s", label, c->why, said);
        arena_close(&a);
    }
}

struct problem_case {
    const char *options;
    const char *said; /* "1:8: text" */
};

/* What is wrong with settings is said when the spec is read. */
static inline void bench_problems(const char *check, const struct problem_case *cases,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct arena a = arena_open();
        struct problems p;
        if (bench_rubric(&a, check, cases[i].options, &p))
            fail_msg("%s {%s}: no problem", check, cases[i].options);
        const char *said =
            arena_printf(&a, "%u:%u: %s", p.items[0].line, p.items[0].column, p.items[0].text);
        if (strcmp(said, cases[i].said) != 0)
            fail_msg("%s {%s}: %s", check, cases[i].options, said);
        arena_close(&a);
    }
}

#define BENCH(check, cases)    bench_cases(check, cases, COUNT(cases), NULL)
#define PROBLEMS(check, cases) bench_problems(check, cases, COUNT(cases))

#endif
