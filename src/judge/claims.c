/* A claim becomes limits (read_limits), its cells effects with intervals
 * (claims_measure.c), and the two are compared: inside holds, outside fails, else
 * undecided. Of several cells holding must be so in each, at alpha each. Failing, in any
 * at alpha over the number that were tested of its agent, or in all of those together
 * (stats/family.h) at alpha: what fails on average fails in some. The cell with the least room is shown,
 * the whole where only it fails, and always the interval that decided. */
#include "judge/claims.h"

#include "judge/claims_internal.h"

#include <math.h>

const char *claim_outcome_name(enum claim_outcome outcome)
{
    static const char *const names[] = {"undecided", "holds", "fails"};
    return names[outcome];
}

const char *claim_kind_name(enum claim_kind kind)
{
    static const char *const names[] = {"reduction",    "gain",     "speedup", "difference",
                                        "equal_within", "at_least", "at_most"};
    return names[kind];
}

/* ---- what is expected ---- */

static double number_at(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && value_is_number(v) ? value_number(v) : (double)NAN;
}

static const char *text_at(const struct value *map, const char *key, struct arena *out)
{
    const struct value *v = value_get(map, key);
    return v ? str_cstr(out, v->source) : NULL;
}

/* In the kind's own map, else next to it. */
static bool range_at(const struct value *inner, const struct value *expect, const char *key,
                     double range[2])
{
    const struct value *v = value_get(inner, key);
    if (!v) v = value_get(expect, key);
    range[0] = range[1] = NAN;
    bool is_range = v && v->kind == VALUE_LIST && v->list.count == 2 &&
                    value_is_number(v->list.items[0]) && value_is_number(v->list.items[1]);
    for (size_t i = 0; is_range && i < 2; i++) range[i] = value_number(v->list.items[i]);
    return is_range;
}

static bool is_true(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_BOOL && v->boolean;
}

/* The promise's near end is the limit, its far end only under strict_band. */
static void take_promise(struct claim *c, const double range[2], bool replaces, bool is_low)
{
    double *near = is_low ? &c->max : &c->min;
    double *far = is_low ? &c->min : &c->max;
    if (replaces || isnan(*near)) *near = range[is_low ? 1 : 0];
    if (c->is_strict) *far = range[is_low ? 0 : 1];
}

/* `is_low`: small values of the effect are the good ones. */
static void read_limits(struct claim *c, const struct value *expect, const struct value *v,
                        bool is_low)
{
    double acceptable[2];
    c->min = number_at(v, "min");
    c->max = number_at(v, "max");
    c->is_strict = is_true(v, "strict_band") || is_true(expect, "strict_band");
    bool has_band = range_at(v, expect, "band", c->band);
    bool has_acceptable = range_at(v, expect, "acceptable", acceptable);
    if (value_is_number(v)) {
        *(c->kind == CLAIM_AT_MOST ? &c->max : &c->min) = value_number(v);
    }
    if (c->kind == CLAIM_EQUAL_WITHIN) {
        c->margin = value_is_number(v) ? value_number(v) : c->max;
        if (isnan(c->margin) && has_band) c->margin = c->band[1];
        return;
    }
    if (has_band) take_promise(c, c->band, false, is_low);
    if (has_acceptable) take_promise(c, acceptable, true, is_low);
}

static bool read_kind(struct claim *c, const struct value *expect, const struct value **v)
{
    for (int k = 0; k < CLAIM_KIND_COUNT; k++) {
        *v = value_get(expect, claim_kind_name((enum claim_kind)k));
        if (!*v) continue;
        c->kind = (enum claim_kind)k;
        return true;
    }
    return false;
}

/* ---- deciding ---- */

/* The engine's margin about no change: of ratios a factor, of shares points, of shifts a part
 * of the baseline's level. */
static void take_margin(struct claim *c, const struct verdict_answer *a)
{
    double reach = a->kind == KIND_SHIFT ? c->margin * fabs(a->arm[0].centre) : c->margin;
    c->min = a->kind == KIND_RATIO ? 1 / (1 + c->margin) : -reach;
    c->max = a->kind == KIND_RATIO ? 1 + c->margin : reach;
}

static enum claim_outcome judge(const struct claim *c, const struct claim_effect *held,
                                const struct claim_effect *failed)
{
    if (isnan(held->low) || isnan(held->high)) return CLAIM_UNDECIDED;
    bool is_inside =
        (isnan(c->min) || held->low >= c->min) && (isnan(c->max) || held->high <= c->max);
    if (is_inside) return CLAIM_HOLDS;
    bool is_outside = failed->high < c->min || failed->low > c->max;
    return is_outside ? CLAIM_FAILS : CLAIM_UNDECIDED;
}

