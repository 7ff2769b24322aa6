#include "suite/suite_internal.h"

#include "stats/quantile.h"

#include <math.h>

/* Sums over turns: unknown as soon as one is. */
static double sum_of(const struct suite_trial *t, size_t offset)
{
    double sum = 0;
    for (size_t i = 0; i < t->answered; i++) {
        sum += *(const double *)(const void *)((const char *)&t->turns[i].answer + offset);
    }
    return t->answered > 0 ? sum : (double)NAN;
}

#define SUM(field) sum_of(t, offsetof(struct agent_answer, field))

struct gaps {
    size_t count;
    double p50;
    double p95;
    double max;
};

static struct gaps gaps_of(const struct suite_trial *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->answered; i++) count += t->turns[i].answer.gap_count;
    struct gaps g = {.p50 = NAN, .p95 = NAN, .max = NAN};
    if (count == 0) return g;
    struct arena scratch = *t->arena;
    double *all = arena_new(&scratch, double, count);
    for (size_t i = 0; i < t->answered; i++) {
        const struct agent_answer *a = &t->turns[i].answer;
        for (size_t k = 0; k < a->gap_count; k++) all[g.count++] = a->gaps_s[k];
    }
    stats_sort_inplace(all, g.count);
    g.p50 = quantile_median(all, g.count);
    g.p95 = quantile_of(all, g.count, 0.95);
    g.max = all[g.count - 1];
    return g;
}

struct usage suite_usage(const struct suite_trial *t)
{
    struct usage sum = {0};
    for (size_t i = 0; i < t->answered; i++) {
        if (!t->turns[i].answer.usage.is_set) continue;
        if (sum.is_set) {
            usage_add(&sum, &t->turns[i].answer.usage);
        } else {
            sum = t->turns[i].answer.usage;
        }
    }
    return sum;
}

static double peak_mb(const struct usage *u)
{
    return u->is_set && u->peak_bytes > 0 ? (double)u->peak_bytes / 1e6 : (double)NAN;
}

void suite_give_values(const struct suite_trial *t, double *values)
{
    struct gaps gaps = gaps_of(t);
    struct usage usage = suite_usage(t);
    double input = SUM(input_tokens);
    double output = SUM(output_tokens);
    values[SUITE_ACCURACY] = t->score;
    values[SUITE_CORRECTNESS] = t->dimensions[RUBRIC_CORRECTNESS];
    values[SUITE_COMPLETENESS] = t->dimensions[RUBRIC_COMPLETENESS];
    values[SUITE_RELEVANCE] = t->dimensions[RUBRIC_RELEVANCE];
    values[SUITE_TOKENS] = isnan(input) ? output : isnan(output) ? input : input + output;
    values[SUITE_INPUT_TOKENS] = input;
    values[SUITE_OUTPUT_TOKENS] = output;
    values[SUITE_CACHE_READ_TOKENS] = SUM(cache_read_tokens);
    values[SUITE_WASTED_TOKENS] = SUM(wasted_tokens);
    values[SUITE_API_CALLS] = SUM(api_calls);
    values[SUITE_RETRIES] = SUM(retries);
    values[SUITE_COST] = SUM(cost_usd);
    if (t->judge_calls > 0) values[SUITE_JUDGE_COST] = t->judge_cost_usd;
    if (t->answered > 0) values[SUITE_FIRST_TOKEN] = t->turns[0].answer.first_token_s;
    values[SUITE_GAP] = gaps.p50;
    double stream_s = SUM(stream_s);
    if (stream_s > 0) values[SUITE_TOKENS_PER_S] = (output - (double)t->answered) / stream_s;
    if (usage.is_set) values[SUITE_CPU] = usage.user_s + usage.system_s;
    values[SUITE_MEMORY] = peak_mb(&usage);
    if (usage.group_peak_bytes > 0)
        values[SUITE_GROUP_MEMORY] = (double)usage.group_peak_bytes / 1e6;
    if (usage.resident_bytes > 0) values[SUITE_RESIDENT] = (double)usage.resident_bytes / 1e6;
    if (t->item.turn_count > 0 && t->talk_s > 0) {
        values[SUITE_CONVERSATIONS_PER_S] = 1 / t->talk_s;
        values[SUITE_TURNS_PER_S] = (double)t->answered / t->talk_s;
    }
}

static struct detail_turn turn_of(const struct suite_turn *turn, struct arena *arena)
{
    const struct agent_answer *a = &turn->answer;
    bool is_long = a->tool_calls.n > SUITE_CALLS_KEPT;
    struct detail_phase *phases = arena_new(arena, struct detail_phase, a->phase_count);
    for (size_t i = 0; i < a->phase_count; i++) {
        const struct agent_phase *p = &a->phases[i];
        phases[i] = (struct detail_phase){p->name,  p->start_s,   p->duration_s,
                                          p->cpu_s, p->memory_mb, p->io_operations};
    }
    return (struct detail_turn){
        .output_tokens = a->output_tokens,
        .phases = phases,
        .phase_count = a->phase_count,
        .tool_calls = {.text = is_long ? (struct str){0} : a->tool_calls},
        .tool_calls_bytes = is_long ? (int64_t)a->tool_calls.n : 0};
}

