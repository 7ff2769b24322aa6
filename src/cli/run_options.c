/* A command line that times commands is a spec that was not written down: it is written
 * here, as JSON, and then read as any other, so that both are checked by one reader and
 * --save-spec saves what was run. Options that the spec at hand would ignore are refused. */
#include "cli/run_options.h"

#include "base/human.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/options.h"

#include <math.h>

#define AT(field) .offset = offsetof(struct run_options, field)

static const char *const outputs[] = {"null", "capture", NULL};

const struct param run_options_table[RUN_OPTION_COUNT] = {
    {"measured", PARAM_INT, AT(measured), .letter = 'n', .max = INFINITY,
     .help = "measured trials of each cell (default: 10 of a command)"},
    {"warmup", PARAM_INT, AT(warmup), .letter = 'w', .max = INFINITY,
     .help = "warm-up trials of each cell"},
    {"until", PARAM_TEXT, AT(until), .argument = "MAP",
     .help = "continue until the interval is narrow enough, whatever -n says: '{relative_ci: "
             "0.02, max_iterations: 200, "
             "max_seconds: 60}'"},
    {"set", PARAM_TEXT_LIST, AT(set), .argument = "KEY=VALUE",
     .help = "override a parameter of the spec; a list of values sweeps it"},
    {"only", PARAM_TEXT_LIST, AT(only), .argument = "NAME",
     .help = "only entries with this tag, experiment or benchmark; may be repeated"},
    {"instrument", PARAM_TEXT_LIST, AT(instruments), .argument = "NAME",
     .help = "add an instrument"},
    {"interleave", PARAM_TEXT, AT(interleave), .argument = "yes|no|PARAM", .is_optional = true,
     .help = "let arms take turns; PARAM: which parameter is compared"},
    {"time-limit", PARAM_REAL, AT(time_limit_s), .argument = "S", .max = INFINITY,
     .help = "seconds after which a trial is ended"},
    {"seed", PARAM_INT, AT(seed), .max = INFINITY, .help = "seed of all random streams"},
    {"resume", PARAM_SELECTOR, AT(resume), .is_optional = true,
     .help = "continue an interrupted run of the same spec (default: the latest)"},
    {"jobs", PARAM_INT, AT(jobs), .letter = 'j', .min = 1, .max = INFINITY,
     .help = "groups to run at once; they disturb each other"},
    {"out", PARAM_TEXT, AT(out), .letter = 'o', .argument = "DIR",
     .help = "write a folder with result files here"},
    {"report", PARAM_TEXT_LIST, AT(reports), .argument = "FILE|html|json|both",
     .help = "write a report; its kind is the file's ending (html, md, csv, json, txt); a kind "
             "alone goes to benchmark_results/"},
    {"dry-run", PARAM_BOOL, AT(dry_run), .help = "check and show the plan, run nothing"},
    {"durable", PARAM_BOOL, AT(durable), .help = "survive loss of power, not only a kill"},
    {"allow-failures", PARAM_TEXT, AT(allow_failures), .argument = "N|P%",
     .help = "exit 1 if more trials of a cell fail (default: 0; of agents no harness "
             "errors, but any number of other failures)"},
    {"agent", PARAM_TEXT_LIST, AT(agents), .letter = 'a', .argument = "NAME",
     .help = "only this agent of the suite, or a registered one; may be repeated"},
    {"concurrency", PARAM_INT, AT(concurrency), .fallback = "1", .max = INFINITY,
     .help = "cases of an agent in flight at once; their times are marked concurrent"},
    {"fail-under", PARAM_REAL, AT(fail_under), .argument = "SCORE", .max = 1,
     .help = "exit 1 if an overall score is below this"},
    {"only-failed", PARAM_SELECTOR, AT(only_failed),
     .help =
         "only the cases that an agent of that run has wrong, or that could not be judged (of "
         "an agent or a cell: in its own)"},
    {"rescore", PARAM_SELECTOR, AT(rescore),
     .help = "score the stored answers of that run again, asking no agent"},
    {"cache", PARAM_BOOL, AT(cache),
     .help = "reuse answers that the same agent gave to the same cases before"},
    {"stub", PARAM_BOOL, AT(stub),
     .help = "replace every model with a stand-in: results are simulated"},
    {"command", PARAM_TEXT_LIST, AT(commands), .letter = 'c', .argument = "CMD",
     .help = "a shell command to time; may be repeated"},
    {"name", PARAM_TEXT_LIST, AT(names), .argument = "NAME",
     .help = "a name that stays when the command's path changes; one for each -c"},
    {"list", PARAM_TEXT_LIST, AT(lists), .letter = 'L', .argument = "NAME VALUES", .takes = 2,
     .help = "replace {NAME} in the command with each of VALUES (comma separated)"},
    {"prepare", PARAM_TEXT_LIST, AT(prepare), .letter = 'p', .argument = "CMD",
     .help = "run before each trial, not timed"},
    {"conclude", PARAM_TEXT_LIST, AT(conclude), .argument = "CMD",
     .help = "run after each trial, not timed"},
    {"setup", PARAM_TEXT_LIST, AT(setup), .letter = 's', .argument = "CMD",
     .help = "run once for each command, before the trials"},
    {"cleanup", PARAM_TEXT_LIST, AT(cleanup), .argument = "CMD",
     .help = "run once for each command, after all trials"},
    {"input", PARAM_TEXT, AT(input), .argument = "FILE",
     .help = "standard input of the command"},
    {"output", PARAM_CHOICE, AT(output), .choices = outputs,
     .help = "what to do with its output"},
    {"ignore-failure", PARAM_BOOL, AT(ignore_failure), .letter = 'i',
     .help = "a non-zero exit code is not a failure"},
    {"save-spec", PARAM_TEXT, AT(save_spec), .argument = "FILE",
     .help = "write the command line as a spec file"},
    {"request", PARAM_TEXT, AT(request), .argument = "ID",
     .help = "execute, or finish, a run that the API was asked for (how `serve` starts "
             "runs)"},
};

