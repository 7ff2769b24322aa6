/* Which cells a claim is about. */
#include "judge/claims_internal.h"

#include "model/cell.h"
#include "view/baseline.h"
#include "view/select.h"

#include <math.h>

static const char *text_of(const struct value *map, const char *key, struct arena *out)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_TEXT ? str_cstr(out, v->source) : NULL;
}

static const char *label_of(const struct view_cell *cell)
{
    return cell->record.label && cell->record.label[0] ? cell->record.label
                                                       : cell->record.experiment;
}

static const struct view_metric *find_metric(const struct claim_reader *r,
                                             const struct view_cell *cell)
{
    const struct view_metric *m = view_find_metric(cell, r->metric);
    if (m && r->is_of_means) {
        struct view_metric *sum = arena_new(r->out, struct view_metric, 1);
        *sum = *m;
        sum->kind = KIND_SUM;
        return sum;
    }
    return m ? m : units_find_metric(cell, r->metric, r->out);
}

static bool has_metric(const struct claim_reader *r, const struct view_cell *cell)
{
    return view_find_metric(cell, r->metric) || units_is_rate(cell, r->metric);
}

static bool is_of_benchmark(const struct view_cell *cell, const char *benchmark)
{
    const struct value *v = value_get(cell->record.parameters, "benchmark");
    return v && str_is(v->source, benchmark);
}

static bool is_meant(const struct claim_reader *r, const struct view_cell *cell)
{
    return (r->entry < 0 || cell->record.entry_index == r->entry) &&
           (!r->experiment || strcmp(cell->record.experiment, r->experiment) == 0) &&
           (!r->benchmark || is_of_benchmark(cell, r->benchmark));
}

static bool is_wanted(const struct claim_reader *r, const struct view_cell *cell)
{
    return is_meant(r, cell) && has_metric(r, cell);
}

/* ---- settings ---- */

static const struct value *setting_of(const struct view_cell *cell, const char *name)
{
    const struct value *v = view_find_setting(cell, str_of(name));
    return v ? v : value_get(cell->record.parameters, name);
}

/* 1, "1" and 1.0 are the same value of a parameter. */
static bool is_value(const struct value *v, const struct value *wanted)
{
    if (!v) return false;
    if (value_equal(v, wanted)) return true;
    bool are_scalars = v->kind != VALUE_LIST && v->kind != VALUE_MAP && v->source.n > 0;
    return are_scalars && str_equal(v->source, wanted->source);
}

static bool is_alike(const struct cell_identity *a, const struct cell_identity *b)
{
    return strcmp(a->hex, b->hex) == 0;
}

/* What each cell is, without the parameters in `but`; they are as many as the cells. */
static const struct cell_identity *identities(const struct view *view, unsigned parts,
                                              const char *const *but, struct arena *out)
{
    struct cell_identity *ids = arena_new(out, struct cell_identity, view->cell_count + 1);
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct execution_record *e = &view->cells[i].record;
        ids[i] = but ? cell_identity_but(e, parts, but) : cell_identity(e, parts);
    }
    return ids;
}

/* ---- subjects ---- */

static const struct execution_record *cut_of(const struct view_cell *a,
                                             const struct view_cell *b)
{
    const struct execution_record *cut = a ? view_unfinished(&a->record) : NULL;
    return cut ? cut : view_unfinished(&b->record);
}

static bool is_unexplained(const struct claim_reader *r)
{
    return r->count == 0 && r->reason.code == CLAIM_DECIDED;
}

static struct claim_reason failed(const struct claim_reader *r, const struct error *err)
{
    const char *text = arena_printf(r->out, "%s", err->text);
    return (struct claim_reason){.code = CLAIM_OTHER, .text = text};
}

static void lose(struct claim_reader *r, const char *name)
{
    if (r->lost++ == 0) r->lost_name = name;
}

static void count_missing(struct claim_subject *s, int side, const struct view_cell *cell,
                          const struct view_metric *m)
{
    struct units_missing missing = units_missing(cell, m);
    s->missing[side] += missing.failed + missing.silent;
    s->silent[side] += missing.silent;
    s->trials[side] += cell->trial_count;
}

