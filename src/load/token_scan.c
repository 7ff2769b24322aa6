#include "load/token_scan.h"

static bool is_key(const struct token_scan *t)
{
    static const char *const keys[] = {"content",   "text",         "arguments",
                                       "delta",     "partial_json", "reasoning_content",
                                       "reasoning", "thinking"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        if (str_is((struct str){t->key, t->key_length}, keys[i])) return true;
    }
    return false;
}

static void begin_string(struct token_scan *t)
{
    t->state = TOKEN_SCAN_STRING;
    t->key_length = 0;
}

static void take_in_string(struct token_scan *t, char c)
{
    if (c == '"') {
        bool can_be = t->key_length <= sizeof t->key && is_key(t);
        t->state = can_be ? TOKEN_SCAN_AFTER_KEY : TOKEN_SCAN_OUTSIDE;
        return;
    }
    if (c == '\\') t->state = TOKEN_SCAN_ESCAPE;
    if (t->key_length < sizeof t->key) t->key[t->key_length] = c;
    if (t->key_length <= sizeof t->key) t->key_length++;
}

static void take_byte(struct token_scan *t, char c)
{
    bool is_space = c == ' ' || c == '\t';
    switch (t->state) {
    case TOKEN_SCAN_STRING: take_in_string(t, c); return;
    case TOKEN_SCAN_ESCAPE: t->state = TOKEN_SCAN_STRING; return;
    case TOKEN_SCAN_VALUE:
        t->has_token |= c != '"';
        begin_string(t);
        t->key_length = sizeof t->key + 1; /* a value is not a key */
        take_in_string(t, c);
        return;
    case TOKEN_SCAN_AFTER_KEY:
        if (c == ':') t->state = TOKEN_SCAN_COLON;
        if (c == ':' || is_space) return;
        break;
    case TOKEN_SCAN_COLON:
        if (c == '"') t->state = TOKEN_SCAN_VALUE;
        if (c == '"' || is_space) return;
        break;
    default: break;
    }
    t->state = TOKEN_SCAN_OUTSIDE;
    if (c == '"') begin_string(t);
}

size_t token_scan_take(struct token_scan *t, struct str bytes)
{
    size_t tokens = 0;
    for (size_t i = 0; i < bytes.n; i++) {
        char c = bytes.p[i];
        bool is_second_half = c == '\n' && t->skips_lf;
        t->skips_lf = c == '\r';
        if (is_second_half) continue;
        if (c != '\n' && c != '\r') {
            t->has_line = true;
            take_byte(t, c);
            continue;
        }
        t->state = TOKEN_SCAN_OUTSIDE; /* JSON has no end of line within a string */
        if (!t->has_line) {
            tokens += t->has_token;
            t->has_token = false;
        }
        t->has_line = false;
    }
    return tokens;
}
