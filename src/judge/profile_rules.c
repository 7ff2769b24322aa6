/* One function per rule. A rule fires on stored values and says which; without
 * its cause it is silent. */
#include "judge/profile.h"

#include <math.h>

static const double slow_phase_share = 0.4;
static const double serial_share = 0.1;
static const double wasted_share = 0.05;
static const double cache_share = 0.5;
static const double one_processor_share = 0.9;
static const double hot_share = 0.4;
static const int64_t hot_samples_least = 50; /* a share of 0.4 is then known to +-0.14 */

static void add_bottleneck(struct profile *p, struct profile_bottleneck b)
{
    if (p->bottleneck_count < PROFILE_FINDINGS_MAX) p->bottlenecks[p->bottleneck_count++] = b;
}

static void add_opportunity(struct profile *p, struct profile_opportunity o)
{
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
static void slow_phase(struct profile *p, struct arena *out)
{
    for (size_t i = 0; p->phase_count > 1 && i < p->phase_count; i++) {
        const struct profile_phase *x = &p->phases[i];
        if (x->share < slow_phase_share) continue;
        add_bottleneck(
            p, (struct profile_bottleneck){
                   .location = str_cstr(out, x->name),
                   .impact_ms = per_trial_ms(p, x->total_s),
                   .cause = arena_printf(out,
                                         "%.0f %% of the time is spent in this phase [rule "
                                         "slow-phase: at least %.0f %%]",
                                         100 * x->share, 100 * slow_phase_share),
                   .suggestion = i == 0 ? "look here first: no other phase can gain more"
                                        : next_after(p, out),
                   .rule = "slow-phase",
               });
        add_opportunity(
            p,
            (struct profile_opportunity){
                .category = "latency",
                .improvement = arena_printf(
                    out,
                    "halving '%.*s' (%.1f ms of %.1f ms a trial) would save %.0f %% [rule "
                    "slow-phase: share %.2f, threshold %.2f]",
                    STR_ARG(x->name), per_trial_ms(p, x->total_s),
                    per_trial_ms(p, p->duration_s), 50 * x->share, x->share, slow_phase_share),
                .impact = x->share / 2,
                .effort = "medium",
                .rule = "slow-phase",
            });
    }
}

/* Phases of one name that wait for each other. */
static void serial_phases(struct profile *p, struct arena *out)
{
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct profile_phase *x = &p->phases[i];
        double share = x->avoidable_s / p->duration_s;
        if (!(share >= serial_share)) continue;
        add_bottleneck(
            p, (struct profile_bottleneck){
                   .location = str_cstr(out, x->name),
                   .impact_ms = per_trial_ms(p, x->avoidable_s),
                   .cause = arena_printf(
                       out,
                       "a serial section: %.1f of these phases a trial ran one after the other "
                       "[rule serial-phases: all but the longest are %.0f %% of the time, at "
                       "least %.0f %%]",
                       (double)x->count / (double)p->trials, 100 * share, 100 * serial_share),
                   .suggestion = "run them at the same time where they do not need each other",
                   .rule = "serial-phases",
               });
        add_opportunity(
            p, (struct profile_opportunity){
                   .category = "parallelism",
                   .improvement = arena_printf(
                       out,
                       "running '%.*s' at the same time would save up to %.1f ms a "
                       "trial [rule serial-phases: share %.2f, threshold %.2f]",
                       STR_ARG(x->name), per_trial_ms(p, x->avoidable_s), share, serial_share),
                   .impact = share,
                   .effort = "medium",
                   .rule = "serial-phases",
               });
    }
}

static void wasted_tokens(struct profile *p, struct arena *out)
{
    double all = p->all_tokens;
    double share = p->wasted_tokens / all;
    if (!(all > 0) || !(share >= wasted_share)) return;
    add_bottleneck(p, (struct profile_bottleneck){
                          .location = "tokens",
                          .impact_ms = NAN,
                          .cause = arena_printf(
                              out,
                              "%.0f of %.0f tokens went to attempts that failed or were made "
                              "again [rule wasted-tokens: %.0f %%, at least %.0f %%]",
                              p->wasted_tokens, all, 100 * share, 100 * wasted_share),
                          .suggestion = "find out why attempts fail: rate limits, answers that "
                                        "cannot be read, time limits",
                          .rule = "wasted-tokens",
                      });
    add_opportunity(p, (struct profile_opportunity){
                           .category = "tokens",
                           .improvement = arena_printf(
                               out,
                               "answers at the first attempt would save %.0f tokens [rule "
                               "wasted-tokens: share %.2f, threshold %.2f]",
                               p->wasted_tokens, share, wasted_share),
                           .impact = share,
                           .effort = "medium",
                           .rule = "wasted-tokens",
                       });
}

