#include "judge/compare.h"

#include "model/cell.h"

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
    struct metric of_a = view_metric_of(a);
    struct metric of_b = view_metric_of(b);
    switch (metric_unlike(&of_a, &of_b)) {
    case METRIC_UNLIKE_UNIT:
        return arena_printf(out, "its unit is '%s' in A and '%s' in B", a->unit, b->unit);
    case METRIC_UNLIKE_DEFINITION:
        return arena_printf(out, "it is defined as '%s' in A and '%s' in B", a->definition,
                            b->definition);
    case METRIC_UNLIKE_DIRECTION:
        return arena_printf(out, "%s is better in A, %s in B", direction_name(a->direction),
                            direction_name(b->direction));
    case METRIC_ALIKE: break;
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

/* From the strictest to the loosest. A version is preferred, not demanded: it is what people
 * compare. Agents are matched with other agents only where both sides were chosen by hand. */
static const unsigned levels[] = {
    CELL_SAME | CELL_VERSION,
    CELL_SAME,
    CELL_SAME & ~CELL_LANES,
    CELL_WHAT | CELL_BENCHMARK,
};

struct side {
    const struct view *view;
    struct cell_identity *ids; /* of each cell at this level */
    bool *is_taken;
};

static struct side make_side(const struct view *view, struct arena *out)
{
    return (struct side){.view = view,
                         .ids = arena_new(out, struct cell_identity, view->cell_count + 1),
                         .is_taken = arena_new(out, bool, view->cell_count + 1)};
}

static void identify(struct side *s, unsigned parts)
{
    for (size_t i = 0; i < s->view->cell_count; i++) {
        if (!s->is_taken[i]) s->ids[i] = cell_identity(&s->view->cells[i].record, parts);
    }
}

static void add_pair(struct compare *c, const struct view_cell *a, const struct view_cell *b)
{
    c->pairs[c->pair_count++] = (struct compare_pair){.cell = {a, b}};
}

static void match_at(struct compare *c, struct side *a, struct side *b, unsigned parts)
{
    identify(a, parts);
    identify(b, parts);
    for (size_t i = 0; i < a->view->cell_count; i++) {
        for (size_t k = 0; k < b->view->cell_count && !a->is_taken[i]; k++) {
            if (b->is_taken[k] || strcmp(a->ids[i].hex, b->ids[k].hex) != 0) continue;
            a->is_taken[i] = b->is_taken[k] = true;
            add_pair(c, &a->view->cells[i], &b->view->cells[k]);
        }
    }
}

static void list_unmatched(struct compare *c, const struct side *sides, struct arena *out)
{
    size_t most = sides[0].view->cell_count + sides[1].view->cell_count;
    c->unmatched = arena_new(out, const char *, most + 1);
    for (int s = 0; s < 2; s++) {
        const struct view *view = sides[s].view;
        for (size_t i = 0; i < view->cell_count; i++) {
            if (sides[s].is_taken[i]) continue;
            const char *name = view_cell_name(view, &view->cells[i], out);
            c->unmatched[c->unmatched_count++] =
                arena_printf(out, "only %s has %s", s ? "B" : "A", name);
        }
    }
}

/* A cell on each side and nothing in common: chosen by hand, whatever its parameters. */
static bool match_single(struct compare *c, struct side *a, struct side *b, bool by_hand,
                         struct arena *out, struct error *err)
{
    const struct view_cell *one = &a->view->cells[0];
    const struct view_cell *two = &b->view->cells[0];
    /* Two cells of one run: the benchmarks of an imported file are experiments of their own.
     * Definitions still have to agree. */
    bool is_one_run = !c->side[0].is_file && strcmp(a->view->run.id, b->view->run.id) == 0;
    if (!is_one_run && strcmp(one->record.experiment, two->record.experiment) != 0) {
        return error_set(err, ERROR_INVALID,
                         "A is of experiment '%s', B of '%s': unlike things do not compare",
                         one->record.experiment, two->record.experiment);
    }
    if (!by_hand && strcmp(one->record.agent_id, two->record.agent_id) != 0) {
        return error_set(err, ERROR_INVALID,
                         "A is %s, B is %s: two agents, which `assay versus` compares",
                         view_cell_name(a->view, one, out), view_cell_name(b->view, two, out));
    }
    a->is_taken[0] = b->is_taken[0] = true;
    add_pair(c, one, two);
    return true;
}

static bool match_sides(struct compare *c, struct arena *out, struct error *err)
{
    struct side sides[2] = {make_side(c->side[0].view, out), make_side(c->side[1].view, out)};
    size_t cells[2] = {sides[0].view->cell_count, sides[1].view->cell_count};
    bool by_hand = !c->side[0].is_run && !c->side[1].is_run;
    c->pairs = arena_new(out, struct compare_pair, cells[0] + 1);
    for (size_t i = 0; i < COUNT(levels); i++) {
        bool is_allowed = (levels[i] & CELL_AGENT) || by_hand;
        if (is_allowed) match_at(c, &sides[0], &sides[1], levels[i]);
    }
    if (c->pair_count == 0 && cells[0] == 1 && cells[1] == 1 &&
        !match_single(c, &sides[0], &sides[1], by_hand, out, err)) {
        return false;
    }
    list_unmatched(c, sides, out);
    if (c->pair_count > 0) return true;
    return error_set(err, ERROR_INVALID,
                     "no cell of '%s' (%zu cells) is in '%s' (%zu cells): nothing to compare. "
                     "RUN:0 names the first cell of a run; `assay versus` compares two agents",
                     c->side[0].name, cells[0], c->side[1].name, cells[1]);
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
                     "the cells of run %s were not interleaved: there are no arms to "
                     "compare; name two runs",
                     id_short(v->run.id));
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
