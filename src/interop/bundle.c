#include "interop/bundle.h"

#include "base/gzip.h"
#include "base/json.h"
#include "interop/import.h"

#include <stdlib.h>

static const char schema[] = "assay.bundle/1";

bool bundle_is(struct str bytes)
{
    return gzip_is(bytes);
}

static size_t count_lines(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.n; i++) count += text.p[i] == '\n';
    return count;
}

/* ---- writing ---- */

static void put_section(struct json *j, struct str lines)
{
    char hash[SHA256_HEX_SIZE];
    json_put_int(j, "rows", (int64_t)count_lines(lines));
    json_put_text(j, "sha256", id_sha256(lines, hash));
}

static int by_id(const void *a, const void *b)
{
    const struct run_record *const *x = a;
    const struct run_record *const *y = b;
    return strcmp((*x)->id, (*y)->id);
}

/* The rows from *start on are the section just written. */
static struct str section_from(const struct buf *body, size_t *start)
{
    struct str lines = {buf_str(body).p + *start, body->n - *start};
    *start = body->n;
    return lines;
}

static bool write_body(struct store *store, const struct run_record *const *runs, size_t count,
                       struct json *j, struct buf *body, struct error *err)
{
    struct arena scratch = arena_open();
    const char **ids = arena_new(&scratch, const char *, count + 1);
    for (size_t i = 0; i < count; i++) ids[i] = runs[i]->id;
    size_t start = 0;
    bool done = store_write_shared_rows(store, ids, count, body, err);
    json_key_object(j, "shared");
    put_section(j, section_from(body, &start));
    json_end(j);
    json_key_list(j, "runs");
    for (size_t i = 0; done && i < count; i++) {
        done = store_write_run_rows(store, ids[i], body, err);
        json_object(j);
        json_put_text(j, "id", ids[i]);
        json_put_text(j, "status", run_status_name(runs[i]->status));
        put_section(j, section_from(body, &start));
        json_end(j);
    }
    json_end(j);
    done = done && store_write_baseline_rows(store, ids, count, body, err);
    json_key_object(j, "baselines");
    put_section(j, section_from(body, &start));
    json_end(j);
    arena_close(&scratch);
    return done;
}

bool bundle_write(struct store *store, const struct run_record *runs, size_t count,
                  const char *assay_version, struct buf *out, struct error *err)
{
    struct arena scratch = arena_open();
    const struct run_record **sorted =
        arena_new(&scratch, const struct run_record *, count + 1);
    for (size_t i = 0; i < count; i++) sorted[i] = &runs[i];
    if (count) qsort(sorted, count, sizeof *sorted, by_id);
    struct buf body;
    struct buf whole;
    struct json j;
    buf_init(&body, BUNDLE_MAX_BYTES);
    buf_init(&whole, BUNDLE_MAX_BYTES);
    json_open(&j, &whole, schema);
    json_put_text(&j, "assay_version", assay_version);
    /* One moment of the store: a run that goes on meanwhile may name what the shared rows
     * did not have yet. */
    bool done = store_hold(store, err);
    if (done) {
        done = write_body(store, sorted, count, &j, &body, err);
        store_release(store);
    }
    json_close(&j);
    buf_add(&whole, buf_str(&body));
    if (done && (body.overflow || whole.overflow)) {
        done = error_set(err, ERROR_FAILED,
                         "the bundle would be larger than %zu MB unpacked; export fewer runs",
                         BUNDLE_MAX_BYTES >> 20);
    }
    if (done) gzip_pack(buf_str(&whole), out);
    buf_release(&whole);
    buf_release(&body);
    arena_close(&scratch);
    return done;
}

/* ---- reading ---- */

struct section {
    const char *id; /* of its run; NULL for what is shared */
    const char *status;
    struct str lines;
};

struct sections {
    struct section *items; /* shared, runs..., baselines */
    size_t count;
};

static bool damaged(struct error *err, const char *what)
{
    return error_set(err, ERROR_INVALID, "the bundle is damaged: %s; nothing was imported",
                     what);
}

