#include "model/task.h"

#include <math.h>

static const double tokens_most = 9007199254740992, cost_most_usd = 1e9;

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

/* What no agent can have used is dropped, or sums and costs would be infinite, and whole
 * numbers beyond 2^53 are not exact. Reported by agents of every kind, so looked at here. */
static bool drop_impossible(struct agent_answer *a, struct error *err)
{
    const struct {
        const char *name;
        double *value, most;
    } rows[] = {
        {"input_tokens", &a->input_tokens, tokens_most},
        {"output_tokens", &a->output_tokens, tokens_most},
        {"cache_read_tokens", &a->cache_read_tokens, tokens_most},
        {"wasted_input_tokens", &a->wasted_input_tokens, tokens_most},
        {"wasted_tokens", &a->wasted_tokens, tokens_most},
        {"api_calls", &a->api_calls, tokens_most},
        {"cost_usd", &a->cost_usd, cost_most_usd},
    };
    bool is_possible = true;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double v = *rows[i].value;
        if (isnan(v) || (v >= 0 && v <= rows[i].most)) continue;
        if (is_possible)
            error_set(err, ERROR_INVALID, "usage: %s is %g; it must be from 0 to %.16g",
                      rows[i].name, v, rows[i].most);
        *rows[i].value = NAN;
        is_possible = false;
    }
    return is_possible;
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
    struct error why = {0};
    bool is_possible = drop_impossible(a, &why);
    if (isnan(a->cost_usd) && is_possible) {
        a->cost_usd = cost_by_prices(a, &env->prices);
        is_possible = drop_impossible(a, &why);
    }
    if (status != TRIAL_OK) return status;
    if (!is_possible) {
        a->error = why;
        return TRIAL_INVALID_OUTPUT;
    }
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