static void add_cell(struct claim_reader *r, const struct view_cell *cell)
{
    const struct view_metric *m = find_metric(r, cell);
    struct claim_subject *s = &r->subjects[r->count++];
    *s = (struct claim_subject){
        .label = label_of(cell), .kind = m->kind, .direction = m->direction, .unit = m->unit};
    s->cell = cell;
    s->of = m;
    s->agent = cell->agent;
    count_missing(s, 1, cell, m);
    s->ask.units[1] = units_of(cell, m, r->out);
    s->cut = cut_of(NULL, cell);
}

/* `subject` says which cells, and the runs that they were merged from. */
static void add_subject(struct claim_reader *r, struct ask_subject *subject,
                        const struct execution_record *cut)
{
    const struct view_cell *b = subject->cell[1];
    const struct view_metric *metrics[2] = {find_metric(r, subject->cell[0]),
                                            find_metric(r, b)};
    if (!metrics[0] || !metrics[1]) return;
    bool is_rate = units_is_rate(b, r->metric);
    struct compare_gap gap = is_rate ? compare_failures_gap(subject->cell[0], b)
                                     : compare_gap_of(metrics[0], metrics[1]);
    if (gap.code != COMPARE_FITS) {
        r->reason = (struct claim_reason){.code = CLAIM_GAP, .gap = gap};
        if (gap.code != COMPARE_SMALL) lose(r, label_of(b));
        return;
    }
    struct claim_subject *s = &r->subjects[r->count++];
    *s = (struct claim_subject){.label = label_of(b),
                                .kind = metrics[1]->kind,
                                .direction = metrics[1]->direction,
                                .unit = metrics[1]->unit};
    for (int i = 0; i < 2; i++) {
        subject->metric[i] = metrics[i];
        count_missing(s, i, subject->cell[i], metrics[i]);
    }
    subject->is_paired = value_get(r->map, "paired_by") != NULL;
    s->ask = ask_about(subject, &(struct ask_terms){0}, r->out);
    s->agent = s->ask.agent ? b->agent : NULL;
    s->cut = cut;
}

static void add_pair(struct claim_reader *r, const struct view_cell *a,
                     const struct view_cell *b)
{
    add_subject(r, &(struct ask_subject){.cell = {a, b}}, cut_of(a, b));
}

static double level_of(const struct claim_reader *r, const struct view_cell *cell)
{
    return find_metric(r, cell)->centre;
}

/* paired_by a swept parameter: each value of it is one pair, the levels of the
 * cells. Cells that also differ otherwise are subjects of their own. */
static void add_to_group(struct claim_reader *r, struct cell_identity *firsts,
                         const struct view_cell *a, const struct view_cell *b,
                         const struct cell_identity *id)
{
    size_t k = 0;
    while (k < r->count && !is_alike(&firsts[k], id)) k++;
    struct claim_subject *s = &r->subjects[k];
    if (k == r->count) {
        const struct view_metric *m = find_metric(r, b);
        firsts[r->count++] = *id;
        *s = (struct claim_subject){
            .label = label_of(b), .kind = m->kind, .direction = m->direction, .unit = m->unit};
        s->ask.metric = view_metric_of(m);
        s->ask.question =
            (struct verdict_question){.kind = m->kind,
                                      .is_paired = true,
                                      .has_no_order = true,
                                      .higher_is_better = m->direction == DIRECTION_HIGHER};
        for (int i = 0; i < 2; i++) {
            s->ask.units[i].values = arena_new(r->out, double, r->view->cell_count + 1);
        }
        s->ask.question.a = s->ask.units[0].values;
        s->ask.question.b = s->ask.units[1].values;
    }
    if (!s->cut) s->cut = cut_of(a, b);
    count_missing(s, 0, a, find_metric(r, a));
    count_missing(s, 1, b, find_metric(r, b));
    s->ask.units[0].values[s->ask.units[0].count++] = level_of(r, a);
    s->ask.units[1].values[s->ask.units[1].count++] = level_of(r, b);
    s->ask.question.a_count = s->ask.question.b_count = s->ask.units[0].count;
}

static bool is_swept(const struct claim_reader *r, const char *name)
{
    const struct value *first = NULL;
    for (size_t i = 0; name && i < r->view->cell_count; i++) {
        const struct value *v = setting_of(&r->view->cells[i], name);
        if (first && v && !value_equal(first, v)) return true;
        if (v) first = v;
    }
    return false;
}

