/* preflight.h - can this machine carry the spec out at all?
 *
 * Asked once, before anything is stored or started. */
#ifndef RUN_PREFLIGHT_H
#define RUN_PREFLIGHT_H

#include "spec/spec.h"

/* Asks every experiment, instrument and agent of the spec. An instrument that is
 * missing and optional is taken out of its entry, with a sentence in `missing`;
 * so is what an agent lacks (a program, a file), which fails that agent alone, and
 * a key that stands in the file as it is. Anything else that is missing, such as a
 * variable that is not set, fails with ERROR_UNAVAILABLE and the reason. */
MUST_USE bool preflight(struct spec *spec, struct arena *out, struct buf *missing,
                        struct error *err);

struct preflight_report {
    struct buf *missing; /* a sentence and a line feed each */
    size_t lacking;      /* agents, each for each thing that it lacks */
};

/* The agents and judges of one entry. */
MUST_USE bool preflight_agents(const struct spec_entry *entry, struct arena *out,
                               struct preflight_report *report, struct error *err);

/* How many times an agent of the spec lacks something. */
size_t preflight_lacking(const struct spec *spec, struct arena *out);

#endif
