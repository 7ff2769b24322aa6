/* question_trend.h - where did the level of a metric change? */
#ifndef QUESTION_QUESTION_TREND_H
#define QUESTION_QUESTION_TREND_H

#include "base/param.h"
#include "history/trend.h"

struct trend_params {
    int detector; /* enum change_detector */
    double p;
    int64_t window;
    double magnitude;
    bool rates;
    const char *experiment;
    const char *agent;
    const char *benchmark;
    const char *label;
    bool any_host;
    int by; /* enum trend_by */
    int64_t since_ns;
    const char *metric;
    trend_progress *progress; /* of the command; NULL */
    void *progress_context;
};

extern const char *const question_trend_detectors[];
extern const char *const question_trend_bys[];

#define TREND_AT(field) .offset = offsetof(struct trend_params, field)
#define TREND_ROWS                                                                  \
    {"detector",                                                                    \
     PARAM_CHOICE,                                                                  \
     TREND_AT(detector),                                                            \
     .choices = question_trend_detectors,                                           \
     .fallback = "\"assay\"",                                                       \
     .help = "how changes are found"},                                              \
        {"p",                                                                       \
         PARAM_REAL,                                                                \
         TREND_AT(p),                                                               \
         .argument = "P",                                                           \
         .fallback = "0.001",                                                       \
         .max = 1,                                                                  \
         .open = true,                                                              \
         .help = "report changes with p below this"},                               \
        {"window",                                                                  \
         PARAM_INT,                                                                 \
         TREND_AT(window),                                                          \
         .fallback = "50",                                                          \
         .min = 2,                                                                  \
         .max = 1000,                                                               \
         .help = "window of the otava detector, in points"},                        \
        {"magnitude", PARAM_SHARE, TREND_AT(magnitude), .max = INFINITY,            \
         .help = "ignore changes smaller than this (default: the detector's own)"}, \
        {"rates", PARAM_BOOL, TREND_AT(rates),                                      \
         .help = "measure false alarms and misses for --json too"},                 \
        {"experiment", PARAM_TEXT, TREND_AT(experiment), .argument = "NAME",        \
         .help = "only executions of this experiment"},                             \
        {"agent", PARAM_TEXT, TREND_AT(agent), .argument = "NAME",                  \
         .help = "only executions of this agent (name, id or name@version)"},       \
        {"benchmark", PARAM_TEXT, TREND_AT(benchmark), .argument = "NAME",          \
         .help = "only executions of this benchmark"},                              \
        {"label", PARAM_TEXT, TREND_AT(label), .argument = "TEXT",                  \
         .help = "only cells whose label has this in it"},                          \
        {"any-host", PARAM_BOOL, TREND_AT(any_host),                                \
         .help = "runs of all hosts in one series (else each host has its own)"},   \
        {"by",                                                                      \
         PARAM_CHOICE,                                                              \
         TREND_AT(by),                                                              \
         .choices = question_trend_bys,                                             \
         .fallback = "\"run\"",                                                     \
         .help = "what one point stands for"},                                      \
    {                                                                               \
        "since", PARAM_MOMENT, TREND_AT(since_ns),                                  \
            .help = "only runs since then: 30d, 12h, or 2026-11-15"                 \
    }

struct trend_question question_trend_of(const struct trend_params *p);

#endif
