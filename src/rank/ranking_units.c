/* What a rank rests on: the table of scores, agents by units, that is drawn
 * from again. A unit is a benchmark, or a case where benchmarks are few. Its
 * score is the weighted mean of those parts that every agent met there has:
 * an agent that tells less must not win by it. */
#include "rank/ranking_internal.h"
#include "stats/proportion.h"
#include "stats/rankset.h"
#include "view/case_scores.h"

#include <math.h>
#include <stdlib.h>

enum {
    RESAMPLES = 1000,
    WEIGHTINGS = 2000,
    CASE_EXECUTIONS_MAX = 64, /* read to draw cases; each costs milliseconds */
};

/* One agent's scores on one unit. */
struct meeting {
    const char *unit;
    size_t agent;
    double scores[SCORE_COUNT];
};

struct meetings {
    struct meeting *list;
    size_t count;
    size_t room;
    bool of_cases; /* units are "benchmark/case" */
};

static int by_unit(const void *a, const void *b)
{
    const struct meeting *x = a;
    const struct meeting *y = b;
    int order = strcmp(x->unit, y->unit);
    return order ? order : (x->agent > y->agent) - (x->agent < y->agent);
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

static size_t agent_of(const struct ranking_entry *entries, size_t count,
                       const struct latest_row *row)
{
    for (size_t i = 0; i < count; i++) {
        if (ranking_is_of(entries[i].row, row)) return i;
    }
    return count;
}

static size_t count_units(struct meetings *m)
{
    size_t units = 0;
    if (m->count) qsort(m->list, m->count, sizeof *m->list, by_unit);
    for (size_t i = 0; i < m->count; i++) {
        units += i == 0 || strcmp(m->list[i].unit, m->list[i - 1].unit) != 0;
    }
    return units;
}

/* The rows of `latest` that belong to these entries. */
static struct meetings of_benchmarks(const struct ranking_work *w,
                                     const struct ranking_entry *entries, size_t count,
                                     struct arena *out)
{
    struct meetings m = {0};
    for (size_t i = 0; i < w->latest_count; i++) {
        const struct latest_row *row = &w->latest[i];
        struct meeting one = {.unit = row->benchmark_id,
                              .agent = agent_of(entries, count, row)};
        if (one.agent == count || strcmp(w->groups[i], entries[0].row->group) != 0) continue;
        memcpy(one.scores, row->score, sizeof one.scores);
        add(&m, out, &one);
    }
    return m;
}

static bool of_cases(const struct ranking_work *w, const struct ranking_entry *entries,
                     size_t count, struct meetings *m, struct arena *out, struct error *err)
{
    *m = (struct meetings){.of_cases = true};
    for (size_t i = 0; i < w->latest_count; i++) {
        const struct latest_row *row = &w->latest[i];
        size_t agent = agent_of(entries, count, row);
        if (agent == count || strcmp(w->groups[i], entries[0].row->group) != 0) continue;
        struct case_scores cases;
        if (!case_scores_load(w->store, row->execution_id, row->benchmark_id, out, &cases, err))
            return false;
        for (size_t k = 0; k < cases.count; k++) {
            struct meeting one = {.agent = agent};
            one.unit = arena_printf(out, "%s/%s", row->benchmark_id, cases.rows[k].hash);
            memcpy(one.scores, cases.rows[k].score, sizeof one.scores);
            add(m, out, &one);
        }
    }
    return true;
}

/* Agents by units; sorted meetings in. */
static double *table_of(const struct ranking_work *w, const struct meetings *m, size_t agents,
                        size_t units, unsigned present, struct arena *out)
{
    const struct ranking *r = w->r;
    double *table = arena_new(out, double, agents *units + 1);
    for (size_t i = 0; i < agents * units; i++) table[i] = NAN;
    size_t unit = 0;
    for (size_t from = 0, to; from < m->count; from = to, unit++) {
        unsigned mask = present;
        for (to = from; to < m->count && !strcmp(m->list[to].unit, m->list[from].unit); to++) {
            mask &= scores_present(m->list[to].scores);
        }
        for (size_t i = from; i < to; i++) {
            const double *scores = m->list[i].scores;
            table[m->list[i].agent * units + unit] =
                r->question.metric == RANKING_OVERALL ? scores_overall(scores, r->weights, mask)
                                                      : scores[r->question.metric];
        }
    }
    return table;
}

/* Agents whose rank intervals share a rank are tied there: a tie group is as many of them
 * as share one, and an agent with a wide interval is in several. `entries` rank together. */
static void group_ties(struct ranking_entry *entries, size_t count)
{
    size_t group = 0;
    bool has_begun = false; /* somebody's interval, since the last group */
    for (size_t rank = 1; rank <= count; rank++) {
        bool has_ended = false;
        for (size_t i = 0; i < count; i++) {
            has_begun |= entries[i].rank_low == rank;
            has_ended |= entries[i].rank_high == rank;
        }
        if (!has_begun || !has_ended) continue;
        has_begun = false;
        group++;
        for (size_t i = 0; i < count; i++) {
            if (entries[i].rank_low > rank || entries[i].rank_high < rank) continue;
            if (!entries[i].tie_group) entries[i].tie_group = group;
            entries[i].tie_last = group;
        }
    }
}

/* The mean over strata (benchmarks, or all benchmarks as one) of the mean over their units
 * has a standard error, and that is worth so many units: the exact interval of as many
 * (stats/proportion.h), laid around `centre`, which rests on all executions. */
static struct ranking_interval interval_of(const struct meetings *m, size_t agent, int metric,
                                           const struct ranking_work *w, double centre)
{
    double sum = 0;
    double variance = 0;
    size_t strata = 0;
    size_t units = 0;
    for (size_t from = 0, to; from < m->count; from = to) {
        size_t head = m->of_cases ? strcspn(m->list[from].unit, "/") : 0;
        double mean = 0;
        double squares = 0;
        size_t n = 0;
        for (to = from;
             to < m->count && strncmp(m->list[to].unit, m->list[from].unit, head) == 0; to++) {
            const double *scores = m->list[to].scores;
            double v = metric == RANKING_OVERALL
                           ? scores_overall(scores, w->r->weights, SCORES_ALL)
                           : scores[metric];
            if (m->list[to].agent != agent || isnan(v)) continue;
            double step = v - mean;
            mean += step / (double)++n;
            squares += step * (v - mean);
        }
        if (n == 0) continue;
        sum += mean;
        variance += n > 1 ? squares / (double)(n - 1) / (double)n : 0;
        strata++;
        units += n;
    }
    struct ranking_interval none = {NAN, NAN};
    if (units < 2 || isnan(centre)) return none;
    double p = fmin(fmax(sum / (double)strata, 0), 1);
    double se2 = variance / (double)(strata * strata);
    double size = se2 > 1e-15 ? p * (1 - p) / se2 : (double)units;
    if (!(size > 0)) size = (double)units;
    struct proportion x = proportion_exact(p * size, size, 0.95);
    return (struct ranking_interval){fmax(centre - (p - x.low), 0),
                                     fmin(centre + (x.high - p), 1)};
}

static void fill_intervals(const struct ranking_work *w, const struct meetings *m,
                           struct ranking_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ranking_entry *e = &entries[i];
        for (int k = 0; k < SCORE_COUNT; k++) {
            e->score[k] = interval_of(m, i, k, w, e->row->mean[k]);
        }
        e->overall_interval = interval_of(m, i, RANKING_OVERALL, w, e->overall);
    }
}

