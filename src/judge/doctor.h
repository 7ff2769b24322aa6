/* doctor.h - is this machine fit to measure?
 *
 * Checks look at what is known to disturb measurements. The noise test is an A/A test through the real runner: the same work
 * as both arms of a group, in sessions of their own. Whatever difference it
 * shows is noise; the smallest change that n pairs could show is what the
 * comparison engine says of blocks of n such pairs (their median). */
#ifndef JUDGE_DOCTOR_H
#define JUDGE_DOCTOR_H

#include "stats/verdict.h"

enum doctor_status { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_UNKNOWN };

/* What is looked at, with what `value`, `other` and `text` are; `is_on` is a value of 1. */
enum doctor_item {
    DOCTOR_CPUS,           /* how many */
    DOCTOR_LOAD,           /* of the last minute, on so many CPUs */
    DOCTOR_GOVERNOR,       /* text */
    DOCTOR_TURBO,          /* is on */
    DOCTOR_THERMAL,        /* throttlings since the start, degrees */
    DOCTOR_SMT,            /* is on */
    DOCTOR_CLOCK_SOURCE,   /* text */
    DOCTOR_CLOCK_READ,     /* ns */
    DOCTOR_VIRTUALISATION, /* is on */
    DOCTOR_STOLEN_TIME,    /* share of all time */
    DOCTOR_ASLR,           /* is on */
    DOCTOR_SWAP,           /* MB in use, of so many */
    DOCTOR_MEMORY,         /* MB free, of so many */
    DOCTOR_PERF,           /* 0: nothing, 1: software events, 2: all can be counted; text: why
                            * not; other: perf_event_paranoid */
    DOCTOR_CPU_LIMIT,      /* text: us in every period; NULL: none */
    DOCTOR_CGROUP,         /* version, 0: none; other: it can be written */
    DOCTOR_DISK_SYNC,      /* seconds for a synced 4 KiB write */
    DOCTOR_ITEM_COUNT
};

struct doctor_check {
    enum doctor_item item;
    enum doctor_status status;
    double value;
    double other;
    const char *text;
};

enum { DOCTOR_CHECKS_MAX = DOCTOR_ITEM_COUNT, DOCTOR_BUDGETS = 3, DOCTOR_TRIALS = 100 };

/* Fills `checks`, returns how many. Takes well below a second. */
size_t doctor_check(struct arena *out, struct doctor_check checks[DOCTOR_CHECKS_MAX]);

const char *doctor_status_name(enum doctor_status status); /* "ok", "warning", "unknown" */

struct doctor_noise {
    const char *workload; /* "spin": in-process work; "command": a process a trial */
    size_t sessions;
    size_t pairs; /* of all sessions */
    double median_s;
    double cv;                    /* robust: 1.4826 MAD over median */
    double session_spread;        /* sd of the sessions' medians, relative; NaN for one */
    struct verdict_answer answer; /* A against A, all pairs; margin 0 */
    double floor;          /* how far from 1 a session's A/A interval reaches: the median */
    size_t blocks;         /* of 10 pairs that were judged */
    size_t false_verdicts; /* of them better or worse */
    size_t budgets[DOCTOR_BUDGETS];
    double mde[DOCTOR_BUDGETS]; /* relative; NaN with too few pairs */
};

struct doctor_report {
    const struct doctor_check *checks;
    size_t check_count;
    const struct doctor_noise *noise; /* one for each workload that was measured */
    size_t noise_count;
};

/* The numbers of doctor_noise from pairs a[i], b[i], `trials` in each session. */
MUST_USE bool doctor_judge(const double *a, const double *b, size_t sessions, size_t trials,
                           struct arena *out, struct doctor_noise *noise, struct error *err);

#endif
