#include "judge/compare.h"

#include <math.h>

enum { ROWS_MAX = 20000 };

/* A child's peak is never told as less than the size of the process that started it, which
 * is the same in all trials of a run and another in the next: for small programs two runs
 * differ beyond all chance. */
#define MEMORY_FLOOR_MB 2.0

static bool is_at_floor(const struct view_metric *m)
{
    return strcmp(m->definition, "memory_peak/1") == 0 && m->max < MEMORY_FLOOR_MB;
}

const char *compare_unlike(const struct view_metric *a, const struct view_metric *b,
                           struct arena *out)
{
    if (strcmp(a->unit, b->unit) != 0) {
        return arena_printf(out, "its unit is '%s' in A and '%s' in B", a->unit, b->unit);
    }
    if (strcmp(a->definition, b->definition) != 0) {
        return arena_printf(out, "it is defined as '%s' in A and '%s' in B", a->definition,
                            b->definition);
    }
    if (a->direction != b->direction) {
        return arena_printf(out, "%s is better in A, %s in B", direction_name(a->direction),
                            direction_name(b->direction));
    }
    if (is_at_floor(a) && is_at_floor(b)) {
        return arena_printf(out,
                            "both are below %g MB, where the size of the process that starts "
                            "a program shows and not the program's",
                            MEMORY_FLOOR_MB);
    }
    return NULL;
}

static const char *label_of(const struct view_cell *cell)
{
    if (cell->record.label && cell->record.label[0]) return cell->record.label;
    return cell->record.experiment;
}

/* ---- one metric ---- */

static bool are_arms(const struct view_cell *a, const struct view_cell *b)
{
    return a->record.run_id[0] && strcmp(a->record.run_id, b->record.run_id) == 0 &&
           a->record.group_index >= 0 && a->record.group_index == b->record.group_index &&
           a->record.arm_index != b->record.arm_index;
}

void compare_take(const struct view_cell *const cells[2],
                  const struct view_metric *const metrics[2], bool is_paired, struct arena *out,
                  struct compare_values *v)
{
    struct units paired[2];
    *v = (struct compare_values){0};
    for (int i = 0; i < 2; i++) v->units[i] = units_of(cells[i], metrics[i], out);
    v->by_case = v->units[0].keys && v->units[1].keys;
    bool are_interleaved = are_arms(cells[0], cells[1]);
    v->is_paired = (v->by_case || are_interleaved || is_paired) &&
                   units_pair(&v->units[0], &v->units[1], out, paired);
    if (v->is_paired) memcpy(v->units, paired, sizeof paired);
    v->is_alternating = v->is_paired && are_interleaved && !v->by_case;
}

struct verdict_question compare_question(const struct compare_values *v, double alpha)
{
    return (struct verdict_question){
        .a = v->units[0].values,
        .a_count = v->units[0].count,
        .b = v->units[1].values,
        .b_count = v->units[1].count,
        .is_paired = v->is_paired,
        .is_alternating = v->is_alternating,
        .alpha = alpha,
    };
}

static bool compare_metric(const struct view_cell *const cells[2],
                           const struct view_metric *const metrics[2],
                           const struct compare_how *how, struct arena *out,
                           struct compare_row *row, struct error *err)
{
    struct compare_values values;
    compare_take(cells, metrics, how->is_paired, out, &values);
    row->by_case = values.by_case;
    row->is_paired = values.is_paired;
    row->metric[0] = metrics[0];
    row->metric[1] = metrics[1];
    row->direction = how->direction ? how->direction : metrics[0]->direction;
    struct verdict_question q = compare_question(&values, how->alpha);
    q.higher_is_better = row->direction == DIRECTION_HIGHER;
    q.margin = how->margin;
    return verdict_compare(&q, out, &row->answer, err);
}

/* ---- which cells belong together ---- */

