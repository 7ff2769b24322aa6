#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct str str_copy(struct arena *out, struct str s)
{
    return (struct str){arena_copy(out, s.p, s.n), s.n};
}

const char *str_cstr(struct arena *out, struct str s)
{
    return arena_copy(out, s.p, s.n);
}

int str_compare(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    if (order != 0) return order;
    return (a.n > b.n) - (a.n < b.n);
}

bool str_starts(struct str s, struct str prefix)
{
    return s.n >= prefix.n && str_equal((struct str){s.p, prefix.n}, prefix);
}

bool str_ends(struct str s, struct str suffix)
{
    return s.n >= suffix.n && str_equal((struct str){s.p + s.n - suffix.n, suffix.n}, suffix);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
    while (s.n && is_space(s.p[0])) s.p++, s.n--;
    while (s.n && is_space(s.p[s.n - 1])) s.n--;
    return s;
}

struct str str_cut(struct str *rest, char separator)
{
    const char *at = rest->n ? memchr(rest->p, separator, rest->n) : NULL;
    if (!at) {
        struct str all = *rest;
        *rest = (struct str){0};
        return all;
    }
    struct str part = {rest->p, (size_t)(at - rest->p)};
    rest->n -= part.n + 1;
    rest->p = at + 1;
    return part;
}

enum { NUMBER_MAX = 400 }; /* characters; a longer number is refused */

bool str_to_int(struct str s, int64_t *out)
{
    char text[NUMBER_MAX + 1];
    if (s.n == 0 || s.n > NUMBER_MAX || is_space(s.p[0])) return false;
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    char *end = NULL;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (errno != 0 || end != text + s.n) return false;
    *out = v;
    return true;
}

bool str_to_real(struct str s, double *out)
{
    char text[NUMBER_MAX + 1];
    if (s.n == 0 || s.n > NUMBER_MAX) return false;
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    if (strspn(text, "0123456789+-.eE") != s.n) return false; /* no hex, inf, nan, spaces */
    char *end = NULL;
    double v = strtod(text, &end);
    if (end != text + s.n || !isfinite(v)) return false;
    *out = v;
    return true;
}

/* Length of the well-formed UTF-8 sequence at p (n bytes left), 0 if none.
 * The table is RFC 3629's: no overlong forms, no surrogates, up to U+10FFFF. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
    if (p[0] < 0x80) return p[0] != 0;
    unsigned low = 0x80;
    unsigned high = 0xBF;
    size_t length = 0;
    if (p[0] >= 0xC2 && p[0] <= 0xDF) {
        length = 2;
    } else if (p[0] >= 0xE0 && p[0] <= 0xEF) {
        length = 3;
        if (p[0] == 0xE0) low = 0xA0;
        if (p[0] == 0xED) high = 0x9F;
    } else if (p[0] >= 0xF0 && p[0] <= 0xF4) {
        length = 4;
        if (p[0] == 0xF0) low = 0x90;
        if (p[0] == 0xF4) high = 0x8F;
    }
    if (length == 0 || n < length || p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
    }
    return length;
}

size_t str_utf8_first(struct str s)
{
    return s.n ? utf8_length((const unsigned char *)s.p, s.n) : 0;
}

size_t str_utf8_prefix(struct str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t i = 0;
    while (i < s.n) {
        size_t length = utf8_length(p + i, s.n - i);
        if (length == 0) break;
        i += length;
    }
    return i;
}

bool str_is_utf8(struct str s)
{
    return str_utf8_prefix(s) == s.n;
}

enum { SUGGEST_MAX = 63 };

/* Levenshtein distance with swaps of neighbours (optimal string alignment),
 * the commonest slip of fingers. */
static size_t edit_distance(struct str a, struct str b)
{
    size_t rows[3][SUGGEST_MAX + 1];
    for (size_t j = 0; j <= b.n; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t best = above[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped =
                i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1];
            if (swapped && above2[j - 2] + 1 < best) best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a.n % 3][b.n];
}

const char *str_suggest(struct str word, const char *const *names, size_t count)
{
    if (word.n == 0 || word.n > SUGGEST_MAX) return NULL;
    const char *best = NULL;
    size_t best_distance = word.n / 3 + 1;
    if (best_distance > 4) best_distance = 4;
    for (size_t i = 0; i < count; i++) {
        struct str name = str_of(names[i]);
        if (name.n > SUGGEST_MAX) continue;
        size_t d = edit_distance(word, name);
        if (d < best_distance || (d == best_distance && !best && d <= word.n / 3)) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}
