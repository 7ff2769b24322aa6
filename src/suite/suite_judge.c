#include "check/links.h"
#include "model/template.h"
#include "suite/suite_internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* As of a service that states none (http/call.c): one that never replies would hold the run. */
static const int64_t judge_time_ns = INT64_C(600) * 1000000000;

static bool find_rubric(struct suite_rubrics *r, const struct case_item *item, size_t *index,
                        struct error *err)
{
    *index = (size_t)(item->rubric_index + 1);
    if (*index >= COUNT(r->sessions)) {
        return error_set(err, ERROR_INVALID, "more than %zu different rubrics",
                         COUNT(r->sessions));
    }
    if (r->sessions[*index]) return true;
    /* The tree of a case lives for one trial; a rubric stays. */
    struct arena *arena = r->env.arena;
    const struct value *tree = *index == 0 ? r->common : NULL;
    if (item->rubric_index >= 0 &&
        !value_read_json(json_of(item->rubric, arena), &value_limits_stored, arena, &tree, err))
        return false;
    struct problems problems = {.arena = arena, .file = "rubric"};
    if (!rubric_read(tree, arena, &r->rubrics[*index], &problems)) {
        return error_set(err, ERROR_INVALID, "rubric: %s",
                         problems.kept ? problems.items[0].text : "cannot be read");
    }
    return rubric_open(r->rubrics[*index], &r->env, &r->sessions[*index], err);
}

/* Turns without an expected answer of their own are not judged, but for the
 * last, which has the case's; a case without turns is its one turn. */
static void mark_judged(struct suite_trial *t, const struct rubric *rubric)
{
    for (size_t i = 0; i < t->turn_count; i++) {
        struct suite_turn *turn = &t->turns[i];
        bool is_last = i + 1 == t->turn_count;
        bool has_own = turn->expected != NULL;
        if (!has_own && is_last) turn->expected = t->item.expected;
        turn->is_judged = (has_own || is_last) && rubric_judges(rubric, turn->expected);
    }
}

static double mean_of(double sum, size_t count)
{
    return count > 0 ? sum / (double)count : (double)NAN;
}

bool suite_scorer_judge(struct suite_scorer *s, struct suite_trial *t, struct error *err)
{
    struct rubric_session *session = s->rubrics.sessions[t->rubric];
    double sum = 0;
    double sums[RUBRIC_DIMENSIONS] = {0};
    size_t counts[RUBRIC_DIMENSIONS] = {0};
    size_t judged = 0;
    bool done = true;
    for (size_t i = 0; i < t->answered; i++) {
        struct suite_turn *turn = &t->turns[i];
        turn->result.score = NAN;
        if (!turn->is_judged) continue;
        struct check_input input = {
            .output = turn->answer.output,
            .input = turn->task.input,
            .expected = turn->expected,
            .fields = t->item.fields,
            .output_tokens = turn->answer.output_tokens,
        };
        if (!rubric_evaluate(session, &input, t->arena, &turn->result, done ? err : NULL)) {
            done = false;
        }
        if (turn->result.calls > 0) {
            t->judge_calls += turn->result.calls;
            t->judge_cost_usd += turn->result.cost_usd;
        }
        if (!isnan(turn->result.score)) {
            sum += turn->result.score;
            judged++;
        }
        for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) {
            if (isnan(turn->result.dimensions[d])) continue;
            sums[d] += turn->result.dimensions[d];
            counts[d]++;
        }
    }
    t->score = done ? mean_of(sum, judged) : (double)NAN;
    for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) {
        t->dimensions[d] = done ? mean_of(sums[d], counts[d]) : (double)NAN;
    }
    return done;
}

/* ---- tasks ---- */

/* {{input}} and other fields of the case into the prompt. */
static bool fill_prompt(const char *prompt, struct agent_task *task, struct arena *arena,
                        struct error *err)
{
    struct buf out;
    buf_init(&out, (size_t)16 << 20);
    bool done = template_fill(str_of(prompt), false, task, &out, err);
    task->input = str_copy(arena, buf_str(&out));
    task->is_json = false;
    buf_release(&out);
    return done;
}

