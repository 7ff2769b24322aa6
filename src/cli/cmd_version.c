#include "cli/stored.h"
#include "cli/version.h"
#include "report/answer_done.h"

static int run(struct context *c)
{
    return stored_answer(c, &answer_version, &(struct answer_version){version_text});
}

const struct command command_version = {
    .name = "version",
    .summary = "prints the version",
    .usage = "",
    .examples = "assay version\nassay --version",
    .run = run,
};
