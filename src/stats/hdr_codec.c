/* The encodings of HdrHistogram, as its libraries write them; V2 is what we write. All
 * integers are big-endian:
 *
 *     int32  0x1c849314, int32 length, then zlib's bytes of
 *     int32  0x1c849313, int32 length of the counts
 *     int32  index offset (0), int32 digits
 *     int64  lowest, int64 highest, double scale (1)
 *     counts up to the largest value, zig-zag LEB128: n >= 0 is a count, -n a
 *     run of n zeros. The ninth byte of a number carries eight bits.
 *
 * Before it there were V1, of which the cookies are 0x1c849302 and 0x1c849301 and the counts
 * words of 2, 4 or 8 bytes, and V0, 0x1c849309 and 0x1c849308, which has words too and a
 * shorter header: cookie, int32 digits, int64 lowest, highest and total; its counts go on to
 * the end. In both the second lowest hexadecimal digit of a cookie is the size of a word.
 *
 * The input is foreign: every length is checked before it is believed, and the
 * counts are inflated into no more bytes than the layout can need. */
#include "stats/hdr.h"

#include "base/base64.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum {
    COOKIE_PLAIN = 0x1c849313,
    COOKIE_COMPRESSED = 0x1c849314,
    COOKIE_BASE = ~0xf0,
    COOKIE_V1 = 0x1c849301,
    COOKIE_V1_COMPRESSED = 0x1c849302,
    COOKIE_V0 = 0x1c849308,
    COOKIE_V0_COMPRESSED = 0x1c849309,
    OUTER_BYTES = 8,
    HEADER_BYTES = 40,
    HEADER_V0_BYTES = 32,
    WORD_MAX = 8,
    NUMBER_BYTES = 9, /* longest LEB128 number */
    TEXT_MAX = 64 << 20,
};

static void put_int(unsigned char *p, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--, value >>= 8) p[i] = (unsigned char)value;
}

static uint64_t get_int(const unsigned char *p, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | p[i];
    return value;
}

static size_t put_number(unsigned char *p, int64_t value)
{
    uint64_t rest = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
    size_t n = 0;
    while (rest > 0x7f && n < NUMBER_BYTES - 1) {
        p[n++] = (unsigned char)(rest | 0x80);
        rest >>= 7;
    }
    p[n++] = (unsigned char)rest;
    return n;
}

/* Bytes taken; 0 if the number does not end before `end`. */
static size_t get_number(const unsigned char *p, const unsigned char *end, int64_t *value)
{
    uint64_t bits = 0;
    for (size_t n = 0; n < NUMBER_BYTES && p + n < end; n++) {
        bool last = n == NUMBER_BYTES - 1;
        bits |= (uint64_t)(last ? p[n] : p[n] & 0x7f) << (7 * n);
        if (last || p[n] < 0x80) {
            *value = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
            return n + 1;
        }
    }
    return 0;
}

static size_t used_counts(const struct hdr *h)
{
    size_t n = h->counts_len;
    while (n > 0 && h->counts[n - 1] == 0) n--;
    return n > 0 ? n : 1;
}

static size_t put_counts(const struct hdr *h, unsigned char *p)
{
    size_t used = used_counts(h);
    size_t n = 0;
    for (size_t i = 0; i < used;) {
        size_t zeros = 0;
        while (i + zeros < used && h->counts[i + zeros] == 0) zeros++;
        n += put_number(p + n, zeros > 1 ? -(int64_t)zeros : h->counts[i]);
        i += zeros > 1 ? zeros : 1;
    }
    return n;
}

void hdr_encode(const struct hdr *h, struct buf *out)
{
    static const double scale = 1;
    uint64_t scale_bits;
    memcpy(&scale_bits, &scale, sizeof scale_bits);
    struct arena a = arena_open();
    unsigned char *plain =
        arena_new(&a, unsigned char, HEADER_BYTES + NUMBER_BYTES * used_counts(h));
    size_t n = put_counts(h, plain + HEADER_BYTES);
    put_int(plain, COOKIE_PLAIN, 4);
    put_int(plain + 4, n, 4);
    put_int(plain + 12, (uint64_t)h->digits, 4);
    put_int(plain + 16, (uint64_t)h->lowest, 8);
    put_int(plain + 24, (uint64_t)h->highest, 8);
    put_int(plain + 32, scale_bits, 8);

    uLongf packed_n = compressBound((uLong)(HEADER_BYTES + n));
    unsigned char *packed = arena_new(&a, unsigned char, OUTER_BYTES + packed_n);
    int rc = compress2(packed + OUTER_BYTES, &packed_n, plain, (uLong)(HEADER_BYTES + n),
                       Z_DEFAULT_COMPRESSION);
    CHECK(rc == Z_OK);
    put_int(packed, COOKIE_COMPRESSED, 4);
    put_int(packed + 4, packed_n, 4);

    base64_add(out, packed, OUTER_BYTES + packed_n);
    arena_close(&a);
}