static size_t rank_of(const struct ranking_work *w, const struct ranking_entry *e)
{
    int metric = w->r->question.metric;
    return metric == RANKING_OVERALL ? e->overall_rank : e->rank[metric];
}

static void draw(const struct ranking_work *w, const struct meetings *m, size_t units,
                 struct ranking_entry *entries, size_t count, struct arena scratch)
{
    struct rankset_input input = {
        .scores = table_of(w, m, count, units, entries[0].present, &scratch),
        .agents = count,
        .cases = units,
        .resamples = RESAMPLES,
        .seed = w->r->question.seed,
    };
    const struct rankset_row *rows = rankset_of(&input, &scratch);
    for (size_t i = 0; i < count; i++) {
        size_t rank = rank_of(w, &entries[i]);
        entries[i].rank_low = rows[i].rank_low < rank ? rows[i].rank_low : rank;
        entries[i].rank_high = rows[i].rank_high > rank ? rows[i].rank_high : rank;
    }
    group_ties(entries, count);
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
    size_t units = count_units(&m);
    bool done = true;
    const char *what = "benchmarks";
    fill_first_share(w, entries, count, scratch);
    if (units < RANKING_UNITS_LEAST && m.count <= CASE_EXECUTIONS_MAX) {
        done = of_cases(w, entries, count, &m, &scratch, err);
        units = done ? count_units(&m) : 0;
        what = "cases";
    }
    if (done) fill_intervals(w, &m, entries, count);
    if (done && units >= RANKING_UNITS_LEAST) {
        draw(w, &m, units, entries, count, scratch);
        if (count > 1) {
            ranking_note(w, "%s: rank intervals draw from %zu %s", entries[0].row->group, units,
                         what);
        }
    } else if (done) {
        for (size_t i = 0; i < count; i++) {
            entries[i].rank_low = 1;
            entries[i].rank_high = count;
            entries[i].tie_group = entries[i].tie_last = 1;
        }
        if (count > 1) {
            ranking_note(w, "%s: %zu %s are too few to tell agents apart (%d are needed)",
                         entries[0].row->group, units, what, RANKING_UNITS_LEAST);
        }
    }
    arena_close(&scratch);
    return done;
}
