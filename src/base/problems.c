#include "base/problems.h"

#include <stdarg.h>
#include <stdio.h>

bool problems_add(struct problems *p, uint32_t line, uint32_t column, const char *fmt, ...)
{
    p->total++;
    if (p->kept == PROBLEMS_MAX) return false;
    char text[500];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    p->items[p->kept++] = (struct problem){
        .file = p->file,
        .line = line,
        .column = column,
        .text = arena_printf(p->arena, "%s", text),
    };
    return false;
}
