/* The inspector gathers the work folders first, then walks all that the suite runs: checks,
 * judges, setup, cleanup, other agents' programs, the variables that programs are found by. Each
 * is a folder that something is run in or from, and the first that an agent could write to ends
 * the walk with the cause. Paths are compared settled: links resolved as far as the path exists,
 * and a link that an agent could have planted is refused instead of followed. Without a work
 * folder that is written in the spec there is nothing to refuse, and nothing is walked. */
#include "run/workdirs.h"

#include "base/os.h"
#include "spec/spec_suite.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAY_OUT \
    "give it a folder of its own (workdir: work), or files (environment: {files: ...})"

struct work {
    const char *name; /* of the agent */
    const struct value *agent;
    const char *written, *folder; /* as in the spec, and what it is; NULL = a fresh one */
    const char *base_dir;
    bool is_contained;
};

struct inspector {
    struct arena *out;
    const struct spec *spec;
    const char *base; /* the spec's folder, settled */
    struct work *works;
    size_t count;
    const char *what; /* is run for the suite; NULL = nothing */
    struct error *err;
};

/* ---- paths ---- */

const char *workdirs_settled(const char *path, struct arena *out)
{
    char real[PATH_MAX];
    if (realpath(path, real)) return arena_copy(out, real, strlen(real));
    if (strcmp(path, "/") == 0 || strcmp(path, ".") == 0) return path;
    const char *slash = strrchr(path, '/');
    const char *above = slash == path ? "/" : suite_dir_of(out, path);
    const char *settled = workdirs_settled(above, out);
    return arena_printf(out, "%s/%s", strcmp(settled, "/") == 0 ? "" : settled,
                        slash ? slash + 1 : path);
}

bool workdirs_has(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    if (strcmp(folder, "/") == 0) return true;
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static const char *text_of(const struct value *map, const char *key, struct arena *out)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_TEXT && v->source.n ? str_cstr(out, v->source) : NULL;
}

bool workdirs_is_contained(const struct value *agent)
{
    const struct value *process = value_get(agent, "process");
    const struct value *contain = value_get(process, "contain");
    bool is_off = contain && ((contain->kind == VALUE_BOOL && !contain->boolean) ||
                              (contain->kind == VALUE_TEXT && str_is(contain->source, "off")));
    return process && !is_off;
}

/* ---- agents ---- */

static const struct value *environment_of(const struct spec_entry *e)
{
    return value_get(e->benchmark ? e->benchmark->settings : e->params, "environment");
}

static void add_works(struct inspector *i, const struct spec_entry *e)
{
    const struct value *list = e->agents;
    const char *shared = text_of(environment_of(e), "workdir", i->out);
    for (size_t k = 0; list && list->kind == VALUE_LIST && k < list->list.count; k++) {
        const struct value *agent = list->list.items[k];
        if (agent->kind != VALUE_MAP) continue;
        const char *version = suite_agent_version(agent, i->out);
        const char *own = text_of(value_get(agent, "process"), "workdir", i->out);
        struct work w = {
            .name = arena_printf(i->out, "%.*s%s%s", STR_ARG(suite_agent_id(agent)),
                                 version ? "@" : "", version ? version : ""),
            .agent = agent,
            .written = own ? own : shared,
            .base_dir = e->benchmark ? e->benchmark->base_dir : i->base,
            .is_contained = workdirs_is_contained(agent),
        };
        if (w.written) w.folder = workdirs_settled(w.written, i->out);
        i->works = arena_grow(i->out, i->works, i->count, sizeof *i->works);
        i->works[i->count++] = w;
    }
}

static bool is_writable_for(const struct work *w, const char *path)
{
    return w->is_contained && w->folder && workdirs_has(w->folder, path);
}

/* `path` is the folder that something is run in or from. */
static bool is_free(struct inspector *i, const char *path, const char *what)
{
    const char *settled = workdirs_settled(path, i->out);
    for (size_t k = 0; k < i->count; k++) {
        const struct work *w = &i->works[k];
        if (!is_writable_for(w, settled)) continue;
        return error_set(i->err, ERROR_INVALID,
                         "agent '%s' could write to '%s' (workdir), from which %s: " WAY_OUT,
                         w->name, w->folder, what);
    }
    return true;
}

/* ---- links ---- */

