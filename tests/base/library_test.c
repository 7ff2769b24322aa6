#include "base/library.h"

#include "tests/test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <unistd.h>

TEST(functions_of_a_library_can_be_called)
{
    double (*root)(double) = NULL;
    void *handle = NULL;
    struct error err = {0};
    const struct library_symbol symbols[] = {{"sqrt", &root}};
    assert_true(library_load("libm.so.6", "no libm", symbols, 1, &handle, &err));
    assert_true(root(9) == 3);
    dlclose(handle);
}

TEST(what_is_not_there_is_said)
{
    void (*function)(void) = NULL;
    void *handle = NULL;
    struct error err = {0};
    const struct library_symbol symbols[] = {{"no_such_function", &function}};
    assert_false(library_load("libno-such.so.9", "install it", symbols, 1, &handle, &err));
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    assert_string_equal(err.text, "install it");
    assert_null(handle);
    assert_false(library_load("libm.so.6", "no libm", symbols, 1, &handle, &err));
    assert_string_equal(err.text, "libm.so.6 is too old: it has no no_such_function");
    assert_null(handle);
}

static void load_fails(const char *path, const char *text)
{
    void *handle = NULL;
    struct error err = {0};
    assert_false(library_load(path, "install it", NULL, 0, &handle, &err));
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    if (!strstr(err.text, text)) fail_msg("%s", err.text);
    assert_null(handle);
}

/* To load the first part of a library is death by SIGBUS. */
TEST(a_file_that_is_cut_off_or_no_library_is_refused_with_the_reason)
{
    void *libm = dlopen("libm.so.6", RTLD_NOW);
    struct link_map *map = NULL;
    assert_int_equal(dlinfo(libm, RTLD_DI_LINKMAP, &map), 0);
    int from = open(map->l_name, O_RDONLY);
    static char bytes[30000];
    assert_int_equal(read(from, bytes, sizeof bytes), sizeof bytes);
    close(from);
    dlclose(libm);
    char path[] = "/tmp/assay-library-XXXXXX";
    int to = mkstemp(path);
    assert_int_equal(write(to, bytes, sizeof bytes), sizeof bytes);
    load_fails(path, "is cut off: build it again");
    assert_int_equal(ftruncate(to, 100), 0); /* within the program headers */
    load_fails(path, "is cut off: build it again");
    assert_int_equal(pwrite(to, "no ELF", 6, 0), 6);
    load_fails(path, path); /* in dlopen's words */
    close(to);
    unlink(path);
    load_fails(path, "install it");
}

TEST_MAIN(T(functions_of_a_library_can_be_called), T(what_is_not_there_is_said),
          T(a_file_that_is_cut_off_or_no_library_is_refused_with_the_reason))
