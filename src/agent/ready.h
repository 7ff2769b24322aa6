/* ready.h - when a session's program is ready for its first task.
 *
 *     ready: listening            a line that it prints to standard output
 *     ready: 8080                 a port of this machine that it opens
 *     ready: {line: listening, within_s: 300}
 *
 * What it prints before that line is passed over. Until then no task is given, so the
 * start is not part of any case's time. */
#ifndef AGENT_READY_H
#define AGENT_READY_H

#include "base/error.h"
#include "base/value.h"

struct ready {
    const char *line; /* or NULL */
    int port;         /* or 0; neither: it is ready at once */
    int64_t within_ns;
};

/* `v` may be NULL: ready at once. */
MUST_USE bool ready_read(const struct value *v, struct arena *out, struct ready *ready,
                         struct error *err);

/* Before the start: false and the reason if its port is open already. Whoever answers there
 * would be taken for the program, which cannot open it any more. */
MUST_USE bool ready_is_free(const struct ready *ready, struct error *err);

enum ready_end { READY_YES, READY_ENDED, READY_LATE };

/* Waits. `from_fd` is the program's output, not blocking; `pidfd` can be read when it has
 * ended; `memory` is used for its lines. */
enum ready_end ready_wait(const struct ready *ready, int from_fd, int pidfd, char *memory,
                          size_t size);

/* "the line 'listening'", "port 8080". */
const char *ready_name(const struct ready *ready, struct arena *out);

#endif
