/* Counts in bins of equal width. Values beyond the ends fall into the end bins, so that
 * counts always add up. Two samples share their bins, over the bulk of both: 8 times the
 * distance of the quartiles to each side (as chart.h), so that one outlier does not press
 * all others into a single bin. A bin with anything in it is drawn, if only by an eighth. */
#include "report/histogram.h"

#include "base/human.h"
#include "base/plain.h"
#include "stats/quantile.h"

#include <math.h>

enum { PAIR_BINS = 60 };

void histogram_fill(struct histogram *h, const double *samples, size_t count, double low,
                    double high, size_t bins)
{
    CHECK(bins > 0 && bins <= HISTOGRAM_BINS_MAX);
    *h = (struct histogram){.bins = low < high ? bins : 1};
    double width = (high - low) / (double)h->bins;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(samples[i])) continue;
        double place = width > 0 ? floor((samples[i] - low) / width) : 0;
        place = fmin(fmax(place, 0), (double)(h->bins - 1));
        size_t bin = (size_t)place;
        h->counts[bin]++;
        if (h->counts[bin] > h->most) h->most = h->counts[bin];
    }
}

void histogram_sparkline(const struct histogram *h, struct buf *out)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    for (size_t i = 0; i < h->bins; i++) {
        size_t level = h->most ? (h->counts[i] * COUNT(blocks) + h->most - 1) / h->most : 0;
        buf_text(out, level ? blocks[level - 1] : " ");
    }
}

/* The bulk of both sides: of a long tail only the end bin is drawn. */
static bool pair_range(const struct histogram_side sides[2], struct arena scratch, double *low,
                       double *high)
{
    size_t count = sides[0].count + sides[1].count;
    double *all = arena_new(&scratch, double, count + 1);
    size_t n = 0;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < sides[s].count; i++) {
            if (isfinite(sides[s].values[i])) all[n++] = sides[s].values[i];
        }
    }
    if (n < 2) return false;
    stats_sort_inplace(all, n);
    double q1 = quantile_of(all, n, 0.25);
    double q3 = quantile_of(all, n, 0.75);
    double reach = 8 * (q3 - q1);
    *low = fmax(all[0], q1 - reach);
    *high = fmin(all[n - 1], q3 + reach);
    if (reach > 0) return true;
    *low = all[0];
    *high = all[n - 1];
    return true;
}

void histogram_pair(const struct histogram_side sides[2], const char *unit,
                    struct arena scratch, struct buf *out)
{
    double low = 0;
    double high = 0;
    if (!pair_range(sides, scratch, &low, &high) || !(low < high)) return;
    for (int s = 0; s < 2; s++) {
        struct histogram h;
        histogram_fill(&h, sides[s].values, sides[s].count, low, high, PAIR_BINS);
        buf_printf(out, "  %c ", "AB"[s]);
        histogram_sparkline(&h, out);
        plain_end(out);
    }
    char left[HUMAN_SIZE];
    char right[HUMAN_SIZE];
    snprintf(left, sizeof left, "%.4g", low);
    snprintf(right, sizeof right, "%.4g", high);
    if (unit) {
        human_value(unit, low, left);
        human_value(unit, high, right);
    }
    size_t used = plain_columns(str_of(left)) + plain_columns(str_of(right));
    buf_printf(out, "    %s%*s%s\n", left, (int)(PAIR_BINS - used), "", right);
}
