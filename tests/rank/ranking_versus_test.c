/* Of two agents the ranking's answer is that of versus: the same data through both, by each
 * score and overall. */
#include "judge/versus.h"
#include "rank/ranking.h"
#include "tests/judge/ring.h"

enum { SETS = 60 };

static struct conduct draw(struct rng *r)
{
    int wrong = (int)(rng_real(r) * 12);
    int from = (int)(rng_real(r) * (CASES - wrong));
    return (struct conduct){.wrong_from = from,
                            .wrong_to = from + wrong,
                            .silent = rng_real(r) < 0.3 ? (int)(rng_real(r) * 10) : 0,
                            .seconds = 0.01 * exp(0.08 * rng_normal(r))};
}

static const struct versus_metric *metric_of(const struct versus *v, int metric)
{
    return metric == RANKING_OVERALL ? &v->overall : &v->metrics[metric];
}

static bool is_decided(enum verdict verdict)
{
    return verdict == VERDICT_BETTER || verdict == VERDICT_WORSE;
}

/* Whether the two told them apart. */
static bool agree(struct ring *r, const struct versus *v, int metric, bool is_merged)
{
    struct ranking *ranking = NULL;
    struct error err = {0};
    const struct ranking_question q = {
        .metric = metric, .seed = 1, .filter.merges_versions = is_merged};
    OK(ranking_ask(r->store, &q, &r->f.arena, &ranking, &err));
    assert_int_equal(ranking->count, 2);
    const struct ranking_entry *first = &ranking->entries[0];
    const struct versus_metric *m = metric_of(v, metric);
    assert_int_equal(first->lead.n, m->n);
    assert_close(first->lead.p, isnan(m->p) ? 1 : m->p, 1e-9);
    bool is_small = m->verdict == VERDICT_EQUIVALENT; /* beyond chance or not: too small */
    if (!is_small) assert_int_equal(first->lead.is_told, is_decided(m->verdict));
    if (!first->lead.is_told || is_small) return false;
    bool is_b = first->row->agent_name[0] == 'b';
    bool is_in_order = first->rank_low == 1 && first->rank_high == 1;
    if (is_in_order) assert_int_equal(is_b, m->verdict == VERDICT_BETTER);
    return true;
}

TEST(two_agents_are_ranked_as_versus_judges)
{
    static const char *const names[] = {"add", "mul"};
    static const int metrics[] = {RANKING_OVERALL, SCORE_ACCURACY, SCORE_SPEED,
                                  SCORE_RELIABILITY};
    struct rng rng = rng_seeded(11);
    size_t told = 0;
    for (int i = 0; i < SETS; i++) {
        struct ring r = ring_open();
        char ids[2][UUID_SIZE];
        size_t benchmarks = 1 + (size_t)(i % 2);
        put_benchmarks(&r, names, benchmarks, "{\"duration_s\":0.01}", ids);
        for (size_t b = 0; b < benchmarks; b++) {
            const struct conduct x = draw(&rng), y = draw(&rng);
            put_agent(&r, "a", ids[b], &x, 2 * (uint64_t)i + b);
            put_agent(&r, "b", ids[b], &y, 1000 + 2 * (uint64_t)i + b);
        }
        struct versus *v = NULL;
        struct error err = {0};
        const struct versus_question q = {.agent = {"a", "b"}, .suite = "sums"};
        OK(versus_ask(r.store, &q, &r.f.arena, &v, &err));
        for (size_t k = 0; k < COUNT(metrics); k++) told += agree(&r, v, metrics[k], false);
        ring_close(&r);
    }
    assert_true(told > SETS / 4 && told < 3 * SETS);
}

