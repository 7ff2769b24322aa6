/* Every figure was worked out by hand. */
#include "rank/cost.h"

#include "base/rng.h"
#include "judge/versus.h"
#include "tests/store/fixture.h"

enum { TRIALS_MAX = 120 };

struct bench {
    struct fixture f;
    struct store *store;
    struct run_record run;
    struct suite_record suite;
    char benchmark[2][UUID_SIZE]; /* "sums", "more" */
    int64_t cells;
};

static void open_bench(struct bench *b)
{
    struct error err = {0};
    *b = (struct bench){.f = fixture_open(), .run = a_run()};
    b->store = open_store(b->f.url);
    b->suite = (struct suite_record){.name = "s", .category = "cost", .content_hash = "x"};
    OK(store_put_run(b->store, &b->run, &err));
    static const char *const names[] = {"sums", "more"};
    for (int i = 0; i < 2; i++)
        store_benchmark_id(b->store, "s", names[i], names[i], b->benchmark[i]);
    b->suite.benchmarks =
        arena_printf(&b->f.arena, "[\"%s\",\"%s\"]", b->benchmark[0], b->benchmark[1]);
    OK(store_put_suite(b->store, &b->suite, &err));
    for (int i = 0; i < 2; i++) {
        struct benchmark_record r = {.name = names[i],
                                     .content_hash = names[i],
                                     .scoring_rubric = "\"exact\"",
                                     .targets = "{\"duration_s\":1}",
                                     .settings = "{}"};
        memcpy(r.id, b->benchmark[i], sizeof r.id);
        memcpy(r.suite_id, b->suite.id, sizeof r.suite_id);
        OK(store_put_benchmark(b->store, &r, &err));
    }
}

static void close_bench(struct bench *b)
{
    store_close(b->store);
    fixture_close(&b->f);
}

/* What an agent did: trial i is about case i % cases and took 1 s. No accuracy
 * (NaN) is an answer that never came, whose cost is in the note. */
struct deeds {
    const char *agent;
    size_t cases;
    size_t trials;
    double cost[TRIALS_MAX];
    double accuracy[TRIALS_MAX];
    bool leaves_last_unjudged;
    size_t first_case; /* its cases are these and the next ones */
    bool is_simulated;
    int benchmark;
    enum run_status status; /* 0: RUN_SUCCESS */
};

static void measure(struct bench *b, const struct deeds *d)
{
    static const struct metric metrics[] = {
        {"duration_s", "s", DIRECTION_LOWER, "duration/1", .kind = KIND_RATIO},
        {"accuracy", "1", DIRECTION_HIGHER, "rubric_score/1", .kind = KIND_SHARE},
        {"cost_usd", "USD", DIRECTION_LOWER, "cost/1", .kind = KIND_SUM},
    };
    struct error err = {0};
    uint8_t statuses[TRIALS_MAX];
    double starts[TRIALS_MAX], durations[TRIALS_MAX], accuracy[TRIALS_MAX];
    struct trial_note notes[TRIALS_MAX] = {{0}};
    for (size_t i = 0; i < d->trials; i++) {
        bool is_unjudged = d->leaves_last_unjudged && i % d->cases == d->cases - 1;
        bool is_ok = is_unjudged || !isnan(d->accuracy[i]);
        statuses[i] = is_ok ? TRIAL_OK : TRIAL_FAILED;
        starts[i] = (double)i;
        durations[i] = is_ok ? 1 : (double)NAN;
        accuracy[i] = is_unjudged ? (double)NAN : d->accuracy[i];
        notes[i] = (struct trial_note){
            .trial = (int64_t)i,
            .phase = PHASE_MEASURED,
            .status = statuses[i],
            .case_hash = arena_printf(&b->f.arena, "h%03zu", d->first_case + i % d->cases),
            .detail = arena_printf(
                &b->f.arena, "{\"judged\":%s%s}", is_unjudged ? "false" : "true",
                is_ok || isnan(d->cost[i])
                    ? ""
                    : arena_printf(&b->f.arena, ",\"usage\":{\"cost_usd\":%g}", d->cost[i])),
        };
    }
    struct agent_record agent = {.name = d->agent, .kind = "noop"};
    struct execution_record e = an_execution(b->store, &b->run, b->cells++);
    OK(store_put_agent(b->store, &agent, &err));
    e.experiment = "suite";
    e.agent_version = "1";
    if (d->is_simulated) e.provenance = "simulated";
    e.status = d->status ? d->status : RUN_SUCCESS;
    memcpy(e.suite_id, b->suite.id, sizeof e.suite_id);
    memcpy(e.benchmark_id, b->benchmark[d->benchmark], sizeof e.benchmark_id);
    memcpy(e.agent_id, agent.id, sizeof e.agent_id);
    OK(store_put_execution(b->store, &e, &err));
    const struct metric *which[] = {&metrics[0], &metrics[1], &metrics[2]};
    const double *columns[] = {durations, accuracy, d->cost};
    struct trial_batch batch = {.execution_id = e.id,
                                .phase = PHASE_MEASURED,
                                .count = d->trials,
                                .statuses = statuses,
                                .starts_s = starts,
                                .column_count = COUNT(which),
                                .metrics = which,
                                .columns = columns,
                                .notes = notes,
                                .note_count = d->trials};
    OK(store_append(b->store, &batch, 1, &err));
    e.counts.attempted = (int64_t)d->trials;
    for (size_t i = 0; i < d->trials; i++) e.counts.by_status[statuses[i]]++;
    OK(store_finish(b->store, &e, &err));
}

