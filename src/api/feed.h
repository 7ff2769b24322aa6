/* feed.h - lines of a run, and of the store, as server-sent events (the WHATWG's HTML
 * standard, section 9.2).
 *
 * A log has lines 1, 2, 3, ..., and an epoch: an id has both ("18b2f0c9a4e1-17"), so that the
 * id of an earlier server's log is none of this one's. A client that comes back with
 * Last-Event-ID gets what it missed; all, if this log never gave that id. Lines are kept up to
 * FEED_BYTES; then the older half of those that pass goes (trials, of which later lines tell
 * the totals), and only where that is too little the older half of all. Each line is one
 * event: its id, and the line as data, a JSON object whose "event" says what it is. When a
 * log is over the stream ends; a client that has all and asks again gets 204, which tells
 * EventSource to stop. Of logs that are over the last FEED_LOGS are kept.
 *
 * Whoever may not listen any more (access_still) hears nothing more: it is looked at before
 * each piece is sent, and each FEED_ALIVE_S. */
#ifndef API_FEED_H
#define API_FEED_H

#include "api/access.h"
#include "base/id.h"

enum { FEED_LOGS = 32, FEED_BYTES = 8 << 20, FEED_ALIVE_S = 15 };

struct feed_client;

struct feed {
    char id[UUID_SIZE]; /* of the run; of a store's: its workspace's place, see api_tick */
    const char *workspace;
    bool is_over;
    char epoch[24];   /* the beginning of its ids */
    struct buf text;  /* lines, each with its end */
    struct buf lines; /* struct feed_line of each */
    int64_t last;     /* number of the newest line; 0 = none yet */
    struct feed_client *clients;
    struct feed *next;
};

struct feeds {
    struct arena *arena;
    struct access_rules *rules;
    struct feed *logs; /* newest first */
    size_t log_count;
    size_t client_count;
};

/* A new log, or that of the id; the workspace must outlive it. */
struct feed *feed_get(struct feeds *e, const char *id, const char *workspace);
/* NULL if there is none. */
struct feed *feed_find(struct feeds *e, const char *id);
void feeds_release(struct feeds *e);

/* One line without its end; `is_passing` ones go first when there is no more room. */
void feed_add(struct feed *log, struct str line, bool is_passing);
/* There will be no more. */
void feed_end(struct feed *log);

/* Answers the request with the log's lines after Last-Event-ID, as they come, for as long as
 * whoever sent it has the role. */
void feed_send(struct feeds *e, struct feed *log, struct http_request *r,
               enum access_role needs);

/* Answers with one line of which no log is kept. After the last there is nothing more to ask
 * for (204 to whoever had it); after another EventSource asks again by itself. */
void feed_send_line(struct http_request *r, struct str line, bool is_last);

#endif
