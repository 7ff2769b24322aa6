/* Bundles: lossless, idempotent, all or nothing. */
#include "base/gzip.h"
#include "base/os.h"
#include "interop/bundle.h"
#include "interop/import.h"
#include "store/sqlite_internal.h"
#include "tests/test.h"

static struct arena arena;
static const char *dir;

static struct store *open_store(const char *name)
{
    struct store *store = NULL;
    struct error err = {0};
    struct store_options how = {.create = true};
    if (!store_open(arena_printf(&arena, "%s/%s", dir, name), &how, &store, &err)) {
        fail_msg("%s", err.text);
    }
    return store;
}

/* A run with failures, notes that are not UTF-8, a histogram and an artifact. */
static void fill(struct store *store, struct run_record *run, enum run_status status)
{
    struct error err = {0};
    struct imported *in = NULL;
    struct import_options none = {0};
    struct str text = S("[{\"task\":\"t\",\"duration\":1.5,\"success\":true,\"cost\":2},"
                        "{\"task\":\"t\",\"duration\":1e-300,\"success\":false}]");
    assert_true(import_read(importer_find(S("record")), text, &none, &arena, &in, &err));
    struct import_origin origin = {.path = "x.json"};
    bool is_new = false;
    assert_true(import_write(store, in, &origin, &arena, run, &is_new, &err));
    run->status = status;
    assert_true(store_put_run(store, run, &err));
    struct execution_record *e = NULL;
    size_t count = 0;
    assert_true(store_list_executions(store, run->id, &arena, &e, &count, &err));
    struct histogram_record h = {"latency", "ns",       "x/1",       PHASE_MEASURED,
                                 3,         "anything", S("\0\xFF"), -1};
    assert_true(store_put_histogram(store, e[0].id, &h, &err));
    h.trial = 0; /* beside the one of the whole execution */
    assert_true(store_put_histogram(store, e[0].id, &h, &err));
    struct trial_note note = {.phase = PHASE_MEASURED,
                              .status = TRIAL_FAILED,
                              .error = "not \xFF utf-8",
                              .output = S("a\0b\xFE")};
    struct artifact_record artifact = {"flame", "svg", 0, S("<svg>\0</svg>")};
    struct trial_batch extra = {.execution_id = e[0].id,
                                .phase = PHASE_MEASURED,
                                .first = 2,
                                .notes = &note,
                                .note_count = 1,
                                .artifacts = &artifact,
                                .artifact_count = 1};
    assert_true(store_append(store, &extra, 1, &err));
}

static struct str pack(struct store *store, const struct run_record *runs, size_t count)
{
    struct error err = {0};
    struct buf out;
    buf_init(&out, BUNDLE_MAX_BYTES);
    if (!bundle_write(store, runs, count, "test", &out, &err)) fail_msg("%s", err.text);
    struct str copy = str_copy(&arena, buf_str(&out));
    buf_release(&out);
    return copy;
}

static size_t count_runs(struct store *store)
{
    struct run_record *runs = NULL;
    struct run_filter all = {0};
    struct error err = {0};
    size_t count = 0;
    assert_true(store_list_runs(store, &all, &arena, &runs, &count, &err));
    return count;
}

static enum kind kind_of(struct store *store, const char *run_id, const char *metric)
{
    struct execution_record *e = NULL;
    struct series_record *series = NULL;
    struct error err = {0};
    size_t count = 0;
    assert_true(store_list_executions(store, run_id, &arena, &e, &count, &err));
    assert_true(store_list_series(store, e[0].id, &arena, &series, &count, &err));
    const struct series_record *s = series_find(series, count, PHASE_MEASURED, metric);
    assert_non_null(s);
    return s->kind;
}

