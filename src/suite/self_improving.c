/* A self-improving agent: the search of experiment sparse_memory, in which an agent makes the
 * change. Operator, parents, scoring, pool and stop are the search's own; the agent gets the
 * parents with their scores, the insights and the library, and answers with a playbook. So the
 * same numbers are measured of a model as of the built-in operators (experiment sparse_memory).
 *
 * An ask that ends in an error is a refused change, like an answer without a playbook: one of
 * many does not end the search. Several in a row do, or when there was nothing else. */
#include "suite/suite_internal.h"

#include "base/os.h"
#include "evolve/dials.h"
#include "evolve/search.h"
#include "experiment/experiment.h"

enum {
    METRIC_TO_TARGET,
    METRIC_REACHED,
    METRIC_QUALITY,
    METRIC_ASKED,
    METRIC_REFUSED,
    METRIC_FAILED
};
enum { STREAM_CHALLENGE = 1, STREAM_SEARCH };
enum { FAILED_IN_A_ROW = 5 }; /* of which the last ends the trial */

struct config {
    double difficulty;
    const char *parts;
    int64_t cap;
};

struct state {
    const struct config *config;
    unsigned parts;
    struct suite_agent agent;
    struct arena arena; /* of one trial */
    const struct challenge *challenge;
    struct search_result result;
    int64_t asked;
    int64_t failed;
    int failed_in_a_row;
    struct error why; /* the last one failed, and how */
    enum trial_status how;
    uint64_t seed;
};

#define AT(member) .offset = offsetof(struct config, member)
static const struct param params[] = {
    {"difficulty", PARAM_REAL, AT(difficulty), .fallback = "0.3", .min = 0, .max = 1,
     .help = "as of sparse_memory"},
    {"parts", PARAM_TEXT, AT(parts), .role = PARAM_TREATMENT, .fallback = "\"all\"",
     .help = "as of sparse_memory"},
    {"cap", PARAM_INT, AT(cap), .fallback = "20", .min = 1, .max = 10000,
     .help = "iterations; the agent is asked three times in each"},
};

static const struct metric metrics[] = {
    [METRIC_TO_TARGET] = {"iterations_to_target", "1", DIRECTION_LOWER, "evolve_to_target/1",
                          "iterations to 95 % of the best known fitness; the cap if never"},
    [METRIC_REACHED] = {"reached", "1", DIRECTION_HIGHER, "evolve_reached/1",
                        "searches that reached that target", .kind = KIND_SHARE},
    [METRIC_QUALITY] = {"quality", "1", DIRECTION_HIGHER, "evolve_quality/1",
                        "score at the stop on scenarios that the search never saw",
                        .kind = KIND_SHARE},
    [METRIC_ASKED] = {"asked", "1", DIRECTION_NONE, "evolve_asked/1",
                      "changes that the agent was asked for"},
    [METRIC_REFUSED] = {"refused", "1", DIRECTION_LOWER, "evolve_refused/1",
                        "answers without a playbook that the library knows, and failed asks",
                        .kind = KIND_SHIFT},
    [METRIC_FAILED] = {"failed_asks", "1", DIRECTION_LOWER, "evolve_failed_asks/1",
                       "asks that ended in an error of the agent", .kind = KIND_SHIFT},
};

static bool ask_agent(void *state, struct str question, struct buf *answer, struct error *err)
{
    struct state *s = state;
    struct agent_answer given;
    char number[32];
    snprintf(number, sizeof number, "change-%lld", (long long)++s->asked);
    struct agent_task task = {.case_id = str_of(number), .input = question, .seed = s->seed};
    agent_answer_init(&given);
    const struct agent_kind *kind = s->agent.kind;
    s->how = TRIAL_FAILED;
    if (kind->prepare && !kind->prepare(s->agent.state, &task, err)) return false;
    enum trial_status status = kind->ask(s->agent.state, &task);
    status = kind->conclude(s->agent.state, &task, status, &given);
    if (status == TRIAL_OK) {
        s->failed_in_a_row = 0;
        buf_add(answer, given.output);
        return true;
    }
    error_set(&s->why, ERROR_FAILED, "asked for a change, the agent gave none: %s: %s",
              trial_status_name(status), given.error.text);
    s->how = status;
    s->failed++;
    /* The time limit is that of the trial, so it is over; and a fault of ours is not refused. */
    bool is_over = status == TRIAL_TIMED_OUT || status == TRIAL_HARNESS_ERROR;
    if (!is_over && ++s->failed_in_a_row < FAILED_IN_A_ROW) return true;
    *err = s->why;
    return false;
}

