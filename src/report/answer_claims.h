/* claims.h - decided claims as text, Markdown, HTML and JSON. */
#ifndef REPORT_ANSWER_CLAIMS_H
#define REPORT_ANSWER_CLAIMS_H

#include "base/json.h"
#include "judge/claims.h"
#include "report/format_html.h"

/* A line for each and its reason where undecided; ends "k of n claims hold".
 * Nothing for a run without claims. */
void claims_text(const struct claims *claims, struct buf *out);

/* A table: claim, verdict, what was measured with its interval, what was wanted,
 * n. Nothing for NULL, a run that claims nothing. */
void claims_markdown(const struct claims *claims, struct buf *out);
void claims_html(struct page *p);

/* "2 of 3 claims hold", how a report ends; nothing for NULL. */
void claims_tally(const struct claims *claims, const char *before, const char *after,
                  struct buf *out);

/* "claims": [...], a list in an object; empty for NULL. */
void claims_put(const struct claims *claims, struct json *j);

/* {"schema": "assay.claims/1", ...} */
void claims_json(const struct claims *claims, struct buf *out);

/* "reduction 0.501 [0.487, 0.512], wanted at least 0.45, promised 0.45 to 0.55". */
void claims_sentence(const struct claim *claim, struct buf *out);

#endif
