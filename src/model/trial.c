#include "model/trial.h"

#include <string.h>

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

static const char *const phases[PHASE_COUNT] = {"warmup", "measured", "profiled"};

const char *trial_phase_name(enum trial_phase p)
{
    CHECK(p < PHASE_COUNT);
    return phases[p];
}

bool trial_phase_parse(const char *name, enum trial_phase *out)
{
    for (int i = 0; i < PHASE_COUNT; i++) {
        if (strcmp(name, phases[i]) == 0) {
            *out = (enum trial_phase)i;
            return true;
        }
    }
    return false;
}

bool trial_counts_add_up(const struct trial_counts *c)
{
    int64_t sum = 0;
    for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
        if (c->by_status[i] < 0 || __builtin_add_overflow(sum, c->by_status[i], &sum))
            return false;
    }
    return sum == c->attempted;
}

void trial_counts_check(const struct trial_counts *c)
{
    CHECK(trial_counts_add_up(c));
}

void usage_add(struct usage *usage, const struct usage *other)
{
    usage->user_s += other->user_s;
    usage->system_s += other->system_s;
    if (other->peak_bytes > usage->peak_bytes) usage->peak_bytes = other->peak_bytes;
    if (other->group_peak_bytes > usage->group_peak_bytes)
        usage->group_peak_bytes = other->group_peak_bytes;
    if (other->resident_bytes) usage->resident_bytes = other->resident_bytes; /* the later */
    usage->minor_faults += other->minor_faults;
    usage->major_faults += other->major_faults;
    usage->voluntary_switches += other->voluntary_switches;
    usage->involuntary_switches += other->involuntary_switches;
    if (usage->read_bytes >= 0 && other->read_bytes >= 0) {
        usage->read_bytes += other->read_bytes;
        usage->write_bytes += other->write_bytes;
        usage->io_operations += other->io_operations;
    }
}

void usage_add_rusage(struct usage *usage, const struct rusage *r)
{
    const struct usage other = {
        .user_s = (double)r->ru_utime.tv_sec + (double)r->ru_utime.tv_usec * 1e-6,
        .system_s = (double)r->ru_stime.tv_sec + (double)r->ru_stime.tv_usec * 1e-6,
        .peak_bytes = (int64_t)r->ru_maxrss * 1024,
        .minor_faults = r->ru_minflt,
        .major_faults = r->ru_majflt,
        .voluntary_switches = r->ru_nvcsw,
        .involuntary_switches = r->ru_nivcsw,
    };
    usage_add(usage, &other);
}
