/* playbook.h - a genome as text, in two forms.
 *
 * As a list, which people and models read and write:
 *
 *     playbook marketing
 *     - name_the_audience @2
 *     - set_the_budget @0
 *
 * one line of the library a row, with its setting (0 if omitted). Whatever else a reply
 * contains is passed over, so that a model may explain itself.
 *
 * As code, which is what the trajectories of the design hold: one Python function for each
 * segment. The same segment gives the same bytes wherever it stands. */
#ifndef EVOLVE_PLAYBOOK_H
#define EVOLVE_PLAYBOOK_H

#include "base/buf.h"
#include "base/error.h"
#include "evolve/challenge.h"

void playbook_write(const struct challenge *p, const struct genome *g, struct buf *out);

/* Fails with ERROR_INVALID where a row names a line that the library does not have, a setting
 * out of range, more rows than there are segments, or none. */
MUST_USE bool playbook_parse(const struct challenge *p, struct str text, struct genome *g,
                             struct error *err);

void playbook_code(const struct challenge *p, const struct genome *g, struct buf *out);

#endif
