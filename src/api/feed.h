/* feed.h - lines of a run, and of the store, as server-sent events (the WHATWG's HTML
 * standard, section 9.2).
 *
 * A log has lines with ids 1, 2, 3, ... A client that comes back with Last-Event-ID gets what
 * it missed (all, if it is an id that this log never gave: an earlier server's); lines are
 * kept up to FEED_BYTES, the older half goes first. Each line is one
 * event: its id, and the line as data, a JSON object whose "event" says what it is. When a
 * log is over the stream ends; a client that has all and asks again gets 204, which tells
 * EventSource to stop. Of logs that are over the last FEED_LOGS are kept. */
#ifndef API_FEED_H
#define API_FEED_H

#include "base/id.h"
#include "http/server.h"

enum { FEED_LOGS = 32, FEED_BYTES = 8 << 20, FEED_ALIVE_S = 15 };

struct feed_client;

struct feed {
    char id[UUID_SIZE]; /* of the run; of a store's: its workspace's place, see api_tick */
    const char *workspace;
    bool is_over;
    struct buf text;    /* lines, each with its end */
    struct buf offsets; /* uint32_t of each line's beginning */
    int64_t first;      /* id of the first line that is kept */
    int64_t count;      /* lines that are kept */
    struct feed_client *clients;
    struct feed *next;
};

struct feeds {
    struct arena *arena;
    struct feed *logs; /* newest first */
    size_t log_count;
    size_t client_count;
};

/* A new log, or that of the id; the workspace must outlive it. */
struct feed *feed_get(struct feeds *e, const char *id, const char *workspace);
/* NULL if there is none. */
struct feed *feed_find(struct feeds *e, const char *id);
void feeds_release(struct feeds *e);

/* One line without its end. */
void feed_add(struct feed *log, struct str line);
/* There will be no more. */
void feed_end(struct feed *log);

/* Answers the request with the log's lines after Last-Event-ID, as they come. */
void feed_send(struct feeds *e, struct feed *log, struct http_request *r);

/* Answers with one line of which no log is kept. After the last there is nothing more to ask
 * for (204 to whoever had it); after another EventSource asks again by itself. */
void feed_send_line(struct http_request *r, struct str line, bool is_last);

#endif
