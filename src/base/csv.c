#include "base/csv.h"

#include "base/plain.h"

/* The length in front of the closing quote, and how many quotes in it are
 * written twice; `text` begins after the opening one. */
static bool find_end(struct str text, size_t *length, size_t *pairs)
{
    *pairs = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '"') continue;
        *length = i;
        if (i + 1 == text.n || text.p[i + 1] != '"') return true;
        ++*pairs;
        i++;
    }
    return false;
}

bool csv_take_quoted(struct str *rest, struct arena *out, struct str *field)
{
    CHECK(str_starts(*rest, S("\"")));
    struct str text = {rest->p + 1, rest->n - 1};
    size_t length = 0;
    size_t pairs = 0;
    if (!find_end(text, &length, &pairs)) return false;
    *field = (struct str){text.p, length};
    *rest = (struct str){text.p + length + 1, text.n - length - 1};
    if (pairs == 0) return true;
    char *copy = arena_new(out, char, length - pairs);
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        copy[n++] = text.p[i];
        i += text.p[i] == '"';
    }
    *field = (struct str){copy, n};
    return true;
}

/* What a spreadsheet would take for a formula and work out, also after tabs and line ends, which
 * some drop: an apostrophe in front makes it text (OWASP, "CSV injection"). Numbers may have a
 * sign. */
static bool is_formula(struct str field)
{
    double number;
    while (field.n > 0 && field.p[0] && strchr("\t\r\n", field.p[0]))
        field = (struct str){field.p + 1, field.n - 1};
    return field.n > 0 && field.p[0] && strchr("=+-@", field.p[0]) &&
           !str_to_real(field, &number);
}

void csv_put(struct buf *out, struct str field)
{
    bool is_defused = is_formula(field);
    bool needs_quotes = false;
    for (size_t i = 0; i < field.n && !needs_quotes; i++) {
        needs_quotes = field.p[i] != '\0' && strchr(",\"\r\n", field.p[i]);
    }
    if (needs_quotes) buf_add_char(out, '"');
    if (is_defused) buf_add_char(out, '\'');
    if (!needs_quotes) {
        buf_add(out, field);
        return;
    }
    for (size_t i = 0; i < field.n; i++) {
        if (field.p[i] == '"') buf_add_char(out, '"');
        buf_add_char(out, field.p[i]);
    }
    buf_add_char(out, '"');
}

void csv_put_plain(struct buf *out, struct str field)
{
    struct buf shown;
    if (plain_is(field)) {
        csv_put(out, field);
        return;
    }
    buf_init(&shown, SIZE_MAX / 2);
    plain_escape(&shown, field);
    csv_put(out, buf_str(&shown));
    buf_release(&shown);
}
