#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(const char *file, const char *missing, const struct library_symbol *symbols,
                  size_t count, void **handle, struct error *err)
{
    *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) return error_set(err, ERROR_UNAVAILABLE, "%s", missing);
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(*handle, symbols[i].name);
        /* ISO C has no conversion from what dlsym gives to a function. */
        memcpy(symbols[i].function, &symbol, sizeof symbol);
        if (symbol) continue;
        dlclose(*handle);
        *handle = NULL;
        return error_set(err, ERROR_UNAVAILABLE, "%s is too old: it has no %s", file,
                         symbols[i].name);
    }
    return true;
}
