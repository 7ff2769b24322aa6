/* The answer's number is the expected one, within a tolerance. */
#include "base/near.h"
#include "base/number.h"
#include "check/check.h"

#include <math.h>

enum find { FIND_ONLY, FIND_WHOLE, FIND_FIRST, FIND_LAST };
static const char *const find_names[] = {"only", "whole", "first", "last", NULL};

struct config {
    double tolerance;
    double relative;
    int find;
    const char *thousands;
};

static const struct param params[] = {
    {"tolerance", PARAM_REAL, .offset = offsetof(struct config, tolerance), .fallback = "0",
     .min = 0, .max = 1e300, .help = "largest allowed distance"},
    {"relative", PARAM_REAL, .offset = offsetof(struct config, relative), .fallback = "0",
     .min = 0, .max = 1,
     .help = "the same as a share of the expected number; the wider one applies"},
    {"find", PARAM_CHOICE, .offset = offsetof(struct config, find), .fallback = "\"only\"",
     .choices = find_names,
     .help = "which number counts: the only one in the answer, the whole answer, the first or "
             "the last"},
    {"thousands", PARAM_TEXT, .offset = offsetof(struct config, thousands), .fallback = "\"\"",
     .help = "character that separates groups of three digits, such as a comma"},
};

static bool numeric_check(const void *config, const struct value *options,
                          struct problems *problems)
{
    const struct config *c = config;
    if (strlen(c->thousands) <= 1 && !strchr("0123456789.+-eE", c->thousands[0])) return true;
    if (c->thousands[0] == '\0') return true;
    check_problem(problems, options, "thousands",
                  "'thousands' must be one character, such as ','");
    return false;
}

/* The number that counts, or why there is none. */
static const char *find_number(const struct config *c, struct str answer, double *value,
                               struct arena *out)
{
    char thousands = c->thousands[0];
    if (c->find == FIND_WHOLE) {
        return number_read(answer, thousands, value) ? NULL : "the answer is not a number";
    }
    struct number_scan scan = {.text = answer};
    size_t count = 0;
    double next;
    while (number_next(&scan, thousands, &next)) {
        *value = next;
        count++;
        if (c->find == FIND_FIRST) break;
    }
    if (count == 0) return "no number in the answer";
    count += scan.unread;
    if (c->find != FIND_ONLY || count == 1) return NULL;
    return arena_printf(out, "%zu numbers in the answer; use 'find: last' for the last one",
                        count);
}

/* What is expected as a number: one, or a text that is one. */
static bool expected_number(const struct value *v, char thousands, double *value)
{
    if (value_is_number(v)) {
        *value = value_number(v);
        return true;
    }
    return v->kind == VALUE_TEXT && number_read(v->source, thousands, value);
}

static bool numeric_score(void *state, const struct check_input *input, struct arena *out,
                          struct check_result *result, struct error *err)
{
    const struct config *c = check_config(state);
    double answer = NAN;
    const char *why = find_number(c, input->output, &answer, out);
    double nearest = NAN;
    for (size_t i = 0; i < check_expected_count(input); i++) {
        double expected;
        const struct value *v = check_expected_at(input, i);
        if (!expected_number(v, c->thousands[0], &expected)) {
            return error_set(err, ERROR_INVALID, "the expected answer '%s' is not a number",
                             check_shown(check_text_of(v, out), out));
        }
        if (!(fabs(answer - expected) >= fabs(answer - nearest))) nearest = expected;
        double allowed = fmax(c->tolerance, c->relative * fabs(expected));
        if (!why && near_within(answer, expected, allowed)) {
            return check_say(result, out, 1, "%.17g", answer);
        }
    }
    if (why) return check_say(result, out, 0, "%s", why);
    char shown[2][32];
    return check_say(result, out, 0, "%s instead of %s", json_format_real(answer, shown[0]),
                     json_format_real(nearest, shown[1]));
}

const struct check_kind check_numeric = {
    .name = "numeric",
    .summary = "the number in the answer equals the expected one, within a tolerance",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct check_plain),
    .needs_expected = check_always,
    .check = numeric_check,
    .open = check_open_plain,
    .score = numeric_score,
};
