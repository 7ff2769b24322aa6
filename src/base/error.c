#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Formats into text[0..size), and shows a cut by three dots at the end. */
PRINTF(3, 0)
static void write_text(char *text, size_t size, const char *fmt, va_list args)
{
    int needed = vsnprintf(text, size, fmt, args);
    if (needed < 0) {
        text[0] = '\0';
    } else if ((size_t)needed >= size) {
        memcpy(text + size - 4, "...", 4);
    }
}

bool error_set(struct error *err, enum error_code code, const char *fmt, ...)
{
    if (!err) return false;
    va_list args;
    va_start(args, fmt);
    char text[sizeof err->text]; /* an argument may be err->text itself */
    write_text(text, sizeof text, fmt, args);
    va_end(args);
    memcpy(err->text, text, sizeof text);
    err->code = code;
    err->parameter = NULL;
    return false;
}

bool error_unless_absent(struct error *first, const struct error *why)
{
    if (why->code != ERROR_NOT_FOUND && first->code == ERROR_NONE) *first = *why;
    return false;
}

bool error_blame(struct error *err, const char *parameter)
{
    if (err) err->parameter = parameter;
    return false;
}

bool error_wrap(struct error *err, const char *fmt, ...)
{
    if (!err) return false;
    char context[sizeof err->text];
    va_list args;
    va_start(args, fmt);
    write_text(context, sizeof context, fmt, args);
    va_end(args);
    enum error_code code = err->code == ERROR_NONE ? ERROR_FAILED : err->code;
    const char *parameter = err->parameter;
    error_set(err, code, "%s: %s", context, err->text);
    return error_blame(err, parameter);
}

bool error_set_errno(struct error *err, int errno_value, const char *fmt, ...)
{
    if (!err) return false;
    char context[sizeof err->text];
    va_list args;
    va_start(args, fmt);
    write_text(context, sizeof context, fmt, args);
    va_end(args);
    char reason[128];
    return error_set(err, errno_value == ENOENT ? ERROR_NOT_FOUND : ERROR_IO, "%s: %s", context,
                     strerror_r(errno_value, reason, sizeof reason));
}
