/* What is kept of single trials besides their numbers: notes (case_results), histograms
 * and artifacts. */
#include "store/sqlite_internal.h"

static bool write_notes(struct sqlite *s, const struct trial_batch *batch, struct error *err)
{
    static const char sql[] =
        "INSERT INTO case_results (execution_id, phase, trial, iteration, case_hash, status,"
        " error, detail, output) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    for (size_t i = 0; i < batch->note_count; i++) {
        const struct trial_note *n = &batch->notes[i];
        struct query q;
        if (!query_open(s, sql, &q, err)) return false;
        query_put_text(&q, batch->execution_id);
        query_put_text(&q, trial_phase_name(n->phase));
        query_put_int(&q, n->trial);
        query_put_int(&q, n->iteration);
        query_put_text(&q, n->case_hash);
        query_put_text(&q, trial_status_name(n->status));
        query_put_text(&q, n->error);
        query_put_text(&q, n->detail);
        query_put_blob(&q, n->output.p, n->output.n);
        if (!query_run(&q, err)) return false;
    }
    return true;
}

/* With its trial or not at all. */
static bool write_histograms(struct sqlite *s, const struct trial_batch *b, struct error *err)
{
    for (size_t i = 0; i < b->histogram_count; i++) {
        const struct histogram_record *h = &b->histograms[i];
        bool is_of_batch = h->phase == b->phase && h->trial >= b->first &&
                           h->trial < b->first + (int64_t)b->count;
        if (!is_of_batch) {
            return error_set(err, ERROR_INVALID,
                             "histogram '%s' is of %s trial %lld, which is not stored with it",
                             h->metric, trial_phase_name(h->phase), (long long)h->trial);
        }
        if (!sqlite_put_histogram(&s->store, b->execution_id, h, err)) return false;
    }
    return true;
}

bool sqlite_write_extras(struct sqlite *s, const struct trial_batch *batch, struct error *err)
{
    static const char sql[] = "INSERT INTO artifacts (execution_id, trial, name, kind, bytes)"
                              " VALUES (?, ?, ?, ?, ?)";
    if (!write_notes(s, batch, err) || !write_histograms(s, batch, err)) return false;
    for (size_t i = 0; i < batch->artifact_count; i++) {
        const struct artifact_record *a = &batch->artifacts[i];
        struct query q;
        if (!query_open(s, sql, &q, err)) return false;
        query_put_text(&q, batch->execution_id);
        query_put_int(&q, a->trial);
        query_put_text(&q, a->name);
        query_put_text(&q, a->kind);
        query_put_blob(&q, a->bytes.p, a->bytes.n);
        if (!query_run(&q, err)) return false;
    }
    return true;
}

static enum trial_status status_named(const char *name)
{
    for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
        if (strcmp(name, trial_status_name((enum trial_status)i)) == 0) {
            return (enum trial_status)i;
        }
    }
    return TRIAL_HARNESS_ERROR; /* written by somebody else */
}

bool sqlite_list_notes(struct store *store, const char *execution_id, struct arena *out,
                       struct trial_note **notes, size_t *count, struct error *err)
{
    static const char sql[] =
        "SELECT trial, phase, iteration, case_hash, status, error, detail, output"
        " FROM case_results WHERE execution_id = ? ORDER BY phase, trial, id";
    struct query q;
    if (!query_open(sqlite_of(store), sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    struct trial_note *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct trial_note *n = &list[*count];
        n->trial = query_int(&q);
        if (!trial_phase_parse(query_peek_text(&q), &n->phase)) n->phase = PHASE_MEASURED;
        n->iteration = query_int(&q);
        n->case_hash = query_text(&q, out);
        n->status = status_named(query_peek_text(&q));
        n->error = query_text(&q, out);
        n->detail = query_text(&q, out);
        n->output = query_blob(&q, out);
    }
    *notes = list;
    return query_close(&q, err);
}

bool sqlite_list_artifacts(struct store *store, const char *execution_id, struct arena *out,
                           struct artifact_record **artifacts, size_t *count, struct error *err)
{
    static const char sql[] = "SELECT trial, name, kind, bytes FROM artifacts"
                              " WHERE execution_id = ? ORDER BY trial, id";
    struct query q;
    if (!query_open(sqlite_of(store), sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    struct artifact_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct artifact_record *a = &list[*count];
        a->trial = query_int(&q);
        a->name = query_text(&q, out);
        a->kind = query_text(&q, out);
        a->bytes = query_blob(&q, out);
    }
    *artifacts = list;
    return query_close(&q, err);
}
