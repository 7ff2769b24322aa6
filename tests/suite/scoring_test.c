/* Every number here was worked out by hand from the four trials below. */
#include "suite/scoring.h"
#include "tests/store/fixture.h"

/* Two cases, two passes. Case A: 1 and 0.5; case B: 0, then no answer. */
static const uint8_t statuses[] = {TRIAL_OK, TRIAL_OK, TRIAL_LIMIT_BREACHED, TRIAL_OK};
static const double starts[] = {0, 1, 2, 3};
static const double durations[] = {0.1, 0.3, NAN, 0.2};
static const double accuracy[] = {1, 0, NAN, 0.5};
static const double correctness[] = {1, 0, NAN, 1};
static const double tokens[] = {10, 30, 50, 20};
static const double costs[] = {0.01, 0.03, 0.05, 0.02};

static const struct metric metrics[] = {
    {.name = "duration_s", .unit = "s", .definition = "duration/1"},
    {.name = "accuracy", .unit = "1", .definition = "rubric_score/1", .kind = KIND_SHARE},
    {.name = "output_correctness",
     .unit = "1",
     .definition = "rubric_dimension/1",
     .kind = KIND_SHARE},
    {.name = "tokens", .unit = "1", .definition = "tokens/1"},
    {.name = "cost_usd", .unit = "USD", .definition = "cost/1", .kind = KIND_SUM},
};

static const struct trial_note notes[] = {
    {.trial = 0, .phase = PHASE_MEASURED, .case_hash = "hA", .detail = "{\"case\":\"A\"}"},
    {.trial = 1, .phase = PHASE_MEASURED, .case_hash = "hB", .detail = "{\"case\":\"B\"}"},
    {.trial = 2,
     .phase = PHASE_MEASURED,
     .case_hash = "hB",
     .status = TRIAL_LIMIT_BREACHED,
     .error = "too many tokens",
     .detail = "{\"case\":\"B\",\"usage\":{\"input_tokens\":20,\"output_tokens\":30,"
               "\"cost_usd\":0.05},\"judged\":true}"},
    {.trial = 3, .phase = PHASE_MEASURED, .case_hash = "hA", .detail = "{\"case\":\"A\"}"},
};

struct stage {
    struct fixture f;
    struct store *store;
    struct run_record run;
    struct suite_record suite;
    struct benchmark_record benchmark;
    struct agent_record agent;
};

static void open_stage(struct stage *s, const char *baselines)
{
    struct error err = {0};
    *s = (struct stage){.f = fixture_open(), .run = a_run()};
    s->store = open_store(s->f.url);
    s->suite = (struct suite_record){
        .name = "s", .category = "cost", .content_hash = "x", .baseline_scores = baselines};
    s->benchmark = (struct benchmark_record){
        .name = "b",
        .content_hash = "y",
        .scoring_rubric = "[{\"check\":\"exact\",\"weight\":1,\"dimension\":\"correctness\"}]",
        .targets = "{\"duration_s\":0.2,\"tokens\":40,\"cost_usd\":0.04}",
        .settings = "{}"};
    s->agent = (struct agent_record){.name = "ag", .kind = "noop"};
    OK(store_put_run(s->store, &s->run, &err));
    OK(store_put_suite(s->store, &s->suite, &err));
    memcpy(s->benchmark.suite_id, s->suite.id, sizeof s->suite.id);
    store_benchmark_id(s->store, "s", "b", "y", s->benchmark.id);
    OK(store_put_benchmark(s->store, &s->benchmark, &err));
    OK(store_put_agent(s->store, &s->agent, &err));
}

static void close_stage(struct stage *s)
{
    store_close(s->store);
    fixture_close(&s->f);
}

