#include "base/os.h"
#include "cli/command.h"

extern const struct command command_init;

struct init_options {
    bool force;
};

static const struct option options[] = {
    {.name = "force",
     .letter = 'f',
     .kind = OPTION_FLAG,
     .offset = offsetof(struct init_options, force),
     .help = "write over a file that is there"},
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
    "# Warm-up trials are carried out and dropped (`steady` = until they level off).\n"
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
    "# Measured beside the time: `assay describe instruments` lists what there is.\n"
    "instrumentation: [rusage]\n"
    "\n"
    "tags: [example]\n"
    "seed: 42\n";

static const struct template
{
    const char *name;
    const char *file;
    const char *text; /* NULL = not in this version */
}
templates[] = {
    {"command", "command.yaml", command_text},
    {"suite", "suite.yaml", NULL},
    {"stress", "stress.yaml", NULL},
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
    if (c->arg_count > 2) return command_misused(&command_init, "one kind and one file");
    const char *name = c->arg_count ? c->args[0] : "command";
    const struct template *t = template_find(name);
    if (!t) {
        return command_misused(&command_init, "no spec of kind '%s': command, suite or stress",
                               name);
    }
    struct error err = {0};
    if (!t->text) {
        error_set(&err, ERROR_UNAVAILABLE,
                  "specs of kind '%s' come with a later version; 'assay init command' works",
                  name);
        return command_fail(&err);
    }
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
    if (!c->quiet) fprintf(c->out, "wrote %s; run it: assay run %s\n", file, file);
    return EXIT_DONE;
}

const struct command command_init = {
    .name = "init",
    .summary = "writes a commented spec that runs",
    .usage = "[command|suite|stress] [FILE]",
    .examples = "assay init command\n"
                "assay init command sort.yaml\n"
                "assay init command -",
    .options = options,
    .option_count = COUNT(options),
    .options_size = sizeof(struct init_options),
    .run = run,
};
