/* What a rank rests on: every two agents compared by the engine that
 * `versus` asks (stats/family.h), on the units that both have. A unit is a case, in the
 * stratum of its benchmark; where cases are too many to read, a benchmark. Its score is
 * the weighted mean of those parts that both have there: an agent that tells less must
 * not win by it. Ranked by a score that is one metric's, cases are compared by that metric,
 * as `versus` does: a time-out is longer than all that was seen, which its score of 0 hides.
 * Where versions are merged, an agent may have met a unit with several prompts. It is paired
 * with what the other did by the same prompt, and counts once, by its mean over the prompts
 * that both have, as in `versus`: other prompts are the same cases, and no further evidence.
 *
 * Verdicts of all pairs are adjusted together (Holm), so that the chance of any wrong one
 * is at most alpha: an agent's rank is then at least 1 + those that are better, at most
 * all less those that are worse (Klein, Wright and Wieczorek 2020 on sets of ranks from
 * comparisons). Of two agents the answer is that of `versus`. */
#include "base/buf.h"
#include "base/memo.h"
#include "judge/versus.h"
#include "rank/ranking_internal.h"
#include "stats/adjust.h"
#include "stats/family.h"
#include "stats/moments.h"
#include "stats/proportion.h"
#include "stats/rankset.h"
#include "view/case_scores.h"

#include <math.h>
#include <stdlib.h>

enum {
    WEIGHTINGS = 2000,
    CASE_EXECUTIONS_MAX = 256, /* whose cases are read; each costs milliseconds */
};

/* One agent's scores on one unit. */
struct meeting {
    const char *benchmark_id;
    const char *prompt;  /* that it is matched by; "" where that is part of the agent */
    const char *of_case; /* its hash; "": the unit is the benchmark */
    size_t place;        /* of unit and prompt among all, in order */
    size_t unit;         /* the same case, or benchmark, by any prompt */
    size_t stratum;      /* that the unit is of */
    size_t agent;
    double scores[SCORE_COUNT];
    unsigned mask; /* of the scores that are there, and the score by all of them */
    double score;
};

/* What was measured of the metric that is ranked by, in one execution. */
struct measure {
    const char *benchmark_id;
    const char *prompt;
    const char *execution_id;
    struct units units;
};

/* How far the intervals of an agent's scores reach from these: summed over the prompts of a
 * benchmark, or squared and summed over its benchmarks. */
struct reach {
    double below;
    double above;
    size_t count;
};

struct reaches {
    struct reach score[SCORE_COUNT];
    struct reach overall;
};

struct meetings {
    struct meeting *list; /* once sorted: by agent, then unit */
    size_t count;
    size_t room;
    size_t units;             /* different ones */
    size_t strata;            /* that they are in */
    size_t *first;            /* of each agent in the list; after the last agent: count */
    uint64_t *numbers;        /* of each agent: stands for all that it is compared by */
    bool of_cases;            /* units are cases */
    struct reaches *reaches;  /* of cases: one for each agent */
    bool has_own_weights;     /* a suite weighs its scores otherwise */
    struct measure *measures; /* agent by agent; NULL: scores are compared */
    size_t (*spans)[2];       /* of each agent in them: from, to */
};

static int compare_units(const struct meeting *x, const struct meeting *y)
{
    int benchmark = strcmp(x->benchmark_id, y->benchmark_id);
    return benchmark ? benchmark : strcmp(x->of_case, y->of_case);
}

static int by_unit(const void *a, const void *b)
{
    const struct meeting *x = a;
    const struct meeting *y = b;
    int unit = compare_units(x, y);
    return unit ? unit : strcmp(x->prompt, y->prompt);
}