static struct cost_analysis load(struct bench *b)
{
    struct error err = {0};
    struct cost_analysis a;
    OK(cost_load(b->store, "latest", &b->f.arena, &a, &err));
    return a;
}

#define FOUR(x) (x), (x), (x), (x)

TEST(right_and_dear_right_and_cheap_wrong_and_cheapest)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){"dear", 4, 8, {FOUR(0.04), FOUR(0.04)}, {FOUR(1), FOUR(1)}});
    measure(&b, &(struct deeds){"cheap", 4, 8, {FOUR(0.01), FOUR(0.01)}, {FOUR(1), FOUR(1)}});
    measure(&b, &(struct deeds){"wrong", 4, 8, {FOUR(0.001), FOUR(0.001)}, {FOUR(0), FOUR(0)}});
    struct cost_analysis a = load(&b);
    assert_int_equal(a.count, 3);
    const struct cost_configuration *dear = &a.configurations[0];
    const struct cost_configuration *cheap = &a.configurations[1];
    const struct cost_configuration *wrong = &a.configurations[2];
    assert_string_equal(dear->name, "dear@1");

    assert_int_equal(dear->tasks[0].attempts, 8);
    assert_int_equal(dear->tasks[0].successes, 8);
    assert_close(dear->total_usd, 0.32, 1e-12);
    assert_close(dear->per_success_usd, 0.04, 1e-12);
    assert_close(dear->tasks[0].low, 0.04, 1e-12); /* every case costs the same */
    assert_close(dear->tasks[0].high, 0.04, 1e-12);
    assert_int_equal(dear->tasks[0].lack, COST_NO_WIDTH);
    /* accuracy 1, speed 1 / (1 + 1 s / 1 s) */
    assert_close(dear->tasks[0].per_dollar, 0.5 / 0.32, 1e-12);

    /* all benchmarks together: here the only one; 4 of 4 right is above 0.025^(1/4) */
    assert_close(dear->whole.low, 0.04, 1e-12);
    assert_int_equal(dear->whole.successes, 8);
    assert_int_equal(dear->whole.cases, 4);
    assert_close(dear->accuracy_low, 0.39763536, 1e-6);
    assert_close(dear->accuracy_high, 1, 0);
    assert_true(wrong->whole.is_bound);

    /* 0 of 4 cases: the chance of a success is below 1 - 0.05^(1/4) = 0.5271 */
    assert_true(wrong->tasks[0].is_bound);
    assert_close(wrong->tasks[0].low, 0.001 / 0.52712919, 1e-8);
    assert_true(isnan(wrong->tasks[0].per_success_usd));
    assert_true(isnan(wrong->tasks[0].high));
    assert_int_equal(wrong->tasks[0].lack, COST_NO_SUCCESS);

    assert_close(cheap->efficiency, 1, 1e-12);
    assert_close(dear->efficiency, 0.5, 1e-12); /* sqrt(1 x 0.01 / 0.04) */
    assert_true(isnan(wrong->efficiency));
    assert_true(cheap->is_optimal && !dear->is_optimal && !wrong->is_optimal);
    assert_close(cheap->savings_share, 0.75, 1e-12);
    assert_close(dear->savings_share, 0, 1e-12);

    assert_true(cheap->is_pareto && !dear->is_pareto && wrong->is_pareto);
    assert_close(cheap->pareto_share, 1, 0); /* a count over a count */
    assert_close(dear->pareto_share, 0, 0);

    /* It costs less beyond all doubt; 4 of 4 right may still be 40 %. */
    assert_int_equal(a.opportunity_count, 0);
    assert_int_equal(a.open_count, 1);
    assert_string_equal(a.open[0].from, "dear@1");
    assert_string_equal(a.open[0].to, "cheap@1");
    assert_close(a.open[0].saving_usd, 0.03, 1e-12);
    assert_close(a.open[0].saving_share, 0.75, 1e-12);
    assert_close(a.open[0].usd[0], 0.04, 1e-12);
    assert_close(a.open[0].usd[1], 0.01, 1e-12);
    assert_int_equal(a.open[0].answer[0].verdict, VERDICT_UNDECIDED);
    assert_int_equal(a.open[0].answer[1].verdict, VERDICT_BETTER);
    assert_null(dear->dominated_by);
    close_bench(&b);
}

