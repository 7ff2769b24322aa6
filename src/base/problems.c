#include "base/problems.h"

#include <stdarg.h>
#include <stdio.h>

bool problems_add(struct problems *p, uint32_t line, uint32_t column, const char *fmt, ...)
{
    char text[500];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (size_t i = 0; i < p->kept; i++) {
        const struct problem *q = &p->items[i];
        if (q->line == line && q->column == column && strcmp(q->text, text) == 0) return false;
    }
    p->total++;
    if (p->kept == PROBLEMS_MAX) return false;
    p->items[p->kept++] = (struct problem){
        .file = p->file,
        .line = line,
        .column = column,
        .text = arena_printf(p->arena, "%s", text),
    };
    return false;
}

bool problems_add_setting(struct problems *p, struct str setting, const char *fmt, ...)
{
    char why[400];
    size_t before = p->kept;
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    problems_add(p, 0, 0, "'%.*s' %s", STR_ARG(setting), why);
    if (p->kept > before) {
        p->items[before].setting = str_cstr(p->arena, setting);
        p->items[before].why = arena_printf(p->arena, "%s", why);
    }
    return false;
}

static bool stands_before(const struct problem *a, const struct problem *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* By insertion: at most 20, and equal places stay in order. */
void problems_sort(struct problems *p)
{
    for (size_t i = 1; i < p->kept; i++) {
        struct problem moved = p->items[i];
        size_t k = i;
        for (; k > 0 && stands_before(&moved, &p->items[k - 1]); k--) {
            p->items[k] = p->items[k - 1];
        }
        p->items[k] = moved;
    }
}
