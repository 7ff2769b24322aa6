/* Rows are made first and judged last. Every metric of every cell with a baseline is a
 * row with a question; rows of one metric are asked as a family, which adds a row for
 * the whole; the rules of regress_patterns.c add candidates. Only then are patterns
 * adjusted, states and severities given, sentences written, and health concluded from
 * the worst row. */
#include "history/regress_internal.h"

#include "base/human.h"
#include "base/json.h"
#include "judge/compare.h"
#include "stats/adjust.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { ROWS_MAX = 50000 };

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

struct regress_row *regress_add_row(struct regress_work *w, enum regress_rule rule, size_t pair,
                                    const char *metric, const char *unit, double threshold)
{
    if (w->r->row_count == w->capacity) return NULL;
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

void regress_note(struct regress_work *w, const char *fmt, ...)
{
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (size_t i = 0; i < w->r->note_count; i++) {
        if (strcmp(w->r->notes[i], text) == 0) return;
    }
    if (w->r->note_count == REGRESS_NOTES_MAX) return;
    w->r->notes[w->r->note_count++] = arena_printf(w->out, "%s", text);
}

double regress_threshold(const struct regress_work *w, const char *metric)
{
    for (size_t i = 0; i < w->q->limit_count; i++) {
        if (strcmp(w->q->limits[i].metric, metric) == 0) return w->q->limits[i].threshold;
    }
    return w->q->threshold > 0 ? w->q->threshold : REGRESS_THRESHOLD;
}

/* ---- one comparison per metric ---- */

/* What the benchmark says is measured; NULL: everything. */
static const struct value *chosen_metrics(struct regress_work *w, const struct baseline_pair *p)
{
    struct benchmark_record b;
    const struct value *list = NULL;
    const char *id = p->current->record.benchmark_id;
    bool is_known =
        store_find_benchmark(w->store, id, w->out, &b, NULL) && b.metrics_measured &&
        value_read_json(str_of(b.metrics_measured), &value_limits_spec, w->out, &list, NULL);
    bool is_chosen = is_known && list->kind == VALUE_LIST && list->list.count > 0;
    return is_chosen ? list : NULL;
}

static bool is_chosen(const struct value *list, const char *metric)
{
    for (size_t i = 0; list && i < list->list.count; i++) {
        const struct value *v = list->list.items[i];
        if (v->kind == VALUE_TEXT && str_is(v->source, metric)) return true;
    }
    return list == NULL;
}

static void prepare(struct regress_work *w, size_t pair, const struct view_metric *now,
                    const struct view_metric *then)
{
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    const char *name = now ? now->name : UNITS_FAILURES;
    double threshold = regress_threshold(w, name);
    struct regress_row *row =
        regress_add_row(w, REGRESS_BEYOND, pair, name, now ? now->unit : "1", threshold);
    if (!row) return;
    const struct ask_terms terms = {.alpha = w->alpha, .limit = threshold};
    row->is_primary = now && now == &p->current->metrics[0];
    row->ask = worsening_ask(p, then, now, &terms, w->out);
}

static void prepare_pair(struct regress_work *w, size_t pair)
{
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    const struct value *chosen = chosen_metrics(w, p);
    for (size_t i = 0; i < p->current->metric_count; i++) {
        const struct view_metric *now = &p->current->metrics[i];
        const struct view_metric *then = view_find_metric(p->baseline, now->name);
        if (now->direction == DIRECTION_NONE || !is_chosen(chosen, now->name)) continue;
        const char *unlike = then ? compare_unlike(then, now, w->out) : NULL;
        if (unlike) {
            regress_note(w, "%s, %s was not compared: %s (A is the baseline)", p->name,
                         now->name, unlike);
        }
        bool is_empty = then && units_are_empty(p->baseline, then, *w->out) &&
                        units_are_empty(p->current, now, *w->out);
        if (!then || unlike || is_empty) continue;
        prepare(w, pair, now, then);
    }
    prepare(w, pair, NULL, NULL);
}

static void note_hosts(struct regress_work *w, const struct baseline_pair *p)
{
    if (!p->hosts[0]) return;
    regress_note(w,
                 "the baseline was measured on host '%s', the current one on '%s': "
                 "durations of different machines do not compare",
                 p->hosts[0], p->hosts[1]);
}

static void prepare_all(struct regress_work *w)
{
    const struct baseline_set *set = &w->r->set;
    w->r->incomplete = set->lost_count;
    for (size_t i = 0; i < set->lost_count; i++) {
        regress_note(w, "%s was in the baseline (run %s) and is missing now", set->lost[i].name,
                     id_short(set->lost[i].run_id));
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct baseline_pair *p = &set->pairs[i];
        if (!p->baseline) {
            regress_note(w, "%s%s%s has no baseline: %s", p->name, p->is_agent ? " of " : "",
                         p->is_agent ? p->agent : "", p->why ? p->why : "nothing fits");
            continue;
        }
        for (int k = 0; k < 2; k++) {
            if (p->cut[k]) {
                regress_note(w, "%s of %s is not complete, %s: --resume makes the rest",
                             p->name, k ? "the current run" : "the baseline", p->cut[k]);
            }
        }
        w->r->incomplete += p->cut[0] || p->cut[1];
        w->r->compared++;
        note_hosts(w, p);
        prepare_pair(w, i);
    }
}

/* ---- families: one metric over its cells ---- */

static bool is_of_family(const struct regress_row *row, const struct regress_row *first)
{
    return row->rule == first->rule && strcmp(row->metric, first->metric) == 0 &&
           row->threshold == first->threshold;
}

static void add_whole(struct regress_work *w, const struct regress_row *first,
                      const struct family *f)
{
    if (f->used < 2) return;
    struct regress_row *row = regress_add_row(w, REGRESS_WHOLE, first->pair, first->metric,
                                              first->unit, first->threshold);
    if (!row) return;
    row->w = worsening_of(&f->whole, first->ask.by_case, w->out);
    row->p_adjusted = f->whole.is_tested ? f->whole.p : (double)NAN;
    row->is_primary = first->is_primary;
    row->cells = f->used;
}

static bool ask_family(struct regress_work *w, size_t first, bool *is_asked, struct error *err)
{
    struct regress *r = w->r;
    struct family f = {.cells = arena_new(w->out, struct family_cell, w->metric_rows + 1)};
    size_t *at = arena_new(w->out, size_t, w->metric_rows + 1);
    for (size_t i = first; i < w->metric_rows; i++) {
        if (is_asked[i] || !is_of_family(&r->rows[i], &r->rows[first])) continue;
        is_asked[i] = true;
        at[f.count] = i;
        f.cells[f.count++].question = r->rows[i].ask.question;
    }
    if (!family_ask(&f, *w->out, err)) return false;
    for (size_t i = 0; i < f.count; i++) {
        struct regress_row *row = &r->rows[at[i]];
        row->w = worsening_of(&f.cells[i].answer, row->ask.by_case, w->out);
        row->p_adjusted = f.cells[i].p_adjusted;
    }
    add_whole(w, &r->rows[first], &f);
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

/* Patterns of one rule on one metric among themselves; metrics were asked as
 * families already. */
static void adjust_patterns(struct regress_work *w, size_t from)
{
    struct regress *r = w->r;
    double *p = arena_new(w->out, double, r->row_count + 1);
    for (size_t first = from; first < r->row_count; first++) {
        if (!isnan(r->rows[first].p_adjusted)) continue;
        size_t n = 0;
        for (size_t i = first; i < r->row_count; i++) {
            if (is_of_family(&r->rows[i], &r->rows[first])) p[n++] = r->rows[i].w.p;
        }
        adjust_p(*w->out, ADJUST_HOLM, p, n, p);
        n = 0;
        for (size_t i = first; i < r->row_count; i++) {
            if (is_of_family(&r->rows[i], &r->rows[first])) r->rows[i].p_adjusted = p[n++];
        }
    }
}

/* Of a metric the engine's verdict; of a pattern its own effect and p. */
static enum regress_state judge(const struct regress_row *row, double alpha)
{
    const struct worsening *x = &row->w;
    if (regress_is_pattern(row->rule)) {
        return x->low > row->threshold && row->p_adjusted <= alpha ? REGRESS_FOUND
                                                                   : REGRESS_NONE;
    }
    if (x->why) return REGRESS_UNDECIDED;
    if (x->verdict == VERDICT_WORSE) return REGRESS_FOUND;
    if (x->high < 0) return REGRESS_IMPROVED;
    if (x->is_no_worse) return REGRESS_NONE; /* says what could hide */
    return x->is_within ? REGRESS_NONE : REGRESS_UNDECIDED;
}

static bool is_grave(const char *metric)
{
    return strcmp(metric, UNITS_FAILURES) == 0 || strcmp(metric, "accuracy") == 0;
}

static enum severity classify(const struct regress_row *row)
{
    double sure = row->threshold > 0 ? row->w.low / row->threshold : (double)INFINITY;
    sure += 1e-9; /* 0.0012 over 0.001 is 20 % more, whatever its last bit */
    int step = SEVERITY_LOW;
    step += (sure >= 2) + (sure >= 3) + (sure >= 5) + is_grave(row->metric);
    return step < SEVERITY_CRITICAL ? (enum severity)step : SEVERITY_CRITICAL;
}

static const char *values_text(const struct regress_row *row, struct arena *out)
{
    const struct worsening *x = &row->w;
    char text[2][HUMAN_SIZE];
    if (x->is_points) {
        return arena_printf(out, "%.1f %% -> %.1f %%", 100 * x->baseline, 100 * x->current);
    }
    struct human_scale scale = human_scale(row->unit, fmin(fabs(x->baseline), fabs(x->current)),
                                           fmax(fabs(x->baseline), fabs(x->current)));
    return arena_printf(out, "%s -> %s %s", human_number(&scale, x->baseline, text[0]),
                        human_number(&scale, x->current, text[1]), scale.unit);
}

/* How many, in how many runs, and how much runs of one version differ. */
static const char *evidence_text(const struct regress_work *w, const struct regress_row *row)
{
    const struct worsening *x = &row->w;
    const struct baseline_pair *p = &w->r->set.pairs[row->pair];
    const char *unknown = worsening_unknown(x, w->out);
    const char *n = x->is_paired
                        ? arena_printf(w->out, "%zu cases%s", x->n[0], unknown)
                        : arena_printf(w->out, "n = %zu and %zu%s", x->n[0], x->n[1], unknown);
    if (p->run_count[0] + p->run_count[1] < 3) return n;
    double differ = x->run_sd;
    return arena_printf(w->out, "%s, %zu and %zu runs, which differ by %s", n, p->run_count[0],
                        p->run_count[1], worsening_text(x, differ, w->out));
}

static const char *describe(const struct regress_work *w, const struct regress_row *row)
{
    const struct worsening *x = &row->w;
    const char *name = row->rule == REGRESS_WHOLE
                           ? arena_printf(w->out, "all %zu cells", row->cells)
                           : w->r->set.pairs[row->pair].name;
    const char *limit = worsening_text(x, row->threshold, w->out);
    const char *rule = regress_rule_name(row->rule);
    if (x->why) {
        return arena_printf(w->out, "%s, %s: undecided: %s (rule %s, threshold %s)", name,
                            row->metric, x->why, rule, limit);
    }
    const char *head = arena_printf(w->out, "%s, %s: %s, %s", name, row->metric,
                                    values_text(row, w->out), worsening_effect(x, w->out));
    const char *n = evidence_text(w, row);
    switch (row->state) {
    case REGRESS_FOUND:
        return arena_printf(w->out,
                            "%s: all of it beyond the threshold of %s (rule %s, "
                            "adjusted %s, %s)",
                            head, limit, rule, HUMAN_P(row->p_adjusted), n);
    case REGRESS_IMPROVED:
        return arena_printf(w->out, "%s: better beyond chance (%s)", head, n);
    case REGRESS_NONE:
        if (x->high > row->threshold) {
            return arena_printf(w->out, "%s: no worse than before; %s could hide in %s", head,
                                worsening_text(x, x->high, w->out), n);
        }
        return arena_printf(w->out, "%s: inside the threshold of %s (rule %s, %s)", head, limit,
                            rule, n);
    case REGRESS_UNDECIDED: break;
    }
    const char *shows = worsening_few(x, w->out);
    if (!isnan(x->mde) && x->least == 0) {
        shows = arena_printf(w->out, "; %s would show %s",
                             x->needs_runs ? "so few runs" : "these data",
                             worsening_text(x, x->mde, w->out));
    }
    return arena_printf(
        w->out, "%s: undecided: the interval includes the threshold of %s%s (rule %s, %s)",
        head, limit, shows, rule, n);
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
        row->sentence = is_pattern ? regress_pattern_sentence(w, row) : describe(w, row);
        bool is_of_one = row->rule != REGRESS_WHOLE && row->rule != REGRESS_SYSTEMIC;
        bool has_flips = row->rule == REGRESS_BEYOND && strcmp(row->metric, "accuracy") == 0;
        bool is_found = row->state == REGRESS_FOUND && is_of_one;
        if (is_found || has_flips) row->impact = regress_impact_of(w, row);
        bool is_idle = row->state != REGRESS_FOUND && row->impact && !row->impact->cases_worse;
        if (is_idle) row->impact = NULL;
    }
}

/* ---- health and action ---- */

static const struct regress_row *worst_of(const struct regress *r)
{
    const struct regress_row *worst = NULL;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (row->state != REGRESS_FOUND) continue;
        if (!worst || row->severity > worst->severity) worst = row;
    }
    return worst;
}