bool run_options_is_one_liner(const struct context *c)
{
    const struct run_options *o = c->options;
    return o->commands.count > 0 || c->dashes < c->arg_count;
}

/* Which options are for suites, for one-liners, and about trials. */
static const char *const of_suites[] = {"agent", "fail-under", "only-failed", "cache", "stub"};
static const char *const of_commands[] = {"name",           "list",     "prepare", "conclude",
                                          "setup",          "cleanup",  "input",   "output",
                                          "ignore-failure", "save-spec"};
static const char *const of_trials[] = {"measured",    "warmup",      "until",  "instrument",
                                        "interleave",  "time-limit",  "resume", "jobs",
                                        "concurrency", "only-failed", "cache",  "stub",
                                        "dry-run",     "command"};

const char *run_options_of_suites(const struct context *c)
{
    return options_first(c, of_suites, COUNT(of_suites));
}

const char *run_options_of_commands(const struct context *c)
{
    return options_first(c, of_commands, COUNT(of_commands));
}

const char *run_options_of_trials(const struct context *c)
{
    const char *first = options_first(c, of_trials, COUNT(of_trials));
    return first ? first : run_options_of_commands(c);
}

/* Of an option that may be given once. */
static const char *only_of(const struct param_texts *list)
{
    return list->count ? list->items[list->count - 1] : NULL;
}

/* hyperfine takes one for each command; here one is for all of them, and the last one of
 * several would win without a word. */
static bool check_repeated(const struct run_options *o, struct error *err)
{
    const struct {
        const char *name;
        const struct param_texts *list;
    } once[] = {{"--prepare", &o->prepare},
                {"--conclude", &o->conclude},
                {"--setup", &o->setup},
                {"--cleanup", &o->cleanup}};
    for (size_t i = 0; i < COUNT(once); i++) {
        if (once[i].list->count < 2) continue;
        return error_set(err, ERROR_INVALID,
                         "%s is given %zu times, and is one for all commands: put what "
                         "differs into the spec (--save-spec writes one to start from)",
                         once[i].name, once[i].list->count);
    }
    return true;
}

static void put_if(struct json *j, const char *key, const char *text)
{
    if (text) json_put_text(j, key, text);
}

static void put_params(const struct context *c, struct json *j)
{
    const struct run_options *o = c->options;
    json_object(j);
    if (o->commands.count == 1) json_put_text(j, "command", o->commands.items[0]);
    if (o->commands.count == 0) {
        json_put_texts(j, "command", c->args + c->dashes, c->arg_count - c->dashes);
    }
    put_if(j, "prepare", only_of(&o->prepare));
    put_if(j, "conclude", only_of(&o->conclude));
    put_if(j, "setup", only_of(&o->setup));
    put_if(j, "cleanup", only_of(&o->cleanup));
    put_if(j, "input", o->input);
    if (options_has(c, "output")) json_put_text(j, "output", outputs[o->output]);
    if (o->ignore_failure) json_put_bool(j, "ignore_failure", true);
    json_end(j);
}

/* A number stays a number, so that axes sort and print as such; but not where that would
 * change the command: 007 and 1.50 are put in as they stand. */
static void put_word(struct json *j, struct str word)
{
    char same[32];
    double real = 0;
    if (str_to_real(word, &real) && str_is(word, json_format_real(real, same))) {
        json_real(j, real);
    } else {
        json_str(j, word);
    }
}

static bool is_in_any(const char *const *texts, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        if (texts[i] && strstr(texts[i], what)) return true;
    }
    return false;
}

