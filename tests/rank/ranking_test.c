/* Rankings with known answers: scores are put into a store as rows. */
#include "base/rng.h"
#include "rank/ranking.h"
#include "score/scores.h"
#include "tests/store/fixture.h"

enum { BENCHMARKS = 12 };

struct board {
    struct fixture f;
    struct store *store;
    struct run_record run;
    char suite[UUID_SIZE];
    char benchmarks[BENCHMARKS][UUID_SIZE];
};

static struct board board_open(void)
{
    struct board b = {.f = fixture_open()};
    struct error err = {0};
    b.store = open_store(b.f.url);
    b.run = a_run();
    OK(store_put_run(b.store, &b.run, &err));
    struct suite_record suite = {.name = "s", .category = "accuracy", .content_hash = "h"};
    OK(store_put_suite(b.store, &suite, &err));
    memcpy(b.suite, suite.id, UUID_SIZE);
    for (int i = 0; i < BENCHMARKS; i++) {
        char name[20];
        snprintf(name, sizeof name, "b%d", i);
        struct benchmark_record r = {.name = name,
                                     .content_hash = name,
                                     .dataset = i % 2 ? "{\"complexity\":\"high\"}" : "{}"};
        memcpy(r.suite_id, suite.id, UUID_SIZE);
        store_benchmark_id(b.store, "s", name, name, r.id);
        OK(store_put_benchmark(b.store, &r, &err));
        memcpy(b.benchmarks[i], r.id, UUID_SIZE);
    }
    return b;
}

static void board_close(struct board *b)
{
    store_close(b->store);
    fixture_close(&b->f);
}

static struct execution_record put(struct board *b, const char *agent, int benchmark,
                                   const double *scores, const char *provenance)
{
    struct error err = {0};
    struct agent_record a = {.name = agent, .kind = "noop"};
    OK(store_put_agent(b->store, &a, &err));
    struct execution_record e = an_execution(b->store, &b->run, 0);
    memcpy(e.agent_id, a.id, UUID_SIZE);
    memcpy(e.suite_id, b->suite, UUID_SIZE);
    memcpy(e.benchmark_id, b->benchmarks[benchmark], UUID_SIZE);
    e.provenance = provenance;
    e.status = RUN_SUCCESS;
    e.end_ns = e.start_ns + 1;
    e.scores[SCORE_ACCURACY] = scores[SCORE_ACCURACY];
    e.scores[SCORE_SPEED] = scores[SCORE_SPEED];
    e.scores[SCORE_EFFICIENCY] = scores[SCORE_EFFICIENCY];
    e.scores[SCORE_COST] = scores[SCORE_COST];
    e.scores[SCORE_RELIABILITY] = scores[SCORE_RELIABILITY];
    OK(store_put_execution(b->store, &e, &err));
    return e;
}

/* All five scores alike. */
static void put_level(struct board *b, const char *agent, int benchmark, double level)
{
    const double scores[SCORE_COUNT] = {level, level, level, level, level};
    put(b, agent, benchmark, scores, "measured");
}

static struct ranking *ask(struct board *b, struct ranking_question q)
{
    struct error err = {0};
    struct ranking *r = NULL;
    q.seed = 1;
    OK(ranking_ask(b->store, &q, &b->f.arena, &r, &err));
    return r;
}

static const struct ranking_entry *entry(const struct ranking *r, const char *agent)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->entries[i].row->agent_name, agent) == 0) return &r->entries[i];
    }
    fail_msg("no entry of %s", agent);
    abort();
}

static const struct ranking_question overall = {.metric = RANKING_OVERALL};

TEST(clear_differences_are_told_and_small_ones_are_not)
{
    struct board b = board_open();
    struct rng rng = rng_seeded(3);
    for (int i = 0; i < BENCHMARKS; i++) {
        double base = 0.5 + 0.2 * rng_real(&rng);
        put_level(&b, "best", i, base + 0.25);
        put_level(&b, "one", i, base + 0.02 * (rng_real(&rng) - 0.5));
        put_level(&b, "two", i, base + 0.02 * (rng_real(&rng) - 0.5));
    }
    for (int m = 0; m < 2; m++) {
        struct ranking_question q = overall;
        q.is_matrix = m;
        const struct ranking *r = ask(&b, q);
        assert_int_equal(r->count, 3);
        const struct ranking_entry *best = entry(r, "best");
        const struct ranking_entry *one = entry(r, "one");
        assert_ptr_equal(best, &r->entries[0]);
        assert_int_equal(best->overall_rank, 1);
        assert_int_equal(best->rank_low, 1);
        assert_int_equal(best->rank_high, 1);
        assert_close(best->first_share, 1, 1e-9);
        assert_int_equal(one->tie_group, 2);
        assert_int_equal(entry(r, "two")->tie_group, 2);
        assert_int_equal(one->rank_low, 2);
        assert_int_equal(one->rank_high, 3);
        assert_true(one->coverage == 1 && one->covered == BENCHMARKS && one->best == 2);
        assert_true(best->lead.is_told && best->lead.p < 0.05);
        assert_int_equal(best->lead.n, BENCHMARKS);
        assert_true(best->lead.low > 0.1 && best->lead.high > best->lead.by);
        assert_close(best->lead.by, 0.25, 0.02);
        assert_int_equal(r->entries[1].lead.n, 0); /* it is asked of the first */
    }
    board_close(&b);
}

