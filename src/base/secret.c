/* Text and secrets are read as characters: a percent-encoded byte is the byte, an upper-case
 * letter the lower-case one. The last eight of them are kept in a word that slides over the
 * text; a word that is also found in a secret marks its characters, and marks that touch are
 * one. A filter of the hashes of all words says no to almost every other place, so the cost
 * is some nanoseconds a character however many secrets there are. Nothing is allocated. */
#include "base/secret.h"

static const struct str mask = {"[redacted]", sizeof "[redacted]" - 1};

struct window {
    uint64_t word;               /* the last eight characters */
    size_t count;                /* characters so far */
    size_t starts[SECRET_PIECE]; /* where each of the last eight begins */
};

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Takes the character at `at` into the window; returns where the next one begins. */
static size_t slide(struct window *w, struct str text, size_t at)
{
    unsigned char c = (unsigned char)text.p[at];
    size_t next = at + 1;
    if (c == '%' && at + 2 < text.n) {
        int high = hex_digit(text.p[at + 1]);
        int low = hex_digit(text.p[at + 2]);
        if (high >= 0 && low >= 0) {
            c = (unsigned char)(high * 16 + low);
            next = at + 3;
        }
    }
    if (c >= 'A' && c <= 'Z') c = (unsigned char)(c - 'A' + 'a');
    w->starts[w->count++ % SECRET_PIECE] = at;
    w->word = w->word << 8 | c;
    return next;
}

/* Where the last n characters begin. */
static size_t start_of(const struct window *w, size_t n)
{
    return w->starts[(w->count - n) % SECRET_PIECE];
}

static uint64_t last(const struct window *w, size_t n)
{
    return n < 8 ? w->word & ((UINT64_C(1) << 8 * n) - 1) : w->word;
}

static size_t bit_of(uint64_t word)
{
    return (size_t)(word * UINT64_C(0x9E3779B97F4A7C15) >> 40) % SECRET_BITS;
}

/* Characters of a secret that must be found together: eight, or all of a shorter one. */
static size_t piece_of(struct str value)
{
    struct window w = {0};
    for (size_t at = 0; at < value.n && w.count < SECRET_PIECE;) at = slide(&w, value, at);
    return w.count;
}

bool secrets_add(struct secrets *s, struct str value, struct error *err)
{
    if (value.n < SECRET_MIN_BYTES) return true;
    for (size_t i = 0; i < s->count; i++) {
        if (str_equal(s->values[i], value)) return true;
    }
    if (s->count == SECRETS_MAX) {
        return error_set(err, ERROR_INVALID, "more than %d API keys", SECRETS_MAX);
    }
    size_t piece = piece_of(value);
    if (piece < SECRET_MIN_BYTES) return true;
    s->pieces[s->count] = (uint8_t)piece;
    s->values[s->count++] = value;
    if (s->shortest == 0 || piece < s->shortest) s->shortest = piece;
    struct window w = {0};
    for (size_t at = 0; at < value.n;) {
        at = slide(&w, value, at);
        if (w.count < piece) continue;
        size_t bit = bit_of(last(&w, piece));
        s->seen[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    return true;
}

static bool has_piece(struct str value, uint64_t word, size_t n)
{
    struct window w = {0};
    for (size_t at = 0; at < value.n;) {
        at = slide(&w, value, at);
        if (w.count >= n && last(&w, n) == word) return true;
    }
    return false;
}

/* How many of the window's characters are a piece of a secret; 0 = none. */
static size_t matched(const struct secrets *s, const struct window *w)
{
    for (size_t n = SECRET_PIECE; n >= s->shortest; n--) {
        if (w->count < n) continue;
        uint64_t word = last(w, n);
        size_t bit = bit_of(word);
        if (!(s->seen[bit / 64] >> bit % 64 & 1)) continue;
        for (size_t i = 0; i < s->count; i++) {
            if (s->pieces[i] == n && has_piece(s->values[i], word, n)) return n;
        }
    }
    return 0;
}

/* The next stretch of `text` from `from` on that must be hidden; false = none. */
static bool find(const struct secrets *s, struct str text, size_t from, size_t *start,
                 size_t *end)
{
    struct window w = {0};
    bool is_found = false;
    if (s->count == 0) return false;
    for (size_t at = from; at < text.n;) {
        at = slide(&w, text, at);
        size_t n = matched(s, &w);
        size_t begin = n ? start_of(&w, n) : 0;
        if (n && (!is_found || begin <= *end)) {
            if (!is_found) *start = begin;
            is_found = true;
            *end = at;
        } else if (is_found && start_of(&w, w.count < 8 ? w.count : 8) >= *end) {
            break;
        }
    }
    return is_found;
}

bool secret_is_in(const struct secrets *s, struct str text)
{
    size_t start = 0, end = 0;
    return find(s, text, 0, &start, &end);
}

void secret_redact(const struct secrets *s, struct str text, struct buf *out)
{
    size_t from = 0, start = 0, end = 0;
    while (find(s, text, from, &start, &end)) {
        buf_add_bytes(out, text.p + from, start - from);
        buf_add(out, mask);
        from = end;
    }
    if (text.n > from) buf_add_bytes(out, text.p + from, text.n - from);
}

struct str secret_redacted(const struct secrets *s, struct str text, struct arena *out)
{
    struct buf b;
    if (!s || !secret_is_in(s, text)) return text;
    buf_init(&b, text.n * 2 + 64); /* a piece has six characters or more, its mask ten */
    secret_redact(s, text, &b);
    text = str_copy(out, buf_str(&b));
    buf_release(&b);
    return text;
}

void secret_redact_error(const struct secrets *s, struct error *err)
{
    struct str whole = str_of(err->text);
    if (!secret_is_in(s, whole)) return;
    char text[sizeof err->text];
    struct buf b;
    buf_over(&b, text, sizeof text);
    secret_redact(s, whole, &b);
    memcpy(err->text, text, sizeof text);
}