bool suite_scorer_begin(struct suite_scorer *s, struct suite_trial *t, uint64_t seed,
                        struct error *err)
{
    const struct case_item *item = &t->item;
    t->turn_count = item->turn_count ? item->turn_count : 1;
    t->turns = arena_new(t->arena, struct suite_turn, t->turn_count);
    for (size_t i = 0; i < t->turn_count; i++) {
        struct suite_turn *turn = &t->turns[i];
        const struct case_turn *from = item->turn_count ? &item->turns[i] : NULL;
        turn->task = (struct agent_task){
            .case_id = str_of(item->id),
            .conversation = from ? str_of(item->id) : (struct str){0},
            .turn = (int64_t)i,
            .input = from ? from->input : item->input,
            .is_json = from ? from->is_json : item->is_json,
            .fields = from && from->fields ? from->fields : item->fields,
            .seed = seed,
        };
        turn->expected = from ? from->expected : item->expected;
        turn->result.score = NAN;
        agent_answer_init(&turn->answer);
        if (s->prompt && i == 0 && !fill_prompt(s->prompt, &turn->task, t->arena, err))
            return false;
    }
    if (!find_rubric(&s->rubrics, item, &t->rubric, err)) return false;
    mark_judged(t, s->rubrics.rubrics[t->rubric]);
    return true;
}

/* ---- work folders ---- */

static size_t add_real(const char **list, size_t n, const char *path, struct arena *arena)
{
    char real[PATH_MAX];
    if (!path || !realpath(path, real)) return n;
    list[n] = arena_copy(arena, real, strlen(real));
    return n + 1;
}

static const char *workdir_of(const struct value *map, struct arena *arena)
{
    const struct value *v = value_get(map, "workdir");
    return v && v->kind == VALUE_TEXT && v->source.n ? str_cstr(arena, v->source) : NULL;
}

/* Those that stay, where programs that check answers find what the agent wrote. Without a
 * list of what is hidden (a stored run is judged again) that is the suite's folder. */
static void find_folders(struct check_env *to, const struct suite_config *config,
                         const struct experiment_env *env)
{
    const char **own = arena_new(env->arena, const char *, 3);
    const char **suite = arena_new(env->arena, const char *, 2);
    const struct value *process = value_get(env->agent, "process");
    size_t n = add_real(own, 0, workdir_of(process, env->arena), env->arena);
    add_real(own, n, workdir_of(config->environment, env->arena), env->arena);
    add_real(suite, 0, env->base_dir ? env->base_dir : ".", env->arena);
    to->own = own;
    to->hidden = env->hidden ? env->hidden : suite;
}

/* One that is there before the first trial may be anybody's: no answer pays for it. */
static bool has_no_links(const struct suite_rubrics *r, struct error *err)
{
    const char *link = NULL;
    for (size_t i = 0; r->env.own[i] && !link && rubric_runs_program(r->rubrics[0]); i++) {
        link = links_to_hidden(r->env.own[i], r->env.hidden, r->env.arena);
    }
    return !link || error_set(err, ERROR_INVALID,
                              "the work folder has a link, and a check would read what it "
                              "leads to: %s; remove the link",
                              link);
}

/* A session goes on working while its files are read. */
static void say_if_session(const struct suite_rubrics *r, const struct experiment_env *env)
{
    const struct value *mode = value_get(value_get(env->agent, "process"), "mode");
    bool is_session = mode && mode->kind == VALUE_TEXT && str_is(mode->source, "session");
    if (!is_session || !r->env.own[0] || !env->hidden || !rubric_runs_program(r->rubrics[0]))
        return;
    buf_text(env->remarks, "The agent keeps running while a check reads its files, and can "
                           "exchange them meanwhile.\n");
}

bool suite_scorer_open(struct suite_scorer *s, const struct suite_config *config,
                       const struct experiment_env *env, const struct secrets *secrets,
                       struct error *err)
{
    s->judges = (struct suite_judges){
        .env = env, .maps = config->judges, .secrets = secrets, .time_ns = judge_time_ns};
    s->rubrics.common = config->rubric;
    s->rubrics.env = (struct check_env){.arena = env->arena,
                                        .base_dir = env->base_dir,
                                        .secrets = secrets,
                                        .ask = suite_judges_ask,
                                        .ask_context = &s->judges};
    const struct value *prompt =
        config->prompt ? value_get(config->prompts, config->prompt) : NULL;
    if (prompt) s->prompt = str_cstr(env->arena, prompt->source);
    struct case_item common = {.rubric_index = -1};
    size_t index = 0;
    find_folders(&s->rubrics.env, config, env);
    if (!find_rubric(&s->rubrics, &common, &index, err) || !has_no_links(&s->rubrics, err))
        return false;
    if (env->remarks) say_if_session(&s->rubrics, env);
    return suite_judges_open(&s->judges, err);
}

void suite_scorer_close(struct suite_scorer *s)
{
    for (size_t i = 0; i < COUNT(s->rubrics.sessions); i++) {
        rubric_close(s->rubrics.sessions[i]);
        s->rubrics.sessions[i] = NULL;
    }
    suite_judges_close(&s->judges);
}
