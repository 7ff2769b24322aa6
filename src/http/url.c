#include "http/url.h"

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* %xx, and '+' for a space where `is_form`. */
static bool decode(struct str raw, bool is_form, struct arena *out, struct str *text,
                   struct error *err)
{
    char *p = arena_new(out, char, raw.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < raw.n; i++) {
        char c = raw.p[i];
        if (c == '+' && is_form) c = ' ';
        if (c == '%') {
            int high = i + 2 < raw.n ? digit(raw.p[i + 1]) : -1;
            int low = high >= 0 ? digit(raw.p[i + 2]) : -1;
            if (low < 0) return error_set(err, ERROR_INVALID, "a '%%' without two digits");
            c = (char)(high * 16 + low);
            i += 2;
        }
        p[n++] = c;
    }
    *text = (struct str){p, n};
    if (str_is_utf8(*text)) return true;
    return error_set(err, ERROR_INVALID, "text that is not UTF-8");
}

static bool parse_path(struct url *t, struct arena *out, struct error *err)
{
    struct str rest = t->path;
    if (rest.n == 0 || rest.p[0] != '/')
        return error_set(err, ERROR_INVALID, "the path does not begin with '/'");
    str_cut(&rest, '/');
    if (rest.n == 0) return true;
    while (rest.p) {
        if (t->segment_count == URL_SEGMENTS_MAX)
            return error_set(err, ERROR_NOT_FOUND, "there is nothing so deep");
        struct str segment = str_cut(&rest, '/');
        if (!decode(segment, false, out, &t->segments[t->segment_count++], err))
            return error_wrap(err, "the path has");
    }
    return true;
}

bool url_parse(struct str raw, struct arena *out, struct url *t, struct error *err)
{
    *t = (struct url){.query = raw};
    t->path = str_cut(&t->query, '?');
    if (!parse_path(t, out, err)) return false;
    struct str rest = t->query;
    while (rest.p && rest.n) {
        struct str value = str_cut(&rest, '&');
        if (value.n == 0) continue;
        if (t->pair_count == URL_PAIRS_MAX)
            return error_set(err, ERROR_INVALID, "more than %d parameters", URL_PAIRS_MAX);
        t->pairs = arena_grow(out, t->pairs, t->pair_count, sizeof *t->pairs);
        struct url_pair *pair = &t->pairs[t->pair_count++];
        struct str name = str_cut(&value, '=');
        if (!decode(name, true, out, &pair->name, err) ||
            !decode(value, true, out, &pair->value, err))
            return error_wrap(err, "the query has");
    }
    return true;
}
