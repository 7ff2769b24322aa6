/* arena.h - memory with one owner and one end.
 *
 * Everything that lives as long as a run, a request or the process is taken
 * from that thing's arena and released with it, all at once. There is no
 * per-object free, so there is no per-object leak.
 *
 * A `struct arena *` parameter receives what the function returns. A
 * `struct arena` passed by value is scratch: the callee's bump moves only its
 * own copy, so the memory is free again when the callee returns.
 *
 * Memory comes in blocks that double from 64 KiB to 64 MiB (a larger object
 * gets a block of its own). Under AddressSanitizer unused memory is poisoned
 * and objects are kept apart by red zones. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/invariant.h"

struct arena_block;

struct arena {
    char *next;
    char *end;
    struct arena_block *block;
};

struct arena arena_open(void);
void arena_close(struct arena *whole); /* pass the arena that was opened, not a copy */

/* Gives back everything taken since arena_open; keeps the blocks for reuse. */
void arena_reset(struct arena *whole);

/* Zeroed. Never NULL: sizes are limited where input enters, so running out
 * here is a CHECK failure. */
void *arena_alloc(struct arena *a, size_t count, size_t size, size_t align);
#define arena_new(a, type, count) \
    ((type *)arena_alloc((a), (count), sizeof(type), _Alignof(type)))

char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);

/* A copy with a NUL after it. */
char *arena_copy(struct arena *a, const void *bytes, size_t n);

/* Room for one more after the `count` items of `size` bytes in `list` (NULL at first),
 * which may move. Only for lists that grow by this alone. */
MUST_USE void *arena_grow(struct arena *a, void *list, size_t count, size_t size);

#endif
