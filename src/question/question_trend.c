/* The history of a metric in the store. */
#include "question/question_trend.h"

#include "question/question.h"

#include <math.h>

const char *const question_trend_detectors[] = {"assay", "otava", "potts", NULL};
const char *const question_trend_bys[] = {"run", "day", "week", NULL};

static const struct param rows[] = {
    TREND_ROWS,
    {"metric", PARAM_TEXT, TREND_AT(metric),
     .help = "its name (default: the primary metric of each execution)"},
};

struct trend_question question_trend_of(const struct trend_params *p)
{
    return (struct trend_question){
        .metric = p->metric,
        .experiment = p->experiment,
        .agent = p->agent,
        .benchmark = p->benchmark,
        .label = p->label,
        .by = (enum trend_by)p->by,
        .since_ns = p->since_ns,
        .change = {.detector = (enum change_detector)p->detector,
                   .p = p->p,
                   .window = (size_t)p->window,
                   .magnitude = p->magnitude},
        .wants_rates = p->rates,
        .any_host = p->any_host,
        .progress = p->progress,
        .progress_context = p->progress_context,
    };
}

/* Says which of the things asked for is not there. */
static bool refuse_nothing(const struct trend *trend, const struct trend_question *q,
                           struct error *err)
{
    if (trend->executions == 0) {
        error_set(err, ERROR_NOT_FOUND, "the store has no run%s",
                  q->since_ns ? " since then" : " yet");
        return error_blame(err, q->since_ns ? "since" : NULL);
    }
    if (trend->fitting == 0 && q->label) {
        error_set(err, ERROR_NOT_FOUND,
                  "no cell has '%s' in its label; `assay list` names the runs", q->label);
        return error_blame(err, "label");
    }
    if (trend->fitting == 0 && q->experiment) {
        error_set(err, ERROR_NOT_FOUND, "no run is of experiment '%s'", q->experiment);
        return error_blame(err, "experiment");
    }
    error_set(err, ERROR_NOT_FOUND, "nothing in the store has a history of %s%s%s",
              q->metric ? "'" : "that", q->metric ? q->metric : "",
              q->metric ? "'; `assay show` names the metrics of a run" : "");
    return error_blame(err, q->metric ? "metric" : NULL);
}

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    struct trend_question q = question_trend_of(params);
    struct trend *trend = arena_new(out, struct trend, 1);
    *answer = trend;
    return trend_load(store, &q, out, trend, err) &&
           (trend->count > 0 || refuse_nothing(trend, &q, err));
}

const struct question question_trend = {
    .name = "trend",
    .summary = "history of a metric, with the places where its level changed",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct trend_params),
    .answer = &answer_trend,
    .is_live = true, /* `since` may be an hour ago */
    .ask = ask,
};
