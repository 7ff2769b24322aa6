/* Plain files of numbers, CSV columns, and result files of any program. The
 * first byte chooses. What is accepted has as many values as it says. */
#include "view/samples.h"
#include "view/result_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_numbers(struct str bytes, const char *column, struct arena *arena)
{
    struct samples s = {0};
    struct error err = {0};
    bool is_read = samples_parse("f", bytes, column, arena, &s, &err);
    CHECK(is_read == (err.code == ERROR_NONE));
    CHECK(!is_read || s.count <= bytes.n);
}

static void read_result(struct str bytes, struct arena *arena)
{
    struct view *view = NULL;
    struct error err = {0};
    if (!result_file_parse("f", bytes, arena, &view, &err)) {
        CHECK(err.code != ERROR_NONE);
        return;
    }
    const struct view_cell *cell = &view->cells[0];
    CHECK(view->cell_count == 1 && cell->metric_count > 0);
    for (size_t i = 0; i < cell->metric_count; i++) {
        CHECK(cell->metrics[i].name && cell->metrics[i].unit && cell->metrics[i].definition);
        CHECK(cell->metrics[i].n <= cell->metrics[i].count);
        CHECK(cell->metrics[i].count <= cell->trial_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    char *exact = malloc(size);
    memcpy(exact, data + 1, size - 1);
    struct str bytes = {exact, size - 1};
    struct arena arena = arena_open();
    if (data[0] % 3 == 0) read_numbers(bytes, NULL, &arena);
    if (data[0] % 3 == 1) read_numbers(bytes, "x", &arena);
    if (data[0] % 3 == 2) read_result(bytes, &arena);
    arena_close(&arena);
    free(exact);
    return 0;
}
