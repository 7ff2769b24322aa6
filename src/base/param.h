/* param.h - tables of parameters, and everything made from them.
 *
 * Whatever takes settings (experiment, instrument, agent, check, command)
 * declares them as rows of one table. From the rows come parsing, error
 * messages with suggestions, `assay describe`, the JSON schema for editors,
 * the reference page and, later, the form on the page. Adding a setting is
 * adding a row.
 *
 * Values arrive as a map (base/value.h) and end in a plain struct, each at its
 * row's offset, as the C type of the row's type. */
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include "base/json.h"
#include "base/problems.h"
#include "base/value.h"

enum param_type {                    /* C type at the offset */
                  PARAM_INT,         /* int64_t */
                  PARAM_REAL,        /* double */
                  PARAM_BOOL,        /* bool */
                  PARAM_FLAG,        /* enum param_flag: PARAM_BOOL that may be absent */
                  PARAM_TEXT,        /* const char *, NUL-terminated */
                  PARAM_CHOICE,      /* int: index into choices */
                  PARAM_INT_LIST,    /* struct param_ints */
                  PARAM_REAL_LIST,   /* struct param_reals */
                  PARAM_BOOL_LIST,   /* struct param_bools */
                  PARAM_TEXT_LIST,   /* struct param_texts */
                  PARAM_CHOICE_LIST, /* struct param_ints of indexes */
                  PARAM_COMMAND,     /* struct param_command: text = shell, list = argv */
                  PARAM_MAP,         /* const struct value *: an open mapping, or NULL */
                  PARAM_ANY,         /* const struct value *: anything, or NULL */
                  PARAM_SPAN,        /* double, seconds: 90s, 12h, 30d */
                  PARAM_MOMENT,      /* int64_t, Unix ns: 30d (ago), 2026-11-15, or all = 0 */
                  PARAM_SHARE,       /* double: 0.05 or 5 %; a bare number above 1 is refused */
                  PARAM_SHARE_LIST,  /* struct param_shares: SHARE or NAME=SHARE */
                  PARAM_SELECTOR,    /* const char *: a run, as view/source.h reads it */
};

enum param_flag { PARAM_FLAG_ABSENT, PARAM_FLAG_FALSE, PARAM_FLAG_TRUE };

/* Whether contenders differ in it. Workload parameters enter the random
 * stream that makes the data; treatments do not, so that every contender gets
 * the same data. */
enum param_role { PARAM_WORKLOAD, PARAM_TREATMENT };

struct param {
    const char *name;
    enum param_type type;
    enum param_role role;
    size_t offset;
    bool required;              /* then there is no fallback */
    const char *fallback;       /* default, as JSON: "100", "\"cpu\"", "[1,2]"; NULL = zero */
    double min;                 /* numbers and items of number lists; both 0 = any, */
    double max;                 /* max INFINITY or below min = no upper limit */
    const char *const *choices; /* NULL-terminated */
    const char *unit;           /* "s", "MB"; may be NULL */
    const char *help;           /* one line, no full stop */
    bool open;                  /* the limits themselves do not fit */

    /* Of options of commands only (cli/options.h). */
    char letter;          /* short form: 'n' for -n; 0 = none */
    const char *argument; /* its argument in help; NULL = as the type says (param_argument) */
    bool is_optional;     /* texts: may stand without argument, then "" */
    uint8_t takes;        /* PARAM_TEXT_LIST: arguments of each use; 0 = 1 */
};

struct param_table {
    const struct param *rows;
    size_t count;
};

struct param_ints {
    const int64_t *items;
    size_t count;
};
struct param_reals {
    const double *items;
    size_t count;
};
struct param_bools {
    const bool *items;
    size_t count;
};
struct param_texts {
    const char *const *items;
    size_t count;
};
struct param_shares {
    const struct param_share {
        const char *name; /* NULL where only a share was given */
        double share;
    } * items;
    size_t count;
};
struct param_command {
    const char *shell;       /* run by /bin/sh -c; NULL if argv is set */
    const char *const *argv; /* NULL-terminated */
    size_t argc;
};

