/* Answers for the `replay` agent (agent/replay.c): one line for each turn of each measured
 * trial, in the order in which they were given. What the harness failed at was no answer, and
 * is left out. */
#include "base/json.h"
#include "interop/export.h"
#include "model/detail.h"

#include <math.h>

static void put_usage(struct json *j, const struct detail *d)
{
    static const char *const keys[] = {[DETAIL_INPUT_TOKENS] = "input_tokens",
                                       [DETAIL_OUTPUT_TOKENS] = "output_tokens",
                                       [DETAIL_CACHE_READ_TOKENS] = "cache_read_tokens",
                                       [DETAIL_API_CALLS] = "api_calls",
                                       [DETAIL_COST_USD] = "cost_usd"};
    bool is_open = false;
    for (size_t i = 0; d->has_usage && i < COUNT(keys); i++) {
        if (!keys[i] || isnan(d->usage[i])) continue;
        if (!is_open) json_key_object(j, "usage");
        is_open = true;
        json_put_real(j, keys[i], d->usage[i]);
    }
    if (is_open) json_end(j);
}

struct line {
    const char *benchmark; /* NULL: not of a suite */
    const char *name;
    const struct trial_note *note;
    const struct detail *detail; /* with the usage, of the last turn; NULL: without */
    struct str output;
    size_t turn;
    bool is_last;
};

static void put_line(const struct line *l, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    if (l->benchmark) json_put_text(&j, "benchmark", l->benchmark);
    json_put_text(&j, "case", l->name);
    json_put_int(&j, "turn", (int64_t)l->turn);
    json_key(&j, "output");
    json_str(&j, l->output);
    if (l->detail) put_usage(&j, l->detail);
    if (l->is_last && l->note->status != TRIAL_OK) {
        json_put_text(&j, "error",
                      l->note->error ? l->note->error : trial_status_name(l->note->status));
    }
    json_end(&j);
    buf_add_char(out, '\n');
}

static void put(const struct exported *x, void *state, struct buf *out)
{
    (void)state;
    for (size_t i = 0; i < x->note_count; i++) {
        const struct trial_note *note = &x->notes[i];
        bool is_answer = note->phase == PHASE_MEASURED && note->case_hash &&
                         note->status != TRIAL_HARNESS_ERROR;
        size_t at = (size_t)note->trial;
        if (!is_answer || at >= x->case_count || !x->cases[at]) continue;
        struct arena scratch = arena_open();
        const struct value *benchmark = value_get(x->e->parameters, "benchmark");
        struct detail d;
        const struct value *turns = NULL;
        bool has_detail = detail_read(note->detail, &scratch, &d);
        bool is_talk =
            has_detail && d.is_talk &&
            value_read_json(note->output, &value_limits_stored, &scratch, &turns, NULL) &&
            turns->kind == VALUE_LIST && turns->list.count > 0;
        size_t count = is_talk ? turns->list.count : 1;
        for (size_t k = 0; k < count; k++) {
            bool is_last = k + 1 == count;
            put_line(
                &(struct line){.benchmark =
                                   benchmark ? str_cstr(&scratch, benchmark->source) : NULL,
                               .name = x->cases[at],
                               .note = note,
                               .detail = has_detail && is_last ? &d : NULL,
                               .output = is_talk ? turns->list.items[k]->source : note->output,
                               .turn = k,
                               .is_last = is_last},
                out);
        }
        arena_close(&scratch);
    }
}

const struct exporter exporter_answers = {
    .name = "answers",
    .summary = "answers of one agent, for `replay`",
    .is_of_one_agent = true,
    .is_latest = true,
    .put = put,
};
