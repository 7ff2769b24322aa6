#include "base/os.h"
#include "cli/stored.h"
#include "report/answer_done.h"

struct init_options {
    bool force;
};

static const struct param options[] = {
    {"force", PARAM_BOOL, .offset = offsetof(struct init_options, force), .letter = 'f',
     .help = "overwrite an existing file"},
};

static const char command_text[] =
    "# A benchmark of commands, ready to run: change what you like.\n"
    "#     assay check command.yaml       what would be done\n"
    "#     assay run command.yaml         do it\n"
    "#     assay show latest --explain    what came out, and what it rests on\n"
    "#     assay describe command         every parameter\n"
    "experiment: command\n"
    "\n"
    "# What is compared. They take turns, trial by trial, so that a machine that gets\n"
    "# slower or faster meanwhile does so for all of them. A list is started as it is;\n"
    "# a text (\"ls | wc -l\") is run by the shell.\n"
    "sweep:\n"
    "  command:\n"
    "    - [wc, -l, /etc/passwd]\n"
    "    - [grep, -c, \"\", /etc/passwd]\n"
    "    - [awk, \"END { print NR }\", /etc/passwd]\n"
    "\n"
    "# Warm-up trials are made and dropped (`steady` = until they level off).\n"
    "iterations: {warmup: 3, measured: 30}\n"
    "\n"
    "# Instead of a fixed number: until the median is known to 2 %, within limits.\n"
    "# until: {relative_ci: 0.02, max_iterations: 500, max_seconds: 60}\n"
    "\n"
    "# What every trial also needs, and how it is run.\n"
    "# params:\n"
    "#   prepare: sync                # before each trial, not timed\n"
    "#   input: /etc/services         # standard input\n"
    "#   output: capture              # keep what it prints\n"
    "#   ignore_failure: true         # a non-zero exit code is a success too\n"
    "\n"
    "# Measured besides time: `assay describe instruments` lists what there is.\n"
    "instrumentation: [rusage]\n"
    "\n"
    "tags: [example]\n"
    "seed: 42\n";

static const char suite_text[] =
    "# A suite: the same questions to several agents, answers scored. Ready to run.\n"
    "#     assay check suite.yaml               what would be done\n"
    "#     assay run suite.yaml                 do it\n"
    "#     assay run suite.yaml --agent awk     only one of them\n"
    "#     assay run suite.yaml --only words    only one benchmark (id or tag)\n"
    "#     assay show latest --explain          what came out, and what it rests on\n"
    "suite: {id: first-steps, name: First steps, category: comprehensive, version: \"1.0\"}\n"
    "\n"
    "# Who answers. `process` runs a command per question: the question on standard\n"
    "# input, the answer on standard output. `assay describe agents` lists the other\n"
    "# kinds: long-lived processes, HTTP services, OpenAI-compatible models, plugins.\n"
    "agents:\n"
    "  - id: awk\n"
    "    version: \"1\"\n"
    "    process: {command: 'read e; awk \"BEGIN { print $e }\"'}\n"
    "    prices: {input: 0, output: 0}      # USD per 1M tokens; 0 = free\n"
    "  - id: shell\n"
    "    version: \"1\"\n"
    "    process: {command: 'read e; echo $(($e))'}  # whole numbers only\n"
    "    prices: {input: 0, output: 0}\n"
    "\n"
    "benchmarks:\n"
    "  - id: sums\n"
    "    test_type: synthetic               # synthetic, real_world, stress, edge_case\n"
    "    tags: [numbers]\n"
    "    # Or a file, one JSON object a line: dataset: {source: cases.jsonl, size: 100}\n"
    "    cases:\n"
    "      - {id: small, input: \"1 + 1\", expected: \"2\"}\n"
    "      - {id: product, input: \"6 * 7\", expected: \"42\"}\n"
    "      - {id: fraction, input: \"10 / 4\", expected: \"2.5\"}\n"
    "    # How an answer is judged: `assay describe checks`; weights add up to 1.\n"
    "    rubric:\n"
    "      - {check: exact, weight: 1, dimension: correctness}\n"
    "    # Limits of one answer. Beyond them the trial has failed.\n"
    "    constraints: {time_limit_ms: 2000, memory_limit_mb: 256}\n"
    "    # What the scores compare with: at the target a score is 0.5.\n"
    "    targets: {duration_s: 0.01, cpu_s: 0.01, cost_usd: 0.001}\n"
    "    iterations: {warmup: 3, measured: 5}   # warm-up trials; passes over the cases\n"
    "\n"
    "  - id: words\n"
    "    test_type: edge_case\n"
    "    tags: [text]\n"
    "    cases:\n"
    "      - {id: not-a-number, input: \"one + one\", expected: \"2\"}\n"
    "    rubric: contains\n"
    "    iterations: {warmup: 1, measured: 5}\n"
    "\n"
    "# What earlier results were: deviation_from_baseline compares with them.\n"
    "baseline_scores:\n"
    "  - {agent_id: awk, scores: {accuracy: 1.0}}\n"
    "seed: 42\n";

