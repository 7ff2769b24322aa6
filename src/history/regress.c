/* Rows are made first and judged last. Every metric of every cell with a baseline is a
 * row with a question; rows of one metric are asked as a family, which adds a row for
 * the whole; the rules of regress_patterns.c add candidates. Only then are patterns
 * adjusted, states and severities given, and health concluded from the worst row. The
 * words are report's (report/regress_words.h). */
#include "history/regress_internal.h"

#include "history/alarm.h"
#include "spec/spec_suite.h"
#include "stats/adjust.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MAX = 50000, REFUSALS_MAX = 200 };

const char *regress_state_name(enum regress_state state)
{
    static const char *const names[] = {"undecided", "regression", "none", "improved"};
    return names[state];
}

const char *regress_outcome_name(enum regress_outcome outcome)
{
    static const char *const names[] = {"confirmed", "not_confirmed", "cannot_be_rerun"};
    return names[outcome];
}

const char *severity_name(enum severity s)
{
    static const char *const names[] = {"none", "low", "medium", "high", "critical"};
    return names[s];
}

bool regress_is_listed(const struct regress_row *row)
{
    return row->rule == REGRESS_BEYOND || row->state == REGRESS_FOUND;
}

struct regress_row *regress_add_row(struct regress_work *w, enum regress_rule rule, size_t pair,
                                    const char *metric, const char *unit, double threshold)
{
    w->r->is_cut |= w->r->row_count == w->capacity;
    if (w->r->is_cut) return NULL;
    struct regress_row *row = &w->r->rows[w->r->row_count++];
    *row = (struct regress_row){.rule = rule,
                                .pair = pair,
                                .metric = metric,
                                .unit = unit,
                                .threshold = threshold,
                                .w = worsening_none,
                                .p_adjusted = NAN,
                                .gained = NAN,
                                .cells = 1};
    return row;
}

static double threshold_of(const struct regress_work *w, const char *metric)
{
    for (size_t i = 0; i < w->q->limit_count; i++) {
        if (strcmp(w->q->limits[i].metric, metric) == 0) return w->q->limits[i].threshold;
    }
    return w->q->threshold > 0 ? w->q->threshold : REGRESS_THRESHOLD;
}

/* ---- one comparison per metric ---- */

/* What is watched: the lists of metrics_measured, of the baseline and of the current run. What
 * the baseline's names is not turned off by a version that names less. */
struct chosen {
    const struct value *lists[2]; /* NULL: all */
};

/* As the run's own file has it; where that does not describe the benchmark, as the store has it
 * now, which whoever ran it last wrote. */
static const struct value *list_of(struct regress_work *w, const struct run_record *run,
                                   const struct benchmark_record *b)
{
    const struct value *list = NULL;
    if (suite_metrics_in(run ? run->spec_text : NULL, b->name, w->out, &list)) return list;
    return value_stored(b->metrics_measured, w->out);
}

static bool find_chosen(struct regress_work *w, const struct baseline_pair *p,
                        struct chosen *chosen, struct error *err)
{
    struct benchmark_record b;
    struct error why = {0};
    *chosen = (struct chosen){{NULL}};
    if (!store_find_benchmark(w->store, p->current->record.benchmark_id, w->out, &b, &why))
        return why.code == ERROR_NOT_FOUND || error_set(err, why.code, "%s", why.text);
    chosen->lists[0] = list_of(w, p->baseline_run, &b);
    chosen->lists[1] = list_of(w, p->current_run, &b);
    return true;
}

static bool is_chosen(const struct chosen *chosen, const char *metric)
{
    return suite_names_metric(chosen->lists[0], metric) ||
           suite_names_metric(chosen->lists[1], metric);
}

static bool is_grave(const char *metric)
{
    return strcmp(metric, UNITS_FAILURES) == 0 || strcmp(metric, "accuracy") == 0;
}

/* What must be known before anything is called healthy, besides the primary metric; no list
 * of metrics turns it off. */
