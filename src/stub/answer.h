/* answer.h - what the stub says: a function of the seed and the prompt.
 *
 * A table comes first: a file of JSON lines
 *     {"match": "2+2", "answer": "4"}
 *     {"match": "weather in", "tool_calls": [{"name": "weather", "arguments": {"city": "Ulm"}}]}
 * The line whose `match` is the prompt wins, else the one with the longest
 * `match` that the prompt contains. What no line matches is echoed, or answered
 * with words drawn from the seed and the prompt. */
#ifndef STUB_ANSWER_H
#define STUB_ANSWER_H

#include "base/rng.h"
#include "base/value.h"

struct answer_line {
    struct str match;
    struct str text;
    const struct value *tool_calls; /* list of {name, arguments}, or NULL */
};

struct answer_table {
    const struct answer_line *lines;
    size_t count;
};

/* Reads a file of at most 64 MiB. Fails with the line: "a.jsonl:3: ...". */
MUST_USE bool answer_table_read(struct answer_table *table, const char *path,
                                struct arena *arena, struct error *err);

/* NULL if no line matches. */
const struct answer_line *answer_table_find(const struct answer_table *table,
                                            struct str prompt);

/* `tokens` words. */
struct str answer_words(struct rng *r, size_t tokens, struct arena *arena);

/* The next token of a text, cut from *rest: a word with the space before it, at
 * most 12 bytes, never inside a character. The tokens together are the text. */
struct str answer_token(struct str *rest);
size_t answer_count_tokens(struct str text);

/* A text as a point on the sphere: words are hashed onto the axes, so texts
 * that share words are near each other. `dimensions` numbers into `out`. */
void answer_embed(struct str text, uint64_t seed, float *out, size_t dimensions);

/* FNV-1a, continued from `hash` (0 to begin). */
uint64_t answer_hash(uint64_t hash, struct str text);

#endif
