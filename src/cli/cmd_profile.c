/* assay profile: where time and tokens went, and what would help. */
#include "base/human.h"
#include "base/json.h"
#include "base/os.h"
#include "cli/stored.h"
#include "judge/profile.h"
#include "report/flame.h"

#include <inttypes.h>
#include <math.h>

struct profile_options {
    const char *agent;
    const char *flame;
    int64_t top;
};

static const struct param options[] = {
    {.name = "agent",
     .letter = 'a',
     .type = PARAM_TEXT,
     .offset = offsetof(struct profile_options, agent),
     .argument = "NAME",
     .help = "only executions of this agent"},
    {.name = "flame",
     .type = PARAM_TEXT,
     .offset = offsetof(struct profile_options, flame),
     .argument = "FILE",
     .help = "write the sampled stacks as a flame graph (SVG)"},
    {.name = "top",
     .type = PARAM_INT,
     .offset = offsetof(struct profile_options, top),
     .fallback = "10",
     .max = INFINITY,
     .help = "functions to list"},
};

static bool is_shown(const struct profile_options *o, const struct profile *p)
{
    return !o->agent || (p->agent && strcmp(o->agent, p->agent) == 0);
}

/* ---- JSON: the keys of the requirement ---- */

static void put_phases(struct json *j, const struct profile *p)
{
    json_key(j, "execution_phases");
    json_list(j);
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct profile_phase *x = &p->phases[i];
        json_object(j);
        json_key(j, "phase_name");
        json_str(j, x->name);
        json_put_real(j, "duration_ms", p->trials ? x->total_s * 1e3 / (double)p->trials : 0);
        json_put_real(j, "percentage_of_total", 100 * x->share);
        json_key(j, "resource_usage");
        json_object(j);
        json_put_real(j, "cpu_percent", 100 * x->cpu_s / x->total_s);
        json_put_real(j, "memory_mb", x->memory_mb);
        json_put_real(j, "io_operations", x->io_operations);
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

static void put_bottlenecks(struct json *j, const struct profile *p)
{
    json_key(j, "bottlenecks");
    json_list(j);
    for (size_t i = 0; i < p->bottleneck_count; i++) {
        const struct profile_bottleneck *b = &p->bottlenecks[i];
        json_object(j);
        json_put_text(j, "location", b->location);
        json_put_real(j, "impact_ms", b->impact_ms);
        json_put_text(j, "cause", b->cause);
        json_put_text(j, "optimization_suggestion", b->suggestion);
        json_put_text(j, "rule", b->rule);
        json_end(j);
    }
    json_end(j);
}

static void put_utilization(struct json *j, const struct profile *p)
{
    json_key(j, "resource_utilization");
    json_object(j);
    json_put_real(j, "cpu_efficiency", p->cpu_efficiency);
    json_put_real(j, "memory_efficiency", p->memory_efficiency);
    json_put_real(j, "io_efficiency", p->io_efficiency);
    json_put_real(j, "parallelization_score", p->parallelization_score);
    json_end(j);
    json_key(j, "token_analysis");
    json_object(j);
    json_put_real(j, "input_tokens", p->input_tokens);
    json_put_real(j, "output_tokens", p->output_tokens);
    json_put_real(j, "cache_hits", p->cache_read_tokens);
    json_put_real(j, "wasted_tokens", p->wasted_tokens);
    json_put_real(j, "token_efficiency", p->token_efficiency);
    json_end(j);
}

static void put_functions(struct json *j, const struct profile *p, int64_t top)
{
    json_put_int(j, "samples", p->samples);
    json_key(j, "functions");
    json_list(j);
    for (size_t i = 0; i < p->function_count && (int64_t)i < top; i++) {
        json_object(j);
        json_key(j, "function");
        json_str(j, p->functions[i].name);
        json_put_int(j, "self", p->functions[i].self);
        json_put_int(j, "total", p->functions[i].total);
        json_end(j);
    }
    json_end(j);
}

static void put_profile(struct json *j, const struct profile *p, int64_t top)
{
    json_object(j);
    json_put_text(j, "agent_id", p->execution.agent_id);
    json_put_text(j, "agent", p->agent);
    json_put_text(j, "benchmark", p->benchmark);
    json_put_text(j, "execution_id", p->execution.id);
    json_put_text(j, "label", p->execution.label);
    json_key(j, "profile_data");
    json_object(j);
    json_put_text(j, "phases_from",
                  p->phases_are_measured ? "assay"
                  : p->phases_are_seen   ? "stream"
                                         : "agent");
    put_phases(j, p);
    put_bottlenecks(j, p);
    put_utilization(j, p);
    put_functions(j, p, top);
    json_end(j);
    json_key(j, "optimization_opportunities");
    json_list(j);
    for (size_t i = 0; i < p->opportunity_count; i++) {
        const struct profile_opportunity *x = &p->opportunities[i];
        json_object(j);
        json_put_text(j, "category", x->category);
        json_put_text(j, "potential_improvement", x->improvement);
        json_put_real(j, "estimated_impact", x->impact);
        json_put_text(j, "implementation_effort", x->effort);
        json_put_text(j, "rule", x->rule);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

/* ---- text ---- */

static void print_phases(struct buf *b, const struct profile *p)
{
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct profile_phase *x = &p->phases[i];
        char time[HUMAN_SIZE];
        human_value("s", x->total_s / (double)(p->trials ? p->trials : 1), time);
        buf_printf(b, "  %-28.*s %10s %5.1f %%  ", STR_ARG(x->name), time, 100 * x->share);
        for (int bar = 0; bar < (int)(x->share * 30 + 0.5); bar++) buf_text(b, "\u2588");
        buf_add_char(b, '\n');
    }
}

static void print_profile(struct buf *b, const struct profile *p, int64_t top)
{
    buf_printf(b, "%s: %zu trials", p->execution.label, p->trials);
    if (p->failed) buf_printf(b, ", %zu more failed", p->failed);
    buf_add_char(b, '\n');
    if (p->phase_count == 0 && p->samples == 0) {
        buf_text(b, "  no phases reported and no stacks sampled; add `profile` to "
                    "instrumentation, or let the agent report phases\n");
    }
    print_phases(b, p);
    if (!isnan(p->input_tokens)) {
        buf_printf(b, "  tokens: %.0f in", p->input_tokens);
        if (!isnan(p->cache_read_tokens)) {
            buf_printf(b, " (%.0f from the cache)", p->cache_read_tokens);
        }
        buf_printf(b, ", %.0f out, %.0f wasted\n",
                   isnan(p->output_tokens) ? 0 : p->output_tokens,
                   isnan(p->wasted_tokens) ? 0 : p->wasted_tokens);
    }
    if (p->samples > 0) buf_printf(b, "  %" PRId64 " samples: self, total\n", p->samples);
    for (size_t i = 0; i < p->function_count && (int64_t)i < top; i++) {
        const struct profile_function *f = &p->functions[i];
        buf_printf(b, "  %5.1f %% %5.1f %%  %.*s\n", 100 * (double)f->self / (double)p->samples,
                   100 * (double)f->total / (double)p->samples, STR_ARG(f->name));
    }
    for (size_t i = 0; i < p->bottleneck_count; i++) {
        buf_printf(b, "  ! %s: %s; %s\n", p->bottlenecks[i].location, p->bottlenecks[i].cause,
                   p->bottlenecks[i].suggestion);
    }
    for (size_t i = 0; i < p->opportunity_count; i++) {
        buf_printf(b, "  > %s (effort %s)\n", p->opportunities[i].improvement,
                   p->opportunities[i].effort);
    }
}

static int print(const struct context *c, const struct profile *profiles, size_t count)
{
    const struct profile_options *o = c->options;
    struct buf b;
    buf_init(&b, (size_t)16 << 20);
    struct json j;
    json_init(&j, &b, 0);
    if (c->json) {
        json_object(&j);
        json_put_text(&j, "schema", "assay.profile/1");
        json_key(&j, "profiles");
        json_list(&j);
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_shown(o, &profiles[i])) continue;
        if (c->json) {
            put_profile(&j, &profiles[i], o->top);
        } else {
            if (b.n) buf_add_char(&b, '\n');
            print_profile(&b, &profiles[i], o->top);
        }
    }
    if (c->json) {
        json_end(&j);
        json_end(&j);
        buf_add_char(&b, '\n');
    }
    int code = stored_print(c, &b);
    buf_release(&b);
    return code;
}

static bool write_flame(const struct context *c, const struct profile *profiles, size_t count,
                        struct error *err)
{
    const struct profile_options *o = c->options;
    for (size_t i = 0; i < count; i++) {
        if (!is_shown(o, &profiles[i]) || profiles[i].folded.n == 0) continue;
        struct buf svg;
        buf_init(&svg, (size_t)64 << 20);
        flame_write(profiles[i].folded, profiles[i].execution.label, &svg);
        bool done = os_write_file(o->flame, buf_str(&svg), err);
        if (done && !c->quiet) fprintf(stderr, "wrote %s\n", o->flame);
        buf_release(&svg);
        return done;
    }
    return error_set(err, ERROR_NOT_FOUND,
                     "no sampled stacks in this run; add `profile` to instrumentation "
                     "(assay run --instrument profile ...)");
}

extern const struct command command_profile;

static int run(struct context *c)
{
    const struct profile_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    if (c->arg_count > 1) {
        return command_misused(&command_profile, "takes one run, got %zu", c->arg_count);
    }
    if (!stored_open(c, true, &store, &err)) return command_fail(&err);
    struct profile *profiles = NULL;
    size_t count = 0;
    bool done = profile_load(store, c->arg_count ? c->args[0] : "latest", c->arena, &profiles,
                             &count, &err);
    store_close(store);
    size_t shown = 0;
    for (size_t i = 0; done && i < count; i++) shown += is_shown(o, &profiles[i]);
    if (done && shown == 0 && o->agent) {
        done = error_set(&err, ERROR_NOT_FOUND, "this run has no agent '%s'", o->agent);
    }
    if (done && o->flame) done = write_flame(c, profiles, count, &err);
    if (!done) return command_fail(&err);
    return print(c, profiles, count);
}

const struct command command_profile = {
    .name = "profile",
    .summary = "phases, bottlenecks, tokens, sampled stacks and what would help",
    .usage = "[RUN]",
    .examples =
        "assay run -n 5 --instrument profile -- sleep 0.01\nassay profile latest --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct profile_options),
    .run = run,
};