static bool unpack_base64(struct str text, struct arena *out, unsigned char **bytes, size_t *n,
                          struct error *err)
{
    text = str_trim(text);
    if (text.n == 0 || text.n % 4 != 0 || text.n > TEXT_MAX)
        return error_set(err, ERROR_INVALID,
                         "the base64 text of a histogram must have a multiple of 4 characters, "
                         "at most %d (has %zu)",
                         (int)TEXT_MAX, text.n);
    *bytes = arena_new(out, unsigned char, text.n / 4 * 3 + 1);
    if (base64_decode(text, *bytes, n)) return true;
    return error_set(err, ERROR_INVALID, "the histogram is not base64");
}

/* Exactly n bytes of the stream. */
static bool inflate_bytes(z_stream *z, unsigned char *out, size_t n)
{
    z->next_out = out;
    z->avail_out = (uInt)n;
    while (z->avail_out > 0) {
        int rc = inflate(z, Z_SYNC_FLUSH);
        if (rc != Z_OK && !(rc == Z_STREAM_END && z->avail_out == 0)) return false;
    }
    return true;
}

static bool read_counts(struct hdr *h, const unsigned char *p, size_t n, struct error *err)
{
    const unsigned char *end = p + n;
    size_t index = 0;
    while (p < end) {
        int64_t number;
        size_t taken = get_number(p, end, &number);
        if (taken == 0)
            return error_set(err, ERROR_INVALID, "the histogram's last count is truncated");
        p += taken;
        uint64_t steps = number < 0 ? -(uint64_t)number : 1;
        if (steps > h->counts_len - index)
            return error_set(err, ERROR_INVALID,
                             "the histogram has counts beyond its highest value %" PRId64,
                             h->highest);
        if (number > INT64_MAX - h->total)
            return error_set(err, ERROR_INVALID, "the histogram's total does not fit");
        if (number > 0) {
            h->counts[index] = number;
            h->total += number;
        }
        index += steps;
    }
    return true;
}

static bool add_count(struct hdr *h, size_t index, uint64_t count, struct error *err)
{
    if (index >= h->counts_len)
        return error_set(err, ERROR_INVALID,
                         "the histogram has counts beyond its highest value %" PRId64,
                         h->highest);
    if (count > (uint64_t)(INT64_MAX - h->total))
        return error_set(err, ERROR_INVALID, "the histogram's total does not fit");
    if (count > 0) h->counts[index] = (int64_t)count;
    h->total += (int64_t)count;
    return true;
}

/* V0 and V1: a word a count, `n` bytes of them, or (SIZE_MAX) to the end of the stream. */
static bool inflate_words(struct hdr *h, z_stream *z, size_t n, size_t word, struct error *err)
{
    size_t most = n == SIZE_MAX ? SIZE_MAX : n / word;
    for (size_t i = 0; i < most; i++) {
        unsigned char bytes[WORD_MAX];
        z->next_out = bytes;
        z->avail_out = (uInt)word;
        int rc = Z_OK;
        while (z->avail_out > 0 && rc == Z_OK) rc = inflate(z, Z_SYNC_FLUSH);
        if (rc == Z_STREAM_END && z->avail_out == word && n == SIZE_MAX) return true;
        if (z->avail_out > 0)
            return error_set(err, ERROR_INVALID,
                             "the histogram's counts are truncated or damaged");
        if (!add_count(h, i, get_int(bytes, (int)word), err)) return false;
        if (rc == Z_STREAM_END && n == SIZE_MAX) return true;
    }
    return true;
}

/* The numbers that say how the counts are laid out. */
struct layout_numbers {
    uint32_t cookie;
    size_t word;    /* bytes of a count; 0: V2 */
    size_t payload; /* bytes of counts; SIZE_MAX: to the end */
};

static bool is_older(uint32_t cookie, uint32_t base)
{
    return (cookie & (uint32_t)COOKIE_BASE) == base;
}

