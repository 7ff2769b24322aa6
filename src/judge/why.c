/* Phases are read from the notes of both executions, their mean over the passes of a case. A
 * phase that one side does not report took it 0 s; what no phase accounts for is "unphased",
 * so the parts of a case's seconds add up to its difference in time whatever agents
 * report. */
#include "judge/why.h"

#include "base/value.h"
#include "model/detail.h"
#include "view/case_notes.h"

#include <math.h>
#include <stdlib.h>

enum { USES = 3, PHASES_MAX = 64 };

struct phase_sum {
    const char *name;
    double seconds[2];
};

struct work {
    struct store *store;
    struct arena *out;
    struct why *w;
    size_t room;
    struct case_notes notes[2]; /* of the benchmark that is taken apart */
    double weight;              /* of the case that is taken apart */
    double timed;               /* weight of the cases in which both have a speed */
};

static double part_of(struct work *k, const char *name, enum score_id score, double part)
{
    struct why *w = k->w;
    size_t i = 0;
    while (i < w->factor_count && strcmp(w->factors[i].name, name) != 0) i++;
    if (i == w->factor_count) {
        if (w->factor_count == k->room) return 0;
        w->factors[w->factor_count++] = (struct why_factor){.name = name, .score = score};
    }
    w->factors[i].part += part;
    w->factors[i].cases += fabs(part) > 1e-12;
    return part;
}

static struct why_factor *factor_named(struct work *k, const char *name)
{
    for (size_t i = 0; i < k->w->factor_count; i++) {
        if (strcmp(k->w->factors[i].name, name) == 0) return &k->w->factors[i];
    }
    return NULL;
}

static void add_values(struct work *k, const char *name, const char *unit, double a, double b)
{
    struct why_factor *f = factor_named(k, name);
    if (!f) return;
    f->unit = unit;
    f->valued += k->weight;
    for (int side = 0; side < 2; side++) { /* the mean so far: of equal values exactly theirs */
        double x = side ? b : a;
        f->value[side] += ((isnan(x) ? 0 : x) - f->value[side]) * (k->weight / f->valued);
    }
}

/* ---- phases ---- */

static void add_phase(struct phase_sum *sums, size_t *count, const char *name, int side,
                      double seconds)
{
    size_t i = 0;
    while (i < *count && strcmp(sums[i].name, name) != 0) i++;
    if (i == PHASES_MAX) return;
    if (i == *count) sums[(*count)++] = (struct phase_sum){.name = name};
    sums[i].seconds[side] += seconds;
}

static bool load_answers(struct work *k, const char *execution_id, int side, struct error *err)
{
    struct trial_note *notes = NULL;
    size_t count = 0;
    if (!store_list_notes(k->store, execution_id, k->out, &notes, &count, err)) return false;
    k->notes[side] = case_notes_sort(notes, count, k->out);
    return true;
}

/* Seconds of each phase on one case, mean over its ok trials. */
static void sum_phases(struct work *k, const char *hash, int side, struct phase_sum *sums,
                       size_t *count)
{
    struct case_notes notes = case_notes_of(&k->notes[side], hash);
    size_t trials = 0;
    for (size_t i = 0; i < notes.count; i++) trials += notes.items[i]->status == TRIAL_OK;
    for (size_t i = 0; i < notes.count; i++) {
        struct detail d;
        const struct trial_note *note = notes.items[i];
        if (note->status != TRIAL_OK || !detail_read(note->detail, k->out, &d)) continue;
        for (size_t t = 0; t < d.turn_count; t++) {
            for (size_t p = 0; p < d.turns[t].phase_count; p++) {
                const struct detail_phase *phase = &d.turns[t].phases[p];
                add_phase(sums, count, phase->name, side, phase->duration_s / (double)trials);
            }
        }
    }
}

