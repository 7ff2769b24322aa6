/* options.h - a command line read by a command's table of parameters.
 *
 *     --name value   --name=value   -x value   -xvalue   -abc (flags)   --
 *
 * Options may come before, between and after arguments; "--" ends them. A row
 * of type PARAM_BOOL is a flag and takes no value. Of an option given twice the
 * last counts, but lists keep all; lists of choices and of numbers also take
 * commas. What does not fit its row (type, range, choice) is refused here, and so are
 * arguments that the command does not take (command.takes), so that commands check only what
 * goes together. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

/* What every command takes: --json --store --workspace --quiet --no-color --help. */
extern const struct param_table options_common;

/* Row `i` of the command's own options and then of the common ones; NULL past the end. */
const struct param *options_at(const struct command *command, size_t i);

/* Fills json, quiet, color, store_url, workspace, options and the arguments of `c`, whose
 * arena and out must be set. `words` are what follows the command's name. On an
 * error nothing of `c` counts. `wants_help`: -h was given; then the rest is not
 * looked at. */
MUST_USE bool options_parse(const struct command *command, const char *const *words,
                            size_t count, struct context *c, bool *wants_help,
                            struct error *err);

/* Whether the option stood on the command line, whatever its value. */
bool options_has(const struct context *c, const char *name);

/* The first of `names` that stood on the command line; NULL if none did. */
const char *options_first(const struct context *c, const char *const *names, size_t count);

/* What an option of hyperfine is here; NULL if it is none of theirs. `name` is the long
 * name or the letter. `more` (may be NULL) gets a remark, or NULL. */
const char *options_of_hyperfine(struct str name, const char **more);

/* " (default bh)" for help; nothing for rows without. */
void options_put_default(const struct param *row, struct buf *out);

#endif
