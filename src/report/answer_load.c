/* A server under one load: what came back, and how late. */
#include "base/human.h"
#include "judge/load_summary.h"
#include "report/answers.h"
#include "report/table.h"

#include <inttypes.h>
#include <math.h>

static void put_latency(struct table *t, const char *name, const struct load_latency *l)
{
    const double values[] = {l->p50, l->p90, l->p99, l->p999, l->max};
    char text[HUMAN_SIZE];
    table_add(t, "%s", name);
    for (size_t i = 0; i < COUNT(values); i++) {
        table_add(t, "%s", human_value("s", values[i] / 1e3, text));
    }
}

/* By kind, those that there were. */
static void put_failures(const struct load_summary *s, struct buf *out)
{
    const struct {
        const char *name;
        int64_t n;
    } rows[] = {{"no_connection", s->no_connection},
                {"reset", s->reset},
                {"bad_reply", s->bad_reply},
                {"bad_status", s->bad_status},
                {"too_many_requests", s->too_many}};
    const char *between = "  failed:";
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].n == 0) continue;
        buf_printf(out, "%s %" PRId64 " %s", between, rows[i].n, rows[i].name);
        between = ",";
    }
    if (s->failed > 0) buf_add_char(out, '\n');
}

static void load_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct load_summary *s = answer;
    const char *of = s->url ? s->url : s->agent ? s->agent : "the agent";
    if (s->blocks == 0) {
        buf_printf(out, "%s was not loaded: %s\n", of, s->error ? s->error : "no block ended");
        return;
    }
    struct arena scratch = arena_open();
    buf_printf(out, "%.4g good answers per second from %s", s->rate, of);
    if (s->error_share > 0) buf_printf(out, "; %.3g %% failed", 100 * s->error_share);
    buf_add_char(out, '\n');
    if (look->quiet) {
        arena_close(&scratch);
        return;
    }
    static const char *const head[] = {"", "p50", "p90", "p99", "p99.9", "max"};
    struct table t;
    table_begin(&t, "lrrrrr", &scratch);
    table_row(&t, head);
    put_latency(&t, "response", &s->response);
    put_latency(&t, "service", &s->service);
    table_write(&t, 2, out);
    buf_printf(out,
               "  %" PRId64 " scheduled, %" PRId64 " sent: %" PRId64 " ok, %" PRId64
               " failed, %" PRId64 " timed out, %" PRId64 " cancelled; %" PRId64 " unsent\n",
               s->scheduled, s->sent, s->ok, s->failed, s->timed_out, s->cancelled, s->unsent);
    put_failures(s, out);
    if (s->checked > 0) {
        buf_printf(out, "  accuracy %.3g: %" PRId64 " of %" PRId64 " answers checked\n",
                   s->accuracy, s->checked, s->ok);
    }
    if (!isnan(s->turn_rate)) {
        buf_printf(out, "  %.4g turns per second, of all conversations together\n",
                   s->turn_rate);
    }
    buf_printf(out, "  generator: %s", s->generator);
    if (!isnan(s->lag_p99_ms)) buf_printf(out, ", 99 %% sent within %.3g ms", s->lag_p99_ms);
    buf_printf(out, ", %.3g us of processor time per request\n", s->cpu_us_per_request);
    if (!s->keeps_up) {
        buf_printf(
            out,
            "  it does not keep up: response times grow by %.3g ms within each block, so "
            "percentiles depend on how long it is loaded\n",
            s->growth_ms);
    }
    if (s->spoiled > 0) {
        buf_printf(out, "  in %zu of %zu blocks the generator sent late\n", s->spoiled,
                   s->blocks);
    }
    if (strcmp(s->generator, "ok") != 0) {
        buf_text(out,
                 "  these numbers say more about the generator than about the server: give "
                 "it fewer requests, or more --threads\n");
    }
    if (s->error) buf_printf(out, "  first failure: %s\n", s->error);
    buf_printf(out, "  %zu blocks, %.4g s, run %s\n", s->blocks, s->seconds, s->run_id);
    arena_close(&scratch);
}

