/* spec.h - from the bytes of a spec file to a checked spec.
 *
 * A spec is YAML 1.2 or JSON (docs/spec.md has the grammar). spec_load reads
 * the whole file, checks everything that can be checked without doing any
 * work, and reports every problem with its place. What it returns is complete:
 * the rest of the program never looks at the file again. */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "base/id.h"
#include "experiment/experiment.h"
#include "instrument/instrument.h"

enum { SPEC_CONCURRENCY_MAX = 64, SPEC_NAME_MAX = 200 };

struct spec_instrument {
    const struct instrument *row;
    const struct value *options; /* a map, or NULL */
    bool optional;               /* skipped, and said so, where the machine cannot */
};

struct spec_axis {   /* one swept parameter */
    struct str name; /* "n", or dotted into an open mapping: "parameters.x" */
    enum param_role role;
    const struct value *const *values;
    size_t count;
};

struct spec_until {
    bool is_set;
    double relative_ci; /* half-width of the median's 95 % interval / median; 0 = not asked */
    int64_t max_iterations; /* 0 = 10,000 */
    double max_seconds;     /* of measured time per group; 0 = no limit */
};

enum spec_strategy { STRATEGY_CARTESIAN, STRATEGY_RANDOM };

struct suite_benchmark; /* spec/spec_suite.h */

/* One experiment of the file, shared keys merged in. */
struct spec_entry {
    const struct experiment *experiment;
    const struct value *name;   /* that its cells go by: a text, a list of as many texts as
                                   the parameter that names cells has values, or NULL */
    const struct value *params; /* as written, without swept ones; a map, never NULL */
    struct spec_axis *axes;     /* sorted by name */
    size_t axis_count;
    enum spec_strategy strategy;
    int64_t samples;    /* of a random sweep */
    int64_t warmup;     /* trials; -1 = until steady */
    int64_t warmup_max; /* limit of "until steady" */
    int64_t measured;   /* passes over the cases, where there are cases */
    int64_t case_count; /* 1 without cases */
    struct spec_until until;
    bool interleave;       /* default: true where there is a factor to compare */
    const char *factor;    /* compared parameter chosen by `interleave: NAME`, or NULL */
    int64_t stop_failures; /* failures in a row that end the group; 0 = never */
    bool stop_breach;      /* a time-out or a breach of a limit ends it too */
    double time_limit_s;   /* per trial; 0 = none */
    struct spec_instrument *instruments; /* timing first, always */
    size_t instrument_count;
    const char *output_dir;   /* NULL = write no result files */
    const struct value *tags; /* list of text */
    const char *notes;
    int64_t seed;
    int64_t parallelism;
    int64_t concurrency;        /* cases of an agent in flight at once */
    const struct value *claims; /* list, or NULL; decided by analysis */
    const struct value *agents; /* list, or NULL */
    const char *baseline;
    const struct suite_benchmark *benchmark; /* NULL = no suite */
    uint32_t line;                           /* where the entry begins */
};

/* Measured trials of a cell: fixed, or the most that `until` allows. */
int64_t spec_trials(const struct spec_entry *entry);

/* Trials of a cell that are in flight at once. */
int64_t spec_lanes(const struct spec_entry *entry);

struct spec {
    const char *path;
    struct str text;
    char hash[SHA256_HEX_SIZE]; /* of the text and the overrides */
    struct spec_entry *entries;
    size_t entry_count;
    const struct value *claims; /* of the whole file; an entry without its own has them too */
    struct param_texts only;    /* words that chose the entries; none: all of the file */
    bool is_part;               /* entries of the file were left out */
    const char *suite;          /* name of the suite that the file holds, or NULL */
    bool is_named; /* by the user, as a file on the command line: what it consents to holds */
    const char *stub_name; /* the override's, with where it is reached in this run; or NULL */
    const char *stub_url;
};

/* What the command line sets above the file. {0} = nothing. */
struct spec_override {
    const char *const *set; /* "k=v": parameters; v is YAML ("3", "[1, 2]", "text") */
    size_t set_count;
    int64_t measured; /* -1 = as in the file */
    int64_t warmup;   /* -1 = as in the file */
    int64_t seed;
    bool has_seed;
    const char *until;       /* YAML map, or NULL */
    const char *interleave;  /* "yes", "no", or a parameter; NULL = as in the file */
    struct param_texts only; /* keep entries with one of these tags, experiments, benchmarks */
    const char *output_dir;
    const char *const *instruments; /* added to the file's */
    size_t instrument_count;
    double time_limit_s; /* 0 = as in the file */
    int64_t concurrency; /* 0 = one case after the other */

    const char *const *agents; /* --agent: only these of a suite, or registered ones */
    size_t agent_count;
    bool agents_are_optional; /* a suite without any is right too */
    /* Every model agent is replaced by a stand-in, which has this for its address:
     * a name that is the same whenever it is started in the same way, so that runs can be
     * resumed and compared. */
    const char *stub_name;

    /* What whoever asked the API for this run wants set: a map of paths, all of which the
     * suite must list under `overridable`; or NULL. */
    const struct value *settings;

    /* The map of a registered agent; false if there is none. NULL = nobody to
     * ask: the spec opens no store. */
    bool (*find_agent)(void *context, const char *name, struct arena *out,
                       const struct value **agent, struct error *err);
    void *context;
};

#define SPEC_OVERRIDE_NONE ((struct spec_override){.measured = -1, .warmup = -1, .seed = -1})

/* True if the spec is right; else `problems` has every reason. `path` is used
 * in messages and kept; the file is not opened. */
MUST_USE bool spec_load(const char *path, struct str bytes,
                        const struct spec_override *override, struct arena *out,
                        struct spec **spec, struct problems *problems);

/* The same of a text that no file has, for whoever measures again: the first problem is the
 * error (ERROR_INVALID). `override` may be NULL. */
MUST_USE bool spec_load_text(const char *name, struct str text,
                             const struct spec_override *override, struct arena *out,
                             struct spec **spec, struct error *err);

/* The checked claims as a run keeps them: a list of maps, each with the index of the `entry`
 * that it is about; those of the whole file have none. Claims with `tags` that --only did not
 * choose are left out; `part: true` says that there are more in the file. */
const struct value *spec_claims(const struct spec *spec, struct arena *out);

/* A JSON Schema (draft 2020-12) of spec files, made from the registries. */
void spec_write_schema(struct buf *out);

#endif
