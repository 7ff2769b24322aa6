/* chart.h - drawings in SVG for the page.
 *
 * Every drawing stretches to the width it is given: only lines and areas are
 * inside the SVG (their strokes do not scale), words are in HTML next to it,
 * so that they stay readable on a phone. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "base/human.h"
#include "report/axis.h"
#include "report/report.h"

/* Text for HTML, inside or outside of quotes. */
void html_text(struct buf *out, struct str s);

/* The range worth drawing: all values, but for those farther out than 8 times
 * the quartiles' distance. `beyond` counts the ones left out (clamped to the
 * edge). */
void chart_range(const struct view_metric *m, double *low, double *high);
size_t chart_beyond(const struct view_metric *m, const struct axis *axis);

/* Histogram, values as dots, box from quartile to quartile with the median and
 * its interval. */
void chart_distribution(struct buf *out, const struct view_metric *m, const struct axis *axis);

/* Values in trial order with the median, its interval, and resumes marked. */
void chart_trials(struct buf *out, const struct view_cell *cell, const struct view_metric *m,
                  const struct axis *axis);

/* One interval on a line with 1 marked. */
void chart_ratio(struct buf *out, const struct axis *axis, double low, double mid, double high);

/* The names of an axis, to go below drawings made on it. */
void chart_axis(struct buf *out, const struct axis *axis, const struct human_scale *scale);

enum { CHART_TRIALS_MAX = 2000 }; /* dots drawn in one chart; of more, every k-th */
size_t chart_stride(size_t count);

#endif
