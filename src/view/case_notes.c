#include "view/case_notes.h"

#include "base/text_order.h"

#include <string.h>

/* A store gives notes by trial already; a file may not. */
static void sort_by_trial(const struct trial_note **items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct trial_note *note = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1]->trial > note->trial; at--) items[at] = items[at - 1];
        items[at] = note;
    }
}

struct case_notes case_notes_sort(const struct trial_note *notes, size_t count,
                                  struct arena *out)
{
    struct case_notes all = {.items = arena_new(out, const struct trial_note *, count + 1)};
    struct arena scratch = arena_open();
    const char **hashes = arena_new(&scratch, const char *, count + 1);
    size_t *of = arena_new(&scratch, size_t, count + 1);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (notes[i].phase != PHASE_MEASURED || !notes[i].case_hash) continue;
        hashes[n] = notes[i].case_hash;
        of[n++] = i;
    }
    const size_t *order = text_order(hashes, n, &scratch);
    for (size_t first = 0; all.count < n;) {
        all.items[all.count] = &notes[of[order[all.count]]];
        all.count++;
        bool is_last =
            all.count == n || strcmp(hashes[order[first]], hashes[order[all.count]]) != 0;
        if (!is_last) continue;
        sort_by_trial(all.items + first, all.count - first);
        first = all.count;
    }
    arena_close(&scratch);
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

struct case_notes case_notes_next(struct case_notes *all, const char *hash)
{
    size_t count = 0;
    while (all->count && strcmp(all->items[0]->case_hash, hash) < 0) {
        all->items++;
        all->count--;
    }
    while (count < all->count && strcmp(all->items[count]->case_hash, hash) == 0) count++;
    struct case_notes found = {all->items, count};
    all->items += count;
    all->count -= count;
    return found;
}
