#include "model/detail.h"

#include "base/json.h"

#include <math.h>

static const char *const usage_names[DETAIL_USAGE_COUNT] = {
    [DETAIL_INPUT_TOKENS] = "input_tokens",
    [DETAIL_OUTPUT_TOKENS] = "output_tokens",
    [DETAIL_CACHE_READ_TOKENS] = "cache_read_tokens",
    [DETAIL_WASTED_TOKENS] = "wasted_tokens",
    [DETAIL_API_CALLS] = "api_calls",
    [DETAIL_RETRIES] = "retries",
    [DETAIL_COST_USD] = "cost_usd",
    [DETAIL_CPU_S] = "cpu_s",
    [DETAIL_MEMORY_PEAK_MB] = "memory_peak_mb",
    [DETAIL_IO_BYTES] = "io_bytes",
    [DETAIL_IO_OPERATIONS] = "io_operations",
};

static const char *const flag_names[DETAIL_FLAG_COUNT] = {
    [DETAIL_OUTPUT_CUT] = "output_cut",
    [DETAIL_TOKENS_COUNTED] = "tokens_counted_by_harness",
    [DETAIL_ARRIVED_AT_ONCE] = "arrived_at_once",
    [DETAIL_SIMULATED] = "simulated",
};

void detail_init(struct detail *d)
{
    *d = (struct detail){.duration_s = NAN,
                         .gap_p50_s = NAN,
                         .gap_p95_s = NAN,
                         .gap_max_s = NAN,
                         .score = NAN,
                         .judge_cost_usd = NAN};
    for (size_t i = 0; i < DETAIL_USAGE_COUNT; i++) d->usage[i] = NAN;
}

/* ---- writing ---- */

static void put_known(struct json *j, const char *key, double v)
{
    if (!isnan(v)) json_put_real(j, key, v);
}

static void put_json(struct json *j, const char *key, const struct detail_json *x)
{
    if (x->text.n == 0 && !x->value) return;
    json_key(j, key);
    if (x->text.n > 0) {
        json_raw(j, x->text);
    } else {
        json_value(j, x->value);
    }
}

static void put_answer(struct json *j, const struct detail_turn *t)
{
    if (t->phase_count > 0) {
        json_key_list(j, "phases");
        for (size_t i = 0; i < t->phase_count; i++) {
            const struct detail_phase *p = &t->phases[i];
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
    if (t->tool_calls_bytes > 0) json_put_int(j, "tool_calls_bytes", t->tool_calls_bytes);
    put_json(j, "tool_calls", &t->tool_calls);
}

static void put_judgement(struct json *j, const struct detail_turn *t)
{
    put_json(j, "rubric", &t->rubric);
    if (t->not_judged) json_put_text(j, "not_judged", t->not_judged);
}

static void put_answers(struct json *j, const struct detail *d)
{
    if (!d->is_talk) {
        if (d->turn_count > 0) put_answer(j, &d->turns[0]);
        return;
    }
    json_key_list(j, "turns");
    for (size_t i = 0; i < d->turn_count; i++) {
        json_object(j);
        put_known(j, "output_tokens", d->turns[i].output_tokens);
        put_answer(j, &d->turns[i]);
        json_end(j);
    }
    json_end(j);
}

static void put_use(struct json *j, const struct detail *d)
{
    if (d->has_usage) {
        json_key_object(j, "usage");
        for (size_t i = 0; i < DETAIL_USAGE_COUNT; i++)
            put_known(j, usage_names[i], d->usage[i]);
        json_end(j);
    }
    if (d->gap_count > 0) {
        json_key_object(j, "gaps");
        json_put_int(j, "n", d->gap_count);
        json_put_real(j, "p50_s", d->gap_p50_s);
        json_put_real(j, "p95_s", d->gap_p95_s);
        json_put_real(j, "max_s", d->gap_max_s);
        json_end(j);
    }
    if (d->flags) {
        json_key_list(j, "flags");
        for (size_t i = 0; i < DETAIL_FLAG_COUNT; i++) {
            if (d->flags & 1u << i) json_text(j, flag_names[i]);
        }
        json_end(j);
    }
}

static void put_judged(struct json *j, const struct detail *d)
{
    json_put_bool(j, "judged", d->is_judged);
    put_known(j, "score", d->score);
    if (!d->is_talk) {
        if (d->judged_count > 0) put_judgement(j, &d->turns[0]);
    } else {
        json_key_list(j, "turn_scores");
        for (size_t i = 0; i < d->judged_count; i++) {
            json_object(j);
            put_known(j, "score", d->turns[i].score);
            put_judgement(j, &d->turns[i]);
            json_end(j);
        }
        json_end(j);
    }
    if (d->judge_calls == 0) return;
    json_key_object(j, "judge");
    json_put_int(j, "calls", d->judge_calls);
    json_put_real(j, "cost_usd", d->judge_cost_usd);
    json_end(j);
}

/* detail_case_name relies on the order of the first two keys. */
void detail_write(const struct detail *d, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    put_known(&j, "duration_s", d->duration_s);
    if (d->case_name) json_put_text(&j, "case", d->case_name);
    put_answers(&j, d);
    put_use(&j, d);
    if (d->has_judgement) put_judged(&j, d);
    json_end(&j);
}

/* ---- reading ---- */

static const char *text_of(const struct value *map, const char *key, struct arena *out)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_TEXT ? str_cstr(out, v->source) : NULL;
}

static const struct value *list_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_LIST ? v : NULL;
}

