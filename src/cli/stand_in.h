/* stand_in.h - run --stub: one server that answers in the place of every model of a suite. */
#ifndef CLI_STAND_IN_H
#define CLI_STAND_IN_H

#include "base/str.h"
#include "cli/command.h"
#include "stub/stub.h"

struct stand_in {
    struct stub_process server;
    const char *name; /* what it is, wherever it listens: its behaviour and answers */
    const char *url;
};

/* Starts it as the suite in `bytes` says (`stub: {ttft_ms, gap_ms, tokens, answers}`). What
 * is wrong with the file is said when it is loaded, which needs the stand-in's name. End with
 * stub_stop(&s->server). */
MUST_USE bool stand_in_start(struct stand_in *s, const char *path, struct str bytes,
                             struct arena *arena, struct error *err);

#endif