/* Cuts the section that `entry` describes off *rest, and checks it. */
static bool cut_section(const struct value *entry, struct str *rest, struct arena *out,
                        struct section *section, struct error *err)
{
    const struct value *rows = value_get(entry, "rows");
    const struct value *hash = value_get(entry, "sha256");
    const struct value *id = value_get(entry, "id");
    const struct value *status = value_get(entry, "status");
    if (!rows || rows->kind != VALUE_INT || rows->integer < 0 || !hash ||
        hash->kind != VALUE_TEXT) {
        return damaged(err, "its manifest has a section without rows or sha256");
    }
    size_t n = 0;
    for (int64_t left = rows->integer; left > 0; left--) {
        const char *newline = memchr(rest->p + n, '\n', rest->n - n);
        if (!newline) return damaged(err, "rows are missing");
        n = (size_t)(newline - rest->p) + 1;
    }
    char actual[SHA256_HEX_SIZE];
    section->lines = (struct str){rest->p, n};
    *rest = (struct str){rest->p + n, rest->n - n};
    if (!str_is(hash->source, id_sha256(section->lines, actual))) {
        return damaged(err, "a checksum does not match");
    }
    if (id && id->kind == VALUE_TEXT) section->id = str_cstr(out, id->source);
    section->status = status && status->kind == VALUE_TEXT ? str_cstr(out, status->source) : "";
    return true;
}

static bool check(struct str text, struct arena *out, struct sections *sections,
                  struct error *err)
{
    static const struct value_limits limits = {64 << 20, 8, 5000000};
    const struct value *manifest = NULL;
    struct str line = str_cut(&text, '\n');
    if (!text.p || !value_read_json(line, &limits, out, &manifest, NULL)) {
        return error_set(err, ERROR_INVALID, "it is not a bundle: it has no manifest");
    }
    const struct value *named = value_get(manifest, "schema");
    if (!named || named->kind != VALUE_TEXT || !str_is(named->source, schema)) {
        return error_set(err, ERROR_INVALID,
                         "it is not a bundle of this version of assay, which reads %s", schema);
    }
    const struct value *runs = value_get(manifest, "runs");
    if (!runs || runs->kind != VALUE_LIST) return damaged(err, "its manifest names no runs");
    sections->items = arena_new(out, struct section, runs->list.count + 2);
    if (!cut_section(value_get(manifest, "shared"), &text, out, &sections->items[0], err)) {
        return false;
    }
    for (size_t i = 0; i < runs->list.count; i++) {
        struct section *s = &sections->items[1 + i];
        if (!cut_section(runs->list.items[i], &text, out, s, err)) return false;
        if (!s->id) return damaged(err, "a run has no id");
    }
    sections->count = runs->list.count + 2;
    if (!cut_section(value_get(manifest, "baselines"), &text, out,
                     &sections->items[sections->count - 1], err)) {
        return false;
    }
    return text.n == 0 || damaged(err, "it has rows that its manifest does not list");
}

/* run_id NULL: not of a run. */
static bool put_lines(struct store *store, const char *run_id, struct str lines,
                      struct bundle_result *result, struct error *err)
{
    while (lines.n > 0) {
        struct str line = str_cut(&lines, '\n');
        if (!store_put_row(store, run_id, line, err)) return false;
        result->rows++;
    }
    return true;
}

/* Puts the rows of a run; where it then stands among the others is not for them to say. */
static bool put_run_lines(struct store *store, const char *run_id, struct str lines,
                          struct bundle_result *result, struct error *err)
{
    struct arena scratch = arena_open();
    struct run_record run;
    bool done = put_lines(store, run_id, lines, result, err) &&
                store_place_imported(store, run_id, err) &&
                store_find_run(store, run_id, &scratch, &run, err);
    if (done) result->in_future += run_is_in_future(&run);
    arena_close(&scratch);
    return done;
}

static bool is_unfinished(const char *status)
{
    return strcmp(status, "running") == 0 || strcmp(status, "partial") == 0;
}

/* Trials of all phases that are stored of a run. */
static bool count_trials(struct store *store, const char *run_id, struct arena *out,
                         int64_t *trials, struct error *err)
{
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!store_list_executions(store, run_id, out, &executions, &count, err)) return false;
    *trials = 0;
    for (size_t i = 0; i < count; i++) {
        struct store_progress progress;
        if (!store_progress(store, executions[i].id, &progress, err)) return false;
        for (int phase = 0; phase < PHASE_COUNT; phase++) *trials += progress.trials[phase];
    }
    return true;
}

/* An unfinished run that is here as `stored` makes way for the bundle's only if that has as
 * many trials: which of the two knows more shows when it is put, so it is put and, if it has
 * fewer, taken out again. Either way it is the run that was here, and stays where it stood. */
static bool replace_run(struct store *store, const struct section *s, struct str stored,
                        struct bundle_result *result, struct arena *out, struct error *err)
{
    int64_t before = 0;
    int64_t after = 0;
    int64_t place = 0;
    size_t rows = result->rows;
    if (!store_get_place(store, s->id, &place, err) ||
        !count_trials(store, s->id, out, &before, err) || !store_forget(store, s->id, err) ||
        !put_run_lines(store, s->id, s->lines, result, err) ||
        !store_put_place(store, s->id, place, err) ||
        !count_trials(store, s->id, out, &after, err)) {
        return false;
    }
    result->replaced += after >= before;
    if (after >= before) return true;
    result->kept++;
    bool done = store_forget(store, s->id, err) &&
                put_run_lines(store, s->id, stored, result, err) &&
                store_put_place(store, s->id, place, err);
    result->rows = rows;
    return done;
}