static struct execution_record measure(struct stage *s, const char *version)
{
    struct error err = {0};
    struct execution_record e = an_execution(s->store, &s->run, 0);
    const struct metric *which[COUNT(metrics)];
    const double *columns[] = {durations, accuracy, correctness, tokens, costs};
    for (size_t i = 0; i < COUNT(metrics); i++) which[i] = &metrics[i];
    e.experiment = "suite";
    e.agent_version = version;
    e.status = RUN_SUCCESS;
    memcpy(e.suite_id, s->suite.id, sizeof e.suite_id);
    memcpy(e.benchmark_id, s->benchmark.id, sizeof e.benchmark_id);
    memcpy(e.agent_id, s->agent.id, sizeof e.agent_id);
    OK(store_put_execution(s->store, &e, &err));
    struct trial_batch batch = {.execution_id = e.id,
                                .phase = PHASE_MEASURED,
                                .count = COUNT(statuses),
                                .statuses = statuses,
                                .starts_s = starts,
                                .column_count = COUNT(metrics),
                                .metrics = which,
                                .columns = columns,
                                .notes = notes,
                                .note_count = COUNT(notes)};
    OK(store_append(s->store, &batch, 1, &err));
    return e;
}

TEST(scores_are_those_of_the_formulas)
{
    struct stage s;
    struct error err = {0};
    struct scoring got;
    open_stage(&s, "[{\"agent_id\":\"ag\",\"scores\":{\"accuracy\":0.75}}]");
    struct execution_record e = measure(&s, "1");
    OK(scoring_load(s.store, &e, &s.f.arena, &got, &err));
    assert_int_equal(got.case_count, 2);
    assert_string_equal(got.names[0], "A");
    scoring_fill(&got, &e);
    /* A: median of 1 and 0.5; B: median of 0 and 0, as no answer came */
    assert_close(e.scores[SCORE_ACCURACY], (0.75 + 0) / 2, 1e-12);
    /* medians 0.15 and 0.3 s, their median 0.225 s, target 0.2 s */
    assert_close(e.scores[SCORE_SPEED], 0, 0); /* of 0.15 s and, B having failed, for ever */
    /* tokens 15 and 40, median 27.5, target 40 */
    assert_close(e.scores[SCORE_EFFICIENCY], 1 / (1 + 27.5 / 40), 1e-12);
    /* cost 0.015 and 0.04, mean 0.0275, target 0.04 */
    assert_close(e.scores[SCORE_COST], 1 / (1 + 0.0275 / 0.04), 1e-12);
    assert_close(e.scores[SCORE_RELIABILITY], 3.0 / 4, 1e-12);
    double overall = 0.30 * e.scores[SCORE_ACCURACY] + 0.20 * e.scores[SCORE_SPEED] +
                     0.20 * e.scores[SCORE_EFFICIENCY] + 0.15 * e.scores[SCORE_COST] +
                     0.15 * e.scores[SCORE_RELIABILITY];
    assert_close(got.scores.overall.value, overall, 1e-12);
    assert_close(e.tokens_used, 110, 0);
    assert_close(e.cost_usd, 0.11, 1e-12);
    assert_true(isnan(e.api_calls_made));
    assert_close(e.output_correctness, (1.0 + 0) / 2, 1e-12);
    assert_true(isnan(e.output_relevance));

    OK(scoring_compare(s.store, &got, "ag", &e, &s.f.arena, &err));
    assert_close(e.percentile_rank, 1, 0);
    assert_close(e.deviation_from_baseline, 0.375 / 0.75 - 1, 1e-12);
    close_stage(&s);
}

TEST(open_and_folded_trials_score_alike)
{
    struct stage s;
    struct error err = {0};
    struct scoring before;
    struct scoring after;
    open_stage(&s, NULL);
    struct execution_record e = measure(&s, "1");
    OK(scoring_load(s.store, &e, &s.f.arena, &before, &err));
    OK(store_finish(s.store, &e, &err));
    OK(scoring_load(s.store, &e, &s.f.arena, &after, &err));
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        assert_close(before.scores.by[i].value, after.scores.by[i].value, 0);
        assert_close(before.scores.by[i].low, after.scores.by[i].low, 0);
        assert_close(before.scores.by[i].high, after.scores.by[i].high, 0);
    }
    close_stage(&s);
}

