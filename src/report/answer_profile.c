/* Where time and tokens went, under the names of the requirement. */
#include "base/human.h"
#include "report/answers.h"
#include "report/profile_words.h"

#include <inttypes.h>
#include <math.h>

/* ---- JSON ---- */

LAYOUT_FIGURE_IS(duration_ms, const struct profile_phase *x, x->mean_s * 1e3)
LAYOUT_FIGURE_IS(percentage, const struct profile_phase *x, 100 * x->share)
LAYOUT_FIGURE_IS(cpu_percent, const struct profile_phase *x, 100 * x->cpu_s / x->total_s)

#define OF struct profile_phase
static const struct layout_field usage_fields[] = {
    LAYOUT_FIGURE("cpu_percent", cpu_percent, "processor time in percent of its duration"),
    LAYOUT_FIELD("memory_mb", memory_mb, "the largest"),
    LAYOUT_FIELD("io_operations", io_operations, "reads and writes"),
};
static const struct layout usage_layout = LAYOUT(usage_fields);

static const struct layout_field phase_fields[] = {
    LAYOUT_FIELD("phase_name", name, "as the agent calls it"),
    LAYOUT_FIGURE("duration_ms", duration_ms, "mean over trials that were ok"),
    LAYOUT_FIGURE("percentage_of_total", percentage, "of the trials' whole duration"),
    LAYOUT_GROUP("resource_usage", &usage_layout, "as reported, or as the kernel counted"),
};
static const struct layout phase_layout = LAYOUT_OF(OF, phase_fields);
#undef OF

LAYOUT_SENTENCE_IS(cause_of, const struct profile_bottleneck *x,
                   profile_words_cause(&x->found, scratch))
LAYOUT_SENTENCE_IS(suggestion_of, const struct profile_bottleneck *x,
                   profile_words_suggestion(&x->found, scratch))
LAYOUT_WORD_IS(bottleneck_rule, const struct profile_bottleneck *x,
               profile_words_rule(&x->found))

#define OF struct profile_bottleneck
static const struct layout_field bottleneck_fields[] = {
    LAYOUT_FIELD("location", found.location, "the phase, or what is scarce"),
    LAYOUT_FIELD("impact_ms", impact_ms, "per trial"),
    LAYOUT_SENTENCE("cause", cause_of, "with the values that show it"),
    LAYOUT_SENTENCE("optimization_suggestion", suggestion_of, "what would help"),
    LAYOUT_WORD("rule", bottleneck_rule, "that found it"),
};
static const struct layout bottleneck_layout = LAYOUT_OF(OF, bottleneck_fields);
#undef OF

#define OF struct profile_function
static const struct layout_field function_fields[] = {
    LAYOUT_FIELD("function", name, "its symbol"),
    LAYOUT_FIELD("self", self, "samples in it"),
    LAYOUT_FIELD("total", total, "samples in it and in what it calls"),
};
static const struct layout function_layout = LAYOUT_OF(OF, function_fields);
#undef OF

LAYOUT_SENTENCE_IS(improvement_of, const struct profile_opportunity *x,
                   profile_words_improvement(&x->found, scratch))
LAYOUT_WORD_IS(opportunity_rule, const struct profile_opportunity *x,
               profile_words_rule(&x->found))

#define OF struct profile_opportunity
static const struct layout_field opportunity_fields[] = {
    LAYOUT_FIELD("category", category, "of the saving"),
    LAYOUT_SENTENCE("potential_improvement", improvement_of, "with rule, values and threshold"),
    LAYOUT_FIELD("estimated_impact", impact, "share of time or tokens that it would save"),
    LAYOUT_FIELD("implementation_effort", effort, "low, medium, high"),
    LAYOUT_WORD("rule", opportunity_rule, "that found it"),
};
static const struct layout opportunity_layout = LAYOUT_OF(OF, opportunity_fields);
#undef OF

LAYOUT_WORD_IS(phases_from, const struct profile *p,
               p->phases_are_measured ? "assay"
               : p->phases_are_seen   ? "stream"
                                      : "agent")

