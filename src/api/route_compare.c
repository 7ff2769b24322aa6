/* POST /benchmarks/compare: agents on a suite. Two head to head give what `assay versus`
 * prints, more than two a list of these, and a matrix what `assay matrix` prints of them. */
#include "api/route.h"

#include "question/question_ranking.h"
#include "question/question_versus.h"
#include "report/answer_comparison.h"

enum { AGENTS_MAX = 20 };

enum comparison { COMPARISON_HEAD_TO_HEAD, COMPARISON_MATRIX };
static const char *const comparisons[] = {"head_to_head", "matrix", NULL};

struct compare_request {
    struct param_texts agents;
    const char *suite;
    int type; /* enum comparison */
    double alpha;
    double margin;
};

#define AT(field) .offset = offsetof(struct compare_request, field)
static const struct param rows[] = {
    {"agent_ids", PARAM_TEXT_LIST, AT(agents), .required = true,
     .help = "two or more agents by name, name@version or id"},
    {"suite_id", PARAM_TEXT, AT(suite), .required = true, .help = "the suite by name or id"},
    {"comparison_type", PARAM_CHOICE, AT(type), .choices = comparisons,
     .fallback = "\"head_to_head\"", .help = "case by case, or ranked among each other"},
    {"alpha", PARAM_SHARE, AT(alpha), .fallback = "0.05", .max = 0.5, .open = true,
     .help = "chance of a false winner that is accepted"},
    {"equivalence", PARAM_SHARE, AT(margin), .fallback = "0.03", .max = 1, .open = true,
     .help = "a difference that does not matter"},
};

static bool ask_versus(struct route_call *call, const char *a, const char *b,
                       const void **answer, struct error *err)
{
    const struct compare_request *p = call->params;
    struct versus_params params = {
        .suite = p->suite, .alpha = p->alpha, .margin = p->margin, .a = a, .b = b};
    return question_versus.ask(call->store, &params, call->arena, answer, err);
}

static bool compare_pairs(struct route_call *call, struct error *err)
{
    const struct compare_request *p = call->params;
    size_t n = p->agents.count;
    const struct versus **pairs = arena_new(call->arena, const struct versus *, n *n);
    struct answer_comparison a = {
        .suite = p->suite, .agents = p->agents.items, .agent_count = n, .pairs = pairs};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            const void *versus = NULL;
            if (!ask_versus(call, p->agents.items[i], p->agents.items[k], &versus, err))
                return false;
            pairs[a.pair_count++] = versus;
        }
    }
    route_send_answer(call, &answer_comparison, &a);
    return true;
}

/* Its rows are those of `assay matrix --suite S --agent A --agent B`. */
static bool compare_matrix(struct route_call *call, struct error *err)
{
    const struct compare_request *p = call->params;
    const void *matrix = NULL;
    const struct ranking_params params = {
        .metric = VOCABULARY_SCORES, .limit = 0, .agents = p->agents, .suite = p->suite};
    if (!question_matrix.ask(call->store, &params, call->arena, &matrix, err)) return false;
    route_send_answer(call, &answer_matrix, matrix);
    return true;
}

static bool compare(struct route_call *call, struct error *err)
{
    const struct compare_request *p = call->params;
    const void *versus = NULL;
    if (p->type == COMPARISON_MATRIX) return compare_matrix(call, err);
    if (p->agents.count > 2) return compare_pairs(call, err);
    if (!ask_versus(call, p->agents.items[0], p->agents.items[1], &versus, err)) return false;
    route_send_answer(call, &answer_versus, versus);
    return true;
}

/* The questions' names for what is wrong as this route calls it. */
static void rename_blamed(struct error *err)
{
    if (!err->parameter) return;
    error_blame(err, strcmp(err->parameter, "suite") == 0 ? "suite_id" : "agent_ids");
}

static bool reply(struct route_call *call, struct error *err)
{
    const struct compare_request *p = call->params;
    if (p->agents.count < 2 || p->agents.count > AGENTS_MAX) {
        return refusal_add(call->refusal, S("agent_ids"), "must be 2 to %d agents (are %zu)",
                           AGENTS_MAX, p->agents.count);
    }
    if (!store_hold(call->store, err)) return false; /* all pairs are of one moment */
    bool done = compare(call, err);
    if (!done) rename_blamed(err);
    store_release(call->store);
    return done;
}

const struct route route_compare_agents = {
    .name = "compare_agents",
    .summary = "compare agents on a suite",
    .method = "POST",
    .path = "/benchmarks/compare",
    .needs = ACCESS_READ,
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct compare_request),
    .reply = reply,
    .schema = "{\"oneOf\":[{\"$ref\":\"#/components/schemas/versus\"},"
              "{\"$ref\":\"#/components/schemas/comparison\"},"
              "{\"$ref\":\"#/components/schemas/matrix\"}]}",
    .answer = &answer_comparison,
};
