/* registry.h - the head that all plug-in rows share, and the macros that make
 * a registry of them.
 *
 * A registry is a list of const rows, one per plug-in, known at compile time.
 * The header of a kind declares it, and one source lists its rows:
 *
 *     struct check_kind {                                   check.h
 *         REGISTRY_ENTRY;
 *         bool (*score)(...);
 *     };
 *     REGISTRY(struct check_kind, check_kind)
 *
 *     #define ROW struct check_kind                         check_registry.c
 *     #define ROW_OF(id) check_##id
 *     #define ROWS(X) \
 *         X(exact) \
 *         X(contains)
 *     REGISTRY_ROWS(check_kind)
 *
 * which gives check_kind_at, check_kind_find and check_kind_entry. Whatever is
 * true of all plug-ins (help, `assay describe`, completion, the reference page,
 * messages about unknown names, the looping tests) is written once, for
 * struct registry_entry. */
#ifndef BASE_REGISTRY_H
#define BASE_REGISTRY_H

#include "base/error.h"
#include "base/param.h"

struct metric; /* model/metric.h */

/* `name`: as it is written by users. `alias`: another one, or NULL. `summary`:
 * one line, no full stop. `help`: a paragraph, or NULL. `config_size`: of the
 * struct that `params` fill. `metrics`: what it measures. `histograms`: what
 * it counts, value by value (trial_histogram.h), each in the unit of the values,
 * "ns". `available`: whether this machine can do it with these settings (NULL
 * for experiments, whose settings may be swept); on false `err`
 * (ERROR_UNAVAILABLE) says why. NULL = always. */
#define REGISTRY_FIELDS              \
    const char *name;                \
    const char *alias;               \
    const char *summary;             \
    const char *help;                \
    struct param_table params;       \
    size_t config_size;              \
    const struct metric *metrics;    \
    size_t metric_count;             \
    const struct metric *histograms; \
    size_t histogram_count;          \
    bool (*available)(const void *config, struct error *err);

struct registry_entry {
    REGISTRY_FIELDS
};

/* First member of every row: its fields are the row's own (row->name), and the
 * same memory is row->entry. */
#define REGISTRY_ENTRY               \
    union {                          \
        struct registry_entry entry; \
        struct {                     \
            REGISTRY_FIELDS          \
        };                           \
    }

/* The head of the i-th row of a registry, NULL past the end. */
typedef const struct registry_entry *registry_entry_at(size_t i);

/* By name or alias. */
static inline bool registry_entry_is(const struct registry_entry *entry, struct str name)
{
    return str_is(name, entry->name) || (entry->alias && str_is(name, entry->alias));
}

/* NULL if there is none; whoever knows the type of the rows may cast. */
const struct registry_entry *registry_find(registry_entry_at *at, struct str name);

/* Declares x_at (NULL past the end), x_find (by name or alias; NULL if unknown)
 * and x_entry (an registry_entry_at) of rows of `type`. */
#define REGISTRY(type, x)                                          \
    const type *x##_at(size_t i);                                  \
    static inline const struct registry_entry *x##_entry(size_t i) \
    {                                                              \
        const type *row = x##_at(i);                               \
        return row ? &row->entry : NULL;                           \
    }                                                              \
    static inline const type *x##_find(struct str name)            \
    {                                                              \
        return (const type *)registry_find(x##_entry, name);       \
    }

/* Defines x_at over ROWS(X), which has one X(id) for each row; ROW is their type
 * and ROW_OF(id) the variable. */
#define REGISTRY_EXTERN(id)  extern const ROW ROW_OF(id);
#define REGISTRY_ADDRESS(id) &ROW_OF(id),
#define REGISTRY_ROWS(x)                                           \
    ROWS(REGISTRY_EXTERN)                                          \
    const ROW *x##_at(size_t i)                                    \
    {                                                              \
        static const ROW *const rows[] = {ROWS(REGISTRY_ADDRESS)}; \
        return i < COUNT(rows) ? rows[i] : NULL;                   \
    }

/* The same over an array of rows in one source: rules, which have no files of their own. */
#define REGISTRY_TABLE(type, x, table)                \
    const type *x##_at(size_t i)                      \
    {                                                 \
        return i < COUNT(table) ? &(table)[i] : NULL; \
    }

/* For messages: the name most like a mistyped one, or NULL; all names, "a, b, c";
 * and what to add to "unknown check 'x'": "; did you mean 'y'?" or "; known: a, b". */
struct registry_text {
    char text[600];
};
const char *registry_near(registry_entry_at *at, struct str name);
struct registry_text registry_names(registry_entry_at *at);
struct registry_text registry_hint(registry_entry_at *at, struct str name);

#endif
