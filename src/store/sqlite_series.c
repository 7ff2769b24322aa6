/* Series: read from both forms, and folded from the open one into the other.
 *
 * A series has its row from the first trial on; its samples are what the row
 * holds (folded) followed by its chunks (open). One function reads both, for
 * readers and for folding, so the two forms cannot disagree. */
#include "store/sqlite_internal.h"

#include "base/fault.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>

enum { CHECKPOINT_PAGES = 1000 }; /* 4 MiB: below it the fsync is not worth it */

const struct metric sqlite_own_metrics[OWN_COUNT] = {
    [OWN_START] = {"trial.start_s", "s", DIRECTION_NONE, "trial.start/1",
                   "start of the trial since the start of the run", .kind = KIND_UNSAID},
    [OWN_STATUS] = {"trial.status", "1", DIRECTION_NONE, "trial.status/1",
                    "how the trial ended", .kind = KIND_UNSAID},
    [OWN_SEGMENT] = {"trial.segment", "1", DIRECTION_NONE, "trial.segment/1",
                     "how often the run had been resumed", .kind = KIND_UNSAID},
};

bool sqlite_count_trials(struct sqlite *s, const char *execution_id, enum trial_phase phase,
                         int64_t *count, struct error *err)
{
    static const char sql[] =
        "SELECT max(coalesce((SELECT first + count FROM trials"
        "  WHERE execution_id = ?1 AND phase = ?2 ORDER BY first DESC LIMIT 1), 0),"
        " coalesce((SELECT count FROM series"
        "  WHERE execution_id = ?1 AND phase = ?2 AND metric = 'trial.status'), 0))";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    query_put_text(&q, trial_phase_name(phase));
    *count = query_next(&q) ? query_int(&q) : 0;
    return query_close(&q, err);
}

struct all_series {
    const char *metrics; /* JSON list of those to load; NULL = all */
    struct series_record *list;
    double **samples; /* what list[i].samples points to, writable */
    size_t count;
    int64_t trials[PHASE_COUNT];
};

static enum trial_phase phase_named(const char *name)
{
    enum trial_phase phase = PHASE_MEASURED;
    return trial_phase_parse(name, &phase) ? phase : PHASE_MEASURED;
}

static bool damaged(struct sqlite *s, const char *execution_id, struct error *err)
{
    return error_set(err, ERROR_IO,
                     "store '%s' is damaged: samples of execution %s do not have the length "
                     "that their rows state",
                     s->path, execution_id);
}

static double *find_samples(const struct all_series *all, enum trial_phase phase,
                            const char *metric)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].phase == phase && strcmp(all->list[i].metric, metric) == 0) {
            return all->samples[i];
        }
    }
    return NULL;
}

#define IS_WANTED " (?2 IS NULL OR metric IN (SELECT value FROM json_each(?2)))"

static bool load_folded(struct sqlite *s, const char *execution_id, struct arena *out,
                        struct all_series *all, struct error *err)
{
    static const char sql[] =
        "SELECT phase, metric, unit, direction, definition, kind, samples"
        " FROM series WHERE execution_id = ?1 AND" IS_WANTED " ORDER BY phase = 'warmup', id";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    query_put_text(&q, all->metrics);
    bool is_whole = true;
    while (query_next(&q)) {
        all->list = arena_grow(out, all->list, all->count, sizeof *all->list);
        all->samples = arena_grow(out, all->samples, all->count, sizeof *all->samples);
        struct series_record *r = &all->list[all->count];
        r->phase = phase_named(query_peek_text(&q));
        r->metric = query_text(&q, out);
        r->unit = query_text(&q, out);
        if (!direction_parse(query_peek_text(&q), &r->direction)) r->direction = DIRECTION_NONE;
        r->definition = query_text(&q, out);
        r->kind = kind_parse(query_peek_text(&q));
        r->count = (size_t)all->trials[r->phase];
        struct str folded = query_peek_blob(&q);
        is_whole =
            is_whole && folded.n % sizeof(double) == 0 && folded.n <= r->count * sizeof(double);
        if (!is_whole) break;
        double *samples = arena_new(out, double, r->count);
        if (folded.n) memcpy(samples, folded.p, folded.n);
        for (size_t i = folded.n / sizeof(double); i < r->count; i++) samples[i] = NAN;
        r->samples = samples;
        all->samples[all->count++] = samples;
    }
    if (!query_close(&q, err)) return false;
    return is_whole || damaged(s, execution_id, err);
}