static int by_agent(const void *a, const void *b)
{
    const struct meeting *x = a;
    const struct meeting *y = b;
    if (x->agent != y->agent) return x->agent < y->agent ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void add(struct meetings *m, struct arena *out, const struct meeting *meeting)
{
    if (m->count == m->room) {
        size_t room = m->room ? 2 * m->room : 256;
        struct meeting *list = arena_new(out, struct meeting, room);
        if (m->count) memcpy(list, m->list, m->count * sizeof *list);
        m->list = list;
        m->room = room;
    }
    m->list[m->count++] = *meeting;
}

/* A case is in the stratum of its benchmark; benchmarks are in one together. */
static bool is_same_stratum(const struct meetings *m, const struct meeting *a,
                            const struct meeting *b)
{
    return !m->of_cases || strcmp(a->benchmark_id, b->benchmark_id) == 0;
}

/* Numbers units and strata, and sorts by agent. `present`: the scores that all of them have. */
static void sort_meetings(const struct ranking_work *w, struct meetings *m, size_t agents,
                          unsigned present)
{
    m->first = arena_new(w->out, size_t, agents + 1);
    if (m->count == 0) return;
    for (size_t i = 0; i < m->count; i++) {
        struct meeting *one = &m->list[i];
        one->mask = present & scores_present(one->scores);
        one->score = scores_overall(one->scores, w->r->weights, one->mask);
    }
    qsort(m->list, m->count, sizeof *m->list, by_unit);
    for (size_t i = 1; i < m->count; i++) {
        struct meeting *one = &m->list[i];
        const struct meeting *before = &m->list[i - 1];
        one->place = before->place + (by_unit(one, before) != 0);
        one->unit = before->unit + (compare_units(one, before) != 0);
        one->stratum = before->stratum + !is_same_stratum(m, one, before);
    }
    m->units = m->list[m->count - 1].unit + 1;
    m->strata = m->list[m->count - 1].stratum + 1;
    qsort(m->list, m->count, sizeof *m->list, by_agent);
    for (size_t agent = 0, i = 0; agent <= agents; agent++) {
        while (i < m->count && m->list[i].agent < agent) i++;
        m->first[agent] = i;
    }
}

/* The rows of `latest` that belong to these entries. */
static struct meetings of_benchmarks(const struct ranking_work *w,
                                     const struct ranking_entry *entries, size_t count,
                                     struct arena *out)
{
    struct meetings m = {0};
    size_t last = count;
    for (size_t i = 0; i < w->latest_count; i++) {
        const struct latest_row *row = &w->latest[i];
        struct meeting one = {.benchmark_id = row->benchmark_id,
                              .prompt = ranking_prompt_of(w, i),
                              .of_case = "",
                              .agent = ranking_entry_of(w, entries, count, i, last)};
        last = one.agent;
        if (one.agent == count || strcmp(w->groups[i], entries[0].row->group) != 0) continue;
        memcpy(one.scores, row->score, sizeof one.scores);
        add(&m, out, &one);
    }
    return m;
}

static void add_reach(struct reach *r, const struct score *s)
{
    if (isnan(s->value)) return;
    r->below += s->value - s->low;
    r->above += s->high - s->value;
    r->count++;
}

/* Ends a benchmark. Prompts have the same cases: their mean is no surer than one of them. */
static void close_reach(struct reach *of_prompts, struct reach *total)
{
    double n = (double)of_prompts->count;
    if (of_prompts->count == 0) return;
    total->below += of_prompts->below * of_prompts->below / (n * n);
    total->above += of_prompts->above * of_prompts->above / (n * n);
    total->count++;
    *of_prompts = (struct reach){0};
}

static void close_reaches(struct reaches *of_prompts, struct reaches *total)
{
    for (int k = 0; k < SCORE_COUNT; k++) close_reach(&of_prompts->score[k], &total->score[k]);
    close_reach(&of_prompts->overall, &total->overall);
}

/* True if the suite weighs its scores as the ranking does. */
static bool add_reaches(const struct ranking_work *w, const struct case_scores *cases,
                        struct reaches *r, struct arena scratch)
{
    bool is_same = score_weights_are_equal(cases->weights, w->r->weights);
    struct scores scores =
        is_same ? cases->scores : case_scores_weighted(cases, w->r->weights, &scratch);
    for (int k = 0; k < SCORE_COUNT; k++) add_reach(&r->score[k], &scores.by[k]);
    add_reach(&r->overall, &scores.overall);
    return is_same;
}

static bool load_cases(const struct ranking_work *w, const struct latest_row *row,
                       struct arena *out, struct case_scores *cases, struct error *err)
{
    const struct view *view = w->r->question.view;
    for (size_t i = 0; view && i < view->suite_count; i++) {
        const struct suite_view *s = &view->suites[i];
        if (strcmp(view->cells[s->cell].record.id, row->execution_id) != 0) continue;
        *cases = case_scores_of(s->scoring, out);
        return true;
    }
    return case_scores_load(w->store, row->execution_id, row->benchmark_id, out, cases, err);
}

static bool of_cases(const struct ranking_work *w, const struct ranking_entry *entries,
                     size_t count, struct meetings *m, struct arena *out, struct error *err)
{
    *m = (struct meetings){.of_cases = true};
    m->reaches = arena_new(out, struct reaches, count + 1);
    struct reaches of_prompts = {0};
    size_t open = count; /* the agent that they are of */
    const char *benchmark = "";
    for (size_t i = 0, agent = count; i < w->latest_count; i++) {
        const struct latest_row *row = &w->latest[i];
        agent = ranking_entry_of(w, entries, count, i, agent);
        if (agent == count || strcmp(w->groups[i], entries[0].row->group) != 0) continue;
        if (agent != open || strcmp(row->benchmark_id, benchmark) != 0)
            close_reaches(&of_prompts, &m->reaches[open]);
        open = agent;
        benchmark = row->benchmark_id;
        struct case_scores cases;
        if (!load_cases(w, row, out, &cases, err)) return false;
        if (cases.count > 0 && !add_reaches(w, &cases, &of_prompts, *out))
            m->has_own_weights = true;
        for (size_t k = 0; k < cases.count; k++) {
            struct meeting one = {.benchmark_id = row->benchmark_id,
                                  .prompt = ranking_prompt_of(w, i),
                                  .of_case = cases.rows[k].hash,
                                  .agent = agent};
            memcpy(one.scores, cases.rows[k].score, sizeof one.scores);
            add(m, out, &one);
        }
    }
    close_reaches(&of_prompts, &m->reaches[open]);
    return true;
}

/* The scores of these units are compared by what was measured. */
static bool is_measured(const struct ranking *r)
{
    int metric = r->question.metric;
    return metric != RANKING_OVERALL && versus_metric_of((enum score_id)metric);
}

/* Executions whose metric is not that of the first of their benchmark. */
static void note_unlike(struct ranking_work *w, const struct ranking_entry *entries,
                        const struct measure *measures, size_t count)
{
    size_t unlike = 0;
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (strcmp(measures[first].benchmark_id, measures[i].benchmark_id) != 0) first++;
        unlike += units_unlike(&measures[first].units, &measures[i].units) != METRIC_ALIKE;
    }
    if (unlike == 0) return;
    ranking_note(w, (struct ranking_note){
                        .code = RANKING_UNLIKE, .group = entries[0].row->group, .n = unlike});
}

