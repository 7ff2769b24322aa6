/* registry.h - what holds for every row of every registry. */
#ifndef TESTS_REGISTRY_H
#define TESTS_REGISTRY_H

#include "base/registry.h"
#include "model/metric.h"
#include "tests/test.h"

static inline bool registry_is_line(const char *text)
{
    return text && *text && !strchr(text, '\n') && text[strlen(text) - 1] != '.';
}

static inline void registry_check_name(const char *owner, const char *name)
{
    if (!name || !*name ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(name))
        fail_msg("%s: name '%s' is not lower snake case", owner, name ? name : "(none)");
}

static inline void registry_check_param(const char *owner, const struct param *row,
                                        size_t config_size, struct arena *arena)
{
    registry_check_name(owner, row->name);
    if (!registry_is_line(row->help)) fail_msg("%s.%s: help", owner, row->name);
    size_t size = param_size(row->type);
    if (size > config_size || row->offset > config_size - size)
        fail_msg("%s.%s: offset %zu is outside the config", owner, row->name, row->offset);
    bool wants_choices = row->type == PARAM_CHOICE || row->type == PARAM_CHOICE_LIST;
    if (wants_choices != (row->choices && row->choices[0]))
        fail_msg("%s.%s: choices", owner, row->name);
    if (row->min > row->max) fail_msg("%s.%s: min above max", owner, row->name);
    if (row->required && row->fallback)
        fail_msg("%s.%s: required, yet a fallback", owner, row->name);
    if (!row->fallback) return;
    const struct value *fallback = param_fallback(row, arena);
    struct error why = {0};
    if (!fallback || !param_fits(row, fallback, &why))
        fail_msg("%s.%s: fallback %s: %s", owner, row->name, row->fallback, why.text);
}

static inline void registry_check_params(const char *owner, struct param_table table,
                                         size_t config_size)
{
    struct arena arena = arena_open();
    for (size_t i = 0; i < table.count; i++) {
        if (strchr(table.rows[i].name, '-'))
            fail_msg("%s: parameter '%s' has a dash", owner, table.rows[i].name);
        registry_check_param(owner, &table.rows[i], config_size, &arena);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(table.rows[i].name, table.rows[k].name) == 0)
                fail_msg("%s: two parameters '%s'", owner, table.rows[i].name);
        }
    }
    arena_close(&arena);
}

static inline void registry_check_metrics(const char *owner, const struct metric *rows,
                                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        registry_check_name(owner, rows[i].name);
        if (!rows[i].unit || !*rows[i].unit) fail_msg("%s.%s: unit", owner, rows[i].name);
        if (!rows[i].definition || !strchr(rows[i].definition, '/'))
            fail_msg("%s.%s: definition", owner, rows[i].name);
        if (!registry_is_line(rows[i].summary)) fail_msg("%s.%s: summary", owner, rows[i].name);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(rows[i].name, rows[k].name) == 0)
                fail_msg("%s: two metrics '%s'", owner, rows[i].name);
        }
    }
}

/* Metrics of one name agree in unit, direction and definition. */
static inline void registry_check_same(const struct metric *a, size_t a_count,
                                       const struct metric *b, size_t b_count)
{
    for (size_t i = 0; i < a_count; i++) {
        for (size_t k = 0; k < b_count; k++) {
            if (strcmp(a[i].name, b[k].name) != 0) continue;
            if (strcmp(a[i].unit, b[k].unit) != 0 || a[i].direction != b[k].direction ||
                strcmp(a[i].definition, b[k].definition) != 0)
                fail_msg("two meanings of metric '%s'", a[i].name);
        }
    }
}

/* Two entries would hide each other. */
static inline bool registry_is_hidden(const struct registry_entry *a,
                                      const struct registry_entry *b)
{
    return registry_entry_is(b, str_of(a->name)) ||
           (a->alias && registry_entry_is(b, str_of(a->alias)));
}

/* The heads of all rows: named, told in a line, each found by its names and by no other's.
 * The names of commands' options have dashes: `has_options`. */
static inline void registry_check(const char *kind, registry_entry_at *at, bool has_options)
{
    assert_non_null(at(0));
    const struct registry_entry *e = NULL;
    for (size_t i = 0; (e = at(i)); i++) {
        registry_check_name(kind, e->name);
        if (e->alias) registry_check_name(kind, e->alias);
        if (!registry_is_line(e->summary)) fail_msg("%s %s: summary", kind, e->name);
        if (!has_options) registry_check_params(e->name, e->params, e->config_size);
        registry_check_metrics(e->name, e->metrics, e->metric_count);
        registry_check_metrics(e->name, e->histograms, e->histogram_count);
        for (size_t k = 0; k < i; k++) {
            if (registry_is_hidden(e, at(k)) || registry_is_hidden(at(k), e))
                fail_msg("%s '%s' is there twice", kind, e->name);
        }
        assert_ptr_equal(registry_find(at, str_of(e->name)), e);
        if (e->alias) assert_ptr_equal(registry_find(at, str_of(e->alias)), e);
    }
    assert_null(registry_find(at, S("no such thing")));
    assert_null(registry_find(at, (struct str){0}));
}

#endif
