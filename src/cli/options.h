/* options.h - a command line read by a command's table of options.
 *
 *     --name value   --name=value   -x value   -xvalue   -abc (flags)   --
 *
 * Options may stand before, between and behind arguments; "--" ends them. Of an
 * option given twice the last counts, but for OPTION_LIST, which keeps all. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

/* What every command takes: --json --store --quiet --no-color --help. */
extern const struct option options_common[];
extern const size_t options_common_count;

/* Fills json, quiet, color, store_url, options and the arguments of `c`, whose
 * arena and out must be set. `words` are what follows the command's name. On an
 * error nothing of `c` counts. `wants_help`: -h was given; then the rest is not
 * looked at. */
MUST_USE bool options_parse(const struct command *command, const char *const *words,
                            size_t count, struct context *c, bool *wants_help,
                            struct error *err);

/* Bytes that an option of this kind takes in the options struct. */
size_t options_size_of(enum option_kind kind);

#endif
