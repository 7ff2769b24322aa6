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

bool demand_is_met(const struct experiment_demand *d, const char *folder, struct error *err)
{
    const struct {
        const char *what;
        double asked, has;
    } rows[] = {
        {"memory", d->memory_bytes, d->memory_bytes > 0 ? available_memory() : 0},
        {"disk", d->disk_bytes, d->disk_bytes > 0 ? available_disk(folder) : 0},
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