static bool is_vital(const char *metric)
{
    return is_grave(metric) || strcmp(metric, "cost_usd") == 0;
}

static void prepare(struct regress_work *w, size_t pair, const struct view_metric *now,
                    const struct view_metric *then)
{
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    const char *name = now ? now->name : UNITS_FAILURES;
    double threshold = threshold_of(w, name);
    struct regress_row *row =
        regress_add_row(w, REGRESS_BEYOND, pair, name, now ? now->unit : "1", threshold);
    if (!row) return;
    const struct ask_terms terms = {.alpha = w->alpha, .limit = threshold};
    row->is_primary = now && now == &p->current->metrics[0];
    row->ask = worsening_ask(p, then, now, &terms, w->out);
}

static void refuse(struct regress_work *w, size_t pair, const char *metric,
                   struct compare_gap gap)
{
    if (w->r->refusal_count == REFUSALS_MAX) return;
    w->r->refusals[w->r->refusal_count++] = (struct regress_refusal){pair, metric, gap};
}

static bool must_be_known(const struct baseline_pair *p, const char *metric)
{
    const char *primary = p->baseline->record.primary_metric;
    return is_vital(metric) || (primary && strcmp(metric, primary) == 0);
}

/* What the baseline had and is not there now is not passed over. False if one of them must
 * be known. */
static bool find_missing(struct regress_work *w, size_t pair, const struct chosen *chosen)
{
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    bool is_known = true;
    for (size_t i = 0; i < p->baseline->metric_count; i++) {
        const struct view_metric *then = &p->baseline->metrics[i];
        bool must = must_be_known(p, then->name);
        if (then->direction == DIRECTION_NONE || view_find_metric(p->current, then->name))
            continue;
        if (!must && !is_chosen(chosen, then->name)) continue;
        if (units_are_empty(p->baseline, then, *w->out)) continue;
        refuse(w, pair, then->name, compare_gap_of(then, NULL));
        is_known &= !must;
    }
    return is_known;
}

/* Metrics that have no direction say of no change whether it is worse. A cell that has nothing
 * else is not compared by that its trials did not fail. */
static bool find_undirected(struct regress_work *w, size_t pair)
{
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    bool is_known = true;
    for (size_t i = 0; i < p->current->metric_count; i++) {
        const struct view_metric *now = &p->current->metrics[i];
        const struct view_metric *then = view_find_metric(p->baseline, now->name);
        bool is_there = then && !units_are_empty(p->current, now, *w->out);
        if (now->direction != DIRECTION_NONE || !is_there) continue;
        refuse(w, pair, now->name, (struct compare_gap){.code = COMPARE_NO_DIRECTION});
        is_known = false;
    }
    return is_known;
}

/* False if something that must be known cannot be compared. */
static bool prepare_pair(struct regress_work *w, size_t pair, const struct chosen *chosen)
{
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    bool is_known = find_missing(w, pair, chosen);
    size_t first = w->r->row_count;
    for (size_t i = 0; i < p->current->metric_count; i++) {
        const struct view_metric *now = &p->current->metrics[i];
        const struct view_metric *then = view_find_metric(p->baseline, now->name);
        bool is_watched = is_chosen(chosen, now->name) || is_vital(now->name);
        if (now->direction == DIRECTION_NONE || !is_watched || !then) continue;
        struct compare_gap gap = worsening_gap(p, then, now);
        if (gap.code != COMPARE_FITS) {
            refuse(w, pair, now->name, gap);
            is_known &= gap.code == COMPARE_SMALL || !must_be_known(p, now->name);
            if (gap.code != COMPARE_HOSTS) continue; /* what is worse there is found, no more */
        }
        bool is_empty = units_are_empty(p->baseline, then, *w->out) &&
                        units_are_empty(p->current, now, *w->out);
        if (is_empty) continue;
        size_t before = w->r->row_count;
        prepare(w, pair, now, then);
        bool is_named = suite_names_metric(chosen->lists[1], now->name) || is_vital(now->name);
        if (w->r->row_count > before) w->r->rows[before].is_dropped = !is_named;
    }
    if (w->r->row_count == first) is_known &= find_undirected(w, pair);
    struct compare_gap gap = compare_failures_gap(p->baseline, p->current);
    if (gap.code == COMPARE_FITS) {
        prepare(w, pair, NULL, NULL);
    } else {
        refuse(w, pair, UNITS_FAILURES, gap);
    }
    return is_known && gap.code == COMPARE_FITS;
}

