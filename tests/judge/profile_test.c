/* From stored trials to phases, tokens and functions; worked out by hand. */
#include "judge/profile.h"
#include "tests/json.h"
#include "tests/store/fixture.h"

enum { TRIALS_MAX = 4 };

struct bench {
    struct fixture f;
    struct store *store;
    struct run_record run;
};

static void open_bench(struct bench *b)
{
    struct error err = {0};
    *b = (struct bench){.f = fixture_open(), .run = a_run()};
    b->run.environment = from_json("{\"cpus\":4}");
    b->store = open_store(b->f.url);
    OK(store_put_run(b->store, &b->run, &err));
}

static void close_bench(struct bench *b)
{
    store_close(b->store);
    fixture_close(&b->f);
}

/* One execution; a trial without a duration has failed, or it was our fault. */
struct deeds {
    size_t trials;
    double duration[TRIALS_MAX];
    const char *detail[TRIALS_MAX];
    double cpu[TRIALS_MAX]; /* all 0 = not measured, as the next two */
    double first_token[TRIALS_MAX];
    double rss_mean[TRIALS_MAX];
    double peak[TRIALS_MAX];
    bool is_ours[TRIALS_MAX];
    const char *folded;
};

static void measure(struct bench *b, const struct deeds *d)
{
    static const struct metric metrics[] = {
        {.name = "duration_s", .unit = "s", .definition = "duration/1"},
        {.name = "cpu_s", .unit = "s", .definition = "cpu/1"},
        {.name = "first_token_s", .unit = "s", .definition = "first_token/1"},
        {.name = "rss_mean_mb", .unit = "MB", .definition = "rss_mean/1"},
        {.name = "memory_peak_mb", .unit = "MB", .definition = "memory_peak/1"},
    };
    const double *all[] = {d->duration, d->cpu, d->first_token, d->rss_mean, d->peak};
    struct error err = {0};
    const struct metric *which[COUNT(metrics)];
    const double *columns[COUNT(metrics)];
    size_t column_count = 0;
    for (size_t i = 0; i < COUNT(metrics); i++) {
        if (all[i][0] == 0) continue;
        which[column_count] = &metrics[i];
        columns[column_count++] = all[i];
    }
    uint8_t statuses[TRIALS_MAX];
    double starts[TRIALS_MAX];
    struct trial_note notes[TRIALS_MAX] = {{0}};
    for (size_t i = 0; i < d->trials; i++) {
        statuses[i] = (uint8_t)(isnan(d->duration[i]) ? TRIAL_FAILED : TRIAL_OK);
        if (d->is_ours[i]) statuses[i] = TRIAL_HARNESS_ERROR;
        starts[i] = (double)i;
        notes[i] = (struct trial_note){.trial = (int64_t)i,
                                       .phase = PHASE_MEASURED,
                                       .status = statuses[i],
                                       .detail = d->detail[i]};
    }
    struct artifact_record folded = {
        .name = "profile_iter_0", .kind = "folded", .bytes = str_of(d->folded)};
    struct execution_record e = an_execution(b->store, &b->run, 0);
    OK(store_put_execution(b->store, &e, &err));
    struct trial_batch batch = {.execution_id = e.id,
                                .phase = PHASE_MEASURED,
                                .count = d->trials,
                                .statuses = statuses,
                                .starts_s = starts,
                                .column_count = column_count,
                                .metrics = which,
                                .columns = columns,
                                .notes = notes,
                                .note_count = d->trials,
                                .artifacts = &folded,
                                .artifact_count = d->folded ? 1 : 0};
    OK(store_append(b->store, &batch, 1, &err));
}

static struct profile *load(struct bench *b)
{
    struct error err = {0};
    struct profile_list list = {0};
    OK(profile_load(b->store, "latest", &b->f.arena, &list, &err));
    assert_int_equal(list.count, 1);
    return list.items;
}

#define PHASE(name, start, duration) \
    "{\"name\":\"" name "\",\"start_s\":" start ",\"duration_s\":" duration "}"
#define PHASES(...) "{\"phases\":[" __VA_ARGS__ "]}"

