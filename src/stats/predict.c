#include "stats/predict.h"

#include "stats/dist.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>

double predict_margin(double sd, size_t n, double quantile)
{
    if (n < 2) return (double)NAN;
    return dist_t_quantile(quantile, (double)(n - 1)) * sd * sqrt(1 + 1 / (double)n);
}

struct predict predict_student(const double *history, size_t n, double confidence)
{
    struct moments m = moments_of(history, n);
    double margin = predict_margin(moments_sd(&m), n, (1 + confidence) / 2);
    double centre = n > 0 ? m.mean : (double)NAN;
    return (struct predict){centre, centre - margin, centre + margin};
}

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

double predict_p(const double *history, size_t n, double value)
{
    struct moments m = moments_of(history, n);
    double se = moments_sd(&m) * sqrt(1 + 1 / (double)n);
    if (!(se > 0)) return (double)NAN;
    return dist_t_two_sided((value - m.mean) / se, (double)(n - 1));
}
