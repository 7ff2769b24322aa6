#include "base/number.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Zeros of other scripts; each is followed by its 1 to 9 (Unicode's category Nd). */
static const uint32_t zeros[] = {
    0x660,   0x6F0,   0x7C0,   0x966,   0x9E6,   0xA66,   0xAE6,   0xB66,   0xBE6,   0xC66,
    0xCE6,   0xD66,   0xDE6,   0xE50,   0xED0,   0xF20,   0x1040,  0x1090,  0x17E0,  0x1810,
    0x1946,  0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,  0xA8D0,
    0xA900,  0xA9D0,  0xA9F0,  0xAA50,  0xABF0,  0xFF10,  0x104A0, 0x10D30, 0x11066, 0x110F0,
    0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950,
    0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2,
    0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E950, 0x1FBF0,
};

static bool is_foreign_digit(uint32_t c)
{
    for (size_t i = 0; i < COUNT(zeros); i++) {
        if (c >= zeros[i] && c < zeros[i] + 10) return true;
    }
    return false;
}

/* What words are made of. Scripts without spaces between words (Han, kana, Hangul) part them,
 * and so do signs: a number may follow. */
static bool is_word(uint32_t c)
{
    return (c < 0x80 && (is_digit((char)c) || c == '_')) || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0x1FFF && c != 0xD7 && c != 0xF7) ||
           (c >= 0x2C00 && c <= 0x2DFF) || (c >= 0xA4D0 && c <= 0xABFF) ||
           (c >= 0x10000 && c <= 0x1EFFF) || is_foreign_digit(c);
}

/* The first character of a text that is not empty; of what is not UTF-8, a letter. */
static uint32_t character(struct str s, size_t *bytes)
{
    static const uint8_t heads[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    size_t n = str_utf8_first(s);
    *bytes = n ? n : 1;
    if (n == 0) return 'a';
    uint32_t c = (uint8_t)s.p[0] & heads[n];
    for (size_t i = 1; i < n; i++) c = c << 6 | ((uint8_t)s.p[i] & 0x3Fu);
    return c;
}

static size_t sign_length(struct str s)
{
    if (s.n && (s.p[0] == '-' || s.p[0] == '+')) return 1;
    return str_starts(s, S("\xE2\x88\x92")) ? 3 : 0;
}

static size_t digits_at(struct str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && is_digit(s.p[at + n])) n++;
    return n;
}

/* "1,234,567" at the start of s: its length, 0 if it is not grouped. */
static size_t grouped(struct str s, char thousands)
{
    size_t n = digits_at(s, 0);
    if (!thousands || n == 0 || n > 3) return 0;
    size_t end = n;
    while (end < s.n && s.p[end] == thousands && digits_at(s, end + 1) == 3) end += 4;
    return end > n ? end : 0;
}

/* How long the number without sign at the start of s is; 0 = there is none. */
static size_t magnitude(struct str s, char thousands)
{
    size_t whole = grouped(s, thousands);
    if (whole == 0) whole = digits_at(s, 0);
    size_t end = whole;
    if (end < s.n && s.p[end] == '.') {
        size_t fraction = digits_at(s, end + 1);
        if (whole == 0 && fraction == 0) return 0;
        if (fraction) end += 1 + fraction; /* "4." at the end of a sentence is 4 */
    }
    if (end == 0) return 0;
    if (end < s.n && (s.p[end] == 'e' || s.p[end] == 'E')) {
        size_t sign = end + 1 < s.n && (s.p[end + 1] == '-' || s.p[end + 1] == '+');
        size_t exponent = digits_at(s, end + 1 + sign);
        if (exponent) end += 1 + sign + exponent;
    }
    return end;
}

/* More follows than a number has: "42.42.42", "0x2a", "4_2". */
static bool goes_on(struct str s, size_t n)
{
    if (n + 1 >= s.n) return false;
    bool is_hex = n == 1 && s.p[0] == '0' && (s.p[n] == 'x' || s.p[n] == 'X');
    return is_hex || (s.p[n] == '.' && is_digit(s.p[n + 1])) ||
           (s.p[n] == '_' && is_word((uint8_t)s.p[n + 1]));
}

static bool convert(struct str s, char thousands, bool is_negative, double *value)
{
    char text[512];
    size_t n = 0;
    if (is_negative) text[n++] = '-';
    for (size_t i = 0; i < s.n; i++) {
        if (thousands && s.p[i] == thousands) continue;
        if (n == sizeof text) return false;
        text[n++] = s.p[i];
    }
    return str_to_real((struct str){text, n}, value);
}

/* What was not read is still a number: "0x2a", "4_2", 1e999. An address or a version
 * ("42.42.42") is none. */
static bool is_numeral(struct str s, size_t n)
{
    if (!goes_on(s, n)) return true;
    return s.p[n] != '.' && (s.p[n] != '_' || is_digit(s.p[n + 1]));
}

bool number_next(struct number_scan *scan, char thousands, double *value)
{
    while (scan->at < scan->text.n) {
        struct str rest = {scan->text.p + scan->at, scan->text.n - scan->at};
        size_t sign = sign_length(rest);
        struct str s = {rest.p + sign, rest.n - sign};
        bool was_inside = scan->is_inside;
        size_t n = was_inside ? 0 : magnitude(s, thousands);
        size_t bytes;
        uint32_t c = character(rest, &bytes);
        scan->at += n ? sign + n : sign ? sign : bytes;
        scan->is_inside = n || is_word(c) || (was_inside && c == '.');
        bool is_negative = sign && rest.p[0] != '+';
        if (n && !goes_on(s, n) && convert((struct str){s.p, n}, thousands, is_negative, value))
            return true;
        scan->unread += n ? is_numeral(s, n) : !was_inside && is_foreign_digit(c);
    }
    return false;
}

bool number_read(struct str text, char thousands, double *value)
{
    text = str_trim(text);
    size_t sign = sign_length(text);
    struct str s = {text.p + sign, text.n - sign};
    size_t n = magnitude(s, thousands);
    if (n == 0) return false;
    if (n + 1 == s.n && s.p[n] == '.') s.n = n; /* "4." */
    return n == s.n && convert(s, thousands, sign && text.p[0] != '+', value);
}
