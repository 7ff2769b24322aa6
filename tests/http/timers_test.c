#include "http/timers.h"

#include "base/rng.h"
#include "tests/test.h"

enum { MANY = 500 };

/* Added, moved and removed in a random order, they come out by time. */
TEST(the_first_is_the_earliest)
{
    struct arena a = arena_open();
    struct timers t;
    struct timer items[MANY] = {0};
    struct rng r = rng_seeded(1);
    timers_init(&t, MANY / 10, &a); /* it grows */
    for (size_t i = 0; i < MANY; i++) timers_add(&t, &items[i], (int64_t)rng_below(&r, 1000));
    for (size_t i = 0; i < MANY; i += 3) timers_remove(&t, &items[i]);
    timers_remove(&t, &items[0]); /* no longer there: nothing happens */
    for (size_t i = 0; i < MANY; i += 6) {
        timers_add(&t, &items[i], (int64_t)rng_below(&r, 1000));
    }
    int64_t last = -1;
    size_t seen = 0;
    for (struct timer *first; (first = timers_first(&t)) != NULL; seen++) {
        assert_true(first->due_ns >= last);
        last = first->due_ns;
        timers_remove(&t, first);
        assert_int_equal(first->place, 0);
    }
    assert_int_equal(seen, MANY - (MANY + 2) / 3 + (MANY + 5) / 6);
    arena_close(&a);
}

TEST_MAIN(T(the_first_is_the_earliest))