/* How far the interval is from the nearer limit, over the limit's size: the cell with the
 * least is the one that decides. */
static double room(const struct claim *c, const struct claim_effect *e)
{
    double left =
        isnan(c->min) ? (double)INFINITY : (e->low - c->min) / fmax(1e-300, fabs(c->min));
    double right =
        isnan(c->max) ? (double)INFINITY : (c->max - e->high) / fmax(1e-300, fabs(c->max));
    return fmin(left, right);
}

/* The contender lacks values that the baseline has: what is missing may be what it fails by. */
static bool is_short(const struct claim_subject *s)
{
    return s->ask.gone > 0 || (double)s->missing[1] * (double)s->trials[0] >
                                  (double)s->missing[0] * (double)s->trials[1];
}

static struct claim_reason explain(const struct claim *c, const struct claim_subject *s,
                                   const struct claim_effect *e)
{
    size_t unknown = s->ask.units[0].unknown + s->ask.units[1].unknown;
    if (s->cut) return (struct claim_reason){.code = CLAIM_UNFINISHED, .cut = s->cut};
    if (unknown > 0) {
        return (struct claim_reason){.code = CLAIM_UNJUDGED,
                                     .n = unknown,
                                     .of = s->ask.units[0].count + s->ask.units[1].count};
    }
    if (e->reason.code != CLAIM_DECIDED) return e->reason;
    bool is_missing = s->missing[1] > 0 && (s->cell || is_short(s));
    size_t failed = s->missing[1] - s->silent[1];
    if (is_missing && failed > 0)
        return (struct claim_reason){CLAIM_MISSING, .n = failed, .of = s->trials[1]};
    if (s->ask.gone > 0)
        return (struct claim_reason){CLAIM_GONE, .n = s->ask.gone, .of = s->ask.gone_of};
    if (is_missing)
        return (struct claim_reason){CLAIM_SILENT, .n = s->silent[1], .of = s->trials[1]};
    return (struct claim_reason){.code = CLAIM_LIMIT_INSIDE,
                                 .limit = e->low < c->min ? c->min : c->max};
}

/* What a subject gives: at the level of one question, and at that which the number of
 * subjects leaves each. */
struct weighed {
    const struct claim_subject *subject;
    const struct verdict_answer *answer; /* of two cells; NULL: a level */
    struct claim_effect held;
    struct claim_effect failed;
    size_t cells; /* of all of an agent together so many; 0: of one */
    size_t n;     /* of a whole that is a level */
};

static struct claim_levels levels_of(const struct claim_subject *s, const char *metric,
                                     bool has_before, struct arena scratch)
{
    struct claim_levels l = {.metric = metric, .unit = s->unit, .before = NAN};
    if (has_before) l.before = units_level(&s->ask.units[0], s->kind, 0.05, scratch).centre;
    l.after = units_level(&s->ask.units[1], s->kind, 0.05, scratch).centre;
    return l;
}

/* As many values as decided, and where they lie. */
static void describe(struct claim *c, const struct weighed *x, struct arena scratch)
{
    const struct claim_subject *s = x->subject;
    const struct verdict_answer *a = x->answer;
    c->is_paired = a && a->is_paired;
    c->by_case = s->ask.by_case || s->ask.units[1].keys != NULL;
    c->n[0] = a ? a->arm[0].n : 0;
    c->n[1] = a ? a->arm[1].n : units_level(&s->ask.units[1], s->kind, 0.05, scratch).n;
    c->levels = levels_of(s, c->metric, a != NULL, scratch);
    if (x->cells == 0) return;
    if (!a) c->n[1] = x->n;
    c->levels.before = a ? a->arm[0].centre : (double)NAN;
    c->levels.after = a ? a->arm[1].centre : x->held.value;
}

static bool is_graver(const struct claim *c, const struct claim *than)
{
    static const int weight[] = {[CLAIM_HOLDS] = 1, [CLAIM_UNDECIDED] = 2, [CLAIM_FAILS] = 3};
    if (than->label == NULL) return true;
    if (c->outcome != than->outcome) return weight[c->outcome] > weight[than->outcome];
    return c->room < than->room;
}

