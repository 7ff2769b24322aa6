/* assay tokens: who may use the API of `assay serve`. */
#include "base/clock.h"
#include "base/plain.h"
#include "base/token.h"
#include "cli/stored.h"
#include "report/answer_tokens.h"

#include <math.h>

struct tokens_options {
    int role;
    double expires_s;
    bool all;
};

static const char *const roles[] = {"read", "run", "admin", NULL};

#define AT(field) .offset = offsetof(struct tokens_options, field)

static const struct param options[] = {
    {"role", PARAM_CHOICE, AT(role), .choices = roles, .fallback = "\"read\"",
     .help = "new: what it may do; each role includes those before it"},
    {"expires", PARAM_SPAN, AT(expires_s), .argument = "SPAN", .fallback = "\"90d\"",
     .max = 366.0 * 86400 * 10, .open = true, .help = "new: how long it is valid"},
    {"all", PARAM_BOOL, AT(all), .help = "list: of every workspace"},
};

static bool is_name(struct str name)
{
    bool is = name.n > 0 && name.n <= 100 && plain_is(name);
    for (size_t i = 0; i < name.n; i++) is &= !strchr(" \t\n", name.p[i]);
    return is;
}

static const char *stamp_of(const struct context *c, double seconds_from_now)
{
    char *out = arena_new(c->arena, char, CLOCK_STAMP_SIZE);
    return clock_stamp(clock_after(clock_unix_ns(), seconds_from_now), out);
}

static bool find(struct store *store, const char *id, struct arena *out,
                 struct token_record *row, struct error *err)
{
    struct token_record *rows = NULL;
    size_t count = 0;
    if (!store_list_tokens(store, false, out, &rows, &count, err)) return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].id, id) == 0) *row = rows[i];
    }
    return true;
}

static int make(struct context *c)
{
    const struct tokens_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    char text[TOKEN_SIZE];
    char digest[SHA256_HEX_SIZE];
    struct answer_new_token a = {.token = token_new(text), .now = stamp_of(c, 0)};
    a.row.name = c->arg_count > 1 ? c->args[1] : roles[o->role];
    a.row.role = roles[o->role];
    a.row.hash = token_digest(str_of(text), digest);
    a.row.expires_at = stamp_of(c, o->expires_s);
    id_uuid7(a.row.id);
    if (!is_name(str_of(a.row.name))) {
        return command_misused(c->command,
                               "'%s' cannot be a name: 1 to 100 characters without spaces",
                               a.row.name);
    }
    const struct store_options how = {.create = true, .workspace = c->workspace};
    bool done = store_open(c->store_url, &how, &store, &err) &&
                store_put_token(store, &a.row, &err) &&
                find(store, a.row.id, c->arena, &a.row, &err);
    store_close(store);
    return done ? stored_answer(c, &answer_new_token, &a) : command_fail(&err);
}

static int list(struct context *c)
{
    const struct tokens_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    struct token_record *rows = NULL;
    struct answer_tokens a = {.now = stamp_of(c, 0)};
    bool done = stored_open(c, true, &store, &err) &&
                store_list_tokens(store, o->all, c->arena, &rows, &a.count, &err);
    store_close(store);
    a.rows = rows;
    return done ? stored_answer(c, &answer_tokens, &a) : command_fail(&err);
}

static int revoke(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    bool done =
        stored_open(c, false, &store, &err) && store_revoke_token(store, c->args[1], &err);
    store_close(store);
    if (!done) return command_fail(&err);
    if (c->json) return list(c);
    if (!c->quiet) fprintf(c->out, "'%s' is revoked\n", plain_line(c->args[1], c->arena));
    return EXIT_DONE;
}

static int run(struct context *c)
{
    static const struct {
        const char *name;
        size_t least, most;
        int (*run)(struct context *c);
    } verbs[] = {{"new", 1, 2, make}, {"list", 0, 1, list}, {"revoke", 2, 2, revoke}};
    const char *verb = c->arg_count ? c->args[0] : "list";
    for (size_t i = 0; i < COUNT(verbs); i++) {
        bool fits = c->arg_count >= verbs[i].least && c->arg_count <= verbs[i].most;
        if (strcmp(verb, verbs[i].name) == 0 && fits) return verbs[i].run(c);
    }
    return command_misused(c->command, "takes new [NAME], list or revoke NAME");
}

static const char *const words[] = {"new", "list", "revoke", NULL};

const struct command command_tokens = {
    .name = "tokens",
    .summary = "manages who may use the API: makes, lists and revokes tokens",
    .usage = "new [NAME] [--role ROLE] [--expires SPAN] | list | revoke NAME",
    .words = words,
    .examples = "assay tokens new --role run --workspace team --expires 30d ci\n"
                "assay tokens list --all\n"
                "assay tokens revoke ci",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct tokens_options),
    .run = run,
};
