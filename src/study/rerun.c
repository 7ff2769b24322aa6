/* Two stored cells become a spec of two entries, or the suite they are from, and that a plan
 * with one group of two arms, so that trials alternate. Looks are at levels that add up to
 * alpha (Pocock's spending function, stats/sequential.h); the first look with a verdict ends
 * the run. The answer is made once more from what is stored when the run has ended. */
#include "study/rerun_internal.h"

#include "base/json.h"
#include "run/preflight.h"
#include "stats/sequential.h"

struct looker {
    const struct rerun_request *request;
    struct sequential sequential;
    struct compare_how how;
    struct rerun_answer *answer;
    struct arena *out;
    struct error error; /* why a look failed */
};

/* ---- the spec of both cells ---- */

static bool put_cell(struct json *j, const struct rerun_request *q,
                     const struct view_cell *cell, struct error *err)
{
    const struct execution_record *e = &cell->record;
    const struct experiment *row = experiment_find(str_of(e->experiment));
    if (!row || !cell->record.parameters) {
        return error_set(err, ERROR_INVALID,
                         "'%s' cannot be measured again from here: this program has no such "
                         "experiment",
                         e->label ? e->label : e->experiment);
    }
    json_object(j);
    json_put_text(j, "experiment", e->experiment);
    json_put_value(j, "params", cell->record.parameters);
    json_put_int(j, "seed", e->seed);
    json_key_object(j, "iterations");
    json_put_int(j, "measured", q->budget);
    json_key(j, "warmup");
    if (e->warmup_planned < 0) {
        json_text(j, "steady");
    } else {
        json_int(j, e->warmup_planned);
    }
    json_end(j);
    if (q->stops_early || q->max_seconds > 0) {
        json_key_object(j, "until");
        json_put_int(j, "max_iterations", q->budget);
        json_put_real(j, "max_seconds", q->max_seconds > 0 ? q->max_seconds : 86400);
        json_end(j);
    }
    if (e->instruments) json_put_value(j, "instrumentation", e->instruments);
    json_end(j);
    return true;
}

static bool write_spec(const struct rerun_request *q, struct buf *out, struct error *err)
{
    struct json j;
    json_init(&j, out, 2);
    json_object(&j);
    json_put_text(&j, "notes", "comparison measured again");
    json_key_list(&j, "experiments");
    bool done = put_cell(&j, q, q->cells[0], err) && put_cell(&j, q, q->cells[1], err);
    if (!done) return false;
    json_end(&j);
    json_end(&j);
    return true;
}

static bool load_spec(const struct rerun_request *q, struct arena *out, struct spec **spec,
                      struct error *err)
{
    struct buf text;
    buf_init(&text, (size_t)512 << 10);
    bool done = write_spec(q, &text, err);
    if (done &&
        !spec_load_text("(compare)", str_copy(out, buf_str(&text)), NULL, out, spec, err))
        done = error_wrap(err, "the cells cannot be measured again");
    buf_release(&text);
    return done;
}

bool rerun_check(struct spec *spec, struct arena *out, struct error *err)
{
    struct buf missing;
    buf_init(&missing, 1 << 16);
    bool can = preflight(spec, out, &missing, err);
    buf_release(&missing);
    return can;
}

void rerun_pair(struct plan *p, const struct plan_cell *const cells[2], struct arena *out)
{
    struct plan_cell *two = arena_new(out, struct plan_cell, 2);
    struct plan_group *g = &p->groups[0];
    *g = (struct plan_group){.entry = cells[0]->entry, .count = 2};
    g->cells = arena_new(out, size_t, 2);
    g->cells[1] = 1;
    p->group_count = 1;
    for (size_t i = 0; i < 2; i++) {
        two[i] = *cells[i];
        two[i].index = two[i].arm = i;
        two[i].group = 0;
    }
    p->cells = two;
    p->cell_count = 2;
}

bool rerun_plan(const struct spec *spec, struct arena *out, struct plan **plan,
                struct error *err)
{
    if (!plan_make(spec, out, plan, err)) return false;
    struct plan *p = *plan;
    if (p->cell_count != 2) {
        return error_set(err, ERROR_INVALID, "two cells were expected, the spec has %zu",
                         p->cell_count);
    }
    rerun_pair(p, (const struct plan_cell *const[]){&p->cells[0], &p->cells[1]}, out);
    return true;
}

