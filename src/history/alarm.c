#include "history/alarm.h"

#include "base/clock.h"
#include "history/regress_internal.h"
#include "model/cell.h"
#include "stats/interval.h"
#include "stats/proportion.h"
#include "stats/quantile.h"
#include "view/alarmed.h"
#include "view/select.h"

#include <inttypes.h>
#include <math.h>

#define CONFIDENCE 0.95

static const char *stamp_now(struct arena *out)
{
    return clock_stamp(clock_unix_ns(), arena_new(out, char, CLOCK_STAMP_SIZE));
}

bool alarm_list_read(struct store *store, const char *agent_id, struct arena *out,
                     struct alarm_list *list, struct error *err)
{
    *list = (struct alarm_list){.now = stamp_now(out)};
    return store_list_alarms(store, agent_id, out, &list->rows, &list->count, err);
}

bool alarm_is_quiet(const struct alarm_record *a, const char *now)
{
    bool is_wrong = a->judgement && strcmp(a->judgement, "false") == 0;
    return is_wrong || alarm_is_muted(a, now);
}

struct str alarm_version(const struct alarm_record *a)
{
    struct str id = str_of(a->version);
    return str_cut(&id, '|');
}

/* ---- which alarm a row is ---- */

static const char *version_of(const struct baseline_pair *p, struct arena *out)
{
    return cell_version(&p->current->record, p->current_run, p->is_agent, out).id;
}

const struct alarm_record *alarm_find(const struct alarm_list *list,
                                      const struct baseline_pair *pair, const char *metric,
                                      enum regress_rule rule)
{
    const struct execution_record *e = &pair->current->record;
    struct arena scratch = arena_open();
    const struct alarm_record *found = NULL;
    struct cell_identity cell = alarm_cell(e);
    const char *version = version_of(pair, &scratch);
    for (size_t i = 0; i < list->count && !found; i++) {
        const struct alarm_record *a = &list->rows[i];
        bool is_it = strcmp(a->metric, metric) == 0 && strcmp(a->version, version) == 0 &&
                     strcmp(a->rule, regress_rule_name(rule)) == 0;
        if (is_it && alarm_is_of(a, e, &cell)) found = a;
    }
    arena_close(&scratch);
    return found;
}

static int64_t first_start(const struct baseline_pair *p)
{
    int64_t first_ns = p->current->record.start_ns;
    for (size_t i = 0; i < p->run_count[1]; i++) {
        int64_t start_ns = p->runs[1][i]->record.start_ns;
        if (start_ns > 0 && (start_ns < first_ns || first_ns <= 0)) first_ns = start_ns;
    }
    return first_ns;
}

bool alarm_raise(struct store *store, const struct regress *r, struct arena *out,
                 struct error *err)
{
    struct alarm_record *rows = arena_new(out, struct alarm_record, r->found + 1);
    struct alarm_list known;
    const char *now = stamp_now(out);
    size_t count = 0;
    if (!alarm_list_read(store, NULL, out, &known, err)) return false;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (row->state != REGRESS_FOUND) continue;
        const struct baseline_pair *p = &r->set.pairs[row->pair];
        const struct execution_record *e = &p->current->record;
        struct cell_identity cell = alarm_cell(e);
        char *changed = arena_new(out, char, CLOCK_STAMP_SIZE);
        const struct alarm_record *old = alarm_find(&known, p, row->metric, row->rule);
        rows[count++] = (struct alarm_record){
            .agent_id = e->agent_id,
            .benchmark_id = old ? old->benchmark_id : e->benchmark_id,
            .cell = old ? old->cell : str_cstr(out, str_of(cell.hex)),
            .metric = row->metric,
            .rule = regress_rule_name(row->rule),
            .version = version_of(p, out),
            .execution_id = e->id,
            .severity = severity_name(row->severity),
            .amount = isfinite(row->w.amount) ? row->w.amount : (double)NAN,
            .runs = (int64_t)p->run_count[1],
            .changed_at = clock_stamp(first_start(p), changed),
            .raised_at = now,
            .last_at = now,
        };
    }
    return store_raise_alarms(store, rows, count, err) || error_wrap(err, "keeping the alarms");
}

bool alarm_attach(struct store *store, struct arena *out, struct regress *r, struct error *err)
{
    struct alarm_list list;
    if (!alarm_list_read(store, NULL, out, &list, err)) return false;
    for (size_t i = 0; i < r->row_count && list.count > 0; i++) {
        struct regress_row *row = &r->rows[i];
        row->alarm = NULL;
        if (row->state == REGRESS_FOUND)
            row->alarm = alarm_find(&list, &r->set.pairs[row->pair], row->metric, row->rule);
        row->is_quiet = row->alarm && alarm_is_quiet(row->alarm, list.now);
    }
    regress_count(out, r);
    return true;
}

/* ---- saying something of it ---- */

static bool is_name(const char *wanted, struct str name)
{
    return !wanted || str_is(name, wanted);
}

static bool is_of(const struct agent_ref *agent, const struct alarm_record *a)
{
    bool is_version = !agent->version || str_is(alarm_version(a), agent->version);
    return is_version && strcmp(agent->id, a->agent_id) == 0;
}

/* `agent` is what the choice's means. */
static bool is_chosen(const struct alarm_choice *c, const struct agent_ref *agent,
                      const struct alarm_record *a)
{
    bool is_one = c->id_count == 0;
    for (size_t i = 0; i < c->id_count; i++) is_one |= c->ids[i] == a->id;
    return is_one && (!agent->id || is_of(agent, a)) &&
           is_name(c->benchmark, str_of(a->benchmark)) &&
           is_name(c->metric, str_of(a->metric)) && is_name(c->version, alarm_version(a));
}