const struct param *param_find(struct param_table table, struct str name);

/* Bytes that a value of this type takes at its offset. */
size_t param_size(enum param_type type);

/* What a text from a command line or a query says, as the row's type reads it: "5" is
 * a number to PARAM_INT and a text to PARAM_TEXT. Whether it fits is param_fits' part. */
const struct value *param_from_text(const struct param *row, struct str text,
                                    struct arena *out);

/* Puts a value that fits at the row's offset; texts and lists are copied to `out`. */
void param_store(const struct param *row, const struct value *item, void *config,
                 struct arena *out);

/* How help writes what the row takes: "N", "bh|holm|none", "SHARE". */
const char *param_argument(const struct param *row, struct arena *out);

/* Everything about a row but its name, type and default, in one line: help, unit, limits,
 * choices. */
void param_remarks(const struct param *row, struct buf *out);

/* True if `item` fits the row as one value (so a list does not fit PARAM_INT,
 * and a number fits PARAM_INT_LIST as a list of one). On false the reason is
 * in `why`, without the place: "must be at least 1 (is 0)". */
MUST_USE bool param_fits(const struct param *row, const struct value *item, struct error *why);

/* True for NULL and for a null that was written as one (`input: null`): the row
 * then has its fallback. A key with nothing after it is a slip, not a null. */
bool param_is_absent(const struct param *row, const struct value *item);

bool param_is_list(enum param_type type);

/* True for a list that has items by default: an empty one would leave nothing to do. Texts
 * may be none: they name what to choose. */
bool param_needs_item(const struct param *row);
bool param_has_min(const struct param *row);
bool param_has_max(const struct param *row);

/* Notes "unknown KIND 'key' of WHAT; did you mean ...?" for a key that no row
 * has, at its place. */
void param_unknown(struct param_table table, const struct value_pair *pair, const char *kind,
                   const char *what, struct problems *problems);

/* param_fits that notes the reasons, each wrong item of a list at its place. */
MUST_USE bool param_check_value(const struct param *row, const struct value *item,
                                struct problems *problems);

/* Every problem of `map` (NULL = empty): unknown keys with a suggestion, wrong
 * types, ranges, choices, missing ones. `what` names the owner in messages:
 * "experiment 'spin'". True if there was none. */
MUST_USE bool param_check(struct param_table table, const struct value *map, const char *what,
                          struct problems *problems);

/* Fills `config` (zeroed, of the owner's config_size) from a map that
 * param_check has passed, defaults included. Texts and lists are copied to
 * `out`. Fails only for a map that was not checked. */
MUST_USE bool param_read(struct param_table table, const struct value *map, void *config,
                         struct arena *out, struct error *err);

/* `map` with the defaults of absent rows filled in, in table order: what a cell
 * is identified by. */
const struct value *param_complete(struct param_table table, const struct value *map,
                                   struct arena *out);

/* A value that fits, in the one form that all its spellings share: 1e3 and 1000,
 * "1.10" and 1.10 for a text, 5 and [5] for a list. */
const struct value *param_normal(const struct param *row, const struct value *item,
                                 struct arena *out);

/* One row's fallback as a value, NULL if it has none. */
const struct value *param_fallback(const struct param *row, struct arena *out);

/* A JSON Schema object ("type": "object", properties, required,
 * additionalProperties: false) for the table. */
void param_write_schema(struct param_table table, struct json *j);

/* The same where a list of values sweeps (`sweeps`; then nothing is required, it
 * may be swept elsewhere), and for one row. */
void param_write_table_schema(struct param_table table, bool sweeps, struct json *j);
void param_write_row_schema(const struct param *row, bool sweeps, struct json *j);

const char *param_type_name(enum param_type type); /* "integer", "list of text", ... */

#endif
