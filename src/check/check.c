#include "check/check.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdarg.h>

bool check_always(const void *config)
{
    (void)config;
    return true;
}

bool check_open_plain(void *state, const void *config, const struct check_env *env,
                      struct error *err)
{
    (void)env;
    (void)err;
    *(struct check_plain *)state = (struct check_plain){config};
    return true;
}

const void *check_config(const void *plain)
{
    return ((const struct check_plain *)plain)->config;
}

size_t check_expected_count(const struct check_input *input)
{
    if (!input->expected) return 0;
    return input->expected->kind == VALUE_LIST ? input->expected->list.count : 1;
}

const struct value *check_expected_at(const struct check_input *input, size_t i)
{
    CHECK(i < check_expected_count(input));
    return input->expected->kind == VALUE_LIST ? input->expected->list.items[i]
                                               : input->expected;
}

struct str check_text_of(const struct value *v, struct arena *out)
{
    if (v->kind == VALUE_TEXT || v->source.n) return v->source;
    return json_canonical(v, out);
}

static struct str without_fence(struct str text)
{
    text = str_trim(text);
    if (text.n < 6 || !str_starts(text, S("```")) || !str_ends(text, S("```"))) return text;
    struct str rest = {text.p, text.n - 3};
    str_cut(&rest, '\n'); /* the language follows the opening fence */
    return rest.p ? str_trim(rest) : text;
}

bool check_read_json(struct str output, bool unfence, struct arena *out,
                     const struct value **root, struct error *err)
{
    static const struct value_limits limits = {
        .max_bytes = (size_t)16 << 20,
        .max_depth = 64,
        .max_nodes = 1000000,
    };
    output = unfence ? without_fence(output) : str_trim(output);
    if (output.n == 0) return error_set(err, ERROR_INVALID, "the answer is empty");
    return value_read_json(output, &limits, out, root, err);
}

void check_problem(struct problems *problems, const struct value *options, const char *key,
                   const char *fmt, ...)
{
    const struct value *at = value_get(options, key);
    if (!at) at = options;
    va_list args;
    va_start(args, fmt);
    char text[600];
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    problems_add(problems, at ? at->line : 0, at ? at->column : 0, "%s", text);
}

bool check_say(struct check_result *result, struct arena *out, double score, const char *fmt,
               ...)
{
    va_list args;
    va_start(args, fmt);
    char text[600];
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    result->score = score;
    result->why = arena_copy(out, text, strlen(text));
    return true;
}

const char *check_shown(struct str text, struct arena *out)
{
    enum { SHOWN = 60 };
    struct str line = text;
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == '\n' || line.p[i] == '\r') line.n = i;
    }
    if (line.n > SHOWN) line.n = SHOWN;
    /* Cut at a character, not within one. */
    while (line.n > 0 && line.n < text.n && ((unsigned char)text.p[line.n] & 0xC0) == 0x80) {
        line.n--;
    }
    return arena_printf(out, "%.*s%s", STR_ARG(line), line.n < text.n ? "..." : "");
}

const char *check_escaped(struct str text, struct arena *out)
{
    enum { SHOWN = 60 };
    char memory[SHOWN * 6 + 8];
    struct buf b;
    buf_over(&b, memory, sizeof memory);
    for (size_t i = 0; i < text.n && b.n < SHOWN; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '\n' || c == '\r' || c == '\t') {
            buf_text(&b, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
        } else if (c < 0x20 || c >= 0x7f) {
            buf_printf(&b, "\\x%02x", c);
        } else {
            buf_add_char(&b, (char)c);
        }
        if (b.n >= SHOWN && i + 1 < text.n) buf_text(&b, "...");
    }
    return str_cstr(out, buf_str(&b));
}
