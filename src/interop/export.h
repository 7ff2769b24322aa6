/* export.h - stored runs as other tools want them.
 *
 * To add one: write src/interop/export_<name>.c ending in `const struct exporter
 * exporter_<name>`, and name it in the list in export_registry.c. */
#ifndef INTEROP_EXPORT_H
#define INTEROP_EXPORT_H

#include "base/buf.h"
#include "store/store.h"

/* What is said of a metric everywhere: its level and the 95 % interval, NaN without. */
struct export_level {
    const char *metric;
    double centre, low, high;
};

struct export_levels {
    const char *execution_id;
    const struct export_level *items;
    size_t count;
};

/* The levels of the executions of a run. Whoever exports hands it over (view/levels.h): how
 * trials become a level is not known here. */
typedef bool (*export_levels_fn)(struct store *store, const struct run_record *run,
                                 struct arena *out, struct export_levels **list, size_t *count,
                                 struct error *err);

/* One execution with what belongs to it. */
struct exported {
    const struct run_record *run;
    struct execution_record *e;
    const char *agent; /* name */
    struct series_record *series;
    size_t series_count;
    const char **cases; /* the name of each measured trial's case; NULL without cases */
    size_t case_count;
    const struct trial_note *notes; /* of a suite: answers and what was said of them */
    size_t note_count;
    struct histogram_record *histograms; /* where the exporter wants them */
    size_t histogram_count;
    struct export_levels levels; /* where the exporter wants them */
    struct arena *arena;         /* until the next execution */
};

struct exporter {
    REGISTRY_ENTRY;       /* name: value of --format */
    bool is_of_one_agent; /* its format cannot tell agents apart */
    bool wants_histograms;
    bool wants_levels;
    bool is_latest;                 /* without a selector: the newest run, not all */
    void (*begin)(struct buf *out); /* may be NULL */
    void (*put)(const struct exported *x, void *state, struct buf *out);
    void (*end)(void *state, struct buf *out); /* may be NULL */
    size_t state_size;                         /* zeroed before `begin` */
};

REGISTRY(struct exporter, exporter)

struct export_what {
    const struct run_record *runs;
    size_t count;
    const struct agent_ref *agent; /* executions of others are left out; NULL: all */
    export_levels_fn levels;
};

/* Runs in the order given, executions in plan order. Fails where an exporter of one agent
 * (is_of_one_agent) meets several. */
MUST_USE bool export_write(const struct exporter *exporter, struct store *store,
                           const struct export_what *what, struct buf *out, struct error *err);

/* The series about the trials themselves are not metrics. */
bool export_is_metric(const struct series_record *s);
/* Statuses of a phase's trials, or NULL. */
const double *export_statuses(const struct exported *x, enum trial_phase phase);

#endif
