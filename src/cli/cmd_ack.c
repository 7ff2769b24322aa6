/* assay ack: was it a regression? The detector's record is made of these answers. */
#include "cli/marking.h"

static const struct param options[] = {
    {"real", PARAM_BOOL, .offset = offsetof(struct marking_options, real),
     .help = "it did get worse; it keeps failing until it is fixed or muted"},
    {"false", PARAM_BOOL, .offset = offsetof(struct marking_options, wrong),
     .help = "it did not; it no longer fails anything"},
    MARKING_ROWS,
};

static int run(struct context *c)
{
    const struct marking_options *o = c->options;
    if (o->real + o->wrong + o->clear != 1) {
        return command_misused(c->command, "needs one of --real, --false and --clear");
    }
    return marking_run(c, (struct alarm_mark){.judges = true, .is_real = o->real});
}

const struct command command_ack = {
    .name = "ack",
    .summary = "marks alarms as real or false, from which the detector's precision follows",
    .usage = "ALARM... --real | --false [--reason TEXT]",
    .examples = "assay ack 12 --real --reason 'the new prompt is longer'\n"
                "assay ack --agent bc --metric duration_s --false --reason 'a busy machine'\n"
                "assay regressions --stats",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct marking_options),
    .run = run,
};
