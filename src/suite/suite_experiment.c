/* A benchmark of a suite: one case for one agent is one trial.
 *
 * A case without turns maps one to one onto the adapter: prepare, ask (between
 * the clock reads), conclude. A conversation is given turn by turn inside one
 * trial, so that what we do between turns is a part of its time; that is a few
 * microseconds a turn. Scoring comes after the clock has stopped. */
#include "base/clock.h"
#include "suite/suite_internal.h"

#include <math.h>

#define ROW(key, kind, field) \
    .name = (key), .type = (kind), .offset = offsetof(struct suite_config, field)

static const struct param params[] = {
    {ROW("suite", PARAM_TEXT, suite), .role = PARAM_WORKLOAD, .required = true,
     .help = "the suite it belongs to"},
    {ROW("benchmark", PARAM_TEXT, benchmark), .role = PARAM_WORKLOAD, .required = true,
     .help = "its name"},
    {ROW("category", PARAM_TEXT, category), .role = PARAM_TREATMENT,
     .help = "what the suite is mainly about"},
    {ROW("test_type", PARAM_TEXT, test_type), .role = PARAM_TREATMENT,
     .help = "synthetic, real_world, stress or edge_case"},
    {ROW("complexity", PARAM_TEXT, complexity), .role = PARAM_TREATMENT,
     .help = "low, medium, high or extreme"},
    {ROW("prompt", PARAM_TEXT, prompt), .role = PARAM_TREATMENT,
     .help = "the prompt that the cases use"},
    {ROW("prompts", PARAM_MAP, prompts), .role = PARAM_TREATMENT,
     .help = "name: text with {{input}} and other fields of the case"},
    {ROW("rubric", PARAM_ANY, rubric), .role = PARAM_TREATMENT,
     .help = "how answers are judged; default: exact"},
    {ROW("constraints", PARAM_MAP, constraints), .role = PARAM_TREATMENT,
     .help = "limits of one trial"},
    {ROW("environment", PARAM_MAP, environment), .role = PARAM_TREATMENT,
     .help = "files, variables, setup and cleanup"},
    {ROW("judges", PARAM_ANY, judges), .role = PARAM_TREATMENT,
     .help = "agents that checks ask"},
    {ROW("reducer", PARAM_TEXT, reducer), .role = PARAM_TREATMENT,
     .help = "how several passes of a case are combined: mean, median or all"},
};

