#include "model/task.h"

#include <math.h>

void agent_answer_init(struct agent_answer *a)
{
    *a = (struct agent_answer){
        .input_tokens = NAN,
        .output_tokens = NAN,
        .cache_read_tokens = NAN,
        .wasted_tokens = NAN,
        .api_calls = NAN,
        .retries = NAN,
        .cost_usd = NAN,
        .first_token_s = NAN,
        .connections = NAN,
    };
}

/* NaN counts as nothing: an agent may tell only one of them. */
static double known(double v)
{
    return isnan(v) ? 0 : v;
}

static double cost_by_prices(const struct agent_answer *a, const struct agent_prices *p)
{
    bool is_free = p->input == 0 && p->output == 0;
    if (is_free) return 0;
    if (isnan(a->input_tokens) && isnan(a->output_tokens)) return NAN;
    if (isnan(p->input) && isnan(p->output)) return NAN;
    /* Tokens read from a cache are a part of the input, at a price of their own
     * where there is one. */
    double cached = isnan(p->cache_read) ? 0 : known(a->cache_read_tokens);
    double fresh = fmax(known(a->input_tokens) - cached, 0);
    return (fresh * known(p->input) + cached * known(p->cache_read) +
            (known(a->output_tokens) + known(a->wasted_tokens)) * known(p->output)) *
           1e-6;
}

enum trial_status agent_answer_settle(struct agent_answer *a, const struct agent_env *env,
                                      enum trial_status status)
{
    if (isnan(a->cost_usd)) a->cost_usd = cost_by_prices(a, &env->prices);
    if (status != TRIAL_OK) return status;
    double tokens = known(a->input_tokens) + known(a->output_tokens);
    if (env->limits.tokens > 0 && tokens > (double)env->limits.tokens) {
        error_set(&a->error, ERROR_FAILED, "used %.0f tokens, the limit is %lld", tokens,
                  (long long)env->limits.tokens);
        return TRIAL_LIMIT_BREACHED;
    }
    if (env->limits.cost_usd > 0 && a->cost_usd > env->limits.cost_usd) {
        error_set(&a->error, ERROR_FAILED, "cost %g USD, the limit is %g USD", a->cost_usd,
                  env->limits.cost_usd);
        return TRIAL_LIMIT_BREACHED;
    }
    return status;
}
