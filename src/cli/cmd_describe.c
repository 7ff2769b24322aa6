#include "cli/catalog.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/stored.h"
#include "report/answer_describe.h"
#include "spec/spec.h"

struct describe_options {
    bool schema;
    bool markdown;
};

static const struct param options[] = {
    {"schema", PARAM_BOOL, .offset = offsetof(struct describe_options, schema),
     .help = "print the JSON schema of specs, or of the answer NAME (cost, gate, ...)"},
    {"markdown", PARAM_BOOL, .offset = offsetof(struct describe_options, markdown),
     .help = "print the reference page (docs/commands.md)"},
};

enum { DESCRIBE_MAX_BYTES = 8 << 20, NAMES_MAX = 1000 };

static int put_buffer(struct context *c, struct buf *b)
{
    fprintf(c->out, "%.*s\n", STR_ARG(buf_str(b)));
    bool fits = !b->overflow;
    buf_release(b);
    CHECK(fits);
    return EXIT_DONE;
}

static int print_schema(struct context *c)
{
    struct buf b;
    const struct answer *answer = c->arg_count ? answer_find(str_of(c->args[0])) : NULL;
    if (c->arg_count && !answer) {
        return command_misused(c->command, "no answer is called '%s'", c->args[0]);
    }
    buf_init(&b, DESCRIBE_MAX_BYTES);
    if (answer) {
        layout_write_schema(answer->layout, answer->schema, &b);
    } else {
        spec_write_schema(&b);
    }
    return put_buffer(c, &b);
}

static struct described describe(const struct catalog_kind *kind,
                                 const struct registry_entry *entry)
{
    struct described d = {.kind = kind->name, .entry = *entry};
    if (!kind->is_command) return d;
    const struct command *command = (const struct command *)entry;
    d.usage = command->usage;
    d.examples = command->examples;
    d.options = entry->params;
    d.entry.params = (struct param_table){0};
    return d;
}

static int print_markdown(struct context *c)
{
    struct buf b;
    buf_init(&b, DESCRIBE_MAX_BYTES);
    buf_text(
        &b,
        "# Reference\n\n"
        "Made by `assay describe --markdown` from the program's own tables. In the column\n"
        "of remarks, *treatment* marks parameters in which contenders differ: they do not\n"
        "enter the random stream that makes the data.\n\n"
        "Every command also takes `--json`, `--store URL`, `--workspace NAME`, `-q, --quiet`,\n"
        "`--no-color` and `-h, --help`. Exit codes: 0 done; 1 something failed; 2 usage or\n"
        "spec; 3 this machine cannot; 4 undecided where a decision was demanded. A command\n"
        "that did several things (`run a.yaml b.yaml`) ends with the first of 2, 3, 1, 4, 0\n"
        "that one of them ended with.\n");
    const struct catalog_kind *kind = NULL;
    for (size_t k = 0; (kind = catalog_at(k)); k++) {
        buf_printf(&b, "\n## %s\n\n%s\n", kind->plural, kind->purpose);
        for (size_t i = 0; kind->at(i); i++) {
            struct described d = describe(kind, kind->at(i));
            answer_format_find(&answer_describe, "markdown")
                ->write(&(struct answer_describe){&d, 1}, &b);
        }
    }
    int code = stored_print_raw(c, &b);
    buf_release(&b);
    return code;
}

static void print_list(struct context *c, const struct catalog_kind *kind)
{
    fprintf(c->out, "%s - %s\n", kind->plural, kind->purpose);
    const struct registry_entry *e = NULL;
    int width = 13;
    for (size_t i = 0; (e = kind->at(i)); i++) {
        int length = (int)strlen(e->name);
        if (length > width) width = length;
    }
    for (size_t i = 0; (e = kind->at(i)); i++) {
        struct error why = {0};
        bool available = catalog_available(e, c->arena, &why);
        fprintf(c->out, "  %-*s %s%s\n", width, e->name, e->summary,
                available ? "" : " (not on this machine)");
    }
}

static bool is_meant(const struct catalog_kind *kind, const struct registry_entry *e,
                     const char *name)
{
    return !name || registry_entry_is(e, str_of(name)) || strcmp(name, kind->plural) == 0;
}

/* All entries of the kind `plural` that `name` means; NULL = all. */
static struct answer_describe find(struct context *c, const char *plural, const char *name)
{
    struct answer_describe a = {.entries = arena_new(c->arena, struct described, NAMES_MAX)};
    const struct catalog_kind *kind = NULL;
    for (size_t k = 0; (kind = catalog_at(k)); k++) {
        if (plural && strcmp(kind->plural, plural) != 0) continue;
        for (size_t i = 0; kind->at(i); i++) {
            struct error why = {0};
            if (!is_meant(kind, kind->at(i), name)) continue;
            CHECK(a.count < NAMES_MAX);
            struct described *d = &a.entries[a.count++];
            *d = describe(kind, kind->at(i));
            if (!catalog_available(kind->at(i), c->arena, &why))
                d->reason = str_cstr(c->arena, str_of(why.text));
        }
    }
    return a;
}

static int unknown(const struct context *c, const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    const struct catalog_kind *kind = NULL;
    for (size_t k = 0; (kind = catalog_at(k)); k++) {
        for (size_t i = 0; count < NAMES_MAX && kind->at(i); i++) {
            names[count++] = kind->at(i)->name;
        }
    }
    const char *meant = str_suggest(str_of(name), names, count);
    return command_misused(c->command, "nothing is called '%s'%s%s%s", name, STR_MEANT(meant));
}

static int print_named(struct context *c, const char *name)
{
    for (size_t k = 0; catalog_at(k); k++) {
        if (strcmp(name, catalog_at(k)->plural) != 0) continue;
        print_list(c, catalog_at(k));
        return EXIT_DONE;
    }
    struct answer_describe a = find(c, NULL, name);
    for (size_t i = 0; i < a.count; i++) {
        if (i) fputc('\n', c->out);
        if (a.entries[i].usage) {
            help_command(command_find(str_of(a.entries[i].entry.name)), c->out);
        } else {
            (void)!stored_answer(c, &answer_describe,
                                 &(struct answer_describe){&a.entries[i], 1});
        }
    }
    return a.count ? EXIT_DONE : unknown(c, name);
}

int describe_commands(struct context *c, const char *name)
{
    struct answer_describe a = find(c, "commands", name);
    return stored_answer(c, &answer_describe, &a);
}

static int run(struct context *c)
{
    const struct describe_options *o = c->options;
    if (c->arg_count > 1) return command_misused(c->command, "one name at a time");
    if (o->schema) return print_schema(c);
    if (o->markdown) return print_markdown(c);
    const char *name = c->arg_count ? c->args[0] : NULL;
    if (c->json) {
        struct answer_describe a = find(c, NULL, name);
        return a.count ? stored_answer(c, &answer_describe, &a) : unknown(c, name);
    }
    if (name) return print_named(c, name);
    for (size_t k = 0; catalog_at(k); k++) {
        if (k) fputc('\n', c->out);
        print_list(c, catalog_at(k));
    }
    if (!c->quiet) fputs("\n'assay describe NAME' shows parameters and metrics.\n", c->out);
    return EXIT_DONE;
}

const struct command command_describe = {
    .name = "describe",
    .summary = "shows what can be measured, and every parameter",
    .usage = "[NAME] [options]",
    .examples = "assay describe\n"
                "assay describe command\n"
                "assay describe instruments\n"
                "assay describe --schema > assay.schema.json\n"
                "assay describe cost --schema",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct describe_options),
    .run = run,
};
