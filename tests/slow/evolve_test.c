/* What takes many searches to show: that the same search compared with itself shows no effect
 * beyond alpha, that a planted one is found, and how often detectors stop too early. */
#include "evolve/dials.h"
#include "evolve/search.h"
#include "stats/verdict.h"
#include "tests/test.h"

enum { REPEATS = 200, SEARCHES = 10, RUNS = 1000 };

static struct search_result run(uint64_t seed, double difficulty, int64_t cap,
                                const struct search_options *like, struct arena *a)
{
    const struct challenge *c = dials_challenge("x", difficulty, rng_nth(seed, 1), a);
    struct search_options o = *like;
    o.difficulty = difficulty;
    o.cap = cap;
    if (!o.runs_on) o.runs_on = SEARCH_TO_CAP;
    o.seed = rng_nth(seed, 2);
    struct search_result r;
    struct error err = {0};
    assert_true(search_run(c, &o, a, &r, &err));
    return r;
}

/* Both arms without a part, on problems of their own: nothing differs but the draw. */
TEST(an_arm_against_itself_shows_an_effect_no_more_often_than_alpha)
{
    struct arena arena = arena_open();
    int found[2] = {0}; /* without and with a planted loss of 30 % */
    const struct search_options plain = {0};
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
        double quality[2][SEARCHES];
        for (size_t i = 0; i < SEARCHES; i++) {
            for (uint64_t arm = 0; arm < 2; arm++) {
                arena_reset(&arena);
                struct search_result r =
                    run(rng_derive(repeat, arm, i), 0.3, 10, &plain, &arena);
                quality[arm][i] = r.curve[9].held_out;
            }
        }
        for (int planted = 0; planted < 2; planted++) {
            for (size_t i = 0; planted && i < SEARCHES; i++) quality[1][i] *= 0.7;
            struct verdict_question q = {.a = quality[0],
                                         .a_count = SEARCHES,
                                         .b = quality[1],
                                         .b_count = SEARCHES,
                                         .kind = KIND_SHARE,
                                         .has_no_order = true,
                                         .higher_is_better = true};
            struct verdict_answer answer;
            struct error err = {0};
            assert_true(verdict_compare(&q, arena, &answer, &err));
            found[planted] +=
                planted ? answer.verdict == VERDICT_WORSE
                        : answer.verdict == VERDICT_WORSE || answer.verdict == VERDICT_BETTER;
        }
    }
    print_message("# of %d: %d without, %d with 30 %% planted\n", REPEATS, found[0], found[1]);
    assert_true(found[0] <= 10 + 9); /* 5 %, and three standard errors */
    assert_true(found[1] > REPEATS * 8 / 10);
    arena_close(&arena);
}

/* One search serves all rules: a rule decides where it would have stopped, not its course. */
struct tally {
    int judged, falsely;
    int64_t stops;
};

static void judge(struct tally *t, const struct convergence_detector *d, const double *history,
                  size_t count)
{
    enum convergence_reason reason = CONVERGENCE_NOT_YET;
    size_t stop = 0;
    while (stop < count && reason == CONVERGENCE_NOT_YET)
        reason = convergence_check(d, history, ++stop);
    if (reason == CONVERGENCE_NOT_YET || reason == CONVERGENCE_CAP) return;
    if (!convergence_is_known(count, stop)) return;
    t->judged++;
    t->falsely += convergence_is_false(history, stop, CONVERGENCE_WATCHED * stop);
    t->stops += (int64_t)stop;
}

TEST(false_stops_of_the_patient_detector_are_below_5_percent_of_1000)
{
    static const double difficulties[] = {0.3, 0.5, 0.8};
    enum { CAP = 1600 };
    struct arena arena = arena_open();
    struct tally tallies[CONVERGENCE_RULE_COUNT] = {0};
    int runs = getenv("ASSAY_SOAK") ? RUNS : 60;
    for (int i = 0; i < runs; i++) {
        arena_reset(&arena);
        const struct search_options all = {.parts = PART_ALL,
                                           .selector = SELECTOR_MATCHING,
                                           .detector = CONVERGENCE_PATIENT,
                                           .runs_on = SEARCH_TO_JUDGEMENT};
        double difficulty = difficulties[i % 3];
        struct search_result r = run(91000 + (uint64_t)i, difficulty, CAP, &all, &arena);
        double history[CAP];
        for (int64_t k = 0; k < r.iterations; k++) history[k] = r.curve[k].measured;
        for (int rule = 0; rule < CONVERGENCE_RULE_COUNT; rule++) {
            struct convergence_detector d = {(enum convergence_rule)rule, difficulty, CAP};
            judge(&tallies[rule], &d, history, (size_t)r.iterations);
        }
    }
    for (int rule = 0; rule < CONVERGENCE_RULE_COUNT; rule++) {
        const struct tally *t = &tallies[rule];
        print_message("# %s: %d of %d stops false, after %lld iterations on average; %d "
                      "searches without one that can be judged\n",
                      convergence_rule_names[rule], t->falsely, t->judged,
                      (long long)t->stops / t->judged, runs - t->judged);
    }
    const struct tally *patient = &tallies[CONVERGENCE_PATIENT];
    assert_true(patient->judged > runs * 3 / 4);
    assert_true(patient->falsely * 20 < patient->judged);
    const struct tally *design = &tallies[CONVERGENCE_DESIGN];
    assert_true(design->falsely > design->judged / 2); /* as designed it does not work */
    arena_close(&arena);
}

TEST_MAIN(T(an_arm_against_itself_shows_an_effect_no_more_often_than_alpha),
          T(false_stops_of_the_patient_detector_are_below_5_percent_of_1000))
