#include "stats/rankset.h"

#include "tests/test.h"

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

TEST_MAIN(T(weights_decide_between_specialists))
