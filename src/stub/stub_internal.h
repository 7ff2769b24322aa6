/* stub_internal.h - what the files of the stub share. */
#ifndef STUB_STUB_INTERNAL_H
#define STUB_STUB_INTERNAL_H

#include "http/server.h"
#include "stub/answer.h"
#include "stub/capacity.h"
#include "stub/draw.h"
#include "stub/stub.h"

struct stub {
    struct stub_options options;
    struct http_server *server;
    struct arena *arena;
    struct answer_table table;
    struct draw ttft_ms;
    struct draw gap_ms;
    struct draw tokens;
    struct draw service_ms;
    struct rng faults;    /* errors and drops: one stream, by order of arrival */
    double allowance;     /* requests that the rate limit lets through now */
    int64_t allowance_ns; /* when it was worked out */
    int64_t answered;
    bool has_capacity; /* something of it is set; else a request costs nothing here */
    struct capacity capacity;
    struct arena memory; /* kept of requests, to no end */
    int64_t memory_bytes;
    int64_t rate_limited;
    int64_t failed; /* by the error rate */
};

enum { STUB_BODY_MAX = 16 << 20, STUB_TOKENS_MAX = 100000, STUB_DIMENSIONS_MAX = 4096 };

/* {"error": {"message", "type", "param", "code"}} */
void stub_fail(struct http_request *r, int status, const char *fmt, ...) PRINTF(3, 4);

/* The body as JSON object; false after a reply that says what is wrong. */
MUST_USE bool stub_read_body(struct http_request *r, const struct value **body);

/* When an answer that is due then can leave: not during a stall. */
int64_t stub_after_stall(const struct stub *s, int64_t at_ns);

/* Answers made ready at the requests they belong to. Work begins at from_ns. */
void stub_chat(struct stub *s, struct http_request *r, int64_t from_ns);
void stub_embeddings(struct stub *s, struct http_request *r, int64_t from_ns);

/* What it is set to, and what it did. */
void stub_describe(struct stub *s, struct http_request *r, int64_t from_ns);

#endif
