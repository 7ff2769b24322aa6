/* run_source.h - where the spec of a run comes from: a file, a registered suite, or the
 * command line. */
#ifndef CLI_RUN_SOURCE_H
#define CLI_RUN_SOURCE_H

#include "cli/command.h"
#include "model/record.h"
#include "spec/spec.h"

struct run_source {
    const char *path;
    struct str bytes;
    bool is_one_liner;
    bool is_registered; /* then `suite` is what was registered */
    struct suite_record suite;
};

/* A file, or else a registered suite of that name, or else a shipped spec (cli/shipped.h). */
MUST_USE bool run_source_read(struct context *c, const char *name, struct run_source *source,
                              struct error *err);

/* What the options say otherwise than the spec. */
struct spec_override run_source_overrides(struct context *c, bool is_one_liner);

#endif
