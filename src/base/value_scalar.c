/* What a plain scalar means: the core schema of YAML 1.2, section 10.3.2. */
#include "base/value_internal.h"

static bool only(struct str s, const char *allowed)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!s.p[i] || !strchr(allowed, s.p[i])) return false;
    }
    return s.n > 0;
}

static struct str without_sign(struct str s)
{
    if (s.n && (s.p[0] == '-' || s.p[0] == '+')) return (struct str){s.p + 1, s.n - 1};
    return s;
}

/* 0x and 0o integers of the core schema; false if `s` is none. */
static bool is_based(struct str s, int *base)
{
    static const char *const digits[] = {"0123456789abcdefABCDEF", "01234567"};
    if (s.n < 3 || s.p[0] != '0' || (s.p[1] != 'x' && s.p[1] != 'o')) return false;
    *base = s.p[1] == 'x' ? 16 : 8;
    return only((struct str){s.p + 2, s.n - 2}, digits[s.p[1] == 'o']);
}

/* [-+]? ( \.[0-9]+ | [0-9]+ ( \.[0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_real(struct str s)
{
    struct str rest = without_sign(s);
    struct str mantissa = {rest.p, 0};
    while (mantissa.n < rest.n && rest.p[mantissa.n] != 'e' && rest.p[mantissa.n] != 'E') {
        mantissa.n++;
    }
    if (mantissa.n < rest.n) {
        struct str exponent = {rest.p + mantissa.n + 1, rest.n - mantissa.n - 1};
        if (!only(without_sign(exponent), "0123456789")) return false;
    }
    struct str fraction = mantissa;
    struct str whole = str_cut(&fraction, '.');
    if (whole.n == 0) return only(fraction, "0123456789");
    return only(whole, "0123456789") && (fraction.n == 0 || only(fraction, "0123456789"));
}

static bool is_one_of(struct str s, const char *const *words)
{
    for (; *words; words++) {
        if (str_is(s, *words)) return true;
    }
    return false;
}

static bool resolve_based(struct value *v, int base, struct error *why)
{
    uint64_t total = 0;
    for (size_t i = 2; i < v->source.n; i++) {
        char c = v->source.p[i];
        uint64_t digit = (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        if (total > ((uint64_t)INT64_MAX - digit) / (uint64_t)base) {
            return error_set(why, ERROR_INVALID, "integer %.40s%s does not fit in 64 bits",
                             v->source.p, v->source.n > 40 ? "..." : "");
        }
        total = total * (uint64_t)base + digit;
    }
    v->kind = VALUE_INT;
    v->integer = (int64_t)total;
    return true;
}

bool value_resolve(struct value *v, struct error *why)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const yes[] = {"true", "True", "TRUE", NULL};
    static const char *const no[] = {"false", "False", "FALSE", NULL};
    static const char *const not_finite[] = {".inf", ".Inf", ".INF", ".nan",
                                             ".NaN", ".NAN", NULL};
    struct str s = v->source;
    const char *cut = s.n > 40 ? "..." : "";
    int base = 10;
    if (is_one_of(s, nulls)) {
        v->kind = VALUE_NULL;
    } else if (is_one_of(s, yes) || is_one_of(s, no)) {
        v->kind = VALUE_BOOL;
        v->boolean = is_one_of(s, yes);
    } else if (only(without_sign(s), "0123456789")) {
        v->kind = VALUE_INT;
        if (!str_to_int(s, &v->integer)) {
            return error_set(why, ERROR_INVALID,
                             "integer %.40s%s does not fit in 64 bits; quote it if it is text",
                             s.p, cut);
        }
    } else if (is_based(s, &base)) {
        return resolve_based(v, base, why);
    } else if (is_real(s)) {
        v->kind = VALUE_REAL;
        if (!str_to_real(s, &v->real)) {
            return error_set(why, ERROR_INVALID,
                             "number %.40s%s is out of range; quote it if it is text", s.p,
                             cut);
        }
    } else if (is_one_of(without_sign(s), not_finite)) {
        return error_set(why, ERROR_INVALID,
                         "%.40s is not a finite number; quote it if it is text", s.p);
    }
    return true;
}
