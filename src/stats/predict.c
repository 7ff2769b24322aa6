#include "stats/predict.h"

#include "stats/dist.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>

struct predict predict_robust(struct arena scratch, const double *history, size_t n,
                              double confidence)
{
    size_t kept = 0;
    const double *sorted = stats_sort(&scratch, history, n, &kept);
    double centre = quantile_median(sorted, kept);
    if (kept < 2) return (struct predict){centre, (double)NAN, (double)NAN};
    double m = (double)kept;
    double sigma = m / (m - 0.8) * MAD_TO_SIGMA * quantile_mad(scratch, sorted, kept);
    if (sigma <= 0) {
        double sum = 0;
        for (size_t i = 0; i < kept; i++) sum += fabs(sorted[i] - centre);
        sigma = 1.2533 * sum / m;
    }
    double t = dist_t_quantile((1 + confidence) / 2, m - 1);
    double margin = t * sigma * sqrt(1 + M_PI / (2 * m));
    return (struct predict){centre, centre - margin, centre + margin};
}
