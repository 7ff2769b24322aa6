#include "experiment/command_line.h"

enum { LINE_MAX_BYTES = 1 << 20 };

bool command_line_scalar(const struct value *v, struct arena *out, const char **text)
{
    char number[32];
    switch (v->kind) {
    case VALUE_LIST:
    case VALUE_MAP: return false;
    case VALUE_NULL: *text = ""; return true;
    case VALUE_BOOL: *text = v->boolean ? "true" : "false"; return true;
    case VALUE_TEXT: *text = str_cstr(out, v->source); return true;
    case VALUE_INT:
    case VALUE_REAL: break;
    }
    if (v->source.n > 0) {
        *text = str_cstr(out, v->source);
    } else if (v->kind == VALUE_INT) {
        *text = arena_printf(out, "%lld", (long long)v->integer);
    } else {
        *text = arena_printf(out, "%s", json_format_real(v->real, number));
    }
    return true;
}

/* The parameter whose "{name}" starts at `at`, or NULL. */
static const struct value_pair *placeholder(const char *at, const struct value *parameters)
{
    const char *end = strchr(at, '}');
    if (!end || !parameters || parameters->kind != VALUE_MAP) return NULL;
    struct str name = {at + 1, (size_t)(end - at) - 1};
    for (size_t i = 0; i < parameters->map.count; i++) {
        if (str_equal(parameters->map.pairs[i].key, name)) return &parameters->map.pairs[i];
    }
    return NULL;
}

static bool fill(const char *template, const struct value *parameters, struct arena *out,
                 const char **filled, struct error *err)
{
    struct buf b;
    buf_init(&b, LINE_MAX_BYTES);
    bool done = true;
    for (const char *p = template; *p && done; p++) {
        const struct value_pair *pair = *p == '{' ? placeholder(p, parameters) : NULL;
        const char *text = NULL;
        if (!pair) {
            buf_add_char(&b, *p);
        } else if (command_line_scalar(pair->value, out, &text)) {
            buf_text(&b, text);
            p += pair->key.n + 1;
        } else {
            done = error_set(err, ERROR_INVALID,
                             "parameter '%.*s' is %s; a command takes texts and numbers",
                             STR_ARG(pair->key), value_kind_name(pair->value->kind));
        }
    }
    if (done && b.overflow) {
        done = error_set(err, ERROR_INVALID, "command longer than %d bytes", LINE_MAX_BYTES);
    }
    if (done) *filled = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return done;
}

/* Takes one word off *rest, unquoted in place after it: POSIX shell quoting
 * (XCU 2.2) without expansions. False when a quote has no end. */
static bool take_word(char **rest, const char **word)
{
    char *in = *rest;
    char *out = in;
    *word = in;
    char quote = '\0';
    for (; *in && (quote || !strchr(" \t\n", *in)); in++) {
        bool escapes = *in == '\\' && quote != '\'' && in[1];
        if (escapes && (!quote || strchr("\"\\$`", in[1]))) {
            *out++ = *++in;
        } else if (quote ? *in == quote : (*in == '"' || *in == '\'')) {
            quote = (char)(quote ? '\0' : *in);
        } else {
            *out++ = *in;
        }
    }
    if (quote) return false;
    *rest = *in ? in + 1 : in;
    *out = '\0';
    return true;
}

static bool split_words(const char *text, struct arena *out, const char **words, size_t *count,
                        struct error *err)
{
    char *rest = arena_copy(out, text, strlen(text));
    for (;;) {
        rest += strspn(rest, " \t\n");
        if (!*rest) return true;
        if (!take_word(&rest, &words[(*count)++])) {
            return error_set(err, ERROR_INVALID, "a quote is not closed in: %s", text);
        }
    }
}

/* A text as an argv: words of their own, or one for the shell. */
static bool build_text(const char *text, const char *shell, struct arena *out,
                       const char ***argv, struct error *err)
{
    *argv = arena_new(out, const char *, strlen(text) / 2 + 4);
    size_t count = 0;
    if (strcmp(shell, "none") == 0) return split_words(text, out, *argv, &count, err);
    (*argv)[0] = shell;
    (*argv)[1] = "-c";
    (*argv)[2] = text;
    return true;
}

bool command_line_build(const struct param_command *command, const char *shell,
                        const struct value *parameters, struct arena *out,
                        const char *const **argv, struct error *err)
{
    const char **words = arena_new(out, const char *, command->argc + 1);
    for (size_t i = 0; i < command->argc; i++) {
        if (!fill(command->argv[i], parameters, out, &words[i], err)) return false;
    }
    if (command->shell) {
        const char *text = NULL;
        if (!fill(command->shell, parameters, out, &text, err)) return false;
        if (str_trim(str_of(text)).n == 0)
            words[0] = NULL;
        else if (!build_text(text, shell, out, &words, err))
            return false;
    }
    if (!words[0] || !*words[0]) return error_set(err, ERROR_INVALID, "the command is empty");
    *argv = words;
    return true;
}
