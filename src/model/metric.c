#include "model/metric.h"

#include <string.h>

static const char *const names[] = {"none", "lower", "higher"};

const struct metric metric_duration = {
    .name = "duration_s",
    .unit = "s",
    .direction = DIRECTION_LOWER,
    .definition = "duration/1",
    .summary = "elapsed time of one trial",
};

const char *direction_name(enum direction d)
{
    CHECK(d < COUNT(names));
    return names[d];
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
