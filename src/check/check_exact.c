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

/* Marks that change what stands before them, spaces that look like others or like none. */
static bool has_hidden(struct str text)
{
    static const char *const hidden[] = {"\xC2\xA0", "\xE2\x80\x8B", "\xE2\x80\x8D",
                                         "\xEF\xBB\xBF"};
    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (text.n && memmem(text.p, text.n, hidden[i], strlen(hidden[i]))) return true;
    }
    for (size_t i = 0; i + 1 < text.n; i++) { /* U+0300 to U+036F */
        unsigned char c = (unsigned char)text.p[i];
        unsigned char d = (unsigned char)text.p[i + 1];
        if ((c == 0xCC && d >= 0x80) || (c == 0xCD && d >= 0x80 && d <= 0xAF)) return true;
    }
    return false;
}

/* From shortly before the first difference, which may be far from the beginning. */
static struct str near_difference(struct str shown, struct str beside)
{
    enum { BEFORE = 20 };
    size_t at = 0;
    while (at < shown.n && at < beside.n && shown.p[at] == beside.p[at]) at++;
    size_t from = at > (size_t)2 * BEFORE ? at - BEFORE : 0;
    while (from > 0 && ((unsigned char)shown.p[from] & 0xC0) == 0x80) from--;
    return (struct str){shown.p + from, shown.n - from};
}

/* Two texts that look the same as they are shown are shown by their bytes. */
static bool say_difference(struct str answer, struct str text, struct arena *out,
                           struct check_result *result)
{
    const char *got = check_shown(answer, out);
    const char *wanted = check_shown(text, out);
    bool looks_same = strcmp(got, wanted) == 0 || has_hidden(answer) != has_hidden(text);
    if (looks_same) {
        got = check_escaped(near_difference(answer, text), out);
        wanted = check_escaped(near_difference(text, answer), out);
    }
    return check_say(result, out, 0, "'%s' instead of '%s'", got, wanted);
}

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
        return check_say(result, out, 0, "'%s' is not one of %zu accepted answers",
                         check_shown(answer, out), count);
    }
    struct str text = check_text_of(check_expected_at(input, 0), out);
    return say_difference(answer, text, out, result);
}

const struct check_kind check_exact = {
    .name = "exact",
    .summary = "the answer equals an accepted answer",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct check_plain),
    .needs_expected = check_always,
    .open = check_open_plain,
    .score = exact_score,
};
