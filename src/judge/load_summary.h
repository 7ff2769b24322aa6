/* load_summary.h - one cell of `experiment: load` in a few numbers.
 *
 * Counts are sums over its blocks; latencies are quantiles of all its requests, from the
 * merged histograms, never medians of the blocks' quantiles. */
#ifndef JUDGE_LOAD_SUMMARY_H
#define JUDGE_LOAD_SUMMARY_H

#include "view/view.h"

struct load_latency { /* ms; NaN: no answer */
    double p50, p90, p99, p999, max;
};

/* What is the server's: of the blocks that the generator did not spoil. Limits on times and
 * rates are judged by it. NaN: there is none. */
struct load_sound {
    struct load_latency response;
    double p95_ms;
    double rate, goodput;
    size_t blocks;
};

struct load_summary {
    const char *run_id;
    const char *url;   /* NULL of an agent */
    const char *agent; /* its name, which the caller knows; NULL of a server by its address */
    int64_t scheduled, unsent, sent, ok, failed, timed_out, cancelled;
    int64_t no_connection, reset, bad_reply, bad_status, too_many; /* all that failed */
    double rate;    /* good answers per second: of open load that is kept up with, all over the
                       * time of all blocks; else the mean of the blocks' rates */
    double goodput; /* of these: within the objective */
    double turn_rate; /* turns of conversations per second; NaN: there are none */
    double accuracy;  /* mean score of the answers that were checked; NaN: none was */
    int64_t checked;
    struct load_latency response, service;
    double p95_ms; /* of response times: median over blocks */
    struct load_sound sound;
    double error_share;    /* of scheduled requests */
    const char *generator; /* "ok"; "saturated" or "skewed" where most blocks are */
    size_t spoiled;        /* blocks whose generator was not ok */
    double growth_ms;      /* of response times within a block, median; NaN: not known */
    bool keeps_up;         /* false: they grow in most sound blocks, by more than chance;
                              percentiles then depend on the block's length */
    double lag_p99_ms;
    double cpu_us_per_request; /* of the generator */
    double seconds;
    size_t blocks;
    const char *error; /* of the first failure; NULL without one */
};

/* Fails (ERROR_INVALID) for a cell of another experiment. */
MUST_USE bool load_summary_make(const struct view *view, const struct view_cell *cell,
                                struct arena *out, struct load_summary *summary,
                                struct error *err);

/* A limit on one of its numbers: "p99>200ms" fails a load whose p99 is above 200 ms. */
struct load_limit {
    const char *text; /* as written */
    size_t metric;    /* row */
    bool is_above;    /* fails where the value is above; else below */
    double value;     /* in the metric's unit */
};

/* Names, signs and units: (p50|p90|p95|p99|p999|max) with us, ms or s; errors and
 * accuracy with % or bare; rate and goodput bare. Fails (ERROR_INVALID), naming what there is; for a limit that
 * is always or never true too. */
MUST_USE bool load_limit_parse(const char *text, struct load_limit *limit, struct error *err);

bool load_limit_is_accuracy(const struct load_limit *limit); /* of answers that are checked */

/* The value that the limit is about; NaN where there is none, which fails it too. */
double load_limit_value(const struct load_limit *limit, const struct load_summary *summary);
/* Of a time: it depends on how long a queue that grows is looked at. */
bool load_limit_is_time(const struct load_limit *limit);
/* Of a time: more requests have no good answer than may take longer; nobody knows how long
 * they would have taken. */
bool load_limit_is_unknown(const struct load_limit *limit, const struct load_summary *summary);
bool load_limit_is_broken(const struct load_limit *limit, const struct load_summary *summary);
/* Broken, perhaps by the generator, which spoiled most blocks: nobody can tell. What failed
 * and wrong answers still count against the server. */
bool load_limit_is_untold(const struct load_limit *limit, const struct load_summary *summary);

#endif
