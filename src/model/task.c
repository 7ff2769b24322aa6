#include "model/task.h"

#include <math.h>

bool agent_folder_stays(const char *const *folders, const char *written, const char *now,
                        struct error *err)
{
    for (size_t i = 0; folders && folders[i] && folders[i + 1]; i += 2) {
        if (strcmp(folders[i], written) != 0 || strcmp(folders[i + 1], now) == 0) continue;
        return error_set(err, ERROR_INVALID,
                         "the working folder '%s' was '%s' when the run began, and leads to "
                         "'%s' now: another agent may have replaced it",
                         written, folders[i + 1], now);
    }
    return true;
}

void agent_answer_init(struct agent_answer *a)
{
    *a = (struct agent_answer){
        .input_tokens = NAN,
        .output_tokens = NAN,
        .cache_read_tokens = NAN,
        .wasted_tokens = NAN,
        .wasted_input_tokens = NAN,
        .api_calls = NAN,
        .retries = NAN,
        .cost_usd = NAN,
        .first_token_s = NAN,
        .stream_s = NAN,
        .ready_s = NAN,
        .connections = NAN,
    };
}

/* NaN counts as nothing: an agent may report only one of them. */
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
    /* Attempts that broke off were paid for too, prompt and tokens. */
    double wasted_input = known(a->wasted_input_tokens);
    double wasted_output = known(a->wasted_tokens) - wasted_input;
    return ((fresh + wasted_input) * known(p->input) + cached * known(p->cache_read) +
            (known(a->output_tokens) + wasted_output) * known(p->output)) *
           1e-6;
}

size_t agent_output_max(const struct agent_limits *limits)
{
    return limits->output_bytes > 0 ? (size_t)limits->output_bytes : AGENT_OUTPUT_DEFAULT;
}

bool agent_limits_hold(const struct agent_limits *limits, double tokens, double cost_usd,
                       struct error *err)
{
    if (limits->tokens > 0 && tokens > (double)limits->tokens) {
        return error_set(err, ERROR_FAILED, "used %.0f tokens, the limit is %lld", tokens,
                         (long long)limits->tokens);
    }
    if (limits->cost_usd > 0 && cost_usd > limits->cost_usd) {
        return error_set(err, ERROR_FAILED, "cost %g USD, the limit is %g USD", cost_usd,
                         limits->cost_usd);
    }
    return true;
}

enum trial_status agent_answer_settle(struct agent_answer *a, const struct agent_env *env,
                                      enum trial_status status)
{
    if (isnan(a->cost_usd)) a->cost_usd = cost_by_prices(a, &env->prices);
    if (status != TRIAL_OK) return status;
    size_t most = agent_output_max(&env->limits);
    if (a->output.n > most) {
        error_set(&a->error, ERROR_FAILED, "the answer has %zu bytes, the limit is %zu",
                  a->output.n, most);
        a->output.n = str_utf8_prefix((struct str){a->output.p, most});
        return TRIAL_LIMIT_BREACHED;
    }
    double tokens = known(a->input_tokens) + known(a->output_tokens);
    bool holds = agent_limits_hold(&env->limits, tokens, a->cost_usd, &a->error);
    return holds ? status : TRIAL_LIMIT_BREACHED;
}
