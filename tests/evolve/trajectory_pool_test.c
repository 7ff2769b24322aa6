#include "evolve/trajectory_pool.h"
#include "tests/test.h"

struct entry {
    double fitness;
    int64_t generation;
};

static void add(struct trajectory_pool *pool, struct ledger *l, struct entry e)
{
    struct trajectory *t = ledger_alloc(l, LEDGER_TRAJECTORIES, sizeof *t);
    t->fitness = e.fitness;
    trajectory_pool_add(pool, t,
                        (struct descent){{-1, -1}, e.generation, 0, OPERATOR_REFINEMENT});
}

static bool has(const struct trajectory_pool *pool, int64_t id)
{
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->items[i]->id == id) return true;
    }
    return false;
}

/* Who goes when a fourth one comes into a pool of three. */
TEST(who_succeeded_or_is_recent_stays_and_so_does_the_best)
{
    static const struct {
        const char *name;
        struct entry entries[4];
        int64_t dropped;
    } cases[] = {
        {"the worst of the unprotected, not the worst",
         {{0.8, 0}, {0.5, 0}, {0.1, 20}, {0.6, 20}},
         1},
        {"the worse one of two unprotected", {{0.6, 0}, {0.5, 1}, {0.9, 20}, {0.1, 20}}, 1},
        {"0.7 is a success", {{0.7, 0}, {0.699, 0}, {0.8, 20}, {0.1, 20}}, 1},
        {"ten generations ago is recent", {{0.2, 10}, {0.5, 9}, {0.8, 20}, {0.1, 20}}, 1},
        {"all are protected: the worst", {{0.8, 0}, {0.9, 0}, {0.3, 20}, {0.4, 20}}, 2},
        {"all have succeeded: the worst", {{0.8, 0}, {0.71, 0}, {0.75, 20}, {0.9, 20}}, 1},
        {"the best, although the only unprotected",
         {{0.6, 0}, {0.5, 20}, {0.1, 20}, {0.4, 20}},
         2},
        {"the best and first, although all are old",
         {{0.6, 0}, {0.3, 0}, {0.2, 0}, {0.5, 30}},
         2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ledger l = {0};
        struct hot_spots none = hot_spots_new(&l, false);
        struct trajectory_pool pool;
        trajectory_pool_init(&pool, &l, &none, 3);
        for (size_t k = 0; k < 4; k++) add(&pool, &l, cases[i].entries[k]);
        assert_int_equal(pool.count, 3);
        for (int64_t id = 0; id < 4; id++) {
            if (has(&pool, id) == (id == cases[i].dropped))
                fail_msg("%s: %d", cases[i].name, (int)id);
        }
        trajectory_pool_release(&pool);
        hot_spots_release(&none);
        assert_int_equal(l.live_bytes, 0);
    }
}

TEST(the_best_and_the_worst_are_found_and_failure_and_success_have_limits)
{
    struct ledger l = {0};
    struct hot_spots none = hot_spots_new(&l, false);
    struct trajectory_pool pool;
    trajectory_pool_init(&pool, &l, &none, 10);
    static const double fitness[] = {0.5, 0.3, 0.9, 0.29, 0.7, 0.9, 0.29};
    for (size_t i = 0; i < COUNT(fitness); i++) add(&pool, &l, (struct entry){fitness[i], 0});
    assert_int_equal(trajectory_pool_best(&pool)->id, 2); /* the earlier of two equals */
    assert_int_equal(trajectory_pool_worst(&pool)->id, 3);
    assert_false(trajectory_is_failed(pool.items[1]));
    assert_true(trajectory_is_failed(pool.items[3]));
    assert_true(trajectory_is_successful(pool.items[4]));
    assert_false(trajectory_is_successful(pool.items[0]));
    trajectory_pool_release(&pool);
    hot_spots_release(&none);
}

TEST(descent_is_kept_of_those_that_were_dropped)
{
    struct ledger l = {0};
    struct hot_spots none = hot_spots_new(&l, false);
    struct trajectory_pool pool;
    trajectory_pool_init(&pool, &l, &none, 5);
    for (int64_t i = 0; i < 300; i++) {
        struct trajectory *t = ledger_alloc(&l, LEDGER_TRAJECTORIES, sizeof *t);
        t->fitness = (double)(i * 7 % 100) / 100;
        trajectory_pool_add(&pool, t, (struct descent){{i - 1, i - 2}, i / 3, 0, (int)(i % 5)});
        assert_int_equal(pool.added, i + 1); /* t itself may be the one that was dropped */
    }
    assert_int_equal(pool.added, 300);
    assert_int_equal(pool.count, 5);
    static const char *const names[] = {"revision", "recombination", "refinement", "start",
                                        "restart"};
    for (int64_t i = 0; i < 300; i++) {
        const struct descent *d = &pool.descent[i];
        assert_int_equal(d->parents[0], i - 1);
        assert_int_equal(d->parents[1], i - 2);
        assert_int_equal(d->generation, i / 3);
        assert_close(d->fitness, (double)(i * 7 % 100) / 100, 0);
        assert_string_equal(descent_operator_name(d), names[i % 5]);
    }
    trajectory_pool_release(&pool);
    hot_spots_release(&none);
    assert_int_equal(l.live_bytes, 0);
}

TEST_MAIN(T(who_succeeded_or_is_recent_stays_and_so_does_the_best),
          T(the_best_and_the_worst_are_found_and_failure_and_success_have_limits),
          T(descent_is_kept_of_those_that_were_dropped))
