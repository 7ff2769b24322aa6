#include "http/sse.h"

void sse_init(struct sse *s, size_t event_max)
{
    *s = (struct sse){0};
    buf_init(&s->line, event_max);
    buf_init(&s->data, event_max);
    buf_init(&s->type, event_max);
}

void sse_release(struct sse *s)
{
    buf_release(&s->line);
    buf_release(&s->data);
    buf_release(&s->type);
}

static void clear_event(struct sse *s)
{
    buf_clear(&s->data);
    buf_clear(&s->type);
    s->has_data = false;
    s->is_given = false;
}

/* "field: value" or "field:value" or "field". */
static void take_field(struct sse *s, struct str line)
{
    struct str value = line;
    struct str field = str_cut(&value, ':');
    if (str_starts(value, S(" "))) value = (struct str){value.p + 1, value.n - 1};
    if (str_is(field, "data")) {
        if (s->has_data) buf_add_char(&s->data, '\n');
        buf_add(&s->data, value);
        s->has_data = true;
    } else if (str_is(field, "event")) {
        buf_clear(&s->type);
        buf_add(&s->type, value);
    }
}

/* True if the line ended an event. */
static bool take_line(struct sse *s, struct str line)
{
    if (!s->has_begun && str_starts(line, S("\xEF\xBB\xBF"))) {
        line = (struct str){line.p + 3, line.n - 3};
    }
    s->has_begun = true;
    if (line.n > 0) {
        take_field(s, line);
        return false;
    }
    s->overflow |= s->data.overflow || s->type.overflow;
    s->is_given = true;
    return s->has_data;
}

static size_t line_length(struct str bytes)
{
    size_t n = 0;
    while (n < bytes.n && bytes.p[n] != '\n' && bytes.p[n] != '\r') n++;
    return n;
}

bool sse_next(struct sse *s, struct str *bytes, struct sse_event *event)
{
    while (bytes->n > 0) {
        if (s->is_given) clear_event(s);
        if (s->skip_lf && bytes->p[0] == '\n') {
            *bytes = (struct str){bytes->p + 1, bytes->n - 1};
            s->skip_lf = false;
            continue;
        }
        s->skip_lf = false;
        size_t n = line_length(*bytes);
        struct str line = {bytes->p, n};
        if (n == bytes->n) { /* goes on in the next piece */
            buf_add(&s->line, line);
            *bytes = (struct str){bytes->p + n, 0};
            return false;
        }
        s->skip_lf = bytes->p[n] == '\r';
        *bytes = (struct str){bytes->p + n + 1, bytes->n - n - 1};
        bool is_split = s->line.n > 0;
        if (is_split) {
            buf_add(&s->line, line);
            line = buf_str(&s->line);
            s->overflow |= s->line.overflow;
        }
        bool is_event = take_line(s, line);
        if (is_split) buf_clear(&s->line);
        if (is_event) {
            *event = (struct sse_event){buf_str(&s->type), buf_str(&s->data)};
            return true;
        }
    }
    return false;
}
