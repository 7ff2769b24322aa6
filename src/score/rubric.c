#include "score/rubric.h"

#include "base/near.h"
#include "score/rubric_internal.h"

#include <math.h>

/* Whether `test` holds for a check below the node. */
static bool any_check(const struct rubric_node *node,
                      bool (*test)(const struct rubric_node *check, const void *context),
                      const void *context)
{
    if (node->kind) return test(node, context);
    for (size_t i = 0; i < node->count; i++) {
        if (any_check(&node->nodes[i], test, context)) return true;
    }
    return false;
}

static const char *agent_of(const struct rubric_node *check)
{
    return check->kind->agent_of ? check->kind->agent_of(check->config) : NULL;
}

static bool runs_program(const struct rubric_node *check, const void *context)
{
    (void)context;
    return check->kind->runs_program;
}

static bool needs_expected(const struct rubric_node *check)
{
    return check->kind->needs_expected && check->kind->needs_expected(check->config);
}

static bool counts_on_expected(const struct rubric_node *check, const void *context)
{
    (void)context;
    return check->share > 0 && needs_expected(check);
}

static bool names_dimension(const struct rubric_node *check, const void *dimension)
{
    return check->dimension == *(const int *)dimension;
}

bool rubric_runs_program(const struct rubric *r)
{
    return any_check(&r->root, runs_program, NULL);
}

static bool is_absent(const struct value *expected)
{
    return !expected || expected->kind == VALUE_NULL ||
           (expected->kind == VALUE_LIST && expected->list.count == 0);
}

bool rubric_judges(const struct rubric *r, const struct value *expected)
{
    return !is_absent(expected) || !any_check(&r->root, counts_on_expected, NULL);
}

bool rubric_has_dimension(const struct rubric *r, enum rubric_dimension d)
{
    int dimension = (int)d;
    return any_check(&r->root, names_dimension, &dimension);
}

static void each_agent(const struct rubric_node *node, void (*each)(void *, const char *),
                       void *context)
{
    const char *id = node->kind ? agent_of(node) : NULL;
    if (id) each(context, id);
    for (size_t i = 0; i < node->count; i++) each_agent(&node->nodes[i], each, context);
}

void rubric_each_agent(const struct rubric *r, void (*each)(void *context, const char *id),
                       void *context)
{
    each_agent(&r->root, each, context);
}

struct rubric_session {
    const struct rubric *rubric;
    void **states; /* by index of the check; NULL = never opened */
};

static bool open_node(struct rubric_session *s, const struct rubric_node *node,
                      const struct check_env *env, struct error *err)
{
    if (node->kind) {
        void *state = arena_alloc(env->arena, 1, node->kind->state_size, _Alignof(max_align_t));
        s->states[node->index] = state;
        if (agent_of(node) && !env->ask) {
            return error_set(err, ERROR_UNAVAILABLE,
                             "check '%s' asks agent '%s', but no agent can be asked here",
                             node->kind->name, agent_of(node));
        }
        if (node->kind->open(state, node->config, env, err)) return true;
        return error_wrap(err, "check '%s'", node->kind->name);
    }
    for (size_t i = 0; i < node->count; i++) {
        if (!open_node(s, &node->nodes[i], env, err)) return false;
    }
    return true;
}

static void close_node(struct rubric_session *s, const struct rubric_node *node)
{
    if (node->kind && node->kind->close && s->states[node->index]) {
        node->kind->close(s->states[node->index]);
    }
    for (size_t i = node->count; i-- > 0;) close_node(s, &node->nodes[i]);
}

bool rubric_open(const struct rubric *r, const struct check_env *env,
                 struct rubric_session **session, struct error *err)
{
    struct rubric_session *s = arena_new(env->arena, struct rubric_session, 1);
    s->rubric = r;
    s->states = arena_new(env->arena, void *, r->checks);
    *session = s;
    if (open_node(s, &r->root, env, err)) return true;
    rubric_close(s);
    *session = NULL;
    return false;
}

void rubric_close(struct rubric_session *session)
{
    if (session) close_node(session, &session->rubric->root);
}

/* One answer being judged. */
struct judging {
    struct rubric_session *session;
    const struct check_input *input;
    struct arena *out;
    struct rubric_result *result;
    struct json json;
    double weights[RUBRIC_DIMENSIONS]; /* of the checks that name each */
    bool has_failed;
    struct error *err; /* of the first that failed */
};