/* Where a row's values go, or NULL if it claims a range beyond the trials. */
static double *place_of(const struct all_series *all, enum trial_phase phase,
                        const char *metric, int64_t first, int64_t count)
{
    double *samples = find_samples(all, phase, metric);
    bool fits = first >= 0 && count >= 0 && first <= all->trials[phase] &&
                count <= all->trials[phase] - first;
    return samples && fits ? samples + first : NULL;
}

static bool load_chunks(struct sqlite *s, const char *execution_id, struct all_series *all,
                        struct error *err)
{
    static const char sql[] = "SELECT phase, first, count, metric, samples FROM chunks"
                              " WHERE execution_id = ?1 AND" IS_WANTED;
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    query_put_text(&q, all->metrics);
    bool is_whole = true;
    while (is_whole && query_next(&q)) {
        enum trial_phase phase = phase_named(query_peek_text(&q));
        int64_t first = query_int(&q);
        int64_t count = query_int(&q);
        double *to = place_of(all, phase, query_peek_text(&q), first, count);
        struct str from = query_peek_blob(&q);
        is_whole = to && from.n == (size_t)count * sizeof(double);
        if (is_whole && from.n) memcpy(to, from.p, from.n);
    }
    if (!query_close(&q, err)) return false;
    return is_whole || damaged(s, execution_id, err);
}

static bool load_trials(struct sqlite *s, const char *execution_id, struct all_series *all,
                        struct error *err)
{
    static const char sql[] = "SELECT phase, first, count, segment, statuses, starts"
                              " FROM trials WHERE execution_id = ?";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    bool is_whole = true;
    while (is_whole && query_next(&q)) {
        enum trial_phase phase = phase_named(query_peek_text(&q));
        int64_t first = query_int(&q);
        int64_t count = query_int(&q);
        double segment = (double)query_int(&q);
        struct str statuses = query_peek_blob(&q);
        struct str starts = query_peek_blob(&q);
        double *to[OWN_COUNT];
        is_whole = starts.n == (size_t)count * sizeof(double) && statuses.n == (size_t)count;
        for (size_t i = 0; i < OWN_COUNT; i++) {
            const char *name = sqlite_own_metrics[i].name;
            to[i] = place_of(all, phase, name, first, count);
            bool is_left_out = all->metrics && !find_samples(all, phase, name);
            is_whole = is_whole && (to[i] || is_left_out);
        }
        if (!is_whole) break;
        if (to[OWN_START] && starts.n) memcpy(to[OWN_START], starts.p, starts.n);
        for (size_t i = 0; i < statuses.n; i++) {
            if (to[OWN_STATUS]) to[OWN_STATUS][i] = (unsigned char)statuses.p[i];
            if (to[OWN_SEGMENT]) to[OWN_SEGMENT][i] = segment;
        }
    }
    if (!query_close(&q, err)) return false;
    return is_whole || damaged(s, execution_id, err);
}

/* A row may state any number of trials; there are as many as have a status. */
static bool check_count(struct sqlite *s, const char *execution_id, enum trial_phase phase,
                        int64_t count, struct error *err)
{
    static const char sql[] =
        "SELECT coalesce((SELECT sum(length(statuses)) FROM trials"
        "  WHERE execution_id = ?1 AND phase = ?2), 0) +"
        " coalesce((SELECT length(samples) / 8 FROM series"
        "  WHERE execution_id = ?1 AND phase = ?2 AND metric = 'trial.status'), 0)";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    query_put_text(&q, trial_phase_name(phase));
    bool is_right = query_next(&q) && count >= 0 && count <= query_int(&q);
    return query_close(&q, err) && (is_right || damaged(s, execution_id, err));
}

static bool load(struct sqlite *s, const char *execution_id, struct arena *out,
                 struct all_series *all, struct error *err)
{
    for (enum trial_phase p = 0; p < PHASE_COUNT; p++) {
        if (!sqlite_count_trials(s, execution_id, p, &all->trials[p], err) ||
            !check_count(s, execution_id, p, all->trials[p], err))
            return false;
    }
    return load_folded(s, execution_id, out, all, err) &&
           load_chunks(s, execution_id, all, err) && load_trials(s, execution_id, all, err);
}

