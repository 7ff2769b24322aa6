/* answer_tokens.h - the tokens of the API. */
#ifndef REPORT_ANSWER_TOKENS_H
#define REPORT_ANSWER_TOKENS_H

#include "model/record.h"

struct answer_tokens {
    const struct token_record *rows;
    size_t count;
    const char *now; /* as clock_stamp writes it: what has expired by then is said to */
};

/* The only time that a token is shown. */
struct answer_new_token {
    struct token_record row;
    const char *token;
    const char *now;
};

#endif
