/* Matching first, judging after. Cells are matched at levels from the strictest identity
 * to the loosest (model/cell.h), each taking what the one before left; then each metric
 * that both sides have becomes a row with a question, and the rows of one metric are
 * asked together as a family. Nothing is decided here: effect, interval and verdict are
 * the engine's. */
#include "judge/compare.h"

#include "experiment/experiment.h"
#include "model/cell.h"

#include <math.h>

enum { ROWS_MAX = 20000 };

static bool is_at_floor(const struct view_metric *m)
{
    return strcmp(m->definition, "memory_peak/1") == 0 && m->max < COMPARE_MEMORY_FLOOR_MB;
}

struct compare_gap compare_gap_of(const struct view_metric *a, const struct view_metric *b)
{
    if (!a || !b) return (struct compare_gap){.code = a ? COMPARE_B_LACKS : COMPARE_A_LACKS};
    struct metric of_a = view_metric_of(a);
    struct metric of_b = view_metric_of(b);
    switch (metric_unlike(&of_a, &of_b)) {
    case METRIC_UNLIKE_UNIT: return (struct compare_gap){COMPARE_UNIT, a->unit, b->unit};
    case METRIC_UNLIKE_DEFINITION:
        return (struct compare_gap){COMPARE_DEFINITION, a->definition, b->definition};
    case METRIC_UNLIKE_DIRECTION:
        return (struct compare_gap){COMPARE_DIRECTION, direction_name(a->direction),
                                    direction_name(b->direction)};
    case METRIC_ALIKE: break;
    }
    bool is_small = is_at_floor(a) && is_at_floor(b);
    return (struct compare_gap){.code = is_small ? COMPARE_SMALL : COMPARE_FITS};
}

static bool ignores_failures(const struct view_cell *cell)
{
    const struct value *v = view_find_setting(cell, S("ignore_failure"));
    return v && v->kind == VALUE_BOOL && v->boolean;
}

struct compare_gap compare_failures_gap(const struct view_cell *a, const struct view_cell *b)
{
    bool is_ignored[2] = {ignores_failures(a), ignores_failures(b)};
    struct compare_gap gap = {.code = COMPARE_FITS};
    if (is_ignored[0] != is_ignored[1])
        gap.code = is_ignored[0] ? COMPARE_A_IGNORES : COMPARE_B_IGNORES;
    return gap;
}

static const char *label_of(const struct view_cell *cell)
{
    if (cell->record.label && cell->record.label[0]) return cell->record.label;
    return cell->record.experiment;
}

/* ---- one metric ---- */

/* The two cells, and the runs that a version was merged from. */
static struct ask_subject subject_of(const struct compare *c, const struct compare_pair *pair)
{
    struct ask_subject subject = {.cell = {pair->cell[0], pair->cell[1]}};
    for (int s = 0; s < 2; s++) {
        const struct source *side = &c->side[s];
        if (!side->runs) continue;
        const struct source_runs *runs = &side->runs[pair->cell[s] - side->view->cells];
        subject.runs[s] = runs->cells;
        subject.run_count[s] = runs->count;
    }
    return subject;
}

static void prepare_row(const struct compare *c, const struct compare_pair *pair,
                        const struct view_metric *const metrics[2],
                        const struct compare_how *how, struct arena *out,
                        struct compare_row *row)
{
    struct ask_subject subject = subject_of(c, pair);
    subject.metric[0] = metrics[0];
    subject.metric[1] = metrics[1];
    subject.is_paired = how->is_paired;
    row->metric[0] = metrics[0];
    row->metric[1] = metrics[1];
    row->direction = how->direction ? how->direction : metrics[0]->direction;
    const struct ask_terms terms = {how->alpha, how->margin, how->limit, row->direction};
    row->ask = ask_about(&subject, &terms, out);
    row->by_case = row->ask.by_case;
    row->is_paired = row->ask.question.is_paired;
}

/* ---- which cells belong together ---- */

/* From the strictest to the loosest. A version is preferred, not demanded: it is what people
 * compare. */
static const unsigned levels[] = {CELL_SAME | CELL_VERSION, CELL_SAME, CELL_SAME & ~CELL_LANES};

static struct cell_identity *identify(const struct compare_match *m, int side, unsigned parts,
                                      struct arena *scratch)
{
    size_t count = m->view[side]->cell_count;
    struct cell_identity *ids = arena_new(scratch, struct cell_identity, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (m->is_taken[side][i]) continue;
        ids[i] = cell_identity(&m->view[side]->cells[i].record, parts);
    }
    return ids;
}

