/* embed.h - a small embedder of our own, for when no model is at hand.
 *
 * Method "ngram/1": the text in lower case is cut into words (runs of letters
 * and digits). Each word gives itself, its ending stripped by two rules (s; ing,
 * ed, ly, es), and its character n-grams of 3 to 5 with borders ("<cat>"), as
 * subwords in fastText (Bojanowski et al. 2017), but without training. Each
 * feature is hashed to one of EMBED_SIZE places with a sign (feature hashing,
 * Weinberger et al. 2009); words weigh 1 altogether, n-grams 1 altogether,
 * function words a tenth. The vector is scaled to length 1.
 *
 * It sees shared words and word parts, not meaning: "car" and "automobile" are
 * strangers to it. The same text gives the same bits on every machine. */
#ifndef CHECK_EMBED_H
#define CHECK_EMBED_H

#include "base/str.h"

#define EMBED_NAME "ngram/1"

enum { EMBED_SIZE = 256 };

/* EMBED_SIZE values; all 0 for a text without words. */
void embed_text(struct str text, float *out, struct arena scratch);

#endif