static const struct metric metrics[SUITE_METRIC_COUNT] = {
    [SUITE_ACCURACY] = {"accuracy", "1", DIRECTION_HIGHER, "rubric_score/1",
                        "the rubric's score of the answer", .kind = KIND_SHARE},
    [SUITE_CORRECTNESS] = {"output_correctness", "1", DIRECTION_HIGHER, "rubric_dimension/1",
                           "score of the checks that judge correctness", .kind = KIND_SHARE},
    [SUITE_COMPLETENESS] = {"output_completeness", "1", DIRECTION_HIGHER, "rubric_dimension/1",
                            "score of the checks that judge completeness", .kind = KIND_SHARE},
    [SUITE_RELEVANCE] = {"output_relevance", "1", DIRECTION_HIGHER, "rubric_dimension/1",
                         "score of the checks that judge relevance", .kind = KIND_SHARE},
    [SUITE_TOKENS] = {"tokens", "1", DIRECTION_LOWER, "tokens/1", "tokens in and out",
                      .of_failures = true},
    [SUITE_INPUT_TOKENS] = {"input_tokens", "1", DIRECTION_LOWER, "tokens/1", "tokens in",
                            .of_failures = true},
    [SUITE_OUTPUT_TOKENS] = {"output_tokens", "1", DIRECTION_LOWER, "tokens/1", "tokens out",
                             .of_failures = true},
    [SUITE_CACHE_READ_TOKENS] = {"cache_read_tokens", "1", DIRECTION_HIGHER, "tokens/1",
                                 "input tokens read from a cache", .of_failures = true},
    [SUITE_WASTED_TOKENS] = {"wasted_tokens", "1", DIRECTION_LOWER, "tokens/1",
                             "tokens of failed attempts that were retried",
                             .of_failures = true},
    [SUITE_API_CALLS] = {"api_calls", "1", DIRECTION_LOWER, "calls/1",
                         "calls, including retries", .of_failures = true},
    [SUITE_RETRIES] = {"retries", "1", DIRECTION_LOWER, "calls/1", "retried attempts",
                       .of_failures = true},
    [SUITE_COST] = {"cost_usd", "USD", DIRECTION_LOWER, "cost/1",
                    "as the agent reports it, otherwise from its prices", .of_failures = true,
                    .kind = KIND_SUM},
    [SUITE_JUDGE_COST] = {"judge_cost_usd", "USD", DIRECTION_LOWER, "cost/1",
                          "cost of judges; not the agent's own", .of_failures = true,
                          .kind = KIND_SUM},
    [SUITE_FIRST_TOKEN] = {"first_token_s", "s", DIRECTION_LOWER, "first_token/1",
                           "from the request to the first token"},
    [SUITE_GAP] = {"gap_p50_s", "s", DIRECTION_LOWER, "token_gap/1",
                   "median time between tokens after the first"},
    [SUITE_TOKENS_PER_S] = {"tokens_per_s", "1/s", DIRECTION_HIGHER, "token_rate/1",
                            "output tokens after the first / the time they took"},
    [SUITE_READY] = {"ready_s", "s", DIRECTION_LOWER, "ready/1",
                     "from the start of a session's program until it was ready for tasks",
                     .of_failures = true},
    [SUITE_CPU] = {"cpu_s", "s", DIRECTION_LOWER, "cpu/1",
                   "processor time of the agent's processes"},
    [SUITE_MEMORY] = {"memory_peak_mb", "MB", DIRECTION_LOWER, "memory_peak/1",
                      "largest resident set of any one process, 1 MB = 1,000,000 bytes"},
    [SUITE_GROUP_MEMORY] = {"memory_group_peak_mb", "MB", DIRECTION_LOWER,
                            "memory_group_peak/1",
                            "all processes of the agent together, by their cgroup"},
    [SUITE_RESIDENT] = {"memory_resident_mb", "MB", DIRECTION_LOWER, "memory_resident/1",
                        "resident set of a session's process after the case"},
    [SUITE_CONVERSATIONS_PER_S] = {"conversations_per_s", "1/s", DIRECTION_HIGHER,
                                   "conversation_rate/1",
                                   "1 / the time of a conversation, one at a time"},
    [SUITE_TURNS_PER_S] = {"turns_per_s", "1/s", DIRECTION_HIGHER, "turn_rate/1",
                           "turns of a conversation / the time they took together"},
};

struct state {
    const struct suite_config *config;
    const struct experiment_env *env;
    struct suite_place place;
    struct suite_agent agent;
    struct suite_scorer scorer;
    struct secrets secrets;
    struct arena arena; /* of one trial */
    bool is_open;
    double ready_s; /* of the latest start that no measured trial has given yet; NaN = none */
    struct suite_trial trial;
};

static bool suite_check(const void *config, struct error *err)
{
    const struct suite_config *c = config;
    if (!c->prompt || value_get(c->prompts, c->prompt)) return true;
    return error_set(err, ERROR_INVALID, "no prompt is named '%s'", c->prompt);
}

/* ---- set-up ---- */

static bool open_agent(struct state *s, struct error *err)
{
    const struct experiment_env *env = s->env;
    struct suite_constraints c = {0};
    if (!param_read(suite_constraints_table, s->config->constraints, &c, env->arena, err))
        return false;
    struct agent_env to = {
        .arena = env->arena,
        .work_dir = s->place.work_dir,
        .environment = s->place.variables,
        .hidden = env->hidden,
        .fixed = env->fixed,
        .folders = env->folders,
        .limits = {.time_ns = (int64_t)(c.time_limit_ms * 1e6),
                   .memory_bytes = (int64_t)(c.memory_limit_mb * 1e6),
                   .output_bytes = c.output_limit_bytes,
                   .processes = c.process_limit,
                   .tokens = c.token_limit,
                   .cost_usd = c.cost_limit_usd},
        .config = value_get(env->agent, "config"),
        .benchmark = s->config->benchmark,
        .seed = env->workload_seed,
        .secrets = &s->secrets,
        .memory_floor = env->memory_floor,
        .unenforced = env->remarks,
    };
    if (to.limits.time_ns == 0) to.limits.time_ns = env->time_limit_ns;
    suite_agent_prices(env->agent, env->arena, &to.prices);
    return suite_agent_open(&s->agent, env->agent, &to, err);
}