static void add_match(struct compare_match *m, size_t a, size_t b)
{
    m->is_taken[0][a] = m->is_taken[1][b] = true;
    struct compare_cells *pair = &m->pairs[m->count++];
    pair->cell[0] = &m->view[0]->cells[a];
    pair->cell[1] = &m->view[1]->cells[b];
}

static void match_at(struct compare_match *m, unsigned parts, struct arena scratch)
{
    const struct cell_identity *a = identify(m, 0, parts, &scratch);
    const struct cell_identity *b = identify(m, 1, parts, &scratch);
    for (size_t i = 0; i < m->view[0]->cell_count; i++) {
        for (size_t k = 0; k < m->view[1]->cell_count && !m->is_taken[0][i]; k++) {
            bool is_it = !m->is_taken[1][k] && strcmp(a[i].hex, b[k].hex) == 0;
            if (is_it) add_match(m, i, k);
        }
    }
}

struct compare_match compare_match_new(const struct view *a, const struct view *b,
                                       struct arena *out)
{
    return (struct compare_match){.view = {a, b},
                                  .is_taken = {arena_new(out, bool, a->cell_count + 1),
                                               arena_new(out, bool, b->cell_count + 1)},
                                  .pairs =
                                      arena_new(out, struct compare_cells, a->cell_count + 1)};
}

void compare_match(struct compare_match *m, unsigned but, struct arena scratch)
{
    for (size_t i = 0; i < COUNT(levels); i++) match_at(m, levels[i] & ~but, scratch);
}

static void add_pair(struct compare *c, const struct view_cell *a, const struct view_cell *b)
{
    c->pairs[c->pair_count++] = (struct compare_pair){.cell = {a, b}};
}

static void list_unmatched(struct compare *c, const struct compare_match *m, struct arena *out)
{
    size_t most = m->view[0]->cell_count + m->view[1]->cell_count;
    c->unmatched = arena_new(out, struct compare_unmatched, most + 1);
    for (int s = 0; s < 2; s++) {
        const struct view *view = m->view[s];
        for (size_t i = 0; i < view->cell_count; i++) {
            if (m->is_taken[s][i]) continue;
            const char *name = view_cell_name(view, &view->cells[i], out);
            c->unmatched[c->unmatched_count++] = (struct compare_unmatched){s, name};
        }
    }
}

/* A benchmark of its own, made of some of the cases of another. */
static bool is_of_chosen_cases(const struct execution_record *e,
                               const struct execution_record *other)
{
    return e->unranked == UNRANKED_SUBSET && e->benchmark_id[0] && other->benchmark_id[0] &&
           strcmp(e->benchmark_id, other->benchmark_id) != 0;
}

/* A cell on each side and nothing in common: chosen by hand, whatever its parameters. */
static bool match_single(const struct compare *c, struct compare_match *m, bool by_hand,
                         struct arena *out, struct error *err)
{
    const struct view_cell *one = &m->view[0]->cells[0];
    const struct view_cell *two = &m->view[1]->cells[0];
    /* Two cells of one run: the benchmarks of an imported file are experiments of their own.
     * Definitions still have to agree. */
    bool is_one_run =
        !c->side[0].is_file && strcmp(m->view[0]->run.id, m->view[1]->run.id) == 0;
    if (!is_one_run && strcmp(one->record.experiment, two->record.experiment) != 0) {
        return error_set(err, ERROR_INVALID,
                         "A is of experiment '%s', B of '%s': they measure different things",
                         one->record.experiment, two->record.experiment);
    }
    bool is_known = one->record.agent_id[0] && two->record.agent_id[0]; /* files name none */
    if (!by_hand && is_known && strcmp(one->record.agent_id, two->record.agent_id) != 0) {
        return error_set(
            err, ERROR_INVALID, "A is %s, B is %s: two agents, which `assay versus` compares",
            view_cell_name(m->view[0], one, out), view_cell_name(m->view[1], two, out));
    }
    const struct execution_record *const sides[] = {&one->record, &two->record};
    for (int i = 0; i < 2; i++) {
        if (!is_of_chosen_cases(sides[i], sides[!i])) continue;
        return error_set(err, ERROR_INVALID,
                         "%s was run on some of the cases only (--only-failed), which may be "
                         "chosen by how they went: its content is not that of %s, and the two "
                         "are not compared",
                         i ? "B" : "A", i ? "A" : "B");
    }
    add_match(m, 0, 0);
    return true;
}

