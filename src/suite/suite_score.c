#include "suite/suite_score.h"

#include "base/json.h"
#include "suite/suite_internal.h"

#include <math.h>

struct suite_rescorer {
    struct suite_config config;
    struct experiment_env env;
    struct buf remarks;
    struct suite_scorer scorer;
    struct secrets secrets;
};

extern const struct experiment experiment_suite;

static bool find_secrets(struct suite_rescorer *r, const struct value *agent, struct error *err)
{
    struct suite_secret_names names = {0};
    const struct value *judges = r->config.judges;
    suite_add_agent_secrets(&names, agent);
    suite_add_variable_secrets(&names, value_get(r->config.environment, "env"));
    for (size_t i = 0; judges && judges->kind == VALUE_LIST && i < judges->list.count; i++) {
        suite_add_agent_secrets(&names, judges->list.items[i]);
    }
    struct arena *arena = r->env.arena;
    return suite_find_secrets(&r->secrets, suite_secret_list(&names, arena), arena, err);
}

bool suite_rescorer_open(struct suite_rescorer **r, const struct value *params,
                         const struct value *agent, const char *base_dir, const char *work_dir,
                         struct arena *arena, struct error *err)
{
    struct suite_rescorer *x = arena_new(arena, struct suite_rescorer, 1);
    buf_init(&x->remarks, 8192);
    x->env = (struct experiment_env){.arena = arena,
                                     .work_dir = work_dir,
                                     .config = &x->config,
                                     .agent = agent,
                                     .base_dir = base_dir,
                                     .remarks = &x->remarks};
    *r = x;
    return param_read(experiment_suite.params, params, &x->config, arena, err) &&
           find_secrets(x, agent, err) &&
           suite_scorer_open(&x->scorer, &x->config, &x->env, &x->secrets, err);
}

void suite_rescorer_close(struct suite_rescorer *r)
{
    if (!r) return;
    suite_scorer_close(&r->scorer);
    buf_release(&r->remarks);
}

/* The answers of the turns out of what was kept. */
static bool take_answers(struct suite_trial *t, const struct trial_note *note,
                         const struct detail *detail, struct error *err)
{
    if (detail->flags & 1u << DETAIL_OUTPUT_CUT) {
        return error_set(
            err, ERROR_INVALID,
            "its answer was too long to store completely, so it cannot be judged again");
    }
    if (t->item.turn_count == 0) {
        t->turns[0].answer.output = note->output;
        t->turns[0].answer.output_tokens = detail->usage[DETAIL_OUTPUT_TOKENS];
        t->answered = 1;
        return true;
    }
    const struct value *list = NULL;
    if (!value_read_json(note->output, &value_limits_stored, t->arena, &list, err))
        return false;
    for (size_t i = 0; list->kind == VALUE_LIST && i < list->list.count; i++) {
        if (i == t->turn_count) break;
        t->turns[i].answer.output = list->list.items[i]->source;
        if (i < detail->turn_count)
            t->turns[i].answer.output_tokens = detail->turns[i].output_tokens;
        t->answered = i + 1;
    }
    return true;
}

/* What was kept of the answer, with the new judgement. */
static const char *detail_of(const struct suite_trial *t, const struct detail *old,
                             struct arena *out)
{
    struct detail d = *old;
    if (d.turn_count < t->answered) d.turn_count = t->answered;
    struct detail_turn *turns = arena_new(out, struct detail_turn, d.turn_count);
    if (old->turn_count) memcpy(turns, old->turns, old->turn_count * sizeof *turns);
    struct buf b;
    buf_init(&b, value_limits_stored.max_bytes);
    suite_put_judgement(t, &d, turns);
    detail_write(&d, &b);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

bool suite_rescore(struct suite_rescorer *r, const struct case_item *item,
                   const struct trial_note *note, struct arena *out, struct suite_again *again,
                   struct error *err)
{
    struct suite_trial t = {.arena = out, .item = *item, .score = NAN};
    struct detail old;
    bool has_detail = detail_read(note->detail, out, &old);
    for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) t.dimensions[d] = NAN;
    if (!suite_scorer_begin(&r->scorer, &t, 0, err) || !take_answers(&t, note, &old, err))
        return error_wrap(err, "case '%s'", item->id);
    bool has_answer = note->status == TRIAL_OK;
    if (!has_answer) t.answered = 0;
    if (has_answer && !suite_scorer_judge(&r->scorer, &t, err)) {
        if (err) secret_redact_error(&r->secrets, err);
        return error_wrap(err, "case '%s'", item->id);
    }
    *again = (struct suite_again){
        .accuracy = t.score,
        .judge_cost_usd = t.judge_calls > 0 ? t.judge_cost_usd : (double)NAN,
        .detail = has_detail && old.has_judgement ? detail_of(&t, &old, out) : note->detail,
    };
    if (again->detail) {
        again->detail = str_cstr(out, secret_redacted(&r->secrets, str_of(again->detail), out));
    }
    memcpy(again->dimensions, t.dimensions, sizeof t.dimensions);
    return true;
}
