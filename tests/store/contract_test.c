/* The same cases on every kind of store that opens. */
#include "tests/store/contract.h"

CONTRACT(a_run_comes_back_as_it_was_put)
{
    struct error err = {0};
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    run.status = RUN_SUCCESS;
    run.ended_ns = run.started_ns + 1234567891;
    note_add(&run.notes, &f->arena, NOTE_REMARK, S("said\nsomething"));
    note_add(&run.notes, &f->arena, NOTE_LOST, S("[\"not\", \"a list\"]"));
    run.baseline = "main";
    OK(value_read_json(S("[{\"name\":\"fast\",\"entry\":1}]"), &value_limits_stored, &f->arena,
                       &run.claims, &err));
    OK(store_put_run(store, &run, &err));

    struct run_record *list;
    size_t count;
    OK(store_list_runs(store, &(struct run_filter){0}, &f->arena, &list, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].id, run.id);
    assert_int_equal(list[0].status, RUN_SUCCESS);
    assert_int_equal(list[0].seed, 42);
    assert_int_equal(list[0].started_ns, run.started_ns);
    assert_int_equal(list[0].ended_ns, run.ended_ns);
    assert_string_equal(list[0].spec_text, run.spec_text);
    assert_true(value_equal(list[0].environment, run.environment));
    assert_true(value_equal(list[0].command, run.command));
    assert_true(value_equal(list[0].tags, run.tags));
    assert_int_equal(list[0].notes.count, 2);
    assert_string_equal(list[0].notes.items[0].text, "said\nsomething");
    assert_int_equal(list[0].notes.items[1].kind, NOTE_LOST);
    assert_string_equal(list[0].notes.items[1].text, "[\"not\", \"a list\"]");
    assert_null(list[0].vcs);
    assert_true(value_equal(list[0].claims, run.claims));
    assert_string_equal(list[0].baseline, "main");
}