static void weigh(struct claim *c, const struct weighed *x, struct arena *out)
{
    const struct claim_subject *s = x->subject;
    const struct verdict_answer *a = x->answer;
    struct claim t = *c;
    if (a && !isnan(t.margin)) take_margin(&t, a);
    t.outcome = s->cut ? CLAIM_UNDECIDED : judge(&t, &x->held, &x->failed);
    if (t.outcome == CLAIM_HOLDS && a && is_short(s)) t.outcome = CLAIM_UNDECIDED;
    t.label = x->cells ? "all cells" : s->label;
    t.room = room(&t, &x->held);
    /* The whole adds failures, never anything else: a claim is about each cell. */
    bool is_news =
        x->cells > 0 ? t.outcome == CLAIM_FAILS && c->outcome != CLAIM_FAILS : is_graver(&t, c);
    if (!is_news) return;
    const struct claim_effect *shown = t.outcome == CLAIM_HOLDS ? &x->held : &x->failed;
    t.together = x->cells;
    t.agent = s->agent;
    t.value = shown->value;
    t.low = shown->low;
    t.high = shown->high;
    if (!isnan(shown->low)) t.confidence = shown->confidence;
    describe(&t, x, *out);
    t.reason = (struct claim_reason){0};
    if (t.outcome == CLAIM_UNDECIDED) t.reason = explain(&t, s, shown);
    bool is_plain = t.kind >= CLAIM_AT_LEAST || t.kind == CLAIM_DIFFERENCE ||
                    (a && a->kind == KIND_SHIFT && !isnan(t.margin));
    t.unit = is_plain && strcmp(s->unit, "1") != 0 ? s->unit : "";
    *c = t;
}

/* Cells of one agent, asked by one prompt, as in a gate: who keeps a claim hides nobody who
 * does not. */
static bool is_one_family(const struct claim_subject *a, const struct claim_subject *b)
{
    if (!a->cell || !b->cell) {
        bool is_one = a->ask.agent && b->ask.agent ? strcmp(a->ask.agent, b->ask.agent) == 0
                                                   : a->ask.agent == b->ask.agent;
        return is_one && str_equal(a->ask.prompt, b->ask.prompt);
    }
    const struct execution_record *x = &a->cell->record;
    const struct execution_record *y = &b->cell->record;
    return strcmp(x->agent_id, y->agent_id) == 0 &&
           str_equal(value_text(x->parameters, "prompt"), value_text(y->parameters, "prompt"));
}

/* All levels together; of two cells each level is the contender's, in pairs: not so. */
static void weigh_mean_level(struct claim *c, const struct claim_reader *r,
                             const struct claim_subject *const *family, size_t count,
                             double alpha)
{
    const struct view_cell **cells = arena_new(r->out, const struct view_cell *, count + 1);
    const struct view_metric **of = arena_new(r->out, const struct view_metric *, count + 1);
    struct claim_subject all = *family[0];
    for (size_t i = 0; i < count; i++) {
        if (!family[i]->cell) return;
        cells[i] = family[i]->cell;
        of[i] = family[i]->of;
        if (!all.cut) all.cut = family[i]->cut;
    }
    size_t used = 0;
    struct units_level l = units_bound_mean(cells, of, count, alpha, *r->out, &used);
    if (l.n == 0) return;
    struct claim_effect e = {l.centre, l.low, l.high, l.confidence, {0}};
    const struct weighed x = {
        .subject = &all, .held = e, .failed = e, .cells = count, .n = l.n};
    weigh(c, &x, r->out);
}

static void weigh_levels(struct claim *c, const struct claim_reader *r, double alpha)
{
    bool *is_asked = arena_new(r->out, bool, r->count + 1);
    const struct claim_subject **family =
        arena_new(r->out, const struct claim_subject *, r->count + 1);
    for (size_t first = 0; first < r->count; first++) {
        size_t n = 0;
        for (size_t i = first; i < r->count && !is_asked[first]; i++) {
            if (!is_asked[i] && is_one_family(&r->subjects[first], &r->subjects[i]))
                family[n++] = &r->subjects[i];
        }
        for (size_t i = 0; i < n; i++) {
            const struct weighed x = {.subject = family[i],
                                      .held = claim_level(family[i], alpha, r->out),
                                      .failed =
                                          claim_level(family[i], alpha / (double)n, r->out)};
            is_asked[family[i] - r->subjects] = true;
            weigh(c, &x, r->out);
        }
        if (n > 0) weigh_mean_level(c, r, family, n, alpha);
    }
}