static bool inflate_header(struct hdr *h, z_stream *z, struct layout_numbers *l,
                           struct arena *out, struct error *err)
{
    unsigned char header[HEADER_BYTES];
    if (!inflate_bytes(z, header, 4))
        return error_set(err, ERROR_INVALID, "the histogram's header is truncated or damaged");
    l->cookie = (uint32_t)get_int(header, 4);
    bool is_v0 = is_older(l->cookie, COOKIE_V0), is_v1 = is_older(l->cookie, COOKIE_V1);
    size_t word = (l->cookie & 0xf0) >> 4;
    bool is_word = word == 2 || word == 4 || word == 8;
    if (l->cookie != COOKIE_PLAIN && !((is_v0 || is_v1) && is_word))
        return error_set(err, ERROR_INVALID,
                         "the histogram is in no known encoding (%#" PRIx32 ")", l->cookie);
    if (!inflate_bytes(z, header + 4, (is_v0 ? HEADER_V0_BYTES : HEADER_BYTES) - 4))
        return error_set(err, ERROR_INVALID, "the histogram's header is truncated or damaged");
    l->word = is_v0 || is_v1 ? word : 0;
    l->payload = is_v0 ? SIZE_MAX : get_int(header + 4, 4);
    if (!is_v0 && get_int(header + 8, 4) != 0)
        return error_set(err, ERROR_INVALID,
                         "a histogram with shifted values is not supported");
    const unsigned char *numbers = header + (is_v0 ? 4 : 12);
    int64_t digits = (int64_t)get_int(numbers, 4);
    if (digits > INT32_MAX) digits = 0;
    return hdr_init(h, (int64_t)get_int(numbers + 4, 8), (int64_t)get_int(numbers + 12, 8),
                    (int)digits, out, err);
}

static bool inflate_histogram(struct hdr *h, z_stream *z, struct arena *out, struct error *err)
{
    struct layout_numbers l = {0};
    if (!inflate_header(h, z, &l, out, err)) return false;
    if (l.word > 0) return inflate_words(h, z, l.payload, l.word, err);
    size_t n = l.payload;
    if (n > h->counts_len * NUMBER_BYTES)
        return error_set(err, ERROR_INVALID, "a histogram of %zu counts has %zu bytes of them",
                         h->counts_len, n);
    struct arena scratch = *out;
    unsigned char *counts = arena_new(&scratch, unsigned char, n);
    if (!inflate_bytes(z, counts, n))
        return error_set(err, ERROR_INVALID, "the histogram's counts are truncated or damaged");
    return read_counts(h, counts, n, err);
}

/* The format does not carry them: they are derived from the buckets, as elsewhere. */
static void restore_extremes(struct hdr *h)
{
    int64_t range;
    for (size_t i = 0; i < h->counts_len; i++) {
        if (h->counts[i] == 0) continue;
        h->min = hdr_value_at(h, i, &range);
        break;
    }
    for (size_t i = h->counts_len; i > 0; i--) {
        if (h->counts[i - 1] == 0) continue;
        int64_t low = hdr_value_at(h, i - 1, &range);
        h->max = low + (range - 1);
        break;
    }
}

static bool is_compressed(const unsigned char *bytes, size_t n)
{
    if (n < OUTER_BYTES || get_int(bytes + 4, 4) > n - OUTER_BYTES) return false;
    uint32_t cookie = (uint32_t)get_int(bytes, 4);
    return cookie == COOKIE_COMPRESSED || is_older(cookie, COOKIE_V1_COMPRESSED) ||
           is_older(cookie, COOKIE_V0_COMPRESSED);
}

bool hdr_decode(struct hdr *h, struct str text, struct arena *out, struct error *err)
{
    struct arena scratch = arena_open();
    unsigned char *bytes = NULL;
    size_t n = 0;
    z_stream z = {0};
    bool open = false;
    bool ok = unpack_base64(text, &scratch, &bytes, &n, err);
    if (ok && !is_compressed(bytes, n))
        ok = error_set(err, ERROR_INVALID,
                       "not a compressed histogram (they begin with 'HISTFA', or of older "
                       "encodings with 'HISTgg' and 'HISTiQ')");
    if (ok) {
        open = inflateInit(&z) == Z_OK;
        CHECK(open);
        z.next_in = bytes + OUTER_BYTES;
        z.avail_in = (uInt)get_int(bytes + 4, 4);
        ok = inflate_histogram(h, &z, out, err);
    }
    if (ok) restore_extremes(h);
    if (open) inflateEnd(&z);
    arena_close(&scratch);
    return ok;
}
