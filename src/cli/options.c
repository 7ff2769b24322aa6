/* One table of rows for the common options, those of the command, and its own parameters:
 * words are matched against it from left to right, values are read and checked by
 * base/param.h as those of a spec are, and what was not given gets its fallback. Options that
 * hyperfine has under another name are answered with ours. */
#include "cli/options.h"

#include "base/str.h"

#include <unistd.h>

struct common {
    bool json;
    bool quiet;
    bool no_color;
    bool help;
    const char *store;
    const char *workspace;
};

#define AT(field) .offset = offsetof(struct common, field)

static const struct param common_rows[] = {
    {"json", PARAM_BOOL, AT(json), .help = "print JSON, for programs"},
    {"store", PARAM_TEXT, AT(store), .argument = "URL",
     .fallback = "\"sqlite:.assay/assay.db\"",
     .help = "where results are kept; also set by ASSAY_STORE"},
    {"workspace", PARAM_TEXT, AT(workspace), .argument = "NAME", .fallback = "\"default\"",
     .help = "whose results: workspaces do not see each other; also set by ASSAY_WORKSPACE"},
    {"quiet", PARAM_BOOL, AT(quiet), .letter = 'q', .help = "say less: no progress, no hints"},
    {"no-color", PARAM_BOOL, AT(no_color),
     .help = "no colours (also: NO_COLOR, or output that is not a terminal)"},
    {"help", PARAM_BOOL, AT(help), .letter = 'h', .help = "show this help"},
};
const struct param_table options_common = {common_rows, COUNT(common_rows)};

struct parser {
    const struct command *command;
    const char *const *words;
    size_t count;
    size_t next; /* the word to look at */
    struct arena *arena;
    char *options; /* the command's struct */
    struct common common;
    const struct value **values; /* by row (options_at): what was given, or NULL */
    const struct param **given;  /* rows in the order of the command line */
    size_t given_count;
    const char **args;
    size_t arg_count;
};

enum { NO_ROW = -1 };

const struct param *options_at(const struct command *command, size_t i)
{
    if (i < command->params.count) return &command->params.rows[i];
    i -= command->params.count;
    return i < options_common.count ? &options_common.rows[i] : NULL;
}

static const struct param *row_at(const struct parser *p, int at)
{
    const struct param *row = options_at(p->command, (size_t)at);
    CHECK(row);
    return row;
}

/* What hyperfine calls it, what it is here, and more about that or NULL. */
#define UNTIL "--until '{relative_ci: 0.02, max_iterations: 200}'"
static const struct {
    const char *theirs;
    const char *ours;
    const char *more;
} of_hyperfine[] = {
    {"r", "-n", NULL},
    {"runs", "-n", NULL},
    {"m", UNTIL, "it stops when the interval is narrow enough"},
    {"min-runs", UNTIL, "it stops when the interval is narrow enough"},
    {"M", UNTIL, NULL},
    {"max-runs", UNTIL, NULL},
    {"N", "-- PROGRAM ARGUMENTS", "no shell is started"},
    {"S", "-c CMD for /bin/sh, or -- PROGRAM ARGUMENTS", NULL},
    {"shell", "-c CMD for /bin/sh, or -- PROGRAM ARGUMENTS", NULL},
    {"P", "-L NAME 1,2,3", NULL},
    {"parameter-scan", "-L NAME 1,2,3", NULL},
    {"D", "-L NAME 1,2,3", NULL},
    {"parameter-step-size", "-L NAME 1,2,3", NULL},
    {"parameter-list", "-L", NULL},
    {"C", "--conclude", NULL},
    {"reference", "the first -c", "`assay compare` takes any two runs or cells"},
    {"export-json", "--report FILE.json", "or `assay export --format hyperfine`"},
    {"export-csv", "--report FILE.csv", NULL},
    {"export-markdown", "--report FILE.md", NULL},
    {"export-asciidoc", "--report FILE.md", NULL},
    {"export-orgmode", "--report FILE.md", NULL},
    {"show-output", "--output capture", "the output is kept with the trial"},
    {"command-name", "--name", NULL},
    {"u", "not needed", "each table chooses its unit"},
    {"time-unit", "not needed", "each table chooses its unit"},
    {"sort", "not needed", "commands keep the order in which they were given"},
    {"style", "--no-color or --quiet", NULL},
    {"color", "--no-color", NULL},
};

const char *options_of_hyperfine(struct str name, const char **more)
{
    for (size_t i = 0; i < COUNT(of_hyperfine); i++) {
        if (!str_is(name, of_hyperfine[i].theirs)) continue;
        if (more) *more = of_hyperfine[i].more;
        return of_hyperfine[i].ours;
    }
    return NULL;
}

