/* answer_claims.h - decided claims as a part of reports. */
#ifndef REPORT_ANSWER_CLAIMS_H
#define REPORT_ANSWER_CLAIMS_H

#include "base/layout.h"
#include "judge/claims.h"
#include "report/format_html.h"

/* A line for each and its reason where undecided; ends "k of n claims hold".
 * Nothing for a run without claims. */
void claims_lines(const struct claims *claims, struct buf *out);

/* A table: claim, verdict, what was measured with its interval, what was wanted,
 * n. Nothing for NULL, a run that claims nothing. */
void claims_markdown(const struct claims *claims, struct buf *out);
void claims_html(struct page *p);

/* Why it is undecided, or fails if those who wrote it know; else NULL. */
const char *claims_reason(const struct claim *claim, struct arena *out);

/* "2 of 3 claims hold", and after `between` the readiness if there is one: how a report ends.
 * Nothing for NULL. */
void claims_total(const struct claims *claims, const char *before, const char *between,
                  const char *after, struct buf *out);

/* One of them as JSON. */
extern const struct layout claim_layout;

#endif
