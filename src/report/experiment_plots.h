/* experiment_plots.h - the pictures that the experiments of a run declare in their rows. */
#ifndef REPORT_EXPERIMENT_PLOTS_H
#define REPORT_EXPERIMENT_PLOTS_H

#include "report/plot.h"
#include "view/view.h"

/* In the order of the cells' experiments; a picture of fewer than two values is left out. */
struct plot_list experiment_plots(const struct view *view, struct arena *out);

/* They as a section of a page, and as text in a Markdown document; nothing if there are
 * none. */
struct page;
void experiment_plots_html(struct page *p);
void experiment_plots_markdown(const struct view *view, struct buf *out);

#endif