#define OF struct profile
static const struct layout_field utilization_fields[] = {
    LAYOUT_FIELD("cpu_efficiency", cpu_efficiency, "processor time / wall time"),
    LAYOUT_FIELD("memory_efficiency", memory_efficiency, "mean / peak resident set"),
    LAYOUT_FIELD("io_efficiency", io_efficiency, "bytes per call / 4096, at most 1"),
    LAYOUT_FIELD("parallelization_score", parallelization_score,
                 "processor time / (wall time x processors)"),
};
static const struct layout utilization_layout = LAYOUT(utilization_fields);

static const struct layout_field token_fields[] = {
    LAYOUT_FIELD("input_tokens", input_tokens, "of all trials"),
    LAYOUT_FIELD("output_tokens", output_tokens, "of all trials"),
    LAYOUT_FIELD("cache_hits", cache_read_tokens, "input tokens from the cache"),
    LAYOUT_FIELD("wasted_tokens", wasted_tokens, "of failed trials and repeated attempts"),
    LAYOUT_FIELD("token_efficiency", token_efficiency, "share that was not wasted"),
};
static const struct layout token_layout = LAYOUT(token_fields);

/* Lines "a;b;c 42"; lines of another form are passed over. */
static void put_stacks(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    struct str rest = ((const struct profile *)owner)->folded;
    json_list(j);
    while (rest.n) {
        struct str line = str_cut(&rest, '\n');
        const char *space = memrchr(line.p, ' ', line.n);
        int64_t samples = 0;
        if (!space) continue;
        size_t head = (size_t)(space - line.p);
        if (!str_to_int((struct str){space + 1, line.n - head - 1}, &samples)) continue;
        json_object(j);
        json_key(j, "stack");
        json_str(j, (struct str){line.p, head});
        json_put_int(j, "samples", samples);
        json_end(j);
    }
    json_end(j);
}

static const struct layout_field data_fields[] = {
    LAYOUT_WORD("phases_from", phases_from, "who reported the phases: agent, stream, assay"),
    LAYOUT_LIST("execution_phases", phases, phase_count, &phase_layout, "longest first"),
    LAYOUT_ARRAY("bottlenecks", bottlenecks, bottleneck_count, &bottleneck_layout,
                 "what it waits for"),
    LAYOUT_GROUP("resource_utilization", &utilization_layout, "of the machine"),
    LAYOUT_GROUP("token_analysis", &token_layout, "of models"),
    LAYOUT_FIELD("samples", samples, "stacks that were sampled"),
    LAYOUT_LIST("functions", functions, function_count, &function_layout,
                "most samples of their own first"),
    LAYOUT_CALL("stacks", put_stacks, "array", "sampled stacks, outermost first, and samples"),
};
static const struct layout data_layout = LAYOUT(data_fields);

static const struct layout_field profile_fields[] = {
    LAYOUT_FIELD("agent_id", execution.agent_id, "the agent"),
    LAYOUT_FIELD("agent", agent, "its name; null for built-in experiments"),
    LAYOUT_FIELD("benchmark", benchmark, "its name, or the experiment's"),
    LAYOUT_FIELD("execution_id", execution.id, "the execution"),
    LAYOUT_FIELD("label", execution.label, "what people call it"),
    LAYOUT_GROUP("profile_data", &data_layout, "what was found"),
    LAYOUT_ARRAY("optimization_opportunities", opportunities, opportunity_count,
                 &opportunity_layout, "what would help"),
};
static const struct layout profile_layout = LAYOUT_OF(OF, profile_fields);
#undef OF

#define OF struct profile_list
static const struct layout_field list_fields[] = {
    LAYOUT_LIST("profiles", items, count, &profile_layout, "of each execution, in plan order"),
};
static const struct layout list_layout = LAYOUT(list_fields);
#undef OF

/* ---- text ---- */

