#include "cli/run_options.h"

#include "base/json.h"
#include "base/str.h"

#define AT(field) offsetof(struct run_options, field)

const struct run_options run_options_defaults = {
    .measured = -1, .warmup = -1, .seed = -1, .jobs = -1, .concurrency = 1, .fail_under = -1};

const struct option run_options_table[RUN_OPTION_COUNT] = {
    {"measured", 'n', OPTION_INT, AT(measured), "N",
     "measured trials of each cell (default: 10 of a command)", 0, 0},
    {"warmup", 'w', OPTION_INT, AT(warmup), "N", "warm-up trials of each cell", 0, 0},
    {"until", 0, OPTION_TEXT, AT(until), "MAP",
     "go on until precise, whatever -n says: '{relative_ci: 0.02, max_iterations: 200, "
     "max_seconds: 60}'",
     0, 0},
    {"set", 0, OPTION_LIST, AT(set), "KEY=VALUE",
     "set a parameter above the spec; a list sweeps", 0, 0},
    {"only", 0, OPTION_TEXT, AT(only), "NAME",
     "only entries with this tag, experiment or benchmark", 0, 0},
    {"instrument", 0, OPTION_LIST, AT(instruments), "NAME", "add an instrument", 0, 0},
    {"interleave", 0, OPTION_TEXT, AT(interleave), "yes|no|PARAM",
     "let arms take turns, and which parameter is compared", true, 0},
    {"time-limit", 0, OPTION_REAL, AT(time_limit_s), "S",
     "seconds after which a trial is ended", 0, 0},
    {"seed", 0, OPTION_INT, AT(seed), "N", "seed of all random streams", 0, 0},
    {"resume", 0, OPTION_TEXT, AT(resume), "RUN",
     "go on with an interrupted run of the same spec (default: the latest)", true, 0},
    {"jobs", 'j', OPTION_INT, AT(jobs), "N", "groups at once; they disturb each other", 0, 0},
    {"out", 'o', OPTION_TEXT, AT(out), "DIR", "write a folder with result files here", 0, 0},
    {"report", 0, OPTION_LIST, AT(reports), "FILE",
     "write a report; its kind is the file's ending (html, md, csv, json, txt)", 0, 0},
    {"dry-run", 0, OPTION_FLAG, AT(dry_run), NULL, "check and show the plan, run nothing", 0,
     0},
    {"durable", 0, OPTION_FLAG, AT(durable), NULL, "survive loss of power, not only a kill", 0,
     0},
    {"agent", 'a', OPTION_LIST, AT(agents), "NAME",
     "only this agent of the suite, or a registered one; may be repeated", 0, 0},
    {"concurrency", 0, OPTION_INT, AT(concurrency), "N",
     "cases of an agent in flight at once; their times are marked concurrent", 0, 0},
    {"fail-under", 0, OPTION_REAL, AT(fail_under), "SCORE",
     "exit 1 if an overall score is below this", 0, 0},
    {"only-failed", 0, OPTION_TEXT, AT(only_failed), "RUN",
     "only the cases that an agent did not pass in that run", 0, 0},
    {"rescore", 0, OPTION_TEXT, AT(rescore), "RUN",
     "score the stored answers of that run again, asking no agent", 0, 0},
    {"cache", 0, OPTION_FLAG, AT(cache), NULL,
     "take answers that the same agent gave to the same cases before", 0, 0},
    {"stub", 0, OPTION_FLAG, AT(stub), NULL,
     "replace every model by a stand-in of ours: results are simulated", 0, 0},
    {"command", 'c', OPTION_LIST, AT(commands), "CMD",
     "a shell command to time; may be repeated", 0, 0},
    {"name", 0, OPTION_LIST, AT(names), "NAME",
     "what a command is called, over changes of its path; one for each -c", 0, 0},
    {"list", 'L', OPTION_LIST, AT(lists), "NAME VALUES",
     "replace {NAME} in the command by each of VALUES (comma separated)", 0, 2},
    {"prepare", 'p', OPTION_TEXT, AT(prepare), "CMD", "run before each trial, not timed", 0, 0},
    {"conclude", 0, OPTION_TEXT, AT(conclude), "CMD", "run after each trial, not timed", 0, 0},
    {"setup", 's', OPTION_TEXT, AT(setup), "CMD",
     "run once for each command, before the trials", 0, 0},
    {"cleanup", 0, OPTION_TEXT, AT(cleanup), "CMD",
     "run once for each command, after all trials", 0, 0},
    {"input", 0, OPTION_TEXT, AT(input), "FILE", "standard input of the command", 0, 0},
    {"output", 0, OPTION_TEXT, AT(output), "null|capture", "what becomes of its output", 0, 0},
    {"ignore-failure", 'i', OPTION_FLAG, AT(ignore_failure), NULL,
     "a non-zero exit code is no failure", 0, 0},
    {"save-spec", 0, OPTION_TEXT, AT(save_spec), "FILE", "write the one-liner as a spec file",
     0, 0},
};

