/* run_rescore.h - `assay run --rescore RUN`: stored answers judged again, by the suite as it
 * was or by the one that is named. No agent is asked. Returns the exit code. */
#ifndef CLI_RUN_RESCORE_H
#define CLI_RUN_RESCORE_H

#include "cli/command.h"

int run_rescore(struct context *c);

#endif
