/* Both statistics are carried from one split to the next. Energy: moving a point to the
 * left part changes the sums of distances within and between the parts by its
 * distance to the points on the left, which a tree of sums over the order of size
 * (Fenwick 1994) gives in log n. Runs: only the pairs of neighbours around the moved
 * point change, and equal values are taken as if in random order. */
#include "stats/change_search.h"

#include <math.h>
#include <stdlib.h>

struct ordered {
    double y;
    size_t i;
};

static int by_value(const void *a, const void *b)
{
    const struct ordered *x = a;
    const struct ordered *y = b;
    if (x->y != y->y) return x->y < y->y ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

size_t *change_search_order(const double *y, size_t n, struct arena *out)
{
    size_t *order = arena_new(out, size_t, n);
    struct arena scratch = *out;
    struct ordered *sorted = arena_new(&scratch, struct ordered, n);
    for (size_t i = 0; i < n; i++) sorted[i] = (struct ordered){y[i], i};
    if (n > 0) qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t i = 0; i < n; i++) order[i] = sorted[i].i;
    return order;
}

/* ---- energy ---- */

/* The points that are in it, by their place in the order: how many lie up to a
 * place, and their sum (Fenwick 1994). */
struct tree {
    double *count;
    double *sum;
    size_t n;
};

static void tree_add(struct tree *t, size_t place, double y)
{
    for (size_t i = place + 1; i <= t->n; i += i & (~i + 1)) {
        t->count[i]++;
        t->sum[i] += y;
    }
}

/* Sum of |y - x| over the points in the tree, y being the value at `place`. */
static double tree_distance(const struct tree *t, size_t place, double y, double all_count,
                            double all_sum)
{
    double count = 0;
    double sum = 0;
    for (size_t i = place + 1; i > 0; i -= i & (~i + 1)) {
        count += t->count[i];
        sum += t->sum[i];
    }
    return y * count - sum + (all_sum - sum) - y * (all_count - count);
}

/* From sums over pairs: between the parts, and within each, every pair once. */
static double energy_of(double between, double within1, double within2, double n1, double n2)
{
    double distance = 2 * (between / (n1 * n2) - within1 / (n1 * n1) - within2 / (n2 * n2));
    return distance * n1 * n2 / (n1 + n2);
}

struct change_place change_search_energy(const struct change_stretch *s, struct arena scratch)
{
    struct change_place best = {0, -INFINITY};
    size_t *place = arena_new(&scratch, size_t, s->n);
    struct tree left = {arena_new(&scratch, double, s->n + 1),
                        arena_new(&scratch, double, s->n + 1), s->n};
    double *to_all = arena_new(&scratch, double, s->n);  /* sum of distances to all points */
    double middle = s->n ? s->y[s->order[s->n / 2]] : 0; /* keeps sums small */
    double total = 0;
    double sum = 0;
    for (size_t k = 0; k < s->n; k++) sum += s->y[k] - middle;
    double below = 0;
    for (size_t k = 0; k < s->n; k++) {
        size_t i = s->order[k];
        double y = s->y[i] - middle;
        place[i] = k;
        to_all[i] = y * (double)k - below + (sum - below) - y * (double)(s->n - k);
        total += to_all[i] / 2;
        below += y;
    }
    double within_left = 0;
    double within_right = total;
    double left_sum = 0;
    for (size_t t = 1; t <= s->last; t++) {
        double y = s->y[t - 1] - middle;
        double to_left = tree_distance(&left, place[t - 1], y, (double)(t - 1), left_sum);
        within_left += to_left;
        within_right -= to_all[t - 1] - to_left;
        tree_add(&left, place[t - 1], y);
        left_sum += y;
        if (t < s->first) continue;
        double energy = energy_of(total - within_left - within_right, within_left, within_right,
                                  (double)t, (double)(s->n - t));
        if (energy > best.statistic) best = (struct change_place){t, energy};
    }
    return best;
}

/* ---- runs ---- */

/* Points of equal value; `left` of them are in the left part. */
struct group {
    double size;
    double left;
};

/* Expected changes of part among the points of a group in random order. */
static double changes_within(const struct group *g)
{
    return 2 * g->left * (g->size - g->left) / g->size;
}

/* ... and from the last of a group to the first of the next. */
static double changes_between(const struct group *g, const struct group *next)
{
    double both = g->size * next->size;
    return (g->left * (next->size - next->left) + (g->size - g->left) * next->left) / both;
}

static double changes_around(const struct group *groups, size_t count, size_t k)
{
    double sum = changes_within(&groups[k]);
    if (k > 0) sum += changes_between(&groups[k - 1], &groups[k]);
    if (k + 1 < count) sum += changes_between(&groups[k], &groups[k + 1]);
    return sum;
}

/* Standard deviations by which `changes` stay below their mean 2 n1 n2 / n. */
static double few_runs(double changes, double n1, double n2)
{
    double n = n1 + n2;
    double mean = 2 * n1 * n2 / n;
    double variance = mean * (mean - 1) / (n - 1);
    return variance > 0 ? (mean - changes - 0.5) / sqrt(variance) : 0;
}

struct change_place change_search_runs(const struct change_stretch *s, struct arena scratch)
{
    struct change_place best = {0, -INFINITY};
    struct group *groups = arena_new(&scratch, struct group, s->n);
    size_t *group_of = arena_new(&scratch, size_t, s->n);
    size_t count = 0;
    for (size_t k = 0; k < s->n; k++) {
        size_t i = s->order[k];
        if (k == 0 || s->y[i] != s->y[s->order[k - 1]]) groups[count++] = (struct group){0, 0};
        groups[count - 1].size++;
        group_of[i] = count - 1;
    }
    double changes = 0;
    for (size_t t = 1; t <= s->last; t++) {
        size_t k = group_of[t - 1];
        changes -= changes_around(groups, count, k);
        groups[k].left++;
        changes += changes_around(groups, count, k);
        if (t < s->first) continue;
        double few = few_runs(changes, (double)t, (double)(s->n - t));
        if (few > best.statistic) best = (struct change_place){t, few};
    }
    return best;
}
