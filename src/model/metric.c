#include "model/metric.h"

#include <string.h>

static const char *const names[] = {"none", "lower", "higher"};
const char *const direction_choices[] = {"auto", "lower", "higher", NULL};

const struct metric metric_duration = {
    .name = "duration_s",
    .unit = "s",
    .direction = DIRECTION_LOWER,
    .definition = "duration/1",
    .summary = "elapsed time of one trial",
};

bool metric_is_of_machine(const char *unit)
{
    return unit && unit[0] && strcmp(unit, "1") != 0 && strcmp(unit, "USD") != 0;
}

const char *direction_name(enum direction d)
{
    CHECK(d < COUNT(names));
    return names[d];
}

enum metric_unlike metric_unlike(const struct metric *a, const struct metric *b)
{
    if (strcmp(a->unit, b->unit) != 0) return METRIC_UNLIKE_UNIT;
    if (strcmp(a->definition, b->definition) != 0) return METRIC_UNLIKE_DEFINITION;
    return a->direction == b->direction ? METRIC_ALIKE : METRIC_UNLIKE_DIRECTION;
}

bool metric_is_comparable(const struct metric *a, const struct metric *b)
{
    return strcmp(a->name, b->name) == 0 && metric_unlike(a, b) == METRIC_ALIKE;
}

bool direction_parse(const char *name, enum direction *out)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum direction)i;
            return true;
        }
    }
    return false;
}

enum kind metric_guess_kind(const char *unit, const double *values, size_t count)
{
    bool is_bare = !unit || strcmp(unit, "1") == 0;
    if (!is_bare && strcmp(unit, "USD") == 0) return KIND_SUM;
    enum kind kind = kind_guess(values, count, NULL, 0);
    return kind == KIND_SHARE && !is_bare ? KIND_RATIO : kind;
}
