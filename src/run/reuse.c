/* run --cache: a cell whose agent has answered the same cases under the same
 * settings before is not run. Its trials are taken over from the latest such
 * execution, times included, and its notes say so.
 *
 * "The same" is the cell's key (experiment, parameters, the agent's whole map
 * with version and config), the benchmark's id (the content of its cases) and as
 * many cases in flight at once. */
#include "model/cell.h"
#include "run/rescore.h"
#include "run/run_internal.h"
#include "spec/spec_suite.h"

static bool find_source(struct run *r, const struct plan_cell *cell, struct arena *scratch,
                        struct execution_record *source, bool *found, struct error *err)
{
    const struct benchmark_record *row =
        &r->benchmarks[cell->entry - r->request->plan->spec->entries];
    char agent_id[UUID_SIZE];
    store_agent_id(r->request->store, str_cstr(scratch, suite_agent_id(cell->agent)), agent_id);
    struct execution_filter filter = {
        .benchmark_id = row->id, .agent_id = agent_id, .is_success = true};
    struct execution_record *list = NULL;
    size_t count = 0;
    *found = false;
    if (!store_query_executions(r->request->store, &filter, scratch, &list, &count, err))
        return false;
    for (size_t i = 0; i < count && !*found; i++) {
        *found = cell_has_key(&list[i], cell->key) &&
                 list[i].counts.attempted == spec_trials(cell->entry) &&
                 trial_counts_add_up(&list[i].counts) && /* else the store is damaged */
                 execution_lanes(&list[i]) == spec_lanes(cell->entry) &&
                 list[i].counts.by_status[TRIAL_HARNESS_ERROR] == 0;
        if (*found) *source = list[i];
    }
    return true;
}

/* Takes the cell over if it can; *is_done then. */
static bool reuse_cell(struct run *r, const struct plan_cell *cell, bool *is_done,
                       struct error *err)
{
    struct arena scratch = arena_open();
    struct execution_record source;
    struct execution_record copy;
    bool done = find_source(r, cell, &scratch, &source, is_done, err);
    if (done && *is_done) {
        struct execution_record place = {.cell_index = (int64_t)cell->index,
                                         .group_index = (int64_t)cell->group,
                                         .arm_index = (int64_t)cell->arm,
                                         .label = cell->label};
        struct rescore_copy how = {
            .run_id = r->record.id,
            .like = &place,
            .remark = arena_printf(&scratch, "answers and times of run %s, not measured again",
                                   source.run_id),
        };
        done = rescore_reuse(r->request->store, &source, &how, &scratch, &copy, err);
        const char *text = arena_printf(&scratch, "%s: copied from run %s", cell->label,
                                        id_short(source.run_id));
        if (done) {
            run_emit(r, (struct run_event){.kind = RUN_EVENT_NOTE, .cell = cell, .text = text});
            r->outcome->cells_by_status[copy.status]++;
            r->trials_planned -= spec_trials(cell->entry);
        }
    }
    arena_close(&scratch);
    return done;
}

/* The plan without the cells that were taken over. A resumed run has them. */
bool run_reuse(struct run *r, struct run_request *request, struct error *err)
{
    const struct plan *plan = request->plan;
    struct plan *rest = arena_new(r->out, struct plan, 1);
    *rest = *plan;
    rest->groups = arena_new(r->out, struct plan_group, plan->group_count + 1);
    for (size_t g = 0; g < plan->group_count; g++) {
        struct plan_group *group = &rest->groups[g];
        *group = plan->groups[g];
        group->cells = arena_new(r->out, size_t, group->count + 1);
        group->count = 0;
        for (size_t i = 0; i < plan->groups[g].count; i++) {
            const struct plan_cell *cell = &plan->cells[plan->groups[g].cells[i]];
            bool is_done = false;
            if (cell->entry->benchmark && !request->resume &&
                !reuse_cell(r, cell, &is_done, err)) {
                return error_wrap(err, "reusing answers for '%s'", cell->label);
            }
            if (!is_done) group->cells[group->count++] = cell->index;
        }
    }
    request->plan = rest;
    return true;
}
