/* What got worse, and how good past alarms were. Nothing is kept: `assay regressions` does. */
#include "question/question_regressions.h"

#include "history/alarm.h"
#include "question/question.h"

#include <math.h>

static const struct param rows[] = {
    REGRESSIONS_ROWS,
    {"run", PARAM_SELECTOR, REGRESSIONS_AT(run),
     .help = "the run that is looked at (default: the newest)"},
};

struct regress_question question_regressions_of(const struct regressions_params *p,
                                                struct arena *out)
{
    struct regress_question q = {
        .alpha = p->alpha,
        .which = {
            .run = p->run, .agent = p->agent, .version = p->version, .baseline = p->baseline}};
    struct regress_limit *limits = arena_new(out, struct regress_limit, p->threshold.count + 1);
    for (size_t i = 0; i < p->threshold.count; i++) {
        const struct param_share *t = &p->threshold.items[i];
        if (!t->name) {
            q.threshold = t->share;
        } else {
            limits[q.limit_count++] = (struct regress_limit){t->name, t->share};
        }
    }
    q.limits = limits;
    return q;
}

/* A limit of a metric that nothing has would let everything pass. */
static bool limits_are_used(const struct regress_question *q, const struct regress *r,
                            struct error *err)
{
    for (size_t i = 0; i < q->limit_count && r->compared > 0; i++) {
        bool is_used = false;
        for (size_t k = 0; k < r->row_count && !is_used; k++) {
            const char *metric = r->rows[k].metric;
            is_used = metric && strcmp(metric, q->limits[i].metric) == 0;
        }
        if (is_used) continue;
        return error_set(err, ERROR_INVALID, "--threshold %s=...: no metric '%s' was compared",
                         q->limits[i].metric, q->limits[i].metric);
    }
    return true;
}

bool question_regressions_ask(struct store *store, const struct regress_question *q,
                              struct arena *out, struct regress *r, struct error *err)
{
    return regress_ask(store, q, out, r, err) && limits_are_used(q, r, err);
}

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct regressions_params *p = params;
    struct regress *r = arena_new(out, struct regress, 1);
    *answer = r;
    if (p->run && p->agent) {
        error_set(err, ERROR_INVALID, "a run, or an agent: not both");
        return error_blame(err, "run");
    }
    if (p->version && !p->agent) {
        error_set(err, ERROR_INVALID, "a version needs its agent");
        return error_blame(err, "version");
    }
    struct regress_question q = question_regressions_of(p, out);
    return question_regressions_ask(store, &q, out, r, err);
}

const struct question question_regressions = {
    .name = "regressions",
    .summary = "what got worse since the baseline: how much, how sure, where",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct regressions_params),
    .answer = &answer_regressions,
    .is_live = true, /* an alarm is muted until a moment */
    .ask = ask,
};

static const struct param alarm_rows[] = {
    {"agent", PARAM_TEXT, .offset = offsetof(struct alarms_params, agent), .argument = "NAME",
     .help = "only alarms about this agent (name, id or name@version)"},
};

static bool ask_alarms(struct store *store, const void *params, struct arena *out,
                       const void **answer, struct error *err)
{
    const struct alarms_params *p = params;
    struct alarm_stats *stats = arena_new(out, struct alarm_stats, 1);
    *answer = stats;
    return alarm_stats_ask(store, p->agent, out, stats, err);
}

const struct question question_alarms = {
    .name = "alarms",
    .summary = "past alarms, and how good they were by what people said of them",
    .params = {alarm_rows, COUNT(alarm_rows)},
    .config_size = sizeof(struct alarms_params),
    .answer = &answer_alarms,
    .is_live = true,
    .ask = ask_alarms,
};
