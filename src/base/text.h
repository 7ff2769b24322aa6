/* text.h - answers as characters: what several checks do to texts before they
 * compare them. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/str.h"

struct text_rules {
    bool trim;            /* white space at both ends */
    bool ignore_case;     /* see pattern_lower */
    bool collapse_spaces; /* each run of white space is one space */
};

/* Their rows in the table of a check whose `struct config` has them in `rules`. */
#define TEXT_ROW(rule, preset, text)                                                      \
    {                                                                                     \
        .name = #rule, .type = PARAM_BOOL, .offset = offsetof(struct config, rules.rule), \
        .fallback = (preset), .help = (text)                                              \
    }
#define TEXT_ROW_TRIM        TEXT_ROW(trim, "true", "ignore white space at both ends")
#define TEXT_ROW_IGNORE_CASE TEXT_ROW(ignore_case, "false", "ignore case")
#define TEXT_ROW_COLLAPSE_SPACES \
    TEXT_ROW(collapse_spaces, "false", "treat any run of white space as one space")

struct str text_normal(struct str text, const struct text_rules *rules, struct arena *out);

/* The code points of a text; a byte that is no UTF-8 is 0x110000 + byte, which
 * is equal to itself only. */
uint32_t *text_points(struct str text, size_t *count, struct arena *out);

size_t text_count(struct str text); /* code points, bad bytes counted one by one */

bool text_is_space(char c);

#endif
