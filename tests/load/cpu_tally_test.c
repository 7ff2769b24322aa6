/* Processor time of processes that come and go: each second counts once. */
#include "load/cpu_tally.h"
#include "tests/test.h"

static double used_s(struct cpu_tally *t, const struct cpu_process *now, size_t count)
{
    struct cpu_process copy[8];
    memcpy(copy, now, count * sizeof *now);
    cpu_tally_look(t, copy, count);
    return t->used_s;
}

#define LOOK(t, ...)                                       \
    used_s((t), (const struct cpu_process[]){__VA_ARGS__}, \
           sizeof((const struct cpu_process[]){__VA_ARGS__}) / sizeof(struct cpu_process))

static void begin(struct cpu_tally *t)
{
    /* Two workers of a pool, the second listed first. */
    struct cpu_process both[] = {{20, 1, 200, 7, 0}, {10, 1, 100, 5, 0}};
    cpu_tally_begin(t, both, COUNT(both));
    assert_close(t->used_s, 0, 0);
}

TEST(who_goes_on_is_not_counted_again_when_another_ends)
{
    struct cpu_tally t;
    begin(&t);
    assert_close(LOOK(&t, {10, 1, 100, 6, 0}, {20, 1, 200, 9, 0}), 3, 1e-12);
    assert_close(LOOK(&t, {20, 1, 200, 9.5, 0}), 3.5, 1e-12); /* was 3.5 + 9 */
    assert_close(LOOK(&t, {20, 1, 200, 9.5, 0}, {30, 1, 300, 0.25, 0}), 3.75, 1e-12);
}

TEST(another_process_of_the_same_number_begins_at_nothing)
{
    struct cpu_tally t;
    begin(&t);
    assert_close(LOOK(&t, {10, 1, 150, 2, 0}, {20, 1, 200, 7, 0}), 2, 1e-12);
    begin(&t);
    assert_close(LOOK(&t, {10, 1, 150, 8, 0}, {20, 1, 200, 7, 0}), 8, 1e-12);
}

/* A parent that has waited for a child has its time too: what was seen of it counts once. */
TEST(children_that_were_waited_for_count_once)
{
    struct cpu_tally t;
    begin(&t);
    assert_close(LOOK(&t, {10, 1, 100, 5, 0}, {11, 10, 110, 3, 0}), 3, 1e-12);
    assert_close(LOOK(&t, {10, 1, 100, 5, 4}), 4, 1e-12);     /* 1 after the last look */
    assert_close(LOOK(&t, {10, 1, 100, 5, 4.5}), 4.5, 1e-12); /* one that nobody saw */
    assert_close(LOOK(&t, {10, 1, 100, 5, 4.5}, {12, 10, 120, 2, 0}), 6.5, 1e-12);
    assert_close(LOOK(&t, {10, 1, 100, 5, 4.5}), 6.5, 1e-12); /* nobody waits for it */
}

TEST_MAIN(T(who_goes_on_is_not_counted_again_when_another_ends),
          T(another_process_of_the_same_number_begins_at_nothing),
          T(children_that_were_waited_for_count_once))
