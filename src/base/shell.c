#include "base/shell.h"

#include "base/plain.h"

/* $'...', as POSIX has it since 2024 and bash, zsh and ksh long before: what would give the
 * terminal orders is written as octal bytes. */
static void put_escaped_word(struct buf *out, struct str word)
{
    buf_text(out, "$'");
    for (size_t i = 0; i < word.n; i++) {
        unsigned char c = (unsigned char)word.p[i];
        if (c == '\'' || c == '\\') {
            buf_printf(out, "\\%c", c);
        } else if (c < 0x20 || c >= 0x7F) {
            buf_printf(out, "\\%03o", c);
        } else {
            buf_add_char(out, (char)c);
        }
    }
    buf_add_char(out, '\'');
}

void shell_put_word(struct buf *out, struct str word)
{
    bool is_plain = word.n > 0;
    for (size_t i = 0; i < word.n && is_plain; i++) {
        char c = word.p[i];
        is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   (c && strchr("_-./=:,@%+", c));
    }
    if (is_plain) {
        buf_add(out, word);
        return;
    }
    if (!plain_is(word)) {
        put_escaped_word(out, word);
        return;
    }
    buf_add_char(out, '\'');
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '\'') {
            buf_text(out, "'\\''");
        } else {
            buf_add_char(out, word.p[i]);
        }
    }
    buf_add_char(out, '\'');
}
