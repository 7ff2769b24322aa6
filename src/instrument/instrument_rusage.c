/* What the kernel totals of a trial: of its processes as they are reaped, or,
 * for work in the arm itself, the difference of getrusage. */
#include "instrument/instrument.h"
#include "instrument/self_usage.h"

#include <math.h>

enum { USER, SYSTEM, MAX_RSS, MINOR, MAJOR, VOLUNTARY, INVOLUNTARY };

static const struct metric metrics[] = {
    [USER] = {"user_s", "s", DIRECTION_LOWER, "user_cpu/1",
              "processor time in user mode, of the whole process tree"},
    [SYSTEM] = {"system_s", "s", DIRECTION_LOWER, "system_cpu/1",
                "processor time in the kernel, of the whole process tree"},
    [MAX_RSS] = {"max_rss_mb", "MB", DIRECTION_LOWER, "memory_peak/1",
                 "largest resident set of any one process, 1 MB = 1,000,000 bytes"},
    [MINOR] = {"minor_faults", "1", DIRECTION_LOWER, "minor_faults/1",
               "page faults without disk access"},
    [MAJOR] = {"major_faults", "1", DIRECTION_LOWER, "major_faults/1",
               "page faults that needed disk access"},
    [VOLUNTARY] = {"voluntary_switches", "1", DIRECTION_LOWER, "voluntary_switches/1",
                   "voluntary context switches"},
    [INVOLUNTARY] = {"involuntary_switches", "1", DIRECTION_LOWER, "involuntary_switches/1",
                     "involuntary context switches"},
};

static double known(int64_t count)
{
    return count < 0 ? (double)NAN : (double)count;
}

static void rusage_give(const void *state, double duration_s, const struct usage *usage,
                        double *values)
{
    (void)duration_s;
    const struct self_usage *self = state;
    const struct usage *u = self_usage_or(self, usage);
    if (!u) return;
    values[USER] = u->user_s;
    values[SYSTEM] = u->system_s;
    values[MAX_RSS] = (double)u->peak_bytes / 1e6;
    values[MINOR] = (double)u->minor_faults;
    values[MAJOR] = (double)u->major_faults;
    values[VOLUNTARY] = known(u->voluntary_switches);
    values[INVOLUNTARY] = known(u->involuntary_switches);
}

const struct instrument instrument_rusage = {
    .name = "rusage",
    .summary =
        "processor time, peak memory, faults and context switches, as the kernel counts them",
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .state_size = sizeof(struct self_usage),
    .open = self_usage_open,
    .begin = self_usage_begin,
    .end = self_usage_end,
    .give = rusage_give,
    .close = self_usage_close,
};
