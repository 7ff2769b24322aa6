/* The search for the breaking point beside a generator that is disturbed: blocks that it
 * spoiled are measured again, and move nothing. */
#include "base/rng.h"
#include "judge/breaking.h"
#include "tests/test.h"

enum { DRAWS = 200, BLOCKS_MAX = 600 };

static const struct breaking_block good = {.seconds = 2,
                                           .scheduled = 1000,
                                           .rate = 500,
                                           .p50_s = 0.005,
                                           .p95_s = 0.01,
                                           .memory_mb = NAN};

struct phase {
    struct breaking_block blocks[BREAKING_BLOCKS_MAX];
};

/* Blocks that are alike, but for a little noise. */
static struct breaking_level phase(struct phase *p, double load, size_t count,
                                   struct breaking_block like)
{
    for (size_t i = 0; i < count; i++) {
        p->blocks[i] = like;
        p->blocks[i].p95_s *= 1 + 0.001 * (double)(i % 2);
    }
    return (struct breaking_level){.load = load, .blocks = p->blocks, .count = count};
}

/* A generator that manages some blocks is disturbed: short ones are measured again for longer. */
TEST(a_disturbed_level_is_measured_again)
{
    struct breaking_block brief = good, spoiled = good;
    brief.seconds = spoiled.seconds = 0.5;
    spoiled.is_spoiled = true;
    struct phase p[8];
    struct breaking_level levels[8] = {phase(&p[0], 100, 5, brief),
                                       phase(&p[1], 200, 4, brief)};
    struct breaking_terms terms = {
        .error_share = 0.01, .normal = 100, .max = 1000, .blocks_max = 5};
    struct breaking_answer a;
    for (size_t i = 2; i < 5; i++) levels[i] = phase(&p[i], 200, 19, spoiled);
    breaking_ask(levels, 5, &terms, &a);
    assert_int_equal(a.step, BREAKING_MEASURE);
    assert_close(a.next_load, 200, 0);
    levels[5] = phase(&p[5], 200, 1, brief);
    breaking_ask(levels, 6, &terms, &a); /* five of them: it holds */
    assert_int_equal(a.step, BREAKING_MEASURE);
    assert_close(a.next_load, 400, 0);
    levels[5] = phase(&p[5], 200, 3, spoiled); /* 30 s */
    breaking_ask(levels, 6, &terms, &a);
    assert_int_equal(a.step, BREAKING_SPOILED);
    levels[1] = levels[4]; /* none was sent: 38 of half a second are enough */
    breaking_ask(levels, 3, &terms, &a);
    assert_int_equal(a.step, BREAKING_SPOILED);
    levels[2].count = 10;
    breaking_ask(levels, 3, &terms, &a);
    assert_int_equal(a.step, BREAKING_MEASURE);
}

/* It ends in its fifth block, in which the generator was late: neither does it hold by the
 * four before, nor does it break. */
TEST(an_end_in_a_spoiled_block_says_nothing)
{
    struct breaking_block end = good;
    end.has_died = end.is_spoiled = true;
    struct phase p[4];
    struct breaking_level levels[] = {phase(&p[0], 100, 5, good), phase(&p[1], 200, 5, good),
                                      phase(&p[2], 200, 5, good), phase(&p[3], 200, 5, good)};
    struct breaking_terms terms = {.error_share = 0.01, .normal = 100, .max = 1000};
    struct breaking_answer a;
    p[1].blocks[4] = p[2].blocks[4] = end;
    breaking_ask(levels, 2, &terms, &a);
    assert_close(a.next_load, 200, 0);
    levels[2].count = 4; /* this one was cut off */
    breaking_ask(levels, 3, &terms, &a);
    assert_close(a.next_load, 200, 0);
    breaking_ask(levels, 4, &terms, &a); /* and this one holds */
    assert_close(a.next_load, 400, 0);
    p[3].blocks[4].has_died = true;
    breaking_ask(levels, 4, &terms, &a);
    assert_true(a.has_broken);
    assert_close(a.breaks, 200, 0);
}

/* The search of a server that ends after so many requests, in phases of short blocks: each
 * phase has a new one. A block is spoiled with probability `spoils`. */
static struct breaking_answer search_leak(double requests, double spoils, struct rng *r)
{
    static struct breaking_block blocks[BLOCKS_MAX];
    struct breaking_level levels[2 * BREAKING_LEVELS_MAX];
    size_t count = 0, used = 0;
    struct breaking_terms terms = {.error_share = 0.01,
                                   .normal = 50,
                                   .max = 3000,
                                   .p95_s = 0.1,
                                   .seconds_min = 0.2,
                                   .seconds_max = 0.5,
                                   .blocks_max = 5,
                                   .precision = 1.1};
    for (;;) {
        struct breaking_answer a;
        breaking_ask(levels, count, &terms, &a);
        if (a.step != BREAKING_MEASURE) return a;
        assert_true(count < COUNT(levels) && used + a.next_blocks <= BLOCKS_MAX);
        double left = requests;
        levels[count] = (struct breaking_level){
            .load = a.next_load, .blocks = &blocks[used], .count = a.next_blocks};
        for (size_t i = 0; i < a.next_blocks; i++) {
            double mean = a.next_load * a.next_seconds;
            double n = floor(mean + sqrt(mean) * rng_normal(r));
            bool has_died = n > left;
            blocks[used++] = (struct breaking_block){.seconds = a.next_seconds,
                                                     .scheduled = n,
                                                     .rate = n / a.next_seconds,
                                                     .p50_s = 0.01,
                                                     .p95_s = 0.01,
                                                     .memory_mb = 10 + 0.1 * (requests - left),
                                                     .has_died = has_died,
                                                     .is_spoiled = rng_real(r) < spoils};
            left = has_died ? requests : left - n;
        }
        count++;
    }
}

TEST(a_disturbed_generator_does_not_move_the_point)
{
    static const double spoils[] = {0, 0.3, 0.6};
    for (size_t i = 0; i < COUNT(spoils); i++) {
        int right = 0;
        for (uint64_t seed = 0; seed < DRAWS; seed++) {
            struct rng r = rng_seeded(rng_derive(80, i, seed));
            double requests = floor(500 + 600 * rng_real(&r));
            struct breaking_answer a = search_leak(requests, spoils[i], &r);
            right += a.has_broken && fabs(a.point / (requests / 2.5) - 1) <= 0.1 &&
                     a.mode == BREAKING_MEMORY;
        }
        printf("# %g %% spoiled: %d of %d right\n", 100 * spoils[i], right, DRAWS);
        assert_true(right >= DRAWS * 93 / 100);
    }
}

TEST_MAIN(T(a_disturbed_level_is_measured_again), T(an_end_in_a_spoiled_block_says_nothing),
          T(a_disturbed_generator_does_not_move_the_point))
