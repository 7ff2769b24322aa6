/* Merge sort from below, as it is stable: runs of 1, 2, 4, ... items are merged from one list
 * into the other and back. */
#include "base/text_order.h"

#include <string.h>

struct item {
    uint64_t head; /* the first eight bytes, the first one highest; zeros after the end */
    const char *text;
    size_t index;
};

static uint64_t head_of(const char *text)
{
    uint64_t head = 0;
    for (int i = 0; i < 8; i++) {
        head = head << 8 | (unsigned char)*text;
        if (*text) text++;
    }
    return head;
}

static bool is_above(const struct item *a, const struct item *b)
{
    return a->head != b->head ? a->head > b->head : strcmp(a->text, b->text) > 0;
}

static void merge(const struct item *from, size_t begin, size_t middle, size_t end,
                  struct item *to)
{
    size_t a = begin;
    size_t b = middle;
    for (size_t i = begin; i < end; i++) {
        bool is_second = a == middle || (b < end && is_above(&from[a], &from[b]));
        to[i] = is_second ? from[b++] : from[a++];
    }
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

size_t *text_order(const char *const *texts, size_t count, struct arena *out)
{
    size_t *order = arena_new(out, size_t, count + 1);
    struct arena scratch = arena_open();
    struct item *from = arena_new(&scratch, struct item, count + 1);
    struct item *to = arena_new(&scratch, struct item, count + 1);
    for (size_t i = 0; i < count; i++) from[i] = (struct item){head_of(texts[i]), texts[i], i};
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t i = 0; i < count; i += 2 * width) {
            merge(from, i, at_most(i + width, count), at_most(i + 2 * width, count), to);
        }
        struct item *merged = to;
        to = from;
        from = merged;
    }
    for (size_t i = 0; i < count; i++) order[i] = from[i].index;
    arena_close(&scratch);
    return order;
}
