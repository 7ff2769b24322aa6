#include "base/text.h"

#include "base/pattern.h"

bool text_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct str collapsed(struct str text, struct arena *out)
{
    char *to = arena_alloc(out, text.n + 1, 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        bool is_space = text_is_space(text.p[i]);
        if (is_space && i > 0 && text_is_space(text.p[i - 1])) continue;
        to[n++] = is_space ? ' ' : text.p[i];
    }
    return (struct str){to, n};
}

struct str text_normal(struct str text, const struct text_rules *rules, struct arena *out)
{
    if (rules->trim) text = str_trim(text);
    if (rules->collapse_spaces) text = collapsed(text, out);
    if (rules->ignore_case) text = pattern_lower(text, out);
    return text;
}

/* The code point at the start of `text`, which is well-formed there. */
static uint32_t decode(const unsigned char *p, size_t *length)
{
    if (p[0] < 0x80) {
        *length = 1;
        return p[0];
    }
    *length = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    uint32_t point = p[0] & (0xFFu >> (*length + 1));
    for (size_t i = 1; i < *length; i++) point = point << 6 | (p[i] & 0x3Fu);
    return point;
}

/* Calls for each character would cost more than the work itself: one loop
 * serves both, with `points` NULL for counting. */
static size_t walk(struct str text, uint32_t *points)
{
    size_t n = 0;
    while (text.n > 0) {
        size_t good = str_utf8_prefix(text);
        for (size_t i = 0; i < good;) {
            size_t length;
            uint32_t point = decode((const unsigned char *)text.p + i, &length);
            if (points) points[n] = point;
            n++;
            i += length;
        }
        text.p += good;
        text.n -= good;
        if (text.n == 0) break;
        if (points) points[n] = 0x110000u + (unsigned char)text.p[0];
        n++;
        text.p++;
        text.n--;
    }
    return n;
}

uint32_t *text_points(struct str text, size_t *count, struct arena *out)
{
    uint32_t *points = arena_new(out, uint32_t, text.n);
    *count = walk(text, points);
    return points;
}

size_t text_count(struct str text)
{
    return walk(text, NULL);
}
