/* stored.h - what the commands share that look into a store. */
#ifndef CLI_STORED_H
#define CLI_STORED_H

#include "base/buf.h"
#include "cli/command.h"
#include "report/answers.h"
#include "report/report.h"
#include "store/store.h"
#include "view/view.h"

/* Opens the context's store, which must exist. */
MUST_USE bool stored_open(const struct context *c, bool read_only, struct store **store,
                          struct error *err);

/* What a selector of view/source.h means; files need no store. Of a whole run its claims
 * are attached. */
MUST_USE bool stored_view(const struct context *c, const char *selector,
                          const struct view **view, struct error *err);

int stored_width(FILE *out); /* columns of the terminal; 80 without one */

/* The whole command line as a JSON list, for the record of a run; "latest" as the id of the
 * run that it means now (not of `run`, whose words are a command's). */
const struct value *stored_command_line(const struct context *c);

enum { STORED_PLOT_COLUMNS = 100, STORED_PLOT_PIXELS = 760 };

/* Rows of a command that takes a run; without one, the newest. */
#define STORED_RUN(type, field) STORED_RUN_OR(type, field, "latest")
#define STORED_RUN_OR(type, field, otherwise)                                                 \
    .takes = "one run",                                                                       \
    .arguments = (const struct command_argument[]){{offsetof(type, field), true, otherwise}}, \
    .argument_count = 1

/* The option with which a command whose answer has plots writes them: stored_answer does. */
#define STORED_PLOT(options)                                                             \
    {                                                                                    \
        .name = "plot", .type = PARAM_TEXT, .offset = offsetof(options, plot),           \
        .argument = "FILE",                                                              \
        .help = "write the picture of the answer: FILE.svg, .txt, or .json for its data" \
    }

/* An answer by its row: as JSON where that is wanted, else as text. */
int stored_answer(const struct context *c, const struct answer *row, const void *answer);

/* The same, but its text goes to standard error: remarks on what was done. */
int stored_tell(const struct context *c, const struct answer *row, const void *answer);

/* What the run shows, on one screen (report/answer_outcome.h); `run`: how the next commands
 * are to name it, which are said where the run has just ended. */
int stored_outcome(const struct context *c, struct store *store, const struct view *view,
                   const char *run, bool is_end);

/* What reports add to a run that is in the store: its outcome, and of a suite its answers. */
MUST_USE bool stored_complete(const struct context *c, struct store *store,
                              const struct view *view, struct report_options *how,
                              struct error *err);

/* A file is written whole or not at all (answer_is_whole). */
MUST_USE bool stored_write(const char *path, const struct buf *text, struct error *err);

/* Byte by byte: what has colours, or is wanted as it is. */
int stored_print_raw(const struct context *c, const struct buf *text);

#endif
