/* Alarms are taken cell by cell: one new run of both versions answers all alarms of the
 * cell. The rules judge the new trials alone, as if nothing had been known; an alarm whose
 * rule does not fire again is taken back, and what is left is counted again. An alarm that
 * cannot be measured again stays, with the reason. */
#include "study/confirm.h"

#include "history/regress_internal.h"
#include "study/rerun.h"

struct confirmer {
    const struct confirm_request *request;
    struct arena *out;
    struct regress *r;
    bool is_interrupted;
};

static bool is_over_more(enum regress_rule rule)
{
    return rule == REGRESS_WHOLE || rule == REGRESS_SYSTEMIC || rule == REGRESS_DRIFT;
}

static struct regress_again *answer_row(struct confirmer *c, struct regress_row *row,
                                        enum regress_outcome outcome)
{
    struct regress_again *again = arena_new(c->out, struct regress_again, 1);
    again->outcome = outcome;
    row->again = again;
    return again;
}

static void give_up(struct confirmer *c, struct regress_row *row,
                    const struct regress_again *why)
{
    struct regress_again *again = answer_row(c, row, REGRESS_NO_RERUN);
    again->why = why->why;
    again->arm = why->arm;
    again->error = why->error;
}

/* ---- measuring ---- */

/* An arm of the new run that says nothing; NULL if both do. */
static const struct execution_record *silent_arm(const struct view *view)
{
    for (size_t i = 0; view && i < view->cell_count; i++) {
        const struct execution_record *e = &view->cells[i].record;
        if (e->counts.attempted == 0 || e->status == RUN_FAILED) return e;
    }
    return NULL;
}

/* `*view` stays NULL, with the reason, where nothing was measured. */
static bool measure_again(struct confirmer *c, const struct baseline_pair *p,
                          struct view **view, struct regress_again *why, struct error *err)
{
    const struct confirm_request *q = c->request;
    struct error reason = {0};
    struct rerun_answer answer;
    struct rerun_request rerun = {
        .store = q->store,
        .nursery = q->nursery,
        .cells = {p->baseline, p->current},
        .budget = q->budget,
        .max_seconds = q->max_seconds,
        .must_differ = true,
        .how = {.alpha = q->question->alpha},
        .command = q->command,
        .assay_version = q->assay_version,
        .listener = q->listener,
    };
    bool is_done = rerun_cells(&rerun, c->out, &answer, &reason);
    c->is_interrupted |= answer.is_interrupted;
    if (answer.run_id[0] && !view_load(q->store, answer.run_id, c->out, view, err))
        return false;
    why->arm = silent_arm(*view);
    why->why = c->is_interrupted ? NO_RERUN_INTERRUPTED
               : why->arm        ? NO_RERUN_ARM
                                 : NO_RERUN_ERROR;
    why->error = arena_printf(c->out, "%s", reason.text);
    if (!is_done || why->arm || c->is_interrupted) *view = NULL;
    return true;
}

/* ---- judging ---- */

/* The rules again, of the new trials alone. */
static bool judge_again(struct confirmer *c, size_t pair, const struct view *view,
                        struct regress *again, struct error *err)
{
    struct baseline_pair *p = arena_new(c->out, struct baseline_pair, 1);
    *p = c->r->set.pairs[pair];
    p->baseline = &view->cells[0];
    p->current = &view->cells[1];
    p->baseline_run = p->current_run = &view->run;
    p->hosts[0] = p->hosts[1] = NULL; /* both here, whatever the first time was */
    for (int side = 0; side < 2; side++) {
        const struct view_cell **one = arena_new(c->out, const struct view_cell *, 1);
        one[0] = &view->cells[side];
        p->runs[side] = one;
        p->run_count[side] = 1;
    }
    p->history_count = 0;
    *again = (struct regress){.set = {.pairs = p, .count = 1}};
    return regress_judge(c->request->store, c->request->question, c->out, again, err);
}

static const struct regress_row *find_row(const struct regress *r, const struct regress_row *of)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const struct regress_row *row = &r->rows[i];
        if (row->rule == of->rule && strcmp(row->metric, of->metric) == 0) return row;
    }
    return NULL;
}

/* What is left of an alarm that did not come back. */
static void take_back(struct regress_row *row, const struct regress_row *now)
{
    bool is_open = row->rule == REGRESS_BEYOND && (!now || now->state == REGRESS_UNDECIDED);
    row->state = is_open ? REGRESS_UNDECIDED : REGRESS_NONE;
    row->severity = SEVERITY_NONE;
    row->impact = NULL;
}

static void compare_row(struct confirmer *c, struct regress_row *row, const char *run_id,
                        const struct regress *again)
{
    const struct regress_row *now = find_row(again, row);
    bool is_found = now && now->state == REGRESS_FOUND;
    struct regress_again *answer =
        answer_row(c, row, is_found ? REGRESS_CONFIRMED : REGRESS_NOT_CONFIRMED);
    answer->run_id = run_id;
    answer->w = now ? now->w : worsening_none;
    answer->in = again;
    answer->row = now;
    if (!is_found) take_back(row, now);
}

static bool is_asked(const struct regress_row *row, size_t pair)
{
    return row->pair == pair && row->state == REGRESS_FOUND && !row->again &&
           !is_over_more(row->rule);
}

static bool confirm_pair(struct confirmer *c, size_t pair, struct error *err)
{
    struct regress *r = c->r;
    size_t asked = 0;
    for (size_t i = 0; i < r->row_count; i++) asked += is_asked(&r->rows[i], pair);
    if (asked == 0) return true;
    struct view *view = NULL;
    struct regress_again why = {.why = NO_RERUN_INTERRUPTED};
    struct regress *again = arena_new(c->out, struct regress, 1);
    if (!c->is_interrupted && !measure_again(c, &r->set.pairs[pair], &view, &why, err))
        return false;
    if (view && !judge_again(c, pair, view, again, err)) return false;
    for (size_t i = 0; i < r->row_count; i++) {
        struct regress_row *row = &r->rows[i];
        if (!is_asked(row, pair)) continue;
        if (view) {
            compare_row(c, row, view->run.id, again);
        } else {
            give_up(c, row, &why);
        }
    }
    return true;
}

bool confirm_alarms(const struct confirm_request *request, struct arena *out, struct regress *r,
                    struct error *err)
{
    struct confirmer c = {.request = request, .out = out, .r = r};
    for (size_t i = 0; i < r->set.count; i++) {
        if (!confirm_pair(&c, i, err)) return error_wrap(err, "confirming");
    }
    for (size_t i = 0; i < r->row_count; i++) {
        struct regress_row *row = &r->rows[i];
        bool is_left = row->state == REGRESS_FOUND && is_over_more(row->rule);
        if (is_left) give_up(&c, row, &(struct regress_again){.why = NO_RERUN_SCOPE});
    }
    r->is_confirmed = true;
    regress_count(out, r);
    return true;
}
