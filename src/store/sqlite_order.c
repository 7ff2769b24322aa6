/* The order of runs. Clocks go back and bundles claim any date, so dates alone do not say
 * which run is the newest. The rowid does: SQLite gives the next one to each new row, and a
 * run that was measured here keeps it. sqlite_place_imported gives a rowid below zero to an
 * imported run that is not the newest by a date that can be true.
 *   rowid >= 0: era = the latest start of the runs up to this one, hence never falls; equal
 *              eras are in the order of the rowids
 *   rowid < 0: era = its start, among the others by date; in the future (with RUN_CLOCK_SLACK_NS):
 *              before all others
 * So the runs that were measured are in the order of their rowids, and eras are needed only
 * where others stand between them.
 *
 * An era depends on every run before it. SQL would compute those of all runs for each
 * question; here they are read once, as the few numbers that they change at, and read again
 * when the file has changed. The SQL function run_era(rowid) looks one up. */
#include "store/sqlite_internal.h"

/* Where the era changes: it is `era` from `rowid` on, up to the step before in the list. */
struct step {
    int64_t rowid;
    int64_t era;
};

struct sqlite_eras {
    struct arena arena; /* of the steps */
    struct step *steps; /* newest first */
    size_t count;
    bool is_known; /* at least those of the runs from `first` on */
    int64_t first;
    int64_t data_version;  /* what others have written */
    int64_t total_changes; /* what we have */
};

/* From the latest start backwards: a run that stands before all later starters is where their
 * era begins. The index has all that is read; of the older runs only what is asked for. */
static bool read_steps(struct sqlite *s, int64_t first, struct error *err)
{
    static const char sql[] = "SELECT rowid, started_ns FROM runs INDEXED BY idx_runs_started"
                              " WHERE workspace_id = ?1 ORDER BY started_ns DESC";
    struct sqlite_eras *eras = s->eras;
    struct query q;
    arena_reset(&eras->arena);
    eras->steps = NULL;
    eras->count = 0;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    int64_t last = INT64_MAX;
    while (last > first && query_next(&q)) {
        struct step next = {.rowid = query_int(&q)};
        next.era = query_int(&q);
        if (next.rowid < 0 || next.rowid >= last) continue;
        eras->steps = arena_grow(&eras->arena, eras->steps, eras->count, sizeof *eras->steps);
        eras->steps[eras->count++] = next;
        last = next.rowid;
    }
    eras->first = first;
    eras->is_known = query_close(&q, err);
    return eras->is_known;
}

/* Of the last step at or before a run, if there is one. */
static const struct step *step_of(const struct sqlite_eras *eras, int64_t rowid)
{
    size_t from = 0;
    size_t to = eras->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (eras->steps[middle].rowid > rowid) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < eras->count ? &eras->steps[from] : NULL;
}

static void run_era(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sqlite *s = sqlite3_user_data(context);
    (void)count;
    struct sqlite_eras *eras = s->eras;
    int64_t rowid = sqlite3_value_int64(values[0]);
    bool is_missing = !eras->is_known || rowid < eras->first;
    int64_t first = eras->is_known ? 0 : rowid; /* who asks for older ones again gets all */
    struct error err = {0};
    if (is_missing && !read_steps(s, first, &err)) {
        sqlite3_result_error(context, err.text, -1);
        return;
    }
    const struct step *step = step_of(eras, rowid);
    if (step) sqlite3_result_int64(context, step->era);
}

bool sqlite_order_init(struct sqlite *s, struct error *err)
{
    s->eras = arena_new(&s->arena, struct sqlite_eras, 1);
    s->eras->arena = arena_open();
    int rc = sqlite3_create_function(s->db, "run_era", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, s,
                                     run_era, NULL, NULL);
    return rc == SQLITE_OK || sqlite_error(s, rc, err);
}

void sqlite_order_release(struct sqlite *s)
{
    if (s->eras) arena_close(&s->eras->arena);
}

bool sqlite_order_refresh(struct sqlite *s, struct error *err)
{
    static const char sql[] = "PRAGMA data_version";
    struct sqlite_eras *eras = s->eras;
    int64_t changes = sqlite3_total_changes64(s->db);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    int64_t version = query_next(&q) ? query_int(&q) : -1;
    if (!query_close(&q, err)) return false;
    if (version != eras->data_version || changes != eras->total_changes) eras->is_known = false;
    eras->data_version = version;
    /* What is written now may be taken back, without another change. */
    bool is_writing = sqlite3_txn_state(s->db, "main") == SQLITE_TXN_WRITE;
    eras->total_changes = is_writing ? -1 : changes;
    return true;
}

bool sqlite_order_has_imports(struct sqlite *s, bool *has, struct error *err)
{
    static const char sql[] = "SELECT 1 FROM runs WHERE rowid < 0 AND +workspace_id = ?1";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    *has = query_next(&q);
    return query_close(&q, err);
}
