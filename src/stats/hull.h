/* hull.h - an answer when some outcomes are not known.
 *
 * A trial that we failed to judge has an outcome that nobody knows. To leave it out says
 * that it went as the others did, and it may be unjudged because it went wrong: an agent
 * whose worst answers break the check would pass. So a question of shares is asked three
 * times: of what is known, with every unknown outcome against B (and for A), and the other
 * way round. The answer is the hull of the last two (Manski 2003: bounds without any
 * assumption about what is missing): its interval reaches from the lowest end to the
 * highest, and it is decided only if both say so. The estimate is that of what is known. */
#ifndef STATS_HULL_H
#define STATS_HULL_H

#include "stats/verdict.h"

/* Some value of it may be more than one thing. */
bool hull_is_open(const struct verdict_question *q);

enum hull_way { HULL_KNOWN, HULL_AGAINST, HULL_FOR, HULL_WAYS };

/* The question with its unknown values left out, against B, for B: a closed one. */
struct verdict_question hull_close(const struct verdict_question *q, enum hull_way way);

/* Counts the unknown values of the question into the answer. */
void hull_count(const struct verdict_question *q, struct verdict_answer *answer);

/* `known` becomes what the three say together. */
void hull_join(struct verdict_answer *known, const struct verdict_answer *against,
               const struct verdict_answer *with);

#endif
