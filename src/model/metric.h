/* metric.h - what a number means.
 *
 * Whatever gives numbers (experiment, instrument, agent adapter, check)
 * declares them as rows of this. Two metrics compare only if name, unit and
 * definition agree: the definition id changes whenever the way of measuring
 * does. The kind belongs to the definition and says how: base/kind.h. */
#ifndef MODEL_METRIC_H
#define MODEL_METRIC_H

#include "base/kind.h"

enum direction {
    DIRECTION_NONE, /* neither is better: a count, a seed, an exit code */
    DIRECTION_LOWER,
    DIRECTION_HIGHER,
};

struct metric {
    const char *name; /* "duration_s": snake case, unit last */
    const char *unit; /* "s", "MB", "1" for a pure number */
    enum direction direction;
    const char *definition; /* "duration/1": bump when the meaning changes */
    const char *summary;    /* one line, no full stop */
    bool of_failures;       /* also of trials that failed: what they used was used */
    enum kind kind;         /* how two sets of it compare; a table that says nothing: ratio */
};

/* The kind of values that nobody declared. Money adds up, and what has a unit is not a share;
 * for the rest kind_guess. */
enum kind metric_guess_kind(const char *unit, const double *values, size_t count);

/* Another machine gives other numbers: times, rates, memory. Shares, counts and money, which
 * have no such unit, are what was done, wherever it was. */
bool metric_is_of_machine(const char *unit);

const char *direction_name(enum direction d); /* "none", "lower", "higher" */

/* Of a setting, by enum direction: "auto" leaves it to the metric. NULL-terminated. */
extern const char *const direction_choices[];

MUST_USE bool direction_parse(const char *name, enum direction *out);

/* Why numbers of two metrics of one name must not be compared. */
enum metric_unlike {
    METRIC_ALIKE,
    METRIC_UNLIKE_UNIT,
    METRIC_UNLIKE_DEFINITION,
    METRIC_UNLIKE_DIRECTION,
};
enum metric_unlike metric_unlike(const struct metric *a, const struct metric *b);

/* The same name, and nothing different. */
bool metric_is_comparable(const struct metric *a, const struct metric *b);

/* The metric that every experiment has: seconds between the two clock reads. */
extern const struct metric metric_duration;

#endif