void suite_put_judgement(const struct suite_trial *t, struct detail *d,
                         struct detail_turn *turns)
{
    d->turns = turns;
    d->judged_count = t->answered;
    for (size_t i = 0; i < t->answered; i++) {
        const struct rubric_result *result = &t->turns[i].result;
        turns[i].score = result->score;
        turns[i].rubric = (struct detail_json){.text = result->detail};
        turns[i].not_judged = result->why;
    }
    d->has_judgement = true;
    d->is_judged = false;
    for (size_t i = 0; i < t->turn_count; i++) d->is_judged |= t->turns[i].is_judged;
    d->score = t->score;
    d->judge_calls = t->judge_calls;
    d->judge_cost_usd = t->judge_cost_usd;
}

static void fill_usage(const struct suite_trial *t, double *usage)
{
    struct usage used = suite_usage(t);
    usage[DETAIL_INPUT_TOKENS] = SUM(input_tokens);
    usage[DETAIL_OUTPUT_TOKENS] = SUM(output_tokens);
    usage[DETAIL_CACHE_READ_TOKENS] = SUM(cache_read_tokens);
    usage[DETAIL_WASTED_TOKENS] = SUM(wasted_tokens);
    usage[DETAIL_API_CALLS] = SUM(api_calls);
    usage[DETAIL_RETRIES] = SUM(retries);
    usage[DETAIL_COST_USD] = SUM(cost_usd);
    if (used.is_set) usage[DETAIL_CPU_S] = used.user_s + used.system_s;
    usage[DETAIL_MEMORY_PEAK_MB] = peak_mb(&used);
    if (used.is_set && used.read_bytes >= 0) {
        usage[DETAIL_IO_BYTES] = (double)(used.read_bytes + used.write_bytes);
        usage[DETAIL_IO_OPERATIONS] = (double)used.io_operations;
    }
}

static bool output_is_cut(const struct suite_trial *t)
{
    size_t bytes = 0;
    for (size_t i = 0; i < t->answered; i++) bytes += t->turns[i].answer.output.n;
    return bytes > (t->item.turn_count > 0 ? SUITE_OUTPUT_KEPT / 6 : SUITE_OUTPUT_KEPT);
}

void suite_write_detail(const struct suite_trial *t, struct buf *out)
{
    struct arena scratch = *t->arena;
    struct gaps gaps = gaps_of(t);
    struct detail d;
    detail_init(&d);
    d.case_name = t->item.id;
    d.is_talk = t->item.turn_count > 0;
    d.turn_count = t->answered;
    struct detail_turn *turns = arena_new(&scratch, struct detail_turn, t->answered);
    for (size_t i = 0; i < t->answered; i++) {
        turns[i] = turn_of(&t->turns[i], &scratch);
        const struct agent_answer *a = &t->turns[i].answer;
        if (a->tokens_are_counted) d.flags |= 1u << DETAIL_TOKENS_COUNTED;
        if (a->arrived_at_once) d.flags |= 1u << DETAIL_ARRIVED_AT_ONCE;
        if (a->is_simulated) d.flags |= 1u << DETAIL_SIMULATED;
    }
    if (output_is_cut(t)) d.flags |= 1u << DETAIL_OUTPUT_CUT;
    d.has_usage = t->answered > 0;
    fill_usage(t, d.usage);
    d.gap_count = (int64_t)gaps.count;
    d.gap_p50_s = gaps.p50;
    d.gap_p95_s = gaps.p95;
    d.gap_max_s = gaps.max;
    suite_put_judgement(t, &d, turns);
    detail_write(&d, out);
}

/* Escapes of JSON make at most six bytes of one. */
static size_t kept_of_turn(const struct suite_trial *t)
{
    bool is_talk = t->item.turn_count > 0;
    return is_talk ? SUITE_OUTPUT_KEPT / 6 / t->turn_count : SUITE_OUTPUT_KEPT;
}

static struct str kept(const struct suite_trial *t, size_t i)
{
    struct str output = t->turns[i].answer.output;
    size_t most = kept_of_turn(t);
    if (!output_is_cut(t) || output.n <= most) return output;
    return (struct str){output.p, str_utf8_prefix((struct str){output.p, most})};
}

/* A conversation's answers are kept as a JSON list, one text per turn. */
void suite_write_output(const struct suite_trial *t, struct buf *out)
{
    if (t->item.turn_count == 0) {
        if (t->answered > 0) buf_add(out, kept(t, 0));
        return;
    }
    struct json j;
    json_init(&j, out, 0);
    json_list(&j);
    for (size_t i = 0; i < t->answered; i++) json_str(&j, kept(t, i));
    json_end(&j);
}
