/* Widths: terminals give two columns to what Unicode calls wide (East Asian Width W and F,
 * UAX #11, version 15) and none to marks that combine with the character before them. The C
 * library's wcwidth knows them too, but only in a locale, which we do not set. */
#include "base/plain.h"

struct range {
    uint32_t first, last;
};

static const struct range wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18CFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
    {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
    {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E},
    {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
    {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2},
    {0x1F6D5, 0x1F6D7}, {0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC},
    {0x1F7E0, 0x1F7EB}, {0x1F7F0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945},
    {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

static const struct range combining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489},   {0x0591, 0x05BD}, {0x05BF, 0x05BF}, {0x05C1, 0x05C2},
    {0x05C4, 0x05C5}, {0x0610, 0x061A},   {0x064B, 0x065F}, {0x0670, 0x0670}, {0x06D6, 0x06DC},
    {0x06DF, 0x06E4}, {0x0900, 0x0902},   {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D},
    {0x0E31, 0x0E31}, {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200D}, {0x20D0, 0x20FF},   {0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
};

/* Those that turn the direction of what follows: a text can show something that it is not. */
static const struct range turning[] = {
    {0x061C, 0x061C}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};

static bool is_in(const struct range *ranges, size_t count, uint32_t point)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].last < point) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && ranges[low].first <= point;
}

/* Of a character of n bytes that is UTF-8. */
static uint32_t point_of(const char *p, size_t n)
{
    static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t point = (unsigned char)p[0] & first_bits[n];
    for (size_t i = 1; i < n; i++) point = point << 6 | ((unsigned char)p[i] & 0x3F);
    return point;
}

static bool gives_orders(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point < 0xA0) ||
           is_in(turning, COUNT(turning), point);
}

/* What is shown for the character of n bytes; NULL = itself. Not UTF-8: n is 0. */
static const char *replacement(const char *p, size_t n)
{
    if (n == 1 && *p >= '\t' && *p <= '\r') return " ";
    return n == 0 || gives_orders(point_of(p, n)) ? "?" : NULL;
}

static size_t width_of(const char *p, size_t n)
{
    if (n < 2 || replacement(p, n)) return 1;
    uint32_t point = point_of(p, n);
    if (is_in(combining, COUNT(combining), point)) return 0;
    return is_in(wide, COUNT(wide), point) ? 2 : 1;
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
    for (size_t i = 0, next; i < s.n; i = next) {
        next = step(s, i, &n);
        columns += width_of(s.p + i, n);
    }
    return columns;
}

size_t plain_add(struct buf *out, struct str s, size_t most)
{
    if (most == 0) return 0;
    bool is_cut = plain_columns(s) > most;
    size_t used = 0;
    size_t n = 0;
    for (size_t i = 0, next; i < s.n; i = next) {
        next = step(s, i, &n);
        size_t width = width_of(s.p + i, n);
        if (used + width > most - is_cut) break;
        const char *instead = replacement(s.p + i, n);
        buf_add(out, instead ? str_of(instead) : (struct str){s.p + i, n});
        used += width;
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
    for (size_t left = columns; left > most - head;) {
        size_t next = step(s, from, &n);
        left -= width_of(s.p + from, n);
        from = next;
    }
    size_t used = plain_add(out, s, head); /* which is cut, and so ends in an ellipsis */
    return used + plain_add(out, (struct str){s.p + from, s.n - from}, most - head);
}

size_t plain_hidden(struct str s)
{
    size_t n = str_utf8_first(s);
    return n >= 2 && gives_orders(point_of(s.p, n)) ? n : 0;
}

void plain_escape(struct buf *out, struct str s)
{
    size_t n = 0;
    for (size_t i = 0, next; i < s.n; i = next) {
        next = step(s, i, &n);
        const char *p = s.p + i;
        if (n && !gives_orders(point_of(p, n))) {
            buf_add(out, (struct str){p, n});
        } else if (*p == '\n') {
            buf_text(out, "\\n");
        } else if (*p == '\t') {
            buf_text(out, "\\t");
        } else if (*p == '\r') {
            buf_text(out, "\\r");
        } else if (n > 1) {
            buf_printf(out, "\\u%04x", (unsigned)point_of(p, n));
        } else {
            buf_printf(out, "\\x%02x", (unsigned)(unsigned char)*p);
        }
    }
}

void plain_spaces(struct buf *out, size_t count)
{
    for (size_t i = 0; i < count; i++) buf_add_char(out, ' ');
}

void plain_end(struct buf *out)
{
    while (out->n > 0 && out->p[out->n - 1] == ' ') out->p[--out->n] = '\0';
    buf_add_char(out, '\n');
}

/* The next word, with "= 0.002" or "< 1e-9" after it: "p = 0.002" stays in one line. */
static struct str next_word(struct str *words)
{
    struct str word = str_cut(words, ' ');
    while (words->p && words->n > 2 && (words->p[0] == '=' || words->p[0] == '<') &&
           words->p[1] == ' ') {
        (void)str_cut(words, ' ');
        struct str value = str_cut(words, ' ');
        word.n = (size_t)(value.p + value.n - word.p);
    }
    return word;
}

void plain_wrap(struct buf *out, struct str words, size_t width, size_t column, size_t indent)
{
    while (words.p) {
        struct str word = next_word(&words);
        size_t n = plain_columns(word);
        if (n > 0 && column + n > width && column > indent) {
            plain_end(out);
            plain_spaces(out, indent);
            column = indent;
        }
        plain_add(out, word, n);
        buf_add_char(out, ' ');
        column += n + 1;
    }
    plain_end(out);
}

bool plain_is(struct str s)
{
    size_t n = 0;
    for (size_t i = 0, next; i < s.n; i = next) {
        next = step(s, i, &n);
        if (n == 0 || gives_orders(point_of(s.p + i, n))) return false;
    }
    return true;
}

const char *plain_line(const char *text, struct arena *out)
{
    if (!text || plain_is(str_of(text))) return text;
    struct buf b;
    buf_init(&b, SIZE_MAX / 2);
    plain_escape(&b, str_of(text));
    const char *line = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return line;
}
