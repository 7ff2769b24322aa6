/* Versions compared: two of them, whole and task by task, or each with the one before it. */
#include "history/recorded.h"

/* All three metrics, or the one named. */
static bool find_metric(const char *name, size_t *first, size_t *end, struct error *err)
{
    *first = 0;
    *end = RECORDED_METRICS;
    if (!name) return true;
    for (size_t m = 0; m < RECORDED_METRICS; m++) {
        if (strcmp(name, recorded_metric_name((enum recorded_metric)m)) != 0) continue;
        *first = m;
        *end = m + 1;
        return true;
    }
    return error_set(err, ERROR_INVALID,
                     "no metric '%s'; there are execution_time, success_rate and cost", name);
}

static bool list_of(const struct recorded_list *all, const char *version, struct arena *out,
                    struct recorded_list *list, struct error *err)
{
    *list = recorded_of_version(all, version, out);
    return list->count > 0 ||
           error_set(err, ERROR_NOT_FOUND, "nothing recorded of version '%s'", version);
}

/* The metrics that `to` has room for, from the first on. */
static bool compare_metrics(const struct recorded_list sides[2], size_t first, size_t count,
                            struct arena *out, struct recorded_comparison *to,
                            struct error *err)
{
    for (size_t m = 0; m < count; m++) {
        if (!recorded_compare(&sides[0], &sides[1], (enum recorded_metric)(first + m), out,
                              &to[m], err))
            return false;
    }
    return true;
}

/* Each task that both did by itself, where there are several. */
static bool compare_tasks(const struct recorded_matches *tasks, size_t first, struct arena *out,
                          struct recorded_pair *p, struct error *err)
{
    if (tasks->count < 2) return true;
    p->tasks = arena_new(out, struct recorded_task, tasks->count);
    for (; p->task_count < tasks->count; p->task_count++) {
        struct recorded_task *t = &p->tasks[p->task_count];
        const struct recorded_match *both = &tasks->items[p->task_count];
        t->task = both->task;
        t->metric_count = p->metric_count;
        if (!compare_metrics(both->side, first, t->metric_count, out, t->metrics, err))
            return false;
    }
    return true;
}

bool recorded_pair(const struct recorded_list *all, struct recorded_pair *p, const char *metric,
                   struct arena *out, struct error *err)
{
    size_t first = 0;
    size_t end = 0;
    struct recorded_list sides[2];
    if (!find_metric(metric, &first, &end, err) ||
        !list_of(all, p->version[0], out, &sides[0], err) ||
        !list_of(all, p->version[1], out, &sides[1], err))
        return false;
    p->metric_count = end - first;
    struct recorded_matches tasks = recorded_match(&sides[0], &sides[1], out);
    p->is_same_tasks = tasks.is_all;
    return compare_metrics(sides, first, p->metric_count, out, p->metrics, err) &&
           compare_tasks(&tasks, first, out, p, err);
}

bool recorded_report(const struct recorded_list *all, const char *const *versions,
                     struct arena *out, struct recorded_report *report, struct error *err)
{
    const char **found = NULL;
    size_t count = 0;
    while (versions[count]) count++;
    if (count == 0) {
        count = recorded_versions(all, out, &found);
        versions = found;
    }
    *report = (struct recorded_report){.versions =
                                           arena_new(out, struct recorded_version, count + 1)};
    struct recorded_list sides[2] = {0};
    for (; report->version_count < count; report->version_count++) {
        struct recorded_version *v = &report->versions[report->version_count];
        v->version = versions[report->version_count];
        sides[0] = sides[1];
        if (!list_of(all, v->version, out, &sides[1], err)) return false;
        v->stats = recorded_stats(sides[1].items, sides[1].count, *out);
        v->against_count = report->version_count > 0 ? RECORDED_METRICS : 0;
        if (!compare_metrics(sides, 0, v->against_count, out, v->against, err)) return false;
    }
    return recorded_weeks(all, out, &report->weeks, &report->week_count, err);
}
