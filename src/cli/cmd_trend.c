/* assay trend: where did the level of a metric change? */
#include "base/clock.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/stored.h"
#include "history/trend.h"
#include "view/samples.h"

#include <math.h>

struct trend_options {
    bool samples;
    const char *column;
    int detector; /* enum change_detector */
    double p;
    int64_t window;
    double magnitude;
    bool rates;
    int direction; /* enum direction */
    const char *experiment;
    const char *agent;
    const char *benchmark;
    const char *label;
    bool any_host;
    int by; /* enum trend_by */
    int64_t since_ns;
    const char *plot;
};

#define AT(field) .offset = offsetof(struct trend_options, field)

static const char *const detectors[] = {"assay", "otava", "potts", NULL};
static const char *const bys[] = {"run", "day", "week", NULL};

static const struct param options[] = {
    {"samples", PARAM_BOOL, AT(samples),
     .help = "the argument is a plain file of numbers, oldest first"},
    {"column", PARAM_TEXT, AT(column), .argument = "NAME",
     .help = "with --samples: the file is CSV, take this column"},
    {"detector", PARAM_CHOICE, AT(detector), .choices = detectors, .fallback = "\"assay\"",
     .help = "how changes are found"},
    {"p", PARAM_REAL, AT(p), .argument = "P", .fallback = "0.001", .max = 1, .open = true,
     .help = "report changes with p below this"},
    {"window", PARAM_INT, AT(window), .fallback = "50", .min = 2, .max = 1000,
     .help = "window of the otava detector, in points"},
    {"magnitude", PARAM_SHARE, AT(magnitude), .max = INFINITY,
     .help = "ignore changes smaller than this (default: the detector's own)"},
    {"rates", PARAM_BOOL, AT(rates), .help = "measure false alarms and misses for --json too"},
    {"direction", PARAM_CHOICE, AT(direction), .choices = direction_choices,
     .fallback = "\"auto\"", .help = "with --samples: which values are better; auto: neither"},
    {"experiment", PARAM_TEXT, AT(experiment), .argument = "NAME",
     .help = "only executions of this experiment"},
    {"agent", PARAM_TEXT, AT(agent), .argument = "NAME",
     .help = "only executions of this agent (name or name@version)"},
    {"benchmark", PARAM_TEXT, AT(benchmark), .argument = "NAME",
     .help = "only executions of this benchmark"},
    {"label", PARAM_TEXT, AT(label), .argument = "TEXT",
     .help = "only cells whose label has this in it"},
    {"any-host", PARAM_BOOL, AT(any_host),
     .help = "runs of all hosts in one series (else each host has its own)"},
    {"by", PARAM_CHOICE, AT(by), .choices = bys, .fallback = "\"run\"",
     .help = "what one point stands for"},
    {"since", PARAM_MOMENT, AT(since_ns),
     .help = "only runs since then: 30d, 12h, or 2026-11-15"},
    STORED_PLOT(struct trend_options),
};

extern const struct command command_trend;

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

/* Says which of the things asked for is not there. */
static bool refuse_nothing(const struct trend *trend, const struct trend_question *q,
                           struct error *err)
{
    if (trend->executions == 0) {
        return error_set(err, ERROR_NOT_FOUND, "the store has no run%s",
                         q->since_ns ? " since then" : " yet");
    }
    if (trend->fitting == 0 && q->label) {
        return error_set(err, ERROR_NOT_FOUND,
                         "no cell has '%s' in its label; `assay list` names the runs",
                         q->label);
    }
    if (trend->fitting == 0 && q->experiment) {
        return error_set(err, ERROR_NOT_FOUND, "no run is of experiment '%s'", q->experiment);
    }
    return error_set(err, ERROR_NOT_FOUND, "nothing in the store has a history of %s%s%s",
                     q->metric ? "'" : "that", q->metric ? q->metric : "",
                     q->metric ? "'; `assay show` names the metrics of a run" : "");
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

static int trend_store(struct context *c, struct trend_question *q)
{
    const struct trend_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    struct trend trend = {0};
    q->metric = c->arg_count ? c->args[0] : NULL;
    q->experiment = o->experiment;
    q->agent = o->agent;
    q->benchmark = o->benchmark;
    q->label = o->label;
    q->any_host = o->any_host;
    q->since_ns = o->since_ns;
    struct waiting wait = {.next_ns = clock_ns() + PATIENCE_NS};
    if (!c->quiet && progress_can_be_live()) q->progress = show_wait;
    q->progress_context = &wait;
    bool done =
        stored_open(c, true, &store, &err) && trend_load(store, q, c->arena, &trend, &err);
    progress_clear(&wait.line);
    store_close(store);
    if (done && trend.count == 0) done = refuse_nothing(&trend, q, &err);
    if (!done) return command_fail(&err);
    return stored_answer(c, &answer_trend, &trend);
}

/* Which options choose among stored executions, and which are about a file. */
static const char *const of_runs[] = {"experiment", "agent", "benchmark", "label",
                                      "since",      "by",    "any-host"};
static const char *const of_files[] = {"column", "direction"};

static int run(struct context *c)
{
    const struct trend_options *o = c->options;
    struct trend_question q = {.wants_rates = o->rates || !c->json,
                               .by = (enum trend_by)o->by,
                               .change = {.detector = (enum change_detector)o->detector,
                                          .p = o->p,
                                          .window = (size_t)o->window,
                                          .magnitude = o->magnitude}};
    if (o->samples && c->arg_count != 1) {
        return command_misused(&command_trend, "--samples takes one file, got %zu",
                               c->arg_count);
    }
    const char *of_store = o->samples ? options_first(c, of_runs, COUNT(of_runs)) : NULL;
    if (of_store) {
        return command_misused(&command_trend,
                               "--%s asks the store, --samples a file: give one", of_store);
    }
    const char *of_samples = o->samples ? NULL : options_first(c, of_files, COUNT(of_files));
    if (of_samples) {
        return command_misused(&command_trend, "--%s goes with --samples", of_samples);
    }
    if (c->arg_count > 1) {
        return command_misused(&command_trend, "takes one metric, got %zu", c->arg_count);
    }
    return o->samples ? trend_samples(c, &q, (enum direction)o->direction) : trend_store(c, &q);
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
