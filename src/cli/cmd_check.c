#include "base/os.h"
#include "cli/shipped.h"
#include "cli/spec_file.h"
#include "cli/suite_store.h"
#include "run/demand.h"
#include "run/preflight.h"
#include "run/workdirs.h"

struct check_options {
    bool all;
    struct param_texts set;
    struct param_texts only;
    struct param_texts agents;
};

static const struct param options[] = {
    {"set", PARAM_TEXT_LIST, .offset = offsetof(struct check_options, set), .argument = "K=V",
     .help = "override a parameter of the file, as `run --set` does"},
    {"only", PARAM_TEXT_LIST, .offset = offsetof(struct check_options, only),
     .argument = "NAME",
     .help = "only entries with this tag, experiment or benchmark; may be repeated"},
    {"agent", PARAM_TEXT_LIST, .offset = offsetof(struct check_options, agents),
     .argument = "NAME",
     .help = "only this agent of the suite, or a registered one, as `run --agent` does"},
    {"all", PARAM_BOOL, .offset = offsetof(struct check_options, all), .letter = 'a',
     .help = "list every cell, not only the first 20"},
};

/* The spec may still be right for another machine. */
static int say_what_is_missing(const struct context *c, struct spec *spec,
                               const struct plan *plan)
{
    struct error err = {0};
    if (!workdirs_allowed(spec, NULL, c->arena, &err)) return command_fail(&err);
    struct buf missing;
    buf_init(&missing, 1 << 16);
    bool can = preflight(spec, c->arena, &missing, &err);
    demand_of_plan(plan, *c->arena, &missing);
    if (!c->quiet) {
        if (!can) fprintf(stderr, "assay: this machine cannot run it: %s\n", err.text);
        if (missing.n) fputs(missing.p, stderr);
        spec_file_remark(c, spec);
    }
    buf_release(&missing);
    bool is_complete = can && preflight_lacking(spec, c->arena) == 0;
    return is_complete || !spec->suite ? EXIT_DONE : EXIT_UNAVAILABLE;
}

static int check_file(struct context *c, const char *path)
{
    const struct check_options *o = c->options;
    struct spec_override override = SPEC_OVERRIDE_NONE;
    override.set = o->set.items;
    override.set_count = o->set.count;
    override.only = o->only;
    override.agents = o->agents.items;
    override.agent_count = o->agents.count;
    override.find_agent = suite_store_find_agent;
    override.context = c;
    struct error err = {0};
    struct str bytes;
    const char *shipped = os_exists(path) ? NULL : shipped_spec(path, c->arena);
    if (shipped) path = shipped;
    if (!spec_file_read(path, c->arena, &bytes, &err)) return command_fail(&err);
    struct spec *spec = NULL;
    const struct plan *plan = NULL;
    int code = spec_file_plan(c, path, bytes, &override, &spec, &plan);
    if (code != EXIT_DONE) return code;
    code = spec_file_show(c, plan, o->all);
    return code == EXIT_DONE ? say_what_is_missing(c, spec, plan) : code;
}

static int run(struct context *c)
{
    if (c->arg_count == 0) return command_misused(c->command, "needs a spec file");
    int worst = EXIT_DONE;
    for (size_t i = 0; i < c->arg_count; i++) {
        worst = command_heavier(worst, check_file(c, c->args[i]));
    }
    return worst;
}

const struct command command_check = {
    .name = "check",
    .summary = "checks a spec and prints the plan, without running anything",
    .usage = "SPEC... [options]",
    .examples = "assay check command.yaml\n"
                "assay check command.yaml --set n=100 --all\n"
                "assay check command.yaml --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct check_options),
    .run = run,
};