static int64_t count_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_INT ? v->integer : 0;
}

static void read_phases(const struct value *answer, struct arena *out, struct detail_turn *t)
{
    const struct value *list = list_of(answer, "phases");
    if (!list) return;
    struct detail_phase *phases = arena_new(out, struct detail_phase, list->list.count);
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *v = list->list.items[i];
        struct detail_phase p = {.name = text_of(v, "name", out),
                                 .start_s = value_real(v, "start_s"),
                                 .duration_s = value_real(v, "duration_s"),
                                 .cpu_s = value_real(v, "cpu_s"),
                                 .memory_mb = value_real(v, "memory_mb"),
                                 .io_operations = value_real(v, "io_operations")};
        if (p.name && !isnan(p.duration_s)) phases[t->phase_count++] = p;
    }
    t->phases = phases;
}

static void read_turn(const struct value *answer, const struct value *judgement,
                      struct arena *out, struct detail_turn *t)
{
    t->output_tokens = value_real(answer, "output_tokens");
    t->tool_calls.value = value_get(answer, "tool_calls");
    t->tool_calls_bytes = count_of(answer, "tool_calls_bytes");
    read_phases(answer, out, t);
    t->score = value_real(judgement, "score");
    t->rubric.value = value_get(judgement, "rubric");
    t->not_judged = text_of(judgement, "not_judged", out);
}

static void read_turns(const struct value *root, struct arena *out, struct detail *d)
{
    const struct value *answers = list_of(root, "turns");
    const struct value *scores = list_of(root, "turn_scores");
    d->is_talk = answers || scores;
    size_t answered = answers ? answers->list.count : 0;
    size_t judged = scores ? scores->list.count : 0;
    struct detail_turn *turns =
        arena_new(out, struct detail_turn, (answered > judged ? answered : judged) + 1);
    d->turns = turns;
    if (!d->is_talk) {
        read_turn(root, root, out, &turns[0]);
        d->turn_count = d->judged_count = 1;
        return;
    }
    d->turn_count = answered > judged ? answered : judged;
    d->judged_count = judged;
    for (size_t i = 0; i < d->turn_count; i++) {
        read_turn(i < answered ? answers->list.items[i] : NULL,
                  i < judged ? scores->list.items[i] : NULL, out, &turns[i]);
    }
}

static unsigned read_flags(const struct value *list)
{
    unsigned flags = 0;
    for (size_t i = 0; list && i < list->list.count; i++) {
        for (size_t k = 0; k < DETAIL_FLAG_COUNT; k++) {
            if (str_is(list->list.items[i]->source, flag_names[k])) flags |= 1u << k;
        }
    }
    return flags;
}

bool detail_read(const char *text, struct arena *out, struct detail *d)
{
    const struct value *root = value_stored(text, out);
    detail_init(d);
    if (!root || root->kind != VALUE_MAP) return false;
    const struct value *usage = value_get(root, "usage");
    const struct value *gaps = value_get(root, "gaps");
    const struct value *judged = value_get(root, "judged");
    const struct value *judge = value_get(root, "judge");
    d->duration_s = value_real(root, "duration_s");
    d->case_name = text_of(root, "case", out);
    read_turns(root, out, d);
    d->has_usage = usage != NULL;
    for (size_t i = 0; i < DETAIL_USAGE_COUNT; i++) {
        d->usage[i] = value_real(usage, usage_names[i]);
    }
    d->gap_count = count_of(gaps, "n");
    d->gap_p50_s = value_real(gaps, "p50_s");
    d->gap_p95_s = value_real(gaps, "p95_s");
    d->gap_max_s = value_real(gaps, "max_s");
    d->flags = read_flags(list_of(root, "flags"));
    d->has_judgement = judged && judged->kind == VALUE_BOOL;
    d->is_judged = d->has_judgement && judged->boolean;
    d->score = value_real(root, "score");
    d->judge_calls = count_of(judge, "calls");
    d->judge_cost_usd = value_real(judge, "cost_usd");
    return true;
}

/* Past `key` and its colon, or NULL if the text has another one here. */
static const char *skip_key(const char *text, const char *key)
{
    size_t n = strlen(key);
    return strncmp(text, key, n) == 0 ? text + n : NULL;
}

const char *detail_case_name(const char *text, struct arena *out)
{
    if (!text) return NULL;
    const char *at = skip_key(text, "{\"duration_s\":");
    if (at) {
        at += strcspn(at, ",}");
        at = skip_key(at, ",\"case\":\"");
    } else {
        at = skip_key(text, "{\"case\":\"");
    }
    size_t n = at ? strcspn(at, "\"\\") : 0;
    if (at && at[n] == '"') return str_cstr(out, (struct str){at, n});
    struct detail d; /* a name with escapes, or written by somebody else */
    return detail_read(text, out, &d) ? d.case_name : NULL;
}

const char *detail_with_duration(struct str text, double duration_s, struct arena *out)
{
    struct arena scratch = *out;
    struct buf b;
    struct detail d;
    buf_init(&b, value_limits_stored.max_bytes);
    if (text.n == 0 || !detail_read(str_cstr(&scratch, text), &scratch, &d)) detail_init(&d);
    d.duration_s = duration_s;
    detail_write(&d, &b);
    const char *whole = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return whole;
}