/* The part of speed, by phase. */
static void split_speed(struct work *k, const struct versus_case *c, double part)
{
    struct phase_sum *sums = arena_new(k->out, struct phase_sum, PHASES_MAX + 1);
    double seconds[2] = {c->row[0]->values.duration_s, c->row[1]->values.duration_s};
    for (int side = 0; side < 2; side++) {
        if (isinf(seconds[side])) seconds[side] = (double)NAN; /* no answer: no time to show */
    }
    double change = seconds[1] - seconds[0];
    double told = 0;
    size_t count = 0;
    k->timed += k->weight;
    for (int side = 0; side < 2; side++) sum_phases(k, c->hash, side, sums, &count);
    bool can_split = count > 0 && fabs(change) > 1e-12;
    for (size_t i = 0; can_split && i < count; i++) {
        const char *name = arena_printf(k->out, "speed: %s", sums[i].name);
        double share = (sums[i].seconds[1] - sums[i].seconds[0]) / change;
        told += share;
        part_of(k, name, SCORE_SPEED, part * share);
        add_values(k, name, "s", sums[i].seconds[0], sums[i].seconds[1]);
        seconds[0] -= sums[i].seconds[0];
        seconds[1] -= sums[i].seconds[1];
    }
    const char *rest = can_split ? "speed: unphased" : "speed";
    part_of(k, rest, SCORE_SPEED, part * (1 - told));
    add_values(k, rest, "s", seconds[0], seconds[1]);
}

/* ---- efficiency ---- */

static void split_efficiency(struct work *k, const struct versus_case *c,
                             const struct score_targets *t, double part)
{
    static const char *const names[USES] = {"efficiency: tokens", "efficiency: CPU time",
                                            "efficiency: memory"};
    static const char *const units[USES] = {"1", "s", "MB"};
    const double targets[USES] = {t->tokens, t->cpu_s, t->memory_mb};
    double used[2][USES];
    double logs[USES] = {0};
    double total = 0;
    for (int side = 0; side < 2; side++) {
        const struct score_case *s = &c->row[side]->values;
        const double all[USES] = {s->tokens, s->cpu_s, s->memory_mb};
        memcpy(used[side], all, sizeof all);
    }
    for (int i = 0; i < USES; i++) {
        double a = score_of_use(used[0][i], targets[i]);
        double b = score_of_use(used[1][i], targets[i]);
        logs[i] = log(b) - log(a); /* NaN: one of them does not tell it, or nothing is wanted */
        total += isnan(logs[i]) ? 0 : logs[i];
    }
    bool can_split = fabs(total) > 1e-12;
    for (int i = 0; i < USES; i++) {
        if (isnan(logs[i])) continue;
        part_of(k, names[i], SCORE_EFFICIENCY, can_split ? part * logs[i] / total : 0);
        add_values(k, names[i], units[i], used[0][i], used[1][i]);
    }
    if (!can_split && fabs(part) > 1e-12) part_of(k, "efficiency", SCORE_EFFICIENCY, part);
}

/* ---- cases ---- */

static void split_case(struct work *k, const struct versus_case *c,
                       const struct score_targets *targets)
{
    const struct versus *v = k->w->versus;
    const double *a = c->row[0]->score;
    const double *b = c->row[1]->score;
    unsigned shared = scores_present(a) & scores_present(b);
    double total = 0;
    struct why_case *to = &k->w->cases[k->w->case_count++];
    *to = (struct why_case){.of = c};
    for (int i = 0; i < SCORE_COUNT; i++) total += shared >> i & 1u ? v->weights[i] : 0;
    for (int i = 0; i < SCORE_COUNT && total > 0; i++) {
        if (!(shared >> i & 1u)) continue;
        double part = k->weight * v->weights[i] / total * (b[i] - a[i]);
        to->by_score[i] = part;
        to->part += part;
        if (i == SCORE_SPEED) {
            split_speed(k, c, part);
        } else if (i == SCORE_EFFICIENCY) {
            split_efficiency(k, c, targets, part);
        } else {
            part_of(k, score_name((enum score_id)i), (enum score_id)i, part);
            add_values(k, score_name((enum score_id)i), NULL, a[i], b[i]);
        }
    }
}

static bool has_overall(const struct versus_case *c)
{
    return (scores_present(c->row[0]->score) & scores_present(c->row[1]->score)) != 0;
}

/* By how many prompts both were asked the case, of all that `first`, one of them, stands for; 0
 * where versus does not compare it: one of its prompts gave no score. */
static size_t prompts_of(const struct versus *v, const struct versus_case *first)
{
    const struct versus_benchmark *b = &v->benchmarks[first->of];
    size_t n = 0;
    if (b->prompts == 0) return has_overall(first);
    for (size_t i = 0; i < v->case_count; i++) {
        const struct versus_case *c = &v->cases[i];
        if (v->benchmarks[c->of].of != first->of || strcmp(c->hash, first->hash) != 0) continue;
        if (!has_overall(c)) return 0;
        n++;
    }
    return n;
}

