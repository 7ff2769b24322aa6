#include "view/case_notes.h"

#include <stdlib.h>

static int by_case(const void *a, const void *b)
{
    const struct trial_note *x = *(const struct trial_note *const *)a;
    const struct trial_note *y = *(const struct trial_note *const *)b;
    int order = strcmp(x->case_hash, y->case_hash);
    return order ? order : (x->trial > y->trial) - (x->trial < y->trial);
}

struct case_notes case_notes_sort(const struct trial_note *notes, size_t count,
                                  struct arena *out)
{
    struct case_notes all = {.items = arena_new(out, const struct trial_note *, count + 1)};
    for (size_t i = 0; i < count; i++) {
        if (notes[i].phase == PHASE_MEASURED && notes[i].case_hash)
            all.items[all.count++] = &notes[i];
    }
    if (all.count) qsort(all.items, all.count, sizeof *all.items, by_case);
    return all;
}

struct case_notes case_notes_of(const struct case_notes *all, const char *hash)
{
    size_t low = 0;
    size_t high = all->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(all->items[middle]->case_hash, hash) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (high < all->count && strcmp(all->items[high]->case_hash, hash) == 0) high++;
    return (struct case_notes){all->items + low, high - low};
}
