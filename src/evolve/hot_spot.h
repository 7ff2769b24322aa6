/* hot_spot.h - looks at what has changed in a trajectory's code and at nothing else: the second
 * of the five parts.
 *
 * Code is cut at its top-level statements ("chunks"; a def, class or decorator and what is
 * indented below it). Each chunk is outlined: a node for every token, with depth, and the
 * metrics that come from them. Focused, chunks are kept by the hash of their bytes and shared:
 * only a chunk that was never seen is parsed, and its nodes exist once. Unfocused, every code
 * is parsed whole and keeps nodes of its own, as the baseline does.
 *
 * A file of one function cannot win by this: its only chunk is the changed one. (The original
 * design also diffs the whole text first, and so is several times slower than a full parse.)
 *
 * The outline knows Python's lines, indentation, strings, comments and keywords, not its
 * grammar; evolve/syntax_tree.h has a real parser for where it is installed, and its metrics of
 * playbooks are the same. The search does not use it: what a search reports must not depend on
 * what is installed, its memory must be counted by the ledger, and a child mostly differs from
 * its parent in several places, which for an incremental parse are one long edit. */
#ifndef EVOLVE_HOT_SPOT_H
#define EVOLVE_HOT_SPOT_H

#include "base/str.h"
#include "evolve/ledger.h"

struct outline_node {
    uint32_t offset; /* within its chunk */
    uint16_t length;
    uint8_t depth; /* of the block */
    uint8_t kind;  /* enum outline_kind */
};

enum outline_kind {
    OUTLINE_WORD,
    OUTLINE_BRANCH,
    OUTLINE_NUMBER,
    OUTLINE_STRING,
    OUTLINE_MARK
};

struct chunk_metrics {
    uint32_t branches;  /* if elif for while except with and or assert: McCabe's, less one */
    uint32_t nesting;   /* deepest block */
    uint32_t cognitive; /* each branch counts its depth */
    uint32_t lines;     /* that are not empty */
    uint32_t nodes;
};

struct code_metrics {
    uint32_t chunks;
    uint32_t chunks_parsed; /* the rest was known */
    uint64_t bytes_parsed;
    struct chunk_metrics sum; /* nesting: the deepest */
    double score; /* 0.4 cyclomatic + 0.3 cognitive + 0.2 nesting + 0.1 length, a chunk */
};

struct hot_spot_code; /* what one code holds of the cache */
struct hot_spot_chunk;

struct hot_spots {
    struct ledger *ledger;
    bool is_focused;
    struct hot_spot_chunk **table; /* open hashing; NULL until the first */
    size_t slots;
    size_t count;
};

struct hot_spots hot_spots_new(struct ledger *ledger, bool is_focused);
void hot_spots_release(struct hot_spots *h); /* every code must have been dropped */

/* Outlines `code`, which is not kept. The result holds its chunks until it is dropped. */
struct hot_spot_code *hot_spots_add(struct hot_spots *h, struct str code,
                                    struct code_metrics *metrics);
void hot_spots_drop(struct hot_spots *h, struct hot_spot_code *code); /* NULL: nothing */

/* Whether two codes have the same outline, node by node; of one cache or of two. */
bool hot_spots_same(const struct hot_spot_code *a, const struct hot_spot_code *b);

/* Whether a word of Python is one of those that `branches` counts. */
bool hot_spot_is_branch(struct str word);

/* The end of the chunk that begins at code.p: its length. Never 0 unless code is empty. */
size_t hot_spot_chunk_length(struct str code);

#endif