/* Every -L name is used: what is measured twice under two labels was meant to differ. */
static bool check_lists(const struct context *c, struct error *err)
{
    const struct run_options *o = c->options;
    const char *const others[] = {only_of(&o->prepare), only_of(&o->conclude),
                                  only_of(&o->setup), only_of(&o->cleanup)};
    for (size_t i = 0; i + 1 < o->lists.count; i += 2) {
        const char *name = o->lists.items[i];
        char used[100];
        size_t n =
            strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
        if (n == 0 || name[n] || n + 3 > sizeof used) {
            return error_set(err, ERROR_INVALID,
                             "-L '%s': a name has letters, digits, _ and -, up to %zu of them",
                             name, sizeof used - 3);
        }
        snprintf(used, sizeof used, "{%s}", name);
        if (!is_in_any(o->commands.items, o->commands.count, used) &&
            !is_in_any(c->args, c->arg_count, used) &&
            !is_in_any(others, COUNT(others), used)) {
            return error_set(err, ERROR_INVALID, "-L '%s': no command has %s in it", name,
                             used);
        }
    }
    return true;
}

static void put_sweep(const struct run_options *o, struct json *j)
{
    json_key_object(j, "sweep");
    if (o->commands.count > 1) {
        json_put_texts(j, "command", o->commands.items, o->commands.count);
    }
    for (size_t i = 0; i + 1 < o->lists.count; i += 2) {
        char key[200];
        snprintf(key, sizeof key, "parameters.%s", o->lists.items[i]);
        json_key_list(j, key);
        struct str rest = str_of(o->lists.items[i + 1]);
        while (rest.p) put_word(j, str_trim(str_cut(&rest, ',')));
        json_end(j);
    }
    json_end(j);
}

static size_t times_before(const struct param_texts *commands, size_t i)
{
    size_t n = 0;
    for (size_t k = 0; k < i; k++) n += strcmp(commands->items[k], commands->items[i]) == 0;
    return n;
}

/* Names as given. One command against itself is told apart by a number. */
static void put_names(const struct run_options *o, struct json *j)
{
    bool is_repeated = false;
    for (size_t i = 0; i < o->commands.count; i++) {
        is_repeated = is_repeated || times_before(&o->commands, i) > 0;
    }
    if (o->names.count == 1) json_put_text(j, "name", o->names.items[0]);
    if (o->names.count > 1) json_put_texts(j, "name", o->names.items, o->names.count);
    if (o->names.count > 0 || !is_repeated) return;
    json_key_list(j, "name");
    for (size_t i = 0; i < o->commands.count; i++) {
        char name[300];
        size_t before = times_before(&o->commands, i);
        int n = snprintf(name, sizeof name, "%.200s", o->commands.items[i]);
        if (before) snprintf(name + n, sizeof name - (size_t)n, " #%zu", before + 1);
        json_text(j, name);
    }
    json_end(j);
}

bool run_options_write_spec(const struct context *c, struct buf *out, struct error *err)
{
    const struct run_options *o = c->options;
    if (o->commands.count > 0 && c->dashes < c->arg_count) {
        return error_set(err, ERROR_INVALID,
                         "give the command either with -c or after --, not both");
    }
    if (c->dashes > 0) {
        return error_set(err, ERROR_INVALID,
                         "a spec file ('%s') and a command cannot go together", c->args[0]);
    }
    for (size_t i = 0; i < c->command_line_count; i++) {
        if (str_is_utf8(str_of(c->command_line[i]))) continue;
        return error_set(err, ERROR_INVALID,
                         "argument %zu is not UTF-8, which specs and results are kept in: put "
                         "the command into a script and time that",
                         i);
    }
    if (!check_repeated(o, err) || !check_lists(c, err)) return false;
    size_t commands = o->commands.count > 0 ? o->commands.count : 1;
    if (o->names.count > 0 && o->names.count != commands) {
        return error_set(err, ERROR_INVALID, "--name is given %zu time%s for %zu command%s",
                         o->names.count, PLURAL(o->names.count), commands, PLURAL(commands));
    }
    struct json j;
    json_init(&j, out, 2);
    json_object(&j);
    json_put_text(&j, "experiment", "command");
    put_names(o, &j);
    json_key(&j, "params");
    put_params(c, &j);
    json_key_object(&j, "iterations");
    json_put_int(&j, "warmup", o->warmup);
    json_put_int(&j, "measured", options_has(c, "measured") ? o->measured : 10);
    json_end(&j);
    if (o->commands.count > 1 || o->lists.count > 0) put_sweep(o, &j);
    json_end(&j);
    buf_add_char(out, '\n');
    return !out->overflow ||
           error_set(err, ERROR_INVALID,
                     "the command is longer than a spec may be (%zu kB): put it into a script "
                     "and time that",
                     out->max >> 10);
}