/* What must be known before anything is called healthy: the primary metric, and what is
 * grave. */
static bool is_key(const struct regress_row *row)
{
    return row->is_primary || is_grave(row->metric);
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

static void conclude(struct regress_work *w)
{
    static const char *const health[] = {"healthy", "watch", "degraded", "degraded",
                                         "critical"};
    static const char *const action[] = {
        "none", "watch: measure it again with the next version", "investigate before release",
        "do not release", "do not release, and go back to the baseline where it is in use"};
    struct regress *r = w->r;
    list_open(r, w->out);
    const struct regress_row *worst = worst_of(r);
    if (worst) {
        r->overall_health = health[worst->severity];
        r->recommended_action = arena_printf(
            w->out, "%s: the worst of %zu is %s (%s, %s of %s)", action[worst->severity],
            r->found, severity_name(worst->severity), regress_rule_name(worst->rule),
            worst->metric, r->set.pairs[worst->pair].name);
    } else if (r->compared == 0 && r->set.lost_count == 0) {
        r->overall_health = "unknown";
        r->recommended_action = "pin a baseline with `assay baseline set NAME RUN`, or run an "
                                "earlier version: nothing has one";
    } else if (r->incomplete > 0) {
        r->overall_health = "unknown";
        r->recommended_action =
            arena_printf(w->out,
                         "run what is missing: %zu of the baseline's cells %s not "
                         "there or not complete",
                         r->incomplete, r->incomplete == 1 ? "is" : "are");
    } else if (key_open(r)) {
        const struct regress_row *open = key_open(r);
        r->overall_health = "unknown";
        r->recommended_action = arena_printf(
            w->out,
            "measure more: %s of %s is undecided, one of %zu undecided comparisons of %zu",
            open->metric, r->set.pairs[open->pair].name, r->open_count, w->metric_rows);
    } else {
        r->overall_health = "healthy";
        r->recommended_action = r->undecided
                                    ? arena_printf(w->out,
                                                   "none; more cases or trials would decide "
                                                   "the %zu comparisons that are open",
                                                   r->undecided)
                                    : "none";
    }
}

static double alpha_of(const struct regress_question *q)
{
    return q->alpha > 0 ? q->alpha : VERDICT_ALPHA;
}

/* Two runs differ, and nobody knows by how much. */
static void note_runs(struct regress_work *w)
{
    size_t single = 0;
    for (size_t i = 0; i < w->r->set.count; i++) {
        const struct baseline_pair *p = &w->r->set.pairs[i];
        single += p->baseline && p->run_count[0] + p->run_count[1] < 3;
    }
    if (single == 0) return;
    if (w->r->is_confirmed) w->r->note_count = w->r->runs_note; /* it is the last: said anew */
    w->r->runs_note = w->r->note_count;
    regress_note(w,
                 "%zu of %zu cells: one run against one. How much runs of one version differ "
                 "is not known, so a difference between runs looks like one between versions; "
                 "run them again%s",
                 single, w->r->compared, w->r->is_confirmed ? "" : ", or ask --confirm");
}

void regress_count(const struct regress_question *q, struct arena *out, struct regress *r)
{
    struct regress_work w = {.q = q, .out = out, .r = r, .alpha = alpha_of(q)};
    r->found = r->undecided = r->improved = r->tests = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        r->found += row->state == REGRESS_FOUND;
        r->undecided += row->state == REGRESS_UNDECIDED;
        r->improved += row->state == REGRESS_IMPROVED;
        w.metric_rows += row->rule == REGRESS_BEYOND;
    }
    for (size_t i = 0; i < r->row_count; i++) r->tests += !isnan(r->rows[i].p_adjusted);
    conclude(&w);
    note_runs(&w);
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
    r->notes = arena_new(out, const char *, REGRESS_NOTES_MAX);
    prepare_all(&w);
    w.metric_rows = r->row_count;
    if (!ask_all(&w, err)) return false;
    size_t wholes = r->row_count;
    if (!regress_find_patterns(&w, err)) return false;
    if (r->row_count == w.capacity) {
        regress_note(&w, "only the first %zu comparisons were made: name an agent", w.capacity);
    }
    adjust_patterns(&w, wholes);
    judge_all(&w);
    regress_count(q, out, r);
    return true;
}

