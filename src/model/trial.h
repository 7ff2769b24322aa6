/* trial.h - one carried-out trial: how it ended and what it used.
 *
 * Identity kept everywhere: attempted = sum of the counts of all statuses. A
 * trial that is not TRIAL_OK gives no latency sample: its slot in every series
 * is NaN, its duration goes to the note. */
#ifndef MODEL_TRIAL_H
#define MODEL_TRIAL_H

#include "base/invariant.h"

enum trial_status {
    TRIAL_OK,
    TRIAL_FAILED,         /* the work said so: exit code, crash */
    TRIAL_TIMED_OUT,      /* time limit */
    TRIAL_LIMIT_BREACHED, /* memory, tokens, cost, output, processes */
    TRIAL_INVALID_OUTPUT, /* an answer that cannot be read */
    TRIAL_AGENT_ERROR,    /* the agent reported an error */
    TRIAL_HARNESS_ERROR,  /* ours, never counted against the agent */
    TRIAL_STATUS_COUNT
};

enum trial_phase {
    PHASE_WARMUP,
    PHASE_MEASURED,
    PHASE_PROFILED, /* trials of their own for instruments that cost */
    PHASE_COUNT
};

const char *trial_status_name(enum trial_status s); /* "ok", "failed", "timed_out", ... */
const char *trial_phase_name(enum trial_phase p);   /* "warmup", "measured", "profiled" */
MUST_USE bool trial_phase_parse(const char *name, enum trial_phase *out);

struct trial_counts {
    int64_t attempted;
    int64_t by_status[TRIAL_STATUS_COUNT];
};

/* attempted = sum of by_status, none of them negative: what is read from a store need not. */
bool trial_counts_add_up(const struct trial_counts *c);
/* CHECKs that they do: for counts of our own. */
void trial_counts_check(const struct trial_counts *c);

/* What the processes of one trial used, as the kernel totals it at their end.
 * Set by experiments that run other processes; instruments read it. */
struct usage {
    bool is_set;
    bool is_elsewhere; /* the work was done by processes that we cannot look at */
    double user_s;
    double system_s;
    int64_t peak_bytes;       /* largest resident set of any one process */
    int64_t group_peak_bytes; /* all processes together, by their cgroup; 0 = unknown */
    int64_t resident_bytes;   /* what a process that goes on holds at the end; 0 = none does */
    int64_t minor_faults;
    int64_t major_faults;
    int64_t voluntary_switches; /* -1 = unknown */
    int64_t involuntary_switches;
    int64_t read_bytes; /* through the page cache: rchar, wchar; -1 unknown */
    int64_t write_bytes;
    int64_t io_operations; /* read and write calls; known where the bytes are */
};

/* Adds what wait4 or getrusage said: times and counts add up, the peak is the
 * largest. */
struct rusage;
void usage_add_rusage(struct usage *usage, const struct rusage *r);
void usage_add(struct usage *usage, const struct usage *other);

#endif