static bool prepare_all(struct regress_work *w, struct error *err)
{
    const struct baseline_set *set = &w->r->set;
    w->r->incomplete = set->lost_count;
    for (size_t i = 0; i < set->count; i++) {
        const struct baseline_pair *p = &set->pairs[i];
        w->r->unfinished += p->cut[1] != NULL;
        if (!p->baseline) w->r->incomplete += p->cut[1] != NULL;
        if (!p->baseline) continue;
        w->r->single += p->run_count[0] + p->run_count[1] < 3;
        w->r->compared++;
        struct chosen chosen;
        if (!find_chosen(w, p, &chosen, err)) return false;
        bool is_known = prepare_pair(w, i, &chosen);
        w->r->incomplete += p->cut[0] || p->cut[1] || !is_known;
    }
    return true;
}

/* ---- families: one metric over its cells ---- */

static bool is_of_family(const struct regress *r, const struct regress_row *row,
                         const struct regress_row *first)
{
    return row->rule == first->rule && strcmp(row->metric, first->metric) == 0 &&
           row->threshold == first->threshold &&
           strcmp(r->set.pairs[row->pair].agent, r->set.pairs[first->pair].agent) == 0;
}

/* Of the rows `at`; what one of them no longer measured, the whole did not either. */
static void add_whole(struct regress_work *w, const struct family *f, const size_t *at)
{
    const struct regress_row *first = &w->r->rows[at[0]];
    if (f->used < 2) return;
    struct regress_row *row = regress_add_row(w, REGRESS_WHOLE, first->pair, first->metric,
                                              first->unit, first->threshold);
    if (!row) return;
    row->w = worsening_of(&f->whole, first->ask.by_case);
    row->p_adjusted = f->whole.is_tested ? f->whole.p : (double)NAN;
    row->is_primary = first->is_primary;
    row->cells = f->used;
    row->ask.metric = first->ask.metric;
    row->ask.by_case = first->ask.by_case;
    for (size_t i = 0; i < f->count; i++) ask_add_lacks(&row->ask, &w->r->rows[at[i]].ask);
}

static bool ask_family(struct regress_work *w, size_t first, bool *is_asked, struct error *err)
{
    struct regress *r = w->r;
    struct family f = {.cells = arena_new(w->out, struct family_cell, w->metric_rows + 1)};
    size_t *at = arena_new(w->out, size_t, w->metric_rows + 1);
    for (size_t i = first; i < w->metric_rows; i++) {
        if (is_asked[i] || !ask_is_alike(&r->rows[i].ask, &r->rows[first].ask)) continue;
        is_asked[i] = true;
        at[f.count] = i;
        f.cells[f.count++].question = r->rows[i].ask.question;
    }
    if (!family_ask(&f, *w->out, err)) return false;
    for (size_t i = 0; i < f.count; i++) {
        struct regress_row *row = &r->rows[at[i]];
        row->w = worsening_of(&f.cells[i].answer, row->ask.by_case);
        row->p_adjusted = f.cells[i].p_adjusted;
    }
    add_whole(w, &f, at);
    return true;
}

static bool ask_all(struct regress_work *w, struct error *err)
{
    bool *is_asked = arena_new(w->out, bool, w->metric_rows + 1);
    for (size_t i = 0; i < w->metric_rows; i++) {
        if (!is_asked[i] && !ask_family(w, i, is_asked, err)) return false;
    }
    return true;
}

