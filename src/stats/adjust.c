#include "stats/adjust.h"

#include <math.h>

struct entry {
    double p;
    size_t index;
};

static int compare_entries(const void *a, const void *b)
{
    double x = ((const struct entry *)a)->p;
    double y = ((const struct entry *)b)->p;
    return (x > y) - (x < y);
}

void adjust_holm(struct arena scratch, const double *p, size_t n, double *adjusted)
{
    struct entry *sorted = arena_new(&scratch, struct entry, n ? n : 1);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        adjusted[i] = p[i];
        if (!isnan(p[i])) sorted[count++] = (struct entry){p[i], i};
    }
    if (count) qsort(sorted, count, sizeof *sorted, compare_entries);
    double running = 0;
    for (size_t i = 0; i < count; i++) {
        running = fmax(running, fmin(1, (double)(count - i) * sorted[i].p));
        adjusted[sorted[i].index] = running;
    }
}
