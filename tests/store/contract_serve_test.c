/* What the server keeps, on every kind of store that opens. */
#include "tests/store/contract.h"

static struct alarm_record an_alarm(const struct execution_record *e)
{
    return (struct alarm_record){.agent_id = e->agent_id,
                                 .benchmark_id = e->benchmark_id,
                                 .cell = "c1",
                                 .metric = "duration_s",
                                 .rule = "beyond_threshold",
                                 .version = "2",
                                 .execution_id = e->id,
                                 .severity = "low",
                                 .amount = 0.25,
                                 .runs = 3,
                                 .changed_at = "2026-11-01T00:00:00.000Z",
                                 .raised_at = "2026-11-02T00:00:00.000Z",
                                 .last_at = "2026-11-02T00:00:00.000Z"};
}

CONTRACT(an_alarm_is_one_row_however_often_it_is_raised)
{
    struct error err = {0};
    struct run_record run;
    struct alarm_record *list;
    size_t count;
    struct execution_record e = put_both(store, &run);
    struct alarm_record a = an_alarm(&e);
    OK(store_raise_alarms(store, &a, 1, &err));
    OK(store_list_alarms(store, NULL, &f->arena, &list, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].agent, "assay");
    assert_string_equal(list[0].run_id, run.id);
    assert_int_equal(list[0].runs, 3);
    assert_null(list[0].judgement);

    struct alarm_record mark = list[0];
    mark.judgement = "false";
    mark.judged_reason = "a busy machine";
    mark.muted_until = "2027-01-01T00:00:00.000Z";
    OK(store_mark_alarm(store, &mark, &err));
    a.severity = "high";
    a.raised_at = a.last_at = "2026-11-05T00:00:00.000Z";
    a.runs = 9;
    OK(store_raise_alarms(store, &a, 1, &err));
    OK(store_list_alarms(store, e.agent_id, &f->arena, &list, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].severity, "high");
    assert_string_equal(list[0].raised_at, "2026-11-02T00:00:00.000Z");
    assert_string_equal(list[0].last_at, "2026-11-05T00:00:00.000Z");
    assert_int_equal(list[0].runs, 3);
    assert_string_equal(list[0].judgement, "false");
    assert_string_equal(list[0].judged_reason, "a busy machine");
    assert_string_equal(list[0].muted_until, "2027-01-01T00:00:00.000Z");

    a.version = "3"; /* of another version it is another alarm */
    OK(store_raise_alarms(store, &a, 1, &err));
    OK(store_list_alarms(store, NULL, &f->arena, &list, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(list[0].version, "3");
    assert_null(list[0].judgement);
    mark.id = 99;
    REFUSED(store_mark_alarm(store, &mark, &err), ERROR_NOT_FOUND);

    run.status = RUN_SUCCESS;
    OK(store_put_run(store, &run, &err));
    OK(store_forget(store, run.id, &err));
    OK(store_list_alarms(store, NULL, &f->arena, &list, &count, &err));
    assert_int_equal(count, 2); /* what was said of them outlives the run */
    assert_null(list[0].execution_id);
}

CONTRACT(tokens_are_kept_by_hash_and_revoked_once)
{
    struct error err = {0};
    struct token_record *list;
    size_t count;
    struct token_record t = {.name = "ci", .role = "run", .hash = "aa", .expires_at = "2027"};
    id_uuid7(t.id);
    OK(store_put_token(store, &t, &err));
    OK(store_list_tokens(store, false, &f->arena, &list, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].id, t.id);
    assert_string_equal(list[0].workspace, "default");
    assert_string_equal(list[0].role, "run");
    assert_string_equal(list[0].hash, "aa");
    assert_string_equal(list[0].expires_at, "2027");
    assert_non_null(list[0].created_at);
    assert_null(list[0].revoked_at);
    OK(store_touch_token(store, t.id, &err));
    struct token_record twin = t;
    id_uuid7(twin.id);
    twin.hash = "bb";
    REFUSED(store_put_token(store, &twin, &err), ERROR_INVALID);
    OK(store_revoke_token(store, "ci", &err));
    REFUSED(store_revoke_token(store, "ci", &err), ERROR_NOT_FOUND);
    OK(store_put_token(store, &twin, &err)); /* the name is free again */
    OK(store_list_tokens(store, false, &f->arena, &list, &count, &err));
    assert_int_equal(count, 2);
    assert_non_null(list[0].revoked_at);
    assert_non_null(list[0].last_used_at);

    struct store_options options = {.workspace = "other"};
    struct store *other;
    OK(store_open(f->url, &options, &other, &err));
    OK(store_list_tokens(other, false, &f->arena, &list, &count, &err));
    assert_int_equal(count, 0);
    OK(store_list_tokens(other, true, &f->arena, &list, &count, &err));
    assert_int_equal(count, 2);
    REFUSED(store_revoke_token(other, "ci", &err), ERROR_NOT_FOUND);
    store_close(other);
}

CONTRACT(a_request_of_a_run_is_kept_until_it_is_done)
{
    struct error err = {0};
    struct request_record *list;
    size_t count;
    struct request_record r = {.suite = "arithmetic",
                               .agents = "[\"bc\"]",
                               .configuration = "{\"iterations.measured\":3}",
                               .token = "ci"};
    id_uuid7(r.id);
    OK(store_put_request(store, &r, &err));
    struct request_record second = {
        .suite = "arithmetic", .agents = "[]", .schedule = "nightly"};
    id_uuid7(second.id);
    OK(store_put_request(store, &second, &err));
    OK(store_list_requests(store, &(struct request_filter){.is_open = true}, &f->arena, &list,
                           &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(list[0].id, second.id);
    assert_string_equal(list[1].workspace, "default");
    assert_string_equal(list[1].configuration, "{\"iterations.measured\":3}");
    assert_int_equal(list[1].state, REQUEST_QUEUED);
    assert_non_null(list[1].created_at);
    r.state = REQUEST_DONE;
    r.ended_at = "2026";
    OK(store_put_request(store, &r, &err));
    OK(store_list_requests(store, &(struct request_filter){.is_open = true}, &f->arena, &list,
                           &count, &err));
    assert_int_equal(count, 1);
    OK(store_list_requests(store, &(struct request_filter){.id = r.id}, &f->arena, &list,
                           &count, &err));
    assert_int_equal(count, 1);
    assert_int_equal(list[0].state, REQUEST_DONE);
    assert_string_equal(list[0].token, "ci");
    OK(store_list_requests(store, &(struct request_filter){.schedule = "nightly"}, &f->arena,
                           &list, &count, &err));
    assert_int_equal(count, 1);

    struct store_options options = {.workspace = "other"};
    struct store *other;
    OK(store_open(f->url, &options, &other, &err));
    r.state = REQUEST_CANCELLED; /* of another workspace: nothing of it changes */
    OK(store_put_request(other, &r, &err));
    OK(store_list_requests(other, &(struct request_filter){0}, &f->arena, &list, &count, &err));
    assert_int_equal(count, 0);
    OK(store_list_requests(other, &(struct request_filter){.all = true, .limit = 1}, &f->arena,
                           &list, &count, &err));
    assert_int_equal(count, 1);
    OK(store_list_requests(store, &(struct request_filter){.id = r.id}, &f->arena, &list,
                           &count, &err));
    assert_int_equal(list[0].state, REQUEST_DONE);
    store_close(other);
}

TEST_MAIN(T(an_alarm_is_one_row_however_often_it_is_raised),
          T(tokens_are_kept_by_hash_and_revoked_once),
          T(a_request_of_a_run_is_kept_until_it_is_done))
