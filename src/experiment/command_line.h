/* command_line.h - from what a spec says about a command to an argv.
 *
 * A list is an argv and is run as it is. A text is given to a shell, or, with
 * the shell "none", split into words by the shell's rules of quoting without
 * any expansion. `{x}` stands for parameter x in both; braces around anything
 * else are left alone, since awk and shells use them too. */
#ifndef EXPERIMENT_COMMAND_LINE_H
#define EXPERIMENT_COMMAND_LINE_H

#include "base/error.h"
#include "base/param.h"

static inline bool command_line_is_set(const struct param_command *c)
{
    return c->shell || c->argv;
}

/* NULL-terminated; fails for a quote without its end, an empty command, and a
 * parameter that is not a scalar. */
MUST_USE bool command_line_build(const struct param_command *command, const char *shell,
                                 const struct value *parameters, struct arena *out,
                                 const char *const **argv, struct error *err);

/* A scalar as people wrote it: 1.10 stays "1.10". False for a list or a map. */
MUST_USE bool command_line_scalar(const struct value *v, struct arena *out, const char **text);

#endif
