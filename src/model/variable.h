/* variable.h - one variable of an `env:` map: a value, or where assay finds it.
 *
 *     env: {MODE: fast, OPENAI_API_KEY: {from: OPENAI_API_KEY}}
 *
 * `from` names a variable of assay's own environment. Its value is taken to be a
 * secret, which base/secret.h hides wherever it comes back, unless `secret: false`
 * says that it is none (HOME, LANG). */
#ifndef MODEL_VARIABLE_H
#define MODEL_VARIABLE_H

#include "base/error.h"
#include "base/value.h"

/* Its shape, whatever the environment holds. */
MUST_USE bool variable_check(const struct value *v, struct error *err);

/* What the variable is; fails where `from` names one that is not set. */
MUST_USE bool variable_read(const struct value *v, struct arena *out, const char **text,
                            struct error *err);

/* The name that holds the secret; NULL if it is none. */
const struct value *variable_secret(const struct value *v);

/* Whether a literal value looks like a key, by the variable's (or header's) name or by
 * its own beginning. */
bool variable_looks_like_key(struct str name, struct str value);

#endif