/* Agents, or cells without. */
static bool make_plan(const struct rerun_request *q, struct arena *out, struct plan **plan,
                      struct error *err)
{
    bool are_suites[2];
    for (int i = 0; i < 2; i++) {
        are_suites[i] = strcmp(q->cells[i]->record.experiment, "suite") == 0;
    }
    if (are_suites[0] && are_suites[1]) return rerun_suite_plan(q, out, plan, err);
    bool is_twice = q->cells[0]->record.parameters && q->cells[1]->record.parameters &&
                    value_equal(q->cells[0]->record.parameters, q->cells[1]->record.parameters);
    if (q->must_differ && is_twice) {
        return error_set(err, ERROR_INVALID,
                         "both sides are the same cell with the same parameters: what was "
                         "different then (the program itself?) is not stored");
    }
    struct spec *spec = NULL;
    return load_spec(q, out, &spec, err) && rerun_check(spec, out, err) &&
           rerun_plan(spec, out, plan, err);
}

/* ---- looking ---- */

/* The two arms as the store has them, at the level of the last look. */
static bool judge(struct looker *l, const char *run_id, struct error *err)
{
    struct view *view = NULL;
    struct compare_how how = l->how;
    how.alpha = l->answer->level;
    if (!view_load(l->request->store, run_id, l->out, &view, err)) return false;
    struct source source = {.name = "both sides again", .view = view};
    return compare_make(&source, NULL, &how, l->out, &l->answer->compare, err);
}

static bool look(struct looker *l, const char *run_id, int64_t rounds, struct error *err)
{
    double level = sequential_level(&l->sequential, (size_t)rounds);
    if (level <= 0) return true; /* nothing new */
    l->answer->level = level;
    l->answer->rounds = rounds;
    l->answer->looks++;
    return judge(l, run_id, err);
}

static bool is_decided(const struct looker *l)
{
    return l->answer->looks > 0 &&
           l->answer->compare.rows[0].answer.verdict != VERDICT_UNDECIDED;
}

static bool is_enough(void *context, const char *run_id, int64_t rounds)
{
    struct looker *l = context;
    return !look(l, run_id, rounds, &l->error) || is_decided(l);
}

/* One metric decides: there is nothing to adjust for. */
static struct compare_how how_of(const struct rerun_request *q)
{
    struct compare_how how = q->how;
    const struct view_cell *cell = q->cells[0];
    if (!how.metric && cell->metric_count > 0) how.metric = cell->metrics[0].name;
    how.is_unadjusted = true;
    return how;
}

bool rerun_cells(const struct rerun_request *q, struct arena *out, struct rerun_answer *answer,
                 struct error *err)
{
    *answer = (struct rerun_answer){0};
    double alpha = q->how.alpha > 0 ? q->how.alpha : VERDICT_ALPHA;
    struct looker l = {
        .request = q,
        .how = how_of(q),
        .answer = answer,
        .out = out,
        .sequential = {.alpha = alpha, .spending = SEQUENTIAL_POCOCK},
    };
    struct plan *plan = NULL;
    if (!make_plan(q, out, &plan, err)) return false;
    l.sequential.budget = (size_t)spec_trials(plan->cells[0].entry);
    struct run_request run = {
        .store = q->store,
        .nursery = q->nursery,
        .plan = plan,
        .jobs = 1,
        .command = q->command,
        .assay_version = q->assay_version,
        .listener = q->listener,
    };
    if (q->stops_early) run.decider = (struct run_decider){&l, is_enough};
    struct run_outcome outcome = {0};
    if (!run_execute(&run, out, &outcome, err)) return false;
    memcpy(answer->run_id, outcome.run_id, sizeof answer->run_id);
    answer->is_interrupted = outcome.interrupted;
    if (l.error.code) {
        *err = l.error;
        return false;
    }
    if (is_decided(&l)) return judge(&l, outcome.run_id, err); /* as it ended */
    int64_t rounds = outcome.counts.attempted / 2;
    if (!q->stops_early) l.sequential.budget = (size_t)rounds; /* one look, all of alpha */
    if (rounds == 0) {
        return error_set(err, ERROR_FAILED, "no trial could be made; see `assay show %s`",
                         id_short(outcome.run_id));
    }
    return look(&l, outcome.run_id, rounds, err);
}
