/* The answer matches a regular expression (pattern.h: work is limited). */
#include "base/pattern.h"
#include "check/check.h"

struct config {
    const char *pattern;
    bool ignore_case;
    bool multiline;
    bool dotall;
    bool whole;
    bool absent;
    bool compare;
};

struct state {
    const struct config *config;
    const struct pattern *pattern;
};

#define FLAG(field, text)                                                             \
    {                                                                                 \
        .name = #field, .type = PARAM_BOOL, .offset = offsetof(struct config, field), \
        .fallback = "false", .help = (text)                                           \
    }

static const struct param params[] = {
    {"pattern", PARAM_TEXT, .offset = offsetof(struct config, pattern), .required = true,
     .help = "regular expression, in Perl's syntax (PCRE2)"},
    FLAG(ignore_case, "ignore case"),
    FLAG(multiline, "^ and $ match at every line"),
    FLAG(dotall, "a dot matches newlines too"),
    FLAG(whole, "the whole answer must match, not a part of it"),
    FLAG(absent, "the answer must not match"),
    FLAG(compare, "the text of the first group must be one of the expected answers"),
};

static unsigned flags_of(const struct config *c)
{
    return (c->ignore_case ? PATTERN_IGNORE_CASE : 0u) |
           (c->multiline ? PATTERN_MULTILINE : 0u) | (c->dotall ? PATTERN_DOTALL : 0u) |
           (c->whole ? PATTERN_WHOLE : 0u);
}

static bool needs_expected(const void *config)
{
    return ((const struct config *)config)->compare;
}

static bool regex_check(const void *config, const struct value *options,
                        struct problems *problems)
{
    const struct config *c = config;
    const struct pattern *pattern;
    struct error err = {0};
    struct arena scratch = arena_open();
    bool is_right = pattern_compile(str_of(c->pattern), flags_of(c), &scratch, &pattern, &err);
    if (!is_right) check_problem(problems, options, "pattern", "'pattern' %s", err.text);
    if (c->compare && c->absent) {
        check_problem(problems, options, "absent", "'absent' and 'compare' exclude each other");
        is_right = false;
    }
    arena_close(&scratch);
    return is_right;
}

static bool regex_open(void *state, const void *config, const struct check_env *env,
                       struct error *err)
{
    struct state *s = state;
    s->config = config;
    return pattern_compile(str_of(s->config->pattern), flags_of(s->config), env->arena,
                           &s->pattern, err);
}

static bool compare(const struct check_input *input, struct str taken, struct arena *out,
                    struct check_result *result)
{
    taken = str_trim(taken);
    for (size_t i = 0; i < check_expected_count(input); i++) {
        struct str expected = check_text_of(check_expected_at(input, i), out);
        if (str_equal(taken, str_trim(expected))) {
            return check_say(result, out, 1, "matched '%s', as expected",
                             check_shown(taken, out));
        }
    }
    return check_say(result, out, 0, "matched '%s', which is not expected",
                     check_shown(taken, out));
}

static bool regex_score(void *state, const struct check_input *input, struct arena *out,
                        struct check_result *result, struct error *err)
{
    (void)err;
    const struct state *s = state;
    bool is_found;
    struct str match;
    struct error bad = {0};
    if (!pattern_find(s->pattern, input->output, &is_found, &match, &bad)) {
        return check_say(result, out, 0, "cannot be decided on this answer: %s", bad.text);
    }
    if (is_found && s->config->compare) return compare(input, match, out, result);
    double score = is_found != s->config->absent;
    if (!is_found) return check_say(result, out, score, "no match");
    return check_say(result, out, score, "matches '%s'", check_shown(match, out));
}

const struct check_kind check_regex = {
    .name = "regex",
    .summary = "the answer matches a regular expression",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .needs_expected = needs_expected,
    .check = regex_check,
    .open = regex_open,
    .score = regex_score,
};
