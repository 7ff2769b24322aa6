/* What each swept parameter does to the primary metric.
 *
 * Cells that are equal in all but one parameter are matched; the effect of a
 * value is the geometric mean of the ratios of their levels to those of their
 * partners at the parameter's first value. "All but one parameter" is
 * cell_identity_but of model/cell.h. */
#include "view/view_internal.h"

#include "base/json.h"
#include "model/cell.h"

#include <math.h>

enum { VALUES_MAX = 64 }; /* a parameter with more is not a factor */

/* One parameter of one cell. */
struct setting {
    uint64_t value; /* hash of name and value */
    uint64_t rest;  /* of everything else, once the parameter is a factor */
    const struct view_cell *cell;
    const struct view_metric *metric; /* primary; NULL if the cell gave none */
    double median;
    const struct value *shown;
};

static uint64_t hash_setting(struct str key, const struct value *v, struct buf *text)
{
    struct json j;
    buf_clear(text);
    buf_add(text, key);
    buf_add_char(text, '=');
    json_init(&j, text, 0);
    struct arena scratch = arena_open();
    json_value_canonical(&j, cell_plain_value(v, &scratch));
    arena_close(&scratch);
    return id_hash(buf_str(text));
}

/* What the cell is but for that parameter, and what its number means. */
static uint64_t hash_rest(const struct view_cell *cell, const char *key)
{
    const char *const but[] = {key, NULL};
    struct cell_identity id = cell_identity_but(&cell->record, CELL_SAME, but);
    return id_hash(str_of(id.hex)) + id_hash(str_of(cell->record.primary_metric));
}

/* Settings of `key` in all cells of the experiment; returns how many. */
static size_t collect(const struct view *view, const char *experiment, struct str key,
                      struct setting *settings)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    size_t count = 0;
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        const struct value *value = view_find_setting(cell, key);
        if (!value || strcmp(cell->record.experiment, experiment) != 0) continue;
        struct setting *s = &settings[count++];
        s->value = hash_setting(key, value, &text);
        s->cell = cell;
        s->metric = cell->metric_count ? &cell->metrics[0] : NULL;
        s->median = s->metric ? s->metric->centre : (double)NAN;
        s->shown = value;
    }
    buf_release(&text);
    return count;
}

static size_t distinct(const struct setting *settings, size_t count,
                       const struct setting **values)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < found && values[k]->value != settings[i].value) k++;
        if (k < found) continue;
        if (found == VALUES_MAX) return VALUES_MAX + 1;
        values[found++] = &settings[i];
    }
    return found;
}

static int by_rest(const void *a, const void *b)
{
    uint64_t x = ((const struct setting *)a)->rest;
    uint64_t y = ((const struct setting *)b)->rest;
    return (x > y) - (x < y);
}

/* The cells at the first value, ordered by all else: where partners are found. */
static size_t take_partners(const struct setting *settings, size_t count,
                            struct setting *partners)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (settings[i].value == settings[0].value) partners[n++] = settings[i];
    }
    qsort(partners, n, sizeof *partners, by_rest);
    return n;
}

static struct view_effect effect_of(const struct setting *settings, size_t count,
                                    const struct setting *partners, size_t partner_count,
                                    uint64_t value)
{
    struct view_effect e = {0};
    double log_ratio = 0;
    double log_median = 0;
    for (size_t i = 0; i < count; i++) {
        if (settings[i].value != value) continue;
        const struct setting *partner =
            bsearch(&settings[i], partners, partner_count, sizeof *partners, by_rest);
        if (!partner || !(settings[i].median > 0) || !(partner->median > 0)) continue;
        e.matched++;
        log_ratio += log(settings[i].median / partner->median);
        log_median += log(settings[i].median);
    }
    double n = (double)e.matched;
    e.ratio = e.matched ? exp(log_ratio / n) : (double)NAN;
    e.median = e.matched ? exp(log_median / n) : (double)NAN;
    return e;
}

static const char *text_of(const struct value *v, struct arena *out)
{
    return v->kind == VALUE_TEXT ? str_cstr(out, v->source) : json_of(v, out).p;
}

/* Appends `count` effects of the parameter `key` to the view's. */
static void add_effects(struct view *view, struct str key, const struct view_effect *effects,
                        size_t count, struct arena *out)
{
    struct view_effect *grown = arena_new(out, struct view_effect, view->effect_count + count);
    if (view->effect_count) memcpy(grown, view->effects, view->effect_count * sizeof *grown);
    const char *param = str_cstr(out, key);
    for (size_t i = 0; i < count; i++) {
        grown[view->effect_count] = effects[i];
        grown[view->effect_count++].param = param;
    }
    view->effects = grown;
}

static void add_param(struct view *view, const char *experiment, struct str key,
                      struct arena *out)
{
    struct arena scratch = arena_open();
    struct setting *settings = arena_new(&scratch, struct setting, view->cell_count);
    size_t count = collect(view, experiment, key, settings);
    const struct setting *values[VALUES_MAX];
    size_t found = distinct(settings, count, values);
    const struct view_metric *metric = NULL;
    for (size_t i = 0; i < count && !metric; i++) metric = settings[i].metric;
    struct view_effect effects[VALUES_MAX];
    bool is_matched = false;
    bool is_factor = metric && found >= 2 && found <= VALUES_MAX;
    const char *name = str_cstr(&scratch, key);
    for (size_t i = 0; is_factor && i < count; i++) {
        settings[i].rest = hash_rest(settings[i].cell, name);
    }
    struct setting *partners = arena_new(&scratch, struct setting, count + 1);
    size_t partner_count = take_partners(settings, count, partners);
    for (size_t v = 0; is_factor && v < found; v++) {
        effects[v] = effect_of(settings, count, partners, partner_count, values[v]->value);
        effects[v].experiment = experiment;
        effects[v].metric = metric->name;
        effects[v].unit = metric->unit;
        effects[v].value = text_of(values[v]->shown, out);
        is_matched = is_matched || (v > 0 && effects[v].matched > 0);
    }
    if (is_matched) add_effects(view, key, effects, found, out);
    arena_close(&scratch);
}

/* Experiments in a run are few, cells may be many. */
static bool is_new(const char *name, const char **seen, size_t *count)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(seen[i], name) == 0) return false;
    }
    seen[(*count)++] = name;
    return true;
}

void view_relate(struct view *view, struct arena *out)
{
    const char **seen = arena_new(out, const char *, view->cell_count + 1);
    size_t seen_count = 0;
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        if (!is_new(cell->record.experiment, seen, &seen_count)) continue;
        for (size_t p = 0; p < cell->setting_count; p++) {
            add_param(view, cell->record.experiment, cell->settings[p].key, out);
        }
    }
}
