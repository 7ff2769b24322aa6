/* The answer is one of the accepted ones. An expected text is compared as
 * text; an expected number, list or mapping also as JSON, so that {"a": 1}
 * and {"a":1.0} are the same answer. */
#include "base/text.h"
#include "check/check.h"

struct config {
    struct text_rules rules;
};

static const struct param params[] = {
    TEXT_ROW_TRIM,
    TEXT_ROW_IGNORE_CASE,
    TEXT_ROW_COLLAPSE_SPACES,
};

static bool exact_score(void *state, const struct check_input *input, struct arena *out,
                        struct check_result *result, struct error *err)
{
    (void)err;
    const struct config *c = check_config(state);
    const struct text_rules *rules = &c->rules;
    struct str answer = text_normal(input->output, rules, out);
    const struct value *json = NULL;
    bool is_json = check_read_json(input->output, false, out, &json, NULL);
    size_t count = check_expected_count(input);
    for (size_t i = 0; i < count; i++) {
        const struct value *expected = check_expected_at(input, i);
        struct str text = check_text_of(expected, out);
        bool is_same = str_equal(answer, text_normal(text, rules, out));
        if (!is_same && expected->kind != VALUE_TEXT) {
            is_same = is_json && value_equal(json, expected);
        }
        if (is_same && count == 1) return check_say(result, out, 1, "as expected");
        if (is_same) {
            return check_say(result, out, 1, "as expected: '%s'", check_shown(text, out));
        }
    }
    if (count != 1) {
        return check_say(result, out, 0, "'%s' is none of %zu accepted answers",
                         check_shown(answer, out), count);
    }
    struct str text = check_text_of(check_expected_at(input, 0), out);
    return check_say(result, out, 0, "'%s' instead of '%s'", check_shown(answer, out),
                     check_shown(text, out));
}

const struct check_kind check_exact = {
    .name = "exact",
    .summary = "the answer is one of the accepted ones",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct check_plain),
    .needs_expected = check_always,
    .open = check_open_plain,
    .score = exact_score,
};