/* Of four agents there are six pairs: a lead is decided where the interval that is shown, at
 * the level that these leave it, leaves 0 out. */
TEST(a_lead_is_decided_by_the_interval_that_is_shown)
{
    struct rng rng = rng_seeded(5);
    size_t told = 0;
    for (int round = 0; round < 30; round++) {
        struct board b = board_open();
        for (int i = 0; i < BENCHMARKS; i++) {
            double noise = 0.02 * round;
            static const char *const agents[] = {"p", "q", "r", "s"};
            for (int k = 0; k < 4; k++)
                put_level(&b, agents[k], i, 0.3 + (k == 0) * 0.1 + noise * rng_real(&rng));
        }
        const struct ranking_lead *l = &ask(&b, overall)->entries[0].lead;
        assert_int_equal(l->n, BENCHMARKS);
        assert_int_equal(l->is_told, l->low > 0 || l->high < 0);
        assert_int_equal(l->is_told, l->p < 0.05);
        told += l->is_told;
        board_close(&b);
    }
    assert_true(told > 3 && told < 27);
}

/* Speed is compared by times, as versus does: two benchmarks that took twice as long weigh as
 * much as two that took half as long, however the targets make scores of them. */
TEST(speed_is_compared_by_times)
{
    struct board b = board_open();
    for (int i = 0; i < BENCHMARKS; i++) {
        bool is_slow = i % 2;
        double times[2] = {is_slow ? 40 : 0.1, (is_slow ? 40 : 0.1) * (is_slow ? 0.5 : 2)};
        static const char *const agents[] = {"p", "q"};
        for (int k = 0; k < 2; k++) {
            const double scores[SCORE_COUNT] = {1, 1 / (1 + times[k]), 1, 1, 1};
            put(&b, agents[k], i, scores, "measured");
        }
    }
    struct ranking_question q = {.metric = SCORE_SPEED};
    const struct ranking *r = ask(&b, q);
    assert_string_equal(r->entries[0].row->agent_name, "p"); /* by the mean of scores */
    assert_false(r->entries[0].lead.is_told);
    assert_true(r->entries[0].lead.p > 0.9);
    assert_int_equal(r->entries[1].tie_group, 1);
    board_close(&b);
}

/* Answers of pairs are kept with the handle (store_memo): after each change a handle that has
 * kept many says what a new one says. */
TEST(what_is_kept_is_never_old)
{
    struct board b = board_open();
    struct rng rng = rng_seeded(8);
    static const char *const agents[] = {"p", "q", "r"};
    for (int i = 0; i < 10 * BENCHMARKS; i++) {
        put_level(&b, agents[i % 3], i / 3 % BENCHMARKS, rng_real(&rng));
        struct board other = b;
        other.store = open_store(b.f.url);
        const struct ranking *kept = ask(&b, overall);
        const struct ranking *new = ask(&other, overall);
        assert_int_equal(kept->count, new->count);
        for (size_t k = 0; k < kept->count; k++) {
            const struct ranking_entry *x = &kept->entries[k];
            const struct ranking_entry *y = &new->entries[k];
            assert_string_equal(x->name, y->name);
            assert_memory_equal(&x->lead.by, &y->lead.by, 4 * sizeof(double));
            assert_int_equal(x->rank_high - x->rank_low, y->rank_high - y->rank_low);
        }
        store_close(other.store);
    }
    board_close(&b);
}

TEST(few_benchmarks_without_cases_tell_nobody_apart)
{
    struct board b = board_open();
    put_level(&b, "good", 0, 0.9);
    put_level(&b, "bad", 0, 0.1);
    const struct ranking *r = ask(&b, overall);
    assert_int_equal(r->entries[0].overall_rank, 1);
    assert_int_equal(r->entries[0].rank_low, 1);
    assert_int_equal(r->entries[0].rank_high, 2);
    assert_int_equal(r->entries[1].tie_group, 1);
    assert_int_equal(r->note_count, 1);
    assert_int_equal(r->notes[0].code, RANKING_FEW_UNITS);
    board_close(&b);
}