TEST(rank_and_deviation_are_among_the_same_benchmark)
{
    struct stage s;
    struct error err = {0};
    struct scoring got;
    open_stage(&s, NULL);
    const double others[] = {0.2, 0.4, 0.9}; /* accuracy; the rest as measured */
    for (size_t i = 0; i < COUNT(others); i++) {
        struct execution_record o = measure(&s, "0");
        OK(scoring_load(s.store, &o, &s.f.arena, &got, &err));
        scoring_fill(&got, &o);
        o.scores[SCORE_ACCURACY] = others[i];
        OK(store_finish(s.store, &o, &err));
    }
    struct execution_record e = measure(&s, "1");
    OK(scoring_load(s.store, &e, &s.f.arena, &got, &err));
    scoring_fill(&got, &e); /* accuracy 0.375: beats 0.2, and ties with itself */
    OK(scoring_compare(s.store, &got, "ag", &e, &s.f.arena, &err));
    assert_close(e.percentile_rank, 2.0 / 4, 1e-12);
    /* against the latest of another version: accuracy 0.9, the rest alike */
    double own = scores_overall(e.scores, score_weights_default, SCORES_ALL);
    assert_close(e.deviation_from_baseline, own / (own + 0.3 * (0.9 - 0.375)) - 1, 1e-12);
    assert_int_equal(scores_present(e.scores), SCORES_ALL);
    close_stage(&s);
}

static bool says(const struct note_list *said, const char *column)
{
    for (size_t i = 0; i < said->count; i++) {
        assert_int_equal(said->items[i].kind, NOTE_MISSING);
        if (strstr(said->items[i].text, column)) return true;
    }
    return false;
}

TEST(what_stays_null_has_its_reason)
{
    struct stage s;
    struct error err = {0};
    struct scoring got;
    struct note_list said = {0};
    open_stage(&s, NULL);
    struct execution_record e = measure(&s, "1");
    OK(scoring_load(s.store, &e, &s.f.arena, &got, &err));
    scoring_fill(&got, &e);
    scoring_explain(&got, &e, &said, &s.f.arena);
    assert_true(says(&said, "api_calls_made"));
    assert_true(says(&said, "output_relevance"));
    assert_false(says(&said, "tokens_used"));
    assert_true(says(&said, "deviation_from_baseline"));
    close_stage(&s);
}

/* Of 100,000 different cases, each named twice, a third was tried. Every case compared with
 * every other took minutes. */
TEST(untried_cases_are_counted_once_and_soon)
{
    enum { CASES = 100000, TRIED = CASES / 3 };
    struct arena arena = arena_open();
    struct buf list;
    const char **hashes = arena_new(&arena, const char *, TRIED);
    buf_init(&list, (size_t)64 << 20);
    buf_text(&list, "[");
    for (int i = 0; i < 2 * CASES; i++) {
        buf_printf(&list, "%s\"%064d\"", i ? "," : "", i % CASES);
        if (i < TRIED) hashes[i] = arena_printf(&arena, "%064d", i);
    }
    buf_text(&list, "]");
    struct benchmark_record benchmark = {.cases = str_cstr(&arena, buf_str(&list))};
    struct scoring s = {.benchmark = &benchmark, .hashes = hashes, .case_count = TRIED};
    struct execution_record e = {.status = RUN_PARTIAL, .measured_planned = 2 * CASES};
    e.counts.attempted = TRIED;
    struct timespec t;
    assert_int_equal(scoring_untried(&s, &e, &arena), CASES - TRIED);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    assert_true(t.tv_sec < 20);
    e.counts.attempted = 2 * CASES - 5; /* no more than were left to do */
    assert_int_equal(scoring_untried(&s, &e, &arena), 5);
    buf_release(&list);
    arena_close(&arena);
}

TEST_MAIN(T(untried_cases_are_counted_once_and_soon), T(scores_are_those_of_the_formulas),
          T(open_and_folded_trials_score_alike),
          T(rank_and_deviation_are_among_the_same_benchmark), T(what_stays_null_has_its_reason))
