/* assay trend: where did the level of a metric change? */
#include "base/clock.h"
#include "cli/asked.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "question/question_trend.h"
#include "view/samples.h"

#include <math.h>

struct trend_options {
    struct trend_params asked;
    bool samples;
    const char *column;
    int direction; /* enum direction */
    const char *plot;
};

#define AT(field) .offset = offsetof(struct trend_options, field)

static const struct param options[] = {
    {"samples", PARAM_BOOL, AT(samples),
     .help = "the argument is a plain file of numbers, oldest first"},
    {"column", PARAM_TEXT, AT(column), .argument = "NAME",
     .help = "with --samples: the file is CSV, take this column"},
    {"direction", PARAM_CHOICE, AT(direction), .choices = direction_choices,
     .fallback = "\"auto\"", .help = "with --samples: which values are better; auto: neither"},
    TREND_ROWS,
    STORED_PLOT(struct trend_options),
};

static int trend_samples(struct context *c, const struct trend_question *q,
                         enum direction direction)
{
    const struct trend_options *o = c->options;
    struct error err = {0};
    struct samples file;
    if (!samples_read(c->args[0], o->column, c->arena, &file, &err)) return command_fail(&err);
    struct trend_series s = {.count = file.count, .unit = "1", .direction = direction};
    s.points = arena_new(c->arena, struct trend_point, file.count + 1);
    for (size_t i = 0; i < file.count; i++) s.points[i].value = file.values[i];
    trend_analyse(&s, q, c->arena);
    struct trend trend = {.question = *q, .file = &s};
    return stored_answer(c, &answer_trend, &trend);
}

/* A line on a terminal, from the second second on. */
struct waiting {
    struct progress line;
    int64_t next_ns;
};

enum { PATIENCE_NS = 1000000000, REDRAW_NS = 100000000 };

static void show_wait(void *context, const char *what, size_t at, size_t total)
{
    struct waiting *w = context;
    int64_t now_ns = clock_ns();
    if (now_ns < w->next_ns) return;
    w->next_ns = now_ns + REDRAW_NS;
    progress_clear(&w->line);
    fprintf(stderr, "%s %zu", what, at);
    if (total > 0) fprintf(stderr, " of %zu", total);
    w->line.has_line = true;
}

static int trend_store(struct context *c, struct trend_params *params)
{
    struct error err = {0};
    const void *trend = NULL;
    struct waiting wait = {.next_ns = clock_ns() + PATIENCE_NS};
    params->metric = c->arg_count ? c->args[0] : NULL;
    if (!c->quiet && progress_can_be_live()) params->progress = show_wait;
    params->progress_context = &wait;
    bool done = asked(c, &question_trend, params, &trend, &err);
    progress_clear(&wait.line);
    return done ? stored_answer(c, &answer_trend, trend) : command_fail(&err);
}

/* Which options choose among stored executions, and which are about a file. */
static const char *const of_runs[] = {"experiment", "agent", "benchmark", "label",
                                      "since",      "by",    "any-host"};
static const char *const of_files[] = {"column", "direction"};

static int run(struct context *c)
{
    const struct trend_options *o = c->options;
    struct trend_params params = o->asked;
    params.rates |= !c->json || o->samples; /* of the store they cost, and are asked for */
    if (o->samples && c->arg_count != 1) {
        return command_misused(c->command, "--samples takes one file, got %zu", c->arg_count);
    }
    const char *of_store = o->samples ? options_first(c, of_runs, COUNT(of_runs)) : NULL;
    if (of_store) {
        return command_misused(c->command, "--%s asks the store, --samples a file: give one",
                               of_store);
    }
    const char *of_samples = o->samples ? NULL : options_first(c, of_files, COUNT(of_files));
    if (of_samples) {
        return command_misused(c->command, "--%s goes with --samples", of_samples);
    }
    if (c->arg_count > 1) {
        return command_misused(c->command, "takes one metric, got %zu", c->arg_count);
    }
    if (!o->samples) return trend_store(c, &params);
    struct trend_question q = question_trend_of(&params);
    return trend_samples(c, &q, (enum direction)o->direction);
}

const struct command command_trend = {
    .name = "trend",
    .summary = "history of a metric, with the places where its level changed",
    .usage = "[METRIC] | --samples FILE [options]",
    .examples = "assay trend duration_s\n"
                "assay trend duration_s --by week --experiment command\n"
                "assay trend --samples history.txt --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct trend_options),
    .run = run,
};