/* The total is what was paid, whatever the median says. */
TEST(a_dear_failure_is_part_of_the_price)
{
    struct bench b;
    open_bench(&b);
    /* One case, three passes: two successes at 0.01, a failure at 0.10. */
    measure(&b, &(struct deeds){"a", 1, 3, {0.01, 0.01, 0.10}, {1, 1, NAN}});
    struct cost_analysis a = load(&b);
    const struct cost_configuration *c = &a.configurations[0];
    assert_close(c->total_usd, 0.12, 1e-12);
    assert_close(c->per_success_usd, 0.06, 1e-12);
    close_bench(&b);
}

TEST(an_attempt_that_does_not_tell_costs_what_the_others_do)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){"a", 1, 3, {0.02, NAN, 0.04}, {1, NAN, 1}});
    measure(&b, &(struct deeds){"silent", 1, 2, {NAN, NAN}, {1, 1}});
    struct cost_analysis a = load(&b);
    assert_close(a.configurations[0].total_usd, 0.09, 1e-12); /* 0.02 + 0.03 + 0.04 */
    assert_true(isnan(a.configurations[1].total_usd));
    assert_true(isnan(a.configurations[1].efficiency));
    assert_false(a.configurations[1].is_pareto);
    assert_int_equal(a.configurations[1].tasks[0].lack, COST_NO_PRICE);
    assert_int_equal(a.opportunity_count, 0);
    close_bench(&b);
}

/* sqrt(0.64 / 1.00) is 0.8: not above it. */
TEST(optimal_is_above_the_threshold)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){"base", 2, 2, {0.64, 0.64}, {1, 1}});
    measure(&b, &(struct deeds){"at", 2, 2, {1, 1}, {1, 1}});
    measure(&b, &(struct deeds){"above", 2, 2, {0.999, 0.999}, {1, 1}});
    struct cost_analysis a = load(&b);
    assert_close(a.configurations[1].efficiency, 0.8, 1e-12);
    assert_false(a.configurations[1].is_optimal);
    assert_true(a.configurations[2].is_optimal);
    close_bench(&b);
}

/* By points: equal cost saves nothing, and equal accuracy is enough. Of two cases nothing is
 * decided. */
TEST(a_cheaper_choice_at_its_boundaries)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){"one", 2, 2, {0.02, 0.02}, {1, 0.5}});
    measure(&b, &(struct deeds){"same", 2, 2, {0.02, 0.02}, {0.5, 1}});
    assert_int_equal(load(&b).open_count, 0);
    measure(&b, &(struct deeds){"less", 2, 2, {0.01, 0.01}, {1, 0.4}}); /* 0.7, not 0.75 */
    assert_int_equal(load(&b).open_count, 0);
    measure(&b, &(struct deeds){"no worse", 2, 2, {0.015, 0.015}, {1, 0.5}});
    struct cost_analysis a = load(&b);
    assert_int_equal(a.opportunity_count, 0);
    assert_int_equal(a.open_count, 2);
    assert_string_equal(a.open[0].to, "no worse@1");
    assert_string_equal(a.open[1].to, "no worse@1");
    close_bench(&b);
}

