/* run_options.h - the options of `assay run`, and the spec that its one-liner
 * stands for. */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "base/buf.h"
#include "cli/command.h"

struct run_options {
    struct option_list set;
    struct option_list instruments;
    const char *only;
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
    struct option_list reports;
    bool dry_run;
    bool durable;
    /* suites */
    struct option_list agents;
    double fail_under;
    const char *only_failed;
    const char *rescore;
    bool cache;
    bool stub;
    /* the one-liner */
    struct option_list commands;
    struct option_list names;
    struct option_list lists; /* name, values, name, values, ... */
    const char *prepare;
    const char *conclude;
    const char *setup;
    const char *cleanup;
    const char *input;
    const char *output;
    bool ignore_failure;
    const char *save_spec;
};

extern const struct run_options run_options_defaults;
enum { RUN_OPTION_COUNT = 33 };
extern const struct option run_options_table[RUN_OPTION_COUNT];

/* True if the command line holds a command instead of spec files. */
bool run_options_is_one_liner(const struct context *c);

/* The name of an option that was given and is for suites only, for one-liners only, or about
 * trials, of which --rescore makes none; NULL if there is none. */
const char *run_options_of_suites(const struct run_options *o);
const char *run_options_of_commands(const struct run_options *o);
const char *run_options_of_trials(const struct run_options *o);

/* Writes the spec (JSON, which is YAML) that the one-liner stands for. */
MUST_USE bool run_options_write_spec(const struct context *c, struct buf *out,
                                     struct error *err);

#endif