static bool load_measures(struct ranking_work *w, const struct ranking_entry *entries,
                          size_t count, struct meetings *m, struct arena *out,
                          struct error *err)
{
    size_t n = 0;
    m->measures = arena_new(out, struct measure, w->latest_count + 1);
    m->spans = arena_alloc(out, count + 1, sizeof *m->spans, _Alignof(size_t));
    for (size_t i = 0, agent = count; i < w->latest_count; i++) {
        const struct latest_row *row = &w->latest[i];
        agent = ranking_entry_of(w, entries, count, i, agent);
        if (agent == count || strcmp(w->groups[i], entries[0].row->group) != 0) continue;
        struct measure *one = &m->measures[n];
        *one = (struct measure){
            row->benchmark_id, ranking_prompt_of(w, i), row->execution_id, {0}};
        struct execution_record e;
        if (!store_find_execution(w->store, row->execution_id, out, &e, err) ||
            !versus_load_units(w->store, &e, (enum score_id)w->r->question.metric, out,
                               &one->units, err))
            return false;
        if (m->spans[agent][1] == 0) m->spans[agent][0] = n;
        m->spans[agent][1] = ++n;
    }
    note_unlike(w, entries, m->measures, n);
    return true;
}

/* ---- two agents ---- */

static enum kind kind_of(const struct ranking *r)
{
    int metric = r->question.metric;
    return metric == RANKING_OVERALL ? KIND_SHARE : score_kind((enum score_id)metric);
}

