/* protection.h - the files of a run that its agents are not to see, or not to change.
 *
 * Hidden: what holds expected answers or results. The specs of the command, their datasets,
 * what checks and replays read, the programs of checks, the history of all that, earlier
 * results, the store.
 *
 * Fixed: what assay, a judge or another agent runs or reads, wherever an agent's work folder
 * has it inside. Programs are found as words of commands, without understanding the shell:
 * every word, and every part of one, that names a file counts, in each folder that it could
 * be meant in. A path that ends in '/' is a folder with a link on the way to what assay runs
 * outside of containment: not to be changed even where it is the agent's own.
 *
 * Made once, before the first agent starts: what an agent has left is not looked at. */
#ifndef RUN_PROTECTION_H
#define RUN_PROTECTION_H

#include "base/json.h"
#include "spec/plan.h"

struct protection;

/* `store` is its path, or NULL; `others` are the specs that are run by the same command,
 * NULL-terminated, or NULL. */
struct protection *protection_new(const struct spec *spec, const char *store,
                                  const char *const *others, struct arena *out);

/* The keys `hidden`, `fixed` and `folders` for the agent of a cell, whose own program is its
 * own. `folders`: each work folder as written, and what it is. */
void protection_describe(const struct protection *p, const struct value *agent, struct json *j);

#endif
