/* asked.h - commands that ask a question of the store (question/question.h). */
#ifndef CLI_ASKED_H
#define CLI_ASKED_H

#include "cli/stored.h"
#include "question/question.h"

/* Opens the store, asks with the context's options (or `params`) and closes it; the answer
 * lives in the context's arena. */
MUST_USE bool asked(const struct context *c, const struct question *question,
                    const void *params, const void **answer, struct error *err);

/* Asks and prints. */
int asked_run(const struct context *c, const struct question *question, const void *params);

/* As the `run` of a command that does no more: asks what the command asks. */
int asked_plain(struct context *c);

#endif