static const struct versus_case *first_of(const struct versus *v, const struct versus_case *c)
{
    size_t of = v->benchmarks[c->of].of;
    for (size_t i = 0; of != c->of && i < v->case_count; i++) {
        if (v->cases[i].of == of && strcmp(v->cases[i].hash, c->hash) == 0) return &v->cases[i];
    }
    return of == c->of ? c : NULL;
}

/* As versus weighs them: benchmarks the same, in each the cases that both have scores of, and of
 * a case its prompts. 0: it is not compared. */
static double *weigh(const struct versus *v, struct arena *out)
{
    double *weights = arena_new(out, double, v->case_count + 1);
    size_t *counts = arena_new(out, size_t, v->benchmark_count + 1);
    size_t used = 0;
    for (size_t i = 0; i < v->case_count; i++) {
        const struct versus_case *c = &v->cases[i];
        const struct versus_case *first = first_of(v, c);
        size_t prompts = first ? prompts_of(v, first) : 0;
        weights[i] = prompts ? 1 / (double)prompts : 0;
        if (first != c || prompts == 0) continue;
        used += counts[c->of]++ == 0;
    }
    for (size_t i = 0; i < v->case_count; i++) {
        size_t count = counts[v->benchmarks[v->cases[i].of].of];
        if (count > 0) weights[i] /= (double)used * (double)count;
    }
    return weights;
}

static bool split_benchmarks(struct work *k, struct error *err)
{
    const struct versus *v = k->w->versus;
    const double *weights = weigh(v, k->out);
    size_t next = 0; /* cases are benchmark by benchmark */
    for (size_t i = 0; i < v->benchmark_count; i++) {
        struct case_scores scores;
        const struct versus_benchmark *b = &v->benchmarks[i];
        size_t first = next;
        double of_all = 0;
        for (; next < v->case_count && v->cases[next].of == i; next++) of_all += weights[next];
        if (!(of_all > 0)) continue;
        if (!case_scores_load(k->store, b->execution[0]->id, b->id, k->out, &scores, err))
            return false;
        for (int side = 0; side < 2; side++) {
            if (!load_answers(k, b->execution[side]->id, side, err)) return false;
        }
        for (size_t c = first; c < next; c++) {
            k->weight = weights[c];
            if (k->weight > 0) split_case(k, &v->cases[c], &scores.plan.targets);
        }
    }
    return true;
}

/* ---- what differs ---- */

static void add_setting(struct work *k, const char *name, const char *a, const char *b)
{
    enum { MOST = 60 };
    struct why *w = k->w;
    if (str_is(str_of(a), b) || w->setting_count == MOST) return;
    for (size_t i = 0; i < w->setting_count; i++) {
        if (strcmp(w->settings[i].name, name) == 0) return;
    }
    if (!w->settings) w->settings = arena_new(k->out, struct why_setting, MOST);
    w->settings[w->setting_count++] = (struct why_setting){name, {a, b}};
}

static const char *show(const struct value *v, struct arena *out)
{
    if (!v) return NULL;
    return v->kind == VALUE_TEXT ? str_cstr(out, v->source) : json_of(v, out).p;
}

/* Keys of two maps that are not equal, as dotted names. */
static void compare_maps(struct work *k, const char *head, const struct value *a,
                         const struct value *b)
{
    const struct value *const maps[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        const struct value *m = maps[side];
        for (size_t i = 0; m && m->kind == VALUE_MAP && i < m->map.count; i++) {
            const char *key = str_cstr(k->out, m->map.pairs[i].key);
            const struct value *one = a ? value_get(a, key) : NULL;
            const struct value *two = b ? value_get(b, key) : NULL;
            if (strcmp(key, "id") == 0 || (one && two && value_equal(one, two))) continue;
            const char *name = arena_printf(k->out, "%s%s%s", head, head[0] ? "." : "", key);
            bool is_deep = one && two && one->kind == VALUE_MAP && two->kind == VALUE_MAP;
            if (is_deep) {
                compare_maps(k, name, one, two);
            } else {
                add_setting(k, name, show(one, k->out), show(two, k->out));
            }
        }
    }
}

