/* registered.h - `assay agents` and `assay suites`: what the store keeps by name.
 *
 * Both have the actions add, list (also without a word), show and remove, print
 * lists in one shape, and differ in the rows alone. */
#ifndef CLI_REGISTERED_H
#define CLI_REGISTERED_H

#include "cli/command.h"
#include "report/answer_registered.h"
#include "report/answers.h"
#include "store/store.h"

/* The options of both commands. */
struct registered_options {
    bool all;
};

struct registered {
    const struct command *command;
    const char *one;             /* "agent" */
    const struct answer *answer; /* of a struct answer_registered */

    /* Return exit codes; the words after the action begin at args[1]. */
    int (*add)(struct context *c);
    int (*show)(struct context *c);

    /* Of the store; `rows` is an array of records in `out`. */
    bool (*list)(struct store *store, bool all, struct arena *out, const void **rows,
                 size_t *count, struct error *err);
    bool (*remove)(struct store *store, const char *name, struct error *err);
};

/* Does what the first argument says; EXIT_USAGE if it is not an action. */
int registered_run(struct context *c, const struct registered *kind);

/* The list as text, or as JSON with --json. */
int registered_list(struct context *c, const struct registered *kind);

#endif
