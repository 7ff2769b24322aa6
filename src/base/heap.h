/* heap.h - memory that grows and shrinks, and is counted.
 *
 * For structures whose parts come and go (indexes, growing lists), where an arena would
 * keep what they have outgrown. Whoever owns the structure owns a struct heap, and reads
 * from it what the structure has now, had at most, and how often it asked: counted from
 * the sizes asked for, so it is the same on every machine and in every process, whatever
 * the C library keeps beside it. {0} is empty. Not safe to share between threads. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/invariant.h"

struct heap {
    size_t live_bytes;
    size_t peak_bytes; /* most that was live at once; may be set back to live_bytes */
    size_t request_count;
};

/* `memory` (NULL with old_bytes 0: none yet) with `new_bytes`, which may move; what is
 * added is not zeroed. 0 gives it back and returns NULL. Never NULL otherwise: running
 * out ends the process as in arena.h. */
MUST_USE void *heap_resize(struct heap *heap, void *memory, size_t old_bytes, size_t new_bytes);

void heap_free(struct heap *heap, void *memory, size_t bytes);

/* The same in items of a type. */
#define heap_new(heap, type, count) \
    ((type *)heap_resize((heap), NULL, 0, (count) * sizeof(type)))
#define heap_grow(heap, list, old_count, new_count)                   \
    heap_resize((heap), (list), (size_t)(old_count) * sizeof *(list), \
                (size_t)(new_count) * sizeof *(list))

#endif
