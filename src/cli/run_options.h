/* run_options.h - the options of `assay run`, and the spec that its one-liner
 * stands for. */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "base/buf.h"
#include "cli/command.h"

struct run_options {
    struct param_texts set;
    struct param_texts instruments;
    struct param_texts only;
    int64_t measured;
    int64_t warmup;
    const char *until;
    const char *interleave;
    double time_limit_s;
    int64_t seed;
    const char *resume;
    int64_t jobs;
    int64_t concurrency;
    const char *out;
    struct param_texts reports;
    bool dry_run;
    bool durable;
    const char *allow_failures; /* see allowance.h */
    /* suites */
    struct param_texts agents;
    double fail_under;
    const char *only_failed;
    const char *rescore;
    bool cache;
    bool stub;
    /* the one-liner */
    struct param_texts commands;
    struct param_texts names;
    struct param_texts lists; /* name, values, name, values, ... */
    struct param_texts prepare;
    struct param_texts conclude;
    struct param_texts setup;
    struct param_texts cleanup;
    const char *input;
    int output; /* of null, capture */
    bool ignore_failure;
    const char *save_spec;
    /* what the API was asked for */
    const char *request;
    const struct value *settings; /* of it; no option */
};

enum { RUN_OPTION_COUNT = 35 };
extern const struct param run_options_table[RUN_OPTION_COUNT];

/* True if the command line holds a command instead of spec files. */
bool run_options_is_one_liner(const struct context *c);

/* The name of an option that was given and is for suites only, for one-liners only, or about
 * trials, of which --rescore makes none; NULL without one. */
const char *run_options_of_suites(const struct context *c);
const char *run_options_of_commands(const struct context *c);
const char *run_options_of_trials(const struct context *c);

/* Writes the spec (JSON, which is YAML) that the one-liner stands for. */
MUST_USE bool run_options_write_spec(const struct context *c, struct buf *out,
                                     struct error *err);

#endif
