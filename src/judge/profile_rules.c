/* The rules of a profile, a row each at the end of the file. A rule fires on stored
 * values beyond its threshold and says both; without its cause it is silent. All
 * read the profile and add findings; none looks at another's. */
#include "judge/profile.h"

#include <math.h>

enum { HOT_SAMPLES_LEAST = 50 }; /* a share of 0.4 is then known to +-0.14 */

static void add_bottleneck(struct profile *p, const struct profile_rule *rule,
                           struct profile_bottleneck b)
{
    b.rule = rule->name;
    if (p->bottleneck_count < PROFILE_FINDINGS_MAX) p->bottlenecks[p->bottleneck_count++] = b;
}

static void add_opportunity(struct profile *p, const struct profile_rule *rule,
                            struct profile_opportunity o)
{
    o.rule = rule->name;
    if (p->opportunity_count < PROFILE_FINDINGS_MAX)
        p->opportunities[p->opportunity_count++] = o;
}

static double per_trial_ms(const struct profile *p, double seconds)
{
    return p->trials ? seconds * 1e3 / (double)p->trials : (double)NAN;
}

static const char *next_after(const struct profile *p, struct arena *out)
{
    return arena_printf(out, "look here after '%.*s', which takes longer",
                        STR_ARG(p->phases[0].name));
}

/* One phase of several takes most of the time; phases are longest first. */
static void slow_phase(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    for (size_t i = 0; p->phase_count > 1 && i < p->phase_count; i++) {
        const struct profile_phase *x = &p->phases[i];
        if (x->share < rule->threshold) continue;
        add_bottleneck(
            p, rule,
            (struct profile_bottleneck){
                .location = str_cstr(out, x->name),
                .impact_ms = per_trial_ms(p, x->total_s),
                .cause = arena_printf(out,
                                      "%.0f %% of the time is spent in this phase [rule "
                                      "slow-phase: at least %.0f %%]",
                                      100 * x->share, 100 * rule->threshold),
                .suggestion = i == 0 ? "look here first: no other phase can gain more"
                                     : next_after(p, out),
            });
        add_opportunity(
            p, rule,
            (struct profile_opportunity){
                .category = "latency",
                .improvement = arena_printf(
                    out,
                    "halving '%.*s' (%.1f ms of %.1f ms a trial) would save %.0f %% [rule "
                    "slow-phase: share %.2f, threshold %.2f]",
                    STR_ARG(x->name), per_trial_ms(p, x->total_s),
                    per_trial_ms(p, p->duration_s), 50 * x->share, x->share, rule->threshold),
                .impact = x->share / 2,
                .effort = "medium",
            });
    }
}

/* Phases of one name that wait for each other. */
static void serial_phases(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct profile_phase *x = &p->phases[i];
        double share = x->avoidable_s / p->duration_s;
        if (!(share >= rule->threshold)) continue;
        add_bottleneck(
            p, rule,
            (struct profile_bottleneck){
                .location = str_cstr(out, x->name),
                .impact_ms = per_trial_ms(p, x->avoidable_s),
                .cause = arena_printf(
                    out,
                    "a serial section: %.1f of these phases a trial ran one after the other "
                    "[rule serial-phases: all but the longest are %.0f %% of the time, at "
                    "least %.0f %%]",
                    (double)x->count / (double)p->trials, 100 * share, 100 * rule->threshold),
                .suggestion = "run them at the same time where they do not need each other",
            });
        add_opportunity(
            p, rule,
            (struct profile_opportunity){
                .category = "parallelism",
                .improvement = arena_printf(
                    out,
                    "running '%.*s' at the same time would save up to %.1f ms a "
                    "trial [rule serial-phases: share %.2f, threshold %.2f]",
                    STR_ARG(x->name), per_trial_ms(p, x->avoidable_s), share, rule->threshold),
                .impact = share,
                .effort = "medium",
            });
    }
}

static void wasted_tokens(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    double all = p->all_tokens;
    double share = p->wasted_tokens / all;
    if (!(all > 0) || !(share >= rule->threshold)) return;
    add_bottleneck(p, rule,
                   (struct profile_bottleneck){
                       .location = "tokens",
                       .impact_ms = NAN,
                       .cause = arena_printf(
                           out,
                           "%.0f of %.0f tokens went to attempts that failed or were made "
                           "again [rule wasted-tokens: %.0f %%, at least %.0f %%]",
                           p->wasted_tokens, all, 100 * share, 100 * rule->threshold),
                       .suggestion = "find out why attempts fail: rate limits, answers that "
                                     "cannot be read, time limits",
                   });
    add_opportunity(p, rule,
                    (struct profile_opportunity){
                        .category = "tokens",
                        .improvement = arena_printf(
                            out,
                            "answers at the first attempt would save %.0f tokens [rule "
                            "wasted-tokens: share %.2f, threshold %.2f]",
                            p->wasted_tokens, share, rule->threshold),
                        .impact = share,
                        .effort = "medium",
                    });
}

