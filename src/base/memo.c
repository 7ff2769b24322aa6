/* A table of chains, doubled when it has as many entries as slots. Entries live in one arena
 * and are dropped together. */
#include "base/memo.h"

#include <stdalign.h>

enum { FIRST_SLOTS = 64 };

struct memo_entry {
    struct memo_entry *next;
    uint64_t hash;
    struct str key;
    const void *value;
};

/* Eight bytes at a time: keys are long, and compared whole anyway. */
static uint64_t hash_of(struct str key)
{
    uint64_t hash = key.n;
    size_t i = 0;
    for (; i + 8 <= key.n; i += 8) {
        uint64_t eight;
        memcpy(&eight, key.p + i, 8);
        hash = (hash ^ eight) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (; i < key.n; i++)
        hash = (hash ^ (unsigned char)key.p[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

const void *memo_find(const struct memo *memo, struct str key)
{
    if (memo->count == 0) return NULL;
    uint64_t hash = hash_of(key);
    const struct memo_entry *e = memo->slots[hash & (memo->slot_count - 1)];
    while (e && (e->hash != hash || !str_equal(e->key, key))) e = e->next;
    return e ? e->value : NULL;
}

static void put(struct memo_entry **slots, size_t slot_count, struct memo_entry *e)
{
    struct memo_entry **slot = &slots[e->hash & (slot_count - 1)];
    e->next = *slot;
    *slot = e;
}

static void grow(struct memo *memo)
{
    size_t wanted = memo->slot_count ? 2 * memo->slot_count : FIRST_SLOTS;
    struct memo_entry **slots = arena_new(&memo->arena, struct memo_entry *, wanted);
    for (size_t i = 0; i < memo->slot_count; i++) {
        for (struct memo_entry *e = memo->slots[i], *next; e; e = next) {
            next = e->next;
            put(slots, wanted, e);
        }
    }
    memo->slots = slots;
    memo->slot_count = wanted;
}

void memo_keep(struct memo *memo, struct str key, const void *value, size_t bytes)
{
    size_t cost = sizeof(struct memo_entry) + key.n + bytes;
    if (cost > memo->most_bytes) return;
    if (memo->bytes + cost > memo->most_bytes) memo_close(memo);
    if (!memo->is_open) memo->arena = arena_open();
    memo->is_open = true;
    if (memo->count == memo->slot_count) grow(memo);
    struct memo_entry *e = arena_new(&memo->arena, struct memo_entry, 1);
    void *kept = arena_alloc(&memo->arena, 1, bytes, alignof(max_align_t));
    memcpy(kept, value, bytes);
    *e = (struct memo_entry){NULL, hash_of(key), str_copy(&memo->arena, key), kept};
    put(memo->slots, memo->slot_count, e);
    memo->count++;
    memo->bytes += cost;
}

uint64_t memo_number(struct memo *memo, struct str bytes)
{
    const uint64_t *kept = memo_find(memo, bytes);
    if (kept) return *kept;
    uint64_t number = ++memo->numbers;
    memo_keep(memo, bytes, &number, sizeof number);
    return number;
}

void memo_close(struct memo *memo)
{
    if (memo->is_open) arena_close(&memo->arena);
    *memo = (struct memo){.most_bytes = memo->most_bytes, .numbers = memo->numbers};
}
