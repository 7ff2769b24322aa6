#include "base/heap.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Random reads of a large block miss the TLB nearly every time; with pages of 2 MiB, where
 * the kernel has them, they do not. Only what is large enough to hold some is asked for. */
static void ask_for_huge_pages(void *memory, size_t bytes)
{
    enum { LARGE = 8 << 20 };
    const size_t page = 4096;
    if (bytes < LARGE) return;
    size_t skipped = (page - (uintptr_t)memory % page) % page;
    size_t whole = (bytes - skipped) / page * page;
    (void)madvise((char *)memory + skipped, whole,
                  MADV_HUGEPAGE); /* a wish: it may be refused */
}

void *heap_resize(struct heap *heap, void *memory, size_t old_bytes, size_t new_bytes)
{
    if (new_bytes == 0) {
        heap_free(heap, memory, old_bytes);
        return NULL;
    }
    CHECK(heap->live_bytes >= old_bytes && (memory || old_bytes == 0));
    void *moved = realloc(memory, new_bytes);
    if (!moved) memory_failed(new_bytes);
    ask_for_huge_pages(moved, new_bytes);
    heap->live_bytes += new_bytes - old_bytes;
    if (heap->peak_bytes < heap->live_bytes) heap->peak_bytes = heap->live_bytes;
    heap->request_count++;
    return moved;
}

void heap_free(struct heap *heap, void *memory, size_t bytes)
{
    CHECK(heap->live_bytes >= bytes);
    heap->live_bytes -= bytes;
    free(memory);
}