bool run_options_is_one_liner(const struct context *c)
{
    const struct run_options *o = c->options;
    return o->commands.count > 0 || c->dashes < c->arg_count;
}

struct given {
    const char *name;
    bool is_given;
};

static const char *first_given(const struct given *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].is_given) return list[i].name;
    }
    return NULL;
}

const char *run_options_of_suites(const struct run_options *o)
{
    const struct given list[] = {{"agent", o->agents.count > 0},
                                 {"fail-under", o->fail_under >= 0},
                                 {"only-failed", o->only_failed},
                                 {"cache", o->cache},
                                 {"stub", o->stub}};
    return first_given(list, COUNT(list));
}

const char *run_options_of_commands(const struct run_options *o)
{
    const struct given list[] = {
        {"name", o->names.count > 0},
        {"list", o->lists.count > 0},
        {"prepare", o->prepare},
        {"conclude", o->conclude},
        {"setup", o->setup},
        {"cleanup", o->cleanup},
        {"input", o->input},
        {"output", o->output},
        {"ignore-failure", o->ignore_failure},
        {"save-spec", o->save_spec},
    };
    return first_given(list, COUNT(list));
}

const char *run_options_of_trials(const struct run_options *o)
{
    const struct given list[] = {
        {"measured", o->measured >= 0},
        {"warmup", o->warmup >= 0},
        {"until", o->until},
        {"instrument", o->instruments.count > 0},
        {"interleave", o->interleave},
        {"time-limit", o->time_limit_s > 0},
        {"resume", o->resume},
        {"jobs", o->jobs >= 0},
        {"concurrency", o->concurrency != 1},
        {"only-failed", o->only_failed},
        {"cache", o->cache},
        {"stub", o->stub},
        {"dry-run", o->dry_run},
        {"command", o->commands.count > 0},
    };
    const char *first = first_given(list, COUNT(list));
    return first ? first : run_options_of_commands(o);
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
    put_if(j, "prepare", o->prepare);
    put_if(j, "conclude", o->conclude);
    put_if(j, "setup", o->setup);
    put_if(j, "cleanup", o->cleanup);
    put_if(j, "input", o->input);
    put_if(j, "output", o->output);
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
    const char *const others[] = {o->prepare, o->conclude, o->setup, o->cleanup};
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
    json_key(j, "sweep");
    json_object(j);
    if (o->commands.count > 1) {
        json_put_texts(j, "command", o->commands.items, o->commands.count);
    }
    for (size_t i = 0; i + 1 < o->lists.count; i += 2) {
        char key[200];
        snprintf(key, sizeof key, "parameters.%s", o->lists.items[i]);
        json_key(j, key);
        json_list(j);
        struct str rest = str_of(o->lists.items[i + 1]);
        while (rest.p) put_word(j, str_trim(str_cut(&rest, ',')));
        json_end(j);
    }
    json_end(j);
}

bool run_options_write_spec(const struct context *c, struct buf *out, struct error *err)
{
    const struct run_options *o = c->options;
    if (o->commands.count > 0 && c->dashes < c->arg_count) {
        return error_set(err, ERROR_INVALID,
                         "give the command either with -c or behind --, not both");
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
    if (!check_lists(c, err)) return false;
    size_t commands = o->commands.count > 0 ? o->commands.count : 1;
    if (o->names.count > 0 && o->names.count != commands) {
        return error_set(err, ERROR_INVALID, "--name is given %zu time%s for %zu command%s",
                         o->names.count, o->names.count == 1 ? "" : "s", commands,
                         commands == 1 ? "" : "s");
    }
    struct json j;
    json_init(&j, out, 2);
    json_object(&j);
    json_put_text(&j, "experiment", "command");
    if (o->names.count == 1) json_put_text(&j, "name", o->names.items[0]);
    if (o->names.count > 1) json_put_texts(&j, "name", o->names.items, o->names.count);
    json_key(&j, "params");
    put_params(c, &j);
    json_key(&j, "iterations");
    json_object(&j);
    json_put_int(&j, "warmup", o->warmup >= 0 ? o->warmup : 0);
    json_put_int(&j, "measured", o->measured >= 0 ? o->measured : 10);
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