static bool self_improving_check(const void *config, struct error *err)
{
    unsigned parts;
    const struct config *c = config;
    return search_parts_parse(str_of(c->parts), &parts, err) || error_wrap(err, "parts");
}

static bool self_improving_setup(const struct experiment_env *env, void *state,
                                 struct error *err)
{
    struct state *s = state;
    s->config = env->config;
    s->arena = arena_open();
    if (!search_parts_parse(str_of(s->config->parts), &s->parts, err)) return false;
    static const char *const variables[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    struct agent_env agent = {
        .arena = env->arena,
        .work_dir = env->work_dir,
        .environment = variables,
        .hidden = env->hidden,
        .fixed = env->fixed,
        .folders = env->folders,
        .limits = {.time_ns = env->time_limit_ns},
        .config = value_get(env->agent, "config"),
        .seed = env->workload_seed,
        .unenforced = env->remarks,
    };
    suite_agent_prices(env->agent, env->arena, &agent.prices);
    return suite_agent_open(&s->agent, env->agent, &agent, err);
}

static enum trial_status self_improving_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    arena_reset(&s->arena);
    s->asked = s->failed = s->failed_in_a_row = 0;
    s->seed = t->workload_seed;
    s->challenge = dials_challenge("agent", s->config->difficulty,
                                   rng_nth(t->workload_seed, STREAM_CHALLENGE), &s->arena);
    return TRIAL_OK;
}

static enum trial_status self_improving_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    struct proposer proposer = {s, ask_agent};
    struct search_options options = {
        .parts = s->parts,
        .selector = SELECTOR_MATCHING,
        .detector = CONVERGENCE_PATIENT,
        .difficulty = s->config->difficulty,
        .cap = s->config->cap,
        .seed = rng_nth(t->workload_seed, STREAM_SEARCH),
        .proposer = &proposer,
    };
    if (!search_run(s->challenge, &options, &s->arena, &s->result, &t->error)) return s->how;
    if (s->failed < s->asked) return TRIAL_OK;
    t->error = s->why;
    return s->how;
}

static enum trial_status self_improving_conclude(struct trial *t, void *state,
                                                 enum trial_status status)
{
    const struct state *s = state;
    t->values[METRIC_ASKED] = (double)s->asked;
    t->values[METRIC_FAILED] = (double)s->failed;
    if (status != TRIAL_OK) return status;
    if (!search_is_right(s->challenge, &s->result, &t->error)) return TRIAL_FAILED;
    t->values[METRIC_TO_TARGET] = (double)s->result.to_target;
    t->values[METRIC_REACHED] = s->result.has_reached;
    t->values[METRIC_QUALITY] = s->result.curve[s->result.stop - 1].held_out;
    t->values[METRIC_REFUSED] = (double)s->result.refused;
    return status;
}

static bool self_improving_teardown(void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    suite_agent_close(&s->agent);
    arena_close(&s->arena);
    return true;
}

const struct experiment experiment_self_improving = {
    .name = "self_improving",
    .summary = "evolves a playbook by the changes that an agent proposes",
    .help =
        "The agent gets text: the operator, one or two playbooks with their scores, insights "
        "and the library. It answers with rows '- line @setting'; other text is ignored.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "quality",
    .takes_agent = true,
    .check = self_improving_check,
    .setup = self_improving_setup,
    .prepare = self_improving_prepare,
    .execute_once = self_improving_execute_once,
    .conclude = self_improving_conclude,
    .teardown = self_improving_teardown,
};