static void cache_misses(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    double share = p->cache_read_tokens / p->input_tokens;
    if (!(p->input_tokens > 0) || isnan(share) || share >= rule->threshold) return;
    double missed = p->input_tokens - p->cache_read_tokens;
    add_bottleneck(
        p, rule,
        (struct profile_bottleneck){
            .location = "prompt cache",
            .impact_ms = NAN,
            .cause = arena_printf(out,
                                  "%.0f of %.0f input tokens missed the cache "
                                  "[rule cache-misses: %.0f %% hit, below %.0f %%]",
                                  missed, p->input_tokens, 100 * share, 100 * rule->threshold),
            .suggestion = "put what stays the same at the start of the prompt",
        });
    add_opportunity(p, rule,
                    (struct profile_opportunity){
                        .category = "cache",
                        .improvement = arena_printf(
                            out,
                            "up to %.0f input tokens could come from the cache [rule "
                            "cache-misses: hit share %.2f, threshold %.2f]",
                            missed, share, rule->threshold),
                        .impact = missed / (p->input_tokens +
                                            (isnan(p->output_tokens) ? 0 : p->output_tokens)),
                        .effort = "low",
                    });
}

/* Busy on one processor while others are idle. */
static void one_processor(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    bool is_busy = p->cpu_efficiency >= rule->threshold;
    bool is_alone = p->parallelization_score * (double)p->cpus <= 1.1;
    if (!is_busy || !is_alone || p->cpus < 2) return;
    add_opportunity(
        p, rule,
        (struct profile_opportunity){
            .category = "parallelism",
            .improvement = arena_printf(
                out,
                "the work keeps one of %lld processors busy %.0f %% of the time: spread over "
                "all it would take at best %.0f %% less [rule one-processor: at least %.0f %%]",
                (long long)p->cpus, 100 * p->cpu_efficiency, 100 * (1 - 1 / (double)p->cpus),
                100 * rule->threshold),
            .impact = 1 - 1 / (double)p->cpus,
            .effort = "high",
        });
}

/* One function has most of the samples to itself. Functions are the most sampled first. */
static void hot_function(struct profile *p, const struct profile_rule *rule, struct arena *out)
{
    if (p->samples < HOT_SAMPLES_LEAST || p->function_count == 0) return;
    const struct profile_function *f = &p->functions[0];
    double share = (double)f->self / (double)p->samples;
    bool has_name = f->name.n > 0 && f->name.p[0] != '[' && f->name.p[0] != '(';
    if (!(share >= rule->threshold) || !has_name) return;
    double cpu_ms = per_trial_ms(p, p->cpu_s);
    add_bottleneck(
        p, rule,
        (struct profile_bottleneck){
            .location = str_cstr(out, f->name),
            .impact_ms = share * cpu_ms,
            .cause = arena_printf(out,
                                  "%.0f %% of the processor time is spent in this function "
                                  "itself [rule hot-function: %lld of %lld samples, at "
                                  "least %.0f %% of %lld or more]",
                                  100 * share, (long long)f->self, (long long)p->samples,
                                  100 * rule->threshold, (long long)HOT_SAMPLES_LEAST),
            .suggestion = "make it cheaper, or call it less often",
        });
    add_opportunity(
        p, rule,
        (struct profile_opportunity){
            .category = "cpu",
            .improvement = arena_printf(out,
                                        "halving the work of '%.*s' would save %.0f %% of the "
                                        "processor time [rule hot-function: share %.2f, "
                                        "threshold %.2f]",
                                        STR_ARG(f->name), 50 * share, share, rule->threshold),
            .impact = share / 2,
            .effort = "medium",
        });
}

static const struct profile_rule rules[] = {
    {.name = "slow-phase",
     .summary = "one phase of several takes at least this share of the time",
     .threshold = 0.4,
     .find = slow_phase},
    {.name = "serial-phases",
     .summary = "phases of one name wait for each other for at least this share of the time",
     .threshold = 0.1,
     .find = serial_phases},
    {.name = "wasted-tokens",
     .summary = "at least this share of the tokens went to attempts that failed",
     .threshold = 0.05,
     .find = wasted_tokens},
    {.name = "cache-misses",
     .summary = "less than this share of the input tokens came from the prompt cache",
     .threshold = 0.5,
     .find = cache_misses},
    {.name = "one-processor",
     .summary = "one of several processors is busy for at least this share of the time",
     .threshold = 0.9,
     .find = one_processor},
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
