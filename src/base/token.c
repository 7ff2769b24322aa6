#include "base/token.h"

#include <sys/random.h>

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const char *token_new(char *out)
{
    unsigned char raw[33] = {0}; /* the last byte fills the last character's bits */
    CHECK(getrandom(raw, 32, 0) == 32);
    struct str prefix = S(TOKEN_PREFIX);
    memcpy(out, prefix.p, prefix.n);
    char *p = out + prefix.n;
    for (size_t i = 0; i < 43; i++) {
        size_t bit = 6 * i;
        unsigned pair = (unsigned)raw[bit / 8] << 8 | raw[bit / 8 + 1];
        p[i] = alphabet[pair >> (10 - bit % 8) & 63];
    }
    p[43] = '\0';
    return out;
}

bool token_is_one(struct str text)
{
    struct str prefix = S(TOKEN_PREFIX);
    if (text.n != TOKEN_SIZE - 1 || !str_starts(text, prefix)) return false;
    for (size_t i = prefix.n; i < text.n; i++) {
        if (!text.p[i] || !strchr(alphabet, text.p[i])) return false;
    }
    return true;
}

const char *token_digest(struct str token, char *hex)
{
    return id_sha256(token, hex);
}

bool token_digest_equal(const char *a, const char *b)
{
    unsigned differ = 0;
    for (size_t i = 0; i < SHA256_HEX_SIZE; i++) {
        differ |= (unsigned char)a[i] ^ (unsigned char)b[i];
    }
    return differ == 0;
}
