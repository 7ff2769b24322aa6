/* A store is never altered silently; this is how it is altered. */
#include "base/json.h"
#include "cli/command.h"
#include "cli/stored.h"
#include "store/store.h"

extern const struct command command_migrate;

static int run(struct context *c)
{
    struct error err = {0};
    if (c->arg_count > 0) {
        return command_misused(&command_migrate, "takes no argument, got '%s'; --store URL",
                               c->args[0]);
    }
    struct store_versions versions;
    if (!store_migrate(c->store_url, &versions, &err)) return command_fail(&err);
    struct buf text;
    buf_init(&text, 65536);
    if (c->json) {
        struct json j;
        json_open(&j, &text, "assay.migrate/1");
        json_put_text(&j, "store", c->store_url);
        json_put_int(&j, "from", versions.from);
        json_put_int(&j, "to", versions.to);
        json_close(&j);
    } else if (!c->quiet) {
        bool was_older = versions.from < versions.to;
        buf_printf(&text, was_older ? "%s: schema %d, now %d\n" : "%s: schema %d already\n",
                   c->store_url, versions.from, versions.to);
    }
    int code = stored_print(c, &text);
    buf_release(&text);
    return code;
}

const struct command command_migrate = {
    .name = "migrate",
    .summary = "brings a store made by an older version up to this one",
    .usage = "",
    .examples = "assay migrate --store sqlite:.assay/assay.db",
    .run = run,
};
