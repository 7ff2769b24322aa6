#include "judge/claims.h"

#include "judge/claims_internal.h"

#include <math.h>

enum { CLAIMS_MAX = 1000 };

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

/* In the kind's own map, else beside it. */
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
        double margin = value_is_number(v) ? value_number(v) : c->max;
        if (isnan(margin) && has_band) margin = c->band[1];
        c->min = 1 / (1 + margin);
        c->max = 1 + margin;
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

static const char *explain(const struct claim *c, const struct claim_effect *e, size_t subjects,
                           struct arena *out)
{
    if (e->reason) return e->reason;
    if (e->high < c->min || e->low > c->max) {
        return arena_printf(out,
                            "it is outside the limit of %.4g, but of %zu cells at once one "
                            "may be by chance: measure more",
                            e->high < c->min ? c->min : c->max, subjects);
    }
    double limit = e->low < c->min ? c->min : c->max;
    return arena_printf(out, "the interval holds the limit of %.4g: measure more", limit);
}

static size_t finite_count(const struct units *u)
{
    size_t n = 0;
    for (size_t i = 0; i < u->count; i++) n += isfinite(u->values[i]) != 0;
    return n;
}

/* One subject: does it decide more than those before it? A failure beats an
 * open question, which beats a success. */
static void weigh(struct claim *c, const struct claim_subject *s, size_t subjects, double alpha,
                  struct arena *out)
{
    static const int weight[] = {[CLAIM_HOLDS] = 1, [CLAIM_UNDECIDED] = 2, [CLAIM_FAILS] = 3};
    double level = c->kind == CLAIM_EQUAL_WITHIN ? 2 * alpha : alpha;
    struct claim_effect held = claim_measure(c->kind, s, level, out);
    struct claim_effect failed = claim_measure(c->kind, s, alpha / (double)subjects, out);
    enum claim_outcome outcome = judge(c, &held, &failed);
    bool is_first = c->label == NULL;
    if (!is_first && weight[outcome] <= weight[c->outcome]) return;
    c->outcome = outcome;
    c->label = s->label;
    c->value = held.value;
    c->low = held.low;
    c->high = held.high;
    c->confidence = 1 - level;
    c->is_paired = s->values.is_paired;
    for (int i = 0; i < 2; i++) c->n[i] = finite_count(&s->values.units[i]);
    c->reason = outcome == CLAIM_UNDECIDED ? explain(c, &held, subjects, out) : NULL;
    bool is_plain = c->kind >= CLAIM_AT_LEAST || c->kind == CLAIM_DIFFERENCE;
    c->unit = is_plain && strcmp(s->unit, "1") != 0 ? s->unit : "";
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
                        .band = {NAN, NAN},
                        .unit = "",
                        .confidence = 1 - alpha};
    c->name = name ? str_cstr(r->out, name->source) : "(without a name)";
    c->metric = r->metric = metric ? str_cstr(r->out, metric->source) : "";
    if (!read_kind(c, expect, &v)) {
        c->reason = "it expects nothing";
        return true;
    }
    if (!claim_find_subjects(r, err)) return false;
    c->subjects = r->count;
    if (r->count == 0) {
        c->reason = r->reason;
        return true;
    }
    bool is_low = c->kind == CLAIM_AT_MOST ||
                  (c->kind == CLAIM_DIFFERENCE && r->subjects[0].direction == DIRECTION_LOWER);
    read_limits(c, expect, v, is_low);
    for (size_t i = 0; i < r->count; i++) weigh(c, &r->subjects[i], r->count, alpha, r->out);
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
    if (map->kind != VALUE_MAP || g->claims->count == CLAIMS_MAX) return true;
    struct claim_reader r = *like;
    r.store = g->store;
    r.view = g->view;
    r.out = g->out;
    r.map = map;
    struct claim *c = &g->claims->items[g->claims->count++];
    if (!decide(&r, g->alpha, c, err)) return error_wrap(err, "claim '%s'", c->name);
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

/* `entry` is what the list stands in; NULL: the file. */
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

bool claims_decide(struct store *store, const struct view *view, double alpha,
                   struct arena *out, struct claims *claims, struct error *err)
{
    *claims = (struct claims){.run_id = view->run.id,
                              .items = arena_new(out, struct claim, CLAIMS_MAX)};
    struct gatherer g = {store, view, out, alpha > 0 ? alpha : 0.05, claims};
    return view->run.claims ? take_stored(&g, view->run.claims, err)
                            : take_text(&g, view->run.spec_text, err);
}

bool claims_attach(struct store *store, struct view *view, struct arena *out, struct error *err)
{
    struct claims *claims = arena_new(out, struct claims, 1);
    if (!claims_decide(store, view, 0, out, claims, err)) return false;
    view->claims = claims->count > 0 ? claims : NULL;
    return true;
}
