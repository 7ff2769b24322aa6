/* queue.h - runs that the API starts: a bounded queue, one child process at a time.
 *
 * The server never measures. A request is put into the store, and `assay run --request ID
 * --json` carries it out in a process group of its own; it waits for other servers' runs
 * by a lock of the machine. Its lines become events (api/feed.h). Cancel ends the group. A
 * server that stops lets the run store what it has (SIGTERM) and parks it; the next one
 * goes on with it, and with what was queued. */
#ifndef API_QUEUE_H
#define API_QUEUE_H

#include "api/feed.h"
#include "store/store.h"

/* Of one workspace, and of all together: none keeps the others out. */
enum { QUEUE_MAX = 16, QUEUE_ALL_MAX = 256 };

struct api;
struct queue;

/* Takes up again what an earlier server left, unless another one serves the store: it may be
 * at it. */
MUST_USE bool queue_open(struct queue **queue, struct api *api, struct error *err);
/* Ends what runs, in good order, and starts nothing more: the next server goes on with it.
 * Streams and waiting requests end. NULL is fine. */
void queue_park(struct queue *queue);
void queue_close(struct queue *queue); /* after queue_park; NULL is closed already */

/* Puts it into the store and into the queue, and starts it if nothing runs. id, suite,
 * agents, configuration and token are given, and copied. False with ERROR_TIMEOUT if the
 * queue is full. */
MUST_USE bool queue_add(struct queue *queue, const char *workspace,
                        const struct request_record *request, struct error *err);

/* How long a client should wait before it asks a full queue again. */
int queue_retry_s(const struct queue *queue);

/* What waits or runs in the workspace, the one that runs first; in `out`. */
size_t queue_list(const struct queue *queue, const char *workspace, struct arena *out,
                  struct request_record **requests);

/* Ends it, or takes it out of the queue. False: nothing of that id waits or runs in the
 * workspace. */
bool queue_cancel(struct queue *queue, const char *workspace, const char *id);

/* Calls `done` once when the run has ended, unless queue_forget comes first. False: it
 * neither waits nor runs. */
struct queue_waiter {
    void (*done)(void *context);
    void *context;
    struct queue_waiter *next;
};
bool queue_wait(struct queue *queue, const char *id, struct queue_waiter *waiter);
void queue_forget(struct queue *queue, struct queue_waiter *waiter);

/* Nothing waits or runs here, and nothing that another server started. */
bool queue_is_idle(const struct queue *queue);

#endif
