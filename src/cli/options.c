#include "cli/options.h"

#include "base/str.h"

#include <unistd.h>

struct common {
    bool json;
    bool quiet;
    bool no_color;
    bool help;
    const char *store;
};

const struct option options_common[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct common, json),
     .help = "print JSON, for programs"},
    {.name = "store",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct common, store),
     .argument = "URL",
     .help = "where results are kept (ASSAY_STORE; default sqlite:.assay/assay.db)"},
    {.name = "quiet",
     .letter = 'q',
     .kind = OPTION_FLAG,
     .offset = offsetof(struct common, quiet),
     .help = "say less: no progress, no hints"},
    {.name = "no-color",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct common, no_color),
     .help = "no colours (also: NO_COLOR, or output that is not a terminal)"},
    {.name = "help",
     .letter = 'h',
     .kind = OPTION_FLAG,
     .offset = offsetof(struct common, help),
     .help = "show this help"},
};
const size_t options_common_count = COUNT(options_common);

struct parser {
    const struct command *command;
    const char *const *words;
    size_t count;
    size_t next; /* the word to look at */
    struct arena *arena;
    char *options; /* the command's struct */
    struct common common;
    const char **args;
    size_t arg_count;
};

/* An option, and the struct that its offset goes into. */
struct target {
    const struct option *row;
    char *base;
};

size_t options_size_of(enum option_kind kind)
{
    static const size_t sizes[] = {
        [OPTION_FLAG] = sizeof(bool),
        [OPTION_TEXT] = sizeof(const char *),
        [OPTION_INT] = sizeof(int64_t),
        [OPTION_REAL] = sizeof(double),
        [OPTION_LIST] = sizeof(struct option_list),
    };
    CHECK(kind < COUNT(sizes));
    return sizes[kind];
}

static bool matches(const struct option *row, struct str name, char letter)
{
    return letter ? row->letter == letter : str_is(name, row->name);
}

/* By name, or by letter where that is not 0; the command's own rows first. */
static struct target find(struct parser *p, struct str name, char letter)
{
    for (size_t i = 0; i < p->command->option_count; i++) {
        const struct option *row = &p->command->options[i];
        if (matches(row, name, letter)) return (struct target){row, p->options};
    }
    for (size_t i = 0; i < options_common_count; i++) {
        const struct option *row = &options_common[i];
        if (matches(row, name, letter)) return (struct target){row, (char *)&p->common};
    }
    return (struct target){0};
}

static bool unknown_name(struct parser *p, struct str name, struct error *err)
{
    size_t count = p->command->option_count + options_common_count;
    const char **names = arena_new(p->arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        size_t own = p->command->option_count;
        names[i] = i < own ? p->command->options[i].name : options_common[i - own].name;
    }
    const char *meant = str_suggest(name, names, count);
    if (!meant) {
        return error_set(err, ERROR_INVALID, "unknown option '--%.*s'", STR_ARG(name));
    }
    return error_set(err, ERROR_INVALID, "unknown option '--%.*s'; did you mean '--%s'?",
                     STR_ARG(name), meant);
}

static bool not_a(const struct option *row, const char *what, const char *text,
                  struct error *err)
{
    return error_set(err, ERROR_INVALID, "option '--%s' needs a %s (is '%s')", row->name, what,
                     text);
}

/* No number on a command line has a meaning below 0. */
static bool below_zero(const struct option *row, const char *text, struct error *err)
{
    return error_set(err, ERROR_INVALID, "option '--%s' must be at least 0 (is %s)", row->name,
                     text);
}

static bool set_value(const struct parser *p, struct target t, const char *text,
                      struct error *err)
{
    void *at = t.base + t.row->offset;
    switch (t.row->kind) {
    case OPTION_FLAG: *(bool *)at = true; return true;
    case OPTION_TEXT: *(const char **)at = text; return true;
    case OPTION_INT:
        if (!str_to_int(str_of(text), at)) return not_a(t.row, "whole number", text, err);
        return *(int64_t *)at >= 0 || below_zero(t.row, text, err);
    case OPTION_REAL:
        if (!str_to_real(str_of(text), at)) return not_a(t.row, "number", text, err);
        return *(double *)at >= 0 || below_zero(t.row, text, err);
    case OPTION_LIST: {
        struct option_list *list = at;
        /* No list can be longer than the command line. */
        if (!list->items) list->items = arena_new(p->arena, const char *, p->count);
        list->items[list->count++] = text;
        return true;
    }
    }
    return true;
}

