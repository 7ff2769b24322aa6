#include "base/secret.h"

enum { TAIL_LEAST = 4 };

static const struct str mask = {"[redacted]", sizeof "[redacted]" - 1};

bool secrets_add(struct secrets *s, struct str value, struct error *err)
{
    if (value.n < SECRET_MIN_BYTES) return true;
    for (size_t i = 0; i < s->count; i++) {
        if (str_equal(s->values[i], value)) return true;
    }
    if (s->count == SECRETS_MAX) {
        return error_set(err, ERROR_INVALID, "more than %d API keys", SECRETS_MAX);
    }
    /* A key may begin with another: the longer one must be found first. */
    size_t at = s->count++;
    for (; at > 0 && s->values[at - 1].n < value.n; at--) s->values[at] = s->values[at - 1];
    s->values[at] = value;
    return true;
}

/* The earliest secret in `text`, the longest of those; NULL = none. */
static const struct str *find(const struct secrets *s, struct str text, size_t *at)
{
    const struct str *found = NULL;
    *at = text.n;
    for (size_t i = 0; i < s->count; i++) {
        const char *p = text.n ? memmem(text.p, text.n, s->values[i].p, s->values[i].n) : NULL;
        if (!p || (size_t)(p - text.p) >= *at) continue;
        *at = (size_t)(p - text.p);
        found = &s->values[i];
    }
    return found;
}

/* How many bytes at the end of `text` are the beginning of a secret. */
static size_t tail_of(const struct secrets *s, struct str text)
{
    size_t longest = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct str v = s->values[i];
        size_t least = v.n / 4 > TAIL_LEAST ? v.n / 4 : TAIL_LEAST;
        for (size_t n = v.n - 1 < text.n ? v.n - 1 : text.n; n >= least && n > longest; n--) {
            if (memcmp(text.p + text.n - n, v.p, n) == 0) longest = n;
        }
    }
    return longest;
}

bool secret_is_in(const struct secrets *s, struct str text)
{
    size_t at = 0;
    return find(s, text, &at) != NULL || tail_of(s, text) > 0;
}

void secret_redact(const struct secrets *s, struct str text, struct buf *out)
{
    for (;;) {
        size_t at = 0;
        const struct str *found = find(s, text, &at);
        if (!found) break;
        buf_add_bytes(out, text.p, at);
        buf_add(out, mask);
        text = (struct str){text.p + at + found->n, text.n - at - found->n};
    }
    size_t tail = tail_of(s, text);
    buf_add_bytes(out, text.p, text.n - tail);
    if (tail > 0) buf_add(out, mask);
}

void secret_redact_error(const struct secrets *s, struct error *err)
{
    struct str whole = str_of(err->text);
    bool is_cut = whole.n > 3 && strcmp(err->text + whole.n - 3, "...") == 0;
    if (is_cut) whole.n -= 3;
    if (!secret_is_in(s, whole)) return;
    char text[sizeof err->text];
    struct buf b;
    buf_over(&b, text, sizeof text);
    secret_redact(s, whole, &b);
    if (is_cut) buf_text(&b, "...");
    memcpy(err->text, text, sizeof text);
}
