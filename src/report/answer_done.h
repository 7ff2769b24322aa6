/* answer_done.h - what a command did that has no figures: it read, wrote or altered
 * something. */
#ifndef REPORT_ANSWER_DONE_H
#define REPORT_ANSWER_DONE_H

#include <stdbool.h>
#include <stddef.h>

struct answer_version {
    const char *version;
};

struct answer_init {
    const char *kind;
    const char *file;
};

struct answer_migrate {
    const char *store;
    int from, to; /* versions of its schema; equal: there was nothing to do */
};

struct answer_export {
    const char *file;
    size_t runs;
    size_t bytes;
};

struct answer_record {
    size_t records;
    const char *run;  /* NULL: into a file */
    const char *file; /* NULL: into the store */
};

struct answer_rescore {
    const char *run_id; /* the new one */
    const char *source; /* the run whose answers they are */
    size_t cells;
    size_t trials;
    size_t changed; /* have another score */
};

/* One source. Counts are NaN where it has none of that: only bundles have runs. */
struct answer_import {
    const char *source;
    const char *format;
    const char *run; /* NULL of a bundle */
    bool is_new;     /* false: the same was stored before */
    bool is_latest;  /* it is what `latest` means now */
    double executions, trials, claimed;
    double histograms, total, p999, max; /* in the log's own unit */
    double runs, added, replaced, kept;
    size_t in_future; /* runs that are new here and begin in the future */
    size_t marks;     /* baselines and alarms that came with a bundle */
};

#endif
