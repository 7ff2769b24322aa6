/* run_requested.h - a run that the API was asked for (`assay run --request ID`).
 *
 * The server puts what was asked for into the store and starts this program: nothing that a
 * client wrote gets into a command line. Only what is registered is found. */
#ifndef CLI_RUN_REQUESTED_H
#define CLI_RUN_REQUESTED_H

#include "cli/run_options.h"
#include "cli/run_source.h"

/* Waits until no other such run measures on this machine, then fills agents, settings,
 * resume and request of `o`, and the suite's text. */
MUST_USE bool run_requested_read(struct context *c, struct run_options *o,
                                 struct run_source *file, struct error *err);

#endif
