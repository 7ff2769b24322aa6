/* sentences.h - a list of sentences, each said once: the notes of an answer.
 *
 *     struct sentences notes = {.out = arena};
 *     sentences_add(&notes, "the seeds differ (%d and %d)", a, b);
 *     sentences_put(&notes, "! ", out);
 *
 * They live in the arena; {.out} alone is an empty list. */
#ifndef BASE_SENTENCES_H
#define BASE_SENTENCES_H

#include "base/arena.h"
#include "base/buf.h"

struct sentences {
    struct arena *out;
    const char **items;
    size_t count;
};

/* Nobody reads more than these: what comes after is dropped. */
enum { SENTENCES_MAX = 1000 };

/* One that is in the arena or outlives it; NULL: nothing to say. */
void sentences_keep(struct sentences *s, const char *sentence);
#define sentences_add(s, ...) sentences_keep((s), arena_printf((s)->out, __VA_ARGS__))

/* A line for each, after `before`. */
void sentences_put(const struct sentences *s, const char *before, struct buf *out);

#endif
