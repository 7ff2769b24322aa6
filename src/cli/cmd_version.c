#include "cli/command.h"
#include "cli/version.h"

static int run(struct context *c)
{
    fprintf(c->out,
            c->json ? "{\"schema\":\"assay.version/1\",\"version\":\"%s\"}\n" : "assay %s\n",
            version_text);
    return EXIT_DONE;
}

const struct command command_version = {
    .name = "version",
    .summary = "prints the version",
    .usage = "",
    .examples = "assay version\nassay --version",
    .run = run,
};
