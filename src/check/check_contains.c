/* The answer contains a text. With `text` all of its texts are wanted and the
 * score is the share that occurs; without, one of the accepted answers. One of
 * `without` makes it 0. */
#include "base/text.h"
#include "check/check.h"

struct config {
    struct param_texts texts;
    struct param_texts without;
    bool absent;
    struct text_rules rules;
};

static const struct param params[] = {
    {"text", PARAM_TEXT_LIST, .offset = offsetof(struct config, texts),
     .help = "texts that must all occur; default: one of the expected answers must"},
    {"without", PARAM_TEXT_LIST, .offset = offsetof(struct config, without),
     .help = "texts of which none may occur: one makes the score 0, whatever else is there"},
    {"absent", PARAM_BOOL, .offset = offsetof(struct config, absent), .fallback = "false",
     .help = "none of the texts may occur"},
    TEXT_ROW_IGNORE_CASE,
    TEXT_ROW_COLLAPSE_SPACES,
};

static bool needs_expected(const void *config)
{
    const struct config *c = config;
    return c->texts.count == 0;
}

static bool occurs(struct str answer, struct str text, const struct text_rules *rules,
                   struct arena *out)
{
    text = text_normal(text, rules, out);
    return text.n == 0 || (answer.n && memmem(answer.p, answer.n, text.p, text.n));
}

static bool score_texts(const struct config *c, struct str answer, struct arena *out,
                        struct check_result *result)
{
    size_t found = 0;
    const char *first = NULL; /* that is there and must not be, or the reverse */
    for (size_t i = 0; i < c->texts.count; i++) {
        bool is_there = occurs(answer, str_of(c->texts.items[i]), &c->rules, out);
        found += is_there;
        if (is_there == c->absent && !first) {
            first = check_shown(str_of(c->texts.items[i]), out);
        }
    }
    size_t count = c->texts.count;
    if (c->absent && found) return check_say(result, out, 0, "contains '%s'", first);
    if (c->absent) return check_say(result, out, 1, "contains none of %zu texts", count);
    if (found == count) return check_say(result, out, 1, "contains all of %zu texts", count);
    return check_say(result, out, (double)found / (double)count,
                     "contains %zu of %zu texts; '%s' is missing", found, count, first);
}

static bool contains_score(void *state, const struct check_input *input, struct arena *out,
                           struct check_result *result, struct error *err)
{
    (void)err;
    const struct config *c = check_config(state);
    struct str answer = text_normal(input->output, &c->rules, out);
    for (size_t i = 0; i < c->without.count; i++) {
        struct str text = str_of(c->without.items[i]);
        if (!occurs(answer, text, &c->rules, out)) continue;
        return check_say(result, out, 0, "contains '%s', which it must not",
                         check_shown(text, out));
    }
    if (c->texts.count) return score_texts(c, answer, out, result);
    size_t count = check_expected_count(input);
    for (size_t i = 0; i < count; i++) {
        struct str text = check_text_of(check_expected_at(input, i), out);
        if (!occurs(answer, text, &c->rules, out)) continue;
        return check_say(result, out, c->absent ? 0 : 1, "contains '%s'",
                         check_shown(text, out));
    }
    return check_say(result, out, c->absent ? 1 : 0, "contains none of %zu expected texts",
                     count);
}

const struct check_kind check_contains = {
    .name = "contains",
    .summary = "the answer contains a text",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct check_plain),
    .needs_expected = needs_expected,
    .open = check_open_plain,
    .score = contains_score,
};
