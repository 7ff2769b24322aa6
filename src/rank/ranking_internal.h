/* ranking_internal.h - what the ranking*.c files share. */
#ifndef RANK_RANKING_INTERNAL_H
#define RANK_RANKING_INTERNAL_H

#include "rank/ranking.h"

/* Everything known about one answer while it is made. */
struct ranking_work {
    struct store *store;
    struct ranking *r;
    struct latest_row *latest; /* by agent, then benchmark, then prompt (of an entry) */
    const char **groups;       /* of each row of latest */
    size_t latest_count;
    struct arena *out;
};

/* Which of the entries row i of `latest` is of; count: of none. Rows of an agent follow each
 * other: `last` is the answer for the row before. */
size_t ranking_entry_of(const struct ranking_work *w, const struct ranking_entry *entries,
                        size_t count, size_t i, size_t last);

/* What row i of `latest` is paired by besides its benchmark: its prompt, where an entry has
 * several; else "": the prompt is part of the entry. */
const char *ranking_prompt_of(const struct ranking_work *w, size_t i);

/* The same note is kept once. */
void ranking_note(struct ranking_work *w, struct ranking_note note);

/* Fills intervals, tie groups and first shares of `entries`, which rank
 * together: one group, the same scores, in the order of their rank. */
MUST_USE bool ranking_units(struct ranking_work *w, struct ranking_entry *entries, size_t count,
                            struct error *err);

#endif
