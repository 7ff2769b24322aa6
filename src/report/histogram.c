#include "report/histogram.h"

#include <math.h>

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
