#include "evolve/embedding_compressor.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

struct packed {
    float scale;
    int8_t q[EMBEDDING_DIMENSIONS];
};

struct embedding_cache embedding_cache_new(struct ledger *ledger, int part, bool is_compressed)
{
    return (struct embedding_cache){ledger, part, is_compressed, dot_kernels_best()};
}

size_t embedding_bytes(bool is_compressed)
{
    return is_compressed ? sizeof(struct packed) : EMBEDDING_DIMENSIONS * sizeof(float);
}

void *embedding_put(const struct embedding_cache *c, const float *vector)
{
    void *kept = ledger_alloc(c->ledger, c->part, embedding_bytes(c->is_compressed));
    if (c->is_compressed) {
        struct packed *p = kept;
        p->scale = dot_quantise(vector, p->q, EMBEDDING_DIMENSIONS);
    } else {
        memcpy(kept, vector, embedding_bytes(false));
    }
    return kept;
}

double embedding_cosine(const struct embedding_cache *c, const void *a, const void *b)
{
    if (!c->is_compressed) return dot_cosine_f32(&c->kernels, a, b, EMBEDDING_DIMENSIONS);
    const struct packed *x = a;
    const struct packed *y = b;
    return dot_cosine_i8(&c->kernels, x->q, y->q, EMBEDDING_DIMENSIONS);
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

void embedding_of_text(const char *text, size_t n, float *vector)
{
    memset(vector, 0, embedding_bytes(false));
    for (size_t i = 0; i < n;) {
        uint64_t word = 0;
        for (; i < n && is_word(text[i]); i++) word = rng_nth(word, (unsigned char)text[i]);
        if (word) {
            /* Four signed places a word: two words that share one place are still apart. */
            for (uint64_t k = 0; k < 4; k++) {
                uint64_t h = rng_nth(word, k);
                vector[h % EMBEDDING_DIMENSIONS] += h >> 63 ? 1.0F : -1.0F;
            }
        }
        while (i < n && !is_word(text[i])) i++;
    }
    float sum = 0;
    for (size_t i = 0; i < EMBEDDING_DIMENSIONS; i++) sum += vector[i] * vector[i];
    if (sum <= 0) return;
    float length = sqrtf(sum);
    for (size_t i = 0; i < EMBEDDING_DIMENSIONS; i++) vector[i] /= length;
}
