#include "base/str.h"
#include "cli/help.h"

static int run(struct context *c)
{
    if (c->arg_count > 1) return command_misused(c->command, "one command at a time");
    if (c->arg_count == 0 && c->json) return describe_commands(c, NULL);
    if (c->arg_count == 0) {
        help_overview(c->out);
        return EXIT_DONE;
    }
    const struct command *command = command_find(str_of(c->args[0]));
    if (!command) return command_unknown(c->args[0]);
    if (c->json) return describe_commands(c, command->name);
    help_command(command, c->out);
    return EXIT_DONE;
}

const struct command command_help = {
    .name = "help",
    .summary = "explains the program, or one command",
    .usage = "[COMMAND]",
    .takes_commands = true,
    .examples = "assay help\nassay help run",
    .run = run,
};
