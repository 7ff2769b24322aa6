#include "base/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the file ends before a segment that its program headers name. dlopen maps those
 * without looking at the size, and whoever touches a page behind the end dies of SIGBUS. */
static bool is_cut_off(int file)
{
    struct stat st;
    ElfW(Ehdr) head;
    if (fstat(file, &st) < 0 || pread(file, &head, sizeof head, 0) != sizeof head) return false;
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return false; /* dlopen will say so */
    uint64_t size = (uint64_t)st.st_size;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        ElfW(Phdr) segment;
        off_t at = (off_t)(head.e_phoff + i * sizeof segment);
        if (pread(file, &segment, sizeof segment, at) != sizeof segment) return true;
        if (segment.p_type == PT_LOAD &&
            (segment.p_filesz > size || segment.p_offset > size - segment.p_filesz))
            return true;
    }
    return false;
}

/* Sets `err` to what is wrong with a file, or to `missing` if it is not there. A bare name is
 * looked up by dlopen, and comes with the system. */
static bool is_loadable(const char *file, const char *missing, struct error *err)
{
    if (!strchr(file, '/')) return true;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return error_set(err, ERROR_UNAVAILABLE, "%s", missing);
    bool is_cut = is_cut_off(fd);
    close(fd);
    return !is_cut || error_set(err, ERROR_UNAVAILABLE, "%s is cut off: build it again", file);
}

bool library_load(const char *file, const char *missing, const struct library_symbol *symbols,
                  size_t count, void **handle, struct error *err)
{
    *handle = NULL;
    if (!is_loadable(file, missing, err)) return false;
    *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!*handle)
        return error_set(err, ERROR_UNAVAILABLE, "%s", strchr(file, '/') ? dlerror() : missing);
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