/* Holding must be so in each, at alpha each; failing, in any, by the family's level. */
static bool weigh_cell(struct claim *c, const struct claim_reader *r,
                       const struct claim_subject *s, double alpha, size_t tested,
                       struct error *err)
{
    bool is_narrow = c->kind == CLAIM_EQUAL_WITHIN;
    struct verdict_answer at[2];
    struct verdict_question q = s->ask.question;
    q.nominal = alpha;
    for (int k = 0; k < 2; k++) {
        q.alpha = k && tested > 1 ? alpha / (double)tested : alpha;
        if (!verdict_compare(&q, *r->out, &at[k], err)) return false;
    }
    const struct weighed x = {.subject = s,
                              .answer = &at[0],
                              .held = claim_effect_of(c->kind, &at[0], is_narrow),
                              .failed = claim_effect_of(c->kind, &at[1], false)};
    weigh(c, &x, r->out);
    return true;
}

/* The subjects that are like the first, as a family: each, and then all of them together. */
static bool weigh_family(struct claim *c, const struct claim_reader *r, size_t first,
                         bool *is_asked, double alpha, struct error *err)
{
    struct family f = {.cells = arena_new(r->out, struct family_cell, r->count + 1)};
    size_t *at = arena_new(r->out, size_t, r->count + 1);
    const struct execution_record *cut = NULL;
    for (size_t i = first; i < r->count; i++) {
        const struct claim_subject *s = &r->subjects[i];
        if (is_asked[i] || !ask_is_alike(&s->ask, &r->subjects[first].ask)) continue;
        is_asked[i] = true;
        at[f.count] = i;
        f.cells[f.count].question = s->ask.question;
        f.cells[f.count++].question.alpha = alpha;
        if (!cut) cut = s->cut;
    }
    if (!family_ask(&f, *r->out, err)) return false;
    for (size_t i = 0; i < f.count; i++) {
        if (!weigh_cell(c, r, &r->subjects[at[i]], alpha, f.tested, err)) return false;
    }
    if (f.used < 2) return true;
    struct claim_subject all = r->subjects[first];
    all.cut = cut;
    struct claim_effect effect = claim_effect_of(c->kind, &f.whole, false);
    const struct weighed x = {.subject = &all,
                              .answer = &f.whole,
                              .held = effect,
                              .failed = effect,
                              .cells = f.count};
    weigh(c, &x, r->out);
    return true;
}

static bool weigh_effects(struct claim *c, const struct claim_reader *r, double alpha,
                          struct error *err)
{
    bool *is_asked = arena_new(r->out, bool, r->count + 1);
    for (size_t i = 0; i < r->count; i++) {
        if (!is_asked[i] && !weigh_family(c, r, i, is_asked, alpha, err)) return false;
    }
    return true;
}

/* What is claimed of a ratio, of a metric that has none (counts with 0), is claimed of the
 * ratio of means: the same subjects, asked as sums. */
static bool find_subjects(struct claim_reader *r, const struct claim *c, struct error *err)
{
    if (!claim_find_subjects(r, err)) return false;
    bool is_of_ratio = c->kind <= CLAIM_SPEEDUP;
    for (size_t i = 0; i < r->count && is_of_ratio && !r->is_of_means; i++) {
        struct verdict_answer a;
        if (!verdict_compare(&r->subjects[i].ask.question, *r->out, &a, err)) return false;
        r->is_of_means = a.kind == KIND_SHIFT && a.arm[0].n > 0 && a.arm[1].n > 0;
    }
    if (!r->is_of_means) return true;
    r->count = 0;
    return claim_find_subjects(r, err);
}

/* The levels of another metric in the cells that decided. */
static bool look_beside(const struct claim_reader *r, struct claim *c, struct error *err)
{
    const struct value *also = value_get(r->map, "also");
    if (!also || r->count == 0) return true;
    struct claim_reader other = *r;
    other.subjects = NULL;
    other.count = 0;
    other.is_of_means = false;
    other.metric = str_cstr(r->out, also->source);
    if (!claim_find_subjects(&other, err)) return false;
    for (size_t i = 0; i < other.count; i++) {
        bool is_it = !c->label || strcmp(c->label, other.subjects[i].label) == 0;
        if (!is_it || c->also.metric) continue;
        c->also =
            levels_of(&other.subjects[i], other.metric, !isnan(c->levels.before), *r->out);
    }
    return true;
}

