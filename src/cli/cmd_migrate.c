/* A store is never altered silently; this is how it is altered. */
#include "cli/stored.h"
#include "report/answer_done.h"

static int run(struct context *c)
{
    struct error err = {0};
    struct store_versions versions;
    if (!store_migrate(c->store_url, &versions, &err)) return command_fail(&err);
    const struct answer_migrate a = {c->store_url, versions.from, versions.to};
    return stored_answer(c, &answer_migrate, &a);
}

const struct command command_migrate = {
    .name = "migrate",
    .summary = "brings a store made by an older version up to this one",
    .usage = "",
    .takes = "no arguments",
    .examples = "assay migrate --store sqlite:.assay/assay.db",
    .run = run,
};
