#include "evolve/trajectory_pool.h"

enum { GENERATIONS_KEPT = 10 };

const char *descent_operator_name(const struct descent *d)
{
    int by = d->operator;
    if (by < OPERATOR_COUNT) return operator_names[by];
    return by == OPERATOR_BASELINE ? "start" : "restart";
}

void trajectory_pool_init(struct trajectory_pool *pool, struct ledger *ledger,
                          struct hot_spots *hot_spots, size_t max)
{
    *pool = (struct trajectory_pool){.ledger = ledger, .hot_spots = hot_spots, .max = max};
}

static void free_trajectory(struct trajectory_pool *pool, struct trajectory *t)
{
    hot_spots_drop(pool->hot_spots, t->outline);
    ledger_free(pool->ledger, t->embedding);
    ledger_free(pool->ledger, t->scores);
    ledger_free(pool->ledger, t->code);
    ledger_free(pool->ledger, t);
}

void trajectory_pool_release(struct trajectory_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) free_trajectory(pool, pool->items[i]);
    ledger_free(pool->ledger, pool->items);
    ledger_free(pool->ledger, pool->descent);
    *pool = (struct trajectory_pool){0};
}

bool trajectory_is_successful(const struct trajectory *t)
{
    return t->fitness >= 0.7;
}

bool trajectory_is_failed(const struct trajectory *t)
{
    return t->fitness < 0.3;
}

/* The place of the best or worst; the earlier one of two equals. */
static size_t place_of(const struct trajectory_pool *pool, bool best)
{
    size_t at = 0;
    for (size_t i = 1; i < pool->count; i++) {
        double a = pool->items[i]->fitness;
        double b = pool->items[at]->fitness;
        if (best ? a > b : a < b) at = i;
    }
    return at;
}

const struct trajectory *trajectory_pool_best(const struct trajectory_pool *pool)
{
    return pool->items[place_of(pool, true)];
}

const struct trajectory *trajectory_pool_worst(const struct trajectory_pool *pool)
{
    return pool->items[place_of(pool, false)];
}

void trajectory_pool_keep_best(struct trajectory_pool *pool)
{
    size_t best = place_of(pool, true);
    for (size_t i = 0; i < pool->count; i++) {
        if (i != best) free_trajectory(pool, pool->items[i]);
    }
    pool->items[0] = pool->items[best];
    pool->count = 1;
}

static bool is_protected(const struct trajectory_pool *pool, const struct trajectory *t,
                         int64_t newest)
{
    return trajectory_is_successful(t) ||
           pool->descent[t->id].generation >= newest - GENERATIONS_KEPT;
}

static void prune(struct trajectory_pool *pool, int64_t newest)
{
    size_t out = SIZE_MAX;
    size_t best = place_of(pool, true);
    size_t worst = best == 0 ? 1 : 0;
    for (size_t i = 0; i < pool->count; i++) {
        const struct trajectory *t = pool->items[i];
        if (i == best) continue;
        if (t->fitness < pool->items[worst]->fitness) worst = i;
        if (is_protected(pool, t, newest)) continue;
        if (out == SIZE_MAX || t->fitness < pool->items[out]->fitness) out = i;
    }
    if (out == SIZE_MAX) out = worst;
    free_trajectory(pool, pool->items[out]);
    memmove(pool->items + out, pool->items + out + 1,
            (pool->count - out - 1) * sizeof *pool->items);
    pool->count--;
}

void trajectory_pool_add(struct trajectory_pool *pool, struct trajectory *t, struct descent d)
{
    pool->descent = ledger_room(pool->ledger, LEDGER_TRAJECTORIES, pool->descent,
                                (size_t)pool->added, sizeof *pool->descent);
    pool->items = ledger_room(pool->ledger, LEDGER_TRAJECTORIES, pool->items, pool->count,
                              sizeof *pool->items);
    t->id = pool->added++;
    d.fitness = t->fitness;
    pool->descent[t->id] = d;
    pool->items[pool->count++] = t;
    if (pool->count > pool->max) prune(pool, d.generation);
}
