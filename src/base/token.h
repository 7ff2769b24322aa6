/* token.h - secrets that let somebody in: made, recognised, and compared.
 *
 * A token is "assay_" and 43 characters of base64url: 256 bits of the kernel's randomness,
 * nothing to guess, so that one round of SHA-256 is all it takes to store it safely. Only
 * the digest is stored; digests are compared in a time that does not depend on where they
 * differ. */
#ifndef BASE_TOKEN_H
#define BASE_TOKEN_H

#include "base/id.h"

#define TOKEN_PREFIX "assay_"
enum { TOKEN_SIZE = sizeof TOKEN_PREFIX + 43 };

/* A new one into `out` (TOKEN_SIZE bytes); returns out. */
const char *token_new(char *out);

/* It has the form of one: other texts need not be looked for. */
bool token_is_one(struct str text);

/* What is stored of it: SHA256_HEX_SIZE bytes into `hex`; returns hex. */
const char *token_digest(struct str token, char *hex);

/* Two digests as token_digest makes them; all characters are looked at, always. */
bool token_digest_equal(const char *a, const char *b);

#endif