static bool is_share(const struct ranking *r)
{
    return kind_of(r) == KIND_SHARE;
}

/* What a meeting is compared by: a share, or an amount. */
static double value_at(const struct ranking *r, const struct meeting *m, unsigned mask)
{
    int metric = r->question.metric;
    if (metric != RANKING_OVERALL) {
        return is_share(r) ? m->scores[metric] : score_amount(m->scores[metric]);
    }
    return mask == m->mask ? m->score : scores_overall(m->scores, r->weights, mask);
}

/* What two agents are compared by. */
struct pairs {
    struct family_stratum *strata; /* that both have met */
    size_t count;
};

/* What both have met, in order: `at` is where each is in the list. False: no more. */
static bool next_shared(const struct meetings *m, const size_t agents[2], size_t at[2],
                        const struct meeting *side[2])
{
    while (at[0] < m->first[agents[0] + 1] && at[1] < m->first[agents[1] + 1]) {
        for (int s = 0; s < 2; s++) side[s] = &m->list[at[s]];
        at[0] += side[0]->place <= side[1]->place;
        at[1] += side[1]->place <= side[0]->place;
        if (side[0]->place == side[1]->place) return true;
    }
    return false;
}

/* The units that both have met, each by its mean over prompts; without those that have no
 * value there. */
static struct pairs collect_pairs(const struct ranking_work *w, const struct meetings *m,
                                  const size_t agents[2], struct arena *out)
{
    size_t at[2] = {m->first[agents[0]], m->first[agents[1]]};
    size_t most = m->first[agents[0] + 1] - at[0];
    struct pairs p = {arena_new(out, struct family_stratum, m->strata + 1), 0};
    double *values[2] = {arena_new(out, double, most + 1), arena_new(out, double, most + 1)};
    const struct meeting *side[2];
    bool is_more = next_shared(m, agents, at, side);
    for (size_t n = 0, last = SIZE_MAX; is_more;) {
        const struct meeting *first = side[0];
        double sums[2] = {0, 0};
        size_t prompts = 0;
        for (; is_more && side[0]->unit == first->unit; prompts++) {
            unsigned mask = side[0]->mask & side[1]->mask;
            for (int s = 0; s < 2; s++) sums[s] += value_at(w->r, side[s], mask);
            is_more = next_shared(m, agents, at, side);
        }
        if (isnan(sums[0]) || isnan(sums[1])) continue;
        if (first->stratum != last)
            p.strata[p.count++] =
                (struct family_stratum){.a = values[0] + n, .b = values[1] + n};
        last = first->stratum;
        for (int s = 0; s < 2; s++) values[s][n] = sums[s] / (double)prompts;
        p.strata[p.count - 1].count++;
        n++;
    }
    return p;
}

/* All that the answers about an agent follow from: how it is scored, then its units. */
static void number_agents(const struct ranking_work *w, struct meetings *m, size_t agents,
                          struct arena scratch)
{
    const struct ranking *r = w->r;
    m->numbers = arena_new(w->out, uint64_t, agents + 1);
    for (size_t agent = 0; agent < agents; agent++) {
        struct buf bytes;
        const size_t *span = m->measures ? m->spans[agent] : (const size_t[2]){0, 0};
        size_t size = 100 + (span[1] - span[0]) * UUID_SIZE;
        for (size_t i = m->first[agent]; i < m->first[agent + 1]; i++) {
            const struct meeting *one = &m->list[i];
            size += strlen(one->benchmark_id) + strlen(one->prompt) + strlen(one->of_case) + 3 +
                    sizeof one->scores + sizeof one->mask;
        }
        buf_over(&bytes, arena_alloc(&scratch, size, 1, 1), size);
        buf_add_bytes(&bytes, &r->question.metric, sizeof r->question.metric);
        buf_add_bytes(&bytes, r->weights, sizeof r->weights);
        for (size_t i = m->first[agent]; i < m->first[agent + 1]; i++) {
            const struct meeting *one = &m->list[i];
            const char *const unit[] = {one->benchmark_id, one->prompt, one->of_case};
            for (size_t k = 0; k < COUNT(unit); k++)
                buf_add_bytes(&bytes, unit[k], strlen(unit[k]) + 1);
            buf_add_bytes(&bytes, one->scores, sizeof one->scores);
            buf_add_bytes(&bytes, &one->mask, sizeof one->mask);
        }
        for (size_t i = span[0]; i < span[1]; i++)
            buf_add(&bytes, str_of(m->measures[i].execution_id));
        m->numbers[agent] = memo_number(store_memo(w->store), buf_str(&bytes));
    }
}

