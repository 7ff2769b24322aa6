#include "base/sentences.h"

#include <string.h>

void sentences_keep(struct sentences *s, const char *sentence)
{
    if (!sentence || s->count == SENTENCES_MAX) return;
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->items[i], sentence) == 0) return;
    }
    s->items = arena_grow(s->out, s->items, s->count, sizeof *s->items);
    s->items[s->count++] = sentence;
}

void sentences_put(const struct sentences *s, const char *before, struct buf *out)
{
    for (size_t i = 0; i < s->count; i++) buf_printf(out, "%s%s\n", before, s->items[i]);
}