#define OF struct load_summary
static const struct layout_field request_fields[] = {
    LAYOUT_FIELD("scheduled", scheduled, "requests that were due: sent + unsent"),
    LAYOUT_FIELD("unsent", unsent, "no connection was free until the end"),
    LAYOUT_FIELD("sent", sent, "ok + failed + timed_out + cancelled"),
    LAYOUT_FIELD("ok", ok, "good answers"),
    LAYOUT_FIELD("failed", failed, "refused, broken or of status 400 and above"),
    LAYOUT_FIELD("timed_out", timed_out, "beyond the time limit"),
    LAYOUT_FIELD("cancelled", cancelled, "ended by us"),
};
static const struct layout request_layout = LAYOUT(request_fields);

static const struct layout_field failure_fields[] = {
    LAYOUT_FIELD("no_connection", no_connection, "refused, unreachable; TLS without agreement"),
    LAYOUT_FIELD("reset", reset, "the connection broke before the reply was whole"),
    LAYOUT_FIELD("bad_reply", bad_reply, "not HTTP"),
    LAYOUT_FIELD("bad_status", bad_status, "not 200 to 299, nor 429"),
    LAYOUT_FIELD("too_many_requests", too_many, "status 429"),
};
static const struct layout failure_layout = LAYOUT(failure_fields);

static const struct layout_field generator_fields[] = {
    LAYOUT_FIELD("verdict", generator, "ok; saturated or skewed where most blocks are"),
    LAYOUT_FIELD("spoiled_blocks", spoiled, "that were not ok"),
    LAYOUT_FIELD("lag_p99_ms", lag_p99_ms, "99 % of sends were at most so late"),
};
static const struct layout generator_layout = LAYOUT(generator_fields);
#undef OF

#define OF struct load_latency
static const struct layout_field latency_fields[] = {
    LAYOUT_FIELD("p50", p50, "median, ms"),      LAYOUT_FIELD("p90", p90, "90 %, ms"),
    LAYOUT_FIELD("p99", p99, "99 %, ms"),        LAYOUT_FIELD("p999", p999, "99.9 %, ms"),
    LAYOUT_FIELD("max", max, "the longest, ms"),
};
static const struct layout latency_layout = LAYOUT(latency_fields);
#undef OF

#define OF struct load_summary
static const struct layout_field both_fields[] = {
    LAYOUT_OBJECT("response", response, &latency_layout, "from the moment a request was due"),
    LAYOUT_OBJECT("service", service, &latency_layout, "from the send"),
};
static const struct layout both_layout = LAYOUT(both_fields);

static const struct layout_field load_fields[] = {
    LAYOUT_FIELD("run_id", run_id, "the run that holds the blocks"),
    LAYOUT_FIELD("url", url, "what was loaded; null of an agent"),
    LAYOUT_FIELD("agent", agent, "that was loaded; null of a server by its address"),
    LAYOUT_GROUP("requests", &request_layout, "what became of them"),
    LAYOUT_GROUP("failures", &failure_layout, "those that failed, by kind"),
    LAYOUT_FIELD("rate", rate, "good answers per second, within the time"),
    LAYOUT_FIELD("goodput", goodput, "of these: within the objective"),
    LAYOUT_FIELD("turn_rate", turn_rate, "turns of conversations per second; null without any"),
    LAYOUT_FIELD("accuracy", accuracy, "mean score of the answers that were checked"),
    LAYOUT_FIELD("checked", checked, "answers that were checked, drawn at random"),
    LAYOUT_FIELD("error_share", error_share, "scheduled requests without a good answer"),
    LAYOUT_GROUP("latency_ms", &both_layout, "of all good answers"),
    LAYOUT_GROUP("generator", &generator_layout, "what the generator says of itself"),
    LAYOUT_FIELD("keeps_up", keeps_up, "false: response times grow within each block"),
    LAYOUT_FIELD("growth_ms", growth_ms, "of response times within a block"),
    LAYOUT_FIELD("cpu_us_per_request", cpu_us_per_request, "of the generator"),
    LAYOUT_FIELD("seconds", seconds, "of load"),
    LAYOUT_FIELD("blocks", blocks, "trials of the run"),
    LAYOUT_FIELD("error", error, "the first failure; null without one"),
};
static const struct layout load_layout = LAYOUT(load_fields);
#undef OF

const struct answer answer_load = {
    ANSWER_NAME("load"),
    .summary = "a server under one load: rate, latencies, errors",
    .layout = &load_layout,
    .text = load_text,
};
