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

static void put_known(struct json *j, const char *key, double v)
{
    if (!isnan(v)) json_put_real(j, key, v);
}

static void put_usage(const struct suite_trial *t, struct json *j)
{
    struct usage usage = suite_usage(t);
    json_key(j, "usage");
    json_object(j);
    put_known(j, "input_tokens", SUM(input_tokens));
    put_known(j, "output_tokens", SUM(output_tokens));
    put_known(j, "cache_read_tokens", SUM(cache_read_tokens));
    put_known(j, "wasted_tokens", SUM(wasted_tokens));
    put_known(j, "api_calls", SUM(api_calls));
    put_known(j, "retries", SUM(retries));
    put_known(j, "cost_usd", SUM(cost_usd));
    if (usage.is_set) put_known(j, "cpu_s", usage.user_s + usage.system_s);
    put_known(j, "memory_peak_mb", peak_mb(&usage));
    if (usage.is_set && usage.read_bytes >= 0) {
        json_put_int(j, "io_bytes", usage.read_bytes + usage.write_bytes);
        json_put_int(j, "io_operations", usage.io_operations);
    }
    json_end(j);
}

static void put_phases(const struct agent_answer *a, struct json *j)
{
    if (a->phase_count == 0) return;
    json_key(j, "phases");
    json_list(j);
    for (size_t i = 0; i < a->phase_count; i++) {
        const struct agent_phase *p = &a->phases[i];
        json_object(j);
        json_put_text(j, "name", p->name);
        json_put_real(j, "start_s", p->start_s);
        json_put_real(j, "duration_s", p->duration_s);
        put_known(j, "cpu_s", p->cpu_s);
        put_known(j, "memory_mb", p->memory_mb);
        put_known(j, "io_operations", p->io_operations);
        json_end(j);
    }
    json_end(j);
}

/* What one answer has beside its text: for a conversation once per turn. */
static void put_answer(const struct suite_turn *turn, struct json *j)
{
    const struct agent_answer *a = &turn->answer;
    put_phases(a, j);
    if (a->tool_calls.n > SUITE_CALLS_KEPT) {
        json_put_int(j, "tool_calls_bytes", (int64_t)a->tool_calls.n);
    } else if (a->tool_calls.n > 0) {
        json_key(j, "tool_calls");
        json_raw(j, a->tool_calls);
    }
}

static void put_result(const struct suite_turn *turn, struct json *j)
{
    if (turn->result.detail.n > 0) {
        json_key(j, "rubric");
        json_raw(j, turn->result.detail);
    }
    if (turn->result.why) json_put_text(j, "not_judged", turn->result.why);
}

void suite_write_judged(const struct suite_trial *t, struct json *j)
{
    bool is_judged = false;
    for (size_t i = 0; i < t->turn_count; i++) is_judged |= t->turns[i].is_judged;
    json_put_bool(j, "judged", is_judged);
    put_known(j, "score", t->score);
    if (t->item.turn_count == 0 && t->answered > 0) put_result(&t->turns[0], j);
    if (t->item.turn_count > 0) {
        json_key(j, "turn_scores");
        json_list(j);
        for (size_t i = 0; i < t->answered; i++) {
            json_object(j);
            put_known(j, "score", t->turns[i].result.score);
            put_result(&t->turns[i], j);
            json_end(j);
        }
        json_end(j);
    }
    if (t->judge_calls == 0) return;
    json_key(j, "judge");
    json_object(j);
    json_put_int(j, "calls", t->judge_calls);
    json_put_real(j, "cost_usd", t->judge_cost_usd);
    json_end(j);
}

static void put_flags(const struct suite_trial *t, struct json *j)
{
    bool are_counted = false;
    bool came_at_once = false;
    bool is_simulated = false;
    for (size_t i = 0; i < t->answered; i++) {
        const struct agent_answer *a = &t->turns[i].answer;
        are_counted |= a->tokens_are_counted;
        came_at_once |= a->arrived_at_once;
        is_simulated |= a->is_simulated;
    }
    bool is_cut = suite_output_is_cut(t);
    if (!are_counted && !came_at_once && !is_simulated && !is_cut) return;
    json_key(j, "flags");
    json_list(j);
    if (is_cut) json_text(j, "output_cut");
    if (are_counted) json_text(j, "tokens_counted_by_harness");
    if (came_at_once) json_text(j, "arrived_at_once");
    if (is_simulated) json_text(j, "simulated");
    json_end(j);
}

void suite_write_detail(const struct suite_trial *t, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "case", t->item.id);
    if (t->item.turn_count == 0 && t->answered > 0) put_answer(&t->turns[0], &j);
    if (t->item.turn_count > 0) {
        json_key(&j, "turns");
        json_list(&j);
        for (size_t i = 0; i < t->answered; i++) {
            json_object(&j);
            put_known(&j, "output_tokens", t->turns[i].answer.output_tokens);
            put_answer(&t->turns[i], &j);
            json_end(&j);
        }
        json_end(&j);
    }
    if (t->answered > 0) put_usage(t, &j);
    struct gaps gaps = gaps_of(t);
    if (gaps.count > 0) {
        json_key(&j, "gaps");
        json_object(&j);
        json_put_int(&j, "n", (int64_t)gaps.count);
        json_put_real(&j, "p50_s", gaps.p50);
        json_put_real(&j, "p95_s", gaps.p95);
        json_put_real(&j, "max_s", gaps.max);
        json_end(&j);
    }
    put_flags(t, &j);
    suite_write_judged(t, &j);
    json_end(&j);
}

/* Escapes of JSON make at most six bytes of one. */
static size_t kept_of_turn(const struct suite_trial *t)
{
    bool is_talk = t->item.turn_count > 0;
    return is_talk ? SUITE_OUTPUT_KEPT / 6 / t->turn_count : SUITE_OUTPUT_KEPT;
}

bool suite_output_is_cut(const struct suite_trial *t)
{
    size_t bytes = 0;
    for (size_t i = 0; i < t->answered; i++) bytes += t->turns[i].answer.output.n;
    return bytes > (t->item.turn_count > 0 ? SUITE_OUTPUT_KEPT / 6 : SUITE_OUTPUT_KEPT);
}

static struct str kept(const struct suite_trial *t, size_t i)
{
    struct str output = t->turns[i].answer.output;
    size_t most = kept_of_turn(t);
    if (!suite_output_is_cut(t) || output.n <= most) return output;
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
