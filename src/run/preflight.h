/* preflight.h - can this machine carry the spec out at all?
 *
 * Asked once, before anything is stored or started. */
#ifndef RUN_PREFLIGHT_H
#define RUN_PREFLIGHT_H

#include "spec/spec.h"

/* Asks every experiment and instrument of the spec. An instrument that is
 * missing and optional is taken out of its entry, with a sentence in `missing`;
 * anything else that is missing fails with ERROR_UNAVAILABLE and the reason. */
MUST_USE bool preflight(struct spec *spec, struct arena *out, struct buf *missing,
                        struct error *err);

#endif
