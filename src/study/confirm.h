/* confirm.h - is an alarm still there when both versions are measured again?
 *
 * An alarm is one result among many, of runs at different times; the likeliest
 * to be raised is the one that chance helped. So both versions of its cell are
 * measured again, taking turns (study/rerun.h), and the same rule is applied
 * to the new trials alone:
 *
 *   confirmed        it holds again
 *   not_confirmed    it does not: the row is not a regression any more, but none, or
 *                    undecided where the new interval holds the threshold
 *   cannot_be_rerun  with the reason; the alarm stays as it was
 *
 * Nothing is stopped early: one look, at the whole of alpha. Rules over several
 * benchmarks or many versions (systemic, slow_drift) cannot be decided by two
 * versions of one cell. */
#ifndef STUDY_CONFIRM_H
#define STUDY_CONFIRM_H

#include "history/regress.h"
#include "run/run.h"

struct confirm_request {
    struct store *store;
    struct nursery *nursery;
    const struct regress_question *question;
    int64_t budget;     /* trials of each version; of cases: in whole passes */
    double max_seconds; /* of measuring one cell */
    const struct value *command;
    const char *assay_version;
    struct run_listener listener;
};

/* Gives every found row its `again`, and concludes again. */
MUST_USE bool confirm_alarms(const struct confirm_request *request, struct arena *out,
                             struct regress *r, struct error *err);

#endif
