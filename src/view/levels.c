#include "view/levels.h"

#include "view/units.h"

static struct export_level failures_of(const struct view_cell *cell, struct arena *out)
{
    const struct view_metric rate = units_failures(cell, out);
    struct units u = units_of(cell, &rate, out);
    u.ends[0] = u.ends[1] = NULL; /* of what was judged, as the other levels are */
    struct units_level l = units_level(&u, rate.kind, VERDICT_ALPHA, *out);
    return (struct export_level){rate.name, l.centre, l.low, l.high};
}

static struct export_levels levels_of(const struct view_cell *cell, struct arena *out)
{
    struct export_level *items = arena_new(out, struct export_level, cell->metric_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < cell->metric_count; i++) {
        const struct view_metric *m = &cell->metrics[i];
        items[n++] = (struct export_level){m->name, m->centre, m->centre_low, m->centre_high};
    }
    items[n++] = failures_of(cell, out);
    return (struct export_levels){cell->record.id, items, n};
}

bool levels_of_run(struct store *store, const struct run_record *run, struct arena *out,
                   struct export_levels **list, size_t *count, struct error *err)
{
    struct view *view = NULL;
    if (!view_load_run(store, run, out, &view, err)) return false;
    *list = arena_new(out, struct export_levels, view->cell_count + 1);
    *count = view->cell_count;
    for (size_t i = 0; i < view->cell_count; i++) (*list)[i] = levels_of(&view->cells[i], out);
    return true;
}
