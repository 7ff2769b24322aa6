/* assay mute: a regression that is known and shall not fail for a while. */
#include "cli/marking.h"

static const struct param options[] = {
    {"expires", PARAM_SPAN, .offset = offsetof(struct marking_options, expires_s),
     .argument = "SPAN", .fallback = "\"14d\"", .max = 366.0 * 86400, .open = true,
     .help = "for how long"},
    MARKING_ROWS,
};

static int run(struct context *c)
{
    const struct marking_options *o = c->options;
    if (!o->reason && !o->clear) {
        return command_misused(c->command, "needs --reason: others will want to know");
    }
    return marking_run(c, (struct alarm_mark){.mute_s = o->expires_s});
}

const struct command command_mute = {
    .name = "mute",
    .summary = "mutes alarms for a while: they are still listed, but fail nothing",
    .usage = "ALARM... --reason TEXT [--expires SPAN]",
    .examples = "assay mute 12 --reason 'known, is being fixed' --expires 30d\n"
                "assay mute --agent bc --reason 'a new machine'\n"
                "assay mute 12 --clear",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct marking_options),
    .run = run,
};
