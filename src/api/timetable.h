/* timetable.h - suites that the server runs by itself, every so often (`serve --schedules`):
 *
 *     schedules:
 *       - {name: nightly, suite: arithmetic, agents: [bc, gpt], every: 1d}
 *
 * A schedule is due when its last run was asked for that long ago, or never; by the store,
 * so that restarts change nothing. It waits until no run waits or is executed here, nor one
 * that another server of this machine started: one at a time, in the order of the file. */
#ifndef API_TIMETABLE_H
#define API_TIMETABLE_H

#include "base/problems.h"
#include "http/server.h"

struct api;

struct schedule {
    const char *name;
    const char *suite;
    const char *agents; /* JSON list */
    const char *workspace;
    double every_s;
};

struct timetable {
    struct schedule *items;
    size_t count;
    struct api *api;
    struct http_alarm alarm;
};

/* False with problems, each with its place. */
MUST_USE bool timetable_read(const char *file, struct str bytes, struct arena *out,
                             struct timetable *schedules, struct problems *problems);

/* Every suite must be registered. Looks every few seconds from now on. */
MUST_USE bool timetable_start(struct timetable *schedules, struct api *api, struct error *err);

#endif
