/* test.h - cmocka, as our tests use it. One binary per file, TAP output.
 *
 *     TEST(moments_survive_a_large_mean) { ... assert_true(x); }
 *     TEST_MAIN(T(moments_survive_a_large_mean), T(...))
 *
 * With TEST_ONLY=NAME in the environment only that test runs; `*` matches anything. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST(name) static void name(void **state_unused __attribute__((unused)))
#define T(name)    cmocka_unit_test(name)
#define TEST_MAIN(...)                                    \
    int main(void)                                        \
    {                                                     \
        const struct CMUnitTest tests[] = {__VA_ARGS__};  \
        cmocka_set_message_output(CM_OUTPUT_TAP);         \
        cmocka_set_test_filter(getenv("TEST_ONLY"));      \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }

/* Relative (or absolute, near 0) agreement; both NaN agree. */
#define assert_close(actual, expected, tolerance)                                       \
    do {                                                                                \
        double test_a = (actual);                                                       \
        double test_e = (expected);                                                     \
        double test_scale = fabs(test_e) > 1 ? fabs(test_e) : 1;                        \
        bool test_ok = (isnan(test_a) && isnan(test_e)) || test_a == test_e ||          \
                       fabs(test_a - test_e) <= (tolerance)*test_scale;                 \
        if (!test_ok) fail_msg("%s is %.17g, expected %.17g", #actual, test_a, test_e); \
    } while (0)

/* For tests of memory: ThreadSanitizer's shadow is several times what it watches. */
#ifdef __SANITIZE_THREAD__
#define NEEDS_PLAIN_MEMORY() skip()
#else
#define NEEDS_PLAIN_MEMORY() (void)0
#endif

/* For tests of wall-clock time, which whatever else the machine does would decide: `make
 * soak` carries them out. `make test` judges counts, orders and planted numbers. */
#define NEEDS_WALL_CLOCK()                                                    \
    do {                                                                      \
        if (!getenv("ASSAY_SOAK")) {                                          \
            print_message("# skip: it is about the wall clock: make soak\n"); \
            skip();                                                           \
        }                                                                     \
    } while (0)

/* Where ../shared/data holds what a test needs; NULL (and a skip message) if
 * it is not there. */
static inline const char *shared_data(const char *file)
{
    static char path[512];
    const char *root = getenv("ASSAY_SHARED");
    snprintf(path, sizeof path, "%s/data/%s", root ? root : "../shared", file);
    FILE *f = fopen(path, "r");
    if (!f) {
        print_message("# skip: %s is not there\n", path);
        return NULL;
    }
    fclose(f);
    return path;
}

#endif
