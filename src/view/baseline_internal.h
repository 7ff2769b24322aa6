/* baseline_internal.h - what the baseline*.c files share.
 *
 *   baseline.c         the baseline of each current cell, and the runs of both
 *   baseline_current.c the current cells, and their histories
 *   baseline_origin.c  which executions have the same trials
 *   baseline_lost.c    what the baseline has and nothing current corresponds to */
#ifndef VIEW_BASELINE_INTERNAL_H
#define VIEW_BASELINE_INTERNAL_H

#include "view/alarmed.h"
#include "view/baseline.h"
#include "view/source.h"

enum { VIEWS_MAX = 1000 };

/* Of an execution that took over the trials of another (rescored, cached): whose they are. */
struct baseline_origin {
    const char *id;        /* of the copy */
    const char *origin_id; /* of whoever made the trials, through any number of copies */
    const char *run_id;    /* of that; NULL if it was forgotten */
};

/* A benchmark by its names, which stay while its content changes. */
struct baseline_place {
    char benchmark_id[UUID_SIZE];
    const char *suite;
    const char *benchmark;
};

/* Executions of one agent on one benchmark, newest first, with what each is. */
struct baseline_past {
    const char *agent_id;
    const char *benchmark_id;
    struct execution_record *records;
    struct cell_identity *ids;
    size_t count;
};

struct baseline_finder {
    struct store *store;
    const struct baseline_question *q;
    const char *wanted; /* as asked for, else as the run's spec says, or NULL */
    struct arena *out;
    struct error *err;
    struct error broken; /* the store cannot be read: nothing more is looked up, and the answer
                            is this. What is absent is none. */
    struct view **views; /* runs that were loaded */
    size_t view_count;
    struct baseline_record *pins;
    size_t pin_count;
    struct alarmed alarmed;
    struct source source; /* where the baseline is a selector */
    bool has_source;
    struct cell_identity *source_ids; /* of its cells: all parts, or without the agent */
    struct agent_record *agents;
    size_t agent_count;
    struct baseline_past *pasts;
    size_t past_count;
    struct run_record *runs; /* that were looked up */
    size_t run_count;
    struct baseline_past *agents_past; /* of each agent, on whatever benchmark */
    size_t agents_past_count;
    struct baseline_place *places; /* of the benchmarks that were looked up */
    size_t place_count;
    struct baseline_origin *origins; /* of the copies that were looked up */
    size_t origin_count;
    struct baseline_lost *lost; /* that set->lost shows */
};

/* NULL with an error. */
struct view *baseline_load_view(struct baseline_finder *f, const char *run_id);

/* All zero if it is not there, or f->broken says why nobody knows. */
const struct run_record *baseline_load_run(struct baseline_finder *f, const char *id);

struct cell_version baseline_version_of(struct baseline_finder *f,
                                        const struct baseline_pair *p,
                                        const struct execution_record *e);

/* "version 1.07", "commit 1a2b3c4d" */
const char *baseline_name_version(struct baseline_finder *f, const struct baseline_pair *p,
                                  const struct execution_record *o);

/* A version as people write it: the agent's own, or the beginning of a commit. */
bool baseline_is_called(struct baseline_finder *f, const struct baseline_pair *p,
                        const struct execution_record *o, const char *version);

bool baseline_is_identity(const struct cell_identity *a, const struct cell_identity *b);
bool baseline_is_current(const struct baseline_set *set, const struct execution_record *e);
bool baseline_is_pinned(const struct baseline_finder *f, const char *name);

/* Other work was in the way: not fit to compare with. */
bool baseline_is_disturbed(struct baseline_finder *f, const struct execution_record *e);

const struct view_cell *baseline_find_execution(const struct view *view, const char *id);
const char *baseline_benchmark(struct baseline_finder *f, const struct execution_record *e);

/* False: the store does not have it, or f->broken. */
bool baseline_find_benchmark(struct baseline_finder *f, const struct execution_record *e,
                             struct benchmark_record *benchmark);
bool baseline_find_record(struct baseline_finder *f, const char *execution_id,
                          struct execution_record *record);

bool baseline_is_same_version(struct baseline_finder *f, const struct baseline_pair *p,
                              const struct execution_record *a,
                              const struct execution_record *b);

/* The version of `o` is older than that of `e`: it was run before the other ever was. */
bool baseline_is_older(struct baseline_finder *f, const struct baseline_pair *p,
                       const struct execution_record *o, const struct execution_record *e);

/* ---- baseline_current.c ---- */

/* Fills set->pairs, without baselines. */
MUST_USE bool baseline_take_run(struct baseline_finder *f, struct baseline_set *set);
MUST_USE bool baseline_take_agent(struct baseline_finder *f, struct baseline_set *set);

/* ---- baseline_origin.c ---- */

/* They have the same trials: the one is no evidence besides the other. */
bool baseline_is_same_origin(struct baseline_finder *f, const struct execution_record *a,
                             const struct execution_record *b);

/* The run in which its trials were made; its own if that was forgotten. */
const struct run_record *baseline_origin_run(struct baseline_finder *f,
                                             const struct execution_record *e);

/* ---- baseline_lost.c ---- */

/* What else an earlier version did of a pair that has no baseline: p->otherwise. `version`
 * NULL: any other. */
MUST_USE bool baseline_find_otherwise(struct baseline_finder *f, const char *version,
                                      struct baseline_pair *p);

/* The agent of the pair was run in that version, on whatever cell. */
MUST_USE bool baseline_has_version(struct baseline_finder *f, const struct baseline_pair *p,
                                   const char *version, bool *has);

/* Of one benchmark of a suite, by their names. */
bool baseline_is_same_place(struct baseline_finder *f, const struct execution_record *a,
                            const struct execution_record *b);

/* Fills set->lost. */
MUST_USE bool baseline_find_lost(struct baseline_finder *f, struct baseline_set *set);

#endif