/* Five prompts of the same cases: as many cases as one prompt has, whoever asks. */
TEST(prompts_are_no_further_evidence_when_versions_are_merged)
{
    static const char *const names[] = {"add"};
    static const char *const prompts[] = {"p0", "p1", "p2", "p3", "p4"};
    static const int metrics[] = {RANKING_OVERALL, SCORE_ACCURACY, SCORE_SPEED,
                                  SCORE_RELIABILITY};
    struct rng rng = rng_seeded(12);
    for (int i = 0; i < 12; i++) {
        struct ring r = ring_open();
        char ids[1][UUID_SIZE];
        put_benchmarks(&r, names, 1, "{\"duration_s\":0.01}", ids);
        for (uint64_t p = 0; p < COUNT(prompts); p++) {
            struct conduct x = draw(&rng), y = draw(&rng);
            x.prompt = y.prompt = prompts[p];
            put_agent(&r, "a", ids[0], &x, 100 * (uint64_t)i + p);
            put_agent(&r, "b", ids[0], &y, 5000 + 100 * (uint64_t)i + p);
        }
        struct versus *v = NULL;
        struct error err = {0};
        const struct versus_question q = {.agent = {"a", "b"}, .suite = "sums"};
        OK(versus_ask(r.store, &q, &r.f.arena, &v, &err));
        assert_int_equal(v->overall.n, CASES);
        for (size_t k = 0; k < COUNT(metrics); k++) agree(&r, v, metrics[k], true);
        ring_close(&r);
    }
}

/* What one does by the first prompt, the other does by the last: the same, though sums in
 * another order end in other bits. */
TEST(equal_scores_of_merged_rows_are_tied)
{
    static const char *const names[] = {"add"};
    static const char *const prompts[] = {"p0", "p1", "p2"};
    static const double seconds[] = {0.011, 0.013, 0.023};
    struct ring r = ring_open();
    char ids[1][UUID_SIZE];
    put_benchmarks(&r, names, 1, "{\"duration_s\":0.01}", ids);
    for (int p = 0; p < 3; p++) {
        const struct conduct x = {
            .wrong_to = 9 * (p == 0), .seconds = seconds[p], .prompt = prompts[p]};
        const struct conduct y = {
            .wrong_to = 9 * (p == 2), .seconds = seconds[2 - p], .prompt = prompts[p]};
        put_agent(&r, "a", ids[0], &x, (uint64_t)p);
        put_agent(&r, "b", ids[0], &y, (uint64_t)(2 - p));
    }
    for (int metric = RANKING_OVERALL; metric <= SCORE_SPEED; metric++) {
        struct ranking *ranking = NULL;
        struct error err = {0};
        const struct ranking_question q = {
            .metric = metric, .seed = 1, .filter.merges_versions = true};
        OK(ranking_ask(r.store, &q, &r.f.arena, &ranking, &err));
        assert_false(ranking->entries[0].lead.is_told);
        assert_close(ranking->entries[0].lead.p, 1, 1e-9);
    }
    ring_close(&r);
}

TEST(what_is_defined_otherwise_is_not_ranked_against)
{
    static const char *const names[] = {"add"};
    struct ring r = ring_open();
    char ids[1][UUID_SIZE];
    put_benchmarks(&r, names, 1, "{\"duration_s\":0.01}", ids);
    put_agent(&r, "a", ids[0], &(struct conduct){.seconds = 0.01}, 1);
    put_agent(
        &r, "b", ids[0],
        &(struct conduct){.wrong_to = 20, .seconds = 0.01, .defined_as = "rubric_score/2"}, 2);
    struct ranking *ranking = NULL;
    struct error err = {0};
    const struct ranking_question q = {.metric = SCORE_ACCURACY, .seed = 1};
    OK(ranking_ask(r.store, &q, &r.f.arena, &ranking, &err));
    assert_false(ranking->entries[0].lead.is_told);
    bool is_noted = false;
    for (size_t i = 0; i < ranking->note_count; i++)
        is_noted |= ranking->notes[i].code == RANKING_UNLIKE && ranking->notes[i].n == 1;
    assert_true(is_noted);
    ring_close(&r);
}

TEST_MAIN(T(what_is_defined_otherwise_is_not_ranked_against),
          T(prompts_are_no_further_evidence_when_versions_are_merged),
          T(equal_scores_of_merged_rows_are_tied), T(two_agents_are_ranked_as_versus_judges))
