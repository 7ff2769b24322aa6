/* stress_progress.h - what `assay stress` shows while it works: on a terminal one line that
 * changes with every block (rate, in flight, times, errors, and the 99th percentiles so far
 * as a small picture), else a line for each phase; both on standard error. */
#ifndef CLI_STRESS_PROGRESS_H
#define CLI_STRESS_PROGRESS_H

#include "model/run_event.h"

enum { STRESS_PROGRESS_BARS = 20 };

struct stress_progress {
    bool is_live;
    bool is_quiet;
    bool has_line;
    double bars[STRESS_PROGRESS_BARS]; /* p99 of the latest blocks of the phase */
    size_t bar_count;
    double rate, p50_s, p99_s, errors; /* of the latest block; NaN: unknown */
    double in_flight;
};

struct run_listener stress_progress_listener(struct stress_progress *p);

/* Takes the line away. */
void stress_progress_clear(struct stress_progress *p);

#endif
