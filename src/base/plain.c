#include "base/plain.h"

/* What stands for the character of n bytes; NULL = itself. Not UTF-8: n is 0. */
static const char *replacement(const char *p, size_t n)
{
    unsigned char c = (unsigned char)*p;
    if (n == 1 && c >= '\t' && c <= '\r') return " ";
    bool is_c1 = n == 2 && c == 0xC2 && (unsigned char)p[1] < 0xA0;
    return n == 0 || c < 0x20 || c == 0x7F || is_c1 ? "?" : NULL;
}

static size_t step(struct str s, size_t i, size_t *n)
{
    *n = str_utf8_first((struct str){s.p + i, s.n - i});
    return i + (*n ? *n : 1);
}

size_t plain_columns(struct str s)
{
    size_t columns = 0;
    size_t n = 0;
    for (size_t i = 0; i < s.n; i = step(s, i, &n)) columns++;
    return columns;
}

size_t plain_add(struct buf *out, struct str s, size_t most)
{
    if (most == 0) return 0;
    bool is_cut = plain_columns(s) > most;
    size_t used = 0;
    size_t n = 0;
    for (size_t i = 0, next; i < s.n && used < most - is_cut; i = next, used++) {
        next = step(s, i, &n);
        const char *instead = replacement(s.p + i, n);
        buf_add(out, instead ? str_of(instead) : (struct str){s.p + i, n});
    }
    if (is_cut) buf_text(out, "…");
    return used + is_cut;
}

size_t plain_add_ends(struct buf *out, struct str s, size_t most)
{
    size_t columns = plain_columns(s);
    size_t head = most / 3;
    if (columns <= most || head == 0) return plain_add(out, s, most);
    size_t n = 0;
    size_t from = 0;
    for (size_t i = columns - (most - head); i > 0; i--) from = step(s, from, &n);
    plain_add(out, s, head); /* which is cut, and so ends in an ellipsis */
    plain_add(out, (struct str){s.p + from, s.n - from}, most - head);
    return most;
}
