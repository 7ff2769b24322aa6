/* An evolutionary search for an agent's playbook, with the five parts of sparse memory on or
 * off (evolve/search.h). One trial is one whole search; its problem and its random numbers come
 * from the workload seed, so that every arm searches for the same thing from the same start, and
 * trial i of one arm pairs with trial i of another.
 *
 * "Fewer iterations" alone says nothing: whoever stops at once has the fewest. So the iterations
 * to a target that is the same in all arms are given beside those to the stop, and the quality
 * on held-out scenarios both at the stop and at an iteration that is the same in all arms. */
#include "base/json.h"
#include "base/proc.h"
#include "evolve/dials.h"
#include "evolve/search.h"
#include "experiment/experiment.h"

#include <unistd.h>

enum {
    METRIC_ITERATIONS,
    METRIC_TO_TARGET,
    METRIC_REACHED,
    METRIC_QUALITY,
    METRIC_QUALITY_AT_MARK,
    METRIC_FALSE_BY_TWICE,
    METRIC_FALSE_BY_CAP,
    METRIC_EVALUATIONS,
    METRIC_PARSED,
    METRIC_TRAJECTORIES,
    METRIC_EMBEDDINGS,
    METRIC_SYNTAX,
    METRIC_PEAK,
    METRIC_RSS,
    METRIC_RESTARTS,
    METRIC_COUNT
};

enum { STREAM_CHALLENGE = 1, STREAM_SEARCH };

struct config {
    const char *agent;
    double difficulty;
    const char *parts;
    int selector;
    int detector;
    int64_t cap;
    int64_t mark;
    int64_t pool;
    bool runs_on;
    bool until_judged;
    const char *copy;
    double planted;
};

struct state {
    struct search_result result; /* first: a test spoils it */
    const struct config *config;
    unsigned parts;
    struct arena arena; /* of one trial */
    const struct challenge *challenge;
};

#define AT(member) .offset = offsetof(struct config, member)
static const struct param params[] = {
    {"agent", PARAM_TEXT, AT(agent), .fallback = "\"Marketing\"",
     .help = "whose playbook is evolved; another name, other problems"},
    {"difficulty", PARAM_REAL, AT(difficulty), .fallback = "0.5", .min = 0, .max = 1,
     .help = "0.3 simple, 0.5 medium, 0.8 complex: segments, library, deception, noise"},
    {"parts", PARAM_TEXT, AT(parts), .role = PARAM_TREATMENT, .fallback = "\"none\"",
     .help = "none, all, or some of operators, hot_spots, embeddings, stopping, diversity "
             "joined by +"},
    {"selector", PARAM_CHOICE, AT(selector), .role = PARAM_TREATMENT,
     .fallback = "\"matching\"", .choices = selector_rule_names,
     .help = "how the part 'operators' chooses"},
    {"detector", PARAM_CHOICE, AT(detector), .role = PARAM_TREATMENT, .fallback = "\"patient\"",
     .choices = convergence_rule_names, .help = "how the part 'stopping' decides"},
    {"cap", PARAM_INT, AT(cap), .fallback = "400", .min = 10, .max = 100000,
     .help = "most iterations of a search"},
    {"mark", PARAM_INT, AT(mark), .role = PARAM_TREATMENT, .fallback = "30", .min = 1,
     .max = 100000, .help = "the iteration at which all arms' quality is compared"},
    {"pool", PARAM_INT, AT(pool), .role = PARAM_TREATMENT, .fallback = "50", .min = 2,
     .max = 10000, .help = "most trajectories that are kept at once"},
    {"runs_on", PARAM_BOOL, AT(runs_on), .fallback = "true",
     .help = "continue to the cap after the stop, to see what it missed; memory, work and time "
             "are then those of the whole search"},
    {"until_judged", PARAM_BOOL, AT(until_judged), .fallback = "false",
     .help = "with runs_on: continue to twice the stop and no further, which is as far as "
             "false_stop_by_twice looks"},
    {"copy", PARAM_TEXT, AT(copy), .role = PARAM_TREATMENT, .fallback = "\"\"",
     .help = "changes nothing: sweep it to compare an arm with itself"},
    {"planted", PARAM_REAL, AT(planted), .role = PARAM_TREATMENT, .fallback = "0", .min = 0,
     .max = 0.9,
     .help = "share by which quality and iterations are lowered on purpose, which makes the "
             "results simulated: a comparison must find it"},
};

