#include "base/clock.h"
#include "base/rng.h"
#include "evolve/diversity_metric.h"
#include "tests/test.h"

static struct str random_text(struct rng *rng, size_t n, struct arena *out)
{
    char *p = arena_new(out, char, n + 1);
    for (size_t i = 0; i < n; i++)
        p[i] = " abc"[rng_below(rng, 4)]; /* a longer one may end in spaces */
    return (struct str){p, n};
}

static size_t plain_hamming(struct str a, struct str b)
{
    size_t sum = 0;
    for (size_t i = 0; i < a.n || i < b.n; i++) {
        sum += (i < a.n ? a.p[i] : ' ') != (i < b.n ? b.p[i] : ' ');
    }
    return sum;
}

static size_t plain_levenshtein(struct str a, struct str b, struct arena scratch)
{
    size_t *row = arena_new(&scratch, size_t, b.n + 1);
    for (size_t j = 0; j <= b.n; j++) row[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t left_above = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t above = row[j];
            size_t best = left_above + (a.p[i - 1] != b.p[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            left_above = above;
            row[j] = best;
        }
    }
    return row[b.n];
}

TEST(both_distances_equal_the_plain_ones)
{
    struct arena a = arena_open();
    struct rng rng = rng_seeded(5);
    for (int i = 0; i < 400; i++) {
        struct str x = random_text(&rng, (size_t)rng_below(&rng, 300), &a);
        struct str y = random_text(&rng, (size_t)rng_below(&rng, 300), &a);
        assert_int_equal(diversity_hamming(x, y), plain_hamming(x, y));
        assert_int_equal(diversity_levenshtein(x, y, a), plain_levenshtein(x, y, a));
    }
    struct str x =
        random_text(&rng, 9000, &a); /* more blocks of lanes than one counter holds */
    struct str y = random_text(&rng, 9100, &a);
    assert_int_equal(diversity_hamming(x, y), plain_hamming(x, y));
    assert_int_equal(diversity_levenshtein(S("kitten"), S("sitting"), a), 3);
    assert_int_equal(diversity_levenshtein(S(""), S("abc"), a), 3);
    arena_close(&a);
}

TEST(diversity_is_the_mean_over_pairs_by_the_longest)
{
    struct arena a = arena_open();
    struct str texts[] = {S("aaaa"), S("aaab"), S("bbbb")}; /* 1, 4, 3 of 4 */
    assert_close(diversity_of(texts, 3, DIVERSITY_HAMMING, a), 8.0 / 3 / 4, 1e-12);
    assert_close(diversity_of(texts, 1, DIVERSITY_HAMMING, a), 1, 0);
    struct str same[] = {S("abc"), S("abc")};
    assert_close(diversity_of(same, 2, DIVERSITY_LEVENSHTEIN, a), 0, 0);
    arena_close(&a);
}

TEST(restarts_wait_for_iteration_20_and_five_low_values)
{
    double low[] = {0.9, 0.2, 0.2, 0.2, 0.2, 0.2};
    assert_true(diversity_should_restart(low, 6, 20));
    assert_false(diversity_should_restart(low, 6, 19));
    assert_false(diversity_should_restart(low, 5, 20)); /* the mean has the 0.9 in it */
    assert_false(diversity_should_restart(low + 1, 4, 20));
}

TEST(the_farthest_candidate_is_chosen)
{
    struct str pool[] = {S("aaaa"), S("aaab")};
    struct str candidates[] = {S("aaaa"), S("bbbb"), S("aabb")};
    assert_int_equal(diversity_farthest(candidates, 3, pool, 2), 1);
}

/* The target is 10 ms, of the issue 1 ms; the best of 20, of processor time. */
TEST(ten_trajectories_of_50_kb_take_less_than_a_millisecond)
{
    NEEDS_WALL_CLOCK();
    struct arena a = arena_open();
    struct rng rng = rng_seeded(6);
    struct str texts[10];
    for (size_t i = 0; i < 10; i++) texts[i] = random_text(&rng, 50000, &a);
    int64_t best = INT64_MAX;
    for (int i = 0; i < 20; i++) {
        int64_t start = clock_ns();
        double d = diversity_of(texts, 10, DIVERSITY_HAMMING, a);
        int64_t took = clock_ns() - start;
        assert_close(d, 0.75, 0.01);
        if (took < best) best = took;
    }
    assert_true(best < 1000000);
    arena_close(&a);
}

TEST_MAIN(T(both_distances_equal_the_plain_ones),
          T(diversity_is_the_mean_over_pairs_by_the_longest),
          T(restarts_wait_for_iteration_20_and_five_low_values),
          T(the_farthest_candidate_is_chosen),
          T(ten_trajectories_of_50_kb_take_less_than_a_millisecond))