static void put_phases(struct buf *b, const struct profile *p)
{
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct profile_phase *x = &p->phases[i];
        char time[HUMAN_SIZE];
        buf_printf(b, "  %-28.*s %10s %5.1f %%  ", STR_ARG(x->name),
                   human_value("s", x->mean_s, time), 100 * x->share);
        for (int bar = 0; bar < (int)(x->share * 30 + 0.5); bar++) buf_text(b, "\u2588");
        buf_add_char(b, '\n');
    }
}

static void put_tokens(struct buf *b, const struct profile *p)
{
    if (isnan(p->input_tokens)) return;
    buf_printf(b, "  tokens: %.0f in", p->input_tokens);
    if (!isnan(p->cache_read_tokens))
        buf_printf(b, " (%.0f from the cache)", p->cache_read_tokens);
    buf_printf(b, ", %.0f out, %.0f wasted\n", isnan(p->output_tokens) ? 0 : p->output_tokens,
               isnan(p->wasted_tokens) ? 0 : p->wasted_tokens);
}

static void put_findings(struct buf *b, const struct profile *p)
{
    struct arena scratch = arena_open();
    for (size_t i = 0; i < p->bottleneck_count; i++) {
        const struct profile_finding *f = &p->bottlenecks[i].found;
        buf_printf(b, "  ! %s: %s; %s\n", f->location, profile_words_cause(f, &scratch),
                   profile_words_suggestion(f, &scratch));
    }
    for (size_t i = 0; i < p->opportunity_count; i++) {
        buf_printf(b, "  > %s (effort %s)\n",
                   profile_words_improvement(&p->opportunities[i].found, &scratch),
                   p->opportunities[i].effort);
    }
    arena_close(&scratch);
}

static void put_profile(struct buf *b, const struct profile *p)
{
    buf_printf(b, "%s: %zu trials", p->execution.label, p->trials);
    if (p->failed) buf_printf(b, ", %zu more failed", p->failed);
    buf_add_char(b, '\n');
    if (p->phase_count == 0 && p->samples == 0) {
        buf_text(b, "  no phases reported and no stacks sampled; add `profile` to "
                    "instrumentation, or let the agent report phases\n");
    }
    put_phases(b, p);
    put_tokens(b, p);
    if (p->samples > 0) buf_printf(b, "  %" PRId64 " samples: self, total\n", p->samples);
    for (size_t i = 0; i < p->function_count; i++) {
        const struct profile_function *f = &p->functions[i];
        buf_printf(b, "  %5.1f %% %5.1f %%  %.*s\n", 100 * (double)f->self / (double)p->samples,
                   100 * (double)f->total / (double)p->samples, STR_ARG(f->name));
    }
    put_findings(b, p);
}

static void profile_text(const void *answer, const struct answer_look *look, struct buf *b)
{
    (void)look;
    const struct profile_list *a = answer;
    for (size_t i = 0; i < a->count; i++) {
        if (i) buf_add_char(b, '\n');
        put_profile(b, &a->items[i]);
    }
}

/* ---- plots ---- */

/* Phases of each execution that has some. */
static struct plot_list profile_plots(const void *answer, struct arena *out)
{
    const struct profile_list *a = answer;
    struct plot *plots = arena_new(out, struct plot, a->count + 1);
    struct plot_series *series = arena_new(out, struct plot_series, a->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct profile *p = &a->items[i];
        if (p->phase_count == 0) continue;
        struct plot_point *points = arena_new(out, struct plot_point, p->phase_count);
        for (size_t k = 0; k < p->phase_count; k++) {
            points[k] = (struct plot_point){.label = str_cstr(out, p->phases[k].name),
                                            .y = p->phases[k].mean_s,
                                            .low = NAN,
                                            .high = NAN};
        }
        series[n] = (struct plot_series){.points = points, .count = p->phase_count};
        plots[n] = (struct plot){.title = p->execution.label,
                                 .kind = PLOT_BARS,
                                 .y = {"duration", "s"},
                                 .series = &series[n],
                                 .series_count = 1};
        n++;
    }
    return (struct plot_list){plots, n};
}

const struct answer answer_profile = {
    ANSWER_NAME("profile"), .summary = "where time and tokens went, and what would help",
    .layout = &list_layout, .text = profile_text,
    .plots = profile_plots,
};
