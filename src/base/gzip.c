#include "base/gzip.h"

#include <limits.h>
#define ZLIB_CONST /* next_in is const */
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, BLOCK_BYTES = 1 << 16, MEMORY_LEVEL = 8 };

bool gzip_is(struct str bytes)
{
    return str_starts(bytes, S("\x1F\x8B"));
}

/* avail_in is 32 bits wide. */
static void feed(z_stream *z, struct str *bytes)
{
    size_t n = bytes->n < UINT_MAX ? bytes->n : UINT_MAX;
    z->next_in = (const Bytef *)bytes->p;
    z->avail_in = (uInt)n;
    *bytes = (struct str){bytes->p + n, bytes->n - n};
}

void gzip_pack(struct str bytes, struct buf *out)
{
    unsigned char block[BLOCK_BYTES];
    z_stream z = {0};
    int rc = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                          Z_DEFAULT_STRATEGY);
    CHECK(rc == Z_OK);
    do {
        if (z.avail_in == 0) feed(&z, &bytes);
        z.next_out = block;
        z.avail_out = sizeof block;
        rc = deflate(&z, bytes.n ? Z_NO_FLUSH : Z_FINISH);
        CHECK(rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR);
        buf_add_bytes(out, block, sizeof block - z.avail_out);
    } while (rc != Z_STREAM_END);
    deflateEnd(&z);
}

static bool inflate_member(z_stream *z, struct str *bytes, struct buf *out, struct error *err)
{
    unsigned char block[BLOCK_BYTES];
    int rc = Z_OK;
    while (rc != Z_STREAM_END) {
        if (z->avail_in == 0) feed(z, bytes);
        z->next_out = block;
        z->avail_out = sizeof block;
        rc = inflate(z, Z_NO_FLUSH);
        size_t made = sizeof block - z->avail_out;
        buf_add_bytes(out, block, made);
        if (out->overflow) {
            return error_set(err, ERROR_INVALID, "it unpacks to more than %zu MB",
                             out->max >> 20);
        }
        bool is_cut = rc == Z_BUF_ERROR || (rc == Z_OK && !made && !z->avail_in && !bytes->n);
        if (is_cut) return error_set(err, ERROR_INVALID, "it is truncated");
        if (rc != Z_OK && rc != Z_STREAM_END) {
            return error_set(err, ERROR_INVALID, "it is damaged (%s)",
                             z->msg ? z->msg : "not gzip");
        }
    }
    return true;
}

static bool inflate_all(z_stream *z, struct str bytes, struct buf *out, struct error *err)
{
    for (;;) {
        if (!inflate_member(z, &bytes, out, err)) return false;
        struct str rest = {(const char *)z->next_in, z->avail_in + bytes.n};
        if (rest.n == 0) return true;
        if (!gzip_is(rest)) break;
        int rc = inflateReset(z);
        CHECK(rc == Z_OK);
    }
    return error_set(err, ERROR_INVALID, "there are bytes after its end");
}

bool gzip_unpack(struct str bytes, struct buf *out, struct error *err)
{
    z_stream z = {0};
    int rc = inflateInit2(&z, GZIP_WINDOW);
    CHECK(rc == Z_OK);
    bool done = inflate_all(&z, bytes, out, err);
    inflateEnd(&z);
    return done;
}
