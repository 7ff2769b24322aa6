#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct buf *out, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t bits = (uint32_t)p[i] << 16;
        if (left > 1) bits |= (uint32_t)p[i + 1] << 8;
        if (left > 2) bits |= p[i + 2];
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                        left > 1 ? digits[bits >> 6 & 63] : '=',
                        left > 2 ? digits[bits & 63] : '='};
        buf_add_bytes(out, four, sizeof four);
    }
}

/* 0..63, or 64 for what is not a digit. */
static uint32_t digit_value(char c)
{
    if (c >= 'A' && c <= 'Z') return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z') return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0') + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : 64;
}

bool base64_decode(struct str text, unsigned char *out, size_t *n)
{
    *n = 0;
    if (text.n % 4 != 0) return false;
    for (size_t i = 0; i < text.n; i += 4) {
        const char *four = text.p + i;
        size_t count = 4;
        if (i + 4 == text.n && four[3] == '=') count = four[2] == '=' ? 2 : 3;
        uint32_t bits = 0;
        for (size_t k = 0; k < 4; k++) {
            uint32_t value = k < count ? digit_value(four[k]) : 0;
            if (value > 63) return false;
            bits = bits << 6 | value;
        }
        size_t bytes = count - 1;
        if (bits & ((UINT32_C(1) << (24 - 8 * bytes)) - 1)) return false;
        for (size_t k = 0; k < bytes; k++) {
            out[(*n)++] = (unsigned char)(bits >> (16 - 8 * k));
        }
    }
    return true;
}
