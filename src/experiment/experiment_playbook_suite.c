/* Evolves a playbook for each of fifteen roles on real scenario files and asks what it is worth
 * on all of them: the share of scenarios that its answer passes. One trial is one search for
 * each role. The same files are a suite that any agent can be put on (specs/playbooks.yaml). */
#include "base/os.h"
#include "evolve/playbook.h"
#include "evolve/scenario_file.h"
#include "evolve/search.h"
#include "experiment/experiment.h"

enum {
    METRIC_PASS_RATE,
    METRIC_HELD_OUT_PASS_RATE,
    METRIC_SCORE,
    METRIC_HELD_OUT,
    METRIC_EVALUATIONS,
};
enum { FILE_MAX = 4 << 20, ROLES_MAX = 64 };

struct config {
    struct param_texts roles;
    const char *scenarios;
    const char *libraries;
    const char *parts;
    int selector;
    int detector;
    int64_t cap;
};

struct state {
    const struct config *config;
    unsigned parts;
    struct arena arena; /* of one trial */
    struct challenge *challenges[ROLES_MAX];
    struct search_result results[ROLES_MAX];
};

#define AT(member) .offset = offsetof(struct config, member)
static const struct param params[] = {
    {"roles", PARAM_TEXT_LIST, AT(roles),
     .fallback = "[\"analyst\",\"billing\",\"builder\",\"content\",\"deploy\",\"email\","
                 "\"legal\",\"maintenance\",\"marketing\",\"onboarding\",\"qa\",\"security\","
                 "\"seo\",\"spec\",\"support\"]",
     .help = "agents whose playbooks are evolved: names of files"},
    {"scenarios", PARAM_TEXT, AT(scenarios), .fallback = "\"cases/playbooks\"",
     .help = "folder of ROLE.jsonl, relative to the spec"},
    {"libraries", PARAM_TEXT, AT(libraries), .fallback = "\"data/playbooks\"",
     .help = "folder of ROLE.library, relative to the spec"},
    {"parts", PARAM_TEXT, AT(parts), .role = PARAM_TREATMENT, .fallback = "\"none\"",
     .help = "as of sparse_memory"},
    {"selector", PARAM_CHOICE, AT(selector), .role = PARAM_TREATMENT,
     .fallback = "\"matching\"", .choices = selector_rule_names,
     .help = "how the part 'operators' chooses"},
    {"detector", PARAM_CHOICE, AT(detector), .role = PARAM_TREATMENT, .fallback = "\"patient\"",
     .choices = convergence_rule_names, .help = "how the part 'stopping' decides"},
    {"cap", PARAM_INT, AT(cap), .fallback = "200", .min = 10, .max = 100000,
     .help = "most iterations of a search"},
};

/* The pass rates are shares of hundreds of scenarios; a trial is no sample of 0 or 1. */
static const struct metric metrics[] = {
    [METRIC_PASS_RATE] = {"pass_rate", "1", DIRECTION_HIGHER, "playbook_pass_rate/2",
                          "share of all scenarios with a score of at least 0.7",
                          .kind = KIND_SHIFT},
    [METRIC_HELD_OUT_PASS_RATE] = {"held_out_pass_rate", "1", DIRECTION_HIGHER,
                                   "playbook_held_out_pass_rate/1",
                                   "the same of the scenarios that the searches never saw",
                                   .kind = KIND_SHIFT},
    [METRIC_SCORE] = {"score", "1", DIRECTION_HIGHER, "playbook_score/1",
                      "mean training score less the cost of segments, over roles",
                      .kind = KIND_SHARE},
    [METRIC_HELD_OUT] = {"held_out", "1", DIRECTION_HIGHER, "playbook_held_out/1",
                         "the same score on scenarios that the searches never saw",
                         .kind = KIND_SHARE},
    [METRIC_EVALUATIONS] = {"evaluations", "1", DIRECTION_LOWER, "playbook_evaluations/1",
                            "scenarios scored in all searches"},
};