/* ---- judging ---- */

/* At a level below alpha, as family.c asks: what is shown is what decided. A drift has no
 * question, only p. */
static bool ask_at(struct regress_work *w, struct regress_row *row, double level,
                   struct error *err)
{
    struct family one = {.cells = &(struct family_cell){.question = row->ask.question},
                         .count = row->ask.question.a ? 1 : 0};
    struct family *f = row->family ? row->family : &one;
    for (size_t i = 0; i < f->count; i++) {
        f->cells[i].question.nominal = w->alpha;
        f->cells[i].question.alpha = level;
    }
    if (f->count == 0) return true;
    if (!family_ask(f, *w->out, err)) return false;
    row->w = worsening_of(&f->whole, row->ask.by_case);
    return true;
}

static int by_p(const void *a, const void *b)
{
    const struct regress_row *x = *(const struct regress_row *const *)a;
    const struct regress_row *y = *(const struct regress_row *const *)b;
    int order = (x->w.p > y->w.p) - (x->w.p < y->w.p);
    return order ? order : (x > y) - (x < y);
}

/* Holm's steps over the rows of one pattern. */
static bool step_down(struct regress_work *w, struct regress_row **rows, size_t count,
                      struct error *err)
{
    qsort(rows, count, sizeof(struct regress_row *), by_p);
    struct holm steps = holm_begin(count);
    for (size_t i = 0; i < count; i++) {
        struct regress_row *row = rows[i];
        double level = holm_level(&steps, row->w.p, w->alpha);
        if (count > 1 && !ask_at(w, row, level, err)) return false;
        row->p_adjusted = holm_step(&steps, row->w.p, row->w.p <= level);
    }
    return true;
}

/* Patterns of one rule on one metric among themselves; metrics were asked as
 * families already. */
static bool adjust_patterns(struct regress_work *w, size_t from, struct error *err)
{
    struct regress *r = w->r;
    struct regress_row **rows = arena_new(w->out, struct regress_row *, r->row_count + 1);
    for (size_t first = from; first < r->row_count; first++) {
        if (!isnan(r->rows[first].p_adjusted) || !r->rows[first].w.is_tested) continue;
        size_t n = 0;
        for (size_t i = first; i < r->row_count; i++) {
            bool fits = r->rows[i].w.is_tested && is_of_family(r, &r->rows[i], &r->rows[first]);
            if (fits) rows[n++] = &r->rows[i];
        }
        if (!step_down(w, rows, n, err)) return false;
    }
    return true;
}

/* The engine's verdict; a drift has p and an amount. */
static enum regress_state judge(const struct regress_row *row, double alpha)
{
    const struct worsening *x = &row->w;
    if (row->rule == REGRESS_DRIFT) {
        return x->amount > row->threshold && row->p_adjusted <= alpha ? REGRESS_FOUND
                                                                      : REGRESS_NONE;
    }
    if (x->verdict == VERDICT_WORSE) return REGRESS_FOUND;
    if (regress_is_pattern(row->rule)) return REGRESS_NONE;
    if (x->has_no_interval) return REGRESS_UNDECIDED;
    if (ask_is_short(&row->ask))
        return REGRESS_UNDECIDED; /* what was not measured may be worse */
    if (x->high < 0) return REGRESS_IMPROVED;
    if (x->is_no_worse) return REGRESS_NONE; /* says what could hide */
    return x->is_within ? REGRESS_NONE : REGRESS_UNDECIDED;
}

static enum severity classify(const struct regress_row *row)
{
    double sure = row->threshold > 0 ? row->w.low / row->threshold : (double)INFINITY;
    sure += 1e-9; /* 0.0012 over 0.001 is 20 % more, whatever its last bit */
    int step = SEVERITY_LOW;
    step += (sure >= 2) + (sure >= 3) + (sure >= 5) + is_grave(row->metric);
    return step < SEVERITY_CRITICAL ? (enum severity)step : SEVERITY_CRITICAL;
}

