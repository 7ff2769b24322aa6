/* The answer does not exceed a length: 1 or 0. White space at both ends does
 * not count, for a program ends its line whether it was asked to or not. */
#include "base/text.h"
#include "check/check.h"

#include <inttypes.h>
#include <math.h>

struct config {
    int64_t chars;
    int64_t words;
    int64_t lines;
    int64_t bytes;
    int64_t tokens;
};

#define LIMIT(field, text)                                                                     \
    {                                                                                          \
        .name = #field, .type = PARAM_INT, .offset = offsetof(struct config, field), .min = 1, \
        .max = 1e15, .help = (text)                                                            \
    }

static const struct param params[] = {
    LIMIT(chars, "most characters (Unicode code points)"),
    LIMIT(words, "most words, separated by white space"),
    LIMIT(lines, "most lines"),
    LIMIT(bytes, "most bytes"),
    LIMIT(tokens, "most tokens, as the agent counts them"),
};

static bool max_length_check(const void *config, const struct value *options,
                             struct problems *problems)
{
    const struct config *c = config;
    if (c->chars || c->words || c->lines || c->bytes || c->tokens) return true;
    check_problem(problems, options, "",
                  "'max_length' needs a limit: chars, words, lines, bytes or tokens");
    return false;
}

static int64_t count_words(struct str text)
{
    int64_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        n += !text_is_space(text.p[i]) && (i == 0 || text_is_space(text.p[i - 1]));
    }
    return n;
}

static int64_t count_lines(struct str text)
{
    int64_t n = text.n > 0;
    for (size_t i = 0; i < text.n; i++) n += text.p[i] == '\n';
    return n;
}

static bool max_length_score(void *state, const struct check_input *input, struct arena *out,
                             struct check_result *result, struct error *err)
{
    (void)err;
    const struct config *c = check_config(state);
    struct str text = str_trim(input->output);
    if (c->tokens && isnan(input->output_tokens)) {
        return check_say(result, out, NAN, "the agent does not report its tokens");
    }
    const struct {
        const char *unit;
        int64_t limit;
        int64_t length;
    } rows[] = {
        {"characters", c->chars, c->chars ? (int64_t)text_count(text) : 0},
        {"words", c->words, count_words(text)},
        {"lines", c->lines, count_lines(text)},
        {"bytes", c->bytes, (int64_t)text.n},
        {"tokens", c->tokens, c->tokens ? (int64_t)input->output_tokens : 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!rows[i].limit || rows[i].length <= rows[i].limit) continue;
        return check_say(result, out, 0, "%" PRId64 " %s, at most %" PRId64, rows[i].length,
                         rows[i].unit, rows[i].limit);
    }
    return check_say(result, out, 1, "within the limit");
}

const struct check_kind check_max_length = {
    .name = "max_length",
    .summary = "the answer does not exceed a length",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct check_plain),
    .check = max_length_check,
    .open = check_open_plain,
    .score = max_length_score,
};
