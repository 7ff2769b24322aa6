/* str.h - a slice of text: pointer and length, by value, not owned.
 *
 * Parsers take slices and return slices of their input. A copy made with
 * str_copy is also NUL-terminated, so that libc and SQLite can have it.
 * {0} is the empty text. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/arena.h"

#include <string.h>

struct str {
    const char *p;
    size_t n;
};

#define S(literal) ((struct str){("" literal), sizeof(literal) - 1})
#define STR_ARG(s) (int)(s).n, (s).p ? (s).p : "" /* for "%.*s" */

static inline struct str str_of(const char *text)
{
    return (struct str){text, text ? strlen(text) : 0};
}

static inline bool str_equal(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(struct str a, const char *text)
{
    return str_equal(a, str_of(text));
}

struct str str_copy(struct arena *out, struct str s);
const char *str_cstr(struct arena *out, struct str s); /* NUL-terminated copy */

int str_compare(struct str a, struct str b); /* bytewise, like strcmp */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
struct str str_trim(struct str s); /* without spaces, tabs, CR, LF at the ends */

/* Cuts *rest at the first `separator`; the part before it is returned and
 * *rest becomes what follows. Without a separator all of it is returned and
 * *rest becomes empty with p == NULL, which ends a loop:
 *     while (rest.p) { struct str part = str_cut(&rest, ','); ... }          */
struct str str_cut(struct str *rest, char separator);

/* The whole of `s` must be the number; no spaces, no trailing text. */
MUST_USE bool str_to_int(struct str s, int64_t *out);
MUST_USE bool str_to_real(struct str s, double *out); /* finite only */

/* Well-formed UTF-8 without NUL. */
bool str_is_utf8(struct str s);
size_t str_utf8_prefix(struct str s); /* bytes before the first that is not */
size_t str_utf8_first(struct str s);  /* bytes of its first character; 0 = it is none */

/* The known name that `word` was probably meant to be (edit distance, at most
 * a third of its length), or NULL. `names` has `count` entries. */
const char *str_suggest(struct str word, const char *const *names, size_t count);

/* "; did you mean 'near'?" after a message, nothing if it is NULL: for "%s%s%s". */
#define STR_MEANT(near) \
    (near) ? "; did you mean '" : "", (near) ? (near) : "", (near) ? "'?" : ""

#endif
