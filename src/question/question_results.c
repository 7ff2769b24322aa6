/* Executions of an agent, newest first. */
#include "question/question_results.h"

#include "base/clock.h"
#include "base/human.h"
#include "model/cell.h"
#include "question/question.h"
#include "report/answer_results.h"
#include "view/select.h"

#include <math.h>

#define DAY_NS (86400 * INT64_C(1000000000))

#define AT(field) .offset = offsetof(struct results_params, field)
static const struct param rows[] = {
    {"agent", PARAM_TEXT, AT(agent), .required = true,
     .help = "its name or id, or name@version"},
    {"suite", PARAM_TEXT, AT(suite), .help = "only this suite, by name or id"},
    {"timeframe", PARAM_TEXT, AT(timeframe), .fallback = "\"latest\"",
     .help = "latest (the newest of each benchmark, whatever version), all, 7d, or "
             "2026-11-01..2026-11-15"},
    {"limit", PARAM_INT, AT(limit), .fallback = "100", .max = INFINITY,
     .help = "at most N, newest first; 0 = all"},
    {"offset", PARAM_INT, AT(offset), .max = INFINITY, .help = "skip the first N"},
};

static bool wrong_timeframe(const char *text, struct error *err)
{
    error_set(err, ERROR_INVALID,
              "timeframe must be latest, all, a span such as 7d, or from..to such as "
              "2026-11-01..2026-11-15 (is '%.40s')",
              text);
    return error_blame(err, "timeframe");
}

/* A day, or a moment; a day at the end of a frame counts whole. */
static bool parse_end(struct str text, bool is_last, int64_t *ns)
{
    enum { DAY_SIZE = 10 };
    char stamp[CLOCK_STAMP_SIZE];
    bool is_day = text.n == DAY_SIZE;
    if (text.n == 0) return true;
    if (text.n >= sizeof stamp) return false;
    snprintf(stamp, sizeof stamp, "%.*s%s", STR_ARG(text), is_day ? "T00:00:00Z" : "");
    if (!clock_parse_stamp(stamp, ns)) return false;
    if (is_day && is_last) *ns += DAY_NS;
    return true;
}

bool timeframe_parse(const char *text, int64_t now_ns, struct timeframe *f, struct error *err)
{
    double seconds = 0;
    const char *dots = strstr(text, "..");
    *f = (struct timeframe){.to_ns = INT64_MAX};
    f->is_latest = strcmp(text, "latest") == 0;
    if (f->is_latest || strcmp(text, "all") == 0) return true;
    if (dots) {
        struct str from = {text, (size_t)(dots - text)};
        struct str to = str_of(dots + 2);
        bool done = (from.n || to.n) && parse_end(from, false, &f->from_ns) &&
                    parse_end(to, true, &f->to_ns) && f->from_ns < f->to_ns;
        return done || wrong_timeframe(text, err);
    }
    if (!human_parse_span(str_of(text), &seconds) || seconds < 0 || seconds > 1e9)
        return wrong_timeframe(text, err);
    f->from_ns = now_ns - (int64_t)(seconds * 1e9);
    return true;
}

struct collector {
    struct store *store;
    struct arena *out;
    struct timeframe frame;
    const char *agent_id;
    const char *version; /* of the agent; NULL: any */
    const char *suite;   /* its name; NULL: any */
    struct result_row *rows;
    struct cell_identity *cells; /* of each row, where only the newest count */
    size_t count;
    struct suite_record *suites; /* met so far */
    size_t suite_count;
};

static const struct suite_record *suite_of(struct collector *c, const char *id,
                                           struct error *err)
{
    for (size_t i = 0; i < c->suite_count; i++) {
        if (strcmp(c->suites[i].id, id) == 0) return &c->suites[i];
    }
    c->suites = arena_grow(c->out, c->suites, c->suite_count, sizeof *c->suites);
    struct suite_record *s = &c->suites[c->suite_count];
    if (!store_find_suite_by_id(c->store, id, c->out, s, err)) return NULL;
    c->suite_count++;
    return s;
}

/* A newer one of the same cell, of whatever version, is in the list. If none is, notes what
 * the next row is of. */
static bool is_met(struct collector *c, const struct execution_record *e)
{
    struct cell_identity cell = cell_identity(e, CELL_SAME);
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->cells[i].hex, cell.hex) == 0) return true;
    }
    c->cells[c->count] = cell;
    return false;
}

static bool collect(struct collector *c, const struct execution_record *e, struct error *err)
{
    bool is_in_time = e->start_ns >= c->frame.from_ns && e->start_ns < c->frame.to_ns;
    const struct agent_ref agent = {.id = c->agent_id, .version = c->version};
    bool is_asked = agent_ref_fits(&agent, e->agent_id, e->agent_version);
    if (!is_in_time || !is_asked) return true;
    struct benchmark_record benchmark = {0};
    const struct suite_record *suite = suite_of(c, e->suite_id, err);
    if (!suite) return false;
    bool is_of_suite = !c->suite || strcmp(c->suite, suite->name) == 0;
    if (!is_of_suite || (c->frame.is_latest && is_met(c, e))) return true;
    if (!store_find_benchmark(c->store, e->benchmark_id, c->out, &benchmark, err)) return false;
    c->rows[c->count++] = (struct result_row){.execution = *e,
                                              .suite = suite->name,
                                              .benchmark = benchmark.name,
                                              .category = suite->category};
    return true;
}

static void cut(struct answer_results *a, const struct results_params *p)
{
    size_t skipped = (size_t)p->offset < a->total ? (size_t)p->offset : a->total;
    a->rows += skipped;
    a->count = a->total - skipped;
    if (p->limit && a->count > (size_t)p->limit) a->count = (size_t)p->limit;
}

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct results_params *p = params;
    struct answer_results *a = arena_new(out, struct answer_results, 1);
    struct collector c = {.store = store, .out = out};
    struct execution_record *executions = NULL;
    size_t count = 0;
    *answer = a;
    if (!timeframe_parse(p->timeframe, clock_unix_ns(), &c.frame, err) ||
        !select_agent(store, p->agent, out, &a->agent, &c.version, err) ||
        !select_suite(store, p->suite, out, &c.suite, err))
        return false;
    c.agent_id = a->agent.id;
    struct execution_filter filter = {.agent_id = a->agent.id};
    if (!store_query_executions(store, &filter, out, &executions, &count, err)) return false;
    c.rows = arena_new(out, struct result_row, count + 1);
    c.cells = arena_new(out, struct cell_identity, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (!collect(&c, &executions[i], err)) return false;
    }
    a->timeframe = p->timeframe;
    a->rows = c.rows;
    a->total = c.count;
    cut(a, p);
    return true;
}

const struct question question_results = {
    .name = "results",
    .summary = "executions of an agent with their scores",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct results_params),
    .answer = &answer_results,
    .is_live = true, /* a timeframe may be of hours */
    .ask = ask,
};