static void judge_all(struct regress_work *w)
{
    struct regress *r = w->r;
    for (size_t i = 0; i < r->row_count; i++) {
        struct regress_row *row = &r->rows[i];
        row->state = judge(row, w->alpha);
        bool is_pattern = regress_is_pattern(row->rule);
        enum severity fixed = regression_rule_at(row->rule)->severity;
        if (row->state == REGRESS_FOUND) row->severity = is_pattern ? fixed : classify(row);
    }
    for (size_t i = 0; i < r->row_count; i++) { /* which say what others decided, too */
        struct regress_row *row = &r->rows[i];
        bool is_of_one = row->rule != REGRESS_WHOLE && row->rule != REGRESS_SYSTEMIC;
        bool has_flips = row->rule == REGRESS_BEYOND && strcmp(row->metric, "accuracy") == 0;
        bool is_found = row->state == REGRESS_FOUND && is_of_one;
        if (is_found || has_flips) row->impact = regress_impact_of(w, row);
        bool is_idle = row->state != REGRESS_FOUND && row->impact && !row->impact->cases_worse;
        if (is_idle) row->impact = NULL;
    }
}

/* ---- health and action ---- */

/* As the page orders them (web/src/parts/changes.js): the gravest, of those the largest. Without
 * an amount there was nothing before. */
static bool is_worse(const struct regress_row *x, const struct regress_row *than)
{
    if (x->severity != than->severity) return x->severity > than->severity;
    double amount = isnan(x->w.amount) ? (double)INFINITY : x->w.amount;
    return amount > (isnan(than->w.amount) ? (double)INFINITY : than->w.amount);
}

static const struct regress_row *worst_of(const struct regress *r)
{
    const struct regress_row *worst = NULL;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (row->state != REGRESS_FOUND || row->is_quiet) continue;
        if (!worst || is_worse(row, worst)) worst = row;
    }
    return worst;
}

static bool is_key(const struct regress_row *row)
{
    return row->is_primary || is_vital(row->metric);
}

static double beyond(const struct regress_row *row)
{
    if (isnan(row->w.amount)) return 0; /* not known */
    return row->threshold > 0 ? row->w.amount / row->threshold : row->w.amount;
}

/* The worst news first: grave and primary ones, then by how far the estimate lies beyond
 * its threshold. */
static int by_news(const void *a, const void *b)
{
    const struct regress_row *x = *(const struct regress_row *const *)a;
    const struct regress_row *y = *(const struct regress_row *const *)b;
    int order = is_key(y) - is_key(x);
    if (order == 0) order = (beyond(x) < beyond(y)) - (beyond(x) > beyond(y));
    return order ? order : (x > y) - (x < y);
}

static void list_open(struct regress *r, struct arena *out)
{
    r->open = arena_new(out, const struct regress_row *, r->row_count + 1);
    r->open_count = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        bool is_open = row->rule == REGRESS_BEYOND && row->state == REGRESS_UNDECIDED;
        if (is_open) r->open[r->open_count++] = row;
    }
    if (r->open_count) qsort(r->open, r->open_count, sizeof *r->open, by_news);
}

static const struct regress_row *key_open(const struct regress *r)
{
    return r->open_count > 0 && is_key(r->open[0]) ? r->open[0] : NULL;
}

static void conclude(struct regress *r, struct arena *out)
{
    static const char *const health[] = {"healthy", "watch", "degraded", "degraded",
                                         "critical"};
    list_open(r, out);
    r->about = worst_of(r);
    r->overall_health = "unknown";
    if (r->about) {
        r->overall_health = health[r->about->severity];
        r->action = REGRESS_DO_MEND;
    } else if (r->compared == 0 && r->set.lost_count == 0) {
        r->action = REGRESS_DO_PIN;
    } else if (r->incomplete > 0 || r->is_cut) {
        r->action = REGRESS_DO_COMPLETE;
    } else if (key_open(r)) {
        r->about = key_open(r);
        r->action = REGRESS_DO_MEASURE;
    } else {
        r->overall_health = "healthy";
        r->action = REGRESS_DO_NOTHING;
    }
}

