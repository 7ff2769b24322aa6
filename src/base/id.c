#include "base/id.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/library.h"

#include <stdio.h>
#include <sys/random.h>

static void hex(const unsigned char *bytes, size_t n, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

/* OpenSSL is loaded when something is hashed, not at the start: its relocated
 * tables would be a fifth of the resident set of every process that we fork,
 * and with it of the smallest peak that we can report. Its functions of one
 * algorithm are called, not the general ones: those read a configuration file
 * and look for a provider, 0.9 ms the first time and more than most hashes take
 * after that. Each thread finds them once: looking them up again takes as long
 * as hashing a case. */
struct digest {
    const char *names[3];
    int (*init)(void *state);
    int (*update)(void *state, const void *data, size_t n);
    int (*final)(unsigned char *out, void *state);
};

static _Thread_local struct digest sha1 = {.names = {"SHA1_Init", "SHA1_Update", "SHA1_Final"}};
static _Thread_local struct digest sha256 = {
    .names = {"SHA256_Init", "SHA256_Update", "SHA256_Final"}};

static void find(struct digest *d)
{
    const struct library_symbol symbols[] = {
        {d->names[0], &d->init}, {d->names[1], &d->update}, {d->names[2], &d->final}};
    struct error err = {0};
    void *library = NULL;
    if (!library_load("libcrypto.so.3", "libcrypto.so.3 (package libssl3) can be loaded",
                      symbols, COUNT(symbols), &library, &err)) {
        check_failed(err.text, __FILE__, __LINE__);
    }
}

static void compute(struct digest *d, struct str bytes, unsigned char *out)
{
    if (!d->init) find(d);
    uint64_t state[32]; /* SHA256_CTX, the larger one, has 112 bytes */
    CHECK(d->init(state) && d->update(state, bytes.p ? bytes.p : "", bytes.n) &&
          d->final(out, state));
}

const char *id_sha256(struct str bytes, char *out)
{
    unsigned char raw[32];
    compute(&sha256, bytes, raw);
    hex(raw, 32, out);
    return out;
}

uint64_t id_hash(struct str bytes)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < bytes.n; i++) h = (h ^ (unsigned char)bytes.p[i]) * 0x100000001B3u;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
    return h ^ (h >> 32);
}

static const char *write_uuid(unsigned char raw[16], unsigned version, char *out)
{
    raw[6] = (unsigned char)((raw[6] & 0x0F) | (version << 4));
    raw[8] = (unsigned char)((raw[8] & 0x3F) | 0x80);
    char digits[33];
    hex(raw, 16, digits);
    snprintf(out, UUID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", digits, digits + 8, digits + 12,
             digits + 16, digits + 20);
    return out;
}

const char *id_uuid7(char *out)
{
    unsigned char raw[16];
    CHECK(getrandom(raw, sizeof raw, 0) == (ssize_t)sizeof raw);
    uint64_t now_ns = (uint64_t)clock_unix_ns();
    uint64_t ms = now_ns / 1000000;
    for (int i = 0; i < 6; i++) raw[i] = (unsigned char)(ms >> (40 - 8 * i));
    /* rand_a carries the fraction of the millisecond (RFC 9562, 6.2 method 3),
     * so that ids made one after the other sort in that order. */
    uint64_t fraction = (now_ns % 1000000) * 4096 / 1000000;
    raw[6] = (unsigned char)(fraction >> 8);
    raw[7] = (unsigned char)fraction;
    return write_uuid(raw, 7, out);
}

const char *id_short(const char *uuid)
{
    enum { LAST_BLOCK = 24 };
    return strlen(uuid) == UUID_SIZE - 1 ? uuid + LAST_BLOCK : uuid;
}

const char *id_uuid5(struct str workspace, const char *kind, struct str name, char *out)
{
    /* Our own namespace: the UUIDv5 of "assay" in the DNS namespace would do as
     * well; what matters is that it never changes. */
    static const unsigned char namespace[16] = {0x5c, 0x1e, 0x6b, 0x3a, 0x91, 0x4d, 0x4f, 0x0e,
                                                0x8a, 0x52, 0x2d, 0x7f, 0xc0, 0x13, 0xe6, 0xb4};
    struct buf text;
    buf_init(&text, SIZE_MAX / 2); /* names come from files of others */
    buf_add_bytes(&text, namespace, sizeof namespace);
    buf_add(&text, workspace);
    buf_add_char(&text, '\x1f');
    buf_text(&text, kind);
    buf_add_char(&text, '\x1f');
    buf_add(&text, name);
    CHECK(!text.overflow);
    unsigned char raw[20];
    compute(&sha1, buf_str(&text), raw);
    buf_release(&text);
    return write_uuid(raw, 5, out);
}
