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

static double tokens_in(const struct value *map)
{
    const struct value *v = value_get(map, "output_tokens");
    return v && value_is_number(v) ? value_number(v) : (double)NAN;
}

static bool has_flag(const struct value *detail, const char *name)
{
    const struct value *flags = value_get(detail, "flags");
    for (size_t i = 0; flags && flags->kind == VALUE_LIST && i < flags->list.count; i++) {
        if (str_is(flags->list.items[i]->source, name)) return true;
    }
    return false;
}

/* The answers of the turns out of what was kept. */
static bool take_answers(struct suite_trial *t, const struct trial_note *note,
                         struct error *err)
{
    static const struct value_limits limits = {64 << 20, 64, 1000000};
    const struct value *detail = NULL;
    if (note->detail && !value_read_json(str_of(note->detail), &limits, t->arena, &detail, err))
        return false;
    if (has_flag(detail, "output_cut")) {
        return error_set(err, ERROR_INVALID,
                         "its answer was too long to be stored whole: it cannot be judged "
                         "again");
    }
    if (t->item.turn_count == 0) {
        t->turns[0].answer.output = note->output;
        t->turns[0].answer.output_tokens = tokens_in(value_get(detail, "usage"));
        t->answered = 1;
        return true;
    }
    const struct value *list = NULL;
    if (!value_read_json(note->output, &limits, t->arena, &list, err)) return false;
    const struct value *turns = value_get(detail, "turns");
    for (size_t i = 0; list->kind == VALUE_LIST && i < list->list.count; i++) {
        if (i == t->turn_count) break;
        t->turns[i].answer.output = list->list.items[i]->source;
        if (turns && turns->kind == VALUE_LIST && i < turns->list.count) {
            t->turns[i].answer.output_tokens = tokens_in(turns->list.items[i]);
        }
        t->answered = i + 1;
    }
    return true;
}

/* The old detail up to its last "judged", then what is new. */
static const char *detail_of(const struct suite_trial *t, const struct trial_note *note,
                             struct arena *out)
{
    static const char mark[] = ",\"judged\":";
    const char *cut = NULL;
    for (const char *at = note->detail; at && (at = strstr(at, mark)); at++) cut = at;
    if (!cut) return note->detail;
    struct buf b;
    struct json j;
    buf_init(&b, (size_t)16 << 20);
    json_init(&j, &b, 0);
    json_object(&j);
    suite_write_judged(t, &j);
    json_end(&j);
    const char *text =
        arena_printf(out, "%.*s,%s", (int)(cut - note->detail), note->detail, b.p + 1);
    buf_release(&b);
    return text;
}

bool suite_rescore(struct suite_rescorer *r, const struct case_item *item,
                   const struct trial_note *note, struct arena *out, struct suite_again *again,
                   struct error *err)
{
    struct suite_trial t = {.arena = out, .item = *item, .score = NAN};
    for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) t.dimensions[d] = NAN;
    if (!suite_scorer_begin(&r->scorer, &t, 0, err) || !take_answers(&t, note, err))
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
        .detail = detail_of(&t, note, out),
    };
    if (again->detail) {
        again->detail = str_cstr(out, secret_redacted(&r->secrets, str_of(again->detail), out));
    }
    memcpy(again->dimensions, t.dimensions, sizeof t.dimensions);
    return true;
}
