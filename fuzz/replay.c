/* Runs a fuzz target over its corpus, without libFuzzer: `make test` links it
 * with each target. The folder is the first argument, else
 * fuzz/corpus/<name of this program>. TAP, one line per file. */
#include "base/os.h"

#include <dirent.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    struct arena a = arena_open();
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash ? slash + 1 : argv[0];
    const char *folder = argc > 1 ? argv[1] : arena_printf(&a, "fuzz/corpus/%s", name);
    DIR *files = opendir(folder);
    if (!files) {
        printf("1..0 # skip: no corpus at %s\n", folder);
        arena_close(&a);
        return 0;
    }
    int count = 0;
    int failed = 0;
    for (struct dirent *entry; (entry = readdir(files)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        struct str bytes = {0};
        struct error err = {0};
        const char *path = arena_printf(&a, "%s/%s", folder, entry->d_name);
        bool ok = os_read_file(path, (size_t)16 << 20, &a, &bytes, &err);
        if (ok) LLVMFuzzerTestOneInput((const uint8_t *)bytes.p, bytes.n);
        printf("%sok %d - %s%s%s\n", ok ? "" : "not ", ++count, entry->d_name, ok ? "" : ": ",
               err.text);
        failed += !ok;
    }
    printf("1..%d\n", count);
    closedir(files);
    arena_close(&a);
    return failed ? 1 : 0;
}