static double alpha_of(const struct regress_question *q)
{
    return q->alpha > 0 ? q->alpha : VERDICT_ALPHA;
}

void regress_count(struct arena *out, struct regress *r)
{
    r->found = r->quiet = r->undecided = r->improved = r->tests = r->asked = r->listed = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        r->tests += !isnan(row->p_adjusted);
        if (!regress_is_listed(row)) continue;
        r->listed++;
        r->found += row->state == REGRESS_FOUND;
        r->quiet += row->state == REGRESS_FOUND && row->is_quiet;
        r->undecided += row->state == REGRESS_UNDECIDED;
        r->improved += row->state == REGRESS_IMPROVED;
        r->asked += row->rule == REGRESS_BEYOND;
    }
    conclude(r, out);
}

bool regress_judge(struct store *store, const struct regress_question *q, struct arena *out,
                   struct regress *r, struct error *err)
{
    size_t rows = 0;
    for (size_t i = 0; i < r->set.count; i++) {
        rows += 4 * r->set.pairs[i].current->metric_count + 16;
    }
    struct regress_work w = {.store = store,
                             .q = q,
                             .out = out,
                             .r = r,
                             .alpha = alpha_of(q),
                             .capacity = rows < ROWS_MAX ? rows : ROWS_MAX};
    r->rows = arena_new(out, struct regress_row, w.capacity + 1);
    r->refusals = arena_new(out, struct regress_refusal, REFUSALS_MAX);
    if (!prepare_all(&w, err)) return false;
    w.metric_rows = r->row_count;
    if (!ask_all(&w, err)) return false;
    size_t wholes = r->row_count;
    if (!regress_find_patterns(&w, err)) return false;
    if (!adjust_patterns(&w, wholes, err)) return false;
    judge_all(&w);
    regress_count(out, r);
    return w.broken.code == ERROR_NONE || error_set(err, w.broken.code, "%s", w.broken.text);
}

bool regress_ask(struct store *store, const struct regress_question *q, struct arena *out,
                 struct regress *r, struct error *err)
{
    *r = (struct regress){0};
    return baseline_find(store, &q->which, out, &r->set, err) &&
           regress_judge(store, q, out, r, err) && alarm_attach(store, out, r, err);
}

/* ---- keeping ---- */

bool regress_keep(struct store *store, struct regress *r, regress_analysis_fn *analysis,
                  struct arena *out, struct error *err)
{
    const char **ids = arena_new(out, const char *, r->set.count + 1);
    size_t id_count = 0;
    for (size_t i = 0; i < r->set.count; i++) {
        if (r->set.pairs[i].baseline) ids[id_count++] = r->set.pairs[i].current->record.id;
    }
    struct regression_record *rows = arena_new(out, struct regression_record, r->found + 1);
    size_t count = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (row->state != REGRESS_FOUND) continue;
        const struct execution_record *e = &r->set.pairs[row->pair].current->record;
        bool is_finite = isfinite(row->w.amount);
        rows[count++] = (struct regression_record){
            .agent_id = e->agent_id,
            .agent_version = e->agent_version,
            .benchmark_id = e->benchmark_id,
            .execution_id = e->id,
            .metric = row->metric,
            .severity = severity_name(row->severity),
            .impact_analysis = analysis(r, row, out),
            .baseline_value = row->w.baseline,
            .current_value = row->w.current,
            .regression_percentage = is_finite ? row->w.amount : (double)NAN,
        };
    }
    if (!store_put_regressions(store, ids, id_count, rows, count, err)) {
        return error_wrap(err, "keeping what was found");
    }
    return alarm_raise(store, r, out, err) && alarm_attach(store, out, r, err);
}
