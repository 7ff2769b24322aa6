/* A plan as people and programs read it, before any work. */
#include "report/answer_plan.h"

#include "base/human.h"
#include "base/plain.h"
#include "report/answers.h"

#include <inttypes.h>
#include <math.h>

enum { CELLS_SHOWN = 20 };

static int64_t total_trials(const struct plan *plan, enum trial_phase phase)
{
    int64_t total = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        total += estimate_trials(plan->cells[i].entry, phase);
    }
    return total;
}

/* ---- JSON ---- */

LAYOUT_FIGURE_IS(warmup_of, const struct plan_cell *x,
                 (double)estimate_trials(x->entry, PHASE_WARMUP))
LAYOUT_FIGURE_IS(measured_of, const struct plan_cell *x,
                 (double)estimate_trials(x->entry, PHASE_MEASURED))
LAYOUT_FIGURE_IS(lanes_of, const struct plan_cell *x, (double)spec_lanes(x->entry))
LAYOUT_WORD_IS(experiment_of, const struct plan_cell *x, x->entry->experiment->name)

static void put_factor(struct json *j, const void *owner, const void *whole)
{
    const struct answer_plan *a = whole;
    json_text(j, a->plan.groups[((const struct plan_cell *)owner)->group].factor);
}

#define OF struct plan_cell
static const struct layout_field cell_fields[] = {
    LAYOUT_FIELD("cell", index, "its position in the plan"),
    LAYOUT_FIELD("group", group, "that it takes turns in"),
    LAYOUT_FIELD("arm", arm, "its position in the group"),
    LAYOUT_CALL("factor", put_factor, "string", "what the arms of the group differ in"),
    LAYOUT_WORD("experiment", experiment_of, "its name"),
    LAYOUT_FIELD("label", label, "what people call it"),
    LAYOUT_FIELD("key", key, "hash of experiment, parameters and agent"),
    LAYOUT_JSON("parameters", params_json, "defaults included"),
    LAYOUT_FIGURE("warmup", warmup_of, "trials, at most"),
    LAYOUT_FIGURE("measured", measured_of, "trials, at most"),
    LAYOUT_FIGURE("concurrency", lanes_of, "cases in flight at once"),
};
static const struct layout cell_layout = LAYOUT_OF(OF, cell_fields);
#undef OF

#define OF struct spec
static const struct layout_field spec_fields[] = {
    LAYOUT_FIELD("spec", path, "the file"),
    LAYOUT_FIELD("hash", hash, "of its contents and the options"),
};
static const struct layout spec_layout = LAYOUT(spec_fields);
#undef OF

LAYOUT_FIGURE_IS(warmup_trials, const struct answer_plan *x,
                 (double)total_trials(&x->plan, PHASE_WARMUP))
LAYOUT_FIGURE_IS(measured_trials, const struct answer_plan *x,
                 (double)total_trials(&x->plan, PHASE_MEASURED))
LAYOUT_FIGURE_IS(estimated_s, const struct answer_plan *a,
                 a->estimate.known == a->plan.cell_count ? a->estimate.seconds : (double)NAN)

#define OF struct answer_plan
static const struct layout_field plan_fields[] = {
    LAYOUT_PART_OF(plan.spec, &spec_layout),
    LAYOUT_FIELD("groups", plan.group_count, "of cells that take turns"),
    LAYOUT_FIGURE("warmup_trials", warmup_trials, "of all cells, at most"),
    LAYOUT_FIGURE("measured_trials", measured_trials, "of all cells, at most"),
    LAYOUT_FIGURE("estimated_s", estimated_s, "null: not every cell has an earlier run"),
    LAYOUT_LIST("cells", plan.cells, plan.cell_count, &cell_layout, "in order"),
};
static const struct layout plan_layout = LAYOUT(plan_fields);
#undef OF

/* ---- text ---- */

