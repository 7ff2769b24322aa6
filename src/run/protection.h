/* protection.h - the files of a run that its agents are not to see, or not to change.
 *
 * Hidden: what holds expected answers or results. The specs of the command, their datasets,
 * what checks and replays read, files and folders that commands of checks name (not those in a
 * work folder, which are its agent's business), the history of all that, earlier results, the
 * store.
 *
 * Fixed: what assay reads (`include`, `from`) and the folder of its results, wherever an agent's work folder has it inside.
 * A path that ends in '/' is a folder with a link on the way to it: not to be changed even
 * where it is the agent's own. What is run is not protected here: run/workdirs.h refuses work
 * folders that have it inside.
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

/* The keys `hidden`, `fixed` and `folders`: each work folder as written, and what it is. */
void protection_describe(const struct protection *p, struct json *j);

#endif
