/* Cases: compared by their mean, of which those that were cut off are part. And answers that
 * are brief. */
#include "stats/verdict.h"

#include "base/rng.h"
#include "stats/proportion.h"
#include "stats/quantile.h"
#include "stats/share.h"
#include "tests/arena.h"

static struct verdict_answer ask(struct verdict_question q)
{
    struct verdict_answer answer;
    struct error err = {0};
    if (!verdict_compare(&q, arena, &answer, &err)) fail_msg("%s", err.text);
    return answer;
}

/* 12 of 20 trials are cut off: the estimate has no middle, the interval an end all the same. */
TEST(more_than_half_cut_off_is_slower)
{
    struct rng r = rng_seeded(5);
    double a[20], b[20];
    for (int i = 0; i < 20; i++) {
        a[i] = 0.02 * exp(0.05 * rng_normal(&r));
        b[i] = 7 * i % 20 < 12 ? (double)INFINITY : 0.02 * exp(0.05 * rng_normal(&r));
    }
    struct verdict_answer v = ask((struct verdict_question){
        .a = a, .a_count = 20, .b = b, .b_count = 20, .kind = KIND_RATIO});
    assert_int_equal(v.verdict, VERDICT_WORSE);
    assert_true(v.effect.low > 1 && isinf(v.effect.high));
    assert_true(v.p < 0.05);
}

/* Of 20 cases some take 20 times as long: what a centre by ranks calls unchanged. */
static struct verdict_answer slow_cases(size_t slow, double limit, double margin)
{
    static double a[20], b[20];
    struct rng r = rng_seeded(5);
    for (size_t i = 0; i < 20; i++) {
        a[i] = 0.018 * exp(0.02 * rng_normal(&r));
        b[i] = 0.018 * exp(0.02 * rng_normal(&r)) * (i < slow ? 20 : 1);
    }
    return ask((struct verdict_question){.a = a,
                                         .a_count = 20,
                                         .b = b,
                                         .b_count = 20,
                                         .is_paired = true,
                                         .has_no_order = true,
                                         .limit = limit,
                                         .margin = margin});
}

TEST(a_part_of_the_cases_is_part_of_the_answer)
{
    for (size_t slow = 0; slow <= 20; slow++) {
        struct verdict_answer v = slow_cases(slow, 0.1, 0.03);
        /* The levels that are shown, their ratio and the interval are of one estimator. */
        assert_close(v.arm[1].centre / v.arm[0].centre, v.effect.ratio, 1e-12);
        assert_true(v.effect.low <= v.effect.ratio && v.effect.ratio <= v.effect.high);
        if (slow == 0) assert_int_equal(v.verdict, VERDICT_EQUIVALENT);
        if (slow > 0) assert_int_not_equal(v.verdict, VERDICT_EQUIVALENT);
        /* Six that agree are as many as signs need. */
        if (slow >= 7) assert_int_equal(v.verdict, VERDICT_WORSE);
        assert_true((v.p < 0.05) == (v.verdict == VERDICT_WORSE));
        if (slow > 0) assert_true(v.effect.ratio > pow(20, (double)slow / 20) * 0.95);
    }
}

/* A case that is timed out took longer than one that was answered: no verdict may become
 * milder by it, and nothing may become equivalent. Who is compared with whom does not matter. */
TEST(a_time_out_makes_no_verdict_milder)
{
    enum { N = 100, SLOW = 12 };
    double a[N], b[N];
    for (size_t cut = 0; cut <= SLOW; cut++) {
        for (size_t i = 0; i < N; i++) {
            a[i] = 0.01 + 0.0005 * (double)(i % 7);
            b[i] = a[i] * (i < SLOW ? 20 : 1.0005);
            if (i < cut) b[i] = (double)INFINITY;
        }
        struct verdict_question q = {.a = a,
                                     .a_count = N,
                                     .b = b,
                                     .b_count = N,
                                     .kind = KIND_RATIO,
                                     .is_paired = true,
                                     .has_no_order = true,
                                     .cut_at = {0.5, 0.5},
                                     .margin = 0.03,
                                     .limit = 0.1};
        struct verdict_answer answer = ask(q);
        assert_int_equal(answer.verdict, VERDICT_WORSE);
        assert_true(answer.effect.low > 1.1 && isfinite(answer.effect.high));
        q.a = b;
        q.b = a;
        struct verdict_answer mirrored = ask(q);
        assert_close(mirrored.effect.low, 1 / answer.effect.high, 1e-9);
        assert_close(mirrored.effect.high, 1 / answer.effect.low, 1e-9);
    }
}

TEST(one_arm_cut_off_is_never_equivalent)
{
    enum { N = 400 };
    double a[N], b[N];
    for (size_t i = 0; i < N; i++) a[i] = b[i] = 0.0100 + 0.0001 * (double)(i % 7);
    struct verdict_question q = {.a = a,
                                 .a_count = N,
                                 .b = b,
                                 .b_count = N,
                                 .kind = KIND_RATIO,
                                 .is_paired = true,
                                 .has_no_order = true,
                                 .cut_at = {0.011, 0.011},
                                 .margin = 0.03};
    a[0] = b[0] = (double)INFINITY; /* both: as equal as the rest */
    assert_int_equal(ask(q).verdict, VERDICT_EQUIVALENT);
    a[0] = 0.01;
    assert_int_equal(ask(q).verdict, VERDICT_UNDECIDED);
}

/* Of ratios, shares and sums, in pairs or not. */
TEST(a_brief_answer_decides_the_same)
{
    struct rng r = rng_seeded(3);
    double values[2][60];
    for (int round = 0; round < 60; round++) {
        static const enum kind kinds[] = {KIND_RATIO, KIND_SHARE, KIND_SUM};
        size_t n = 5 + (size_t)rng_below(&r, 55);
        for (size_t i = 0; i < n; i++) {
            values[0][i] = 0.1 + 0.5 * rng_real(&r);
            values[1][i] = values[0][i] + 0.3 * rng_real(&r) * (round % 4);
            values[1][i] = fmin(values[1][i], 1);
        }
        struct verdict_question q = {.a = values[0],
                                     .a_count = n,
                                     .b = values[1],
                                     .b_count = n,
                                     .kind = kinds[round % 3],
                                     .is_paired = round % 2,
                                     .has_no_order = round % 5 == 0};
        struct verdict_answer whole = ask(q);
        q.is_brief = true;
        struct verdict_answer brief = ask(q);
        assert_true(brief.verdict == whole.verdict && brief.p == whole.p);
        assert_true(brief.effect.shift == whole.effect.shift);
        assert_true(brief.effect.shift_low == whole.effect.shift_low);
        assert_true(brief.effect.shift_high == whole.effect.shift_high);
        assert_int_equal(verdict_need_of(&brief).n, verdict_need_of(&whole).n);
        assert_true(isnan(brief.ks.p) && isnan(brief.mann_whitney.p) && isnan(brief.welch.p));
        assert_true(isnan(brief.effect.cliffs_delta) && isnan(brief.signed_rank.p));
        assert_false(isnan(whole.ks.p) || isnan(whole.mann_whitney.p));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(more_than_half_cut_off_is_slower),   T(a_part_of_the_cases_is_part_of_the_answer),
        T(a_time_out_makes_no_verdict_milder), T(one_arm_cut_off_is_never_equivalent),
        T(a_brief_answer_decides_the_same),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
