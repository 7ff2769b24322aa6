/* What a rank rests on: the table of scores, agents by units, that is drawn
 * from again. A unit is a benchmark, or a case where benchmarks are few. Its
 * score is the weighted mean of those parts that every agent met there has:
 * an agent that tells less must not win by it. */
#include "rank/ranking_internal.h"
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

static size_t agent_of(const struct ranking_entry *entries, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].row->agent_id, id) == 0) return i;
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
                              .agent = agent_of(entries, count, row->agent_id)};
        if (one.agent == count || strcmp(w->groups[i], entries[0].row->group) != 0) continue;
        memcpy(one.scores, row->score, sizeof one.scores);
        add(&m, out, &one);
    }
    return m;
}

static bool of_cases(const struct ranking_work *w, const struct ranking_entry *entries,
                     size_t count, struct meetings *m, struct arena *out, struct error *err)
{
    *m = (struct meetings){0};
    for (size_t i = 0; i < w->latest_count; i++) {
        const struct latest_row *row = &w->latest[i];
        size_t agent = agent_of(entries, count, row->agent_id);
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

/* Tie groups come in the order of the drawn table, ranks from all executions:
 * whoever stands above a member of a group cannot be told from it either. */
static void order_groups(struct ranking_entry *entries, size_t count)
{
    for (size_t i = count - 1; i-- > 0;) {
        if (entries[i].tie_group > entries[i + 1].tie_group) {
            entries[i].tie_group = entries[i + 1].tie_group;
        }
    }
    size_t group = 0;
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        group += entries[i].tie_group != last;
        last = entries[i].tie_group;
        entries[i].tie_group = group;
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
        entries[i].tie_group = rows[i].tie_group;
    }
    order_groups(entries, count);
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
    if (units < RANKING_UNITS_LEAST && m.count <= CASE_EXECUTIONS_MAX && count > 1) {
        done = of_cases(w, entries, count, &m, &scratch, err);
        units = done ? count_units(&m) : 0;
        what = "cases";
    }
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
            entries[i].tie_group = 1;
        }
        if (count > 1) {
            ranking_note(w, "%s: %zu %s are too few to tell agents apart (%d are needed)",
                         entries[0].row->group, units, what, RANKING_UNITS_LEAST);
        }
    }
    arena_close(&scratch);
    return done;
}