/* What a ranking needs of the answer about two agents. */
struct pair_answer {
    double p;
    double change;           /* of the second to the first: points, or a relative one */
    double shift, low, high; /* in points of a share */
    size_t n;
    struct verdict_need need;
    bool is_tested;
};

static bool ask_scores(const struct ranking_work *w, const struct meetings *m,
                       const size_t agents[2], struct verdict_question how,
                       struct arena scratch, struct verdict_answer *answer, struct error *err)
{
    const struct pairs p = collect_pairs(w, m, agents, &scratch);
    struct family f;
    how.kind = kind_of(w->r);
    how.higher_is_better = is_share(w->r);
    if (!family_ask_strata(p.strata, p.count, &how, &scratch, &f, err)) return false;
    *answer = f.whole;
    return true;
}

static bool ask_measures(const struct ranking_work *w, const struct meetings *m,
                         const size_t agents[2], const struct verdict_question *how,
                         struct arena scratch, struct verdict_answer *answer, struct error *err)
{
    const size_t *one = m->spans[agents[0]];
    const size_t *two = m->spans[agents[1]];
    struct versus_pairs p = {0};
    p.paired =
        arena_alloc(&scratch, one[1] - one[0] + 1, sizeof *p.paired, _Alignof(struct units));
    for (size_t i = one[0]; i < one[1]; i++) {
        for (size_t k = two[0]; k < two[1]; k++) {
            const struct measure *a = &m->measures[i];
            const struct measure *b = &m->measures[k];
            if (strcmp(a->benchmark_id, b->benchmark_id) == 0 &&
                strcmp(a->prompt, b->prompt) == 0)
                versus_pair(&p, a->benchmark_id, &a->units, &b->units, &scratch);
        }
    }
    return versus_ask_units((const struct units(*)[2])p.paired, p.count,
                            (enum score_id)w->r->question.metric, how, &scratch, answer, err);
}

/* At a level of `alpha`; more is better of shares, less of amounts. */
static bool ask_pair(const struct ranking_work *w, const struct meetings *m,
                     const size_t agents[2], double alpha, struct arena scratch,
                     struct pair_answer *answer, struct error *err)
{
    const struct verdict_question how = {
        .is_brief = true, .alpha = alpha, .nominal = VERDICT_ALPHA};
    const struct {
        uint64_t agents[2];
        double alpha;
    } by = {{m->numbers[agents[0]], m->numbers[agents[1]]}, alpha};
    const struct str key = {(const char *)&by, sizeof by};
    const struct pair_answer *kept = memo_find(store_memo(w->store), key);
    if (kept) {
        *answer = *kept;
        return true;
    }
    struct verdict_answer whole;
    if (!(m->measures ? ask_measures(w, m, agents, &how, scratch, &whole, err)
                      : ask_scores(w, m, agents, how, scratch, &whole, err)))
        return false;
    const struct verdict_effect *e = &whole.effect;
    size_t n = whole.arm[0].n;
    *answer = (struct pair_answer){.p = whole.p,
                                   .change = whole.kind == KIND_RATIO ? e->ratio - 1 : e->shift,
                                   .shift = e->shift,
                                   .low = e->shift_low,
                                   .high = e->shift_high,
                                   .n = n,
                                   .need = n ? verdict_need_of(&whole)
                                             : (struct verdict_need){.what = NEED_MEETING},
                                   .is_tested = whole.is_tested};
    memo_keep(store_memo(w->store), key, answer, sizeof *answer);
    return true;
}

