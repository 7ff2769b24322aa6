/* import.h - results of other tools, read into one shape and stored as a run.
 *
 * An importer turns foreign bytes into cells: names with trials and samples.
 * import_write stores them as one run, a cell as an execution, so that show,
 * compare and trend treat them like our own. Samples are kept where the source
 * has them; where it has only summaries the cell is `claimed` and its trial's
 * note says of how many values. Times become seconds.
 *
 * The same bytes read the same way are noticed by their hash and stored once.
 *
 * To add one: write src/interop/import_<name>.c ending in `const struct importer
 * importer_<name>`, and name it in the list in import_registry.c. */
#ifndef INTEROP_IMPORT_H
#define INTEROP_IMPORT_H

#include "base/value.h"
#include "model/record.h"
#include "stats/hdr.h"
#include "store/store.h"

enum { IMPORT_MAX_BYTES = 256 << 20, IMPORT_CELLS_MAX = 10000, IMPORT_METRICS_MAX = 512 };
enum { IMPORT_NAME_MAX = 65536 }; /* bytes of a benchmark's, an agent's, a version's */

/* What the user may say about generic tables; others ignore it. */
struct import_options {
    const char *const *columns; /* value columns; none = every numeric one */
    size_t column_count;
    const char *by;        /* column that names the benchmark */
    const char *time;      /* column with the time of a row */
    const char *unit;      /* of the values; NULL = by the columns' names */
    const char *direction; /* "lower", "higher"; NULL = by the columns' names */
    const char *kind;      /* as kind_name says; NULL = by the values */
    const char *name;      /* of what has none; NULL = the file's name */
};

struct imported_metric {
    struct metric metric; /* of a kind, once all is read */
    double *values;       /* one per trial, NaN where it gave none */
};

struct imported_cell {
    const char *name;               /* experiment */
    const char *agent;              /* NULL = none */
    const char *version;            /* of the agent */
    const struct value *parameters; /* map; NULL = none */
    const struct execution_record
        *ours; /* of a cell that assay wrote: experiment, label, factor,
                                            primary metric, entry, group and arm; NULL = none */
    bool is_claimed;
    size_t trial_count;
    size_t trial_capacity;
    double *starts_s; /* since imported.started_ns; NaN unknown */
    uint8_t *statuses;
    struct imported_metric *metrics;
    size_t metric_count;
    struct trial_note *notes;
    size_t note_count;
    const char **remarks; /* sentences about the cell */
    size_t remark_count;
    struct hdr *histogram;  /* NULL = none */
    size_t histogram_count; /* that were merged into it */
    struct metric histogram_metric;
};

struct imported {
    struct arena *arena;
    int64_t started_ns;              /* 0 = the source does not say */
    const char *suite;               /* NULL = built in */
    const struct value *environment; /* maps; or NULL */
    const struct value *vcs;
    const struct value *tags;   /* list; or NULL */
    const struct value *claims; /* list, of a run that assay wrote; or NULL */
    struct str notes;
    struct imported_cell **cells;
    size_t cell_count;
    uint16_t *slots; /* cells by what names them, found by hash; 1 + index, 0 = free */
};

struct importer {
    REGISTRY_ENTRY; /* name: value of --format */
    /* Whether the bytes look like it; only their beginning may be here. */
    bool (*detect)(struct str beginning);
    bool (*read)(struct str bytes, const struct import_options *options, struct imported *into,
                 struct error *err);
};

REGISTRY(struct importer, importer)

/* By --format, else by looking at the bytes. Fails with the formats there are. */
const struct importer *importer_choose(const char *format, struct str bytes, struct error *err);

/* Reads with limits; a source without any cell is ERROR_INVALID. */
MUST_USE bool import_read(const struct importer *importer, struct str bytes,
                          const struct import_options *options, struct arena *out,
                          struct imported **imported, struct error *err);

/* What a run made from it is given besides. */
struct import_origin {
    const char *path;            /* where the bytes came from, or NULL */
    const struct value *command; /* list: argv */
    const char *assay_version;
    const char *hash; /* of contents and reading; NULL = every call is a run of its own */
    const char *agent;
    const char *version;             /* for cells that name none */
    const struct value *environment; /* where the source has none */
    const struct value *vcs;
};

/* Over format, options (a name only if it was asked for) and bytes. */
const char *import_hash(const struct importer *importer, const struct import_options *options,
                        const char *agent, const char *version, struct str bytes, char *out);

/* One transaction. *is_new is false if the same was stored before: then `run` is
 * that run. A source without a date is of now, whenever it is imported: that run is then the
 * newest (import_again). One with a date stands where that belongs. */
MUST_USE bool import_write(struct store *store, const struct imported *imported,
                           const struct import_origin *origin, struct arena *out,
                           struct run_record *run, bool *is_new, struct error *err);

/* Gives a run that is stored, and was found again, another start, and makes it the newest. */
MUST_USE bool import_again(struct store *store, struct run_record *run, int64_t started_ns,
                           struct arena *out, struct error *err);

/* ---- for importers ---- */

/* The cell of that name, agent and version (NULL fits NULL); made if missing.
 * NULL (with err set) beyond IMPORT_CELLS_MAX. Texts are copied. */
struct imported_cell *imported_cell(struct imported *in, struct str name, struct str agent,
                                    struct str version, struct error *err);
/* One more trial, ok, its start unknown; returns its number. */
size_t imported_trial(struct imported *in, struct imported_cell *cell);
/* Sets a trial's value of a metric; a metric beyond IMPORT_METRICS_MAX is left out
 * and remarked once. `metric` texts are copied. */
void imported_sample(struct imported *in, struct imported_cell *cell, size_t trial,
                     const struct metric *metric, double value);
/* A trial that failed: its duration goes into a series of its own. */
void imported_failure(struct imported *in, struct imported_cell *cell, size_t trial,
                      double duration_s, const char *error);
/* The trial's note, made if missing. */
struct trial_note *imported_note(struct imported *in, struct imported_cell *cell, size_t trial);
void imported_remark(struct imported *in, struct imported_cell *cell, const char *sentence);
size_t imported_trials(const struct imported *in); /* of all cells */

/* Whether the bytes have this text in them. */
static inline bool import_has(struct str bytes, const char *text)
{
    return bytes.n > 0 && memmem(bytes.p, bytes.n, text, strlen(text)) != NULL;
}

/* JSON as tools write it: bare NaN and Infinity become null. */
MUST_USE bool import_json(struct str bytes, struct arena *out, const struct value **root,
                          struct error *err);
const char *import_json_text(const struct value *v,
                             struct arena *out);                  /* compact; NULL -> NULL */
struct str import_text(const struct value *map, const char *key); /* empty if no text */
double import_number(const struct value *map, const char *key);   /* NaN if no number */
/* Seconds since 1970 in a text or number; false if it is not a time. */
MUST_USE bool import_time(const struct value *v, int64_t *unix_ns);
MUST_USE bool import_stamp(struct str text, int64_t *unix_ns);

/* Time units to seconds, sizes to MB: sets *unit to the normal one and returns
 * the factor; other units stay, with 1. */
/* value * factor; by the whole number that 1/factor is, where it is one, as 1e-9 is not exact
 * and 1e9 is. */
double import_scaled(double value, double factor);
double import_unit(struct str written, const char **unit);
/* What a foreign metric's name says: "x_ms" is in ms and lower is better,
 * "ops_per_sec" is a rate and higher is. */
void import_guess(const char *name, struct metric *metric);
/* After the last value: gives a kind to metrics that have none, the same in all cells. */
void imported_settle_kinds(struct imported *in);

#endif
