/* format_html.h - a page being written, and the parts that its files share. */
#ifndef REPORT_FORMAT_HTML_H
#define REPORT_FORMAT_HTML_H

#include "base/human.h"
#include "report/report.h"

struct page {
    struct buf *out;
    const struct view *view;
    const struct report_options *options;
    struct buf piece; /* one phrase, before it is escaped */
};

/* Markup with escaped texts in it (phrase_say); the piece is empty then. */
void html_say(struct page *p, const char *fmt, ...) PRINTF(2, 3);
void html_open(struct page *p, const char *title,
               const char *lead); /* a section; lead or NULL */
void html_close(struct page *p);

/* Begins a table row with its name; rows without one belong to the row above. */
void html_label(struct page *p, const char *label);
void html_number(struct page *p, const struct human_scale *scale, double v, const char *class);

/* The answer first: sentence, three short answers, the board; then cases x agents. Only of
 * what options->outcome and options->book know. */
void html_answer(struct page *p);
void html_board(struct page *p);
void html_cases(struct page *p);

/* What html_cases has cut, compressed, and the script that shows it; at the end of the page. */
void html_answers(struct page *p);
/* How every page begins: before its title, and from there to the first element of <main>. */
void html_before_title(struct buf *out);
void html_after_title(struct buf *out);
/* What such a page may do, for its head: run its own script, fetch nothing. */
void html_policy(struct buf *out);

/* Beyond so many cells a page shows what compares them, and leaves single ones to `show`. */
enum { HTML_CELLS_MAX = 120 };

/* Sections; each writes nothing if there is nothing to draw. */
void html_distributions(struct page *p);
void html_trials(struct page *p);
void html_comparisons(struct page *p);

#endif