/* A tie group is as many neighbours as there are, no two of which are told apart; an agent
 * may be in several. `entries` rank together. */
static void group_ties(struct ranking_entry *entries, size_t count)
{
    size_t group = 0;
    size_t end = 0; /* of the last group */
    for (size_t first = 0; first < count; first++) {
        size_t last = first;
        for (bool is_open = true; is_open && last < count; last += is_open) {
            for (size_t i = first; i < last; i++) is_open &= !entries[i].told[last];
        }
        if (last <= end) continue; /* all of them are in the last one */
        end = last;
        group++;
        for (size_t i = first; i < last; i++) {
            if (!entries[i].tie_group) entries[i].tie_group = group;
            entries[i].tie_last = group;
        }
    }
}

/* How far the interval of a mean over benchmarks reaches: the mean has a standard error, and
 * that is worth so many units: the exact interval of as many (stats/proportion.h). */
static struct ranking_interval reach_of_units(const struct meetings *m, size_t agent,
                                              int metric, const struct ranking_work *w)
{
    struct moments of = {0};
    struct moments of_prompts = {0};
    for (size_t i = m->first[agent]; i < m->first[agent + 1]; i++) {
        const double *scores = m->list[i].scores;
        double v = metric == RANKING_OVERALL ? scores_overall(scores, w->r->weights, SCORES_ALL)
                                             : scores[metric];
        if (!isnan(v)) moments_add(&of_prompts, v);
        bool is_last = i + 1 == m->first[agent + 1] || m->list[i + 1].unit != m->list[i].unit;
        if (!is_last || of_prompts.count == 0) continue;
        moments_add(&of, of_prompts.mean);
        of_prompts = (struct moments){0};
    }
    if (of.count < 2) return (struct ranking_interval){NAN, NAN};
    double n = (double)of.count;
    double p = fmin(fmax(of.mean, 0), 1);
    double se2 = (double)moments_variance(&of) / n;
    double size = se2 > 1e-15 ? p * (1 - p) / se2 : n;
    if (!(size > 0)) size = n;
    struct proportion x = proportion_exact(p * size, size, 0.95);
    return (struct ranking_interval){p - x.low, x.high - p};
}

/* Laid around `centre`, which rests on all executions. */
static struct ranking_interval interval_of_units(const struct meetings *m, size_t agent,
                                                 int metric, const struct ranking_work *w,
                                                 double centre)
{
    const struct {
        uint64_t agent;
        int64_t metric;
    } by = {m->numbers[agent], metric};
    const struct str key = {(const char *)&by, sizeof by};
    const struct ranking_interval *kept = memo_find(store_memo(w->store), key);
    const struct ranking_interval reach = kept ? *kept : reach_of_units(m, agent, metric, w);
    if (!kept) memo_keep(store_memo(w->store), key, &reach, sizeof reach);
    if (isnan(centre) || isnan(reach.low)) return (struct ranking_interval){NAN, NAN};
    return (struct ranking_interval){fmax(centre - reach.low, 0), fmin(centre + reach.high, 1)};
}

/* The interval that `show` has for the score of each benchmark, of their mean (MOVER), laid
 * around `centre`: of one execution on one benchmark it is the one that `show` has. */
static struct ranking_interval interval_of(const struct reach *r, double centre)
{
    double n = (double)r->count;
    bool is_known = r->count > 0 && !isnan(centre) && !isnan(r->below);
    if (!is_known) return (struct ranking_interval){NAN, NAN};
    return (struct ranking_interval){fmax(centre - sqrt(r->below) / n, 0),
                                     fmin(centre + sqrt(r->above) / n, 1)};
}

static struct ranking_interval interval_at(const struct ranking_work *w,
                                           const struct meetings *m, size_t agent, int metric,
                                           double centre)
{
    if (!m->of_cases) return interval_of_units(m, agent, metric, w, centre);
    const struct reaches *r = &m->reaches[agent];
    return interval_of(metric == RANKING_OVERALL ? &r->overall : &r->score[metric], centre);
}

