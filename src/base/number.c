#include "base/number.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80;
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
           (s.p[n] == '_' && is_word(s.p[n + 1]));
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

bool number_next(struct number_scan *scan, char thousands, double *value)
{
    /* Inside of a word or a number no other one begins. */
    bool is_inside = scan->at > 0 && is_word(scan->text.p[scan->at - 1]);
    while (scan->at < scan->text.n) {
        struct str rest = {scan->text.p + scan->at, scan->text.n - scan->at};
        size_t sign = sign_length(rest);
        struct str s = {rest.p + sign, rest.n - sign};
        size_t n = is_inside ? 0 : magnitude(s, thousands);
        size_t step = n ? sign + n : sign ? sign : 1;
        scan->at += step;
        bool is_negative = sign && rest.p[0] != '+';
        if (n && !goes_on(s, n) && convert((struct str){s.p, n}, thousands, is_negative, value))
            return true;
        char last = rest.p[step - 1];
        bool is_minus = sign == 3; /* its bytes would look like a word's */
        is_inside = !is_minus && (is_word(last) || (is_inside && last == '.'));
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