static void compare_param(struct claim_reader *r, const struct value *compare)
{
    const char *param = text_of(compare, "param", r->out);
    const struct value *from = value_get(compare, "from");
    const struct value *to = value_get(compare, "to");
    const char *paired_by = text_of(r->map, "paired_by", r->out);
    if (!param || !from || !to) return;
    bool by_setting = is_swept(r, paired_by);
    const struct view *v = r->view;
    static const unsigned alike = CELL_WHAT | CELL_AGENT | CELL_BENCHMARK;
    const char *const but[] = {param, by_setting ? paired_by : NULL, NULL};
    const struct cell_identity *ids =
        identities(v, alike, (const char *const[]){param, NULL}, r->out);
    const struct cell_identity *groups = identities(v, alike, but, r->out);
    struct cell_identity *firsts = arena_new(r->out, struct cell_identity, v->cell_count + 1);
    for (size_t i = 0; i < v->cell_count; i++) {
        const struct view_cell *a = &v->cells[i];
        if (!is_wanted(r, a) || !is_value(setting_of(a, param), from)) continue;
        for (size_t k = 0; k < v->cell_count; k++) {
            const struct view_cell *b = &v->cells[k];
            bool fits = is_meant(r, b) && is_value(setting_of(b, param), to) &&
                        is_alike(&ids[i], &ids[k]);
            if (!fits) continue;
            if (!has_metric(r, b)) {
                lose(r, label_of(b));
                continue;
            }
            if (by_setting) {
                add_to_group(r, firsts, a, b, &groups[k]);
            } else {
                add_pair(r, a, b);
            }
            break;
        }
    }
    if (is_unexplained(r)) {
        r->reason = (struct claim_reason){.code = CLAIM_NO_TWO_CELLS, .names = {param}};
    }
}

static bool has_agent(const struct view_cell *cell, const char *id)
{
    return strcmp(cell->record.agent_id, id) == 0;
}

/* Leaves out the cells that the claim is not about, or that are not of the agent. */
static void leave_out(const struct claim_reader *r, const struct view *view,
                      const struct agent_ref *agent, bool *is_taken)
{
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        const struct execution_record *e = &cell->record;
        is_taken[i] = !is_wanted(r, cell) ||
                      (agent && !agent_ref_fits(agent, e->agent_id, e->agent_version));
    }
}

/* The cells of one view with those of another (or the same), as `compare` matches them; of
 * the same agent unless agents are what is compared. */
static void pair_views(struct claim_reader *r, const struct view *a, const struct view *b,
                       const struct agent_ref *agents)
{
    struct compare_match m = compare_match_new(a, b, r->out);
    for (int s = 0; s < 2; s++)
        leave_out(r, m.view[s], agents ? &agents[s] : NULL, m.is_taken[s]);
    compare_match(&m, agents ? CELL_AGENT | CELL_VERSION : 0, *r->out);
    r->subjects = arena_new(r->out, struct claim_subject, m.count + 1);
    for (size_t i = 0; i < m.count; i++) add_pair(r, m.pairs[i].cell[0], m.pairs[i].cell[1]);
    for (size_t i = 0; i < a->cell_count; i++) {
        if (!m.is_taken[0][i]) lose(r, view_cell_name(a, &a->cells[i], r->out));
    }
}

static bool read_two(const struct claim_reader *r, const struct value *list,
                     const char *names[2])
{
    bool is_right = list && list->kind == VALUE_LIST && list->list.count == 2;
    for (size_t i = 0; is_right && i < 2; i++) {
        names[i] = str_cstr(r->out, list->list.items[i]->source);
    }
    return is_right;
}

static void compare_agents(struct claim_reader *r, const char *const names[2])
{
    struct agent_ref agents[2];
    struct error why = {0};
    for (int i = 0; i < 2; i++) {
        if (select_agent_ref(r->store, names[i], r->out, &agents[i], &why)) continue;
        r->reason = failed(r, &why);
        return;
    }
    pair_views(r, r->view, r->view, agents);
    if (is_unexplained(r)) {
        r->reason = (struct claim_reason){CLAIM_NO_BENCHMARK, .names = {names[0], names[1]}};
    }
}

/* ---- versions: all runs of each, as `regressions` takes them (view/baseline.h) ---- */

static const struct execution_record *first_cut(const struct baseline_pair *p)
{
    return p->cut[0] ? p->cut[0] : p->cut[1];
}