/* `attached` is what stands in the same word (--name=value, -xvalue), or NULL. */
static bool take(struct parser *p, struct target t, const char *attached, struct error *err)
{
    const struct option *row = t.row;
    if (row->kind == OPTION_FLAG) {
        if (!attached) return set_value(p, t, NULL, err);
        return error_set(err, ERROR_INVALID, "option '--%s' takes no value (has '%s')",
                         row->name, attached);
    }
    if (row->optional_argument && !attached) {
        bool has_one = p->next < p->count && p->words[p->next][0] != '-';
        return set_value(p, t, has_one ? p->words[p->next++] : "", err);
    }
    size_t wanted = row->takes ? row->takes : 1;
    for (size_t i = 0; i < wanted; i++) {
        const char *text = attached;
        attached = NULL;
        bool is_end = p->next == p->count || (i > 0 && strcmp(p->words[p->next], "--") == 0);
        if (!text && !is_end) text = p->words[p->next++];
        if (!text) {
            return error_set(err, ERROR_INVALID, "option '--%s' needs %s", row->name,
                             row->argument ? row->argument : "a value");
        }
        if (!set_value(p, t, text, err)) return false;
    }
    return true;
}

static bool long_option(struct parser *p, const char *word, struct error *err)
{
    const char *equals = strchr(word, '=');
    struct str name = {word, equals ? (size_t)(equals - word) : strlen(word)};
    struct target t = find(p, name, 0);
    if (!t.row) return unknown_name(p, name, err);
    return take(p, t, equals ? equals + 1 : NULL, err);
}

static bool letters(struct parser *p, const char *word, struct error *err)
{
    for (const char *at = word; *at; at++) {
        struct target t = find(p, (struct str){0}, *at);
        if (!t.row) return error_set(err, ERROR_INVALID, "unknown option '-%c'", *at);
        if (t.row->kind == OPTION_FLAG) {
            if (!take(p, t, NULL, err)) return false;
            continue;
        }
        return take(p, t, at[1] ? at + 1 : NULL, err);
    }
    return true;
}

static bool is_set(const char *text)
{
    return text && text[0];
}

static void fill_context(const struct parser *p, size_t dashes, struct context *c)
{
    const char *from_env = getenv("ASSAY_STORE");
    c->json = p->common.json;
    c->quiet = p->common.quiet;
    c->store_url = is_set(p->common.store) ? p->common.store
                   : is_set(from_env)      ? from_env
                                           : "sqlite:.assay/assay.db";
    const char *term = getenv("TERM");
    bool is_dumb = !term || strcmp(term, "dumb") == 0;
    c->color = !p->common.no_color && !is_set(getenv("NO_COLOR")) && !is_dumb &&
               isatty(fileno(c->out));
    c->options = p->options;
    c->args = p->args;
    c->arg_count = p->arg_count;
    c->dashes = dashes == SIZE_MAX ? p->arg_count : dashes;
}

bool options_parse(const struct command *command, const char *const *words, size_t count,
                   struct context *c, bool *wants_help, struct error *err)
{
    struct parser p = {.command = command, .words = words, .count = count, .arena = c->arena};
    p.options = arena_alloc(c->arena, 1, command->options_size + 1, _Alignof(max_align_t));
    if (command->defaults) memcpy(p.options, command->defaults, command->options_size);
    p.args = arena_new(c->arena, const char *, count + 1);

    size_t dashes = SIZE_MAX;
    while (p.next < count && !p.common.help) {
        const char *word = words[p.next++];
        bool is_option = dashes == SIZE_MAX && word[0] == '-' && word[1]; /* "-" is a name */
        if (!is_option) {
            p.args[p.arg_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            dashes = p.arg_count;
        } else if (!(word[1] == '-' ? long_option(&p, word + 2, err)
                                    : letters(&p, word + 1, err))) {
            return false;
        }
    }
    /* A variable of a script that is not set, and not the wish for the default. */
    if (p.common.store && !*p.common.store && !p.common.help) {
        return error_set(
            err, ERROR_INVALID,
            "option '--store' needs a URL (is empty); leave it away for the default");
    }
    *wants_help = p.common.help;
    fill_context(&p, dashes, c);
    return true;
}