static const char stress_text[] =
    "# A server under more and more load. Try: assay run stress.yaml\n"
    "# To find the load at which it breaks, and how:\n"
    "#   assay stress --url URL --serve COMMAND --scenario all --quick\n"
    "experiment: load\n"
    "params:\n"
    "  url: http://127.0.0.1:8477/v1/chat/completions\n"
    "  body: '{\"model\": \"stub\", \"messages\": [{\"role\": \"user\", \"content\": "
    "\"hello\"}]}'\n"
    "  # Started first and ended after; leave it out for a server that is running. This one\n"
    "  # answers at most 400 requests per second: 4 at a time, 10 ms each.\n"
    "  serve: assay stub --listen 127.0.0.1:8477 --servers 4 --service-ms 10\n"
    "  seconds: 0.5                         # of a block; a block is a trial\n"
    "  objective_ms: 100                    # answers within it are goodput\n"
    "sweep: {rate: [100, 200, 300, 600]}    # requests due per second\n"
    "iterations: {warmup: 0, measured: 10}\n"
    "seed: 42\n";

static const struct template
{
    const char *name;
    const char *file;
    const char *text;
}
templates[] = {
    {"command", "command.yaml", command_text},
    {"suite", "suite.yaml", suite_text},
    {"stress", "stress.yaml", stress_text},
};

static const struct template *template_find(const char *name)
{
    for (size_t i = 0; i < COUNT(templates); i++) {
        if (strcmp(templates[i].name, name) == 0) return &templates[i];
    }
    return NULL;
}

static int run(struct context *c)
{
    const struct init_options *o = c->options;
    if (c->arg_count > 2) return command_misused(c->command, "one kind and one file");
    const char *name = c->arg_count ? c->args[0] : "command";
    const struct template *t = template_find(name);
    if (!t) {
        return command_misused(c->command, "no spec of kind '%s': command, suite or stress",
                               name);
    }
    struct error err = {0};
    const char *file = c->arg_count > 1 ? c->args[1] : t->file;
    if (strcmp(file, "-") == 0) {
        fputs(t->text, c->out);
        return EXIT_DONE;
    }
    if (os_exists(file) && !o->force) {
        error_set(&err, ERROR_INVALID, "'%s' is there already; --force writes over it", file);
        return command_fail(&err);
    }
    if (!os_write_file(file, str_of(t->text), &err)) return command_fail(&err);
    return stored_answer(c, &answer_init, &(struct answer_init){name, file});
}

static const char *const words[] = {"command", "suite", "stress", NULL};

const struct command command_init = {
    .name = "init",
    .summary = "writes a commented spec that runs",
    .usage = "[command|suite|stress] [FILE]",
    .words = words,
    .examples = "assay init command\n"
                "assay init command sort.yaml\n"
                "assay init suite\n"
                "assay init stress\n"
                "assay init command -",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct init_options),
    .run = run,
};
