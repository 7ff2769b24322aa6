/* help.h - what the program says about itself, made from the tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

void help_overview(FILE *out);
void help_command(const struct command *command, FILE *out);

/* What `describe` prints with --json of the command of that name; NULL: of all. */
int describe_commands(struct context *c, const char *name);

#endif
