#include "cli/shipped.h"

#include "base/os.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *shipped_spec(const char *name, struct arena *out)
{
    static const char *const places[] = {"../share/assay/specs", "../../specs"};
    const char *folder = os_program_folder(out);
    if (!folder || !*name || strpbrk(name, "/.")) return NULL;
    for (size_t i = 0; i < COUNT(places); i++) {
        const char *path = arena_printf(out, "%s/%s/%s.yaml", folder, places[i], name);
        char whole[PATH_MAX];
        if (realpath(path, whole)) return arena_printf(out, "%s", whole);
    }
    return NULL;
}