static const struct metric metrics[] = {
    [METRIC_ITERATIONS] = {"iterations", "1", DIRECTION_LOWER, "evolve_iterations/1",
                           "iterations until the search's own rule stopped it"},
    [METRIC_TO_TARGET] = {"iterations_to_target", "1", DIRECTION_LOWER, "evolve_to_target/1",
                          "iterations to 95 % of the best known fitness; the cap if never"},
    [METRIC_REACHED] = {"reached", "1", DIRECTION_HIGHER, "evolve_reached/1",
                        "searches that reached that target before the cap", .kind = KIND_SHARE},
    [METRIC_QUALITY] = {"quality", "1", DIRECTION_HIGHER, "evolve_quality/1",
                        "score at the stop on scenarios that the search never saw",
                        .kind = KIND_SHARE},
    [METRIC_QUALITY_AT_MARK] = {"quality_at_mark", "1", DIRECTION_HIGHER,
                                "evolve_quality_at_mark/2",
                                "the same at iteration `mark`, stopped or not; none if the "
                                "search was not carried on that far",
                                .kind = KIND_SHARE},
    [METRIC_FALSE_BY_TWICE] = {"false_stop_by_twice", "1", DIRECTION_LOWER,
                               "evolve_false_stop/2",
                               "stops after which the search, carried on to twice their "
                               "iteration, improved by more than 2 %; none without a stop, or "
                               "where the cap comes first",
                               .kind = KIND_SHARE},
    [METRIC_FALSE_BY_CAP] = {"false_stop_by_cap", "1", DIRECTION_LOWER,
                             "evolve_false_stop_by_cap/1",
                             "stops after which the same search, uncapped by its own rule, "
                             "improved by more than 2 % until the cap; none where it did not "
                             "run to the cap",
                             .kind = KIND_SHARE},
    [METRIC_EVALUATIONS] = {"evaluations", "1", DIRECTION_LOWER, "evolve_evaluations/1",
                            "scenarios scored"},
    [METRIC_PARSED] = {"parsed_bytes", "B", DIRECTION_LOWER, "evolve_parsed/1",
                       "code that was outlined"},
    [METRIC_TRAJECTORIES] = {"trajectory_bytes", "B", DIRECTION_LOWER,
                             "evolve_trajectory_bytes/1", "peak of trajectories and descent"},
    [METRIC_EMBEDDINGS] = {"embedding_bytes", "B", DIRECTION_LOWER, "evolve_embedding_bytes/1",
                           "peak of the embedding cache"},
    [METRIC_SYNTAX] = {"syntax_bytes", "B", DIRECTION_LOWER, "evolve_syntax_bytes/1",
                       "peak of outlines and their cache"},
    [METRIC_PEAK] = {"peak_bytes", "B", DIRECTION_LOWER, "evolve_peak_bytes/1",
                     "peak of all parts together"},
    [METRIC_RSS] = {"rss_mb", "MB", DIRECTION_NONE, "evolve_rss/1",
                    "resident set after the search: the program, the problem, and what this "
                    "and earlier trials took"},
    [METRIC_RESTARTS] = {"restarts", "1", DIRECTION_NONE, "evolve_restarts/1",
                         "restarts from a diverse seed", .kind = KIND_SHIFT},
};
_Static_assert(COUNT(metrics) == METRIC_COUNT, "a row for each");

static bool sparse_memory_check(const void *config, struct error *err)
{
    const struct config *c = config;
    unsigned parts;
    if (!search_parts_parse(str_of(c->parts), &parts, err)) return error_wrap(err, "parts");
    if (c->mark > c->cap)
        return error_set(err, ERROR_INVALID,
                         "'mark' must be at most 'cap' (%lld), and is %lld: set 'mark', too",
                         (long long)c->cap, (long long)c->mark);
    return true;
}

static bool sparse_memory_setup(const struct experiment_env *env, void *state,
                                struct error *err)
{
    struct state *s = state;
    s->config = env->config;
    s->arena = arena_open();
    return search_parts_parse(str_of(s->config->parts), &s->parts, err);
}

static enum trial_status sparse_memory_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    arena_reset(&s->arena);
    s->challenge = dials_challenge(s->config->agent, s->config->difficulty,
                                   rng_nth(t->workload_seed, STREAM_CHALLENGE), &s->arena);
    return TRIAL_OK;
}

static enum trial_status sparse_memory_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    struct search_options options = {
        .parts = s->parts,
        .selector = (enum selector_rule)c->selector,
        .detector = (enum convergence_rule)c->detector,
        .difficulty = c->difficulty,
        .cap = c->cap,
        .pool_max = (size_t)c->pool,
        .runs_on = !c->runs_on       ? SEARCH_TO_STOP
                   : c->until_judged ? SEARCH_TO_JUDGEMENT
                                     : SEARCH_TO_CAP,
        .seed = rng_nth(t->workload_seed, STREAM_SEARCH),
    };
    bool done = search_run(s->challenge, &options, &s->arena, &s->result, &t->error);
    return done ? TRIAL_OK : TRIAL_FAILED;
}

