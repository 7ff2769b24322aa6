/* rescore.h - stored answers scored again, as a run of their own.
 *
 * No agent is asked. Every trial of the source is copied with its times, its
 * statuses and its answer; what the rubric says of it is computed again. The
 * source stays as it is. With the same rubric the copy has the same bytes in
 * every series, note and score. */
#ifndef RUN_RESCORE_H
#define RUN_RESCORE_H

#include "spec/plan.h"
#include "store/store.h"

struct rescore_request {
    struct store *store;
    const struct run_record *source;
    const struct spec *spec; /* rubrics and targets of this suite; NULL = as they were */
    const struct value *command;
    const char *assay_version;
};

struct rescore_outcome {
    char run_id[UUID_SIZE];
    size_t cells;
    size_t trials;
    size_t changed; /* trials whose score is another one */
};

MUST_USE bool rescore_run(const struct rescore_request *request, struct arena *out,
                          struct rescore_outcome *outcome, struct error *err);

/* Copies one execution, trials and all, into the run `run_id`, keeping its
 * scores: for answers that are reused. `e` gets the new row. */
struct rescore_copy {
    const char *run_id;
    const struct execution_record *like; /* NULL, or whose place in the plan it takes */
    const char *remark;                  /* a sentence for its notes */
};
MUST_USE bool rescore_reuse(struct store *store, const struct execution_record *source,
                            const struct rescore_copy *how, struct arena *out,
                            struct execution_record *e, struct error *err);

#endif
