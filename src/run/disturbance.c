#include "run/disturbance.h"

#include "base/clock.h"
#include "base/os.h"
#include "base/proc.h"
#include "base/str.h"

#include <math.h>
#include <sched.h>
#include <unistd.h>

enum { STAT_MAX = 1 << 20, PROCESSES_MAX = 4096, FIELDS = 7 };

/* "cpu3 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ ...": ticks that it worked. Steal is another
 * machine's work, and idle and iowait are none. */
static bool busy_ticks(struct str line, int *cpu, double *ticks)
{
    static const bool is_work[FIELDS] = {true, true, true, false, false, true, true};
    struct str name = str_cut(&line, ' ');
    int64_t number = 0;
    if (name.n < 4 || !str_starts(name, S("cpu"))) return false;
    if (!str_to_int((struct str){name.p + 3, name.n - 3}, &number)) return false;
    *cpu = (int)number;
    *ticks = 0;
    for (size_t i = 0; i < FIELDS && line.p; i++) {
        int64_t x = 0;
        if (!str_to_int(str_cut(&line, ' '), &x)) return false;
        if (is_work[i]) *ticks += (double)x;
    }
    return true;
}

static double own_cpu_s(struct arena *scratch)
{
    pid_t *pids = arena_new(scratch, pid_t, PROCESSES_MAX);
    pids[0] = getpid();
    size_t count = 1 + proc_descendants(pids[0], pids + 1, PROCESSES_MAX - 1);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        struct proc_stat s;
        if (proc_read_stat(pids[i], &s)) sum += s.own_cpu_s + s.reaped_cpu_s;
    }
    return sum;
}

struct disturbance disturbance_look(void)
{
    struct disturbance d = {.at_ns = clock_ns()};
    struct arena scratch = arena_open();
    struct str text = {0};
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
        os_read_file("/proc/stat", STAT_MAX, &scratch, &text, NULL)) {
        while (text.p) {
            int cpu = 0;
            double ticks = 0;
            bool is_cpu = busy_ticks(str_cut(&text, '\n'), &cpu, &ticks);
            if (!is_cpu || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed)) continue;
            d.busy_s += ticks / (double)sysconf(_SC_CLK_TCK);
            d.cpus++;
        }
    }
    d.own_s = own_cpu_s(&scratch);
    arena_close(&scratch);
    return d;
}

double disturbance_share(const struct disturbance *from, const struct disturbance *until)
{
    double wall_s = (double)(until->at_ns - from->at_ns) / 1e9;
    if (until->cpus == 0 || from->cpus != until->cpus || wall_s < 1) return NAN;
    double other_s = (until->busy_s - from->busy_s) - (until->own_s - from->own_s);
    return fmax(0, other_s) / (wall_s * until->cpus);
}