static bool has_upper_limit(const struct plan *plan, enum trial_phase phase)
{
    for (size_t i = 0; i < plan->spec->entry_count; i++) {
        const struct spec_entry *e = &plan->spec->entries[i];
        if (phase == PHASE_WARMUP ? e->warmup < 0 : e->until.is_set) return true;
    }
    return false;
}

static void put_time(const struct plan *plan, const struct estimate *e, struct buf *out)
{
    if (e->known < plan->cell_count) {
        buf_printf(out, "time: unknown: %zu of %zu cells have an earlier run in the store\n",
                   e->known, plan->cell_count);
        return;
    }
    buf_printf(out, "time: %s %.3g s of trials, by run %s\n",
               e->is_upper_limit ? "at most about" : "about", e->seconds, e->run_id);
}

/* The first rounds: which arm goes when. */
static void put_order(const struct plan_group *group, struct buf *out)
{
    enum { ROUNDS_SHOWN = 3, ARMS_SHOWN = 8 };
    buf_text(out, "    order: ");
    if (group->count > ARMS_SHOWN) {
        buf_printf(out, "rows of a Latin square of %zu\n", group->count);
        return;
    }
    for (int64_t round = 0; round < ROUNDS_SHOWN; round++) {
        for (size_t turn = 0; turn < group->count; turn++) {
            buf_printf(out, "%zu ", group->cells[plan_turn(group->count, round, turn)] + 1);
        }
        buf_text(out, "| ");
    }
    buf_text(out, "...\n");
}

static void put_group(const struct plan *plan, const struct plan_group *group, struct buf *out)
{
    const struct spec_entry *entry = group->entry;
    buf_printf(out, "\n  group %zu: %s, seed %" PRId64 ", ", group->index + 1,
               entry->experiment->name, entry->seed);
    if (entry->warmup < 0) {
        buf_printf(out, "warm-up until steady (at most %" PRId64 ")", entry->warmup_max);
    } else {
        buf_printf(out, "%" PRId64 " warm-up", entry->warmup);
    }
    buf_printf(out, " + %s%" PRId64 " measured trials a cell",
               entry->until.is_set ? "at most " : "", estimate_trials(entry, PHASE_MEASURED));
    if (spec_lanes(entry) > 1)
        buf_printf(out, ", %" PRId64 " in flight at once", spec_lanes(entry));
    buf_add_char(out, '\n');
    for (size_t i = 0; i < group->count; i++) {
        buf_printf(out, "    cell %zu: ", group->cells[i] + 1);
        plain_add(out, str_of(plan->cells[group->cells[i]].label), SIZE_MAX);
        buf_add_char(out, '\n');
    }
    if (group->count > 1) put_order(group, out);
}

static void plan_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct answer_plan *a = answer;
    const struct plan *plan = &a->plan;
    size_t cells_max = a->is_whole ? SIZE_MAX : CELLS_SHOWN;
    buf_printf(out, "%s: %zu cell%s in %zu group%s; ", plan->spec->path, plan->cell_count,
               PLURAL(plan->cell_count), plan->group_count, PLURAL(plan->group_count));
    buf_printf(out, "trials: %s%" PRId64 " warm-up, %s%" PRId64 " measured\n",
               has_upper_limit(plan, PHASE_WARMUP) ? "at most " : "",
               total_trials(plan, PHASE_WARMUP),
               has_upper_limit(plan, PHASE_MEASURED) ? "at most " : "",
               total_trials(plan, PHASE_MEASURED));
    put_time(plan, &a->estimate, out);
    size_t shown = 0;
    for (size_t i = 0; i < plan->group_count; i++) {
        size_t count = plan->groups[i].count;
        if (shown && shown + count > cells_max) break;
        put_group(plan, &plan->groups[i], out);
        shown += count;
    }
    if (shown < plan->cell_count) {
        buf_printf(out, "\n  and %zu more cells (--all lists them)\n",
                   plan->cell_count - shown);
    }
}

const struct answer answer_plan = {
    ANSWER_NAME("plan"),
    .summary = "what a spec will do, and how long it will take",
    .layout = &plan_layout,
    .text = plan_text,
};
