/* problems.h - everything that is wrong with a file, with places.
 *
 * A checker goes through the whole file and notes each problem; the first 20
 * are kept, the rest are counted. The reader mends them in one go. */
#ifndef BASE_PROBLEMS_H
#define BASE_PROBLEMS_H

#include "base/str.h"

enum { PROBLEMS_MAX = 20 };

struct problem {
    const char *file;
    uint32_t line;
    uint32_t column;
    const char *text;
    const char *setting; /* that was given beside the file: "iterations.measured"; or NULL */
    const char *why;     /* of a setting: the text without its name */
};

struct problems {
    struct arena *arena; /* holds the texts */
    const char *file;    /* named in each problem */
    struct problem items[PROBLEMS_MAX];
    size_t kept;
    size_t total;
};

/* Returns false, so that a checker can end in one line. The same text at the
 * same place is noted once. */
bool problems_add(struct problems *p, uint32_t line, uint32_t column, const char *fmt, ...)
    PRINTF(4, 5);

/* The same of a setting that was given beside the file: "'iterations.measured' must be ...". */
bool problems_add_setting(struct problems *p, struct str setting, const char *fmt, ...)
    PRINTF(3, 4);

/* Into the order in which a reader of the file meets them. */
void problems_sort(struct problems *p);

#endif
