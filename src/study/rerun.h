/* rerun.h - two cells measured again, taking turns.
 *
 * Both sides of a comparison become the arms of one group of a new run, so that
 * whatever the machine does happens to both; only the new trials decide. With a
 * decider the data is looked at after 10, 20, 40, ... rounds up to the budget,
 * each look at its own level (stats/sequential.h), so that looking often does
 * not find what is not there.
 *
 * Cells of a suite are asked again as their run's suite has it: the same
 * benchmark of both agents, pairs by case, looks after whole passes. */
#ifndef STUDY_RERUN_H
#define STUDY_RERUN_H

#include "judge/compare.h"
#include "run/run.h"

struct rerun_request {
    struct store *store;
    struct nursery *nursery;
    const struct view_cell *cells[2];
    int64_t budget;         /* trials of each side at most; of cases: in whole passes */
    double max_seconds;     /* of measuring; 0: no limit */
    bool stops_early;       /* at a verdict; else the budget is used up */
    bool must_differ;       /* refuse what would run the same thing twice */
    struct compare_how how; /* how.metric NULL: the primary metric */
    const struct value *command;
    const char *assay_version;
    struct run_listener listener;
};

struct rerun_answer {
    char run_id[UUID_SIZE];
    int64_t rounds;
    size_t looks;
    double level; /* of the last look: the alpha that its interval has */
    bool is_interrupted;
    struct compare compare; /* of the new run's two arms, at that level */
};

MUST_USE bool rerun_cells(const struct rerun_request *request, struct arena *out,
                          struct rerun_answer *answer, struct error *err);

/* The plan of a spec's first two cells as one group of two arms. */
MUST_USE bool rerun_plan(const struct spec *spec, struct arena *out, struct plan **plan,
                         struct error *err);

#endif