static bool playbook_suite_check(const void *config, struct error *err)
{
    const struct config *c = config;
    unsigned parts;
    if (c->roles.count == 0 || c->roles.count > ROLES_MAX)
        return error_set(err, ERROR_INVALID, "roles: 1 to %d are possible", ROLES_MAX);
    return search_parts_parse(str_of(c->parts), &parts, err) || error_wrap(err, "parts");
}

static bool read_below(const struct experiment_env *env, const char *folder, const char *role,
                       const char *ending, struct str *bytes, struct error *err)
{
    const char *name = arena_printf(env->arena, "%s/%s.%s", folder, role, ending);
    const char *path = os_path_below(env->base_dir, str_of(name), env->arena);
    return os_read_file(path, FILE_MAX, env->arena, bytes, err);
}

static bool playbook_suite_setup(const struct experiment_env *env, void *state,
                                 struct error *err)
{
    struct state *s = state;
    const struct config *c = s->config = env->config;
    s->arena = arena_open();
    for (size_t i = 0; i < c->roles.count; i++) {
        struct str scenarios;
        struct str library;
        const char *role = c->roles.items[i];
        if (!read_below(env, c->scenarios, role, "jsonl", &scenarios, err) ||
            !read_below(env, c->libraries, role, "library", &library, err) ||
            !scenario_file_read(role, scenarios, library, env->arena, &s->challenges[i], err))
            return error_wrap(err, "role '%s'", role);
    }
    return search_parts_parse(str_of(c->parts), &s->parts, err);
}

static enum trial_status playbook_suite_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    arena_reset(&s->arena);
    for (size_t i = 0; i < c->roles.count; i++) {
        struct search_options options = {
            .parts = s->parts,
            .selector = (enum selector_rule)c->selector,
            .detector = (enum convergence_rule)c->detector,
            .difficulty = 0.5,
            .cap = c->cap,
            .seed = rng_nth(t->workload_seed, i),
        };
        if (!search_run(s->challenges[i], &options, &s->arena, &s->results[i], &t->error))
            return TRIAL_FAILED;
    }
    return TRIAL_OK;
}

static enum trial_status playbook_suite_conclude(struct trial *t, void *state,
                                                 enum trial_status status)
{
    const struct state *s = state;
    if (status != TRIAL_OK) return status;
    double passed[2] = {0}; /* of all, and of those held out */
    double scenarios[2] = {0};
    double score = 0;
    double held_out = 0;
    double evaluations = 0;
    for (size_t i = 0; i < s->config->roles.count; i++) {
        const struct challenge *c = s->challenges[i];
        const struct search_result *r = &s->results[i];
        if (!search_is_right(c, r, &t->error)) return TRIAL_FAILED;
        for (size_t k = 0; k < 2; k++) {
            size_t from = k ? c->train_count : 0;
            passed[k] += (double)scenario_file_passed(c, &r->best, from);
            scenarios[k] += (double)(c->scenario_count - from);
        }
        score += r->curve[r->stop - 1].fitness;
        held_out += r->curve[r->stop - 1].held_out;
        evaluations += (double)r->evaluations;
        playbook_write(c, &r->best, t->output);
    }
    double roles = (double)s->config->roles.count;
    t->values[METRIC_PASS_RATE] = passed[0] / scenarios[0];
    t->values[METRIC_HELD_OUT_PASS_RATE] = passed[1] / scenarios[1];
    t->values[METRIC_SCORE] = score / roles;
    t->values[METRIC_HELD_OUT] = held_out / roles;
    t->values[METRIC_EVALUATIONS] = evaluations;
    return status;
}

static bool playbook_suite_teardown(void *state, struct error *err)
{
    (void)err;
    arena_close(&((struct state *)state)->arena);
    return true;
}

const struct experiment experiment_playbook_suite = {
    .name = "playbook_suite",
    .summary = "evolves playbooks for fifteen roles and counts the scenarios that they pass",
    .help = "The evolved playbooks are the output of each trial. specs/playbooks.yaml asks any "
            "agent the same scenarios.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .label_param = "parts",
    .primary = "pass_rate",
    .check = playbook_suite_check,
    .setup = playbook_suite_setup,
    .execute_once = playbook_suite_execute_once,
    .conclude = playbook_suite_conclude,
    .teardown = playbook_suite_teardown,
};
