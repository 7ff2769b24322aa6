/* Appending trials: one row of `trials` and a row of `chunks` per metric for
 * each batch. This is the store's hot path: two B-trees, both ordered so that a
 * commit touches their last pages only. */
#include "store/sqlite_internal.h"

#include <inttypes.h>
#include <math.h>

static bool check_first(struct sqlite *s, const struct trial_batch *b, struct error *err)
{
    int64_t stored = 0;
    if (!sqlite_count_trials(s, b->execution_id, b->phase, &stored, err)) return false;
    if (b->first == stored) return true;
    return error_set(err, ERROR_INVALID,
                     "%s trials %" PRId64 "..%" PRId64 " of execution %s come out of turn: "
                     "%" PRId64 " are stored, so trial %" PRId64 " is %s",
                     trial_phase_name(b->phase), b->first, b->first + (int64_t)b->count - 1,
                     b->execution_id, stored, b->first < stored ? b->first : stored,
                     b->first < stored ? "there already" : "missing");
}

static bool insert_series(struct sqlite *s, const struct trial_batch *b, const struct metric *m,
                          struct error *err)
{
    static const char sql[] =
        "INSERT INTO series (execution_id, phase, metric, unit, direction, definition, kind)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)";
    const char *const row[] = {b->execution_id,   trial_phase_name(b->phase),   m->name,
                               m->unit,           direction_name(m->direction), m->definition,
                               kind_name(m->kind)};
    return query_run_texts(s, sql, row, COUNT(row), err);
}

/* Samples of two definitions in one series would be compared as if they were
 * equal, so the second is refused. */
static bool make_series(struct sqlite *s, const struct trial_batch *b, const struct metric *m,
                        struct error *err)
{
    static const char sql[] = "SELECT unit, definition FROM series"
                              " WHERE execution_id = ? AND phase = ? AND metric = ?";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, b->execution_id);
    query_put_text(&q, trial_phase_name(b->phase));
    query_put_text(&q, m->name);
    bool exists = query_next(&q);
    bool is_alike = true;
    if (exists) {
        const char *unit = query_peek_text(&q);
        const char *definition = query_peek_text(&q);
        is_alike = strcmp(unit, m->unit) == 0 && strcmp(definition, m->definition) == 0;
        if (!is_alike) {
            error_set(err, ERROR_INVALID,
                      "metric '%s' was measured as %s (%s) so far and is now %s (%s); start a "
                      "new run",
                      m->name, definition, unit, m->definition, m->unit);
        }
    }
    if (!query_close(&q, err)) return false;
    return exists ? is_alike : insert_series(s, b, m, err);
}

static bool ensure_series(struct sqlite *s, const struct trial_batch *b, const struct metric *m,
                          struct error *err)
{
    uint64_t hash = id_hash(str_of(m->name)) + id_hash(str_of(b->execution_id)) + b->phase;
    uint64_t meaning = id_hash(str_of(m->unit)) * 31 + id_hash(str_of(m->definition));
    struct known_series *known = &s->known[hash % SQLITE_KNOWN_SERIES];
    if (known->meaning == meaning && known->phase == b->phase &&
        strcmp(known->metric, m->name) == 0 &&
        strcmp(known->execution_id, b->execution_id) == 0) {
        return true;
    }
    if (!make_series(s, b, m, err)) return false;
    if (strlen(m->name) >= sizeof known->metric) return true;
    *known = (struct known_series){.phase = b->phase, .meaning = meaning};
    snprintf(known->execution_id, sizeof known->execution_id, "%s", b->execution_id);
    snprintf(known->metric, sizeof known->metric, "%s", m->name);
    return true;
}

static bool insert_trials(struct sqlite *s, const struct trial_batch *b, struct error *err)
{
    static const char sql[] =
        "INSERT INTO trials (execution_id, phase, first, count, segment, statuses, starts)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, b->execution_id);
    query_put_text(&q, trial_phase_name(b->phase));
    query_put_int(&q, b->first);
    query_put_int(&q, (int64_t)b->count);
    query_put_int(&q, b->segment);
    query_put_blob(&q, b->statuses, b->count);
    query_put_blob(&q, b->starts_s, b->count * sizeof(double));
    return query_run(&q, err);
}

static bool has_values(const double *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isnan(samples[i])) return true;
    }
    return false;
}

/* Trials that no chunk speaks of have no value, as readers take it: most columns of
 * a suite are about what its agents do not report. */
static bool insert_chunk(struct sqlite *s, const struct trial_batch *b, size_t column,
                         struct error *err)
{
    static const char sql[] =
        "INSERT INTO chunks (execution_id, phase, first, metric, count, samples)"
        " VALUES (?, ?, ?, ?, ?, ?)";
    struct query q;
    if (!ensure_series(s, b, b->metrics[column], err)) return false;
    if (!has_values(b->columns[column], b->count)) return true;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, b->execution_id);
    query_put_text(&q, trial_phase_name(b->phase));
    query_put_int(&q, b->first);
    query_put_text(&q, b->metrics[column]->name);
    query_put_int(&q, (int64_t)b->count);
    query_put_blob(&q, b->columns[column], b->count * sizeof(double));
    return query_run(&q, err);
}

static bool append_batch(struct sqlite *s, const struct trial_batch *b, struct error *err)
{
    if (b->count > 0) {
        if (!check_first(s, b, err) || !insert_trials(s, b, err)) return false;
        for (size_t i = 0; i < b->column_count; i++) {
            if (!insert_chunk(s, b, i, err)) return false;
        }
        for (size_t i = 0; b->first == 0 && i < OWN_COUNT; i++) {
            if (!ensure_series(s, b, &sqlite_own_metrics[i], err)) return false;
        }
    }
    return sqlite_write_extras(s, b, err);
}

bool sqlite_append(struct store *store, const struct trial_batch *batches, size_t count,
                   struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    if (!sqlite_begin(s, err)) return false;
    for (size_t i = 0; i < count; i++) {
        if (!append_batch(s, &batches[i], err)) return sqlite_rollback(s);
    }
    return sqlite_commit(s, err);
}