CONTRACT(an_execution_comes_back_as_it_was_put)
{
    struct error err = {0};
    struct run_record run;
    struct execution_record e = put_both(store, &run);
    e.status = RUN_SUCCESS;
    e.end_ns = e.start_ns + 5000000;
    e.counts.attempted = 3;
    e.counts.by_status[TRIAL_OK] = 2;
    e.counts.by_status[TRIAL_HARNESS_ERROR] = 1;
    e.scores[SCORE_ACCURACY] = 0.1 + 0.2;
    e.tokens_used = 123;
    e.steady_at = -1;
    e.factor = "n";
    e.entry_index = 2;
    e.name = "parser";
    e.version_kind = VERSION_TREE;
    e.made_from = "01a1e64a-558a-7c2b-820b-511a6fd99fc4";
    e.unranked = UNRANKED_CACHED;
    OK(store_put_execution(store, &e, &err));
    struct execution_record second = an_execution(store, &run, -1);
    OK(store_put_execution(store, &second, &err));

    struct execution_record *list;
    size_t count;
    OK(store_list_executions(store, run.id, &f->arena, &list, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(list[0].id, second.id); /* plan order */
    assert_string_equal(list[1].id, e.id);
    assert_string_equal(list[1].run_id, run.id);
    assert_string_equal(list[1].agent_id, e.agent_id);
    assert_int_equal(list[1].status, RUN_SUCCESS);
    assert_int_equal(list[1].start_ns, e.start_ns);
    assert_int_equal(list[1].end_ns, e.end_ns);
    assert_int_equal(list[1].counts.attempted, 3);
    assert_int_equal(list[1].counts.by_status[TRIAL_OK], 2);
    assert_int_equal(list[1].counts.by_status[TRIAL_HARNESS_ERROR], 1);
    assert_true(list[1].scores[SCORE_ACCURACY] == 0.1 + 0.2);
    assert_true(list[1].tokens_used == 123);
    assert_true(isnan(list[1].scores[SCORE_SPEED]));
    assert_int_equal(list[1].steady_at, -1);
    assert_string_equal(list[1].factor, "n");
    assert_null(list[1].error_details);
    assert_int_equal(list[1].entry_index, 2);
    assert_string_equal(list[1].name, "parser");
    assert_int_equal(list[1].version_kind, VERSION_TREE);
    assert_string_equal(list[1].made_from, e.made_from);
    assert_int_equal(list[1].unranked, UNRANKED_CACHED);
    assert_int_equal(list[0].entry_index, -1);
    assert_int_equal(list[0].unranked, UNRANKED_NOT);

    struct execution_record first;
    OK(store_peek_executions(store, run.id, &f->arena, &first, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(first.id, second.id);
    OK(store_peek_executions(store, "none", &f->arena, &first, &count, &err));
    assert_int_equal(count, 0);

    struct execution_record found;
    OK(store_find_execution(store, second.id, &f->arena, &found, &err));
    assert_string_equal(found.id, second.id);
    assert_string_equal(found.run_id, run.id);
    REFUSED(store_find_execution(store, "none", &f->arena, &found, &err), ERROR_NOT_FOUND);
}

CONTRACT(an_execution_of_an_unknown_run_is_refused)
{
    (void)f;
    struct error err = {0};
    struct run_record run = a_run();
    struct execution_record e = an_execution(store, &run, 0);
    REFUSED(store_put_execution(store, &e, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "not stored"));
}

CONTRACT(samples_read_alike_open_and_folded)
{
    struct error err = {0};
    struct run_record run;
    struct execution_record e = put_both(store, &run);
    OK(append(store, e.id, PHASE_WARMUP, 0, 3, &err));
    OK(append(store, e.id, PHASE_MEASURED, 0, 10, &err));
    OK(append(store, e.id, PHASE_MEASURED, 10, 1, &err));
    assert_trials(store, e.id, 11, &f->arena);
    OK(store_finish(store, &e, &err));
    assert_trials(store, e.id, 11, &f->arena);

    struct series_record *list;
    size_t count;
    OK(store_list_series(store, e.id, &f->arena, &list, &count, &err));
    assert_int_equal(count, 8);
    assert_string_equal(list[0].metric, "duration_s");
    assert_int_equal(list[0].phase, PHASE_MEASURED);
    assert_string_equal(list[0].unit, "s");
    assert_int_equal(list[0].direction, DIRECTION_LOWER);
    assert_string_equal(list[0].definition, "duration/1");
    assert_int_equal(find_series(list, count, PHASE_WARMUP, "trial.segment")->count, 3);
}

/* A metric that nobody told, then for a while, then nobody again. */
CONTRACT(one_metric_is_read_without_the_others)
{
    struct error err = {0};
    struct execution_record e = put_cell(store);
    static const char *const own[] = {"trial.segment"};
    static const char *const one[] = {"duration_s", "no_such_metric"};
    struct series_record *list;
    size_t count;
    OK(append(store, e.id, PHASE_MEASURED, 0, 7, &err));
    for (int is_folded = 0; is_folded < 2; is_folded++) {
        struct series_filter filter = {e.id, one, COUNT(one)};
        OK(store_read_series(store, &filter, &f->arena, &list, &count, &err));
        assert_int_equal(count, 1);
        assert_string_equal(list[0].metric, "duration_s");
        assert_int_equal(list[0].count, 7);
        assert_true(list[0].samples[6] == 1 + 6.0 / 1000 && isnan(list[0].samples[4]));
        filter = (struct series_filter){e.id, own, 1};
        OK(store_read_series(store, &filter, &f->arena, &list, &count, &err));
        assert_int_equal(count, 1);
        assert_true(list[0].samples[6] == 0);
        filter.metric_count = 0;
        OK(store_read_series(store, &filter, &f->arena, &list, &count, &err));
        assert_int_equal(count, 0);
        if (!is_folded) OK(store_finish(store, &e, &err));
    }
}

CONTRACT(trials_without_a_value_have_none_open_and_folded)
{
    static const size_t counts[] = {3, 2, 4};
    struct error err = {0};
    struct run_record run;
    struct execution_record e = put_both(store, &run);
    int64_t first = 0;
    for (size_t k = 0; k < COUNT(counts); k++) {
        struct batch t;
        fill_batch(&t, e.id, PHASE_MEASURED, first, counts[k]);
        for (size_t i = 0; i < counts[k]; i++) t.durations[i] = k == 1 ? 7 : (double)NAN;
        OK(store_append(store, &t.b, 1, &err));
        first += (int64_t)counts[k];
    }
    for (int is_folded = 0; is_folded < 2; is_folded++) {
        struct series_record *list;
        size_t count;
        OK(store_list_series(store, e.id, &f->arena, &list, &count, &err));
        const struct series_record *s = find_series(list, count, PHASE_MEASURED, "duration_s");
        assert_int_equal(s->count, 9);
        for (size_t i = 0; i < 9; i++) {
            bool has_value = i >= 3 && i < 5;
            assert_true(has_value ? s->samples[i] == 7 : isnan(s->samples[i]));
        }
        OK(store_finish(store, &e, &err));
    }
}

CONTRACT(a_finished_execution_can_be_gone_on_with)
{
    struct error err = {0};
    struct run_record run;
    struct store_progress p;
    struct execution_record e = put_both(store, &run);
    OK(store_progress(store, e.id, &p, &err));
    assert_int_equal(p.trials[PHASE_MEASURED], 0);
    assert_int_equal(p.next_segment, 0);
    OK(append(store, e.id, PHASE_MEASURED, 0, 7, &err));
    OK(store_progress(store, e.id, &p, &err));
    assert_int_equal(p.trials[PHASE_MEASURED], 7);
    assert_int_equal(p.next_segment, 1);
    OK(store_finish(store, &e, &err));
    OK(store_progress(store, e.id, &p, &err));
    assert_int_equal(p.trials[PHASE_MEASURED], 7);
    assert_int_equal(p.next_segment, 1);

    struct batch more;
    fill_batch(&more, e.id, PHASE_MEASURED, 7, 5);
    more.b.segment = p.next_segment;
    OK(store_append(store, &more.b, 1, &err));
    assert_trials(store, e.id, 12, &f->arena);
    OK(store_progress(store, e.id, &p, &err));
    assert_int_equal(p.trials[PHASE_MEASURED], 12);
    assert_int_equal(p.next_segment, 2);
    OK(store_finish(store, &e, &err));
    OK(store_finish(store, &e, &err)); /* nothing open: nothing changes */
    assert_trials(store, e.id, 12, &f->arena);

    struct series_record *list;
    size_t count;
    OK(store_list_series(store, e.id, &f->arena, &list, &count, &err));
    const struct series_record *segment =
        find_series(list, count, PHASE_MEASURED, "trial.segment");
    assert_true(segment->samples[6] == 0 && segment->samples[7] == 1);
}

CONTRACT(a_trial_twice_or_missing_is_refused_whole)
{
    struct error err = {0};
    struct run_record run;
    struct execution_record e = put_both(store, &run);
    OK(append(store, e.id, PHASE_MEASURED, 0, 4, &err));
    REFUSED(append(store, e.id, PHASE_MEASURED, 3, 2, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "trial 3 is there already"));
    REFUSED(append(store, e.id, PHASE_MEASURED, 5, 2, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "trial 4 is missing"));
    struct batch good;
    struct batch bad;
    fill_batch(&good, e.id, PHASE_MEASURED, 4, 2);
    fill_batch(&bad, e.id, PHASE_MEASURED, 4, 2);
    struct trial_batch both[] = {good.b, bad.b};
    REFUSED(store_append(store, both, 2, &err), ERROR_INVALID);
    assert_trials(store, e.id, 4, &f->arena);
    OK(store_finish(store, &e, &err));
    REFUSED(append(store, e.id, PHASE_MEASURED, 0, 1, &err), ERROR_INVALID);
    OK(append(store, e.id, PHASE_MEASURED, 4, 2, &err));
    assert_trials(store, e.id, 6, &f->arena);
}

CONTRACT(a_metric_that_comes_late_or_changes)
{
    struct error err = {0};
    struct run_record run;
    struct execution_record e = put_both(store, &run);
    static const struct metric late = {"late", "MB", DIRECTION_HIGHER, "late/1", "x"};
    static const struct metric other = {"late", "MB", DIRECTION_HIGHER, "late/2", "x"};
    const struct metric *metrics[] = {&metric_duration, &late};
    OK(append(store, e.id, PHASE_MEASURED, 0, 2, &err));
    struct batch t;
    fill_batch(&t, e.id, PHASE_MEASURED, 2, 2);
    const double values[] = {7, 8};
    const double *columns[] = {t.durations, values};
    t.b.column_count = 2;
    t.b.metrics = metrics;
    t.b.columns = columns;
    OK(store_append(store, &t.b, 1, &err));
    for (int folded = 0; folded < 2; folded++) {
        struct series_record *list;
        size_t count;
        OK(store_list_series(store, e.id, &f->arena, &list, &count, &err));
        const struct series_record *r = find_series(list, count, PHASE_MEASURED, "late");
        assert_int_equal(r->count, 4);
        assert_true(isnan(r->samples[0]) && isnan(r->samples[1]));
        assert_true(r->samples[2] == 7 && r->samples[3] == 8);
        OK(store_finish(store, &e, &err));
    }
    fill_batch(&t, e.id, PHASE_MEASURED, 4, 2);
    metrics[1] = &other;
    t.b.column_count = 2;
    t.b.metrics = metrics;
    t.b.columns = columns;
    REFUSED(store_append(store, &t.b, 1, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "late/2"));
}

CONTRACT(notes_and_artifacts_come_back)
{
    struct error err = {0};
    struct run_record run;
    struct execution_record e = put_both(store, &run);
    struct batch t;
    fill_batch(&t, e.id, PHASE_MEASURED, 0, 2);
    struct trial_note notes[] = {
        {.trial = 1,
         .phase = PHASE_MEASURED,
         .iteration = 9,
         .status = TRIAL_TIMED_OUT,
         .error = "too slow",
         .detail = "{\"a\":1}",
         .case_hash = "h",
         .output = S("o\0p")},
        {.trial = 0, .phase = PHASE_MEASURED, .status = TRIAL_OK},
    };
    struct artifact_record artifact = {"resources_iter_0", "jsonl", 1, S("{}\n")};
    t.b.notes = notes;
    t.b.note_count = 2;
    t.b.artifacts = &artifact;
    t.b.artifact_count = 1;
    OK(store_append(store, &t.b, 1, &err));
    OK(store_finish(store, &e, &err));

    struct trial_note *n;
    struct artifact_record *a;
    size_t count;
    OK(store_list_notes(store, e.id, &f->arena, &n, &count, &err));
    assert_int_equal(count, 2);
    assert_int_equal(n[0].trial, 0);
    assert_null(n[0].error);
    assert_int_equal(n[0].output.n, 0);
    assert_int_equal(n[1].trial, 1);
    assert_int_equal(n[1].iteration, 9);
    assert_int_equal(n[1].phase, PHASE_MEASURED);
    assert_int_equal(n[1].status, TRIAL_TIMED_OUT);
    assert_string_equal(n[1].error, "too slow");
    assert_string_equal(n[1].detail, "{\"a\":1}");
    assert_string_equal(n[1].case_hash, "h");
    assert_true(str_equal(n[1].output, S("o\0p")));
    OK(store_list_artifacts(store, e.id, &f->arena, &a, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(a[0].name, "resources_iter_0");
    assert_string_equal(a[0].kind, "jsonl");
    assert_int_equal(a[0].trial, 1);
    assert_true(str_equal(a[0].bytes, S("{}\n")));
}

/* Ids that differ in their ninth character. */
static struct run_record put_named_run(struct store *store, const char *id, int64_t started_ns,
                                       const char *tags)
{
    struct error err = {0};
    struct run_record run = a_run();
    snprintf(run.id, sizeof run.id, "%s", id);
    run.started_ns = started_ns;
    run.tags = tags ? from_json(tags) : NULL;
    OK(store_put_run(store, &run, &err));
    return run;
}

CONTRACT(runs_are_found_by_selector)
{
    struct error err = {0};
    struct run_record run;
    REFUSED(store_find_run(store, "latest", &f->arena, &run, &err), ERROR_NOT_FOUND);
    put_named_run(store, "aaaabbbb-0000-7000-8000-000000000001", 10, "[]");
    put_named_run(store, "aaaabbbb-1000-7000-8000-000000000002", 30, "[\"t\"]");
    put_named_run(store, "cccc0000-0000-7000-8000-000000000003", 20, NULL);
    OK(store_place_imported(store, "cccc0000-0000-7000-8000-000000000003", &err));
    OK(store_find_run(store, "latest", &f->arena, &run, &err));
    assert_int_equal(run.started_ns, 30);
    OK(store_find_run(store, "cccc", &f->arena, &run, &err));
    assert_int_equal(run.started_ns, 20);
    OK(store_find_run(store, "AAAABBBB-0", &f->arena, &run, &err));
    assert_int_equal(run.started_ns, 10);
    OK(store_find_run(store, "aaaabbbb-1000-7000-8000-000000000002", &f->arena, &run, &err));
    assert_int_equal(run.started_ns, 30);
    REFUSED(store_find_run(store, "aaaa", &f->arena, &run, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "aaaabbbb-0000-7000-8000-000000000001"));
    assert_non_null(strstr(err.text, "aaaabbbb-1000-7000-8000-000000000002"));
    REFUSED(store_find_run(store, "aaa", &f->arena, &run, &err), ERROR_INVALID);
    REFUSED(store_find_run(store, "dddd", &f->arena, &run, &err), ERROR_NOT_FOUND);
    REFUSED(store_find_run(store, "no' OR 1", &f->arena, &run, &err), ERROR_NOT_FOUND);
}

CONTRACT(runs_are_listed_newest_first_and_filtered)
{
    struct error err = {0};
    put_named_run(store, "aaaabbbb-0000-7000-8000-000000000001", 10, "[]");
    put_named_run(store, "aaaabbbb-1000-7000-8000-000000000002", 30, "[\"t\"]");
    put_named_run(store, "cccc0000-0000-7000-8000-000000000003", 20, "[\"u\",\"t\"]");
    OK(store_place_imported(store, "cccc0000-0000-7000-8000-000000000003", &err));
    static const struct {
        struct run_filter filter;
        size_t count;
        int64_t first_ns;
    } table[] = {
        {{0}, 3, 30},
        {{.limit = 2}, 2, 30},
        {{.since_ns = 20}, 2, 30},
        {{.tag = "u"}, 1, 20},
        {{.tag = "t"}, 2, 30},
        {{.tag = "none"}, 0, 0},
        {{.id_prefix = "aaaa", .since_ns = 11}, 1, 30},
        {{.id_prefix = "cccc", .tag = "t"}, 1, 20},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct run_record *list;
        size_t count;
        OK(store_list_runs(store, &table[i].filter, &f->arena, &list, &count, &err));
        assert_int_equal(count, table[i].count);
        if (count) assert_int_equal(list[0].started_ns, table[i].first_ns);
    }
}

CONTRACT(making_ready_changes_nothing)
{
    struct error err = {0};
    struct run_record *list;
    size_t count;
    OK(store_make_ready(store, &err));
    OK(store_list_runs(store, &(struct run_filter){0}, &f->arena, &list, &count, &err));
    assert_int_equal(count, 0);
    put_cell(store);
    OK(store_make_ready(store, &err));
    OK(store_list_runs(store, &(struct run_filter){0}, &f->arena, &list, &count, &err));
    assert_int_equal(count, 1);
}

/* The newest is what was put last, whatever the clock said; an imported run counts by a date
 * that can be true, and never moves what was measured here. */
CONTRACT(no_clock_says_which_run_is_the_newest)
{
    static const int64_t hour_ns = INT64_C(3600) * 1000000000;
    const int64_t now_ns = clock_unix_ns();
    static const struct {
        int hours; /* from now */
        bool is_imported;
        int place; /* newest first */
    } table[] = {
        {-50, false, 5}, {-10, false, 3},   {-20, false, 2}, /* the clock goes back */
        {-40, true, 4},  {700000, true, 6}, {-5, true, 1},   {-30, false, 0},
    };
    struct error err = {0};
    char ids[COUNT(table)][UUID_SIZE];
    for (size_t i = 0; i < COUNT(table); i++) {
        struct run_record run = a_run();
        run.started_ns = now_ns + table[i].hours * hour_ns;
        OK(store_put_run(store, &run, &err));
        if (table[i].is_imported) OK(store_place_imported(store, run.id, &err));
        OK(store_put_run(store, &run, &err)); /* an update moves nothing */
        struct execution_record e = an_execution(store, &run, 0);
        e.start_ns = run.started_ns;
        OK(store_put_execution(store, &e, &err));
        snprintf(ids[i], UUID_SIZE, "%s", run.id);
    }
    for (int round = 0; round < 2; round++) {
        struct run_record *list;
        struct execution_record *executions;
        size_t count;
        size_t execution_count;
        OK(store_list_runs(store, &(struct run_filter){0}, &f->arena, &list, &count, &err));
        OK(store_query_executions(store, &(struct execution_filter){0}, &f->arena, &executions,
                                  &execution_count, &err));
        assert_int_equal(count, COUNT(table));
        assert_int_equal(execution_count, COUNT(table));
        for (size_t i = 0; i < COUNT(table); i++) {
            assert_string_equal(list[table[i].place].id, ids[i]);
            assert_string_equal(executions[table[i].place].run_id, ids[i]);
        }
        struct run_record last;
        OK(store_find_run(store, "latest", &f->arena, &last, &err));
        assert_string_equal(last.id, ids[COUNT(table) - 1]);
        OK(store_compact(store, &err));
    }
}

/* SQLite counts rowids on from the largest, which may be below zero. */
CONTRACT(a_run_that_is_measured_after_a_dubious_import_is_the_newest)
{
    struct error err = {0};
    struct run_record run = a_run();
    run.started_ns = clock_unix_ns() + INT64_C(86400) * 1000000000;
    OK(store_put_run(store, &run, &err));
    OK(store_place_imported(store, run.id, &err));
    struct run_record ours = a_run();
    ours.started_ns = 5;
    OK(store_put_run(store, &ours, &err));
    OK(store_find_run(store, "latest", &f->arena, &run, &err));
    assert_string_equal(run.id, ours.id);
}

/* Wherever it stood: among the measured, or by its date before all of them. */
CONTRACT(a_run_that_was_found_again_is_the_newest)
{
    struct error err = {0};
    struct run_record runs[3];
    for (int i = 0; i < 3; i++) {
        runs[i] = a_run();
        runs[i].started_ns = 100 - i;
        OK(store_put_run(store, &runs[i], &err));
        if (i == 2) OK(store_place_imported(store, runs[i].id, &err));
        struct execution_record e = an_execution(store, &runs[i], 0);
        OK(store_put_execution(store, &e, &err));
    }
    static const int order[] = {0, 2, 1, 0};
    for (size_t i = 0; i < COUNT(order); i++) {
        struct run_record *again = &runs[order[i]];
        struct run_record latest;
        struct execution_record *executions;
        size_t count;
        again->started_ns = 5; /* the clock went back */
        OK(store_put_run(store, again, &err));
        OK(store_place_newest(store, again->id, &err));
        OK(store_find_run(store, "latest", &f->arena, &latest, &err));
        assert_string_equal(latest.id, again->id);
        OK(store_query_executions(store, &(struct execution_filter){0}, &f->arena, &executions,
                                  &count, &err));
        assert_int_equal(count, 3);
        assert_string_equal(executions[0].run_id, again->id);
    }
}

CONTRACT(a_forgotten_run_leaves_nothing_behind)
{
    struct error err = {0};
    struct run_record run;
    struct run_record kept_run;
    struct execution_record e = put_both(store, &run);
    struct execution_record kept = put_both(store, &kept_run);
    OK(append(store, e.id, PHASE_MEASURED, 0, 4, &err));
    OK(append(store, kept.id, PHASE_MEASURED, 0, 4, &err));
    OK(store_finish(store, &kept, &err));
    OK(store_forget(store, run.id, &err));
    OK(store_compact(store, &err));
    size_t count;
    struct series_record *list;
    struct execution_record *executions;
    OK(store_list_executions(store, run.id, &f->arena, &executions, &count, &err));
    assert_int_equal(count, 0);
    OK(store_list_series(store, e.id, &f->arena, &list, &count, &err));
    assert_int_equal(count, 0);
    assert_trials(store, kept.id, 4, &f->arena);
    REFUSED(store_forget(store, run.id, &err), ERROR_NOT_FOUND);
    REFUSED(append(store, e.id, PHASE_MEASURED, 0, 4, &err), ERROR_INVALID);
}

static void assert_held(struct store *reader, struct store *writer, struct arena *arena)
{
    struct error err = {0};
    struct run_record run;
    struct run_record *list;
    struct series_record *series;
    size_t before, count;
    OK(store_list_runs(reader, &(struct run_filter){0}, arena, &list, &before, &err));
    OK(store_hold(reader, &err));
    OK(store_list_runs(reader, &(struct run_filter){0}, arena, &list, &count, &err));
    assert_int_equal(count, before);
    struct execution_record e = put_both(writer, &run); /* nobody waits for a reader */
    OK(append(writer, e.id, PHASE_MEASURED, 0, 4, &err));
    OK(store_hold(reader, &err)); /* inside of the first */
    OK(store_list_series(reader, e.id, arena, &series, &count, &err));
    assert_int_equal(count, 0);
    store_release(reader);
    OK(store_list_runs(reader, &(struct run_filter){0}, arena, &list, &count, &err));
    assert_int_equal(count, before);
    store_release(reader);
    OK(store_list_runs(reader, &(struct run_filter){0}, arena, &list, &count, &err));
    assert_int_equal(count, before + 1);
    assert_trials(reader, e.id, 4, arena);
}

CONTRACT(what_is_read_while_held_is_one_moment)
{
    struct error err = {0};
    struct run_record run;
    put_both(store, &run);
    struct store_options options = {.read_only = true};
    struct store *reader;
    OK(store_open(f->url, &options, &reader, &err));
    assert_held(reader, store, &f->arena);
    store_close(reader);
    options.read_only = false;
    OK(store_open(f->url, &options, &reader, &err));
    assert_held(reader, store, &f->arena);
    put_both(reader, &run); /* writes go on after it */
    store_close(reader);
}

CONTRACT(counts_beyond_a_column_are_unknown)
{
    struct error err = {0};
    struct run_record run;
    struct execution_record e = put_both(store, &run);
    static const double told[] = {1e30, -1e30, INFINITY, NAN, 9e15, 0};
    for (size_t i = 0; i < COUNT(told); i++) {
        e.tokens_used = told[i];
        OK(store_put_execution(store, &e, &err));
        struct execution_record *list;
        size_t count;
        OK(store_list_executions(store, run.id, &f->arena, &list, &count, &err));
        bool is_kept = fabs(told[i]) < 1e18;
        assert_true(is_kept ? list[0].tokens_used == told[i] : isnan(list[0].tokens_used));
    }
}

CONTRACT(histograms_come_back_and_are_replaced)
{
    struct error err = {0};
    struct run_record run;
    struct execution_record e = put_both(store, &run);
    struct histogram_record put[] = {
        {"latency", "ns", "x/1", PHASE_MEASURED, 3, "any", S("\0\xFF")},
        {"latency", "ns", "x/1", PHASE_WARMUP, 1, "any", S("")},
        {"latency", "ns", "x/1", PHASE_PROFILED, 2, "any", S("p")},
        {"latency", "us", "x/2", PHASE_MEASURED, 4, "other", S("abc")},
    };
    for (size_t i = 0; i < COUNT(put); i++) {
        OK(store_put_histogram(store, e.id, &put[i], &err));
    }
    struct histogram_record *list;
    size_t count;
    OK(store_list_histograms(store, e.id, &f->arena, &list, &count, &err));
    assert_int_equal(count, 3);
    static const size_t order[] = {3, 2, 1}; /* by the phase's name; the last put counts */
    for (size_t i = 0; i < count; i++) {
        const struct histogram_record *h = &put[order[i]];
        assert_int_equal(list[i].phase, h->phase);
        assert_string_equal(list[i].metric, h->metric);
        assert_string_equal(list[i].unit, h->unit);
        assert_string_equal(list[i].definition, h->definition);
        assert_string_equal(list[i].encoding, h->encoding);
        assert_int_equal(list[i].count, h->count);
        assert_true(str_equal(list[i].data, h->data));
    }
    REFUSED(store_put_histogram(store, "no such execution", &put[0], &err), ERROR_INVALID);
    OK(store_list_histograms(store, "no such execution", &f->arena, &list, &count, &err));
    assert_int_equal(count, 0);
}

CONTRACT(a_trials_histogram_is_stored_with_it_and_never_without)
{
    struct error err = {0};
    struct run_record run;
    struct execution_record e = put_both(store, &run);
    static const uint8_t statuses[2] = {0};
    static const double starts[2] = {0};
    struct histogram_record put[] = {
        {"latency", "ns", "x/1", PHASE_MEASURED, 3, "any", S("a"), 0},
        {"latency", "ns", "x/1", PHASE_MEASURED, 4, "any", S("b"), 1},
    };
    struct trial_batch batch = {.execution_id = e.id,
                                .phase = PHASE_MEASURED,
                                .count = 2,
                                .statuses = statuses,
                                .starts_s = starts,
                                .histograms = put,
                                .histogram_count = 2};
    struct histogram_record *list;
    size_t count;
    struct store_progress progress;
    static const struct {
        int64_t trial;
        enum trial_phase phase;
    } strays[] = {{2, PHASE_MEASURED}, {-1, PHASE_MEASURED}, {0, PHASE_WARMUP}};
    for (size_t i = 0; i < COUNT(strays); i++) {
        put[1].trial = strays[i].trial;
        put[1].phase = strays[i].phase;
        REFUSED(store_append(store, &batch, 1, &err), ERROR_INVALID);
        OK(store_list_histograms(store, e.id, &f->arena, &list, &count, &err));
        assert_int_equal(count, 0);
        OK(store_progress(store, e.id, &progress, &err));
        assert_int_equal(progress.trials[PHASE_MEASURED], 0);
    }
    put[1].trial = 1;
    put[1].phase = PHASE_MEASURED;
    OK(store_append(store, &batch, 1, &err));
    e.status = RUN_SUCCESS;
    e.counts = (struct trial_counts){.attempted = 2, .by_status = {[TRIAL_OK] = 2}};
    OK(store_finish(store, &e, &err));
    OK(store_list_histograms(store, e.id, &f->arena, &list, &count, &err));
    assert_int_equal(count, 2);
    assert_true(list[0].trial == 0 && list[0].count == 3 && str_is(list[0].data, "a"));
    assert_true(list[1].trial == 1 && list[1].count == 4 && str_is(list[1].data, "b"));
    OK(store_forget(store, run.id, &err));
    OK(store_list_histograms(store, e.id, &f->arena, &list, &count, &err));
    assert_int_equal(count, 0);
}

CONTRACT(workspaces_do_not_see_each_other)
{
    struct error err = {0};
    struct run_record run;
    put_both(store, &run);
    struct store_options options = {.workspace = "other"};
    struct store *other;
    OK(store_open(f->url, &options, &other, &err));
    size_t count;
    struct run_record *list;
    OK(store_list_runs(other, &(struct run_filter){0}, &f->arena, &list, &count, &err));
    assert_int_equal(count, 0);
    REFUSED(store_find_run(other, run.id, &f->arena, &run, &err), ERROR_NOT_FOUND);
    REFUSED(store_forget(other, run.id, &err), ERROR_NOT_FOUND);
    store_close(other);
}

TEST_MAIN(T(a_run_comes_back_as_it_was_put), T(an_execution_comes_back_as_it_was_put),
          T(an_execution_of_an_unknown_run_is_refused), T(samples_read_alike_open_and_folded),
          T(one_metric_is_read_without_the_others),
          T(trials_without_a_value_have_none_open_and_folded),
          T(a_finished_execution_can_be_gone_on_with),
          T(a_trial_twice_or_missing_is_refused_whole), T(a_metric_that_comes_late_or_changes),
          T(notes_and_artifacts_come_back), T(runs_are_found_by_selector),
          T(runs_are_listed_newest_first_and_filtered),
          T(what_is_read_while_held_is_one_moment), T(counts_beyond_a_column_are_unknown),
          T(histograms_come_back_and_are_replaced),
          T(a_trials_histogram_is_stored_with_it_and_never_without),
          T(making_ready_changes_nothing), T(no_clock_says_which_run_is_the_newest),
          T(a_run_that_is_measured_after_a_dubious_import_is_the_newest),
          T(a_run_that_was_found_again_is_the_newest), T(a_forgotten_run_leaves_nothing_behind),
          T(workspaces_do_not_see_each_other))
