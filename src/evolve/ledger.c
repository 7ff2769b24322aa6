#include "evolve/ledger.h"

#include <string.h>

struct header {
    _Alignas(16) size_t bytes; /* with this header */
    int part;
};

_Static_assert(sizeof(struct header) == 16, "the documented overhead");

/* `head` (NULL: none yet) with so many bytes after it. */
static struct header *resize(struct ledger *l, int part, struct header *head, size_t bytes)
{
    CHECK(part >= 0 && part < LEDGER_PARTS && bytes < SIZE_MAX / 2);
    size_t before = head ? head->bytes : 0;
    size_t whole = bytes + sizeof(struct header);
    head = heap_resize(&l->parts[part], head, before, whole);
    head->bytes = whole;
    head->part = part;
    l->live_bytes += whole;
    l->live_bytes -= before;
    if (l->live_bytes > l->peak_bytes) l->peak_bytes = l->live_bytes;
    return head;
}

void *ledger_alloc(struct ledger *l, int part, size_t bytes)
{
    return memset(resize(l, part, NULL, bytes) + 1, 0, bytes);
}

void *ledger_room(struct ledger *l, int part, void *list, size_t count, size_t item_bytes)
{
    enum { STEP = 64 };
    if (count % STEP > 0) return list;
    struct header *head = list ? (struct header *)list - 1 : NULL;
    return resize(l, part, head, (count + STEP) * item_bytes) + 1;
}

void ledger_free(struct ledger *l, void *block)
{
    if (!block) return;
    struct header *head = (struct header *)block - 1;
    l->live_bytes -= head->bytes;
    heap_free(&l->parts[head->part], head, head->bytes);
}

void ledger_check(const struct ledger *l)
{
    size_t bytes = 0;
    for (size_t i = 0; i < LEDGER_PARTS; i++) bytes += l->parts[i].live_bytes;
    CHECK(bytes == l->live_bytes);
}