static bool suite_setup(const struct experiment_env *env, void *state, struct error *err)
{
    struct state *s = state;
    s->config = env->config;
    s->env = env;
    s->ready_s = NAN;
    if (case_pack_count(env->cases) == 0) {
        return error_set(err, ERROR_INVALID,
                         "no cases: a benchmark is written as a suite (`assay init suite`)");
    }
    if (!env->agent) return error_set(err, ERROR_INVALID, "no agent");
    s->arena = arena_open();
    s->is_open = true;
    bool done = suite_find_secrets(&s->secrets, env->secrets, env->arena, err) &&
                suite_place_open(&s->place, env, s->config->environment, err) &&
                open_agent(s, err) &&
                suite_scorer_open(&s->scorer, s->config, env, &s->secrets, err);
    if (!done) secret_redact_error(&s->secrets, err);
    return done;
}

/* ---- a trial ---- */

static enum trial_status suite_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    const struct agent_kind *kind = s->agent.kind;
    arena_reset(&s->arena);
    s->trial = (struct suite_trial){.arena = &s->arena, .score = NAN};
    for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) s->trial.dimensions[d] = NAN;
    bool done = case_pack_read(s->env->cases, (size_t)t->case_index, &s->arena, &s->trial.item,
                               &t->error);
    if (done) t->case_hash = s->trial.item.hash;
    done =
        done && suite_scorer_begin(&s->scorer, &s->trial, t->workload_seed, &t->error) &&
        (!kind->prepare || kind->prepare(s->agent.state, &s->trial.turns[0].task, &t->error));
    return done ? TRIAL_OK : TRIAL_HARNESS_ERROR;
}

/* Texts of an answer belong to the adapter until its next task. */
static void keep_answer(struct state *s, struct agent_answer *a)
{
    double *gaps = arena_new(&s->arena, double, a->gap_count);
    if (a->gap_count) memcpy(gaps, a->gaps_s, a->gap_count * sizeof *gaps);
    a->gaps_s = gaps;
    struct agent_phase *phases = arena_new(&s->arena, struct agent_phase, a->phase_count);
    for (size_t i = 0; i < a->phase_count; i++) {
        phases[i] = a->phases[i];
        phases[i].name = str_cstr(&s->arena, str_of(phases[i].name));
    }
    a->phases = phases;
    a->output = str_copy(&s->arena, a->output);
    a->tool_calls = str_copy(&s->arena, a->tool_calls);
}

static double known(double v)
{
    return isnan(v) ? 0 : v;
}

/* Limits are of a trial: what its turns used together. */
static bool is_within_limits(const struct state *s, struct error *err)
{
    double tokens = 0;
    double cost_usd = 0;
    for (size_t i = 0; i < s->trial.answered; i++) {
        const struct agent_answer *a = &s->trial.turns[i].answer;
        tokens += known(a->input_tokens) + known(a->output_tokens);
        cost_usd += known(a->cost_usd);
    }
    return agent_limits_hold(&s->agent.limits, tokens, cost_usd, err);
}

/* Turn i has been asked. */
static enum trial_status end_turn(struct state *s, size_t i, enum trial_status status)
{
    struct suite_turn *turn = &s->trial.turns[i];
    status = s->agent.kind->conclude(s->agent.state, &turn->task, status, &turn->answer);
    turn->answer.output = secret_redacted(&s->secrets, turn->answer.output, &s->arena);
    turn->answer.tool_calls = secret_redacted(&s->secrets, turn->answer.tool_calls, &s->arena);
    secret_redact_error(&s->secrets, &turn->answer.error);
    s->trial.answered = i + 1;
    if (status == TRIAL_OK && i > 0 && !is_within_limits(s, &turn->answer.error)) {
        status = TRIAL_LIMIT_BREACHED;
    }
    return status;
}

