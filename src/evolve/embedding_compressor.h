/* embedding_compressor.h - a cache of embeddings, whole or compressed: the third of the five
 * parts.
 *
 * Whole: 4 bytes a dimension. Compressed: 1 byte a dimension and one scale for each vector
 * (vec/dot.h), which the cosine does not need: 384 dimensions take 388 bytes instead of 1536,
 * 74.7 % less. Slots are reused; the bytes are those of the ledger. */
#ifndef EVOLVE_EMBEDDING_COMPRESSOR_H
#define EVOLVE_EMBEDDING_COMPRESSOR_H

#include "evolve/ledger.h"
#include "vec/dot.h"

enum { EMBEDDING_DIMENSIONS = 384 };

struct embedding_cache {
    struct ledger *ledger;
    int part;
    bool is_compressed;
    struct dot_kernels kernels;
};

struct embedding_cache embedding_cache_new(struct ledger *ledger, int part, bool is_compressed);

/* A block of the cache's heap; ledger_free ends it. */
void *embedding_put(const struct embedding_cache *c, const float *vector);
double embedding_cosine(const struct embedding_cache *c, const void *a, const void *b);

size_t embedding_bytes(bool is_compressed); /* of one, without the header of the ledger */

/* The embedding of a text: words hashed into signed dimensions, length 1. Texts that share
 * words are near. */
void embedding_of_text(const char *text, size_t n, float *vector);

#endif
