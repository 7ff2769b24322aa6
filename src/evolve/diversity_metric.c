#include "evolve/diversity_metric.h"

enum { RESTART_FROM = 20, RESTART_WINDOW = 5 };
static const double min_diversity = 0.3;

const char *const diversity_distance_names[] = {"hamming", "levenshtein", NULL};

typedef uint8_t lanes __attribute__((vector_size(16)));

/* Sixteen bytes at a time, in the compiler's own vectors: each lane counts its differing bytes
 * and is emptied before it can run over. */
static size_t differing(const char *a, const char *b, size_t n)
{
    size_t sum = 0;
    size_t i = 0;
    while (i + sizeof(lanes) <= n) {
        lanes counts = {0};
        for (int turn = 0; turn < 255 && i + sizeof(lanes) <= n; turn++, i += sizeof(lanes)) {
            lanes x;
            lanes y;
            memcpy(&x, a + i, sizeof x);
            memcpy(&y, b + i, sizeof y);
            counts -= (lanes)(x != y); /* true is -1 */
        }
        for (size_t k = 0; k < sizeof(lanes); k++) sum += counts[k];
    }
    for (; i < n; i++) sum += a[i] != b[i];
    return sum;
}

size_t diversity_hamming(struct str a, struct str b)
{
    size_t both = a.n < b.n ? a.n : b.n;
    struct str rest =
        a.n < b.n ? (struct str){b.p + both, b.n - both} : (struct str){a.p + both, a.n - both};
    size_t sum = both ? differing(a.p, b.p, both) : 0;
    for (size_t i = 0; i < rest.n; i++) sum += rest.p[i] != ' ';
    return sum;
}

/* One 64-row block of the edit matrix, one column further. `in` is the difference that comes in
 * at its top (-1, 0, 1); the one at row `last` goes out. */
struct block {
    uint64_t up, down; /* vertical differences +1, -1 */
};

static int advance(struct block *b, uint64_t equal, int in, unsigned last)
{
    uint64_t down_in = in < 0;
    uint64_t x_v = equal | b->down;
    equal |= down_in;
    uint64_t x_h = (((equal & b->up) + b->up) ^ b->up) | equal;
    uint64_t rise = b->down | ~(x_h | b->up);
    uint64_t fall = b->up & x_h;
    int out = (int)(rise >> last & 1) - (int)(fall >> last & 1);
    rise = rise << 1 | (in > 0);
    fall = fall << 1 | down_in;
    b->up = fall | ~(x_v | rise);
    b->down = rise & x_v;
    return out;
}

size_t diversity_levenshtein(struct str a, struct str b, struct arena scratch)
{
    if (a.n == 0 || b.n == 0) return a.n + b.n;
    size_t blocks = (a.n + 63) / 64;
    uint64_t *equal = arena_new(&scratch, uint64_t, 256 * blocks);
    for (size_t i = 0; i < a.n; i++) {
        equal[(unsigned char)a.p[i] * blocks + i / 64] |= (uint64_t)1 << (i % 64);
    }
    struct block *column = arena_new(&scratch, struct block, blocks);
    for (size_t k = 0; k < blocks; k++) column[k].up = ~(uint64_t)0;
    int64_t distance = (int64_t)a.n;
    unsigned bottom = (unsigned)((a.n - 1) % 64);
    for (size_t j = 0; j < b.n; j++) {
        const uint64_t *same = equal + (unsigned char)b.p[j] * blocks;
        int carry = 1; /* the first row counts insertions */
        for (size_t k = 0; k < blocks; k++) {
            carry = advance(&column[k], same[k], carry, k + 1 < blocks ? 63 : bottom);
        }
        distance += carry;
    }
    return (size_t)distance;
}

double diversity_of(const struct str *texts, size_t count, enum diversity_distance distance,
                    struct arena scratch)
{
    if (count < 2) return 1;
    size_t longest = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (texts[i].n > longest) longest = texts[i].n;
        for (size_t j = 0; j < i; j++) {
            sum += (double)(distance == DIVERSITY_HAMMING
                                ? diversity_hamming(texts[i], texts[j])
                                : diversity_levenshtein(texts[i], texts[j], scratch));
        }
    }
    double pairs = (double)count * (double)(count - 1) / 2;
    return longest > 0 ? sum / pairs / (double)longest : 0;
}

bool diversity_should_restart(const double *last, size_t count, int64_t iteration)
{
    if (iteration < RESTART_FROM || count < RESTART_WINDOW) return false;
    double sum = 0;
    for (size_t i = count - RESTART_WINDOW; i < count; i++) sum += last[i];
    return sum / RESTART_WINDOW < min_diversity;
}

size_t diversity_farthest(const struct str *candidates, size_t count, const struct str *pool,
                          size_t pool_count)
{
    size_t best = 0;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t sum = 0;
        for (size_t j = 0; j < pool_count; j++)
            sum += diversity_hamming(candidates[i], pool[j]);
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    return best;
}