TEST(phases_are_summed_over_ok_trials_longest_first)
{
    struct bench b;
    open_bench(&b);
    measure(&b,
            &(struct deeds){
                .trials = 3,
                .duration = {1, 1.5, NAN},
                .detail = {PHASES(PHASE("plan", "0", "0.2") "," PHASE("tool", "0.2", "0.5")),
                           PHASES("{\"name\":\"tool\",\"start_s\":0,\"duration_s\":1,"
                                  "\"cpu_s\":0.5,\"memory_mb\":7,\"io_operations\":3}"),
                           PHASES(PHASE("plan", "0", "9"))}}); /* failed: not counted */
    const struct profile *p = load(&b);
    assert_int_equal(p->trials, 2);
    assert_int_equal(p->failed, 1);
    assert_close(p->duration_s, 2.5, 1e-12);
    assert_int_equal(p->phase_count, 2);
    assert_true(str_is(p->phases[0].name, "tool"));
    assert_int_equal(p->phases[0].count, 2);
    assert_close(p->phases[0].total_s, 1.5, 1e-12);
    assert_close(p->phases[0].share, 0.6, 1e-12);
    assert_close(p->phases[0].cpu_s, 0.5, 1e-12); /* where it was told */
    assert_close(p->phases[0].memory_mb, 7, 0);
    assert_close(p->phases[0].io_operations, 3, 0);
    assert_close(p->phases[1].share, 0.08, 1e-12);
    assert_true(isnan(p->phases[1].cpu_s));
    assert_false(p->phases_are_seen);
    assert_string_equal(p->benchmark, "noop");
    assert_null(p->agent);
    close_bench(&b);
}

/* What of a row of phases could be saved, in seconds. */
static double avoidable(const char *detail)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){.trials = 1, .duration = {10}, .detail = {detail}});
    const struct profile *p = load(&b);
    double sum = 0;
    for (size_t i = 0; i < p->phase_count; i++) sum += p->phases[i].avoidable_s;
    close_bench(&b);
    return sum;
}

TEST(a_row_of_phases_leaves_its_longest)
{
    assert_close(avoidable(PHASES(PHASE("t", "0", "1"))), 0, 0);
    /* 1 + 3 + 2 at the same time would take 3. */
    assert_close(avoidable(PHASES(
                     PHASE("t", "0", "1") "," PHASE("t", "1", "3") "," PHASE("t", "4", "2"))),
                 3, 1e-12);
    /* They do run at the same time. */
    assert_close(avoidable(PHASES(PHASE("t", "0", "2") "," PHASE("t", "0", "2"))), 0, 0);
    assert_close(avoidable(PHASES(PHASE("t", "0", "2") "," PHASE("t", "1", "2"))), 0, 0);
    /* 0.1 ms of overlap is a clock's, 0.2 ms is not. */
    assert_close(avoidable(PHASES(PHASE("t", "0", "2") "," PHASE("t", "1.9999", "1"))), 1,
                 1e-12);
    assert_close(avoidable(PHASES(PHASE("t", "0", "2") "," PHASE("t", "1.9998", "1"))), 0, 0);
}

/* Asking, calling a tool, asking again with what it said: no row. */
TEST(another_phase_in_between_ends_the_row)
{
    assert_close(avoidable(PHASES(PHASE("ask", "0", "1") "," PHASE("tool", "1", "1") "," PHASE(
                     "ask", "2", "1"))),
                 0, 0);
    /* One that goes on around them does not. */
    assert_close(avoidable(PHASES(PHASE("all", "0", "3") "," PHASE("tool", "1", "1") "," PHASE(
                     "tool", "2", "1"))),
                 1, 1e-12);
    /* Each turn of a conversation is on its own. */
    assert_close(avoidable("{\"turns\":[" PHASES(PHASE("ask", "0", "1")) "," PHASES(
                     PHASE("ask", "5", "1")) "]}"),
                 0, 0);
}

TEST(tokens_of_failed_trials_and_of_attempts_made_again_are_wasted)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){
                    .trials = 3,
                    .duration = {1, 1, NAN},
                    .detail = {"{\"usage\":{\"input_tokens\":100,\"output_tokens\":20,"
                               "\"cache_read_tokens\":60}}",
                               "{\"usage\":{\"input_tokens\":100,\"output_tokens\":20,"
                               "\"wasted_tokens\":40}}",
                               "{\"usage\":{\"input_tokens\":100,\"output_tokens\":20}}"}});
    const struct profile *p = load(&b);
    assert_close(p->input_tokens, 300, 0);
    assert_close(p->output_tokens, 60, 0);
    assert_close(p->cache_read_tokens, 60, 0);
    assert_close(p->all_tokens, 400, 0);
    assert_close(p->wasted_tokens, 160, 0); /* 40 again, 120 failed */
    assert_close(p->token_efficiency, 0.6, 1e-12);
    close_bench(&b);
}

TEST(a_trial_that_we_spoiled_is_no_failure_and_no_waste)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){
                    .trials = 3,
                    .duration = {1, NAN, NAN},
                    .is_ours = {false, false, true},
                    .detail = {"{\"usage\":{\"input_tokens\":100,\"output_tokens\":20}}",
                               "{\"usage\":{\"input_tokens\":10,\"output_tokens\":2}}",
                               "{\"usage\":{\"input_tokens\":7000,\"output_tokens\":900}}"}});
    const struct profile *p = load(&b);
    assert_int_equal(p->trials, 1);
    assert_int_equal(p->failed, 1);
    assert_close(p->all_tokens, 132, 0);
    assert_close(p->wasted_tokens, 12, 0);
    close_bench(&b);
}

