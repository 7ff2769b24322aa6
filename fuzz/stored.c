/* What importers read is stored and shown like any run, whatever it holds. */
#include "fuzz/store.h"
#include "interop/import.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    struct str bytes = {exact, size};
    struct arena a = arena_open();
    struct import_options none = {0};
    struct imported *in = NULL;
    struct error err = {0};
    const struct importer *importer = importer_choose(NULL, bytes, &err);
    if (importer && import_read(importer, bytes, &none, &a, &in, &err)) {
        struct fuzz_store f = fuzz_store_open();
        struct import_origin origin = {.path = "fuzz"};
        struct run_record run;
        bool is_new = false;
        if (import_write(f.store, in, &origin, &a, &run, &is_new, &err)) {
            CHECK(is_new);
            fuzz_store_show(&f);
        }
        fuzz_store_close(&f);
    }
    CHECK(in || err.text[0]);
    arena_close(&a);
    free(exact);
    return 0;
}
