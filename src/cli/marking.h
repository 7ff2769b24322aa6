/* marking.h - `assay ack` and `assay mute`: which alarms, who says it, and why. */
#ifndef CLI_MARKING_H
#define CLI_MARKING_H

#include "cli/command.h"
#include "history/alarm.h"

struct marking_options {
    const char *agent;
    const char *benchmark;
    const char *metric;
    const char *version;
    const char *reason;
    const char *by;
    bool clear;
    bool real;
    bool wrong;
    double expires_s;
};

/* Rows that both commands have. */
#define MARKING_ROWS                                                                         \
    {.name = "agent",                                                                        \
     .type = PARAM_TEXT,                                                                     \
     .offset = offsetof(struct marking_options, agent),                                      \
     .argument = "NAME",                                                                     \
     .help = "alarms of this agent (name, id or name@version)"},                             \
        {.name = "version",                                                                  \
         .type = PARAM_TEXT,                                                                 \
         .offset = offsetof(struct marking_options, version),                                \
         .argument = "TEXT",                                                                 \
         .help = "alarms of this version of it"},                                            \
        {.name = "benchmark",                                                                \
         .type = PARAM_TEXT,                                                                 \
         .offset = offsetof(struct marking_options, benchmark),                              \
         .argument = "NAME",                                                                 \
         .help = "alarms on this benchmark"},                                                \
        {.name = "metric",                                                                   \
         .type = PARAM_TEXT,                                                                 \
         .offset = offsetof(struct marking_options, metric),                                 \
         .argument = "NAME",                                                                 \
         .help = "alarms of this metric"},                                                   \
        {.name = "reason",                                                                   \
         .type = PARAM_TEXT,                                                                 \
         .offset = offsetof(struct marking_options, reason),                                 \
         .argument = "TEXT",                                                                 \
         .help = "why, for those who read it later"},                                        \
        {.name = "by",                                                                       \
         .type = PARAM_TEXT,                                                                 \
         .offset = offsetof(struct marking_options, by),                                     \
         .argument = "NAME",                                                                 \
         .help = "who says so (default: the user's name)"},                                  \
    {                                                                                        \
        .name = "clear", .type = PARAM_BOOL,                                                 \
        .offset = offsetof(struct marking_options, clear), .help = "take back what was said" \
    }

/* The arguments are ids of alarms; without them the options choose. */
int marking_run(struct context *c, struct alarm_mark mark);

#endif