static bool match_sides(struct compare *c, struct arena *out, struct error *err)
{
    struct compare_match m = compare_match_new(c->side[0].view, c->side[1].view, out);
    size_t cells[2] = {m.view[0]->cell_count, m.view[1]->cell_count};
    bool by_hand = !c->side[0].is_run && !c->side[1].is_run;
    compare_match(&m, 0, *out);
    /* Two agents, each with versions of its own. */
    if (by_hand) compare_match(&m, CELL_AGENT | CELL_VERSION, *out);
    if (m.count == 0 && cells[0] == 1 && cells[1] == 1 &&
        !match_single(c, &m, by_hand, out, err)) {
        return false;
    }
    c->pairs = arena_new(out, struct compare_pair, m.count + 1);
    for (size_t i = 0; i < m.count; i++) add_pair(c, m.pairs[i].cell[0], m.pairs[i].cell[1]);
    list_unmatched(c, &m, out);
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
    const struct view_cell **first =
        arena_new(out, const struct view_cell *, v->cell_count + 1);
    for (size_t i = 0; i < v->cell_count; i++) {
        int64_t group = v->cells[i].record.group_index;
        if (group < 0 || (size_t)group >= v->cell_count) continue;
        if (!first[group]) {
            first[group] = &v->cells[i];
        } else if (ask_are_arms(first[group], &v->cells[i])) {
            add_pair(c, first[group], &v->cells[i]);
        }
    }
    if (c->pair_count > 0) return true;
    return error_set(err, ERROR_INVALID,
                     "the cells of run %s were not interleaved: there are no arms to "
                     "compare; name two runs",
                     id_short(v->run.id));
}

/* ---- reliability ---- */

static void prepare_failures(struct compare *c, struct compare_pair *pair,
                             const struct compare_how *how, struct arena *out)
{
    for (int i = 0; i < 2; i++) {
        const struct trial_counts *counts = &pair->cell[i]->record.counts;
        pair->ok[i] = counts->by_status[TRIAL_OK];
        pair->attempted[i] = counts->attempted - counts->by_status[TRIAL_HARNESS_ERROR];
    }
    const struct ask_subject subject = subject_of(c, pair);
    const struct ask_terms terms = {how->alpha, how->margin, how->limit, DIRECTION_NONE};
    pair->ask = ask_about(&subject, &terms, out);
    struct compare_gap gap = compare_failures_gap(pair->cell[0], pair->cell[1]);
    if (gap.code == COMPARE_FITS) return;
    pair->ask.question.a_count = pair->ask.question.b_count = 0; /* nothing is asked */
    c->refusals[c->refusal_count++] =
        (struct compare_refusal){label_of(pair->cell[0]), UNITS_FAILURES, gap};
}

/* ---- all metrics ---- */

/* Always true: the others are compared. */
static bool refuse_row(struct compare *c, const struct compare_pair *p,
                       const struct view_metric *metric, struct compare_gap gap)
{
    c->refusals[c->refusal_count++] =
        (struct compare_refusal){label_of(p->cell[0]), metric->name, gap};
    return true;
}

/* The report has the words for it (words_refuse). */
static bool refuse(struct compare *c, struct compare_refusal refused, struct error *err)
{
    c->refused = refused;
    return error_set(err, ERROR_INVALID, "'%s' cannot be compared", refused.metric);
}

static bool add_row(struct compare *c, size_t pair, const struct view_metric *metric,
                    const struct compare_how *how, struct arena *out, struct error *err)
{
    const struct compare_pair *p = &c->pairs[pair];
    const struct view_metric *other = view_find_metric(p->cell[1], metric->name);
    bool is_primary = metric == &p->cell[0]->metrics[0];
    bool is_empty = other && units_are_empty(p->cell[0], metric, *out) &&
                    units_are_empty(p->cell[1], other, *out);
    if (is_empty && !is_primary && !how->metric) return true;
    struct compare_gap gap = compare_gap_of(metric, other);
    bool is_either = !how->direction && metric->direction == DIRECTION_NONE;
    if (gap.code == COMPARE_FITS && is_either) {
        /* Neither is better. Of our own metrics that is meant; of a column of somebody's file
         * nobody said which it is. */
        bool is_ours = experiment_find(str_of(p->cell[0]->record.experiment)) != NULL;
        if (!how->metric && is_ours) return true;
        gap.code = COMPARE_NO_DIRECTION;
        if (!how->metric) return refuse_row(c, p, metric, gap);
    }
    /* Another cell may have it, and is compared. */
    bool is_lacking = gap.code == COMPARE_A_LACKS || gap.code == COMPARE_B_LACKS;
    bool is_asked = (is_primary || how->metric) && !how->is_primary_only;
    if (is_asked && !is_lacking && gap.code != COMPARE_FITS)
        return refuse(c, (struct compare_refusal){label_of(p->cell[0]), metric->name, gap},
                      err);
    if (gap.code != COMPARE_FITS) return refuse_row(c, p, metric, gap);
    struct compare_row *row = &c->rows[c->row_count++];
    row->pair = pair;
    row->is_primary = is_primary;
    prepare_row(c, p, (const struct view_metric *const[]){metric, other}, how, out, row);
    return true;
}