TEST(partial_and_full_are_never_ranked_together)
{
    struct board b = board_open();
    const double no_cost[] = {1, 1, 1, NAN, 1};
    const double nothing[] = {NAN, NAN, NAN, NAN, NAN};
    put_level(&b, "full", 0, 0.5);
    put_level(&b, "fuller", 0, 0.6);
    put(&b, "partial", 0, no_cost, "measured");
    put(&b, "silent", 0, nothing, "measured");
    const struct ranking *r = ask(&b, overall);
    assert_string_equal(r->entries[0].row->agent_name, "fuller");
    assert_int_equal(entry(r, "full")->overall_rank, 2);
    const struct ranking_entry *p = entry(r, "partial");
    assert_true(p->is_partial && p->overall == 1 && p->overall_rank == 1);
    assert_int_equal(p->rank[SCORE_COST], 0);
    assert_int_equal(p->rank[SCORE_SPEED], 1);
    assert_ptr_equal(p, &r->entries[2]);
    assert_int_equal(entry(r, "silent")->overall_rank, 0);
    assert_int_equal(entry(r, "silent")->best, 0);

    /* Where cost does not weigh, its absence does not matter. */
    struct ranking_question q = overall;
    q.weights[SCORE_ACCURACY] = 2;
    r = ask(&b, q);
    assert_false(entry(r, "partial")->is_partial);
    assert_int_equal(entry(r, "partial")->overall_rank, 1);
    assert_int_equal(entry(r, "fuller")->overall_rank, 2);
    assert_true(r->weights[SCORE_ACCURACY] == 1);
    board_close(&b);
}

TEST(coverage_can_be_demanded)
{
    struct board b = board_open();
    for (int i = 0; i < 4; i++) put_level(&b, "steady", i, 0.5);
    put_level(&b, "picky", 0, 1.0);
    const struct ranking *r = ask(&b, overall);
    assert_int_equal(entry(r, "picky")->overall_rank, 1);
    assert_close(entry(r, "picky")->coverage, 0.25, 1e-12);
    bool is_said = false;
    for (size_t i = 0; i < r->note_count; i++)
        is_said = is_said || r->notes[i].code == RANKING_UNEVEN;
    assert_true(is_said);
    struct ranking_question q = overall;
    q.min_coverage = 0.5;
    r = ask(&b, q);
    assert_int_equal(entry(r, "picky")->overall_rank, 0);
    assert_true(entry(r, "picky")->is_uncovered);
    assert_int_equal(entry(r, "steady")->overall_rank, 1);
    board_close(&b);
}

TEST(what_was_not_measured_does_not_rank)
{
    struct board b = board_open();
    const double perfect[] = {1, 1, 1, 1, 1};
    put_level(&b, "real", 0, 0.5);
    put(&b, "stubbed", 0, perfect, "simulated");
    put(&b, "boaster", 0, perfect, "claimed");
    struct execution_record own = an_execution(b.store, &b.run, 1);
    struct error err = {0};
    own.status = RUN_SUCCESS;
    own.scores[SCORE_ACCURACY] = 1;
    OK(store_put_execution(b.store, &own, &err));
    struct ranking_question q = overall;
    q.stale_since = "2000-01-01";
    const struct ranking *r = ask(&b, q);
    assert_int_equal(r->count, 1);
    assert_int_equal(r->agent_count, 3);
    assert_int_equal(r->stale_count, 2);
    assert_string_equal(r->stale[0].agent_name, "boaster");
    assert_null(r->stale[0].last);
    q.stale_since = "2999-01-01";
    r = ask(&b, q);
    assert_int_equal(r->stale_count, 3);
    assert_non_null(r->stale[1].last);
    board_close(&b);
}