static struct deeds alike(const char *agent, size_t cases, double cost, double accuracy)
{
    struct deeds d = {agent, cases, cases, {0}, {0}};
    for (size_t i = 0; i < cases; i++) {
        d.cost[i] = cost;
        d.accuracy[i] = accuracy;
    }
    return d;
}

/* 99 cases are as many as put 3 points beyond chance. */
TEST(what_verdicts_decide_is_recommended)
{
    struct bench b;
    open_bench(&b);
    struct deeds dear = alike("dear", 110, 0.04, 1);
    struct deeds cheap = alike("cheap", 110, 0.01, 1);
    struct deeds wrong = alike("wrong", 110, 0.001, 1);
    for (size_t i = 0; i < 20; i++) wrong.accuracy[i] = 0;
    measure(&b, &dear);
    measure(&b, &cheap);
    measure(&b, &wrong);
    struct cost_analysis a = load(&b);
    assert_int_equal(a.open_count, 0);
    assert_int_equal(a.opportunity_count, 1);
    assert_string_equal(a.opportunities[0].from, "dear@1");
    assert_string_equal(a.opportunities[0].to, "cheap@1");
    assert_int_equal(a.opportunities[0].answer[0].verdict, VERDICT_EQUIVALENT);
    assert_int_equal(a.opportunities[0].answer[1].verdict, VERDICT_BETTER);
    assert_string_equal(a.configurations[0].dominated_by, "cheap@1");
    assert_null(a.configurations[1].dominated_by);
    assert_null(a.configurations[2].dominated_by);
    close_bench(&b);
}

/* As accurate beyond doubt, but a mean of 0.03995 may be chance. */
TEST(a_price_that_may_be_chance_saves_nothing)
{
    struct bench b;
    open_bench(&b);
    struct deeds dear = alike("dear", 110, 0.04, 1);
    struct deeds near = alike("near", 110, 0, 1);
    for (size_t i = 0; i < 110; i++) near.cost[i] = i % 2 ? 0.02 : 0.0599;
    measure(&b, &dear);
    measure(&b, &near);
    struct cost_analysis a = load(&b);
    assert_int_equal(a.opportunity_count, 0);
    assert_int_equal(a.open_count, 1);
    assert_int_equal(a.open[0].answer[0].verdict, VERDICT_EQUIVALENT);
    assert_int_equal(a.open[0].answer[1].verdict, VERDICT_UNDECIDED);
    close_bench(&b);
}

static struct verdict_answer versus_of(struct bench *b, const char *one, const char *two,
                                       enum score_id score)
{
    struct versus *v = NULL;
    struct error err = {0};
    const struct versus_question q = {.agent = {one, two}, .suite = "s"};
    OK(versus_ask(b->store, &q, &b->f.arena, &v, &err));
    return v->metrics[score].answer;
}

static void expect_same(const struct verdict_answer *a, struct verdict_answer b)
{
    assert_int_equal(a->verdict, b.verdict);
    assert_int_equal(a->arm[0].n, b.arm[0].n);
    assert_close(a->p, b.p, 0);
    assert_memory_equal(&a->effect, &b.effect, offsetof(struct verdict_effect, cliffs_delta));
}

