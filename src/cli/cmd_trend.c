/* assay trend: where did the level of a metric change? */
#include "cli/stored.h"
#include "history/trend.h"
#include "report/answer_trend.h"
#include "report/report.h"
#include "view/samples.h"

#include <math.h>

struct trend_options {
    bool samples;
    const char *column;
    const char *detector;
    double p;
    int64_t window;
    double magnitude;
    bool rates;
    const char *direction;
    const char *experiment;
    const char *agent;
    const char *benchmark;
    const char *label;
    const char *by;
    const char *since;
};

#define AT(field) .offset = offsetof(struct trend_options, field)

static const struct trend_options defaults = {.by = "run", .detector = "assay"};

static const struct option options[] = {
    {.name = "samples",
     .kind = OPTION_FLAG,
     AT(samples),
     .help = "the argument is a plain file of numbers, oldest first"},
    {.name = "column",
     .kind = OPTION_TEXT,
     AT(column),
     .argument = "NAME",
     .help = "with --samples: the file is CSV, take this column"},
    {.name = "detector",
     .kind = OPTION_TEXT,
     AT(detector),
     .argument = "assay|otava|potts",
     .help = "how changes are found (assay)"},
    {.name = "p",
     .kind = OPTION_REAL,
     AT(p),
     .argument = "P",
     .help = "largest p of a change that is told (0.001)"},
    {.name = "window",
     .kind = OPTION_INT,
     AT(window),
     .argument = "N",
     .help = "window of the otava detector, in points (50)"},
    {.name = "magnitude",
     .kind = OPTION_REAL,
     AT(magnitude),
     .argument = "SHARE",
     .help = "smallest relative change that is told (the detector's own)"},
    {.name = "rates",
     .kind = OPTION_FLAG,
     AT(rates),
     .help = "measure false alarms and misses for --json too"},
    {.name = "direction",
     .kind = OPTION_TEXT,
     AT(direction),
     .argument = "lower|higher",
     .help = "with --samples: which values are better"},
    {.name = "experiment",
     .kind = OPTION_TEXT,
     AT(experiment),
     .argument = "NAME",
     .help = "only executions of this experiment"},
    {.name = "agent",
     .kind = OPTION_TEXT,
     AT(agent),
     .argument = "NAME",
     .help = "only executions of this agent"},
    {.name = "benchmark",
     .kind = OPTION_TEXT,
     AT(benchmark),
     .argument = "NAME",
     .help = "only executions of this benchmark"},
    {.name = "label",
     .kind = OPTION_TEXT,
     AT(label),
     .argument = "TEXT",
     .help = "only cells whose label has this in it"},
    {.name = "by",
     .kind = OPTION_TEXT,
     AT(by),
     .argument = "run|day|week",
     .help = "what one point stands for (run)"},
    {.name = "since",
     .kind = OPTION_TEXT,
     AT(since),
     .argument = "WHEN",
     .help = "only runs since then: 30d, 12h, or 2026-11-15"},
};

extern const struct command command_trend;

static bool find_name(const char *name, const char *const *names, size_t count, int *index)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *index = (int)i;
        return true;
    }
    return false;
}

static bool read_options(const struct trend_options *o, struct trend_question *q,
                         enum direction *direction, struct error *err)
{
    static const char *const by[] = {"run", "day", "week"};
    const char *detectors[CHANGE_DETECTOR_COUNT];
    for (int i = 0; i < CHANGE_DETECTOR_COUNT; i++) {
        detectors[i] = change_detector_name((enum change_detector)i);
    }
    int index = 0;
    if (!find_name(o->detector, detectors, COUNT(detectors), &index)) {
        return error_set(err, ERROR_INVALID,
                         "--detector must be assay, otava or potts (is '%s')", o->detector);
    }
    q->change.detector = (enum change_detector)index;
    if (!find_name(o->by, by, COUNT(by), &index)) {
        return error_set(err, ERROR_INVALID, "--by must be run, day or week (is '%s')", o->by);
    }
    q->by = (enum trend_by)index;
    if (!(o->p >= 0 && o->p < 1)) {
        return error_set(err, ERROR_INVALID, "--p must be above 0 and below 1 (is %g)", o->p);
    }
    if (!(o->magnitude >= 0 && isfinite(o->magnitude))) {
        return error_set(err, ERROR_INVALID, "--magnitude must be 0 or more (is %g)",
                         o->magnitude);
    }
    if (o->window < 0 || o->window == 1 || o->window > 1000) {
        return error_set(err, ERROR_INVALID, "--window must be from 2 to 1000 (is %lld)",
                         (long long)o->window);
    }
    *direction = DIRECTION_NONE;
    if (o->direction && (!direction_parse(o->direction, direction) || !*direction)) {
        return error_set(err, ERROR_INVALID, "--direction must be lower or higher (is '%s')",
                         o->direction);
    }
    q->change.p = o->p;
    q->change.window = (size_t)o->window;
    q->change.magnitude = o->magnitude;
    return true;
}

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
    s.expected_low = s.expected_high = NAN;
    change_find(file.values, file.count, &q->change, c->arena, &s.changes, &s.change_count);
    s.note = trend_drift_note(file.values, file.count, s.change_count, NULL, c->arena);
    if (q->wants_rates) {
        s.rates = trend_rates(file.values, file.count, &q->change, 42, *c->arena);
    }
    struct buf out;
    buf_init(&out, REPORT_MAX_BYTES);
    if (c->json) {
        trend_samples_json(&s, o->detector, &out);
    } else {
        trend_text(&s, o->detector, &out);
    }
    int code = stored_print(c, &out);
    buf_release(&out);
    return code;
}

