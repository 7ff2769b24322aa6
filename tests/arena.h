/* arena.h - one arena for the tests of a file: a setup and a teardown, of each
 * test or of all. */
#ifndef TESTS_ARENA_H
#define TESTS_ARENA_H

#include "base/arena.h"
#include "tests/test.h"

static struct arena arena;

static inline int open_arena(void **state)
{
    (void)state;
    arena = arena_open();
    return 0;
}

static inline int close_arena(void **state)
{
    (void)state;
    arena_close(&arena);
    return 0;
}

#endif