/* By cases `small` is right more often, by benchmarks it is worse: one question, one answer. */
TEST(benchmarks_weigh_as_they_do_in_versus)
{
    struct bench b;
    open_bench(&b);
    struct deeds small = alike("small", 40, 0.001, 1);
    struct deeds large = alike("large", 40, 0.002, 1);
    for (size_t i = 0; i < 40; i += 4) large.accuracy[i] = 0;
    measure(&b, &small);
    measure(&b, &large);
    small = alike("small", 8, 0.001, 0);
    large = alike("large", 8, 0.002, 1);
    small.benchmark = large.benchmark = 1;
    measure(&b, &small);
    measure(&b, &large);
    struct cost_analysis a = load(&b);
    assert_close(a.configurations[0].accuracy, 0.5, 1e-12);
    assert_close(a.configurations[1].accuracy, 0.875, 1e-12);
    assert_int_equal(a.opportunity_count + a.open_count, 0);
    assert_null(a.configurations[1].dominated_by);
    assert_true(a.configurations[0].is_pareto && a.configurations[1].is_pareto);
    assert_string_equal(a.value.best.name, "small@1");
    assert_string_equal(a.value.most.name, "large@1");
    assert_int_equal(a.value.accuracy.verdict, VERDICT_BETTER);
    expect_same(&a.value.accuracy, versus_of(&b, "small", "large", SCORE_ACCURACY));
    close_bench(&b);
}

/* Whatever the data: what is recommended is what versus says of the two. */
TEST(cost_and_versus_give_one_answer)
{
    size_t found = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct bench b;
        struct rng rng = rng_seeded(seed);
        open_bench(&b);
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < 2; i++) {
                struct deeds d = alike(k ? "two" : "one", i ? 20 : 60, 0, 0);
                d.benchmark = i;
                for (size_t c = 0; c < d.cases; c++) {
                    d.cost[c] = 0.01 * exp(0.3 * rng_normal(&rng)) * (k ? 1 : 2);
                    d.accuracy[c] = rng_below(&rng, 10) < 7 + seed % 3;
                }
                measure(&b, &d);
            }
        }
        struct cost_analysis a = load(&b);
        for (size_t i = 0; i < a.opportunity_count + a.open_count; i++) {
            bool is_open = i >= a.opportunity_count;
            const struct cost_opportunity *o =
                is_open ? &a.open[i - a.opportunity_count] : &a.opportunities[i];
            const enum score_id scores[] = {SCORE_ACCURACY, SCORE_COST};
            for (int s = 0; s < 2; s++)
                expect_same(&o->answer[s], versus_of(&b, o->from, o->to, scores[s]));
            found++;
        }
        close_bench(&b);
    }
    assert_true(found > 3);
}

TEST(a_free_agent_is_cheapest)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){"free", 2, 2, {0, 0}, {1, 1}});
    measure(&b, &(struct deeds){"paid", 2, 2, {0.5, 0.5}, {1, 1}});
    struct cost_analysis a = load(&b);
    assert_close(a.configurations[0].efficiency, 1, 0);
    assert_close(a.configurations[0].tasks[0].low, 0, 0);
    assert_close(a.configurations[0].tasks[0].high, 0, 0);
    assert_true(isnan(a.configurations[0].tasks[0].per_dollar));
    assert_close(a.configurations[0].savings_share, 1, 0);
    /* Against a free one each price is infinitely more: paid ones have their own scale. */
    assert_close(a.configurations[1].efficiency, 1, 0);
    assert_true(a.configurations[0].is_optimal);
    measure(&b, &(struct deeds){"twice", 2, 2, {1, 1}, {1, 1}});
    a = load(&b);
    assert_close(a.configurations[2].efficiency, sqrt(0.5), 1e-12);
    assert_int_equal(a.open_count, 2); /* one each: the cheapest */
    assert_string_equal(a.open[0].from, "twice@1");
    assert_string_equal(a.open[0].to, "free@1");
    close_bench(&b);
}

/* Of two cases one passes: a quarter of the resamplings is the other one twice. */
TEST(a_resampling_without_a_success_is_infinitely_dear)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){"a", 2, 2, {0.02, 0.02}, {1, 0}});
    struct cost_analysis a = load(&b);
    const struct cost_task *t = &a.configurations[0].tasks[0];
    assert_close(t->per_success_usd, 0.04, 1e-12);
    assert_close(t->low, 0.02, 1e-12); /* both drawn are the success */
    assert_true(isnan(t->high));
    assert_close(t->no_success_share, 0.25, 0.02);
    assert_int_equal(t->lack, COST_FEW_SUCCESSES);
    close_bench(&b);
}