/* However much was wasted, it is a part of what was spent. */
TEST(a_share_of_tokens_is_never_above_one)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){.trials = 1,
                                .duration = {1},
                                .detail = {"{\"usage\":{\"output_tokens\":10,"
                                           "\"wasted_tokens\":90}}"}});
    const struct profile *p = load(&b);
    assert_close(p->token_efficiency, 0.1, 1e-12);
    assert_int_equal(p->bottleneck_count, 1);
    assert_int_equal(p->bottlenecks[0].found.rule, PROFILE_WASTED_TOKENS);
    assert_close(p->bottlenecks[0].found.part, 90, 0);
    assert_close(p->bottlenecks[0].found.whole, 100, 0);
    close_bench(&b);
}

TEST(resources_and_the_phases_that_a_stream_shows)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){.trials = 2,
                                .duration = {1, 3},
                                .cpu = {0.5, 1.5},
                                .first_token = {0.25, 0.75},
                                .rss_mean = {30, 30},
                                .peak = {40, 80}});
    const struct profile *p = load(&b);
    assert_close(p->cpu_efficiency, 0.5, 1e-12);          /* 2 s of 4 s */
    assert_close(p->parallelization_score, 0.125, 1e-12); /* of 4 processors */
    assert_close(p->memory_efficiency, 0.5, 1e-12);       /* 60 of 120 */
    assert_true(p->phases_are_seen);
    assert_int_equal(p->phase_count, 2);
    assert_true(str_is(p->phases[0].name, "after first token"));
    assert_close(p->phases[0].share, 0.75, 1e-12);
    assert_close(p->phases[1].share, 0.25, 1e-12);
    assert_true(isnan(p->io_efficiency));
    close_bench(&b);
}

TEST(nothing_told_is_nan_and_no_finding)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){.trials = 2, .duration = {1, 1}});
    const struct profile *p = load(&b);
    assert_int_equal(p->phase_count, 0);
    assert_int_equal(p->cpus, 4);
    assert_true(isnan(p->input_tokens) && isnan(p->token_efficiency));
    assert_true(isnan(p->cpu_efficiency) && isnan(p->parallelization_score));
    assert_int_equal(p->bottleneck_count + p->opportunity_count, 0);
    close_bench(&b);
}

TEST(functions_count_once_per_stack)
{
    struct bench b;
    open_bench(&b);
    measure(&b, &(struct deeds){.trials = 1,
                                .duration = {1},
                                .folded = "prog;main;sort 6\n"
                                          "prog;main;walk;walk;walk 3\n" /* calls itself */
                                          "prog;main 1\n"
                                          "no number here\n"});
    const struct profile *p = load(&b);
    assert_int_equal(p->samples, 10);
    assert_int_equal(p->function_count, 3);
    assert_true(str_is(p->functions[0].name, "sort"));
    assert_int_equal(p->functions[0].self, 6);
    assert_true(str_is(p->functions[1].name, "walk"));
    assert_int_equal(p->functions[1].self, 3);
    assert_int_equal(p->functions[1].total, 3);
    assert_true(str_is(p->functions[2].name, "main"));
    assert_int_equal(p->functions[2].self, 1);
    assert_int_equal(p->functions[2].total, 10);
    close_bench(&b);
}

/* The last of 128 names is for what has no place of its own. */
TEST(more_phases_than_there_is_room_for_have_a_name_that_says_so)
{
    struct bench b;
    open_bench(&b);
    const char *list = "";
    for (int i = 0; i < 130; i++) {
        list =
            arena_printf(&b.f.arena, "%s%s{\"name\":\"p%d\",\"start_s\":%d,\"duration_s\":1}",
                         list, i ? "," : "", i, i);
    }
    const char *detail = arena_printf(&b.f.arena, "{\"phases\":[%s]}", list);
    measure(&b, &(struct deeds){.trials = 1, .duration = {130}, .detail = {detail}});
    const struct profile *p = load(&b);
    assert_int_equal(p->phase_count, 128);
    assert_true(str_is(p->phases[0].name, "(all other phases)"));
    assert_int_equal(p->phases[0].count, 3);
    assert_close(p->phases[0].total_s, 3, 0);
    close_bench(&b);
}

TEST_MAIN(T(phases_are_summed_over_ok_trials_longest_first),
          T(a_row_of_phases_leaves_its_longest), T(another_phase_in_between_ends_the_row),
          T(tokens_of_failed_trials_and_of_attempts_made_again_are_wasted),
          T(a_trial_that_we_spoiled_is_no_failure_and_no_waste),
          T(a_share_of_tokens_is_never_above_one),
          T(resources_and_the_phases_that_a_stream_shows),
          T(nothing_told_is_nan_and_no_finding), T(functions_count_once_per_stack),
          T(more_phases_than_there_is_room_for_have_a_name_that_says_so))
