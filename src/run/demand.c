#include "run/demand.h"

#include "base/human.h"
#include "base/os.h"

#include <math.h>
#include <sys/statvfs.h>

static double available_memory(void)
{
    struct arena scratch = arena_open();
    struct str text = {0};
    struct error ignored;
    double bytes = (double)INFINITY;
    if (os_read_file("/proc/meminfo", 1 << 16, &scratch, &text, &ignored)) {
        while (text.p) {
            struct str line = str_cut(&text, '\n');
            struct str name = str_cut(&line, ':');
            struct str number = str_trim(line);
            number = str_cut(&number, ' ');
            int64_t kib = 0;
            if (str_is(name, "MemAvailable") && str_to_int(number, &kib))
                bytes = (double)kib * 1024;
        }
    }
    arena_close(&scratch);
    return bytes;
}

static double available_disk(const char *folder)
{
    struct statvfs fs;
    if (statvfs(folder, &fs) != 0) return (double)INFINITY;
    return (double)fs.f_bavail * (double)fs.f_frsize;
}

struct demand_supply demand_supply(const char *folder)
{
    return (struct demand_supply){available_memory(), available_disk(folder)};
}

bool demand_is_met(const struct experiment_demand *d, const struct demand_supply *supply,
                   struct error *err)
{
    const struct {
        const char *what;
        double asked, has;
    } rows[] = {
        {"memory", d->memory_bytes, supply->memory_bytes},
        {"disk", d->disk_bytes, supply->disk_bytes},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].asked <= rows[i].has) continue;
        char asked[HUMAN_SIZE], has[HUMAN_SIZE];
        return error_set(err, ERROR_UNAVAILABLE,
                         "it takes about %s of %s, and %s are available: lower %s",
                         human_value("B", rows[i].asked, asked), rows[i].what,
                         human_value("B", rows[i].has, has), d->by);
    }
    return true;
}

static bool is_cell_met(const struct plan_cell *cell, const struct demand_supply *supply,
                        struct arena scratch, struct error *err)
{
    const struct experiment *e = cell->entry->experiment;
    if (!e->demand) return true;
    void *config = arena_alloc(&scratch, 1, e->config_size + 1, _Alignof(max_align_t));
    if (!param_read(e->params, cell->params, config, &scratch, err)) return false;
    struct experiment_demand demand = e->demand(config);
    return demand_is_met(&demand, supply, err);
}

void demand_of_plan(const struct plan *plan, struct arena scratch, struct buf *out)
{
    enum { TOLD = 3 };
    size_t count = 0;
    struct demand_supply supply = demand_supply(os_temp_base());
    for (size_t i = 0; i < plan->cell_count; i++) {
        struct error err = {0};
        const struct plan_cell *cell = &plan->cells[i];
        if (is_cell_met(cell, &supply, scratch, &err) || ++count > TOLD) continue;
        buf_printf(out, "this machine cannot run cell %zu (%s): %s\n", cell->index + 1,
                   cell->label, err.text);
    }
    if (count > TOLD) buf_printf(out, "nor %zu more of its cells\n", count - TOLD);
}
