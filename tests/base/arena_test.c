#include "base/arena.h"

#include "tests/test.h"

TEST(memory_is_zeroed_aligned_and_apart)
{
    struct arena a = arena_open();
    char *before = NULL;
    for (size_t i = 1; i < 2000; i++) {
        char *p = arena_alloc(&a, i % 7 + 1, i % 13 + 1, 16);
        assert_int_equal((uintptr_t)p % 16, 0);
        size_t n = (i % 7 + 1) * (i % 13 + 1);
        for (size_t k = 0; k < n; k++) assert_int_equal(p[k], 0);
        memset(p, 0x5A, n);
        assert_ptr_not_equal(p, before);
        before = p;
    }
    arena_close(&a);
}

TEST(an_object_larger_than_any_block_fits)
{
    struct arena a = arena_open();
    char *large = arena_alloc(&a, 1, (size_t)100 << 20, 16);
    large[0] = large[((size_t)100 << 20) - 1] = 1;
    int *small = arena_new(&a, int, 1);
    *small = 3;
    arena_close(&a);
}

/* What a callee takes from a copy is free again when it returns. */
static char *take(struct arena scratch)
{
    return arena_alloc(&scratch, 1, 100, 1);
}

TEST(a_copy_is_scratch)
{
    struct arena a = arena_open();
    char *first = take(a);
    assert_ptr_equal(take(a), first);
    arena_close(&a);
}

TEST(reset_keeps_the_blocks)
{
    struct arena a = arena_open();
    char *first = arena_alloc(&a, 1, 10, 1);
    for (int i = 0; i < 100; i++) memset(arena_alloc(&a, 1, 100000, 8), 1, 100000);
    arena_reset(&a);
    char *again = arena_alloc(&a, 1, 10, 1);
    assert_ptr_equal(again, first);
    assert_int_equal(again[0], 0);
    char *zeroed = arena_alloc(&a, 1, 500000, 8);
    for (size_t i = 0; i < 500000; i++) assert_int_equal(zeroed[i], 0);
    arena_close(&a);
}

TEST(texts_are_terminated)
{
    struct arena a = arena_open();
    assert_string_equal(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
    assert_string_equal(arena_copy(&a, "abcdef", 3), "abc");
    assert_int_equal(strlen(arena_printf(&a, "%0200000d", 1)), 200000);
    arena_close(&a);
}

TEST_MAIN(T(memory_is_zeroed_aligned_and_apart), T(an_object_larger_than_any_block_fits),
          T(a_copy_is_scratch), T(reset_keeps_the_blocks), T(texts_are_terminated))