static bool add_rows(struct compare *c, size_t pair, const struct compare_how *how,
                     struct arena *out, struct error *err)
{
    const struct view_cell *cell = c->pairs[pair].cell[0];
    size_t count = how->is_primary_only && cell->metric_count ? 1 : cell->metric_count;
    for (size_t m = 0; m < count; m++) {
        if (how->metric && strcmp(cell->metrics[m].name, how->metric) != 0) continue;
        if (!add_row(c, pair, &cell->metrics[m], how, out, err)) return false;
    }
    const struct view_cell *other = c->pairs[pair].cell[1];
    const struct view_metric *more = how->metric && !view_find_metric(cell, how->metric)
                                         ? view_find_metric(other, how->metric)
                                         : NULL;
    return !more || refuse_row(c, &c->pairs[pair], more, compare_gap_of(NULL, more));
}

/* ---- families ---- */

static bool ask_family(struct compare *c, struct family *f, const struct compare_how *how,
                       struct compare_whole whole, struct arena *out, struct error *err)
{
    if (!family_ask(f, *out, err)) return false;
    whole.cells = f->used;
    whole.answer = f->whole;
    c->wholes[c->whole_count++] = whole;
    for (size_t i = 0; how->is_unadjusted && i < f->count; i++) {
        struct family_cell *cell = &f->cells[i];
        if (!verdict_compare(&cell->question, *out, &cell->answer, err)) return false;
        cell->p_adjusted = cell->answer.is_tested ? cell->answer.p : (double)NAN;
    }
    return true;
}

/* Agents that are compared with themselves are families of their own, which need a name if
 * there are several. */
static const char *family_name(const struct compare *c, size_t pair)
{
    const char *agent = c->pairs[pair].ask.agent;
    bool is_one = true;
    for (size_t i = 0; agent && i < c->pair_count; i++) {
        const char *other = c->pairs[i].ask.agent;
        is_one &= other && strcmp(agent, other) == 0;
    }
    return is_one ? NULL : c->pairs[pair].cell[1]->agent;
}

/* All rows of the metric that row `first` is the first of: of one definition, not only of one
 * name. */
static bool ask_metric(struct compare *c, size_t first, const struct compare_how *how,
                       bool *is_asked, struct arena *out, struct error *err)
{
    const struct ask *ask = &c->rows[first].ask;
    struct family f = {.cells = arena_new(out, struct family_cell, c->pair_count + 1)};
    size_t *at = arena_new(out, size_t, c->pair_count + 1);
    for (size_t i = first; i < c->row_count; i++) {
        if (is_asked[i] || !ask_is_alike(&c->rows[i].ask, ask)) continue;
        is_asked[i] = true;
        at[f.count] = i;
        f.cells[f.count++].question = c->rows[i].ask.question;
    }
    struct compare_whole whole = {.metric = ask->metric.name,
                                  .agent = family_name(c, c->rows[first].pair),
                                  .is_primary = c->rows[first].is_primary};
    if (!ask_family(c, &f, how, whole, out, err)) return false;
    struct verdict_answer *of_all = &c->wholes[c->whole_count - 1].answer;
    for (size_t i = 0; i < f.count; i++) {
        struct compare_row *row = &c->rows[at[i]];
        row->whole = c->whole_count - 1;
        row->answer = f.cells[i].answer;
        row->p_adjusted = f.cells[i].p_adjusted;
        ask_leave_open(&row->ask, &row->answer);
        ask_leave_open(&row->ask, of_all);
    }
    return true;
}

/* The failure rates of the family that pair `first` is the first of. */
static bool ask_failures(struct compare *c, size_t first, const struct compare_how *how,
                         bool *is_asked, struct arena *out, struct error *err)
{
    struct family f = {.cells = arena_new(out, struct family_cell, c->pair_count + 1)};
    size_t *at = arena_new(out, size_t, c->pair_count + 1);
    for (size_t i = first; i < c->pair_count; i++) {
        if (is_asked[i] || !ask_is_alike(&c->pairs[i].ask, &c->pairs[first].ask)) continue;
        is_asked[i] = true;
        at[f.count] = i;
        f.cells[f.count++].question = c->pairs[i].ask.question;
    }
    const struct compare_whole whole = {.metric = UNITS_FAILURES,
                                        .agent = family_name(c, first)};
    if (!ask_family(c, &f, how, whole, out, err)) return false;
    for (size_t i = 0; i < f.count; i++) {
        c->pairs[at[i]].failures = f.cells[i].answer;
        c->pairs[at[i]].p_adjusted = f.cells[i].p_adjusted;
    }
    return true;
}