static double judge(struct judging *w, const struct rubric_node *node);

/* Sets *error where the check could not be made. */
static void ask_check(struct judging *w, const struct rubric_node *node,
                      struct check_result *result, struct error *error)
{
    *result = (struct check_result){.score = NAN, .why = ""};
    if (needs_expected(node) && is_absent(w->input->expected)) {
        result->why = "the case has no expected answer";
        return;
    }
    void *state = w->session->states[node->index];
    if (!node->kind->score(state, w->input, w->out, result, error)) {
        result->score = NAN;
        result->why = "could not be made";
        CHECK(error->code != ERROR_NONE);
        return;
    }
    CHECK(isnan(result->score) || (result->score >= 0 && result->score <= 1));
}

static double judge_check(struct judging *w, const struct rubric_node *node)
{
    struct check_result result;
    struct error error = {0};
    ask_check(w, node, &result, &error);
    json_put_text(&w->json, "check", node->kind->name);
    json_put_real(&w->json, "weight", node->weight);
    if (node->dimension >= 0) {
        json_put_text(&w->json, "dimension",
                      rubric_dimension_name((enum rubric_dimension)node->dimension));
    }
    json_put_real(&w->json, "score", result.score);
    json_put_text(&w->json, "why", result.why);
    if (result.source) json_put_text(&w->json, "source", result.source);
    if (result.calls) json_put_real(&w->json, "cost_usd", result.cost_usd);
    if (error.code) json_put_text(&w->json, "error", error.text);
    w->result->calls += result.calls;
    if (result.calls) w->result->cost_usd += result.cost_usd;
    if (error.code && node->share > 0 && !w->has_failed) {
        w->has_failed = true;
        if (w->err) *w->err = error;
        error_wrap(w->err, "check '%s'", node->kind->name);
    }
    if (isnan(result.score) && node->share > 0 && !w->result->why) {
        w->result->why = arena_printf(w->out, "check '%s': %s", node->kind->name,
                                      error.code ? error.text : result.why);
    }
    if (node->dimension >= 0) {
        w->result->dimensions[node->dimension] += node->share * result.score;
        w->weights[node->dimension] += node->share;
    }
    return result.score;
}

static double judge_group(struct judging *w, const struct rubric_node *node)
{
    if (node->group) {
        json_put_text(&w->json, "group", node->group);
        json_put_real(&w->json, "weight", node->weight);
    }
    if (node->threshold > 0) json_put_real(&w->json, "threshold", node->threshold);
    json_key_list(&w->json, "checks");
    double sum = 0;
    double lost = 0; /* by rounding (Kahan) */
    for (size_t i = 0; i < node->count; i++) {
        const struct rubric_node *below = &node->nodes[i];
        double score = judge(w, below);
        if (below->weight <= 0) continue;
        double part = below->weight * score - lost;
        double next = sum + part;
        lost = (next - sum) - part;
        sum = next;
    }
    json_end(&w->json);
    double score = isnan(sum) ? (double)NAN : near_share(fmin(sum, 1));
    if (node->threshold > 0 && !isnan(score) && !near_reaches(score, node->threshold)) {
        json_put_real(&w->json, "reached", score);
        score = 0;
    }
    json_put_real(&w->json, "score", score);
    return score;
}

static double judge(struct judging *w, const struct rubric_node *node)
{
    json_object(&w->json);
    double score = node->kind ? judge_check(w, node) : judge_group(w, node);
    json_end(&w->json);
    return score;
}

bool rubric_evaluate(struct rubric_session *session, const struct check_input *input,
                     struct arena *out, struct rubric_result *result, struct error *err)
{
    *result = (struct rubric_result){.score = NAN};
    struct judging w = {
        .session = session, .input = input, .out = out, .result = result, .err = err};
    struct buf text;
    buf_init(&text, (size_t)1 << 20);
    json_init(&w.json, &text, 0);
    result->score = judge(&w, &session->rubric->root);
    for (int d = 0; d < RUBRIC_DIMENSIONS; d++) {
        result->dimensions[d] =
            w.weights[d] > 0 ? result->dimensions[d] / w.weights[d] : (double)NAN;
    }
    result->detail = str_copy(out, buf_str(&text));
    CHECK(!text.overflow); /* 200 checks of 600 bytes of reason */
    buf_release(&text);
    if (w.has_failed) result->score = NAN;
    return !w.has_failed;
}
