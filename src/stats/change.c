#include "stats/change.h"

#include "stats/change_internal.h"
#include "stats/dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*find)(const struct change_series *s, struct arena scratch,
                 struct change_found *found);
} detectors[CHANGE_DETECTOR_COUNT] = {
    [CHANGE_ASSAY] = {"assay", change_find_assay},
    [CHANGE_OTAVA] = {"otava", change_find_otava},
    [CHANGE_POTTS] = {"potts", change_find_potts},
};

const char *change_detector_name(enum change_detector detector)
{
    return detectors[detector].name;
}

double change_relative(double before, double after)
{
    if (before == after) return 0;
    return (after - before) / fabs(before);
}

/* Forward, then for the start backward. False if nothing is finite. */
static bool fill_missing(double *values, size_t n)
{
    size_t first = 0;
    while (first < n && !isfinite(values[first])) first++;
    if (first == n) return false;
    for (size_t i = 0; i < first; i++) values[i] = values[first];
    for (size_t i = first + 1; i < n; i++) {
        if (!isfinite(values[i])) values[i] = values[i - 1];
    }
    return true;
}

/* Squares of 1e200 are no doubles: values that far from 1 are moved by a power of two.
 * Returns the power that moves them back. */
static int bring_near_one(double *values, size_t n)
{
    enum { FAR = 256 };
    double most = 0;
    int power = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(values[i]));
    (void)frexp(most, &power);
    if (most == 0 || abs(power) < FAR) return 0;
    for (size_t i = 0; i < n; i++) values[i] = ldexp(values[i], -power);
    return power;
}

struct change_found change_find(const double *values, size_t n,
                                const struct change_options *options, struct arena *out)
{
    struct change_options o = *options;
    CHECK(o.detector < CHANGE_DETECTOR_COUNT);
    if (o.p <= 0) o.p = 0.001;
    if (o.window < 2) o.window = 50;

    struct change_found found = {0};
    if (n < 2) {
        found.too_few = CHANGE_FEWEST;
        return found;
    }
    found.points = arena_new(out, struct change_point, n);
    struct arena scratch = *out;
    double *filled = arena_new(&scratch, double, n);
    memcpy(filled, values, n * sizeof *filled);
    if (!fill_missing(filled, n)) return found;

    int shift = bring_near_one(filled, n);
    struct change_series s = {filled, n, true, o};
    for (size_t i = 0; i < n; i++) s.is_ratio = s.is_ratio && filled[i] > 0;
    detectors[o.detector].find(&s, scratch, &found);
    for (size_t i = 0; i < found.count; i++) {
        struct change_point *p = &found.points[i];
        p->before = ldexp(p->before, shift);
        p->after = ldexp(p->after, shift);
        p->p = dist_told(p->p);
    }
    return found;
}
