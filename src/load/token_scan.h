/* token_scan.h - counts the tokens of a streamed answer as its bytes pass, keeping none.
 *
 * A token is a server-sent event whose JSON has a text that is not empty under one of the
 * keys that model servers put theirs under ("content", "text", "arguments", ...). The event
 * with the role, the one with the finish reason and [DONE] are not tokens. Strings are
 * followed with their escapes, so that an answer which quotes such a key is not taken for
 * one. Lines end as in http/sse.h. Bytes may be cut anywhere.
 *
 * A value: {0} is the beginning of a stream. */
#ifndef LOAD_TOKEN_SCAN_H
#define LOAD_TOKEN_SCAN_H

#include "base/str.h"

enum token_scan_state {
    TOKEN_SCAN_OUTSIDE, /* of a string */
    TOKEN_SCAN_STRING,
    TOKEN_SCAN_ESCAPE,
    TOKEN_SCAN_AFTER_KEY, /* a string that is one of the keys has ended */
    TOKEN_SCAN_COLON,     /* and a colon followed */
    TOKEN_SCAN_VALUE,     /* and the quote of its value */
};

struct token_scan {
    enum token_scan_state state;
    bool skips_lf; /* the last byte was CR */
    bool has_line; /* bytes since the last end of a line */
    bool has_token;
    uint8_t key_length; /* of the string so far; more than fit is not a key */
    char key[20];
};

/* How many events with a token ended in these bytes. */
size_t token_scan_take(struct token_scan *t, struct str bytes);

#endif
