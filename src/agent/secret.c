#include "agent/secret.h"

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

bool secrets_add_env(struct secrets *s, const char *name, struct error *err)
{
    return secrets_add(s, str_trim(str_of(getenv(name))), err);
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

bool secret_is_in(const struct secrets *s, struct str text)
{
    size_t at = 0;
    return find(s, text, &at) != NULL;
}

void secret_redact(const struct secrets *s, struct str text, struct buf *out)
{
    for (;;) {
        size_t at = 0;
        const struct str *found = find(s, text, &at);
        buf_add_bytes(out, text.p, at);
        if (!found) return;
        buf_add(out, mask);
        text = (struct str){text.p + at + found->n, text.n - at - found->n};
    }
}

void secret_redact_error(const struct secrets *s, struct error *err)
{
    struct str whole = {err->text, strlen(err->text)};
    if (!secret_is_in(s, whole)) return;
    char text[sizeof err->text];
    struct buf b;
    buf_over(&b, text, sizeof text);
    secret_redact(s, whole, &b);
    memcpy(err->text, text, sizeof text);
}