static void write_trend(const struct context *c, const struct trend *trend,
                        const struct trend_question *q, struct buf *out)
{
    const struct trend_options *o = c->options;
    if (c->json) {
        trend_json(trend, q, out);
        return;
    }
    for (size_t i = 0; i < trend->count; i++) {
        if (i > 0) buf_add_char(out, '\n');
        trend_text(&trend->series[i], o->detector, out);
    }
    if (trend->left_out > 0) {
        buf_printf(out,
                   "\n%zu more cells have such a history; --experiment, --label, --agent "
                   "or --benchmark choose among them\n",
                   trend->left_out);
    }
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
    bool done = (!o->since || stored_since(o->since, &q->since_ns, &err)) &&
                stored_open(c, true, &store, &err) &&
                trend_load(store, q, c->arena, &trend, &err);
    store_close(store);
    if (done && trend.count == 0) {
        done = error_set(&err, ERROR_NOT_FOUND, "nothing in the store has a history of %s%s%s",
                         q->metric ? "'" : "that", q->metric ? q->metric : "",
                         q->metric ? "'; `assay show` names the metrics of a run" : "");
    }
    if (!done) return command_fail(&err);
    struct buf out;
    buf_init(&out, REPORT_MAX_BYTES);
    write_trend(c, &trend, q, &out);
    int code = stored_print(c, &out);
    buf_release(&out);
    return code;
}

/* The first option given that chooses among stored executions, or NULL. */
static const char *asks_store(const struct trend_options *o)
{
    return o->experiment               ? "experiment"
           : o->agent                  ? "agent"
           : o->benchmark              ? "benchmark"
           : o->label                  ? "label"
           : o->since                  ? "since"
           : strcmp(o->by, "run") != 0 ? "by"
                                       : NULL;
}

static int run(struct context *c)
{
    const struct trend_options *o = c->options;
    struct error err = {0};
    struct trend_question q = {.wants_rates = o->rates || !c->json};
    enum direction direction = DIRECTION_NONE;
    if (!read_options(o, &q, &direction, &err))
        return command_misused(&command_trend, "%s", err.text);
    if (o->samples && c->arg_count != 1) {
        return command_misused(&command_trend, "--samples takes one file, got %zu",
                               c->arg_count);
    }
    const char *of_store = o->samples ? asks_store(o) : NULL;
    if (of_store) {
        return command_misused(&command_trend,
                               "--%s asks the store, --samples a file: give one", of_store);
    }
    if (!o->samples && (o->column || o->direction)) {
        return command_misused(&command_trend, "--%s goes with --samples",
                               o->column ? "column" : "direction");
    }
    if (c->arg_count > 1) {
        return command_misused(&command_trend, "takes one metric, got %zu", c->arg_count);
    }
    return o->samples ? trend_samples(c, &q, direction) : trend_store(c, &q);
}

const struct command command_trend = {
    .name = "trend",
    .summary = "history of a metric, with the places where its level changed",
    .usage = "[METRIC] | --samples FILE [options]",
    .examples = "assay trend duration_s\n"
                "assay trend duration_s --by week --experiment command\n"
                "assay trend --samples history.txt --json",
    .options = options,
    .option_count = COUNT(options),
    .options_size = sizeof(struct trend_options),
    .defaults = &defaults,
    .run = run,
};
