#include "model/trial.h"

const char *trial_status_name(enum trial_status s)
{
    static const char *const names[TRIAL_STATUS_COUNT] = {
        [TRIAL_OK] = "ok",
        [TRIAL_FAILED] = "failed",
        [TRIAL_TIMED_OUT] = "timed_out",
        [TRIAL_LIMIT_BREACHED] = "limit_breached",
        [TRIAL_INVALID_OUTPUT] = "invalid_output",
        [TRIAL_AGENT_ERROR] = "agent_error",
        [TRIAL_HARNESS_ERROR] = "harness_error",
    };
    CHECK(s < TRIAL_STATUS_COUNT);
    return names[s];
}

const char *trial_phase_name(enum trial_phase p)
{
    CHECK(p < PHASE_COUNT);
    return p == PHASE_WARMUP ? "warmup" : "measured";
}

void trial_counts_check(const struct trial_counts *c)
{
    int64_t sum = 0;
    for (int i = 0; i < TRIAL_STATUS_COUNT; i++) sum += c->by_status[i];
    CHECK(sum == c->attempted);
}