/* When the bundle's run began, if it is what `run` is of: the same source, imported again
 * here or there. */
static bool is_again(const struct section *s, const struct run_record *run, struct arena *out,
                     int64_t *started_ns)
{
    struct str rest = s->lines;
    const struct value *line = NULL;
    if (!value_read_json(str_cut(&rest, '\n'), &value_limits_stored, out, &line, NULL))
        return false;
    const struct value *row = value_get(line, "runs");
    const struct value *hash = value_get(row, "spec_hash");
    const struct value *notes = value_get(row, "notes");
    const struct value *started = value_get(row, "started_ns");
    bool is_same = run->spec_hash && hash && str_is(hash->source, run->spec_hash) && started &&
                   started->kind == VALUE_INT;
    if (!is_same) return false;
    *started_ns = started->integer;
    struct note_list theirs = {0};
    if (notes && notes->kind == VALUE_TEXT)
        theirs = note_read(str_cstr(out, notes->source), out);
    return note_has(&run->notes, NOTE_AGAIN) || note_has(&theirs, NOTE_AGAIN);
}

/* A run that is there already, with other rows. */
static bool settle(struct store *store, const struct section *s, struct str stored,
                   struct bundle_result *result, struct arena *out, struct error *err)
{
    struct run_record run;
    if (!store_find_run(store, s->id, out, &run, err)) return false;
    if (is_unfinished(run_status_name(run.status))) {
        return replace_run(store, s, stored, result, out, err);
    }
    if (is_unfinished(s->status)) return true; /* here it went on: keep that */
    int64_t started_ns = 0;
    if (is_again(s, &run, out, &started_ns)) {
        return started_ns <= run.started_ns ||
               (import_again(store, &run, started_ns, out, err) &&
                store_place_imported(store, run.id, err));
    }
    return error_set(
        err, ERROR_INVALID,
        "run %s is already stored and differs; `assay forget %s` removes the stored one", s->id,
        s->id);
}

static bool put_run(struct store *store, const struct section *s, struct bundle_result *result,
                    struct arena *out, struct error *err)
{
    struct buf stored;
    buf_init(&stored, BUNDLE_MAX_BYTES);
    bool done = store_write_run_rows(store, s->id, &stored, err);
    if (done && stored.n == 0) {
        result->added++;
        done = put_run_lines(store, s->id, s->lines, result, err);
    } else if (done && !str_equal(buf_str(&stored), s->lines)) {
        done = settle(store, s, buf_str(&stored), result, out, err);
    }
    buf_release(&stored);
    return done;
}

/* The first section has names, the last one marks. */
static bool put_sections(struct store *store, const struct sections *sections, bool has_marks,
                         struct bundle_result *result, struct arena *out, struct error *err)
{
    for (size_t i = 0; i < sections->count; i++) {
        const struct section *s = &sections->items[i];
        bool are_marks = i > 0 && !s->id;
        if (are_marks && !has_marks) continue;
        for (size_t k = 0; are_marks && k < s->lines.n; k++)
            result->marks += s->lines.p[k] == '\n';
        bool done = s->id ? put_run(store, s, result, out, err)
                          : put_lines(store, NULL, s->lines, result, err);
        if (!done) return error_wrap(err, "%s%s", s->id ? "run " : "names", s->id ? s->id : "");
    }
    return true;
}

static bool put_bundle(struct store *store, struct str bytes, bool has_marks,
                       struct bundle_result *result, struct error *err)
{
    struct arena scratch = arena_open();
    struct sections sections = {0};
    struct buf text;
    *result = (struct bundle_result){0};
    buf_init(&text, BUNDLE_MAX_BYTES);
    bool done =
        gzip_unpack(bytes, &text, err) && check(buf_str(&text), &scratch, &sections, err);
    if (done) {
        result->runs = sections.count - 2;
        done = store_begin(store, err);
        if (done && !put_sections(store, &sections, has_marks, result, &scratch, err)) {
            done = store_rollback(store);
        } else if (done) {
            done = store_commit(store, err);
        }
    }
    buf_release(&text);
    arena_close(&scratch);
    return done;
}

bool bundle_read(struct store *store, struct str bytes, struct bundle_result *result,
                 struct error *err)
{
    return put_bundle(store, bytes, true, result, err);
}

bool bundle_read_runs(struct store *store, struct str bytes, struct bundle_result *result,
                      struct error *err)
{
    return put_bundle(store, bytes, false, result, err);
}
