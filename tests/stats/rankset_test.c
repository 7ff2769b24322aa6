#include "stats/rankset.h"

#include "base/rng.h"
#include "tests/test.h"

enum { AGENTS = 4, CASES = 40 };

/* Two agents as good as each other, one clearly worse, one hopeless. */
static void fill(double *scores, uint64_t seed)
{
    static const double level[AGENTS] = {0.3, 0.8, 0.8, 0.6};
    struct rng r = rng_seeded(seed);
    for (size_t i = 0; i < CASES; i++) {
        double hard = 0.1 * rng_normal(&r);
        for (size_t a = 0; a < AGENTS; a++)
            scores[a * CASES + i] = level[a] - hard + 0.03 * rng_normal(&r);
    }
}

TEST(ranks_intervals_and_ties)
{
    double scores[AGENTS * CASES];
    fill(scores, 3);
    struct arena a = arena_open();
    struct rankset_input in = {.scores = scores, .agents = AGENTS, .cases = CASES, .seed = 1};
    const struct rankset_row *rows = rankset_of(&in, &a);
    assert_int_equal(rows[0].rank, 4);
    assert_int_equal(rows[3].rank, 3);
    assert_int_equal(rows[0].rank_low, 4);
    assert_int_equal(rows[3].rank_high, 3);
    for (size_t k = 1; k <= 2; k++) {
        assert_true(rows[k].rank <= 2 && rows[k].rank_low == 1 && rows[k].rank_high == 2);
        assert_int_equal(rows[k].tie_group, 1);
    }
    assert_int_equal(rows[3].tie_group, 2);
    assert_int_equal(rows[0].tie_group, 3);
    arena_close(&a);
}

TEST(equal_agents_share_everything)
{
    double scores[3 * 10];
    for (size_t i = 0; i < COUNT(scores); i++) scores[i] = (double)(i % 10);
    struct arena a = arena_open();
    struct rankset_input in = {.scores = scores, .agents = 3, .cases = 10};
    const struct rankset_row *rows = rankset_of(&in, &a);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(rows[k].rank, 1);
        assert_int_equal(rows[k].rank_high, 1);
        assert_int_equal(rows[k].tie_group, 1);
    }
    arena_close(&a);
}

TEST(missing_scores_are_left_out)
{
    double scores[AGENTS * CASES];
    fill(scores, 2);
    for (size_t i = 0; i < CASES; i += 2) scores[CASES + i] = NAN;
    for (size_t i = 0; i < CASES; i++) scores[2 * CASES + i] = NAN; /* never ran */
    struct arena a = arena_open();
    struct rankset_input in = {.scores = scores, .agents = AGENTS, .cases = CASES};
    const struct rankset_row *rows = rankset_of(&in, &a);
    assert_int_equal(rows[1].rank, 1);
    assert_true(isnan(rows[2].mean));
    assert_int_equal(rows[2].rank, 4);
    in.agents = 1;
    assert_int_equal(rankset_of(&in, &a)[0].rank, 1);
    in.agents = 0;
    assert_non_null(rankset_of(&in, &a));
    arena_close(&a);
}

/* The first agent wins where w_1 > w_2, the second elsewhere; the third never. */
TEST(weights_decide_between_specialists)
{
    static const double scores[] = {1, 0, 0.5, 0, 1, 0.5, 0.1, 0.1, 0.1};
    double share[3];
    struct arena a = arena_open();
    rankset_weights(scores, 3, 3, 20000, 1, a, share);
    assert_close(share[0], 0.5, 0.02);
    assert_close(share[0] + share[1] + share[2], 1, 1e-9);
    assert_close(share[2], 0, 0);

    /* Dirichlet(1): P(w_1 > 1/2) = (1/2)^2 over three parts. */
    static const double half[] = {1, 0, 0, 0.5, 0.5, 0.5};
    rankset_weights(half, 2, 3, 20000, 2, a, share);
    assert_close(share[0], 0.25, 0.015);

    static const double partial[] = {NAN, 0.7, NAN, 0.7}; /* alike where they have scores */
    rankset_weights(partial, 2, 2, 100, 3, a, share);
    assert_close(share[0], 0.5, 1e-9);

    /* One that always wins has a share of one, not of a sum of 1/n. */
    static const double best[] = {1, 1, 0.5, 0.5};
    rankset_weights(best, 2, 2, 10000, 4, a, share);
    assert_true(share[0] == 1);
    arena_close(&a);
}

TEST_MAIN(T(ranks_intervals_and_ties), T(equal_agents_share_everything),
          T(missing_scores_are_left_out), T(weights_decide_between_specialists))
