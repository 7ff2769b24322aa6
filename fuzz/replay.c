/* Runs a fuzz target over files without libFuzzer: those named as arguments, or
 * else all of fuzz/corpus/<name of this program>. One TAP line for each. */
#include "base/os.h"

#include <dirent.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool replay(const char *path, int number)
{
    struct arena arena = arena_open();
    struct str bytes = {0};
    struct error err = {0};
    bool done = os_read_file(path, (size_t)64 << 20, &arena, &bytes, &err);
    if (done) LLVMFuzzerTestOneInput((const uint8_t *)bytes.p, bytes.n);
    printf("%sok %d - %s %s\n", done ? "" : "not ", number, path, err.text);
    fflush(stdout);
    arena_close(&arena);
    return done;
}

int main(int argc, char **argv)
{
    int count = 0;
    int wrong = 0;
    for (int i = 1; i < argc; i++) wrong += !replay(argv[i], ++count);
    if (argc == 1) {
        const char *slash = strrchr(argv[0], '/');
        char folder[256];
        snprintf(folder, sizeof folder, "fuzz/corpus/%s", slash ? slash + 1 : argv[0]);
        DIR *dir = opendir(folder);
        for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
            char path[1024];
            if (e->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            wrong += !replay(path, ++count);
        }
        if (dir) closedir(dir);
    }
    printf("1..%d\n", count);
    return wrong > 0 || count == 0;
}
