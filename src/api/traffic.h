/* traffic.h - what the server has been asked: counted for /metrics (Prometheus' text format),
 * and told line by line to a log.
 *
 *     {"time":"2026-11-17T08:00:00.123Z","peer":"127.0.0.1","method":"GET",
 *      "path":"/benchmarks/runs","query":"limit=3","route":"list_runs","status":200,
 *      "bytes":512,"ms":0.8,"workspace":"default","token":null}
 *
 * Secrets do not get there: headers and bodies are not told, and no query of /session. */
#ifndef API_TRAFFIC_H
#define API_TRAFFIC_H

#include "api/route.h"

/* What is known of a request when it is over: in its arena. */
struct traffic_note {
    const struct route *route; /* NULL: none, or the page */
    bool is_page;
    const char *workspace; /* NULL: it was not let in */
    const char *token;     /* its name */
};

enum { TRAFFIC_STATUSES = 22, TRAFFIC_BUCKETS = 12 };

struct traffic {
    int log_fd; /* -1: no log */
    size_t route_count;
    int64_t (*counts)[TRAFFIC_STATUSES]; /* of each route, of the page and of what is neither */
    int64_t buckets[TRAFFIC_BUCKETS];    /* of durations */
    double seconds;
    int64_t finished;
    int64_t begun;
    int64_t bytes;
};

void traffic_init(struct traffic *t, int log_fd, struct arena *arena);
void traffic_begin(struct traffic *t);
void traffic_end(struct traffic *t, const struct http_request *r,
                 const struct http_outcome *outcome);
void traffic_write(const struct traffic *t, struct buf *out); /* the counters */

#endif
