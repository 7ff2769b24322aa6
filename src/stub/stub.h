/* stub.h - a model server that is known through and through.
 *
 * It speaks the OpenAI protocol (chat completions, streaming and not;
 * embeddings; models), thinks for a set or drawn time before the first token
 * and between tokens, says the same to the same prompt under the same seed, and
 * fails as often as configured. To try things without a model, and as the
 * known quantity against which clocks and load generators are checked: its
 * capacity, and each way to fail under load, are set (stub/capacity.h).
 *
 * Every token has a time on a schedule that begins when the request has
 * arrived; a late token does not delay the next ones. */
#ifndef STUB_STUB_H
#define STUB_STUB_H

#include "base/param.h"

#include <sys/types.h>

enum stub_at_limit { STUB_DIE, STUB_STAY };

struct stub_options {
    const char *listen;      /* "127.0.0.1:8400"; port 0 = any that is free */
    const char *ttft_ms;     /* time to the first token: stub/draw.h */
    const char *gap_ms;      /* between tokens */
    const char *tokens;      /* of an answer that is not from the table */
    const char *answers;     /* file: stub/answer.h; NULL = none */
    bool echo;               /* answer with the prompt */
    bool has_no_usage;       /* do not report token counts */
    double error_rate;       /* share of requests answered by error_status */
    int64_t error_status;    /* 400..599 */
    double drop_rate;        /* share of answers cut off in the middle */
    double rate_limit;       /* requests per second, else 429; 0 = none */
    const char *retry_after; /* seconds, sent with 429 and 503; NULL = what fits the limit */
    const char *api_key;     /* demanded as a bearer token; NULL = none */
    const char *api_key_env; /* the variable that it is taken from: of the command only */
    int64_t dimensions;      /* of embeddings */
    unsigned idle_s;         /* a connection without traffic is closed after so long */
    int64_t requests;        /* end after this many; 0 = never */
    int64_t seed;

    /* stub/capacity.h */
    int64_t servers;
    const char *service_ms;
    int64_t queue_limit; /* beyond it 503 */
    double contention;
    double coherence;
    int64_t cliff_in_flight; /* beyond it error_status */
    int64_t cliff_rate;
    double stall_every_s;
    double stall_s;
    double memory_kb;       /* kept of each request that is served */
    double memory_limit_mb; /* of that; 0 = none */
    int at_limit;           /* enum stub_at_limit */
};

/* The one table of all this, but for api_key and idle_s: the options of the command, the
 * ranges that stub_open checks, and what GET /v1/stub says of a stub. */
enum { STUB_PARAMS = 28 };
extern const struct param stub_params[STUB_PARAMS];

extern const struct stub_options stub_options_default;

struct stub;
struct arena;

MUST_USE bool stub_open(struct stub **stub, const struct stub_options *options,
                        struct arena *arena, struct error *err);
void stub_close(struct stub *stub); /* NULL is closed already */
int stub_port(const struct stub *stub);

/* Serves until stop_fd (-1 = none) can be read, or `requests` are answered. */
MUST_USE bool stub_serve(struct stub *stub, int stop_fd, struct error *err);
int64_t stub_answered(const struct stub *stub);

/* The same in a process of its own, which ends with ours. */
struct stub_process {
    pid_t pid;
    int port;
};
MUST_USE bool stub_start(struct stub_process *process, const struct stub_options *options,
                         struct error *err);
void stub_stop(struct stub_process *process);

#endif
