/* Results of other tools: whatever the bytes, every importer answers with cells
 * that hold together, or with a reason. */
#include "interop/import.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct imported *in)
{
    for (size_t c = 0; c < in->cell_count; c++) {
        const struct imported_cell *cell = in->cells[c];
        CHECK(cell->name[0] && cell->trial_count <= cell->trial_capacity);
        for (size_t i = 0; i < cell->trial_count; i++) {
            CHECK(cell->statuses[i] < TRIAL_STATUS_COUNT);
        }
        for (size_t m = 0; m < cell->metric_count; m++) {
            volatile double last = cell->metrics[m].values[cell->trial_count - 1];
            (void)last;
        }
        for (size_t i = 0; i < cell->note_count; i++) {
            CHECK((size_t)cell->notes[i].trial < cell->trial_count);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    struct str bytes = {exact, size};
    static const struct import_options options[] = {{0}, {.by = "name", .time = "at"}};
    const struct importer *importer;
    for (size_t i = 0; (importer = importer_at(i)); i++) {
        (void)importer->detect(bytes);
        for (size_t o = 0; o < COUNT(options); o++) {
            struct arena a = arena_open();
            struct imported *in = NULL;
            struct error err = {0};
            if (import_read(importer, bytes, &options[o], &a, &in, &err)) {
                check(in);
            } else {
                CHECK(err.text[0]);
            }
            arena_close(&a);
        }
    }
    free(exact);
    return 0;
}