/* Of one agent the cells that this run has too. */
static bool compare_versions_of(struct claim_reader *r, const char *agent_id,
                                const char *const names[2], struct error *err)
{
    const struct baseline_question q = {.agent = agent_id,
                                        .version = names[1],
                                        .baseline = names[0],
                                        .is_baseline_version = true};
    struct baseline_set set;
    struct error why = {0};
    if (!baseline_find(r->store, &q, r->out, &set, &why)) {
        bool is_never_run = why.code == ERROR_NOT_FOUND;
        return is_never_run || error_set(err, why.code, "%s", why.text);
    }
    for (size_t i = 0; i < set.count; i++) {
        const struct baseline_pair *p = &set.pairs[i];
        bool is_here = false;
        for (size_t k = 0; k < r->view->cell_count && p->baseline; k++) {
            const struct view_cell *cell = &r->view->cells[k];
            is_here |= is_wanted(r, cell) &&
                       cell_is_same(&cell->record, &p->current->record, CELL_SAME);
        }
        struct ask_subject subject = {.cell = {p->baseline, p->current},
                                      .runs = {p->runs[0], p->runs[1]},
                                      .run_count = {p->run_count[0], p->run_count[1]}};
        if (is_here) add_subject(r, &subject, first_cut(p));
    }
    for (size_t i = 0; i < set.lost_count; i++) {
        if (is_wanted(r, set.lost[i].cell)) lose(r, set.lost[i].name);
    }
    return true;
}

static bool compare_versions(struct claim_reader *r, const char *const names[2],
                             struct error *err)
{
    for (size_t i = 0; i < r->view->cell_count; i++) {
        const char *id = r->view->cells[i].record.agent_id;
        bool is_first = id[0] != '\0';
        for (size_t k = 0; k < i && is_first; k++)
            is_first = !has_agent(&r->view->cells[k], id);
        if (is_first && !compare_versions_of(r, id, names, err)) return false;
    }
    if (is_unexplained(r)) {
        r->reason = (struct claim_reason){CLAIM_NO_VERSIONS, .names = {names[0], names[1]}};
    }
    return true;
}

static void compare_runs(struct claim_reader *r, const char *const names[2])
{
    struct source sides[2];
    struct error why = {0};
    for (int i = 0; i < 2; i++) {
        if (strcmp(names[i], "this") == 0) {
            sides[i] = (struct source){.name = "this", .view = r->view};
        } else if (!source_load(r->store, names[i], r->out, &sides[i], &why)) {
            r->reason = failed(r, &why);
            return;
        }
    }
    pair_views(r, sides[0].view, sides[1].view, NULL);
    if (is_unexplained(r)) r->reason.code = CLAIM_NO_RUNS;
}

/* A cell like those that the claim is about, but that its agent could not start, or nothing was
 * measured of: what it would have given is not known. */
static bool is_unmeasured(const struct claim_reader *r, const struct view_cell *cell)
{
    if (!is_meant(r, cell) || has_metric(r, cell)) return false;
    if (cell->metric_count > 0 || cell->record.counts.attempted > 0) return false;
    bool is_alike = false;
    for (size_t i = 0; i < r->count; i++) {
        const char *like = r->subjects[i].cell->record.experiment;
        is_alike |= strcmp(cell->record.experiment, like) == 0;
    }
    return is_alike;
}

static void take_cells(struct claim_reader *r)
{
    for (size_t i = 0; i < r->view->cell_count; i++) {
        if (is_wanted(r, &r->view->cells[i])) add_cell(r, &r->view->cells[i]);
    }
    if (r->count == 0) r->reason.code = CLAIM_NO_CELL;
    for (size_t i = 0; i < r->view->cell_count; i++) {
        const struct view_cell *cell = &r->view->cells[i];
        if (is_unmeasured(r, cell)) lose(r, view_cell_name(r->view, cell, r->out));
    }
}

bool claim_find_subjects(struct claim_reader *r, struct error *err)
{
    const struct value *compare = value_get(r->map, "compare");
    const char *names[2];
    r->subjects = arena_new(r->out, struct claim_subject, r->view->cell_count + 2);
    r->lost = 0;
    if (!compare) {
        take_cells(r);
    } else if (value_get(compare, "param")) {
        compare_param(r, compare);
    } else if (read_two(r, value_get(compare, "agents"), names)) {
        compare_agents(r, names);
    } else if (read_two(r, value_get(compare, "versions"), names)) {
        return compare_versions(r, names, err);
    } else if (read_two(r, value_get(compare, "runs"), names)) {
        compare_runs(r, names);
    } else {
        r->reason.code = CLAIM_NO_SUBJECT;
    }
    return true;
}
