/* Case files: JSON lines and CSV, drawn from or whole. The first byte chooses.
 * Whatever is accepted must be complete, and the same when it is read again. */
#include "score/dataset.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_set(const struct case_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct case_item *item = &set->items[i];
        CHECK(item->id && strlen(item->hash) == 64 && item->fields->kind == VALUE_MAP);
        CHECK(item->rubric_index < (ptrdiff_t)set->rubric_count);
        CHECK(i == 0 || item->position > set->items[i - 1].position);
        for (const char *const *t = item->tags; *t; t++) CHECK(str_is(str_of(*t), *t));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    char *exact = malloc(size);
    memcpy(exact, data + 1, size - 1);
    struct str bytes = {exact, size - 1};
    enum dataset_format format = data[0] % 2 ? DATASET_CSV : DATASET_JSONL;
    struct dataset_options options = {.size = data[0] / 2 % 4, .seed = data[0]};
    char hash[65] = "";
    for (int round = 0; round < 2; round++) {
        struct arena a = arena_open();
        struct problems p = {.arena = &a};
        struct case_set set;
        bool is_right = dataset_read_bytes(bytes, format, &options, &a, &set, &p);
        CHECK(is_right == (p.total == 0));
        check_set(&set);
        CHECK(round == 0 || strcmp(hash, set.hash) == 0);
        memcpy(hash, set.hash, sizeof hash);
        arena_close(&a);
    }
    free(exact);
    return 0;
}