static void fill_intervals(const struct ranking_work *w, const struct meetings *m,
                           struct ranking_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ranking_entry *e = &entries[i];
        for (int k = 0; k < SCORE_COUNT; k++) {
            e->score[k] = interval_at(w, m, i, k, e->row->mean[k]);
        }
        e->overall_interval = interval_at(w, m, i, RANKING_OVERALL, e->overall);
    }
}

static size_t rank_of(const struct ranking_work *w, const struct ranking_entry *e)
{
    int metric = w->r->question.metric;
    return metric == RANKING_OVERALL ? e->overall_rank : e->rank[metric];
}

struct duel {
    size_t agent[2]; /* the higher one first */
    struct pair_answer answer;
    double adjusted; /* p, by Holm's steps over all pairs */
    double level;    /* that its step leaves it */
    bool is_told;    /* apart */
    bool is_ahead;   /* the first of the two, if they are */
};

/* Of those not told apart, the nearest. */
static void note_rival(struct ranking_entry *entries, const struct duel *d, int side)
{
    struct ranking_entry *e = &entries[d->agent[side]];
    const struct ranking_entry *other = &entries[d->agent[!side]];
    bool is_nearer = !e->rival || side == 1; /* the last one above, else the first below */
    e->tied++;
    if (!is_nearer) return;
    e->rival = other->name;
    e->need = d->answer.need;
}

static void settle(const struct duel *duels, struct ranking_entry *entries, size_t count,
                   struct arena *out)
{
    size_t pairs = count * (count - 1) / 2;
    for (size_t i = 0; i < count; i++) {
        entries[i].rank_low = 1;
        entries[i].rank_high = count;
        entries[i].place = i;
        entries[i].told = arena_new(out, bool, count);
    }
    for (size_t i = 0; i < pairs; i++) {
        const struct duel *d = &duels[i];
        if (d->is_told) {
            int better = d->is_ahead ? 0 : 1;
            entries[d->agent[!better]].rank_low++;
            entries[d->agent[better]].rank_high--;
            entries[d->agent[0]].told[d->agent[1]] = entries[d->agent[1]].told[d->agent[0]] =
                true;
            struct ranking_entry *above = &entries[d->agent[0]];
            if (!d->is_ahead && !above->overtaken_by)
                above->overtaken_by = entries[d->agent[1]].name;
        }
        for (int s = 0; !d->is_told && s < 2; s++) note_rival(entries, d, s);
    }
}

static int by_p(const void *a, const void *b)
{
    const struct duel *x = *(struct duel *const *)a;
    const struct duel *y = *(struct duel *const *)b;
    return (x->answer.p > y->answer.p) - (x->answer.p < y->answer.p);
}

/* Holm's steps: a pair that cannot be tested takes none. */
static void step_down(const struct ranking *r, struct duel *duels, size_t pairs,
                      struct arena scratch)
{
    struct duel **order = arena_new(&scratch, struct duel *, pairs + 1);
    size_t tested = 0;
    for (size_t i = 0; i < pairs; i++) {
        duels[i].adjusted = 1;
        duels[i].level = VERDICT_ALPHA;
        if (duels[i].answer.is_tested) order[tested++] = &duels[i];
    }
    qsort(order, tested, sizeof *order, by_p);
    struct holm steps = holm_begin(tested);
    for (size_t i = 0; i < tested; i++) {
        struct duel *d = order[i];
        double change = d->answer.change;
        d->level = holm_level(&steps, d->answer.p, VERDICT_ALPHA);
        d->is_told = d->answer.p < d->level && !isnan(change) && change != 0;
        d->is_ahead = is_share(r) ? change < 0 : change > 0;
        d->adjusted = holm_step(&steps, d->answer.p, d->is_told);
    }
}

/* By how much the first is ahead of the second, with the interval at the level that decided.
 * Of amounts there is none in points. */