static enum trial_status suite_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    const struct agent_kind *kind = s->agent.kind;
    int64_t begin_ns = clock_ns();
    enum trial_status status = kind->ask(s->agent.state, &s->trial.turns[0].task);
    s->trial.asked = 1;
    for (size_t i = 1; i < s->trial.turn_count && status == TRIAL_OK; i++) {
        status = end_turn(s, i - 1, status);
        if (status != TRIAL_OK) break;
        keep_answer(s, &s->trial.turns[i - 1].answer);
        if (kind->prepare &&
            !kind->prepare(s->agent.state, &s->trial.turns[i].task, &t->error)) {
            return TRIAL_HARNESS_ERROR;
        }
        status = kind->ask(s->agent.state, &s->trial.turns[i].task);
        s->trial.asked = i + 1;
    }
    s->trial.talk_s = (double)(clock_ns() - begin_ns) / 1e9;
    return status;
}

/* A start is mostly in the warm-up; it is a figure of the measured trials anyway. */
static void give_start(struct state *s, struct trial *t)
{
    for (size_t i = 0; i < s->trial.answered; i++) {
        double ready_s = s->trial.turns[i].answer.ready_s;
        if (!isnan(ready_s)) s->ready_s = ready_s;
    }
    if (t->phase != PHASE_MEASURED || isnan(s->ready_s)) return;
    t->values[SUITE_READY] = s->ready_s;
    s->ready_s = NAN;
}

/* Whatever way a key took. */
static void redact_all(struct state *s, struct trial *t)
{
    struct buf *const texts[] = {t->output, t->detail};
    secret_redact_error(&s->secrets, &t->error);
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (!texts[i]) continue;
        struct str clean = secret_redacted(&s->secrets, buf_str(texts[i]), &s->arena);
        if (clean.p == buf_str(texts[i]).p) continue;
        buf_clear(texts[i]);
        buf_add(texts[i], clean);
    }
}

static enum trial_status suite_conclude(struct trial *t, void *state, enum trial_status status)
{
    struct state *s = state;
    struct suite_trial *x = &s->trial;
    bool is_ours = status == TRIAL_HARNESS_ERROR && t->error.text[0];
    if (!is_ours && x->answered < x->asked) status = end_turn(s, x->answered, status);
    if (x->answered > 0) {
        const struct agent_answer *last = &x->turns[x->answered - 1].answer;
        if (status != TRIAL_OK && !is_ours) t->error = last->error;
        if (status != TRIAL_OK && x->turn_count > 1 && !is_ours) {
            error_wrap(&t->error, "turn %zu", x->answered - 1);
        }
        for (size_t i = 0; i < x->answered; i++) {
            t->is_simulated |= x->turns[i].answer.is_simulated;
        }
        if (x->turn_count == 1) {
            t->start_ns = last->start_ns;
            t->end_ns = last->end_ns;
        }
        t->usage = suite_usage(x);
    }
    t->usage.is_elsewhere = !s->agent.kind->is_local;
    t->is_untimed = s->agent.kind->is_replayed;
    if (t->is_untimed) x->talk_s = 0;
    if (status == TRIAL_OK && !suite_scorer_judge(&s->scorer, x, &t->error)) {
        status = TRIAL_HARNESS_ERROR;
    }
    suite_give_values(x, t->values);
    give_start(s, t);
    if (t->output) suite_write_output(x, t->output);
    if (t->detail) suite_write_detail(x, t->detail);
    if (s->secrets.count > 0) redact_all(s, t);
    return status;
}

static bool suite_teardown(void *state, struct error *err)
{
    struct state *s = state;
    if (!s->is_open) return true;
    suite_agent_close(&s->agent);
    suite_scorer_close(&s->scorer);
    bool done = suite_place_close(&s->place, err);
    if (!done) secret_redact_error(&s->secrets, err);
    arena_close(&s->arena);
    s->is_open = false;
    return done;
}

const struct experiment experiment_suite = {
    .name = "suite",
    .summary = "asks an agent the cases of a benchmark and scores its answers",
    .help = "The benchmarks of a suite file run as this experiment, one cell per agent: each "
            "trial gives one case to the agent. Do not write 'experiment: suite'; `assay init "
            "suite` writes a suite that runs, and docs/suites.md explains it.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct suite_config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .label_param = "benchmark",
    .takes_agent = true,
    .spawns = true,
    .check = suite_check,
    .setup = suite_setup,
    .prepare = suite_prepare,
    .execute_once = suite_execute_once,
    .conclude = suite_conclude,
    .teardown = suite_teardown,
};
