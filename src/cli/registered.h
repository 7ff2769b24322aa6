/* registered.h - `assay agents` and `assay suites`: what the store keeps by name.
 *
 * Both have the actions add, list (also without a word), show and remove, print
 * lists in one shape, and differ in the rows alone. */
#ifndef CLI_REGISTERED_H
#define CLI_REGISTERED_H

#include "cli/command.h"
#include "question/question.h"
#include "report/answer_registered.h"
#include "store/store.h"

struct registered {
    const char *one;                 /* "agent" */
    const struct question *question; /* that lists them */

    /* Return exit codes; the words after the action begin at args[1]. */
    int (*add)(struct context *c);
    int (*show)(struct context *c);

    bool (*remove)(struct store *store, const char *name, struct error *err);
};

/* Does what the first argument says; EXIT_USAGE if it is not an action. */
int registered_run(struct context *c, const struct registered *kind);

/* The list as text, or as JSON with --json. */
int registered_list(struct context *c, const struct registered *kind);

#endif
