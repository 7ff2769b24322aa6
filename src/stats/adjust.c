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

static void step_down(const struct entry *sorted, size_t n, double *adjusted)
{
    double running = 0;
    for (size_t i = 0; i < n; i++) {
        running = fmax(running, fmin(1, (double)(n - i) * sorted[i].p));
        adjusted[sorted[i].index] = running;
    }
}

static void step_up(const struct entry *sorted, size_t n, double factor, double *adjusted)
{
    double running = 1;
    for (size_t i = n; i-- > 0;) {
        running = fmin(running, factor * (double)n / (double)(i + 1) * sorted[i].p);
        adjusted[sorted[i].index] = running;
    }
}

void adjust_p(struct arena scratch, enum adjust_method method, const double *p, size_t n,
              double *adjusted)
{
    struct entry *sorted = arena_new(&scratch, struct entry, n ? n : 1);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        adjusted[i] = p[i];
        if (!isnan(p[i])) sorted[count++] = (struct entry){p[i], i};
    }
    if (count == 0) return;
    qsort(sorted, count, sizeof *sorted, compare_entries);
    double harmonic = 0;
    for (size_t i = 1; i <= count; i++) harmonic += 1 / (double)i;
    switch (method) {
    case ADJUST_HOLM: step_down(sorted, count, adjusted); break;
    case ADJUST_BH: step_up(sorted, count, 1, adjusted); break;
    case ADJUST_BY: step_up(sorted, count, harmonic, adjusted); break;
    }
}
