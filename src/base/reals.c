#include "base/reals.h"

#include <stdlib.h>

void reals_push(struct reals *r, double value)
{
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 64;
        r->items = realloc(r->items, r->capacity * sizeof *r->items);
        if (!r->items) memory_failed(r->capacity * sizeof *r->items);
    }
    r->items[r->count++] = value;
}

void reals_release(struct reals *r)
{
    free(r->items);
    *r = (struct reals){0};
}