static bool is_same_text(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static bool is_same_params(const struct view_cell *a, const struct view_cell *b)
{
    if (!a->params || !b->params) return !a->params && !b->params;
    return value_equal(a->params, b->params);
}

static bool is_same_cell(const struct view_cell *a, const struct view_cell *b, bool by_key)
{
    if (by_key)
        return a->record.cell_key && is_same_text(a->record.cell_key, b->record.cell_key);
    return strcmp(a->record.experiment, b->record.experiment) == 0 &&
           strcmp(a->record.benchmark_id, b->record.benchmark_id) == 0 && is_same_params(a, b);
}

static void add_pair(struct compare *c, const struct view_cell *a, const struct view_cell *b)
{
    c->pairs[c->pair_count++] = (struct compare_pair){.cell = {a, b}};
}

static void match_by(struct compare *c, bool *taken_a, bool *taken_b, bool by_key)
{
    const struct view *a = c->side[0].view;
    const struct view *b = c->side[1].view;
    for (size_t i = 0; i < a->cell_count; i++) {
        for (size_t k = 0; k < b->cell_count && !taken_a[i]; k++) {
            if (taken_b[k] || !is_same_cell(&a->cells[i], &b->cells[k], by_key)) continue;
            taken_a[i] = taken_b[k] = true;
            add_pair(c, &a->cells[i], &b->cells[k]);
        }
    }
}

static void list_unmatched(struct compare *c, const bool *taken_a, const bool *taken_b,
                           struct arena *out)
{
    const struct view *a = c->side[0].view;
    const struct view *b = c->side[1].view;
    c->unmatched = arena_new(out, const char *, a->cell_count + b->cell_count + 1);
    for (size_t i = 0; i < a->cell_count + b->cell_count; i++) {
        bool of_a = i < a->cell_count;
        size_t k = of_a ? i : i - a->cell_count;
        if (of_a ? taken_a[k] : taken_b[k]) continue;
        const struct view_cell *cell = of_a ? &a->cells[k] : &b->cells[k];
        c->unmatched[c->unmatched_count++] =
            arena_printf(out, "only %s has %s", of_a ? "A" : "B", label_of(cell));
    }
}

static bool match_sides(struct compare *c, struct arena *out, struct error *err)
{
    const struct view *a = c->side[0].view;
    const struct view *b = c->side[1].view;
    bool *taken_a = arena_new(out, bool, a->cell_count + 1);
    bool *taken_b = arena_new(out, bool, b->cell_count + 1);
    c->pairs = arena_new(out, struct compare_pair, a->cell_count + 1);
    match_by(c, taken_a, taken_b, true);
    match_by(c, taken_a, taken_b, false);
    bool are_single = a->cell_count == 1 && b->cell_count == 1;
    if (c->pair_count == 0 && are_single) {
        const char *of_a = a->cells[0].record.experiment;
        const char *of_b = b->cells[0].record.experiment;
        /* Two cells of one run were chosen by hand: the benchmarks of an imported file are
         * experiments of their own. Definitions still have to agree. */
        bool is_one_run = !c->side[0].is_file && strcmp(a->run.id, b->run.id) == 0;
        if (!is_one_run && strcmp(of_a, of_b) != 0) {
            return error_set(err, ERROR_INVALID,
                             "A is of experiment '%s', B of '%s': unlike things do not compare",
                             of_a, of_b);
        }
        taken_a[0] = taken_b[0] = true;
        add_pair(c, &a->cells[0], &b->cells[0]);
    }
    list_unmatched(c, taken_a, taken_b, out);
    if (c->pair_count > 0) return true;
    return error_set(err, ERROR_INVALID,
                     "no cell of '%s' (%zu cells) is in '%s' (%zu cells): nothing to compare. "
                     "RUN:0 names the first cell of a run",
                     c->side[0].name, a->cell_count, c->side[1].name, b->cell_count);
}

/* Within one run: the other arms of each group against the first. */
static bool match_arms(struct compare *c, struct arena *out, struct error *err)
{
    const struct view *v = c->side[0].view;
    c->pairs = arena_new(out, struct compare_pair, v->cell_count + 1);
    for (size_t i = 0; i < v->cell_count; i++) {
        for (size_t k = 0; k < i; k++) { /* the first of its group that stands before it */
            if (!are_arms(&v->cells[k], &v->cells[i])) continue;
            add_pair(c, &v->cells[k], &v->cells[i]);
            break;
        }
    }
    if (c->pair_count > 0) return true;
    return error_set(err, ERROR_INVALID,
                     "the cells of run %.13s were not interleaved: there are no arms to "
                     "compare; name two runs",
                     v->run.id);
}

/* ---- reliability ---- */

static void judge_reliability(struct compare_pair *pair, const struct compare_how *how)
{
    double alpha = how->alpha > 0 ? how->alpha : VERDICT_ALPHA;
    int64_t failed[2];
    for (int i = 0; i < 2; i++) {
        const struct trial_counts *counts = &pair->cell[i]->record.counts;
        pair->ok[i] = counts->by_status[TRIAL_OK];
        pair->attempted[i] = counts->attempted - counts->by_status[TRIAL_HARNESS_ERROR];
        failed[i] = pair->attempted[i] - pair->ok[i];
    }
    pair->reliability = VERDICT_UNDECIDED;
    pair->failures = proportion_newcombe(failed[1], pair->attempted[1], failed[0],
                                         pair->attempted[0], 1 - alpha);
    struct proportion narrow = proportion_newcombe(failed[1], pair->attempted[1], failed[0],
                                                   pair->attempted[0], 1 - 2 * alpha);
    if (how->margin > 0 && narrow.low >= -how->margin && narrow.high <= how->margin) {
        pair->reliability = VERDICT_EQUIVALENT;
    } else if (pair->failures.low > 0) {
        pair->reliability = VERDICT_WORSE;
    } else if (pair->failures.high < 0) {
        pair->reliability = VERDICT_BETTER;
    }
}

/* ---- all metrics ---- */

static bool add_row(struct compare *c, size_t pair, const struct view_metric *metric,
                    const struct compare_how *how, struct arena *out, struct error *err)
{
    const struct compare_pair *p = &c->pairs[pair];
    const struct view_metric *other = view_find_metric(p->cell[1], metric->name);
    bool is_primary = metric == &p->cell[0]->metrics[0];
    bool is_empty = metric->n == 0 && other && other->n == 0;
    if (is_empty && !is_primary && !how->metric) return true;
    const char *reason = other ? compare_unlike(metric, other, out) : "B does not have it";
    if (!reason && !how->direction && metric->direction == DIRECTION_NONE) {
        if (!how->metric) return true; /* neither is better: nothing to say */
        reason = "neither lower nor higher is better: say --direction lower or higher";
    }
    if (reason && (is_primary || how->metric)) {
        return error_set(err, ERROR_INVALID, "'%s' cannot be compared: %s", metric->name,
                         reason);
    }
    if (reason) {
        c->refusals[c->refusal_count++] =
            (struct compare_refusal){label_of(p->cell[0]), metric->name, reason};
        return true;
    }
    struct compare_row *row = &c->rows[c->row_count++];
    row->pair = pair;
    row->is_primary = is_primary;
    return compare_metric(p->cell, (const struct view_metric *const[]){metric, other}, how, out,
                          row, err);
}

static bool add_rows(struct compare *c, size_t pair, const struct compare_how *how,
                     struct arena *out, struct error *err)
{
    const struct view_cell *cell = c->pairs[pair].cell[0];
    for (size_t m = 0; m < cell->metric_count; m++) {
        if (how->metric && strcmp(cell->metrics[m].name, how->metric) != 0) continue;
        if (!add_row(c, pair, &cell->metrics[m], how, out, err)) return false;
    }
    return true;
}

static bool is_difference(enum verdict v)
{
    return v == VERDICT_BETTER || v == VERDICT_WORSE;
}

static void adjust_rows(struct compare *c, const struct compare_how *how, struct arena *out)
{
    double alpha = how->alpha > 0 ? how->alpha : VERDICT_ALPHA;
    double *p = arena_new(out, double, c->row_count + 1);
    for (size_t i = 0; i < c->row_count; i++) {
        const struct verdict_answer *a = &c->rows[i].answer;
        p[i] = isnan(a->effect.shift_low) ? (double)NAN : a->p; /* no interval, no test */
        c->family += !isnan(p[i]);
    }
    if (how->is_adjusted) adjust_p(*out, how->adjust, p, c->row_count, p);
    for (size_t i = 0; i < c->row_count; i++) {
        struct verdict_answer *a = &c->rows[i].answer;
        c->rows[i].p_adjusted = p[i];
        if (!is_difference(a->verdict) || a->p > alpha || p[i] <= alpha) continue;
        const char *effect = strstr(a->sentence, ": ");
        a->verdict = VERDICT_UNDECIDED;
        a->sentence = arena_printf(out,
                                   "undecided: %s; of %zu comparisons at once, one like "
                                   "this is to be expected (adjusted p = %.2g)",
                                   effect ? effect + 2 : a->sentence, c->family, p[i]);
    }
}

bool compare_make(const struct source *a, const struct source *b, const struct compare_how *how,
                  struct arena *out, struct compare *c, struct error *err)
{
    *c = (struct compare){.side = {*a, b ? *b : *a}};
    if (!(b ? match_sides(c, out, err) : match_arms(c, out, err))) return false;
    size_t rows = 0;
    for (size_t i = 0; i < c->pair_count; i++) rows += c->pairs[i].cell[0]->metric_count;
    if (rows > ROWS_MAX) {
        return error_set(err, ERROR_INVALID,
                         "%zu comparisons are more than anybody reads (limit %d): name a "
                         "metric with --metric, or cells as RUN:0, RUN:1, ...",
                         rows, ROWS_MAX);
    }
    c->rows = arena_new(out, struct compare_row, rows + 1);
    c->refusals = arena_new(out, struct compare_refusal, rows + 1);
    for (size_t i = 0; i < c->pair_count; i++) {
        judge_reliability(&c->pairs[i], how);
        if (!add_rows(c, i, how, out, err)) return false;
    }
    if (c->row_count == 0) {
        return error_set(err, ERROR_INVALID, "%s%s%s: nothing to compare",
                         how->metric ? "no cell gives '"
                                     : "no metric of both sides says which is better, lower or "
                                       "higher (--metric NAME --direction lower)",
                         how->metric ? how->metric : "", how->metric ? "'" : "");
    }
    adjust_rows(c, how, out);
    compare_note_unlike(c, out);
    return true;
}
