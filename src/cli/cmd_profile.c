/* assay profile: where time and tokens went, and what would help. */
#include "base/os.h"
#include "cli/asked.h"
#include "judge/profile.h"
#include "question/question_profile.h"
#include "report/flame.h"

#include <math.h>

struct profile_options {
    struct profile_params asked;
    const char *flame;
};

static const struct param options[] = {
    PROFILE_ROWS,
    {"flame", PARAM_TEXT, .offset = offsetof(struct profile_options, flame), .argument = "FILE",
     .help = "write the sampled stacks as a flame graph (SVG)"},
};

static bool write_flame(const struct context *c, const struct profile_list *list,
                        struct error *err)
{
    const struct profile_options *o = c->options;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].folded.n == 0) continue;
        struct buf svg;
        buf_init(&svg, (size_t)64 << 20);
        flame_write(list->items[i].folded, list->items[i].execution.label, &svg);
        bool done = stored_write(o->flame, &svg, err);
        if (done && !c->quiet) fprintf(stderr, "wrote %s\n", o->flame);
        buf_release(&svg);
        return done;
    }
    return error_set(err, ERROR_NOT_FOUND,
                     "no sampled stacks in this run; add `profile` to instrumentation "
                     "(assay run --instrument profile ...)");
}

static int run(struct context *c)
{
    const struct profile_options *o = c->options;
    struct error err = {0};
    const void *list = NULL;
    bool done = asked(c, &question_profile, NULL, &list, &err) &&
                (!o->flame || write_flame(c, list, &err));
    return done ? stored_answer(c, &answer_profile, list) : command_fail(&err);
}

const struct command command_profile = {
    .name = "profile",
    .summary = "phases, bottlenecks, tokens, sampled stacks and what would help",
    .usage = "[RUN]",
    .takes_runs = true,
    STORED_RUN(struct profile_options, asked.run),
    .examples =
        "assay run -n 5 --instrument profile -- sleep 0.01\nassay profile latest --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct profile_options),
    .run = run,
};