bool regress_ask(struct store *store, const struct regress_question *q, struct arena *out,
                 struct regress *r, struct error *err)
{
    *r = (struct regress){0};
    return baseline_find(store, &q->which, out, &r->set, err) &&
           regress_judge(store, q, out, r, err);
}

/* ---- keeping ---- */

static const char *impact_json(const struct regress_row *row, struct arena *out)
{
    char memory[4000];
    struct buf b;
    struct json j;
    buf_over(&b, memory, sizeof memory);
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_text(&j, "rule", regress_rule_name(row->rule));
    json_put_real(&j, "threshold", row->threshold);
    json_put_text(&j, "sentence", row->sentence);
    json_put_text(&j, "impact", row->impact ? row->impact->sentence : NULL);
    json_end(&j);
    return b.overflow ? NULL : str_cstr(out, buf_str(&b));
}

bool regress_keep(struct store *store, const struct regress *r, struct arena *out,
                  struct error *err)
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
            .impact_analysis = impact_json(row, out),
            .baseline_value = row->w.baseline,
            .current_value = row->w.current,
            .regression_percentage = is_finite ? row->w.amount : (double)NAN,
        };
    }
    return store_put_regressions(store, ids, id_count, rows, count, err) ||
           error_wrap(err, "keeping what was found");
}
