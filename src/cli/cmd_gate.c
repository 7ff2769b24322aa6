/* assay gate: may this be merged? */
#include "base/os.h"
#include "cli/spec_file.h"
#include "cli/stored.h"
#include "history/gate.h"

struct gate_options {
    const char *baseline;
    const char *agent;
    const char *version;
    const char *markdown;
    const char *junit;
    bool annotations;
    bool decide;
    const char *plot;
};

#define AT(field) .offset = offsetof(struct gate_options, field)

static const struct param options[] = {
    {"baseline", PARAM_TEXT, AT(baseline), .argument = "WHAT",
     .help = "a pinned name, a version or a run (the policy's own, else as `regressions`)"},
    {"agent", PARAM_TEXT, AT(agent), .argument = "NAME",
     .help = "the newest results of this agent (name, id or name@version), not a run's"},
    {"version", PARAM_TEXT, AT(version), .argument = "TEXT",
     .help = "with --agent: that version of it (its newest)"},
    {"markdown", PARAM_TEXT, AT(markdown), .argument = "FILE",
     .help = "write a comment for a pull request"},
    {"junit", PARAM_TEXT, AT(junit), .argument = "FILE",
     .help = "write JUnit XML; alerts are skipped tests, and what is undecided too unless it "
             "fails the gate"},
    {"annotations", PARAM_BOOL, AT(annotations),
     .help = "print GitHub annotations (with --json: to standard error)"},
    {"decide", PARAM_BOOL, AT(decide), .help = "exit 4 if a block rule is undecided"},
    STORED_PLOT(struct gate_options),
};

static bool write_file(const struct gate *gate, const char *format, const char *path,
                       struct error *err)
{
    if (!path) return true;
    struct buf b;
    buf_init(&b, ANSWER_MAX_BYTES);
    answer_format_find(&answer_gate, format)->write(gate, &b);
    bool done = stored_write(path, &b, err);
    buf_release(&b);
    return done;
}

static int annotate(const struct context *c, const struct gate *gate)
{
    struct error err = {0};
    struct buf out;
    buf_init(&out, ANSWER_MAX_BYTES);
    answer_format_find(&answer_gate, "annotations")->write(gate, &out);
    bool is_whole = answer_is_whole(&out, &err);
    if (is_whole && out.n > 0) fwrite(out.p, 1, out.n, c->json ? stderr : c->out);
    buf_release(&out);
    return is_whole ? EXIT_DONE : command_fail(&err);
}

static int print(struct context *c, const struct gate *gate)
{
    const struct gate_options *o = c->options;
    int code = stored_answer(c, &answer_gate, gate);
    if (code == EXIT_DONE && o->annotations) code = annotate(c, gate);
    if (code != EXIT_DONE) return code;
    if (gate->blocked > 0) return EXIT_FAILED;
    return gate_failures(gate) > 0 ? EXIT_UNDECIDED : EXIT_DONE;
}

static int run(struct context *c)
{
    const struct gate_options *o = c->options;
    struct error err = {0};
    if (c->arg_count < 1 || c->arg_count > 2 || (c->arg_count == 2 && o->agent)) {
        return command_misused(c->command, "takes a policy, and one run or --agent");
    }
    if (o->version && !o->agent) {
        return command_misused(c->command, "--version goes with --agent");
    }
    struct str bytes = {0};
    struct problems problems = {.arena = c->arena, .file = c->args[0]};
    struct gate_policy *policy = arena_new(c->arena, struct gate_policy, 1);
    if (!spec_file_read(c->args[0], c->arena, &bytes, &err)) return command_fail(&err);
    if (!gate_read(c->args[0], bytes, c->arena, policy, &problems)) {
        return spec_file_problems(c, &problems);
    }
    struct baseline_question which = {.run = c->arg_count == 2 ? c->args[1] : NULL,
                                      .agent = o->agent,
                                      .version = o->version,
                                      .baseline = o->baseline};
    struct store *store = NULL;
    struct gate gate;
    bool done = stored_open(c, true, &store, &err) &&
                gate_ask(store, policy, &which, 0, c->arena, &gate, &err);
    store_close(store);
    if (done) gate.must_decide |= o->decide;
    done = done && write_file(&gate, "markdown", o->markdown, &err) &&
           write_file(&gate, "junit", o->junit, &err);
    return done ? print(c, &gate) : command_fail(&err);
}

const struct command command_gate = {
    .name = "gate",
    .summary = "checks results by a policy: blocks, alerts, exit code for CI",
    .usage = "POLICY [RUN | --agent NAME] [--baseline WHAT] [--markdown FILE] [--junit FILE]",
    .takes_runs = true,
    .examples = "assay gate specs/policies/gate.yaml\n"
                "assay gate gate.yaml latest --baseline main --markdown comment.md\n"
                "assay gate gate.yaml --agent bc --annotations --decide",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct gate_options),
    .run = run,
};
