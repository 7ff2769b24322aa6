/* demand.h - whether this machine has what an experiment asks for (experiment.h). */
#ifndef RUN_DEMAND_H
#define RUN_DEMAND_H

#include "experiment/experiment.h"

/* False (ERROR_UNAVAILABLE) with how much is asked for and by which parameters, where it is more
 * than the memory that is available or the room where `folder` is. What cannot be found out is
 * taken for enough. */
MUST_USE bool demand_is_met(const struct experiment_demand *demand, const char *folder,
                            struct error *err);

#endif
