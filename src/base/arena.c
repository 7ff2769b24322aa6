/* Blocks form a list in order of age. A scratch copy that runs past its block
 * goes on in the block that follows; when the copy is dropped, the owner still
 * points into the older block, and the next scratch copy finds the following
 * block again. So scratch costs no memory in the long run either. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
enum { RED_ZONE = 16 };
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
enum { RED_ZONE = 0 };
#endif

static const size_t first_block_bytes = (size_t)64 << 10;
static const size_t largest_block_bytes = (size_t)64 << 20;

struct arena_block {
    struct arena_block *first;
    struct arena_block *following;
    size_t size_bytes;
    _Alignas(max_align_t) char bytes[];
};

static struct arena_block *block_new(size_t size_bytes)
{
    struct arena_block *b = malloc(sizeof *b + size_bytes);
    if (!b) memory_failed(sizeof *b + size_bytes);
    b->first = b;
    b->following = NULL;
    b->size_bytes = size_bytes;
    POISON(b->bytes, size_bytes);
    return b;
}

static void enter(struct arena *a, struct arena_block *b)
{
    a->block = b;
    a->next = b->bytes;
    a->end = b->bytes + b->size_bytes;
}

struct arena arena_open(void)
{
    struct arena a;
    enter(&a, block_new(first_block_bytes));
    return a;
}

void arena_close(struct arena *whole)
{
    struct arena_block *b = whole->block ? whole->block->first : NULL;
    while (b) {
        struct arena_block *following = b->following;
        UNPOISON(b->bytes, b->size_bytes);
        free(b);
        b = following;
    }
    *whole = (struct arena){0};
}

void arena_reset(struct arena *whole)
{
    struct arena_block *first = whole->block->first;
    CHECK(first != NULL);
    for (struct arena_block *b = first; b; b = b->following) POISON(b->bytes, b->size_bytes);
    enter(whole, first);
}

/* Moves to a block with room for need_bytes: the one that follows if it is
 * large enough, else a new one in front of it. */
static void grow(struct arena *a, size_t need_bytes)
{
    struct arena_block *b = a->block;
    if (!b->following || b->following->size_bytes < need_bytes) {
        size_t size = b->size_bytes * 2;
        if (size > largest_block_bytes) size = largest_block_bytes;
        if (size < need_bytes) size = need_bytes;
        struct arena_block *fresh = block_new(size);
        fresh->first = b->first;
        fresh->following = b->following;
        b->following = fresh;
    }
    enter(a, b->following);
}

void *arena_alloc(struct arena *a, size_t count, size_t size, size_t align)
{
    CHECK(a->block != NULL);
    CHECK(align > 0 && align <= _Alignof(max_align_t));
    CHECK(size == 0 || count <= (SIZE_MAX / 4) / size);
    size_t bytes = count * size;
    size_t need = bytes + align + RED_ZONE;
    if ((size_t)(a->end - a->next) < need) grow(a, need);
    size_t pad = -(uintptr_t)a->next & (align - 1);
    char *p = a->next + pad;
    a->next = p + bytes + RED_ZONE;
    UNPOISON(p, bytes);
    POISON(p + bytes, RED_ZONE);
    return memset(p, 0, bytes);
}

char *arena_copy(struct arena *a, const void *bytes, size_t n)
{
    char *p = arena_alloc(a, n + 1, 1, 1);
    if (n > 0) memcpy(p, bytes, n);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    CHECK(n >= 0);
    char *p = arena_alloc(a, (size_t)n + 1, 1, 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

void *arena_grow(struct arena *a, void *list, size_t count, size_t size)
{
    enum { FIRST = 8 };
    bool is_full = count == 0 || (count >= FIRST && (count & (count - 1)) == 0);
    if (!is_full) return list;
    size_t capacity = count ? 2 * count : FIRST;
    void *more = arena_alloc(a, capacity, size, _Alignof(max_align_t));
    if (count) memcpy(more, list, count * size);
    return more;
}