/* By name, or by letter where that is not 0; NO_ROW if unknown. */
static int find(const struct parser *p, struct str name, char letter)
{
    const struct param *row = NULL;
    for (size_t i = 0; (row = options_at(p->command, i)); i++) {
        if (letter ? row->letter == letter : str_is(name, row->name)) return (int)i;
    }
    return NO_ROW;
}

/* Only `run` times commands: elsewhere hyperfine's words are just unknown. */
static bool unknown(const struct parser *p, struct str name, const char *dashes,
                    struct error *err)
{
    const char *more = NULL;
    bool is_run = strcmp(p->command->name, "run") == 0;
    const char *ours = is_run ? options_of_hyperfine(name, &more) : NULL;
    if (ours) {
        return error_set(err, ERROR_INVALID,
                         "unknown option '%s%.*s': hyperfine's %s%.*s is %s here%s%s", dashes,
                         STR_ARG(name), dashes, STR_ARG(name), ours, more ? "; " : "",
                         more ? more : "");
    }
    size_t count = p->command->params.count + options_common.count;
    const char **names = arena_new(p->arena, const char *, count);
    for (size_t i = 0; i < count; i++) names[i] = row_at(p, (int)i)->name;
    const char *meant = name.n > 1 ? str_suggest(name, names, count) : NULL;
    if (!meant) {
        return error_set(err, ERROR_INVALID, "unknown option '%s%.*s'", dashes, STR_ARG(name));
    }
    return error_set(err, ERROR_INVALID, "unknown option '--%.*s'; did you mean '--%s'?",
                     STR_ARG(name), meant);
}

/* The items of both as one list; either may be one value. */
static const struct value *joined(const struct value *a, const struct value *b,
                                  struct arena *out)
{
    const struct value *const both[] = {a, b};
    size_t count = 0;
    size_t room = 2;
    for (int k = 0; k < 2; k++) {
        if (both[k] && both[k]->kind == VALUE_LIST) room += both[k]->list.count;
    }
    const struct value **items = arena_new(out, const struct value *, room);
    for (int k = 0; k < 2; k++) {
        const struct value *v = both[k];
        if (v && v->kind != VALUE_LIST) items[count++] = v;
        for (size_t i = 0; v && v->kind == VALUE_LIST && i < v->list.count; i++) {
            items[count++] = v->list.items[i];
        }
    }
    return value_new_list(out, items, count);
}

static bool set_value(struct parser *p, int at, const char *text, struct error *err)
{
    struct error why = {0};
    const struct param *row = row_at(p, at);
    const struct value *v = param_from_text(row, str_of(text), p->arena);
    bool is_list = v->kind == VALUE_LIST;
    for (size_t i = 0; i < (is_list ? v->list.count : 1); i++) {
        if (param_fits(row, is_list ? v->list.items[i] : v, &why)) continue;
        return error_set(err, ERROR_INVALID, "--%s %s", row->name, why.text);
    }
    p->values[at] = param_is_list(row->type) ? joined(p->values[at], v, p->arena) : v;
    p->given[p->given_count++] = row;
    return true;
}

/* `attached` is the rest of the same word (--name=value, -xvalue), or NULL. */
static bool take(struct parser *p, int at, const char *attached, struct error *err)
{
    const struct param *row = row_at(p, at);
    if (row->type == PARAM_BOOL) {
        if (row == &common_rows[COUNT(common_rows) - 1]) p->common.help = true;
        if (!attached) return set_value(p, at, "true", err);
        return error_set(err, ERROR_INVALID, "--%s takes no value (has '%s')", row->name,
                         attached);
    }
    if (row->is_optional && !attached) {
        bool has_one = p->next < p->count && p->words[p->next][0] != '-';
        return set_value(p, at, has_one ? p->words[p->next++] : "", err);
    }
    size_t wanted = row->takes ? row->takes : 1;
    for (size_t i = 0; i < wanted; i++) {
        const char *text = attached;
        attached = NULL;
        bool is_end = p->next == p->count || (i > 0 && strcmp(p->words[p->next], "--") == 0);
        if (!text && !is_end) text = p->words[p->next++];
        if (!text) {
            return error_set(err, ERROR_INVALID, "--%s needs %s", row->name,
                             param_argument(row, p->arena));
        }
        if (!set_value(p, at, text, err)) return false;
    }
    return true;
}

