/* Gives every task an empty answer at once: what is left is our own cost. */
#include "agent/agent.h"

static bool noop_open(void *state, const void *config, const struct agent_env *env,
                      struct error *err)
{
    (void)state;
    (void)config;
    (void)env;
    (void)err;
    return true;
}

static enum trial_status noop_ask(void *state, const struct agent_task *task)
{
    (void)state;
    (void)task;
    return TRIAL_OK;
}

static enum trial_status noop_conclude(void *state, const struct agent_task *task,
                                       enum trial_status status, struct agent_answer *answer)
{
    (void)state;
    (void)task;
    agent_answer_init(answer);
    return status;
}

static void noop_close(void *state)
{
    (void)state;
}

const struct agent_kind agent_noop = {
    .name = "noop",
    .summary = "does nothing: measures the harness itself",
    .is_local = true,
    .open = noop_open,
    .ask = noop_ask,
    .conclude = noop_conclude,
    .close = noop_close,
};
