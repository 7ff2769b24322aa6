/* workdirs.h - folders that agents may not be given to work in.
 *
 * An agent can write whatever it likes to its work folder (`workdir` of the process, or of the
 * environment). What is run from there afterwards is the agent's: a check, a judge, a rival.
 * Which files a command runs or loads cannot be known from its words, so a suite is refused
 * before its first trial
 *   - if a work folder is, or has inside, the folder of the spec, or one that a variable such
 *     as PATH names, and the suite has a `command` check, a process judge, setup, cleanup or
 *     another command;
 *   - if it is, or has inside, the folder of another spec of the same command line;
 *   - if it has inside the program of one of these (the first word), or a file that the
 *     command of another agent with `contain: off`, or its plugin, names;
 *   - if it is reached through a link below the spec's folder or a work folder: an agent may
 *     have put it there.
 * Contained agents that share a folder can change each other's files: docs/agents.md says so.
 * Agents with `contain: off` can write anywhere: of them only links are refused. */
#ifndef RUN_WORKDIRS_H
#define RUN_WORKDIRS_H

#include "spec/spec.h"

/* `others`: the specs of the command line, NULL-terminated, or NULL. ERROR_INVALID with the
 * cause and a way out. */
MUST_USE bool workdirs_allowed(const struct spec *spec, const char *const *others,
                               struct arena *out, struct error *err);

/* What a path is, whether it is there yet or not. */
const char *workdirs_settled(const char *path, struct arena *out);

/* `path` is the folder, or below it; both settled. */
bool workdirs_has(const char *folder, const char *path);

/* A process, and not with `contain: off`. */
bool workdirs_is_contained(const struct value *agent);

#endif
