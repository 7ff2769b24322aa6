#include "base/library.h"

#include "tests/test.h"

#include <dlfcn.h>
#include <math.h>

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

TEST_MAIN(T(functions_of_a_library_can_be_called), T(what_is_not_there_is_said))