bool sqlite_list_series(struct store *store, const char *execution_id, const char *metrics,
                        struct arena *out, struct series_record **series, size_t *count,
                        struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    struct all_series all = {.metrics = metrics};
    /* One snapshot for all the statements: a fold in between must not show. */
    if (!sqlite_hold(store, err)) return false;
    bool done = load(s, execution_id, out, &all, err);
    sqlite_release(store);
    *series = done ? all.list : NULL;
    *count = done ? all.count : 0;
    return done;
}

/* ---- folding ---- */

static bool update_series(struct sqlite *s, const char *execution_id,
                          const struct series_record *r, struct arena scratch,
                          struct error *err)
{
    static const char sql[] =
        "UPDATE series SET count = ?, n = ?, mean = ?, sd = ?, min = ?, p50 = ?, p95 = ?,"
        " p99 = ?, max = ?, samples = ? WHERE execution_id = ? AND phase = ? AND metric = ?";
    size_t n;
    const double *sorted = stats_sort(&scratch, r->samples, r->count, &n);
    struct moments m = moments_of(sorted, n);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_int(&q, (int64_t)r->count);
    query_put_int(&q, (int64_t)n);
    query_put_real(&q, n > 0 ? m.mean : (double)NAN);
    query_put_real(&q, moments_sd(&m));
    static const double levels[] = {0, 0.5, 0.95, 0.99, 1};
    for (size_t i = 0; i < COUNT(levels); i++) {
        query_put_real(&q, quantile_of(sorted, n, levels[i]));
    }
    query_put_blob(&q, r->samples, r->count * sizeof(double));
    query_put_text(&q, execution_id);
    query_put_text(&q, trial_phase_name(r->phase));
    query_put_text(&q, r->metric);
    return query_run(&q, err);
}

static bool drop_open_form(struct sqlite *s, const char *execution_id, struct error *err)
{
    static const char chunks[] = "DELETE FROM chunks WHERE execution_id = ?";
    static const char trials[] = "DELETE FROM trials WHERE execution_id = ?";
    return query_run_texts(s, chunks, &execution_id, 1, err) &&
           query_run_texts(s, trials, &execution_id, 1, err);
}

static bool has_open_form(struct sqlite *s, const char *execution_id, bool *has,
                          struct error *err)
{
    static const char sql[] = "SELECT 1 FROM trials WHERE execution_id = ? LIMIT 1";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    *has = query_next(&q);
    return query_close(&q, err);
}

static bool fold(struct sqlite *s, const char *execution_id, struct arena *scratch,
                 struct error *err)
{
    struct all_series all = {0};
    bool has = false;
    if (!has_open_form(s, execution_id, &has, err)) return false;
    if (!has) return true;
    if (!load(s, execution_id, scratch, &all, err)) return false;
    for (size_t i = 0; i < all.count; i++) {
        if (!update_series(s, execution_id, &all.list[i], *scratch, err)) return false;
    }
    int fault = fault_at("fold");
    if (fault) return sqlite_fault(s, fault, err);
    return drop_open_form(s, execution_id, err);
}

bool sqlite_finish(struct store *store, const struct execution_record *e, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    if (!sqlite_begin(s, err)) return false;
    struct arena scratch = arena_open();
    bool done = sqlite_write_execution(s, e, err) && fold(s, e->id, &scratch, err);
    arena_close(&scratch);
    if (!done) return sqlite_rollback(s);
    if (!sqlite_commit(s, err)) return false;
    sqlite_checkpoint(s, CHECKPOINT_PAGES);
    return true;
}

/* ---- progress ---- */

static bool last_segment(struct sqlite *s, const char *execution_id, int64_t *last,
                         struct error *err)
{
    static const char sql[] =
        "SELECT max(x) FROM (SELECT segment AS x FROM trials"
        "  WHERE execution_id = ?1 UNION ALL"
        " SELECT CAST(max AS INTEGER) FROM series"
        "  WHERE execution_id = ?1 AND metric = 'trial.segment' AND n > 0)";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    *last = -1;
    if (query_next(&q)) {
        double x = query_real(&q);
        if (!isnan(x)) *last = (int64_t)x;
    }
    return query_close(&q, err);
}

bool sqlite_progress(struct store *store, const char *execution_id,
                     struct store_progress *progress, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    int64_t last = -1;
    *progress = (struct store_progress){0};
    for (enum trial_phase p = 0; p < PHASE_COUNT; p++) {
        if (!sqlite_count_trials(s, execution_id, p, &progress->trials[p], err)) return false;
    }
    if (!last_segment(s, execution_id, &last, err)) return false;
    progress->next_segment = last + 1;
    return true;
}
