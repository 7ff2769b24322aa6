#include "stub/answer.h"

#include "base/os.h"

#include <math.h>

enum { TOKEN_MAX = 12 };

static const size_t table_max_bytes = (size_t)64 << 20;
static const struct value_limits line_limits = {
    .max_bytes = (size_t)16 << 20, .max_depth = 32, .max_nodes = 100000};

/* ---- table ---- */

static bool read_line(struct str text, struct answer_line *line, struct arena *arena,
                      struct error *err)
{
    const struct value *v = NULL;
    if (!value_read_json(text, &line_limits, arena, &v, err)) return false;
    const struct value *match = value_get(v, "match");
    const struct value *answer = value_get(v, "answer");
    line->tool_calls = value_get(v, "tool_calls");
    if (!match || match->kind != VALUE_TEXT) {
        return error_set(err, ERROR_INVALID, "needs a 'match' that is a text");
    }
    if (line->tool_calls && line->tool_calls->kind != VALUE_LIST) {
        return error_set(err, ERROR_INVALID, "'tool_calls' must be a list");
    }
    if (answer ? answer->kind != VALUE_TEXT : !line->tool_calls) {
        return error_set(err, ERROR_INVALID,
                         "needs an 'answer' that is a text, or 'tool_calls'");
    }
    line->match = match->source;
    if (answer) line->text = answer->source;
    return true;
}

bool answer_table_read(struct answer_table *table, const char *path, struct arena *arena,
                       struct error *err)
{
    struct str rest = {0};
    if (!os_read_file(path, table_max_bytes, arena, &rest, err)) return false;
    size_t lines = 1;
    for (size_t i = 0; i < rest.n; i++) lines += rest.p[i] == '\n';
    struct answer_line *list = arena_new(arena, struct answer_line, lines);
    *table = (struct answer_table){.lines = list};
    for (size_t number = 1; rest.p; number++) {
        struct str text = str_trim(str_cut(&rest, '\n'));
        if (text.n == 0) continue;
        if (!read_line(text, &list[table->count++], arena, err)) {
            return error_wrap(err, "%s:%zu", path, number);
        }
    }
    return true;
}

const struct answer_line *answer_table_find(const struct answer_table *table, struct str prompt)
{
    const struct answer_line *best = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct answer_line *line = &table->lines[i];
        if (str_equal(line->match, prompt)) return line;
        bool is_longer = !best || line->match.n > best->match.n;
        if (is_longer && memmem(prompt.p, prompt.n, line->match.p, line->match.n)) best = line;
    }
    return best;
}

/* ---- words and tokens ---- */

static const char *const words[] = {
    "the",   "a",      "of",    "and",    "to",     "in",    "is",     "that",   "with",
    "for",   "it",     "as",    "was",    "on",     "are",   "by",     "this",   "from",
    "at",    "one",    "have",  "not",    "which",  "can",   "two",    "when",   "will",
    "more",  "some",   "time",  "field",  "water",  "light", "number", "answer", "river",
    "stone", "garden", "table", "winter", "slow",   "quick", "bright", "small",  "large",
    "round", "early",  "often", "never",  "always", "gives", "takes",  "holds",  "shows",
    "finds", "keeps",  "makes", "turns",  "moves",  "stays",
};

struct str answer_words(struct rng *r, size_t tokens, struct arena *arena)
{
    enum { WORD_MAX = 8 };
    char *text = arena_new(arena, char, tokens *WORD_MAX + 1);
    struct buf b;
    buf_over(&b, text, tokens * WORD_MAX + 1);
    for (size_t i = 0; i < tokens; i++) {
        if (i > 0) buf_add_char(&b, ' ');
        buf_text(&b, words[rng_below(r, COUNT(words))]);
    }
    CHECK(!b.overflow);
    return buf_str(&b);
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

struct str answer_token(struct str *rest)
{
    size_t n = 0;
    while (n < rest->n && n < TOKEN_MAX && rest->p[n] == ' ') n++;
    while (n < rest->n && n < TOKEN_MAX && rest->p[n] != ' ') n++;
    while (n < rest->n && is_continuation(rest->p[n])) n++;
    struct str token = {rest->p, n};
    *rest = (struct str){rest->p + n, rest->n - n};
    return token;
}

size_t answer_count_tokens(struct str text)
{
    size_t n = 0;
    for (; text.n > 0; n++) (void)answer_token(&text);
    return n;
}

/* ---- embeddings ---- */

uint64_t answer_hash(uint64_t hash, struct str text)
{
    if (hash == 0) hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < text.n; i++) {
        hash = (hash ^ (unsigned char)text.p[i]) * 0x100000001B3u;
    }
    return hash;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* Lower case, letters and digits: FNV-1a of each word, byte by byte. */
static bool next_word(struct str *rest, uint64_t *hash)
{
    size_t bytes = 0;
    *hash = 0;
    while (rest->n > 0) {
        char c = *rest->p;
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        *rest = (struct str){rest->p + 1, rest->n - 1};
        if (is_word_byte(c)) {
            *hash = answer_hash(*hash, (struct str){&c, 1});
            bytes++;
        } else if (bytes > 0) {
            return true;
        }
    }
    return bytes > 0;
}

void answer_embed(struct str text, uint64_t seed, float *out, size_t dimensions)
{
    enum { AXES = 8 }; /* of each word: enough to keep strangers apart */
    memset(out, 0, dimensions * sizeof *out);
    out[0] = 0.01F; /* a text without words has a direction too */
    for (uint64_t hash = 0; next_word(&text, &hash);) {
        struct rng r = rng_seeded(rng_derive(seed, hash, 0));
        for (int i = 0; i < AXES; i++) {
            uint64_t draw = rng_next(&r);
            out[(draw >> 1) % dimensions] += draw & 1 ? 1.0F : -1.0F;
        }
    }
    double square = 0;
    for (size_t i = 0; i < dimensions; i++) square += (double)out[i] * (double)out[i];
    if (square == 0) square = 1;
    for (size_t i = 0; i < dimensions; i++) out[i] = (float)((double)out[i] / sqrt(square));
}