TEST(a_round_trip_gives_the_same_bundle)
{
    struct store *a = open_store("a.db");
    struct store *b = open_store("b.db");
    struct run_record runs[2];
    struct error err = {0};
    struct bundle_result r;
    fill(a, &runs[0], RUN_SUCCESS);
    fill(a, &runs[1], RUN_SUCCESS);
    struct str bundle = pack(a, runs, 2);
    if (!bundle_read(b, bundle, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.added, 2);
    assert_int_equal(kind_of(b, runs[0].id, "cost_usd"), KIND_SUM);
    assert_true(str_equal(bundle, pack(b, runs, 2)));
    if (!bundle_read(b, bundle, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.added + r.replaced, 0);
    assert_true(str_equal(bundle, pack(b, runs, 2)));
    struct run_record swapped[2] = {runs[1], runs[0]};
    assert_true(str_equal(bundle, pack(b, swapped, 2)));
    store_close(a);
    store_close(b);
}

TEST(damage_anywhere_is_refused_and_nothing_stays)
{
    struct store *a = open_store("c.db");
    struct store *b = open_store("d.db");
    struct run_record run;
    struct bundle_result r;
    fill(a, &run, RUN_SUCCESS);
    struct str bundle = pack(a, &run, 1);
    char *bytes = arena_copy(&arena, bundle.p, bundle.n);
    enum { HEADER = 10 }; /* gzip's own: flags, time and system say nothing of ours */
    for (size_t i = HEADER; i < bundle.n; i += 7) {
        struct error err = {0};
        bytes[i] ^= 0x55;
        assert_false(bundle_read(b, (struct str){bytes, bundle.n}, &r, &err));
        assert_true(err.text[0] != '\0');
        bytes[i] ^= 0x55;
    }
    for (size_t n = 0; n < bundle.n; n += 97) {
        assert_false(bundle_read(b, (struct str){bytes, n}, &r, NULL));
    }
    assert_int_equal(count_runs(b), 0);
    struct error err = {0};
    assert_true(bundle_read(b, bundle, &r, &err));
    store_close(a);
    store_close(b);
}

/* The bundle with `from` replaced by `to` (of the same length) and packed again:
 * whole as a file, wrong inside. */
static struct str tampered(struct str bundle, const char *from, const char *to)
{
    struct error err = {0};
    struct buf text;
    struct buf out;
    buf_init(&text, BUNDLE_MAX_BYTES);
    buf_init(&out, BUNDLE_MAX_BYTES);
    assert_true(gzip_unpack(bundle, &text, &err));
    char *at = memmem(text.p, text.n, from, strlen(from));
    assert_non_null(at);
    memcpy(at, to, strlen(to));
    gzip_pack(buf_str(&text), &out);
    struct str copy = str_copy(&arena, buf_str(&out));
    buf_release(&text);
    buf_release(&out);
    return copy;
}

TEST(a_changed_row_a_foreign_schema_and_a_conflict_are_told_apart)
{
    struct store *a = open_store("e.db");
    struct run_record run;
    struct bundle_result r;
    struct error err = {0};
    fill(a, &run, RUN_SUCCESS);
    struct str bundle = pack(a, &run, 1);
    assert_false(bundle_read(a, tampered(bundle, "duration_s", "duration_x"), &r, &err));
    assert_non_null(strstr(err.text, "checksum"));
    assert_false(bundle_read(a, tampered(bundle, "bundle/1", "bundle/9"), &r, &err));
    assert_non_null(strstr(err.text, "assay.bundle/1"));
    note_add(&run.notes, &arena, NOTE_REMARK, S("changed since"));
    assert_true(store_put_run(a, &run, &err));
    assert_false(bundle_read(a, bundle, &r, &err));
    assert_non_null(strstr(err.text, "assay forget"));
    run.status = RUN_PARTIAL; /* was not finished here: the bundle's is */
    assert_true(store_put_run(a, &run, &err));
    if (!bundle_read(a, bundle, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.replaced, 1);
    run.status = RUN_SUCCESS;
    assert_true(str_equal(bundle, pack(a, &run, 1)));
    store_close(a);
}

TEST(an_unfinished_run_does_not_replace_a_finished_one)
{
    struct store *a = open_store("f.db");
    struct run_record run;
    struct bundle_result r;
    struct error err = {0};
    fill(a, &run, RUN_PARTIAL);
    struct str early = pack(a, &run, 1);
    run.status = RUN_SUCCESS;
    assert_true(store_put_run(a, &run, &err));
    struct str late = pack(a, &run, 1);
    if (!bundle_read(a, early, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.added + r.replaced, 0);
    assert_true(str_equal(late, pack(a, &run, 1)));
    store_close(a);
}

static const char *latest_of(struct store *store)
{
    struct error err = {0};
    struct run_record run;
    assert_true(store_find_run(store, "latest", &arena, &run, &err));
    return str_cstr(&arena, str_of(run.id));
}

/* By the date of the first run, whose clock was five minutes fast, the second is not the newest; by
 * where it stands it is. */
TEST(a_run_that_a_bundle_knows_less_or_more_of_stays_where_it_stood)
{
    struct store *a = open_store("j.db");
    struct run_record run;
    struct bundle_result r;
    struct error err = {0};
    fill(a, &run, RUN_PARTIAL);
    struct run_record fast = {.status = RUN_SUCCESS,
                              .started_ns = run.started_ns + INT64_C(300000000000)};
    id_uuid7(fast.id);
    assert_true(store_put_run(a, &fast, &err));
    struct str early = pack(a, &run, 1);
    assert_true(
        store_place_newest(a, run.id, &err)); /* it was measured here, and is the last */
    assert_string_equal(latest_of(a), run.id);
    struct execution_record *e = NULL;
    size_t count = 0;
    assert_true(store_list_executions(a, run.id, &arena, &e, &count, &err));
    const uint8_t status = TRIAL_OK;
    const double start_s = 9;
    struct trial_batch more = {.execution_id = e[0].id,
                               .phase = PHASE_MEASURED,
                               .first = 2,
                               .count = 1,
                               .statuses = &status,
                               .starts_s = &start_s};
    assert_true(store_append(a, &more, 1, &err));
    struct str late = pack(a, &run, 1);
    if (!bundle_read(a, early, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.kept, 1);
    assert_string_equal(latest_of(a), run.id);
    run.status = RUN_RUNNING; /* other rows than the bundle's, and as many trials */
    assert_true(store_put_run(a, &run, &err));
    if (!bundle_read(a, late, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.replaced, 1);
    assert_string_equal(latest_of(a), run.id);
    store_close(a);
}

static int64_t start_of(struct store *store, const char *id)
{
    struct error err = {0};
    struct run_record run;
    assert_true(store_find_run(store, id, &arena, &run, &err));
    return run.started_ns;
}

/* The later import counts, wherever it was. */
TEST(a_run_that_was_imported_again_is_no_conflict)
{
    struct store *a = open_store("h.db");
    struct store *b = open_store("i.db");
    struct run_record run;
    struct bundle_result r;
    struct error err = {0};
    fill(a, &run, RUN_SUCCESS);
    run.spec_hash = "of its contents";
    assert_true(store_put_run(a, &run, &err));
    struct str early = pack(a, &run, 1);
    int64_t later_ns = run.started_ns + 5000000000;
    assert_true(bundle_read(b, early, &r, &err));
    assert_true(import_again(a, &run, later_ns, &arena, &err));
    struct str late = pack(a, &run, 1);
    if (!bundle_read(a, early, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(start_of(a, run.id), later_ns);
    assert_true(str_equal(late, pack(a, &run, 1)));
    if (!bundle_read(b, late, &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(start_of(b, run.id), later_ns);
    assert_int_equal(count_runs(b), 1);
    store_close(a);
    store_close(b);
}

/* A table that a migration adds must be carried, or be named here with a reason:
 * rollups and regressions are computed from the rest, tokens are secrets, and requests
 * are one server's own. */
TEST(every_table_of_executions_is_carried)
{
    struct store *store = open_store("g.db");
    sqlite3_stmt *stmt = NULL;
    static const char sql[] =
        "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND c.name IN ('execution_id', 'run_id')"
        " AND m.name NOT LIKE 'rollup%' AND m.name <> 'regressions'";
    struct sqlite *s = sqlite_of(store);
    assert_int_equal(sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL), SQLITE_OK);
    size_t count = 0;
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        struct error err = {0};
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        const char *row = arena_printf(&arena, "{\"%s\":{\"no_such_column\":1}}", name);
        assert_false(store_put_row(store, NULL, str_of(row), &err));
        if (strstr(err.text, "no table")) fail_msg("%s is not in bundles", name);
        count++;
    }
    assert_true(count >= 9);
    sqlite3_finalize(stmt);
    store_close(store);
}

int main(void)
{
    arena = arena_open();
    struct error err = {0};
    if (!os_make_temp_dir("assay-bundle", &arena, &dir, &err)) return 1;
    const struct CMUnitTest tests[] = {
        T(a_round_trip_gives_the_same_bundle),
        T(damage_anywhere_is_refused_and_nothing_stays),
        T(a_changed_row_a_foreign_schema_and_a_conflict_are_told_apart),
        T(an_unfinished_run_does_not_replace_a_finished_one),
        T(a_run_that_was_imported_again_is_no_conflict),
        T(a_run_that_a_bundle_knows_less_or_more_of_stays_where_it_stood),
        T(every_table_of_executions_is_carried),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    os_remove_tree(dir);
    arena_close(&arena);
    return failed;
}
