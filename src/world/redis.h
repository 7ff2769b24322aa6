/* redis.h - the door to a Redis server: hiredis, loaded when it is first needed, and a server
 * of our own on a private socket.
 *
 *     redis_queue(r, (struct str[]){S("SET"), S("k"), S("v")}, 3);     any number of them
 *     redis_answer(r, &answer, err)                                  one for each, in order
 *
 * What is queued goes out with the first wait for an answer: that is pipelining. */
#ifndef WORLD_REDIS_H
#define WORLD_REDIS_H

#include "base/error.h"
#include "base/str.h"

#include <sys/types.h>

struct redis;

enum redis_kind { REDIS_NIL, REDIS_TEXT, REDIS_INT, REDIS_LIST };

/* Valid until the next call of redis_answer. */
struct redis_answer {
    enum redis_kind kind;
    int64_t integer;
    struct str text;
    size_t count;       /* of a list */
    const void *source; /* for redis_item */
};

/* ERROR_UNAVAILABLE where hiredis is missing or no Redis answers. `at` is the path of a socket
 * or HOST:PORT. A server that is silent for 10 s, now or later, is an error. */
MUST_USE bool redis_connect(const char *at, struct arena *arena, struct redis **redis,
                            struct error *err);
MUST_USE bool redis_connect_within(const char *at, int timeout_ms, struct arena *arena,
                                   struct redis **redis, struct error *err);
void redis_close(struct redis *redis); /* NULL does nothing */

void redis_queue(struct redis *redis, const struct str *args, size_t count);
MUST_USE bool redis_answer(struct redis *redis, struct redis_answer *out, struct error *err);
struct redis_answer redis_item(const struct redis_answer *list, size_t i);

/* One command and its answer; an error of the server's is an error. */
MUST_USE bool redis_call(struct redis *redis, const struct str *args, size_t count,
                         struct redis_answer *out, struct error *err);

/* As INFO reports it. */
MUST_USE bool redis_used_memory(struct redis *redis, int64_t *bytes, struct error *err);

/* ---- a server of our own: nothing is written to disk, nobody else can reach it ---- */

struct redis_server {
    pid_t pid; /* 0 = none */
    const char *socket;
};

/* In `folder`, which must be ours. ERROR_UNAVAILABLE where there is no redis-server, with its
 * last words where it ended; waits until it answers, at most 10 s. */
MUST_USE bool redis_server_start(struct redis_server *server, const char *folder,
                                 struct arena *arena, struct error *err);
void redis_server_stop(struct redis_server *server);

#endif
