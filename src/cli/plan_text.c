#include "cli/plan_text.h"

#include "base/json.h"
#include "base/plain.h"
#include "cli/estimate.h"

#include <inttypes.h>

enum { CELLS_SHOWN = 20 };

static int64_t total_trials(const struct plan *plan, enum trial_phase phase)
{
    int64_t total = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        total += estimate_trials(plan->cells[i].entry, phase);
    }
    return total;
}

static bool has_upper_limit(const struct plan *plan, enum trial_phase phase)
{
    for (size_t i = 0; i < plan->spec->entry_count; i++) {
        const struct spec_entry *e = &plan->spec->entries[i];
        if (phase == PHASE_WARMUP ? e->warmup < 0 : e->until.is_set) return true;
    }
    return false;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void write_time(const struct plan *plan, const struct estimate *e, FILE *out)
{
    if (e->known < plan->cell_count) {
        fprintf(out, "time: unknown: %zu of %zu cells have an earlier run in the store\n",
                e->known, plan->cell_count);
        return;
    }
    fprintf(out, "time: %s %.3g s of trials, by run %s\n",
            e->is_upper_limit ? "at most about" : "about", e->seconds, e->run_id);
}

/* The first rounds: which arm goes when. */
static void write_order(const struct plan_group *group, FILE *out)
{
    enum { ROUNDS_SHOWN = 3, ARMS_SHOWN = 8 };
    fprintf(out, "    order: ");
    if (group->count > ARMS_SHOWN) {
        fprintf(out, "rows of a Latin square of %zu\n", group->count);
        return;
    }
    for (int64_t round = 0; round < ROUNDS_SHOWN; round++) {
        for (size_t turn = 0; turn < group->count; turn++) {
            fprintf(out, "%zu ", group->cells[plan_turn(group->count, round, turn)] + 1);
        }
        fputs("| ", out);
    }
    fputs("...\n", out);
}

static void write_group(const struct plan *plan, const struct plan_group *group, FILE *out)
{
    const struct spec_entry *entry = group->entry;
    fprintf(out, "\n  group %zu: %s, seed %" PRId64 ", ", group->index + 1,
            entry->experiment->name, entry->seed);
    if (entry->warmup < 0) {
        fprintf(out, "warm-up until steady (at most %" PRId64 ")", entry->warmup_max);
    } else {
        fprintf(out, "%" PRId64 " warm-up", entry->warmup);
    }
    fprintf(out, " + %s%" PRId64 " measured trials a cell",
            entry->until.is_set ? "at most " : "", estimate_trials(entry, PHASE_MEASURED));
    if (spec_lanes(entry) > 1) {
        fprintf(out, ", %" PRId64 " in flight at once", spec_lanes(entry));
    }
    fputc('\n', out);
    struct buf label;
    buf_init(&label, 1 << 12);
    for (size_t i = 0; i < group->count; i++) {
        buf_clear(&label);
        plain_add(&label, str_of(plan->cells[group->cells[i]].label), SIZE_MAX);
        fprintf(out, "    cell %zu: %.*s\n", group->cells[i] + 1, STR_ARG(buf_str(&label)));
    }
    buf_release(&label);
    if (group->count > 1) write_order(group, out);
}

static void write_text(const struct plan *plan, const struct estimate *estimate,
                       size_t cells_max, FILE *out)
{
    fprintf(out, "%s: %zu cell%s in %zu group%s; ", plan->spec->path, plan->cell_count,
            plural(plan->cell_count), plan->group_count, plural(plan->group_count));
    fprintf(out, "trials: %s%" PRId64 " warm-up, %s%" PRId64 " measured\n",
            has_upper_limit(plan, PHASE_WARMUP) ? "at most " : "",
            total_trials(plan, PHASE_WARMUP),
            has_upper_limit(plan, PHASE_MEASURED) ? "at most " : "",
            total_trials(plan, PHASE_MEASURED));
    write_time(plan, estimate, out);
    size_t shown = 0;
    for (size_t i = 0; i < plan->group_count; i++) {
        size_t count = plan->groups[i].count;
        if (shown && shown + count > cells_max) break;
        write_group(plan, &plan->groups[i], out);
        shown += count;
    }
    if (shown < plan->cell_count) {
        fprintf(out, "\n  and %zu more cells (--all lists them)\n", plan->cell_count - shown);
    }
}

static void json_cells(const struct plan *plan, struct json *j)
{
    json_list(j);
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        json_object(j);
        json_put_int(j, "cell", (int64_t)cell->index);
        json_put_int(j, "group", (int64_t)cell->group);
        json_put_int(j, "arm", (int64_t)cell->arm);
        json_put_text(j, "factor", plan->groups[cell->group].factor);
        json_put_text(j, "experiment", cell->entry->experiment->name);
        json_put_text(j, "label", cell->label);
        json_put_text(j, "key", cell->key);
        json_put_raw(j, "parameters", cell->params_json);
        json_put_int(j, "warmup", estimate_trials(cell->entry, PHASE_WARMUP));
        json_put_int(j, "measured", estimate_trials(cell->entry, PHASE_MEASURED));
        json_put_int(j, "concurrency", spec_lanes(cell->entry));
        json_end(j);
    }
    json_end(j);
}

static void write_json(const struct plan *plan, const struct estimate *estimate, FILE *out)
{
    struct buf b;
    struct json j;
    buf_init(&b, SIZE_MAX / 2);
    json_open(&j, &b, "assay.plan/1");
    json_put_text(&j, "spec", plan->spec->path);
    json_put_text(&j, "hash", plan->spec->hash);
    json_put_int(&j, "groups", (int64_t)plan->group_count);
    json_put_int(&j, "warmup_trials", total_trials(plan, PHASE_WARMUP));
    json_put_int(&j, "measured_trials", total_trials(plan, PHASE_MEASURED));
    json_key(&j, "estimated_s");
    if (estimate->known == plan->cell_count) {
        json_real(&j, estimate->seconds);
    } else {
        json_null(&j);
    }
    json_key(&j, "cells");
    json_cells(plan, &j);
    json_close(&j);
    fwrite(b.p, 1, b.n, out);
    buf_release(&b);
}

int plan_text_show(struct context *c, const struct plan *plan, bool all)
{
    struct estimate estimate = estimate_plan(c->store_url, plan);
    if (c->json) {
        write_json(plan, &estimate, c->out);
    } else {
        write_text(plan, &estimate, all ? SIZE_MAX : CELLS_SHOWN, c->out);
    }
    return EXIT_DONE;
}
