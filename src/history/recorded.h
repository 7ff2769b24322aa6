/* recorded.h - questions asked of recorded executions: how long, how often successful,
 * at what cost, by version, task and week.
 *
 * Durations are those of successes; failures have figures of their own. A mean
 * over both would fall when things break early. */
#ifndef HISTORY_RECORDED_H
#define HISTORY_RECORDED_H

#include "interop/import.h"
#include "stats/proportion.h"
#include "stats/verdict.h"

struct recorded {
    const char *task;
    const char *version; /* NULL = not said */
    const char *run;     /* that it was stored by: its id; "" of a file, which is one */
    int64_t run_ns;      /* its start */
    size_t number;       /* its place there */
    int64_t at_ns;       /* 0 = not known */
    double duration_s;
    double cost_usd; /* NaN = not known */
    bool is_ok;
};

struct recorded_filter {
    const char *version; /* NULL = any, as are the next */
    const char *task;
    const char *agent; /* as view/select.h takes it; in a file name or name@version */
    int64_t since_ns;
};

struct recorded_list {
    struct recorded *items;
    size_t count;
};

/* From every run of suite `recorded`, in order of time. */
MUST_USE bool recorded_from_store(struct store *store, const struct recorded_filter *filter,
                                  struct arena *out, struct recorded_list *list,
                                  struct error *err);
/* From a file that was read by the `record` importer. */
void recorded_from_import(const struct imported *in, const struct recorded_filter *filter,
                          struct arena *out, struct recorded_list *list);

struct recorded_times {
    size_t n;
    double mean, sd, median, p95, p99, min, max; /* NaN where n is too small */
};

struct recorded_stats {
    size_t count;
    struct proportion success; /* Wilson, 95 % */
    size_t ok;
    struct recorded_times times;    /* of successes */
    struct recorded_times failures; /* of failures */
    size_t cost_n;
    double cost_total, cost_mean; /* NaN if none was said */
};

struct recorded_stats recorded_stats(const struct recorded *items, size_t count,
                                     struct arena scratch);

enum recorded_metric { RECORDED_TIME, RECORDED_SUCCESS, RECORDED_COST, RECORDED_METRICS };
const char *recorded_metric_name(enum recorded_metric m); /* "execution_time", ... */

/* Tasks that both have, by name, each with what either did of it: run by run. */
struct recorded_match {
    const char *task;
    struct recorded_list side[2];
};
struct recorded_matches {
    struct recorded_match *items;
    size_t count;
    bool is_all; /* neither has a task besides */
};
struct recorded_matches recorded_match(const struct recorded_list *a,
                                       const struct recorded_list *b, struct arena *out);

/* B compared with A, task by task: tasks are the cells of a family (stats/family.h), so
 * that another mix of tasks is not a change of speed; what only one of them did does not
 * count. Runs count as they do in `regressions` (judge/ask.h). a and b are the levels: means
 * of rates and costs, medians of times; of several tasks their means. Improvement is the
 * effect that was tested (of times the median ratio of B's values to A's, not the ratio of
 * two medians), positive where B is better: faster, cheaper, more often well; relative to A.
 * The verdict is by interval. */
struct recorded_comparison {
    enum recorded_metric metric;
    double a, b;
    size_t a_count, b_count;
    double improvement;       /* NaN where A is 0 or missing */
    double effect, low, high; /* ratio of times and costs; difference of rates */
    enum verdict verdict;
    struct verdict_answer answer;
};
MUST_USE bool recorded_compare(const struct recorded_list *a, const struct recorded_list *b,
                               enum recorded_metric metric, struct arena *out,
                               struct recorded_comparison *answer, struct error *err);

/* Weeks from Monday to Sunday, UTC, that have a record, oldest first. */
struct recorded_week {
    char monday[11]; /* "2026-11-09" */
    struct recorded_stats stats;
    bool has_before;                 /* false of the first */
    struct recorded_comparison time; /* against the week before */
    const char *told; /* "improved", "degraded", or NULL: 10 % or more, and decided */
};
MUST_USE bool recorded_weeks(const struct recorded_list *list, struct arena *out,
                             struct recorded_week **weeks, size_t *count, struct error *err);

/* Versions in order of first appearance. */
size_t recorded_versions(const struct recorded_list *list, struct arena *out,
                         const char ***versions);
struct recorded_list recorded_of_version(const struct recorded_list *list, const char *version,
                                         struct arena *out);

/* Two versions: all metrics, or the one that is named. */
struct recorded_task {
    const char *task;
    struct recorded_comparison metrics[RECORDED_METRICS];
    size_t metric_count;
};
struct recorded_pair {
    const char *version[2];
    struct recorded_comparison metrics[RECORDED_METRICS];
    size_t metric_count;
    bool is_same_tasks;          /* each did what the other did */
    struct recorded_task *tasks; /* that both did, each by itself; none for fewer than two */
    size_t task_count;
};
/* `pair->version` says which; `metric` may be NULL. */
MUST_USE bool recorded_pair(const struct recorded_list *list, struct recorded_pair *pair,
                            const char *metric, struct arena *out, struct error *err);

/* Each version, each compared with the one before it, and week over week. */
struct recorded_version {
    const char *version;
    struct recorded_stats stats;
    struct recorded_comparison against[RECORDED_METRICS];
    size_t against_count; /* 0 of the first */
};
struct recorded_report {
    struct recorded_version *versions;
    size_t version_count;
    struct recorded_week *weeks;
    size_t week_count;
};
/* `versions` NULL-terminated; empty = all there are. */
MUST_USE bool recorded_report(const struct recorded_list *list, const char *const *versions,
                              struct arena *out, struct recorded_report *report,
                              struct error *err);

#endif
