/* demand.h - whether this machine has what an experiment asks for (experiment.h). */
#ifndef RUN_DEMAND_H
#define RUN_DEMAND_H

#include "experiment/experiment.h"
#include "spec/plan.h"

/* What there is: of memory, and of room where a folder is. What cannot be found out is taken for
 * enough. */
struct demand_supply {
    double memory_bytes, disk_bytes;
};
struct demand_supply demand_supply(const char *folder);

/* False (ERROR_UNAVAILABLE) with how much is asked for and by which parameters, where it is more
 * than there is. */
MUST_USE bool demand_is_met(const struct experiment_demand *demand,
                            const struct demand_supply *supply, struct error *err);

/* The same of a cell whose arm would have its files below the temporary folder: which of the
 * plan's cells ask for too much, in `out`, a sentence and a line feed each. */
void demand_of_plan(const struct plan *plan, struct arena scratch, struct buf *out);

#endif
