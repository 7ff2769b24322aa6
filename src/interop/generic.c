#include "interop/generic.h"

#include "base/plain.h"

#include <math.h>

static bool is_asked(const struct import_options *o, struct str name)
{
    if (o->by && str_is(name, o->by)) return false;
    if (o->time && str_is(name, o->time)) return false;
    for (size_t i = 0; i < o->column_count; i++) {
        if (str_is(name, o->columns[i])) return true;
    }
    return o->column_count == 0;
}

/* "latency_ms" in ms is kept as "latency_s" in seconds. */
static double describe(struct imported *in, const struct import_options *o, struct str name,
                       struct metric *m)
{
    m->name = plain_line(str_cstr(in->arena, name), in->arena);
    m->definition = "generic/1";
    import_guess(m->name, m);
    m->kind = kind_parse(o->kind);
    const char *written = o->unit ? o->unit : m->unit;
    const char *unit = written;
    double factor = import_unit(str_of(written), &unit);
    if (strcmp(unit, "s") == 0 && m->direction == DIRECTION_NONE) {
        m->direction = DIRECTION_LOWER;
    }
    if (factor != 1) {
        struct str ending = str_of(arena_printf(in->arena, "_%s", written));
        struct str stem = name;
        if (str_ends(name, ending)) stem.n -= ending.n;
        m->name = arena_printf(in->arena, "%.*s_%s", STR_ARG(stem),
                               strcmp(unit, "s") == 0 ? "s" : "mb");
    }
    m->unit = unit;
    if (o->direction) {
        m->direction = strcmp(o->direction, "higher") == 0 ? DIRECTION_HIGHER : DIRECTION_LOWER;
    }
    return factor;
}

static struct str find_text(const struct generic_field *fields, size_t count, const char *name)
{
    for (size_t i = 0; name && i < count; i++) {
        if (str_is(fields[i].name, name)) return fields[i].text;
    }
    return (struct str){0};
}

static bool read_time(struct str text, double *seconds)
{
    int64_t ns;
    if (str_to_real(text, seconds)) return true;
    if (!import_stamp(text, &ns)) return false;
    *seconds = (double)ns / 1e9;
    return true;
}

static bool has_value(const struct imported_cell *cell, const char *metric, size_t trial)
{
    for (size_t i = 0; i < cell->metric_count; i++) {
        const struct imported_metric *m = &cell->metrics[i];
        if (strcmp(m->metric.name, metric) == 0) return !isnan(m->values[trial]);
    }
    return false;
}

bool generic_row(struct imported *in, const struct import_options *o,
                 const struct generic_field *fields, size_t count, struct error *err)
{
    struct str name = find_text(fields, count, o->by);
    if (o->by && name.n == 0) {
        return error_set(err, ERROR_INVALID, "no '%s', which names the benchmark (--by)",
                         o->by);
    }
    if (!o->by) name = str_of(o->name ? o->name : "imported");
    struct imported_cell *cell = imported_cell(in, name, (struct str){0}, (struct str){0}, err);
    if (!cell) return false;
    size_t trial = imported_trial(in, cell);
    if (o->time && !read_time(find_text(fields, count, o->time), &cell->starts_s[trial])) {
        return error_set(err, ERROR_INVALID, "'%s' is not a time (--time)", o->time);
    }
    for (size_t i = 0; i < count; i++) {
        if (isnan(fields[i].number) || !is_asked(o, fields[i].name)) continue;
        struct metric m = {0};
        double factor = describe(in, o, fields[i].name, &m);
        if (has_value(cell, m.name, trial)) {
            return error_set(err, ERROR_INVALID,
                             "two columns give '%s' (one is '%.*s'): choose with --column",
                             m.name, STR_ARG(fields[i].name));
        }
        imported_sample(in, cell, trial, &m, import_scaled(fields[i].number, factor));
    }
    return true;
}

static bool has_numbers(const struct imported *in)
{
    for (size_t c = 0; c < in->cell_count; c++) {
        if (in->cells[c]->metric_count > 0) return true;
    }
    return false;
}

bool generic_end(struct imported *in, const struct import_options *o, struct error *err)
{
    if (in->cell_count > 0 && !has_numbers(in)) {
        if (o->column_count == 0) {
            return error_set(err, ERROR_INVALID, "none of its columns has a number in it");
        }
        return error_set(err, ERROR_INVALID, "column '%s' has no number in it", o->columns[0]);
    }
    double first = INFINITY;
    for (size_t c = 0; c < in->cell_count; c++) {
        for (size_t i = 0; i < in->cells[c]->trial_count; i++) {
            first = fmin(first, in->cells[c]->starts_s[i]);
        }
    }
    if (!isfinite(first)) return true;
    if (first > 1e6 && first < 9e9) in->started_ns = (int64_t)(first * 1e9);
    for (size_t c = 0; c < in->cell_count; c++) {
        for (size_t i = 0; i < in->cells[c]->trial_count; i++) {
            in->cells[c]->starts_s[i] -= first;
        }
    }
    return true;
}
