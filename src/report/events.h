/* events.h - the stream of `run --json`: what happens, one object a line. */
#ifndef REPORT_EVENTS_H
#define REPORT_EVENTS_H

#include "base/layout.h"
#include "model/run_event.h"

struct event_row {
    const char *name; /* "cell_started": the value of `event` */
    const struct layout *layout;
    bool is_passing; /* one of many of its kind: later events tell the totals */
};

const struct event_row *event_at(size_t i); /* NULL past the end */

/* Of a line of the stream. */
bool event_is_passing(struct str line);

/* Adds its line; none for what the stream does not tell (RUN_EVENT_PROGRESS). */
void event_write(const struct run_event *event, struct buf *out);
void event_write_end(const struct run_outcome *outcome, struct buf *out);

#endif
