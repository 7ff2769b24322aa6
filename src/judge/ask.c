/* Chooses what the values of a question are. By case: one value a case, paired by its
 * key. Interleaved arms: trials paired by round. Else all trials in order of time.
 * Where cells are merged from several runs, values are moved onto the mean of the runs'
 * medians, and each run gives one number besides: what runs differ by is then counted
 * between them, never within. Values go on the scale that decides, logarithms for
 * ratios, only where all are positive. */
#include "judge/ask.h"

#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

bool ask_are_arms(const struct view_cell *a, const struct view_cell *b)
{
    return a->record.run_id[0] && strcmp(a->record.run_id, b->record.run_id) == 0 &&
           a->record.group_index >= 0 && a->record.group_index == b->record.group_index &&
           a->record.arm_index != b->record.arm_index;
}

bool ask_is_alike(const struct ask *a, const struct ask *b)
{
    bool is_one = a->agent && b->agent ? strcmp(a->agent, b->agent) == 0 : a->agent == b->agent;
    return is_one && str_equal(a->prompt, b->prompt) &&
           metric_is_comparable(&a->metric, &b->metric) &&
           family_is_alike(&a->question, &b->question);
}

bool ask_is_short(const struct ask *ask)
{
    return ask->gone > 0 || ask->failed > 0 || ask->unasked > 0;
}

void ask_leave_open(const struct ask *ask, struct verdict_answer *answer)
{
    if (ask_is_short(ask) && answer->verdict != VERDICT_WORSE)
        answer->verdict = VERDICT_UNDECIDED;
}

void ask_add_lacks(struct ask *whole, const struct ask *part)
{
    whole->gone += part->gone;
    whole->failed += part->failed;
    whole->gone_of += part->gone_of;
    whole->unasked += part->unasked;
}

static struct units take_units(const struct view_cell *cell, const struct view_metric *metric,
                               struct arena *out)
{
    struct view_metric failures;
    if (!metric) failures = units_failures(cell, out);
    return units_of(cell, metric ? metric : &failures, out);
}

/* ---- runs: one number for each, on the scale that decides ---- */

struct side {
    struct units *runs;
    size_t count;
};

/* The metric in one of the runs; of rates that every cell has, made of its trials. */
static const struct view_metric *find_in_run(const struct view_cell *run,
                                             const struct view_metric *like, struct arena *out)
{
    return units_is_rate(run, like->name) ? units_find_metric(run, like->name, out)
                                          : view_find_alike(run, like);
}

static struct side runs_of(const struct ask_subject *s, int k, struct arena *out)
{
    struct side side = {.runs = arena_new(out, struct units, s->run_count[k] + 1)};
    for (size_t i = 0; i < s->run_count[k]; i++) {
        const struct view_cell *cell = s->runs[k][i];
        const struct view_metric *like = s->metric[k];
        const struct view_metric *m = like ? find_in_run(cell, like, out) : NULL;
        if (like && (!m || units_are_empty(cell, m, *out))) continue;
        side.runs[side.count++] = take_units(cell, m, out);
    }
    return side;
}

static bool are_positive(const struct side *side)
{
    for (size_t r = 0; r < side->count; r++) {
        for (size_t i = 0; i < side->runs[r].count; i++) {
            double v = side->runs[r].values[i];
            if (!isnan(v) && !(v > 0)) return false;
        }
    }
    return true;
}

static void onto_scale(struct side *side, bool is_log)
{
    for (size_t r = 0; is_log && r < side->count; r++) {
        struct units *u = &side->runs[r];
        for (size_t i = 0; i < u->count; i++) u->values[i] = log(u->values[i]);
    }
}