static bool decide(struct claim_reader *r, double alpha, struct claim *c, struct error *err)
{
    const struct value *expect = value_get(r->map, "expect");
    const struct value *name = value_get(r->map, "name");
    const struct value *metric = value_get(r->map, "metric");
    const struct value *v = NULL;
    *c = (struct claim){.value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .min = NAN,
                        .max = NAN,
                        .margin = NAN,
                        .band = {NAN, NAN},
                        .unit = "",
                        .confidence = 1 - alpha};
    c->name = name ? str_cstr(r->out, name->source) : "(without a name)";
    c->group = text_at(r->map, "group", r->out);
    c->order = number_at(r->map, "order");
    c->expected = text_at(r->map, "expected", r->out);
    c->stated = text_at(r->map, "reason", r->out);
    c->levels = c->also = (struct claim_levels){.before = NAN, .after = NAN};
    c->metric = r->metric = metric ? str_cstr(r->out, metric->source) : "";
    if (!read_kind(c, expect, &v)) {
        c->reason.code = CLAIM_NO_KIND;
        return true;
    }
    if (!find_subjects(r, c, err)) return false;
    c->subjects = r->count;
    for (size_t i = 0; i < r->count; i++) {
        const struct claim_subject *s = &r->subjects[i];
        c->silent += s->silent[0] + s->silent[1];
        c->failed += s->missing[0] + s->missing[1] - s->silent[0] - s->silent[1];
        c->trials += r->subjects[i].trials[0] + r->subjects[i].trials[1];
    }
    if (r->count == 0) {
        c->reason = r->reason;
        return true;
    }
    bool is_low = c->kind == CLAIM_AT_MOST ||
                  (c->kind == CLAIM_DIFFERENCE && r->subjects[0].direction == DIRECTION_LOWER);
    read_limits(c, expect, v, is_low);
    bool is_level = c->kind == CLAIM_AT_LEAST || c->kind == CLAIM_AT_MOST;
    if (is_level) weigh_levels(c, r, alpha);
    if (!is_level && !weigh_effects(c, r, alpha, err)) return false;
    if (c->outcome == CLAIM_HOLDS && r->lost > 0) {
        c->outcome = CLAIM_UNDECIDED;
        c->reason = (struct claim_reason){CLAIM_LOST, .n = r->lost, .names = {r->lost_name}};
    }
    if (!look_beside(r, c, err)) return false;
    if (r->count == 1) c->label = NULL;
    return true;
}

/* ---- which claims there are ---- */

struct gatherer {
    struct store *store;
    const struct view *view;
    struct arena *out;
    double alpha;
    struct claims *claims;
};

/* `like` says what the claim is about. */
static bool take_claim(struct gatherer *g, const struct value *map,
                       const struct claim_reader *like, struct error *err)
{
    if (map->kind != VALUE_MAP) return true;
    struct claim_reader r = *like;
    r.store = g->store;
    r.view = g->view;
    r.out = g->out;
    r.map = map;
    g->claims->items =
        arena_grow(g->out, g->claims->items, g->claims->count, sizeof *g->claims->items);
    struct claim *c = &g->claims->items[g->claims->count++];
    *c = (struct claim){0};
    if (!decide(&r, g->alpha, c, err)) return error_wrap(err, "claim '%s'", c->name);
    g->claims->is_part |= is_true(map, "part");
    g->claims->holding += c->outcome == CLAIM_HOLDS;
    g->claims->failing += c->outcome == CLAIM_FAILS;
    return true;
}

static bool take_stored(struct gatherer *g, const struct value *list, struct error *err)
{
    for (size_t i = 0; list->kind == VALUE_LIST && i < list->list.count; i++) {
        const struct value *entry = value_get(list->list.items[i], "entry");
        struct claim_reader like = {.entry = -1};
        if (entry && entry->kind == VALUE_INT) like.entry = entry->integer;
        if (!take_claim(g, list->list.items[i], &like, err)) return false;
    }
    return true;
}

/* ---- of runs that have them in the spec's text only ---- */

static const char *name_in(const struct value *entry, const char *key, struct arena *out)
{
    const struct value *name = value_get(entry, key);
    return name ? str_cstr(out, name->source) : NULL;
}

/* `entry` is what holds the list; NULL: the file. */
static bool take_list(struct gatherer *g, const struct value *list, const struct value *entry,
                      struct error *err)
{
    struct claim_reader like = {.entry = -1,
                                .experiment = name_in(entry, "experiment", g->out),
                                .benchmark = name_in(entry, "benchmark_id", g->out)};
    if (!like.benchmark) like.benchmark = name_in(entry, "id", g->out);
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        if (!take_claim(g, list->list.items[i], &like, err)) return false;
    }
    return true;
}