static bool note_lead(const struct ranking_work *w, const struct meetings *m,
                      const struct duel *d, struct ranking_entry *entries, struct arena scratch,
                      struct error *err)
{
    struct pair_answer a;
    if (!ask_pair(w, m, d->agent, d->level, scratch, &a, err)) return false;
    int metric = w->r->question.metric;
    bool is_in_points = is_share(w->r);
    double ahead = is_in_points ? 0 - a.shift /* not -0 */
                                : entries[0].row->mean[metric] - entries[1].row->mean[metric];
    entries[0].lead = (struct ranking_lead){.over = entries[1].name,
                                            .by = ahead,
                                            .low = is_in_points ? 0 - a.high : (double)NAN,
                                            .high = is_in_points ? 0 - a.low : (double)NAN,
                                            .p = d->adjusted,
                                            .n = a.n,
                                            .is_told = d->is_told,
                                            .need = d->answer.need};
    return true;
}

/* Every two of them, then all verdicts together. */
static bool compare_all(const struct ranking_work *w, const struct meetings *m,
                        struct ranking_entry *entries, size_t count, struct arena scratch,
                        struct error *err)
{
    size_t pairs = 0;
    struct duel *duels = arena_new(&scratch, struct duel, count * count + 1);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            struct duel *d = &duels[pairs++];
            d->agent[0] = i;
            d->agent[1] = k;
            if (!ask_pair(w, m, d->agent, VERDICT_ALPHA, scratch, &d->answer, err))
                return false;
        }
    }
    step_down(w->r, duels, pairs, scratch);
    settle(duels, entries, count, w->out);
    if (pairs > 0 && !note_lead(w, m, &duels[0], entries, scratch, err)) return false;
    for (size_t i = 0; i < count; i++) {
        size_t rank = rank_of(w, &entries[i]);
        if (rank == 0) continue;
        if (rank < entries[i].rank_low) entries[i].rank_low = rank;
        if (rank > entries[i].rank_high) entries[i].rank_high = rank;
    }
    group_ties(entries, count);
    return true;
}

static void fill_first_share(const struct ranking_work *w, struct ranking_entry *entries,
                             size_t count, struct arena scratch)
{
    double *scores = arena_new(&scratch, double, count *SCORE_COUNT);
    double *share = arena_new(&scratch, double, count);
    for (size_t i = 0; i < count; i++) {
        memcpy(scores + i * SCORE_COUNT, entries[i].row->mean, SCORE_COUNT * sizeof *scores);
    }
    rankset_weights(scores, count, SCORE_COUNT, WEIGHTINGS, w->r->question.seed, scratch,
                    share);
    for (size_t i = 0; i < count; i++) entries[i].first_share = share[i];
}

bool ranking_units(struct ranking_work *w, struct ranking_entry *entries, size_t count,
                   struct error *err)
{
    struct arena scratch = arena_open();
    struct meetings m = of_benchmarks(w, entries, count, &scratch);
    struct meetings cases = {0};
    bool done = true;
    fill_first_share(w, entries, count, scratch);
    if (m.count <= CASE_EXECUTIONS_MAX) {
        done = of_cases(w, entries, count, &cases, &scratch, err);
    }
    if (done && cases.count > 0 && is_measured(w->r))
        done = load_measures(w, entries, count, &cases, &scratch, err);
    if (done && cases.count > 0) m = cases;
    if (done) sort_meetings(w, &m, count, entries[0].present);
    if (done) number_agents(w, &m, count, scratch);
    if (done) fill_intervals(w, &m, entries, count);
    done = done && compare_all(w, &m, entries, count, scratch, err);
    if (done && m.has_own_weights) {
        ranking_note(w, (struct ranking_note){.code = RANKING_OWN_WEIGHTS});
    }
    bool is_enough = m.units >= RANKING_UNITS_LEAST;
    if (done && count > 1) {
        ranking_note(
            w, (struct ranking_note){.code = is_enough ? RANKING_UNITS : RANKING_FEW_UNITS,
                                     .group = entries[0].row->group,
                                     .n = m.units,
                                     .of_cases = m.of_cases});
    }
    arena_close(&scratch);
    return done;
}