static void find_settings(struct work *k)
{
    const struct versus *v = k->w->versus;
    compare_maps(k, "agent", value_stored(v->agent[0].configuration, k->out),
                 value_stored(v->agent[1].configuration, k->out));
    for (size_t i = 0; i < v->benchmark_count; i++) {
        const struct execution_record *const *e = v->benchmarks[i].execution;
        if (!e[0] || !e[1]) continue;
        add_setting(k, "version", e[0]->agent_version, e[1]->agent_version);
        compare_maps(k, "config", value_stored(e[0]->model_configuration, k->out),
                     value_stored(e[1]->model_configuration, k->out));
        add_setting(k, "cases in flight",
                    arena_printf(k->out, "%lld", (long long)execution_lanes(e[0])),
                    arena_printf(k->out, "%lld", (long long)execution_lanes(e[1])));
        add_setting(k, "run", e[0]->run_id, e[1]->run_id);
    }
}

/* ---- order ---- */

static int by_part(double a, double b)
{
    return (fabs(a) < fabs(b)) - (fabs(a) > fabs(b));
}

static int by_factor(const void *a, const void *b)
{
    const struct why_factor *x = a;
    const struct why_factor *y = b;
    int order = by_part(x->part, y->part);
    return order ? order : strcmp(x->name, y->name);
}

static int by_case(const void *a, const void *b)
{
    const struct why_case *x = a;
    const struct why_case *y = b;
    int order = by_part(x->part, y->part);
    return order ? order : strcmp(x->of->name, y->of->name);
}

static void put_in_order(const struct work *work)
{
    struct why *w = work->w;
    double sum = 0;
    double told = 0;
    qsort(w->factors, w->factor_count, sizeof *w->factors, by_factor);
    qsort(w->cases, w->case_count, sizeof *w->cases, by_case);
    bool has_effect = fabs(w->effect) > 1e-9;
    for (size_t i = 0; i < w->factor_count; i++) {
        struct why_factor *f = &w->factors[i];
        f->share = has_effect ? f->part / w->effect : (double)NAN;
        /* a phase that a case does not have took it 0 s; a use that it does not tell is none */
        double share = f->score == SCORE_SPEED ? f->valued / work->timed : 1;
        const double *levels = w->versus->metrics[f->score].score;
        for (int k = 0; k < 2; k++) {
            f->value[k] = f->valued > 0 ? f->value[k] * share : (double)NAN;
            bool is_score = !f->unit && f->valued > 0 && !isnan(levels[k]);
            if (is_score) f->value[k] = levels[k];
        }
    }
    for (size_t i = 0; i < w->case_count; i++) {
        w->cases[i].share = has_effect ? w->cases[i].part / w->effect : (double)NAN;
        w->gross += fabs(w->cases[i].part);
        sum += w->cases[i].part;
    }
    while (w->telling < w->case_count && told < WHY_TELLING * w->gross)
        told += fabs(w->cases[w->telling++].part);
    w->rest = w->effect - sum;
}

bool why_ask(struct store *store, const struct versus_question *question, struct arena *out,
             struct why **why, struct error *err)
{
    enum { FACTORS_MAX = 256 };
    struct versus *v = NULL;
    if (!versus_ask(store, question, out, &v, err)) return false;
    struct why *w = arena_new(out, struct why, 1);
    *w = (struct why){.versus = v, .effect = v->overall.effect};
    struct work k = {.store = store, .out = out, .w = w, .room = FACTORS_MAX};
    w->factors = arena_new(out, struct why_factor, FACTORS_MAX);
    w->cases = arena_new(out, struct why_case, v->case_count + 1);
    if (!split_benchmarks(&k, err)) return false;
    find_settings(&k);
    put_in_order(&k);
    *why = w;
    return true;
}

bool why_choose(struct why *w, const char *name, struct error *err)
{
    for (size_t i = 0; i < w->case_count; i++) {
        const struct versus_case *c = w->cases[i].of;
        size_t head = strlen(c->benchmark);
        bool is_whole = strncmp(name, c->benchmark, head) == 0 && name[head] == '/' &&
                        strcmp(name + head + 1, c->name) == 0;
        if (strcmp(c->name, name) != 0 && !is_whole) continue;
        w->only = &w->cases[i];
        return true;
    }
    return error_set(err, ERROR_NOT_FOUND, "'%s' and '%s' have no case '%s' in common",
                     w->versus->agent[0].name, w->versus->agent[1].name, name);
}
