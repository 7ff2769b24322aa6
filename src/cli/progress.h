/* progress.h - what `assay run` shows while it works.
 *
 * One listener, three voices: a live line on a terminal, plain lines
 * otherwise (both on standard error), or with --json one object a line on
 * standard output. A trial's line is printed after it is safe in the store. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/command.h"
#include "cli/live.h"
#include "run/run.h"

struct progress {
    FILE *json; /* NULL = no event stream */
    bool is_live;
    bool is_quiet;
    bool has_line;        /* the live line is on the screen */
    struct live *live;    /* the picture of a suite instead of the line; NULL: the line */
    int64_t last_line_ns; /* without a terminal: of the last line that was printed */
    size_t cells;
};

struct run_listener progress_listener(struct progress *p);

/* Standard error is a terminal on which a line can be taken back. */
bool progress_can_be_live(void);

/* Takes the live line away. */
void progress_clear(struct progress *p);

void progress_finished(struct progress *p, const struct run_outcome *outcome);

#endif
