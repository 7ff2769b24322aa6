#include "api/store_feed.h"

#include "api/api.h"
#include "base/clock.h"

enum { WATCHED_RUNS = 50, LOOK_S = 1 };

struct store_feed {
    struct api *api;
    const char *workspace;
    struct feed *log;
    struct http_alarm alarm;
    uint64_t generation;
    uint64_t seen[WATCHED_RUNS]; /* hashes of id, status and executions */
    struct store_feed *next;
};

static bool was_seen(const struct store_feed *w, uint64_t hash)
{
    for (size_t i = 0; i < WATCHED_RUNS; i++) {
        if (w->seen[i] == hash) return true;
    }
    return false;
}

/* Oldest first, so that lines are in the order of events. */
static bool look(struct store_feed *w, bool tells, struct error *err)
{
    struct store *store = NULL;
    struct run_record *runs = NULL;
    size_t count = 0;
    uint64_t seen[WATCHED_RUNS] = {0};
    uint64_t generation = 0;
    if (!api_store(w->api, w->workspace, false, &store, err) ||
        !store_generation(store, &generation, err)) {
        return false;
    }
    if (tells && generation == w->generation) return true;
    struct arena scratch = arena_open();
    bool done = store_list_runs(store, &(struct run_filter){.limit = WATCHED_RUNS}, &scratch,
                                &runs, &count, err);
    for (size_t i = count; i-- > 0 && done;) {
        struct execution_record first;
        size_t executions = 0;
        done = store_peek_executions(store, runs[i].id, &scratch, &first, &executions, err);
        char line[256];
        snprintf(line, sizeof line,
                 "{\"event\":\"run_changed\",\"run_id\":\"%s\",\"status\":\"%s\","
                 "\"executions\":%zu}",
                 runs[i].id, run_status_name(runs[i].status), executions);
        seen[i] = id_hash(str_of(line)) | 1;
        if (done && tells && !was_seen(w, seen[i])) feed_add(w->log, str_of(line), false);
    }
    arena_close(&scratch);
    if (!done) return false;
    memcpy(w->seen, seen, sizeof seen);
    w->generation = generation;
    return true;
}

static void ring(void *context)
{
    struct store_feed *w = context;
    struct error ignored = {0};
    if (!w->log->clients) return; /* until somebody asks again */
    if (!look(w, true, &ignored)) w->generation = 0;
    http_server_set_alarm(w->api->server, &w->alarm, clock_ns() + LOOK_S * INT64_C(1000000000));
}

static struct store_feed *find(struct api *api, const char *workspace)
{
    struct store_feed *w = api->store_feeds;
    while (w && strcmp(w->workspace, workspace) != 0) w = w->next;
    return w;
}

bool store_feed_get(struct api *api, const char *workspace, struct feed **log,
                    struct error *err)
{
    struct store_feed *w = find(api, workspace);
    if (!w) {
        char id[UUID_SIZE];
        w = arena_new(api->arena, struct store_feed, 1);
        w->api = api;
        w->workspace = api_workspace(api, workspace);
        w->log =
            feed_get(&api->feeds, id_uuid5(str_of(workspace), "events", str_of(workspace), id),
                     w->workspace);
        w->alarm = (struct http_alarm){.ring = ring, .context = w};
        w->next = api->store_feeds;
        api->store_feeds = w;
        if (!look(w, false, err)) return false;
    }
    /* What happened while nobody listened is sent at the first look. */
    http_server_set_alarm(api->server, &w->alarm, clock_ns() + LOOK_S * INT64_C(1000000000));
    *log = w->log;
    return true;
}