/* Whom the best playbook comes from: itself, its first parent, and so on; at most 50. */
static void write_lineage(const struct search_result *r, struct json *j)
{
    json_key(j, "lineage");
    json_list(j);
    for (size_t i = 0; i < r->lineage_count && i < 50; i++) {
        const struct descent *d = &r->lineage[i].descent;
        json_object(j);
        json_put_int(j, "id", r->lineage[i].id);
        json_put_int(j, "generation", d->generation);
        json_put_text(j, "operator", descent_operator_name(d));
        json_put_real(j, "fitness", d->fitness);
        json_key(j, "parents");
        json_list(j);
        for (size_t k = 0; k < 2 && d->parents[k] >= 0; k++) json_int(j, d->parents[k]);
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

/* The curve, every so many iterations: at most 50 points. */
static void write_detail(const struct search_result *r, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "stopped_by", convergence_reason_names[r->reason]);
    json_key(&j, "operators");
    json_object(&j);
    for (int i = 0; i < OPERATOR_COUNT; i++) json_put_int(&j, operator_names[i], r->tried[i]);
    json_end(&j);
    int64_t step = (r->iterations + 49) / 50;
    json_put_int(&j, "curve_step", step);
    json_key(&j, "curve");
    json_list(&j);
    for (int64_t i = step; i <= r->iterations; i += step) {
        json_real(&j, r->curve[i - 1].held_out);
    }
    json_end(&j);
    write_lineage(r, &j);
    json_end(&j);
}

static enum trial_status sparse_memory_conclude(struct trial *t, void *state,
                                                enum trial_status status)
{
    const struct state *s = state;
    if (status != TRIAL_OK) return status;
    const struct search_result *r = &s->result;
    if (!search_is_right(s->challenge, r, &t->error)) return TRIAL_FAILED;
    int64_t mark = s->config->mark;
    double kept = 1 - s->config->planted;
    t->is_simulated = s->config->planted > 0;
    t->values[METRIC_ITERATIONS] = (double)r->stop * kept;
    t->values[METRIC_TO_TARGET] = (double)r->to_target * kept;
    t->values[METRIC_REACHED] = r->has_reached;
    t->values[METRIC_QUALITY] = r->curve[r->stop - 1].held_out * kept;
    if (mark <= r->iterations)
        t->values[METRIC_QUALITY_AT_MARK] = r->curve[mark - 1].held_out * kept;
    if (r->is_judged) t->values[METRIC_FALSE_BY_TWICE] = r->is_false_stop;
    if (r->stop < s->config->cap && r->iterations == s->config->cap) {
        t->values[METRIC_FALSE_BY_CAP] = r->is_false_by_cap;
    }
    t->values[METRIC_EVALUATIONS] = (double)r->evaluations;
    t->values[METRIC_PARSED] = (double)r->parsed_bytes;
    t->values[METRIC_TRAJECTORIES] = (double)r->ledger.parts[LEDGER_TRAJECTORIES].peak_bytes;
    t->values[METRIC_EMBEDDINGS] = (double)r->ledger.parts[LEDGER_EMBEDDINGS].peak_bytes;
    t->values[METRIC_SYNTAX] = (double)r->ledger.parts[LEDGER_SYNTAX].peak_bytes;
    t->values[METRIC_PEAK] = (double)r->ledger.peak_bytes;
    struct proc_stat stat;
    if (proc_read_stat(getpid(), &stat)) t->values[METRIC_RSS] = (double)stat.rss_bytes / 1e6;
    t->values[METRIC_RESTARTS] = (double)r->restarts;
    write_detail(r, t->detail);
    return status;
}

static bool sparse_memory_teardown(void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    arena_close(&s->arena);
    return true;
}

static const struct experiment_plot plots[] = {
    {"Held-out quality by iteration", EXPERIMENT_CURVES, "iteration", {"quality"}},
    {"Iterations to the target, and to the stop",
     EXPERIMENT_BARS,
     NULL,
     {"iterations_to_target", "iterations"}},
    {"Peak memory by part",
     EXPERIMENT_BARS,
     NULL,
     {"trajectory_bytes", "embedding_bytes", "syntax_bytes"}},
};

const struct experiment experiment_sparse_memory = {
    .name = "sparse_memory",
    .summary = "evolves an agent's playbook, with the five parts of sparse memory on or off",
    .help =
        "Each trial is one search over playbooks for a problem drawn from the seed: pool of "
        "trajectories, three operators, held-out scenarios. Sweep `parts` to compare arms; "
        "trials pair by seed. See docs/sparse-memory.md.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .plots = plots,
    .plot_count = COUNT(plots),
    .label_param = "parts",
    .primary = "iterations_to_target",
    .check = sparse_memory_check,
    .setup = sparse_memory_setup,
    .prepare = sparse_memory_prepare,
    .execute_once = sparse_memory_execute_once,
    .conclude = sparse_memory_conclude,
    .teardown = sparse_memory_teardown,
};