TEST(metric_order_groups_and_limit)
{
    struct board b = board_open();
    const double quick[] = {0.2, 0.9, 0.2, 0.2, 0.2};
    const double exact[] = {0.9, 0.3, 0.8, 0.8, 0.8};
    const double middling[] = {0.8, 0.2, 0.7, 0.7, 0.7};
    for (int i = 0; i < BENCHMARKS; i++) {
        put(&b, "quick", i, quick, "measured");
        put(&b, "exact", i, exact, "measured");
        put(&b, "middling", i, middling, "measured");
    }
    struct ranking_question q = overall;
    q.limit = 2;
    const struct ranking *r = ask(&b, q);
    assert_int_equal(r->count, 2);
    assert_int_equal(r->left_off, 1);
    assert_string_equal(r->entries[0].row->agent_name, "exact");
    assert_true(r->entries[0].first_share > 0.5 && r->entries[0].first_share < 1);

    q.metric = SCORE_SPEED;
    r = ask(&b, q);
    assert_string_equal(r->entries[0].row->agent_name, "quick");
    assert_int_equal(r->entries[0].rank_high, 1);
    assert_int_equal(r->entries[0].tie_group, 1);
    assert_int_equal(r->entries[1].tie_group, 2);
    assert_int_equal(r->entries[0].overall_rank, 3);

    q = overall;
    q.order = RANKING_BY_BEST;
    r = ask(&b, q);
    assert_string_equal(r->entries[0].row->agent_name, "exact");
    assert_string_equal(r->entries[1].row->agent_name, "quick");
    assert_int_equal(r->entries[2].best, 2);

    q.filter.by = RANK_BY_COMPLEXITY;
    r = ask(&b, q);
    assert_int_equal(r->count, 6);
    assert_string_equal(r->entries[0].row->group, "high");
    assert_string_equal(r->entries[5].row->group, "unstated");
    assert_int_equal(r->entries[5].covered, BENCHMARKS / 2);
    assert_true(r->entries[5].coverage == 1);
    board_close(&b);
}

TEST(weights_are_read)
{
    struct error err = {0};
    double w[SCORE_COUNT];
    OK(ranking_read_weights("accuracy=1, cost = 3", w, &err));
    assert_true(w[SCORE_ACCURACY] == 1 && w[SCORE_COST] == 3 && w[SCORE_SPEED] == 0);
    static const char *const bad[] = {"",         "accuracy", "quality=1",
                                      "speed=-1", "speed=0",  "speed=x"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        REFUSED(ranking_read_weights(bad[i], w, &err), ERROR_INVALID);
    }
}

TEST(an_empty_store_has_no_ranks)
{
    struct board b = board_open();
    const struct ranking *r = ask(&b, overall);
    assert_int_equal(r->count, 0);
    board_close(&b);
}

TEST(a_run_is_ranked_by_its_own_executions)
{
    struct board b = board_open();
    struct error err = {0};
    const double low[SCORE_COUNT] = {0.2, 0.2, 0.2, 0.2, 0.2};
    const double high[SCORE_COUNT] = {0.8, 0.8, 0.8, 0.8, 0.8};
    struct execution_record old = put(&b, "one", 0, low, "measured");
    put(&b, "two", 0, high, "measured");
    put(&b, "stub", 0, high, "simulated");
    old.unranked = UNRANKED_CONTENT; /* a later run has other cases: here it still ranks */
    OK(store_put_execution(b.store, &old, &err));
    char first[UUID_SIZE];
    memcpy(first, b.run.id, UUID_SIZE);
    b.run = a_run();
    OK(store_put_run(b.store, &b.run, &err));
    put(&b, "one", 0, high, "measured");
    struct ranking_question q = overall;
    q.is_matrix = true;
    q.filter.run = first;
    const struct ranking *r = ask(&b, q);
    assert_int_equal(r->count, 2);
    assert_close(entry(r, "one")->overall, 0.2, 1e-12);
    assert_int_equal(r->left_out_count, 2);
    q.filter.wants_unranked = true;
    assert_int_equal(ask(&b, q)->count, 3);
    q.filter.run = b.run.id;
    r = ask(&b, q);
    assert_int_equal(r->count, 1);
    assert_close(r->entries[0].overall, 0.8, 1e-12);
    board_close(&b);
}

TEST(unlike_loads_are_said)
{
    struct board b = board_open();
    const double scores[SCORE_COUNT] = {1, 1, 1, 1, 1};
    struct error err = {0};
    struct execution_record alone = put(&b, "alone", 0, scores, "measured");
    struct execution_record loaded = put(&b, "loaded", 0, scores, "measured");
    for (int64_t lanes = 1; lanes < 5; lanes += 3) {
        loaded.concurrency = lanes;
        OK(store_put_execution(b.store, &loaded, &err));
        const struct ranking *r = ask(&b, overall);
        assert_int_equal(r->has_loads, lanes > 1);
    }
    alone.concurrency = 4;
    OK(store_put_execution(b.store, &alone, &err));
    assert_false(ask(&b, overall)->has_loads);
    board_close(&b);
}

TEST_MAIN(T(clear_differences_are_told_and_small_ones_are_not), T(what_is_kept_is_never_old),
          T(a_lead_is_decided_by_the_interval_that_is_shown), T(speed_is_compared_by_times),
          T(few_benchmarks_without_cases_tell_nobody_apart),
          T(partial_and_full_are_never_ranked_together), T(coverage_can_be_demanded),
          T(what_was_not_measured_does_not_rank), T(metric_order_groups_and_limit),
          T(weights_are_read), T(an_empty_store_has_no_ranks), T(unlike_loads_are_said),
          T(a_run_is_ranked_by_its_own_executions))