static int by_text(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

static bool has_key(const struct units *u, const char *key)
{
    return u->count > 0 && bsearch(key, u->keys, u->count, sizeof *u->keys, by_text) != NULL;
}

static double value_at(const struct units *u, const char *key)
{
    const char **at = bsearch(key, u->keys, u->count, sizeof *u->keys, by_text);
    return at ? u->values[at - u->keys] : (double)NAN;
}

/* Cases differ from each other, and a run may lack some: each is taken as its
 * distance from its own mean over all runs, where all of them have it. Of a sum, whose runs
 * are compared by the logarithms of their means, the values stay as they are. */
static void centre_cases(struct side sides[2], enum kind kind, struct arena *out)
{
    const struct units first = sides[0].runs[0];
    size_t count = sides[0].count + sides[1].count;
    struct units **all = arena_new(out, struct units *, count + 1);
    double **centred = arena_new(out, double *, count + 1);
    double *row = arena_new(out, double, count + 1);
    for (size_t r = 0; r < count; r++) {
        bool of_first = r < sides[0].count;
        all[r] = of_first ? &sides[0].runs[r] : &sides[1].runs[r - sides[0].count];
        centred[r] = arena_new(out, double, first.count + 1);
    }
    size_t kept = 0;
    for (size_t i = 0; i < first.count; i++) {
        bool is_whole = true;
        for (size_t r = 0; r < count; r++) {
            row[r] = value_at(all[r], first.keys[i]);
            is_whole &= isfinite(row[r]) != 0;
        }
        if (!is_whole) continue;
        double centre = kind == KIND_SUM ? 0 : moments_of(row, count).mean;
        for (size_t r = 0; r < count; r++) centred[r][kept] = row[r] - centre;
        kept++;
    }
    for (size_t r = 0; r < count; r++)
        *all[r] = (struct units){.values = centred[r], .count = kept};
}

static double number_of(const struct units *u, bool is_share, struct arena scratch)
{
    size_t n = 0;
    double *sorted = stats_sort(&scratch, u->values, u->count, &n);
    if (n == 0) return (double)NAN;
    return is_share ? moments_of(sorted, n).mean : quantile_median(sorted, n);
}

static bool are_shared(const struct ask_subject *s)
{
    if (s->run_count[0] != s->run_count[1] || s->run_count[0] < 2) return false;
    for (size_t i = 0; i < s->run_count[0]; i++) {
        const char *id = s->runs[0][i]->record.run_id;
        if (!id[0] || strcmp(id, s->runs[1][i]->record.run_id) != 0) return false;
    }
    return true;
}

static struct verdict_runs number_runs(const struct ask_subject *s, struct side sides[2],
                                       enum kind kind, bool by_case, struct arena *out)
{
    bool is_mean = kind == KIND_SHARE || kind == KIND_SUM || by_case;
    struct verdict_runs runs = {.is_paired = are_shared(s)};
    for (int k = 0; k < 2; k++) {
        double *values = arena_new(out, double, sides[k].count + 1);
        for (size_t i = 0; i < sides[k].count; i++) {
            double v = number_of(&sides[k].runs[i], is_mean, *out);
            if (kind == KIND_SUM) v = log(v);
            if (isfinite(v)) values[runs.count[k]++] = v;
        }
        runs.values[k] = values;
    }
    runs.is_paired = runs.is_paired && runs.count[0] == runs.count[1];
    return runs;
}

/* Values of several runs about the mean of the runs' medians: what runs differ by is
 * taken from between them, not from within. */
static struct units level_runs(const struct side *side, bool is_log, struct arena *out)
{
    double *medians = arena_new(out, double, side->count + 1);
    struct moments of_runs = {0};
    size_t total = 0;
    for (size_t r = 0; r < side->count; r++) {
        medians[r] = number_of(&side->runs[r], false, *out);
        moments_add(&of_runs, medians[r]);
        total += side->runs[r].count;
    }
    struct units all = {.values = arena_new(out, double, total + 1)};
    for (size_t r = 0; r < side->count; r++) {
        for (size_t i = 0; i < side->runs[r].count; i++) {
            double v = side->runs[r].values[i] + of_runs.mean - medians[r];
            all.values[all.count++] = is_log ? exp(v) : v;
        }
    }
    return all;
}

static bool are_of_one_value(const struct side *side)
{
    for (size_t r = 0; r < side->count; r++) {
        if (side->runs[r].count > 1) return false;
    }
    return true;
}

static void take_runs(const struct ask_subject *s, enum kind kind, struct arena *out,
                      struct ask *ask)
{
    struct side sides[2] = {runs_of(s, 0, out), runs_of(s, 1, out)};
    bool are_several =
        sides[0].count > 0 && sides[1].count > 0 && sides[0].count + sides[1].count > 2;
    /* Runs of one value each: the values are what runs differ by already. */
    bool are_single =
        !ask->by_case && are_of_one_value(&sides[0]) && are_of_one_value(&sides[1]);
    if (!are_several || are_single) return;
    bool is_log = kind == KIND_RATIO && are_positive(&sides[0]) && are_positive(&sides[1]);
    bool is_share = kind == KIND_SHARE || kind == KIND_SUM;
    onto_scale(&sides[0], is_log);
    onto_scale(&sides[1], is_log);
    if (!ask->by_case && !is_share) {
        for (int k = 0; k < 2; k++) ask->units[k] = level_runs(&sides[k], is_log, out);
    }
    if (ask->by_case) centre_cases(sides, kind, out);
    ask->question.runs = number_runs(s, sides, kind, ask->by_case, out);
}

static bool are_shares(const struct units *u)
{
    for (size_t i = 0; i < u->count; i++) {
        if (!isnan(u->values[i]) && !(u->values[i] >= 0 && u->values[i] <= 1)) return false;
    }
    return true;
}

/* A block's share of lost requests is a mean over all that were due in it. */
static double worth_of(const struct view_cell *cell, const struct view_metric *m)
{
    if (!m || strcmp(m->definition, "load_error_share/1") != 0) return 1;
    const struct view_metric *due = view_find_metric(cell, "scheduled");
    struct moments of_blocks = {0};
    for (size_t i = 0; due && i < due->count; i++) {
        if (!isnan(due->samples[i])) moments_add(&of_blocks, due->samples[i]);
    }
    return of_blocks.count > 0 ? of_blocks.mean : 1;
}

/* So many more failures than before: a median hardly moves by fewer. */
static const double failed_share = 0.05;

enum { FAILED, DONE };

/* Cases of side k without a value though in A they have one; of trials, which have no partner,
 * those without a value. */
static void count_side(const struct ask_subject *s, const struct ask *ask, int k,
                       struct arena scratch, double lacks[2])
{
    const struct units *u = ask->units;
    struct view_metric done = units_successes(s->cell[k], &scratch);
    struct units cases = {0};
    if (ask->by_case) cases = units_of(s->cell[k], &done, &scratch);
    for (size_t i = 0; i < u[k].count; i++) {
        double ok = (double)NAN;
        bool is_meant = true;
        if (ask->by_case) {
            ok = value_at(&cases, u[k].keys[i]);
            is_meant = !isnan(value_at(&u[0], u[k].keys[i]));
        } else if (i < done.count) {
            ok = done.samples[i];
            is_meant = !units_is_spoiled(s->cell[k], s->metric[k], i);
        }
        bool is_silent = u[k].is_silent && u[k].is_silent[i];
        bool is_lacking = isnan(u[k].values[i]) || is_silent;
        if (is_lacking && !isnan(ok) && is_meant) lacks[ok > 0]++;
    }
}

/* Where A has fewer of them. */
static void count_lacking(const struct ask_subject *s, enum kind kind, struct arena scratch,
                          struct ask *ask)
{
    double lacks[2][2] = {0}; /* of A and B */
    double more[2];
    if (!s->metric[0] || !s->metric[1]) return;
    for (int k = 0; k < 2; k++) count_side(s, ask, k, scratch, lacks[k]);
    for (int i = 0; i < 2; i++)
        more[i] = lacks[1][i] / fmax(1, (double)ask->units[1].count) -
                  lacks[0][i] / fmax(1, (double)ask->units[0].count);
    bool is_money = ask->by_case && kind == KIND_SUM; /* of the same cases: each counts */
    if (more[DONE] > 0) ask->gone = (size_t)lacks[1][DONE];
    if (more[FAILED] > (is_money ? 0 : failed_share)) ask->failed = (size_t)lacks[1][FAILED];
    ask->gone_of = ask->units[1].count;
}

/* Of the same benchmark, of the same cases therefore. */
static void count_unasked(const struct ask_subject *s, struct ask *ask)
{
    const char *benchmark = s->cell[0]->record.benchmark_id;
    bool is_same = benchmark[0] && strcmp(benchmark, s->cell[1]->record.benchmark_id) == 0;
    const struct units *u = ask->units;
    for (size_t i = 0; is_same && ask->by_case && i < u[0].count; i++)
        ask->unasked += !has_key(&u[1], u[0].keys[i]);
}

static const char *agent_of(const struct ask_subject *s)
{
    const char *id = s->cell[0]->record.agent_id;
    return id[0] && strcmp(id, s->cell[1]->record.agent_id) == 0 ? id : NULL;
}

struct ask ask_about(const struct ask_subject *s, const struct ask_terms *terms,
                     struct arena *out)
{
    const struct view_metric *m = s->metric[0];
    enum kind kind = m ? m->kind : KIND_SHARE;
    if (m && s->metric[1]) kind = kind_common(kind, s->metric[1]->kind);
    enum direction direction = m ? m->direction : DIRECTION_LOWER;
    if (terms->direction != DIRECTION_NONE) direction = terms->direction;
    static const struct metric failures = {UNITS_FAILURES, "1", DIRECTION_LOWER, "rate/1",
                                           .kind = KIND_SHARE};
    struct ask ask = {.metric = m ? view_metric_of(m) : failures};
    struct units paired[2];
    for (int i = 0; i < 2; i++) ask.units[i] = take_units(s->cell[i], s->metric[i], out);
    if (kind == KIND_SHARE && !(are_shares(&ask.units[0]) && are_shares(&ask.units[1])))
        kind = KIND_RATIO; /* a score less a cost may be below 0 */
    ask.by_case = ask.units[0].keys && ask.units[1].keys;
    ask.agent = agent_of(s);
    ask.prompt = value_text(s->cell[1]->record.parameters, "prompt");
    count_lacking(s, kind, *out, &ask);
    count_unasked(s, &ask);
    bool are_merged = s->run_count[0] + s->run_count[1] > 2;
    bool are_interleaved =
        ask_are_arms(s->cell[0], s->cell[1]) && (!are_merged || are_shared(s));
    for (int i = 0; i < 2; i++) ask.question.worth[i] = worth_of(s->cell[i], s->metric[i]);
    /* Blocks that lost nothing make equal pairs, however many requests each has. */
    bool are_blocks = fmax(ask.question.worth[0], ask.question.worth[1]) > 1;
    bool is_paired = (ask.by_case || (are_interleaved && !are_blocks) || s->is_paired) &&
                     units_pair(&ask.units[0], &ask.units[1], out, paired);
    /* An arm that always fails is stopped early: how often each fails is known of all its
     * trials, not only of those that have a partner. */
    if (!m && !ask.by_case && ask.units[0].count != ask.units[1].count) is_paired = false;
    if (is_paired) memcpy(ask.units, paired, sizeof paired);
    if (are_merged) take_runs(s, kind, out, &ask);
    if (ask.units[0].count != ask.units[1].count) is_paired = false; /* of merged runs */
    ask.question.a = ask.units[0].values;
    ask.question.a_count = ask.units[0].count;
    ask.question.b = ask.units[1].values;
    ask.question.b_count = ask.units[1].count;
    for (int e = 0; e < 2; e++) {
        ask.question.a_ends[e] = ask.units[0].ends[e];
        ask.question.b_ends[e] = ask.units[1].ends[e];
        ask.question.cut_at[e] = ask.units[e].cut_at;
        ask.question.is_graded[e] = ask.units[e].is_graded;
    }
    ask.question.kind = kind;
    ask.question.is_paired = is_paired;
    ask.question.is_alternating = is_paired && are_interleaved && !ask.by_case;
    ask.question.has_no_order = ask.by_case;
    ask.question.higher_is_better = direction == DIRECTION_HIGHER;
    ask.question.alpha = terms->alpha;
    ask.question.margin = terms->margin;
    ask.question.limit = terms->limit;
    return ask;
}
