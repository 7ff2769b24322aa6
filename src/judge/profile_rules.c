/* The rules of a profile, a row each at the end of the file. A rule fires on stored
 * values beyond its threshold and gives both; without its cause it is silent. All read
 * the profile and add findings; none looks at another's. The words are those of
 * report/profile_words.h. */
#include "judge/profile.h"

#include <math.h>

static void add_bottleneck(struct profile *p, struct profile_finding found, double impact_ms)
{
    if (p->bottleneck_count == PROFILE_FINDINGS_MAX) return;
    p->bottlenecks[p->bottleneck_count++] = (struct profile_bottleneck){found, impact_ms};
}

static void add_opportunity(struct profile *p, struct profile_opportunity o)
{
    if (p->opportunity_count == PROFILE_FINDINGS_MAX) return;
    p->opportunities[p->opportunity_count++] = o;
}

static double per_trial_ms(const struct profile *p, double seconds)
{
    return p->trials ? seconds * 1e3 / (double)p->trials : (double)NAN;
}

/* One phase of several takes most of the time; phases are longest first. */
static void slow_phase(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    for (size_t i = 0; p->phase_count > 1 && i < p->phase_count; i++) {
        const struct profile_phase *x = &p->phases[i];
        if (x->share < rule->threshold) continue;
        struct profile_finding found = {.rule = PROFILE_SLOW_PHASE,
                                        .location = str_cstr(out, x->name),
                                        .before = i ? str_cstr(out, p->phases[0].name) : NULL,
                                        .share = x->share,
                                        .threshold = rule->threshold,
                                        .part = per_trial_ms(p, x->total_s),
                                        .whole = per_trial_ms(p, p->duration_s)};
        add_bottleneck(p, found, found.part);
        add_opportunity(p,
                        (struct profile_opportunity){found, "latency", x->share / 2, "medium"});
    }
}

/* Phases of one name that wait for each other. */
static void serial_phases(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct profile_phase *x = &p->phases[i];
        double share = x->avoidable_s / p->duration_s;
        if (!(share >= rule->threshold)) continue;
        struct profile_finding found = {.rule = PROFILE_SERIAL_PHASES,
                                        .location = str_cstr(out, x->name),
                                        .share = share,
                                        .threshold = rule->threshold,
                                        .part = (double)x->count / (double)p->trials,
                                        .whole = per_trial_ms(p, x->avoidable_s)};
        add_bottleneck(p, found, found.whole);
        add_opportunity(p, (struct profile_opportunity){found, "parallelism", share, "medium"});
    }
}

static void wasted_tokens(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    (void)out;
    double all = p->all_tokens;
    double share = p->wasted_tokens / all;
    if (!(all > 0) || !(share >= rule->threshold)) return;
    struct profile_finding found = {.rule = PROFILE_WASTED_TOKENS,
                                    .location = "tokens",
                                    .share = share,
                                    .threshold = rule->threshold,
                                    .part = p->wasted_tokens,
                                    .whole = all};
    add_bottleneck(p, found, NAN);
    add_opportunity(p, (struct profile_opportunity){found, "tokens", share, "medium"});
}

static void cache_misses(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    (void)out;
    double share = p->cache_read_tokens / p->input_tokens;
    if (!(p->input_tokens > 0) || isnan(share) || share >= rule->threshold) return;
    double missed = p->input_tokens - p->cache_read_tokens;
    struct profile_finding found = {.rule = PROFILE_CACHE_MISSES,
                                    .location = "prompt cache",
                                    .share = share,
                                    .threshold = rule->threshold,
                                    .part = missed,
                                    .whole = p->input_tokens};
    double all = p->input_tokens + (isnan(p->output_tokens) ? 0 : p->output_tokens);
    add_bottleneck(p, found, NAN);
    add_opportunity(p, (struct profile_opportunity){found, "cache", missed / all, "low"});
}

/* Busy on one processor while others are idle. */
static void one_processor(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    (void)out;
    bool is_busy = p->cpu_efficiency >= rule->threshold;
    bool is_alone = p->parallelization_score * (double)p->cpus <= 1.1;
    if (!is_busy || !is_alone || p->cpus < 2) return;
    struct profile_finding found = {.rule = PROFILE_ONE_PROCESSOR,
                                    .location = "processors",
                                    .share = p->cpu_efficiency,
                                    .threshold = rule->threshold,
                                    .whole = (double)p->cpus};
    double impact = 1 - 1 / (double)p->cpus;
    add_opportunity(p, (struct profile_opportunity){found, "parallelism", impact, "high"});
}

/* One function has most of the samples to itself. Functions are the most sampled first. */
static void hot_function(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    if (p->samples < PROFILE_HOT_LEAST || p->function_count == 0) return;
    const struct profile_function *f = &p->functions[0];
    double share = (double)f->self / (double)p->samples;
    bool has_name = f->name.n > 0 && f->name.p[0] != '[' && f->name.p[0] != '(';
    if (!(share >= rule->threshold) || !has_name) return;
    struct profile_finding found = {.rule = PROFILE_HOT_FUNCTION,
                                    .location = str_cstr(out, f->name),
                                    .share = share,
                                    .threshold = rule->threshold,
                                    .part = (double)f->self,
                                    .whole = (double)p->samples};
    add_bottleneck(p, found, share * per_trial_ms(p, p->cpu_s));
    add_opportunity(p, (struct profile_opportunity){found, "cpu", share / 2, "medium"});
}

static const struct profile_rule rules[PROFILE_RULE_COUNT] = {
    [PROFILE_SLOW_PHASE] = {.name = "slow-phase",
                            .summary =
                                "one phase of several takes at least this share of the time",
                            .threshold = 0.4,
                            .find = slow_phase},
    [PROFILE_SERIAL_PHASES] =
        {.name = "serial-phases",
         .summary =
             "phases of one name wait for each other for at least this share of the time",
         .threshold = 0.1,
         .find = serial_phases},
    [PROFILE_WASTED_TOKENS] =
        {.name = "wasted-tokens",
         .summary = "at least this share of the tokens went to attempts that failed",
         .threshold = 0.05,
         .find = wasted_tokens},
    [PROFILE_CACHE_MISSES] =
        {.name = "cache-misses",
         .summary = "less than this share of the input tokens came from the prompt cache",
         .threshold = 0.5,
         .find = cache_misses},
    [PROFILE_ONE_PROCESSOR] =
        {.name = "one-processor",
         .summary = "one of several processors is busy for at least this share of the time",
         .threshold = 0.9,
         .find = one_processor},
    [PROFILE_HOT_FUNCTION] =
        {.name = "hot-function",
         .summary = "one function has at least this share of the samples to itself",
         .threshold = 0.4,
         .find = hot_function},
};

REGISTRY_TABLE(struct profile_rule, profile_rule, rules)

void profile_judge(struct profile *p, struct arena *out)
{
    for (size_t i = 0; i < COUNT(rules); i++) rules[i].find(p, &rules[i], out);
}