static bool take_text(struct gatherer *g, const char *text, struct error *err)
{
    const struct value *root = NULL;
    struct value_error why;
    if (!text || !text[0] || !value_read(str_of(text), &value_limits_spec, g->out, &root, &why))
        return true; /* a run that was not made from a spec claims nothing */
    if (!take_list(g, value_get(root, "claims"), NULL, err)) return false;
    const struct value *entries =
        root->kind == VALUE_LIST ? root : value_get(root, "experiments");
    if (!entries) entries = value_get(root, "benchmarks");
    for (size_t i = 0; entries && entries->kind == VALUE_LIST && i < entries->list.count; i++) {
        const struct value *entry = entries->list.items[i];
        if (!take_list(g, value_get(entry, "claims"), entry, err)) return false;
    }
    return true;
}

bool claim_shares_group(const struct claim *a, const struct claim *b)
{
    return a->group && b->group ? strcmp(a->group, b->group) == 0 : a->group == b->group;
}

bool claims_opens_group(const struct claims *claims, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (claim_shares_group(&claims->items[k], &claims->items[i])) return false;
    }
    return true;
}

double claims_readiness(const struct claims *claims)
{
    double sum = 0;
    size_t groups = 0;
    for (size_t i = 0; i < claims->count && !claims->is_part; i++) {
        if (!claims->items[i].group || !claims_opens_group(claims, i)) continue;
        double holding = 0;
        double all = 0;
        for (size_t k = i; k < claims->count; k++) {
            if (!claim_shares_group(&claims->items[k], &claims->items[i])) continue;
            all++;
            holding += claims->items[k].outcome == CLAIM_HOLDS;
        }
        sum += holding / all;
        groups++;
    }
    return groups ? 10 * sum / (double)groups : (double)NAN;
}

/* As many times more values as the interval reaches further than the nearest limit is. */
static struct verdict_need need_of(const struct claim *c)
{
    struct verdict_need need = {.is_of_cases = c->by_case};
    bool is_of_more = c->reason.code != CLAIM_MISSING && c->reason.code != CLAIM_GONE &&
                      c->reason.code != CLAIM_SILENT && c->reason.code != CLAIM_LOST;
    if (c->outcome != CLAIM_UNDECIDED || isnan(c->low) || !is_of_more) return need;
    bool is_min_near = !(fabs(c->value - c->max) < fabs(c->value - c->min));
    double limit = is_min_near ? c->min : c->max;
    double reach = c->value > limit ? c->value - c->low : c->high - c->value;
    double times = pow(reach / (c->value - limit), 2);
    bool is_first = c->n[0] > 0 && (c->n[1] == 0 || c->n[0] < c->n[1]); /* of a level: none */
    size_t n = c->n[is_first ? 0 : 1];
    need.what = times < VERDICT_NEED_MOST ? NEED_VALUES : NEED_TOO_MANY;
    if (need.what == NEED_VALUES) need.n = (size_t)ceil((double)n * times) + 1;
    return need;
}

/* Moves each to the others of its group, before those that are to come later. */
static void arrange(struct claims *claims)
{
    for (size_t i = 1; i < claims->count; i++) {
        struct claim c = claims->items[i];
        size_t to = i;
        for (size_t k = i; k-- > 0;) {
            if (!claim_shares_group(&claims->items[k], &c)) continue;
            bool is_later = claims->items[k].order > c.order;
            if (to == i && !is_later) to = k + 1;
            if (!is_later) break;
            to = k;
        }
        memmove(&claims->items[to + 1], &claims->items[to], (i - to) * sizeof c);
        claims->items[to] = c;
    }
}

bool claims_decide(struct store *store, const struct view *view, double alpha,
                   struct arena *out, struct claims *claims, struct error *err)
{
    *claims = (struct claims){.run_id = view->run.id};
    struct gatherer g = {store, view, out, alpha > 0 ? alpha : 0.05, claims};
    bool done = view->run.claims ? take_stored(&g, view->run.claims, err)
                                 : take_text(&g, view->run.spec_text, err);
    if (done) arrange(claims);
    for (size_t i = 0; i < claims->count; i++)
        claims->items[i].need = need_of(&claims->items[i]);
    return done;
}

bool claims_attach(struct store *store, struct view *view, struct arena *out, struct error *err)
{
    struct claims *claims = arena_new(out, struct claims, 1);
    if (!claims_decide(store, view, 0, out, claims, err)) return false;
    view->claims = claims->count > 0 ? claims : NULL;
    return true;
}
