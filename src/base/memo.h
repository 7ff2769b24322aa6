/* memo.h - answers that follow from some bytes alone, kept for the next time.
 *
 * What is found under a key was kept under the same bytes: keys are compared whole, so that
 * an answer is never old and never another's. A memo has room for so many bytes; one that is
 * full forgets everything and begins anew.
 *
 *     const struct answer *kept = memo_find(memo, key);
 *     if (kept) return *kept;
 *     ... work it out ...
 *     memo_keep(memo, key, &answer, sizeof answer);
 *
 * {.most_bytes = ...} is an empty one. Not safe to share between threads. */
#ifndef BASE_MEMO_H
#define BASE_MEMO_H

#include "base/str.h"

struct memo_entry;

struct memo {
    size_t most_bytes;
    struct arena arena;
    struct memo_entry **slots;
    size_t slot_count, count, bytes;
    bool is_open;
    uint64_t numbers; /* given out; never reset */
};

/* What was kept under these bytes, aligned for any type; lives until the next memo_keep.
 * NULL: nothing. */
const void *memo_find(const struct memo *memo, struct str key);

/* Copies both. What does not fit into an empty memo is not kept. */
void memo_keep(struct memo *memo, struct str key, const void *value, size_t bytes);

/* A number that stands for these bytes: the same as long as they are kept, and never another's.
 * Long bytes that belong to many keys are in them as their number. */
uint64_t memo_number(struct memo *memo, struct str bytes);

void memo_close(struct memo *memo);

#endif
