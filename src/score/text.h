/* text.h - answers as characters: what several checks do to texts before they
 * compare them. */
#ifndef SCORE_TEXT_H
#define SCORE_TEXT_H

#include "base/str.h"

struct text_rules {
    bool trim;            /* white space at both ends */
    bool ignore_case;     /* see pattern_lower */
    bool collapse_spaces; /* each run of white space is one space */
};

struct str text_normal(struct str text, const struct text_rules *rules, struct arena *out);

/* The code points of a text; a byte that is no UTF-8 is 0x110000 + byte, which
 * is equal to itself only. */
uint32_t *text_points(struct str text, size_t *count, struct arena *out);

size_t text_count(struct str text); /* code points, bad bytes counted one by one */

bool text_is_space(char c);

#endif
