/* Who is first, and how sure is that? */
#include "question/question_ranking.h"

#include "base/clock.h"
#include "question/question.h"
#include "view/select.h"

#include <math.h>

const char *const question_ranking_orders[] = {"rank", "best_ranking", NULL};
const char *const question_ranking_groups[] = {"nothing", "category", "complexity", "test_type",
                                               NULL};

static const struct param matrix_rows[] = {MATRIX_ROWS};
static const struct param leaderboard_rows[] = {LEADERBOARD_ROWS};

/* Whole days: the day that lies so long ago counts from its beginning. */
static const char *day_of(int64_t at_ns, struct arena *out)
{
    char stamp[CLOCK_STAMP_SIZE];
    return arena_printf(out, "%.10s", clock_stamp(at_ns, stamp));
}

/* A name that nobody has would give an empty answer, and one in which nothing is stale. */
static bool name_agents(struct store *store, struct param_texts asked,
                        struct ranking_question *q, struct arena *out, struct error *err)
{
    struct agent_ref *refs = arena_new(out, struct agent_ref, asked.count + 1);
    for (size_t i = 0; i < asked.count; i++) {
        if (!select_agent_ref(store, asked.items[i], out, &refs[i], err)) return false;
    }
    q->agents = refs;
    q->agent_count = asked.count;
    return true;
}

static bool ask(struct store *store, const struct ranking_params *p, bool is_matrix,
                struct arena *out, const void **answer, struct error *err)
{
    struct ranking *ranking = NULL;
    struct ranking_question q = {
        .is_matrix = is_matrix,
        .metric = p->metric < VOCABULARY_SCORES ? p->metric : RANKING_OVERALL,
        .min_coverage = p->min_coverage,
        .limit = (size_t)p->limit,
        .order = (enum ranking_order)p->order,
        .filter = {.category = p->category ? vocabulary_categories[p->category] : NULL,
                   .benchmark = p->benchmark,
                   .merges_versions = p->merge_versions,
                   .since = p->since_ns ? day_of(p->since_ns, out) : NULL,
                   .by = (enum rank_by)p->by},
        .seed = 42};
    if (p->stale_ns) q.stale_since = day_of(p->stale_ns, out);
    bool done = select_suite(store, p->suite, out, &q.filter.suite, err) &&
                name_agents(store, p->agents, &q, out, err) &&
                (!p->weights || ranking_read_weights(p->weights, q.weights, err) ||
                 error_blame(err, "weights")) &&
                ranking_ask(store, &q, out, &ranking, err);
    *answer = ranking;
    return done;
}

static bool ask_leaderboard(struct store *store, const void *params, struct arena *out,
                            const void **answer, struct error *err)
{
    return ask(store, params, false, out, answer, err);
}

static bool ask_matrix(struct store *store, const void *params, struct arena *out,
                       const void **answer, struct error *err)
{
    return ask(store, params, true, out, answer, err);
}

const struct question question_leaderboard = {
    .name = "leaderboard",
    .summary = "agents ranked by their scores of the last 30 days, and how sure that is",
    .params = {leaderboard_rows, COUNT(leaderboard_rows)},
    .config_size = sizeof(struct ranking_params),
    .answer = &answer_leaderboard,
    .ask = ask_leaderboard,
};

const struct question question_matrix = {
    .name = "matrix",
    .summary = "all agents by their latest success on each benchmark",
    .params = {matrix_rows, COUNT(matrix_rows)},
    .config_size = sizeof(struct ranking_params),
    .answer = &answer_matrix,
    .ask = ask_matrix,
};