TEST(what_is_simulated_is_marked_and_not_recommended)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){"real", 2, 2, {0.02, 0.02}, {1, 1}});
    measure(&b, &(struct deeds){"stub", 2, 2, {0.001, 0.001}, {1, 1}, .is_simulated = true});
    measure(&b, &(struct deeds){"stub2", 2, 2, {0.01, 0.01}, {1, 1}, .is_simulated = true});
    struct cost_analysis a = load(&b);
    assert_false(a.configurations[0].is_simulated);
    assert_true(a.configurations[1].is_simulated);
    assert_int_equal(a.opportunity_count, 0);
    assert_int_equal(a.configurations[0].peers, 0);
    assert_int_equal(a.configurations[1].peers, 1);
    for (size_t i = 0; i < 3; i++) assert_false(a.configurations[i].is_optimal);
    close_bench(&b);
}

/* A case that nobody could judge takes nobody off the front. */
TEST(the_front_rests_on_the_cases_that_were_judged)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){"a", 2, 4, {0.02, 0.02, 0.02, 0.02}, {1, 0, 1, 0}, true});
    measure(&b, &(struct deeds){"b", 2, 4, {0.01, 0.01, 0.01, 0.01}, {1, 0, 1, 0}, true});
    struct cost_analysis a = load(&b);
    assert_close(a.configurations[0].accuracy, 1, 0);
    assert_false(a.configurations[0].is_pareto);
    assert_true(a.configurations[1].is_pareto);
    close_bench(&b);
}

/* Who was not asked the same is in no common picture. */
TEST(other_cases_have_no_common_front)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){"a", 2, 2, {0.02, 0.02}, {1, 1}});
    measure(&b, &(struct deeds){"b", 1, 1, {0.01}, {1}});
    measure(&b, &(struct deeds){"c", 2, 2, {0.01, 0.01}, {1, 1}, .first_case = 2});
    struct cost_analysis a = load(&b);
    for (size_t i = 0; i < 3; i++) {
        assert_false(a.configurations[i].is_pareto || a.configurations[i].is_optimal);
        assert_true(isnan(a.configurations[i].efficiency));
        assert_true(isnan(a.configurations[i].savings_share));
    }
    assert_int_equal(a.opportunity_count, 0);
    close_bench(&b);
}

/* What was interrupted at the cheap cases is not cheap. */
TEST(what_did_not_finish_is_not_priced)
{
    struct bench b;
    struct cost_analysis a;
    struct error err = {0};
    open_bench(&b);
    struct deeds cut = {"cut", 4, 4, {FOUR(0.001)}, {FOUR(1)}, .status = RUN_PARTIAL};
    measure(&b, &cut);
    REFUSED(cost_load(b.store, "latest", &b.f.arena, &a, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "--resume"));
    measure(&b, &(struct deeds){"whole", 4, 8, {FOUR(0.01), FOUR(0.01)}, {FOUR(1), FOUR(1)}});
    a = load(&b);
    assert_int_equal(a.count, 1);
    assert_string_equal(a.configurations[0].agent, "whole");
    assert_int_equal(a.unfinished, 1);
    close_bench(&b);
}

TEST(a_run_without_suites_is_refused)
{
    struct bench b;
    struct error err = {0};
    struct cost_analysis a;
    open_bench(&b);
    struct execution_record e = an_execution(b.store, &b.run, 0);
    OK(store_put_execution(b.store, &e, &err));
    REFUSED(cost_load(b.store, "latest", &b.f.arena, &a, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "nothing to price"));
    close_bench(&b);
}

TEST_MAIN(T(right_and_dear_right_and_cheap_wrong_and_cheapest),
          T(a_dear_failure_is_part_of_the_price),
          T(an_attempt_that_does_not_tell_costs_what_the_others_do),
          T(optimal_is_above_the_threshold), T(a_cheaper_choice_at_its_boundaries),
          T(what_verdicts_decide_is_recommended), T(a_price_that_may_be_chance_saves_nothing),
          T(benchmarks_weigh_as_they_do_in_versus), T(cost_and_versus_give_one_answer),
          T(a_free_agent_is_cheapest), T(a_resampling_without_a_success_is_infinitely_dear),
          T(what_is_simulated_is_marked_and_not_recommended),
          T(the_front_rests_on_the_cases_that_were_judged), T(other_cases_have_no_common_front),
          T(what_did_not_finish_is_not_priced), T(a_run_without_suites_is_refused))
