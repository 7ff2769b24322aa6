/* shell.h - words as a POSIX shell reads them back. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/buf.h"

/* In quotes where it needs them. */
void shell_put_word(struct buf *out, struct str word);

#endif
