/* secret.h - keeps API keys out of what is stored and shown.
 *
 * Specs name the environment variable that holds a key, never the key. The
 * value must not come back in an answer, an error, a header or a log: whoever
 * stores or shows text from an agent passes it through secret_redact. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include "base/buf.h"
#include "base/error.h"

/* A shorter value is a word of its own language, not a key: replacing it would
 * spoil the text and hide nothing. */
enum { SECRETS_MAX = 32, SECRET_MIN_BYTES = 6 };

struct secrets {
    struct str values[SECRETS_MAX]; /* longest first */
    size_t count;
};

/* Adds a value; it must outlive the set. One that is too short or there
 * already is passed over. False when the set is full. */
MUST_USE bool secrets_add(struct secrets *s, struct str value, struct error *err);

bool secret_is_in(const struct secrets *s, struct str text);

/* Appends `text` with every secret in it replaced by [redacted]. So is the first
 * part of one at the end, where a text was cut: a quarter of it or more. */
void secret_redact(const struct secrets *s, struct str text, struct buf *out);

/* The same in the place of an error's text. */
void secret_redact_error(const struct secrets *s, struct error *err);

#endif