static bool is_planted(const struct inspector *i, const char *link)
{
    const char *above = workdirs_settled(suite_dir_of(i->out, link), i->out);
    if (strrchr(link, '/') == link) above = "/";
    if (workdirs_has(i->base, above)) return true;
    for (size_t k = 0; k < i->count; k++) {
        if (i->works[k].folder && workdirs_has(i->works[k].folder, above)) return true;
    }
    return false;
}

static bool has_no_links(struct inspector *i, const char *written)
{
    char here[PATH_MAX];
    struct stat st;
    if (!getcwd(here, sizeof here)) return error_set(i->err, ERROR_IO, "no current folder");
    const char *path = os_path_below(here, str_of(written), i->out);
    for (const char *at = path; at && *at;) {
        at = strchr(at + 1, '/');
        const char *part = arena_copy(i->out, path, at ? (size_t)(at - path) : strlen(path));
        if (lstat(part, &st) != 0 || !S_ISLNK(st.st_mode) || !is_planted(i, part)) continue;
        return error_set(i->err, ERROR_INVALID,
                         "workdir '%s' leads through a link: name the folder itself", written);
    }
    return true;
}

/* ---- programs ---- */

static bool check_program(struct inspector *i, const struct work *own, const char *path,
                          const char *whose)
{
    struct stat st;
    const char *at =
        arena_printf(i->out, "%s/%s", workdirs_settled(suite_dir_of(i->out, path), i->out),
                     strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    const char *real = workdirs_settled(path, i->out);
    if (stat(path, &st) == 0 ? !S_ISREG(st.st_mode) : own != NULL) return true;
    for (size_t k = 0; k < i->count; k++) {
        const struct work *w = &i->works[k];
        if (own && strcmp(w->name, own->name) == 0) continue;
        if (!is_writable_for(w, real) && !is_writable_for(w, at)) continue;
        return error_set(i->err, ERROR_INVALID,
                         "%s program '%s' is in a folder that agent '%s' can write to ('%s', "
                         "workdir): keep it elsewhere, or give the agent another workdir",
                         whose, at, w->name, w->folder);
    }
    return true;
}

static struct str first_word(struct str text)
{
    size_t from = 0;
    while (from < text.n && strchr(" \t\r\n'\"(", text.p[from])) from++;
    size_t to = from;
    while (to < text.n && !strchr(" \t\r\n'\";&|()<>", text.p[to])) to++;
    return (struct str){text.p + from, to - from};
}

static struct str program_of(const struct value *command)
{
    bool is_list = command && command->kind == VALUE_LIST && command->list.count > 0;
    const struct value *first = is_list ? command->list.items[0] : command;
    if (!first || first->kind != VALUE_TEXT) return (struct str){0};
    return is_list ? first->source : first_word(first->source);
}

/* The first word of a command, in each folder that it could be meant in. */
static bool check_command(struct inspector *i, const char *const *folders,
                          const struct value *command, const char *whose)
{
    struct str word = program_of(command);
    if (word.n == 0 || word.n >= PATH_MAX) return true;
    if (!memchr(word.p, '/', word.n)) {
        const char *found = os_find_program(str_cstr(i->out, word), i->out);
        return !found || check_program(i, NULL, found, whose);
    }
    for (size_t k = 0; folders[k]; k++) {
        const char *path = os_path_below(folders[k], word, i->out);
        if (!check_program(i, NULL, path, whose)) return false;
    }
    return true;
}

static const char *whose_is(struct inspector *i, const struct work *rival)
{
    return arena_printf(i->out, "agent '%s': its", rival->name);
}

/* Every word of a rival's command that names a file where it works; what a plugin names. */
static bool check_rival(struct inspector *i, const struct work *rival, const struct value *v,
                        const char *folder)
{
    bool is_list = v && v->kind == VALUE_LIST;
    for (size_t k = 0; is_list && k < v->list.count; k++) {
        if (!check_rival(i, rival, v->list.items[k], folder)) return false;
    }
    struct str rest = v && v->kind == VALUE_TEXT ? v->source : (struct str){0};
    while (rest.n > 0) {
        struct str word = first_word(rest);
        size_t used = word.n ? (size_t)(word.p - rest.p) + word.n : 1;
        rest = (struct str){rest.p + used, rest.n - used};
        if (word.n == 0 || word.n >= PATH_MAX) continue;
        if (word.p[0] != '/' && !folder) continue;
        const char *path = os_path_below(folder, word, i->out);
        if (!check_program(i, rival, path, whose_is(i, rival))) return false;
    }
    return true;
}

static bool check_rivals(struct inspector *i)
{
    for (size_t k = 0; k < i->count; k++) {
        const struct work *w = &i->works[k];
        const struct value *process = value_get(w->agent, "process");
        const struct value *plugin = value_get(w->agent, "plugin");
        const struct value *command = value_get(process, "command");
        if (process && workdirs_is_contained(w->agent)) continue; /* it harms itself alone */
        struct str first = program_of(command);
        const char *found = first.n && !memchr(first.p, '/', first.n)
                                ? os_find_program(str_cstr(i->out, first), i->out)
                                : NULL;
        if (found && !check_program(i, w, found, whose_is(i, w))) return false;
        if (!check_rival(i, w, command, w->folder)) return false;
        for (size_t n = 0; plugin && plugin->kind == VALUE_MAP && n < plugin->map.count; n++) {
            const struct value *v = plugin->map.pairs[n].value;
            if (!check_rival(i, w, v, w->base_dir) || !check_rival(i, w, v, ".")) return false;
        }
    }
    return true;
}

/* ---- what a suite runs ---- */

/* PATH, PYTHONPATH, LD_LIBRARY_PATH and their kind. */
static bool check_variable(struct inspector *i, struct str name, struct str value)
{
    if (!str_ends(name, S("PATH"))) return true;
    const char *what = arena_printf(i->out, "programs are run (%.*s)", STR_ARG(name));
    while (value.n > 0) {
        struct str folder = str_cut(&value, ':');
        if (folder.n >= PATH_MAX) continue;
        if (!is_free(i, os_path_below(i->base, folder, i->out), what)) return false;
    }
    return true;
}

static bool check_variables(struct inspector *i, const struct value *env)
{
    for (size_t k = 0; env && env->kind == VALUE_MAP && k < env->map.count; k++) {
        const struct value *v = env->map.pairs[k].value;
        if (v->kind == VALUE_TEXT && !check_variable(i, env->map.pairs[k].key, v->source))
            return false;
    }
    return true;
}

static bool check_environ(struct inspector *i)
{
    for (char **v = environ; i->what && v && *v; v++) {
        struct str value = str_of(*v);
        struct str name = str_cut(&value, '=');
        if (!check_variable(i, name, value)) return false;
    }
    return true;
}

static bool take_command(struct inspector *i, const char *base_dir, const char *work_dir,
                         const struct value *command, const char *whose, const char *what)
{
    const char *const folders[] = {base_dir, ".", work_dir, NULL};
    if (!command || command->kind == VALUE_NULL) return true;
    if (!i->what) i->what = what;
    return is_free(i, base_dir, what) && check_command(i, folders, command, whose);
}

/* However deep: a rubric has groups. */
static bool take_rubric(struct inspector *i, const char *base_dir, const struct value *v)
{
    size_t count = !v                      ? 0
                   : v->kind == VALUE_MAP  ? v->map.count
                   : v->kind == VALUE_LIST ? v->list.count
                                           : 0;
    for (size_t k = 0; k < count; k++) {
        bool is_map = v->kind == VALUE_MAP;
        const struct value *item = is_map ? v->map.pairs[k].value : v->list.items[k];
        struct str key = is_map ? v->map.pairs[k].key : S("");
        if (str_is(key, "command") && !take_command(i, base_dir, NULL, item, "the check's",
                                                    "checks of its answers are run"))
            return false;
        if (str_is(key, "env") && !check_variables(i, item)) return false;
        if (!take_rubric(i, base_dir, item)) return false;
    }
    return true;
}

static bool take_environment(struct inspector *i, const char *base_dir,
                             const struct value *environment)
{
    static const char *const steps[] = {"setup", "cleanup"};
    const char *work_dir = text_of(environment, "workdir", i->out);
    for (size_t k = 0; k < COUNT(steps); k++) {
        const struct value *step = value_get(environment, steps[k]);
        const char *whose = arena_printf(i->out, "the %s's", steps[k]);
        const char *what = arena_printf(i->out, "%s is run", steps[k]);
        if (!step) continue;
        if (!take_command(i, base_dir, work_dir, step, whose, what) ||
            !check_variables(i, value_get(environment, "env")))
            return false;
    }
    return true;
}

static bool take_judges(struct inspector *i, const char *base_dir, const struct value *list)
{
    for (size_t k = 0; list && list->kind == VALUE_LIST && k < list->list.count; k++) {
        const struct value *process = value_get(list->list.items[k], "process");
        if (!process) continue;
        if (!take_command(i, base_dir, text_of(process, "workdir", i->out),
                          value_get(process, "command"), "the judge's",
                          "the judge of its answers is run") ||
            !check_variables(i, value_get(process, "env")))
            return false;
    }
    return true;
}

/* A spec as it is written, of which a run may carry out a part. */
static bool take_tree(struct inspector *i, const char *base_dir, const struct value *v)
{
    bool is_fine = true;
    for (size_t k = 0; v && v->kind == VALUE_LIST && k < v->list.count && is_fine; k++) {
        is_fine = take_tree(i, base_dir, v->list.items[k]);
    }
    for (size_t k = 0; v && v->kind == VALUE_MAP && k < v->map.count && is_fine; k++) {
        struct str key = v->map.pairs[k].key;
        const struct value *item = v->map.pairs[k].value;
        if (str_is(key, "rubric") || str_is(key, "scoring_rubric")) {
            is_fine = take_rubric(i, base_dir, item);
        } else if (str_is(key, "environment")) {
            is_fine = take_environment(i, base_dir, item);
        } else if (str_is(key, "judges")) {
            is_fine = take_judges(i, base_dir, item);
        } else if (str_is(key, "stress")) {
            is_fine = take_command(i, base_dir, NULL, value_get(item, "serve"), "the server's",
                                   "a server is run");
        } else if (str_is(key, "params")) {
            is_fine = take_command(i, base_dir, NULL, value_get(item, "command"),
                                   "the experiment's", "a command is run");
        } else if (!str_is(key, "agents") && !str_is(key, "input") &&
                   !str_is(key, "expected")) {
            is_fine = take_tree(i, base_dir, item);
        }
    }
    return is_fine;
}

static bool take_text(struct inspector *i, const char *base_dir, struct str text)
{
    const struct value *root = NULL;
    struct value_error e;
    return !value_read(text, &value_limits_spec, i->out, &root, &e) ||
           take_tree(i, base_dir, root);
}

static bool take_entry(struct inspector *i, const struct spec_entry *e)
{
    const struct suite_benchmark *b = e->benchmark;
    const char *base_dir = b ? b->base_dir : i->base;
    if (!take_tree(i, base_dir, e->params)) return false;
    if (!b) return true;
    if (!take_tree(i, base_dir, b->settings) || !take_rubric(i, base_dir, b->rubric))
        return false;
    bool *is_seen = arena_new(i->out, bool, b->cases.rubric_count + 1);
    for (size_t k = 0; k < b->cases.count; k++) {
        const struct case_item *item = &b->cases.items[k];
        size_t at = (size_t)item->rubric_index;
        if (item->rubric_index < 0 || at >= b->cases.rubric_count || is_seen[at]) continue;
        is_seen[at] = true;
        if (!take_rubric(i, base_dir, item->rubric)) return false;
    }
    return true;
}

static bool check_others(struct inspector *i, const char *const *others)
{
    char own[PATH_MAX], other[PATH_MAX];
    bool is_file = realpath(i->spec->path, own) != NULL;
    for (size_t k = 0; others && others[k]; k++) {
        if (!realpath(others[k], other) || (is_file && strcmp(own, other) == 0)) continue;
        const char *folder = suite_dir_of(i->out, arena_copy(i->out, other, strlen(other)));
        struct str text = {0};
        if (!is_free(i, folder, "another spec of this command is run")) return false;
        if (!os_is_dir(other) &&
            os_read_file(other, value_limits_spec.max_bytes, i->out, &text, NULL) &&
            !take_text(i, folder, text))
            return false;
    }
    return true;
}

bool workdirs_allowed(const struct spec *spec, const char *const *others, struct arena *out,
                      struct error *err)
{
    struct inspector i = {.out = out, .spec = spec, .err = err};
    bool has_folders = false;
    i.base = workdirs_settled(suite_dir_of(out, spec->path), out);
    for (size_t k = 0; k < spec->entry_count; k++) add_works(&i, &spec->entries[k]);
    for (size_t k = 0; k < i.count; k++) {
        if (!i.works[k].written) continue;
        has_folders = true;
        if (!has_no_links(&i, i.works[k].written)) return false;
    }
    if (!has_folders) return true;
    if (!take_text(&i, i.base, spec->text)) return false;
    for (size_t k = 0; k < spec->entry_count; k++) {
        if (!take_entry(&i, &spec->entries[k])) return false;
    }
    return check_others(&i, others) && check_environ(&i) && check_rivals(&i);
}
