/* stress_run.h - carries a stress test out: the phases that its scenarios ask for.
 *
 * All phases are cells of one run of `experiment: load`, which grows by a cell whenever a
 * scenario (judge/stress.h) asks for one. What a scenario is told is read from the store, and
 * nothing else is remembered: asked again about a run that was interrupted, or has ended, the
 * scenarios ask for the same phases, and only those that are not stored are measured. */
#ifndef STUDY_STRESS_RUN_H
#define STUDY_STRESS_RUN_H

#include "judge/stress.h"
#include "run/run.h"

struct stress_target {         /* who is loaded, and with what: parameters of the experiment */
    const char *url;           /* NULL: `agent` */
    const struct value *agent; /* its map */
    const struct value *asked; /* study/stress_asked.h */
    const char *spec_path;     /* relative names of `asked` begin there; NULL: here */
    const char *stub_name, *stub_url; /* of a stand-in: spec.h; or NULL */
    const char *serve;                /* NULL: it is running */
    const char *method;               /* NULL, as are the next: the experiment's default */
    const char *body;
    struct param_texts headers; /* "Name: value" */
    struct param_texts allow_hosts;
    const char *arrivals;
    int64_t threads;
    double timeout_s;
    double objective_s; /* 0: none */
};

struct stress_request {
    struct store *store;
    struct nursery *nursery;
    const struct stress_target *target;
    struct stress_ask ask; /* of stress_load_once */
    const struct stress_terms *terms;
    const struct stress_scenario *const *scenarios;
    size_t scenario_count;
    const struct run_record *resume; /* NULL: a new run */
    int64_t seed;
    const struct value *command;
    const char *assay_version;
    struct run_listener listener;
};

/* `ask` alone; `run_id` gets its run. */
MUST_USE bool stress_load_once(const struct stress_request *request, struct arena *out,
                               char run_id[UUID_SIZE], bool *is_interrupted, struct error *err);

MUST_USE bool stress_carry_out(const struct stress_request *request, struct arena *out,
                               struct stress *stress, struct error *err);

#endif