static void cache_misses(struct profile *p, struct arena *out)
{
    double share = p->cache_read_tokens / p->input_tokens;
    if (!(p->input_tokens > 0) || isnan(share) || share >= cache_share) return;
    double missed = p->input_tokens - p->cache_read_tokens;
    add_bottleneck(
        p, (struct profile_bottleneck){
               .location = "prompt cache",
               .impact_ms = NAN,
               .cause = arena_printf(out,
                                     "%.0f of %.0f input tokens missed the cache "
                                     "[rule cache-misses: %.0f %% hit, below %.0f %%]",
                                     missed, p->input_tokens, 100 * share, 100 * cache_share),
               .suggestion = "put what stays the same at the start of the prompt",
               .rule = "cache-misses",
           });
    add_opportunity(
        p, (struct profile_opportunity){
               .category = "cache",
               .improvement =
                   arena_printf(out,
                                "up to %.0f input tokens could come from the cache [rule "
                                "cache-misses: hit share %.2f, threshold %.2f]",
                                missed, share, cache_share),
               .impact = missed /
                         (p->input_tokens + (isnan(p->output_tokens) ? 0 : p->output_tokens)),
               .effort = "low",
               .rule = "cache-misses",
           });
}

/* Busy on one processor while others are idle. */
static void one_processor(struct profile *p, struct arena *out)
{
    bool is_busy = p->cpu_efficiency >= one_processor_share;
    bool is_alone = p->parallelization_score * (double)p->cpus <= 1.1;
    if (!is_busy || !is_alone || p->cpus < 2) return;
    add_opportunity(
        p,
        (struct profile_opportunity){
            .category = "parallelism",
            .improvement = arena_printf(
                out,
                "the work keeps one of %lld processors busy %.0f %% of the time: spread over "
                "all it would take at best %.0f %% less [rule one-processor: at least %.0f %%]",
                (long long)p->cpus, 100 * p->cpu_efficiency, 100 * (1 - 1 / (double)p->cpus),
                100 * one_processor_share),
            .impact = 1 - 1 / (double)p->cpus,
            .effort = "high",
            .rule = "one-processor",
        });
}

/* One function has most of the samples to itself. Functions are the most sampled first. */
static void hot_function(struct profile *p, struct arena *out)
{
    if (p->samples < hot_samples_least || p->function_count == 0) return;
    const struct profile_function *f = &p->functions[0];
    double share = (double)f->self / (double)p->samples;
    bool has_name = f->name.n > 0 && f->name.p[0] != '[' && f->name.p[0] != '(';
    if (!(share >= hot_share) || !has_name) return;
    double cpu_ms = per_trial_ms(p, p->cpu_s);
    add_bottleneck(
        p, (struct profile_bottleneck){
               .location = str_cstr(out, f->name),
               .impact_ms = share * cpu_ms,
               .cause = arena_printf(out,
                                     "%.0f %% of the processor time is spent in this function "
                                     "itself [rule hot-function: %lld of %lld samples, at "
                                     "least %.0f %% of %lld or more]",
                                     100 * share, (long long)f->self, (long long)p->samples,
                                     100 * hot_share, (long long)hot_samples_least),
               .suggestion = "make it cheaper, or call it less often",
               .rule = "hot-function",
           });
    add_opportunity(p, (struct profile_opportunity){
                           .category = "cpu",
                           .improvement = arena_printf(
                               out,
                               "halving the work of '%.*s' would save %.0f %% of the "
                               "processor time [rule hot-function: share %.2f, "
                               "threshold %.2f]",
                               STR_ARG(f->name), 50 * share, share, hot_share),
                           .impact = share / 2,
                           .effort = "medium",
                           .rule = "hot-function",
                       });
}

void profile_judge(struct profile *p, struct arena *out)
{
    slow_phase(p, out);
    serial_phases(p, out);
    wasted_tokens(p, out);
    cache_misses(p, out);
    one_processor(p, out);
    hot_function(p, out);
}
