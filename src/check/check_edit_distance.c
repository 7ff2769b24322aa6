/* How much of the answer would have to be typed again: 1 - d / longer, where d
 * is Levenshtein's distance (1966) over code points, by the table of Wagner
 * and Fischer (1974) kept as one row. Its cost is the product of the lengths,
 * so both are limited. */
#include "base/text.h"
#include "check/check.h"

#include <inttypes.h>

struct config {
    struct text_rules rules;
    int64_t max_chars;
};

static const struct param params[] = {
    TEXT_ROW_TRIM,
    TEXT_ROW_IGNORE_CASE,
    TEXT_ROW_COLLAPSE_SPACES,
    {"max_chars", PARAM_INT, .offset = offsetof(struct config, max_chars), .fallback = "10000",
     .min = 1, .max = 20000,
     .help = "a longer answer scores 0, a longer expected one is an error"},
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static size_t distance(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                       struct arena scratch)
{
    while (n > 0 && m > 0 && a[0] == b[0]) a++, b++, n--, m--;
    while (n > 0 && m > 0 && a[n - 1] == b[m - 1]) n--, m--;
    uint32_t *row = arena_new(&scratch, uint32_t, m + 1);
    for (size_t k = 0; k <= m; k++) row[k] = (uint32_t)k;
    for (size_t i = 0; i < n; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i + 1;
        for (size_t k = 0; k < m; k++) {
            uint32_t change = diagonal + (a[i] != b[k]);
            diagonal = row[k + 1];
            row[k + 1] = smaller(change, smaller(row[k], row[k + 1]) + 1);
        }
    }
    return row[m];
}

static bool edit_distance_score(void *state, const struct check_input *input, struct arena *out,
                                struct check_result *result, struct error *err)
{
    const struct config *c = check_config(state);
    size_t limit = (size_t)c->max_chars;
    struct str text = text_normal(input->output, &c->rules, out);
    if (text_count(text) > limit) {
        return check_say(result, out, 0, "longer than %zu characters", limit);
    }
    size_t n;
    const uint32_t *answer = text_points(text, &n, out);
    result->score = -1;
    for (size_t i = 0; i < check_expected_count(input); i++) {
        struct str wanted =
            text_normal(check_text_of(check_expected_at(input, i), out), &c->rules, out);
        size_t m;
        const uint32_t *expected = text_points(wanted, &m, out);
        if (m > limit) {
            return error_set(err, ERROR_INVALID,
                             "an expected answer of %zu characters; 'max_chars' is %zu", m,
                             limit);
        }
        size_t longer = n > m ? n : m;
        size_t d = distance(answer, n, expected, m, *out);
        double score = longer ? 1 - (double)d / (double)longer : 1;
        if (score > result->score) {
            check_say(result, out, score, "%zu edits in %zu characters", d, longer);
        }
    }
    return true;
}

const struct check_kind check_edit_distance = {
    .name = "edit_distance",
    .summary = "1 - edit distance / length of the longer text",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct check_plain),
    .needs_expected = check_always,
    .open = check_open_plain,
    .score = edit_distance_score,
};