static bool ask_all(struct compare *c, const struct compare_how *how, struct arena *out,
                    struct error *err)
{
    bool *is_asked = arena_new(out, bool, c->row_count + 1);
    bool *are_failures = arena_new(out, bool, c->pair_count + 1);
    c->wholes = arena_new(out, struct compare_whole, c->row_count + c->pair_count + 2);
    for (size_t i = 0; i < c->row_count; i++) {
        if (!is_asked[i] && !ask_metric(c, i, how, is_asked, out, err)) return false;
    }
    for (size_t i = 0; i < c->pair_count; i++) {
        if (!are_failures[i] && !ask_failures(c, i, how, are_failures, out, err)) return false;
    }
    return true;
}

bool compare_make(const struct source *a, const struct source *b, const struct compare_how *how,
                  struct arena *out, struct compare *c, struct error *err)
{
    *c = (struct compare){.how = *how, .side = {*a, b ? *b : *a}};
    if (!(b ? match_sides(c, out, err) : match_arms(c, out, err))) return false;
    size_t rows = 0;
    for (size_t i = 0; i < c->pair_count; i++) {
        rows += how->is_primary_only ? 1 : c->pairs[i].cell[0]->metric_count;
    }
    if (rows > ROWS_MAX) {
        return error_set(err, ERROR_INVALID,
                         "%zu comparisons are too many (limit %d): name a "
                         "metric with --metric, or cells as RUN:0, RUN:1, ...",
                         rows, ROWS_MAX);
    }
    c->rows = arena_new(out, struct compare_row, rows + 1);
    c->refusals = arena_new(out, struct compare_refusal, rows + 2 * c->pair_count + 1);
    for (size_t i = 0; i < c->pair_count; i++) {
        prepare_failures(c, &c->pairs[i], how, out);
        if (!add_rows(c, i, how, out, err)) return false;
    }
    if (c->row_count == 0) {
        for (size_t i = 0; i < c->refusal_count; i++) { /* of failures it says nothing */
            enum compare_gap_code code = c->refusals[i].gap.code;
            if (code == COMPARE_A_IGNORES || code == COMPARE_B_IGNORES) continue;
            return refuse(c, c->refusals[i], err);
        }
        error_set(err, ERROR_INVALID, "%s%s%s: nothing to compare",
                  how->metric ? "no cell gives '"
                              : "no metric of both sides says which is better, lower or "
                                "higher (--metric NAME --direction lower)",
                  how->metric ? how->metric : "", how->metric ? "'" : "");
        return error_blame(err, how->metric ? "metric" : NULL);
    }
    return ask_all(c, how, out, err);
}

/* ---- plain samples ---- */

/* Where there is no ratio the engine says so, and takes the shift. */
static enum kind guess(const struct samples side[2])
{
    enum kind kind = kind_guess(side[0].values, side[0].count, side[1].values, side[1].count);
    return kind == KIND_SHARE ? KIND_SHARE : KIND_RATIO;
}

/* A time-out is the worst where lower is better; where higher is, no end is the best that
 * can be, which is not what a cut-off value says. */
static bool are_ends_known(const struct compare_how *how, const struct compare_samples *s,
                           struct error *err)
{
    for (int i = 0; how->direction == DIRECTION_HIGHER && i < 2; i++) {
        const struct samples *side = &s->side[i];
        if (side->open_line == 0) continue;
        return error_set(
            err, ERROR_INVALID,
            "%s:%zu: inf is a value that nobody saw the end of, which is the worst "
            "only where lower is better: with --direction higher write what was "
            "reached, or nan where nothing was",
            side->name, side->open_line);
    }
    return true;
}

bool compare_plain(const struct compare_how *how, struct arena scratch,
                   struct compare_samples *s, struct error *err)
{
    if (!are_ends_known(how, s, err)) return false;
    const struct verdict_question q = {
        .a = s->side[0].values,
        .a_count = s->side[0].count,
        .b = s->side[1].values,
        .b_count = s->side[1].count,
        .kind = how->kind ? (enum kind)(how->kind - 1) : guess(s->side),
        .is_paired = how->is_paired,
        .higher_is_better = how->direction == DIRECTION_HIGHER,
        .alpha = how->alpha,
        .margin = how->margin,
    };
    return verdict_compare(&q, scratch, &s->answer, err);
}
