/* catalog.h - every row of every registry, in one shape.
 *
 * What `assay describe`, the reference page and completion are made from: a new
 * experiment or command is in all of them without an edit. */
#ifndef CLI_CATALOG_H
#define CLI_CATALOG_H

#include "base/param.h"
#include "cli/command.h"
#include "model/metric.h"

enum catalog_kind {
    CATALOG_EXPERIMENT,
    CATALOG_INSTRUMENT,
    CATALOG_AGENT,
    CATALOG_CHECK,
    CATALOG_REPORTER,
    CATALOG_STORE,
    CATALOG_COMMAND,
    CATALOG_KIND_COUNT
};

struct catalog_entry {
    enum catalog_kind kind;
    const char *name;
    const char *alias; /* NULL = none */
    const char *summary;
    const char *help; /* a paragraph, or NULL */
    struct param_table params;
    const struct metric *metrics;
    size_t metric_count;
    const struct metric *histograms; /* what is counted, value by value */
    size_t histogram_count;
    const struct command *command; /* CATALOG_COMMAND only */
};

const char *catalog_kind_name(enum catalog_kind kind); /* "experiment" */
const char *catalog_plural(enum catalog_kind kind);    /* "experiments" */
const char *catalog_purpose(enum catalog_kind kind);   /* what such a thing is for */

/* False past the end. */
bool catalog_at(enum catalog_kind kind, size_t i, struct catalog_entry *entry);

/* Whether this machine can do it; the reason in `err` if not. Only experiments,
 * instruments and agents can be impossible. */
bool catalog_available(const struct catalog_entry *entry, struct arena *scratch,
                       struct error *err);

#endif
