#include "model/trial.h"

#include <sys/resource.h>

const char *trial_status_name(enum trial_status s)
{
    static const char *const names[TRIAL_STATUS_COUNT] = {
        [TRIAL_OK] = "ok",
        [TRIAL_FAILED] = "failed",
        [TRIAL_TIMED_OUT] = "timed_out",
        [TRIAL_LIMIT_BREACHED] = "limit_breached",
        [TRIAL_INVALID_OUTPUT] = "invalid_output",
        [TRIAL_AGENT_ERROR] = "agent_error",
        [TRIAL_HARNESS_ERROR] = "harness_error",
    };
    CHECK(s < TRIAL_STATUS_COUNT);
    return names[s];
}

const char *trial_phase_name(enum trial_phase p)
{
    CHECK(p < PHASE_COUNT);
    return p == PHASE_WARMUP ? "warmup" : "measured";
}

void trial_counts_check(const struct trial_counts *c)
{
    int64_t sum = 0;
    for (int i = 0; i < TRIAL_STATUS_COUNT; i++) sum += c->by_status[i];
    CHECK(sum == c->attempted);
}

void usage_add_rusage(struct usage *usage, const struct rusage *r)
{
    usage->user_s += (double)r->ru_utime.tv_sec + (double)r->ru_utime.tv_usec * 1e-6;
    usage->system_s += (double)r->ru_stime.tv_sec + (double)r->ru_stime.tv_usec * 1e-6;
    int64_t peak_bytes = (int64_t)r->ru_maxrss * 1024;
    if (peak_bytes > usage->peak_bytes) usage->peak_bytes = peak_bytes;
    usage->minor_faults += r->ru_minflt;
    usage->major_faults += r->ru_majflt;
    usage->voluntary_switches += r->ru_nvcsw;
    usage->involuntary_switches += r->ru_nivcsw;
}