static bool long_option(struct parser *p, const char *word, struct error *err)
{
    const char *equals = strchr(word, '=');
    struct str name = {word, equals ? (size_t)(equals - word) : strlen(word)};
    int at = find(p, name, 0);
    if (at == NO_ROW) return unknown(p, name, "--", err);
    return take(p, at, equals ? equals + 1 : NULL, err);
}

static bool letters(struct parser *p, const char *word, struct error *err)
{
    for (const char *letter = word; *letter; letter++) {
        int at = find(p, (struct str){0}, *letter);
        if (at == NO_ROW) return unknown(p, (struct str){letter, 1}, "-", err);
        if (row_at(p, at)->type != PARAM_BOOL) {
            return take(p, at, letter[1] ? letter + 1 : NULL, err);
        }
        if (!take(p, at, NULL, err)) return false;
    }
    return true;
}

static bool is_set(const char *text)
{
    return text && text[0];
}

/* It gets into ids, logs and headers: one word. */
static bool is_workspace(const char *name, struct error *err)
{
    size_t n = strlen(name);
    bool is = n > 0 && n <= 100 && str_is_utf8(str_of(name));
    for (size_t i = 0; i < n; i++) is &= (unsigned char)name[i] > ' ' && name[i] != 127;
    return is || error_set(err, ERROR_INVALID,
                           "--workspace: a name has 1 to 100 characters and no spaces");
}

/* Every row's value or fallback into its struct. */
static void fill_structs(struct parser *p)
{
    const struct param *row = NULL;
    for (size_t i = 0; (row = options_at(p->command, i)); i++) {
        const struct value *v = p->values[i] ? p->values[i] : param_fallback(row, p->arena);
        bool is_common = i >= p->command->params.count;
        if (v) param_store(row, v, is_common ? (void *)&p->common : p->options, p->arena);
    }
}

/* Arguments go where the command says, if it does. */
static bool take_arguments(const struct parser *p, struct error *err)
{
    const struct command *command = p->command;
    size_t most = command->argument_count;
    size_t least = 0;
    if (!command->takes) return true;
    while (least < most && !command->arguments[least].is_optional) least++;
    if (p->arg_count > 0 && most == 0)
        return error_set(err, ERROR_INVALID, "takes %s, got '%s'", command->takes, p->args[0]);
    if (p->arg_count < least || p->arg_count > most)
        return error_set(err, ERROR_INVALID, "takes %s, got %zu", command->takes, p->arg_count);
    for (size_t i = 0; i < most; i++) {
        const struct command_argument *a = &command->arguments[i];
        const char *word = i < p->arg_count ? p->args[i] : a->fallback;
        memcpy((char *)p->options + a->offset, &word, sizeof word);
    }
    return true;
}

static void fill_context(const struct parser *p, size_t dashes, struct context *c)
{
    const char *from_env = getenv("ASSAY_STORE");
    c->given = p->given;
    c->given_count = p->given_count;
    c->json = p->common.json;
    c->quiet = p->common.quiet;
    bool is_env = is_set(from_env) && !options_has(c, "store");
    c->store_url = is_env ? from_env : p->common.store;
    from_env = getenv("ASSAY_WORKSPACE");
    is_env = is_set(from_env) && !options_has(c, "workspace");
    c->workspace = is_env ? from_env : p->common.workspace;
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
    p.options = arena_alloc(c->arena, 1, command->config_size + 1, _Alignof(max_align_t));
    p.args = arena_new(c->arena, const char *, count + 1);
    p.given = arena_new(c->arena, const struct param *, 2 * count + 1);
    p.values =
        arena_new(c->arena, const struct value *, command->params.count + options_common.count);

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
    fill_structs(&p);
    /* A variable of a script that is not set, and not the wish for the default. */
    if (!is_set(p.common.store) && !p.common.help) {
        return error_set(err, ERROR_INVALID,
                         "--store needs a URL (is empty); omit it for the default");
    }
    *wants_help = p.common.help;
    fill_context(&p, dashes, c);
    return p.common.help || (is_workspace(c->workspace, err) && take_arguments(&p, err));
}

bool options_has(const struct context *c, const char *name)
{
    for (size_t i = 0; i < c->given_count; i++) {
        if (strcmp(c->given[i]->name, name) == 0) return true;
    }
    return false;
}

const char *options_first(const struct context *c, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (options_has(c, names[i])) return names[i];
    }
    return NULL;
}

void options_put_default(const struct param *row, struct buf *out)
{
    if (!row->fallback) return;
    struct str text = str_of(row->fallback);
    bool is_quoted = text.n >= 2 && text.p[0] == '"';
    if (is_quoted) text = (struct str){text.p + 1, text.n - 2};
    buf_printf(out, " (default %.*s)", STR_ARG(text));
}
