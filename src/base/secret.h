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
 * spoil the text and hide nothing. Of a longer one every piece of SECRET_PIECE
 * characters is hidden: what a cut leaves in clear is less than that. */
enum { SECRETS_MAX = 128, SECRET_MIN_BYTES = 6, SECRET_PIECE = 8, SECRET_BITS = 1 << 17 };

struct secrets {
    struct str values[SECRETS_MAX];
    uint8_t pieces[SECRETS_MAX]; /* characters of each that must be found together */
    size_t count;
    size_t shortest;                 /* characters of the shortest, at most SECRET_PIECE */
    uint64_t seen[SECRET_BITS / 64]; /* hashes of all pieces: a quick no */
};

/* Adds a value; it must outlive the set. One that is too short or there
 * already is passed over. False when the set is full. */
MUST_USE bool secrets_add(struct secrets *s, struct str value, struct error *err);

bool secret_is_in(const struct secrets *s, struct str text);

/* Appends `text` with every secret in it replaced by [redacted]: whole or a piece of
 * SECRET_PIECE characters or more, in either case, and also where characters are
 * percent-encoded. */
void secret_redact(const struct secrets *s, struct str text, struct buf *out);

/* `text` itself if there is nothing to hide in it, else a copy in `out`. */
struct str secret_redacted(const struct secrets *s, struct str text, struct arena *out);

/* The same in the place of an error's text. */
void secret_redact_error(const struct secrets *s, struct error *err);

#endif
