/* The empty body: what a reading of nothing is on the path of every other
 * experiment. The difference to zero is our own overhead. */
#include "experiment/experiment.h"

static enum trial_status noop_execute_once(struct trial *t, void *state)
{
    (void)t;
    (void)state;
    return TRIAL_OK;
}

const struct experiment experiment_noop = {
    .name = "noop",
    .summary = "does nothing: measures the harness itself",
    .execute_once = noop_execute_once,
};