static void say(struct alarm_record *a, const struct alarm_mark *m, const char *now,
                struct arena *out)
{
    if (m->judges) {
        a->judgement = m->clears ? NULL : m->is_real ? "real" : "false";
        a->judged_reason = m->clears ? NULL : m->reason;
        a->judged_by = m->clears ? NULL : m->by;
        a->judged_at = m->clears ? NULL : now;
        return;
    }
    char *until = arena_new(out, char, CLOCK_STAMP_SIZE);
    clock_stamp(clock_after(clock_unix_ns(), m->mute_s), until);
    a->muted_until = m->clears ? NULL : until;
    a->muted_reason = m->clears ? NULL : m->reason;
    a->muted_by = m->clears ? NULL : m->by;
    a->muted_at = m->clears ? NULL : now;
}

static bool has_id(const struct alarm_list *list, int64_t id)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].id == id) return true;
    }
    return false;
}

static bool choose(struct store *store, const struct alarm_choice *choice, struct arena *out,
                   struct alarm_list *chosen, struct error *err)
{
    struct alarm_list all;
    struct agent_ref agent = {0};
    if (choice->agent && !select_any_ref(store, choice->agent, out, &agent, err)) return false;
    if (!alarm_list_read(store, NULL, out, &all, err)) return false;
    chosen->now = all.now;
    chosen->rows = arena_new(out, struct alarm_record, all.count + 1);
    for (size_t i = 0; i < all.count; i++) {
        if (is_chosen(choice, &agent, &all.rows[i]))
            chosen->rows[chosen->count++] = all.rows[i];
    }
    for (size_t i = 0; i < choice->id_count; i++) {
        if (has_id(chosen, choice->ids[i])) continue;
        return error_set(
            err, ERROR_NOT_FOUND,
            "there is no alarm %" PRId64
            " that matches the other options; `assay regressions --stats` lists them",
            choice->ids[i]);
    }
    return chosen->count > 0 ||
           error_set(err, ERROR_NOT_FOUND,
                     "no alarm fits that; `assay regressions --stats` lists them");
}

bool alarm_mark(struct store *store, const struct alarm_choice *choice,
                const struct alarm_mark *mark, struct arena *out, struct alarm_list *marked,
                struct error *err)
{
    *marked = (struct alarm_list){0};
    if (!store_begin(store, err)) return false;
    if (!choose(store, choice, out, marked, err)) return store_rollback(store);
    for (size_t i = 0; i < marked->count; i++) {
        say(&marked->rows[i], mark, marked->now, out);
        if (!store_mark_alarm(store, &marked->rows[i], err)) return store_rollback(store);
    }
    for (size_t i = 0; i < marked->count; i++) alarmed_fill_points(store, &marked->rows[i]);
    return store_commit(store, err);
}

/* ---- the detector's own record ---- */

static double seconds_between(const char *from, const char *until)
{
    int64_t ns[2];
    bool are_known = from && until && clock_parse_stamp(from, &ns[0]) &&
                     clock_parse_stamp(until, &ns[1]) && ns[1] >= ns[0];
    return are_known ? (double)(ns[1] - ns[0]) / 1e9 : (double)NAN;
}

static struct alarm_spread spread_of(const double *values, size_t n, struct arena scratch)
{
    struct alarm_spread s = {NAN, NAN, NAN};
    struct interval i;
    size_t kept = 0;
    double *sorted = stats_sort(&scratch, values, n, &kept);
    if (kept == 0) return s;
    s.median = quantile_median(sorted, kept);
    if (interval_median(sorted, kept, CONFIDENCE, &i)) {
        s.low = i.low;
        s.high = i.high;
    }
    return s;
}

static void keep_agent(struct alarm_list *list, const struct agent_ref *agent)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_of(agent, &list->rows[i])) list->rows[kept++] = list->rows[i];
    }
    list->count = kept;
}

bool alarm_stats_ask(struct store *store, const char *agent, struct arena *out,
                     struct alarm_stats *stats, struct error *err)
{
    struct agent_ref ref = {0};
    *stats = (struct alarm_stats){.confidence = CONFIDENCE};
    if (agent && !select_any_ref(store, agent, out, &ref, err))
        return error_blame(err, "agent");
    stats->agent = ref.name;
    if (!alarm_list_read(store, ref.id, out, &stats->list, err)) return false;
    if (agent) keep_agent(&stats->list, &ref);
    double *seconds = arena_new(out, double, stats->list.count + 1);
    double *runs = arena_new(out, double, stats->list.count + 1);
    for (size_t i = 0; i < stats->list.count; i++) {
        struct alarm_record *a = &stats->list.rows[i];
        alarmed_fill_points(store, a);
        bool is_real = a->judgement && strcmp(a->judgement, "real") == 0;
        stats->muted += alarm_is_muted(a, stats->list.now);
        stats->unjudged += a->judgement == NULL;
        stats->wrong += a->judgement && !is_real;
        if (!is_real) continue;
        seconds[stats->real] = seconds_between(a->changed_at, a->raised_at);
        runs[stats->real++] = (double)a->runs;
    }
    size_t judged = stats->real + stats->wrong;
    struct proportion p = proportion_wilson((int64_t)stats->real, (int64_t)judged, CONFIDENCE);
    stats->precision = p.estimate;
    stats->precision_low = p.low;
    stats->precision_high = p.high;
    stats->detect_s = spread_of(seconds, stats->real, *out);
    stats->detect_runs = spread_of(runs, stats->real, *out);
    return true;
}
