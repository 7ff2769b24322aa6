#include "view/alarmed.h"

#include "base/clock.h"
#include "experiment/declared.h"
#include "view/units.h"

bool alarmed_read(struct store *store, struct arena *out, struct alarmed *alarmed,
                  struct error *err)
{
    char *now = arena_new(out, char, CLOCK_STAMP_SIZE);
    *alarmed = (struct alarmed){.now = clock_stamp(clock_unix_ns(), now)};
    return store_list_alarms(store, NULL, out, &alarmed->rows, &alarmed->count, err);
}

/* Of the rules that do not go by the metric itself: shares of values and of trials are in
 * points, spread and drift are relative. */
static bool is_rule_of(const struct alarm_record *a, const char *one, const char *other)
{
    return strcmp(a->rule, one) == 0 || strcmp(a->rule, other) == 0;
}

void alarmed_fill_points(struct store *store, struct alarm_record *a)
{
    struct arena scratch = arena_open();
    struct series_record *series = NULL;
    size_t count = 0;
    const struct series_filter filter = {
        .execution_id = a->execution_id, .metrics = &a->metric, .metric_count = 1};
    bool is_read =
        a->execution_id && store_read_series(store, &filter, &scratch, &series, &count, NULL);
    bool is_share = strcmp(a->metric, UNITS_FAILURES) == 0 ||
                    strcmp(a->metric, UNITS_SUCCESSES) == 0 ||
                    strcmp(a->metric, "accuracy") == 0;
    for (size_t i = 0; is_read && i < count; i++) {
        if (strcmp(series[i].metric, a->metric) == 0)
            is_share = declared_kind_of(&series[i]) == KIND_SHARE;
    }
    a->is_points = is_rule_of(a, "tail", "new_failure") ||
                   (is_share && !is_rule_of(a, "variance", "slow_drift"));
    arena_close(&scratch);
}

bool alarm_is_muted(const struct alarm_record *a, const char *now)
{
    return a->muted_until && strcmp(a->muted_until, now) > 0;
}

bool alarm_is_over_cells(const struct alarm_record *a)
{
    return strcmp(a->rule, ALARM_WHOLE) == 0 || strcmp(a->rule, ALARM_SYSTEMIC) == 0;
}

struct cell_identity alarm_cell(const struct execution_record *e)
{
    return cell_identity(e, CELL_WHAT | CELL_LANES);
}

bool alarm_is_of(const struct alarm_record *a, const struct execution_record *e,
                 const struct cell_identity *cell)
{
    bool is_there =
        strcmp(a->benchmark_id, e->benchmark_id) == 0 && strcmp(a->cell, cell->hex) == 0;
    return strcmp(a->agent_id, e->agent_id) == 0 && (is_there || alarm_is_over_cells(a));
}

static bool is_real(const struct alarm_record *a)
{
    return a->judgement && strcmp(a->judgement, "real") == 0;
}

/* Ids ascend as alarms are raised. */
static bool was_real_before(const struct alarmed *alarmed, const struct alarm_record *later,
                            const struct execution_record *e, const struct cell_identity *cell)
{
    for (size_t i = 0; i < alarmed->count; i++) {
        const struct alarm_record *a = &alarmed->rows[i];
        bool is_it = a->id < later->id && is_real(a) && !alarm_is_muted(a, alarmed->now) &&
                     strcmp(a->metric, later->metric) == 0;
        if (is_it && alarm_is_of(a, e, cell)) return true;
    }
    return false;
}

static const struct alarm_record *find(const struct alarmed *alarmed,
                                       const struct execution_record *e, const char *version,
                                       bool must_be_real)
{
    if (alarmed->count == 0) return NULL;
    struct cell_identity cell = alarm_cell(e);
    for (size_t i = 0; i < alarmed->count; i++) {
        const struct alarm_record *a = &alarmed->rows[i];
        bool is_it = strcmp(a->version, version) == 0 && alarm_is_of(a, e, &cell) &&
                     !alarm_is_muted(a, alarmed->now);
        bool is_open = a->judgement == NULL;
        bool fits = must_be_real
                        ? is_real(a) || (is_open && was_real_before(alarmed, a, e, &cell))
                        : is_open;
        if (is_it && fits) return a;
    }
    return NULL;
}

const struct alarm_record *alarmed_real(const struct alarmed *alarmed,
                                        const struct execution_record *e, const char *version)
{
    return find(alarmed, e, version, true);
}

const struct alarm_record *alarmed_open(const struct alarmed *alarmed,
                                        const struct execution_record *e, const char *version)
{
    return find(alarmed, e, version, false);
}
