/* assay profile: where time and tokens went, and what would help. */
#include "base/os.h"
#include "cli/stored.h"
#include "judge/profile.h"
#include "report/flame.h"

#include <math.h>

struct profile_options {
    const char *agent;
    const char *flame;
    int64_t top;
};

static const struct param options[] = {
    {"agent", PARAM_TEXT, .offset = offsetof(struct profile_options, agent), .letter = 'a',
     .argument = "NAME", .help = "only executions of this agent"},
    {"flame", PARAM_TEXT, .offset = offsetof(struct profile_options, flame), .argument = "FILE",
     .help = "write the sampled stacks as a flame graph (SVG)"},
    {"top", PARAM_INT, .offset = offsetof(struct profile_options, top), .fallback = "10",
     .max = INFINITY, .help = "functions to list"},
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
        bool done = os_write_file(o->flame, buf_str(&svg), err);
        if (done && !c->quiet) fprintf(stderr, "wrote %s\n", o->flame);
        buf_release(&svg);
        return done;
    }
    return error_set(err, ERROR_NOT_FOUND,
                     "no sampled stacks in this run; add `profile` to instrumentation "
                     "(assay run --instrument profile ...)");
}

extern const struct command command_profile;

static int run(struct context *c)
{
    const struct profile_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    if (c->arg_count > 1) {
        return command_misused(&command_profile, "takes one run, got %zu", c->arg_count);
    }
    if (!stored_open(c, true, &store, &err)) return command_fail(&err);
    struct profile_list list = {0};
    bool done =
        profile_load(store, c->arg_count ? c->args[0] : "latest", c->arena, &list, &err);
    store_close(store);
    done = done && profile_keep(&list, o->agent, (size_t)o->top, &err) &&
           (!o->flame || write_flame(c, &list, &err));
    return done ? stored_answer(c, &answer_profile, &list) : command_fail(&err);
}

const struct command command_profile = {
    .name = "profile",
    .summary = "phases, bottlenecks, tokens, sampled stacks and what would help",
    .usage = "[RUN]",
    .examples =
        "assay run -n 5 --instrument profile -- sleep 0.01\nassay profile latest --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct profile_options),
    .run = run,
};
