/* store_feed.h - what happens in the store, whoever does it: an event log for each workspace.
 *
 * Once a second, while somebody listens, the store's generation is looked at; where it has
 * changed the newest runs are, and each that is new or has another status becomes a line
 * {"event": "run_changed", "run_id": .., "status": .., "executions": ..}. */
#ifndef API_STORE_FEED_H
#define API_STORE_FEED_H

#include "api/feed.h"

struct api;

MUST_USE bool store_feed_get(struct api *api, const char *workspace, struct feed **log,
                             struct error *err);

#endif
