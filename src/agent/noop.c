/* The agent that does nothing: what an answer costs on our side of the call. */
#include "agent/agent.h"

static bool noop_open(void *state, const void *config, struct arena *arena, struct error *err)
{
    (void)state;
    (void)config;
    (void)arena;
    (void)err;
    return true;
}

static enum trial_status noop_answer(void *state, const struct agent_request *request,
                                     struct agent_answer *answer, struct error *err)
{
    (void)state;
    (void)request;
    (void)answer;
    (void)err;
    return TRIAL_OK;
}

static void noop_close(void *state)
{
    (void)state;
}

const struct agent_kind agent_noop = {
    .name = "noop",
    .summary = "answers nothing at once: measures the harness itself",
    .open = noop_open,
    .answer = noop_answer,
    .close = noop_close,
};
