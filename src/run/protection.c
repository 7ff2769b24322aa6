/* Which files hold an answer cannot be known, only which are named: so the specs are walked as
 * they are written (take_tree), and whatever a dataset, a rubric or the command of a check names
 * is looked up in each folder that it may be relative to. A word too many hides a file that
 * nobody needs; a word too few shows an agent what is right. Therefore words are taken apart as
 * a shell would and also at whatever else may separate them, and the history of a hidden file is
 * hidden with it, since `git show` tells what it says. What an agent's own command names, or has
 * in its work folder, is not hidden for being named by a check: it would be missing. */
#include "run/protection.h"

#include "base/os.h"
#include "run/workdirs.h"
#include "spec/spec_suite.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDERS_MAX = 64, WORDS_MAX = 4096, LINKS_MAX = 16 };

struct paths {
    const char **items;
    size_t count;
};

struct protection {
    struct arena *arena;
    struct paths hidden;
    struct paths fixed;
    struct paths checked; /* files and folders that commands of checks name */
    struct paths used;    /* that commands of agents name */
    struct paths folders; /* as written, then what it is */
    struct paths own;     /* work folders of agents that are contained */
};

/* The files that the words of a command name, in the folders that they may be relative to. */
struct words {
    struct protection *p;
    struct paths *found;
    const char *folders[FOLDERS_MAX];
    size_t folder_count;
    size_t count;
};

static bool has_path(const struct paths *list, const char *path)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], path) == 0) return true;
    }
    return false;
}

static void add_path(struct protection *p, struct paths *list, const char *path)
{
    if (has_path(list, path)) return;
    list->items = arena_grow(p->arena, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = arena_copy(p->arena, path, strlen(path));
}

static void hide(struct protection *p, const char *path)
{
    char absolute[PATH_MAX];
    if (path && realpath(path, absolute)) add_path(p, &p->hidden, absolute);
}

static void fix(struct protection *p, const char *path)
{
    add_path(p, &p->fixed, path);
}

/* ---- history ---- */

static const char *beside(const char *file, struct str name, struct arena *arena)
{
    const char *folder = arena_copy(arena, file, (size_t)(strrchr(file, '/') - file));
    return os_path_below(folder, name, arena);
}

/* Where a worktree's or a submodule's `.git` (a file) leads: the folder that holds everything,
 * which a worktree's own names in `commondir` (gitrepository-layout(5)). NULL = nowhere. */
static const char *common_history(const char *file, struct arena *arena)
{
    struct str line = os_read_line(file, arena);
    char own[PATH_MAX], common[PATH_MAX];
    if (!str_starts(line, S("gitdir: "))) return NULL;
    struct str at = {line.p + 8, line.n - 8};
    if (!realpath(beside(file, at, arena), own)) return NULL;
    const char *named = arena_printf(arena, "%s/commondir", own);
    struct str where = os_exists(named) ? os_read_line(named, arena) : (struct str){0};
    if (where.n && realpath(os_path_below(own, where, arena), common))
        return arena_copy(arena, common, strlen(common));
    char *inside = strstr(own, "/.git/");
    if (inside) inside[5] = '\0';
    return arena_copy(arena, own, strlen(own));
}

/* Folders of objects that a repository has from others (gitrepository-layout(5)). */
static void hide_alternates(struct protection *p, const char *objects, int depth)
{
    struct str rest = {0};
    const char *file = arena_printf(p->arena, "%s/info/alternates", objects);
    if (depth == LINKS_MAX || !os_exists(file) ||
        !os_read_file(file, 1 << 20, p->arena, &rest, NULL))
        return;
    while (rest.n > 0) {
        struct str line = str_cut(&rest, '\n');
        if (line.n == 0 || line.p[0] == '#') continue;
        const char *folder = os_path_below(objects, line, p->arena);
        hide(p, folder);
        hide_alternates(p, folder, depth + 1);
    }
}

/* The history of a file tells what it says: that of each repository it is in. */
static void hide_history(struct protection *p, const char *file)
{
    static const char *const names[] = {".git", ".hg", ".svn", ".jj"};
    char path[PATH_MAX];
    if (!file || !realpath(file, path)) return;
    for (char *end; (end = strrchr(path, '/'));) {
        *end = '\0';
        for (size_t i = 0; i < COUNT(names); i++) {
            const char *kept = arena_printf(p->arena, "%s/%s", path, names[i]);
            if (!os_exists(kept)) continue;
            add_path(p, &p->hidden, kept);
            const char *all = os_is_dir(kept) ? kept : common_history(kept, p->arena);
            if (!all) continue;
            hide(p, all);
            hide_alternates(p, arena_printf(p->arena, "%s/objects", all), 0);
        }
    }
}

/* What the environment names to git. */
static void hide_named_history(struct protection *p)
{
    static const char *const names[] = {"GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *path = getenv(names[i]);
        if (!path || !*path) continue;
        hide(p, path);
        bool has_objects = i == COUNT(names) - 1;
        hide_alternates(p, has_objects ? path : arena_printf(p->arena, "%s/objects", path), 0);
    }
}

static void hide_file(struct protection *p, const char *base_dir, const struct value *name)
{
    if (!name || name->kind != VALUE_TEXT) return;
    const char *path = os_path_below(base_dir, name->source, p->arena);
    hide(p, path);
    hide_history(p, path);
}

/* ---- what commands name ---- */

/* Who can replace a link on the way to a file can replace the file. */
static void fix_links(struct protection *p, const char *path, int depth)
{
    char folder[PATH_MAX], target[PATH_MAX];
    for (const char *at = path; at && *at;) {
        at = strchr(at + 1, '/');
        size_t n = at ? (size_t)(at - path) : strlen(path);
        const char *link = arena_copy(p->arena, path, n);
        ssize_t got = readlink(link, target, sizeof target);
        if (got <= 0 || got == sizeof target) continue;
        const char *above = suite_dir_of(p->arena, link);
        if (!realpath(above, folder)) continue;
        fix(p, arena_printf(p->arena, "%s/", strcmp(folder, "/") == 0 ? "" : folder));
        const char *next = os_path_below(above, (struct str){target, (size_t)got}, p->arena);
        if (depth < LINKS_MAX) fix_links(p, next, depth + 1);
    }
}

static void add_folder(struct words *r, const char *folder)
{
    char real[PATH_MAX];
    if (r->folder_count == FOLDERS_MAX || !realpath(folder, real)) return;
    for (size_t i = 0; i < r->folder_count; i++) {
        if (strcmp(r->folders[i], real) == 0) return;
    }
    r->folders[r->folder_count++] = arena_copy(r->p->arena, real, strlen(real));
}

static void take_file(struct words *r, const char *path)
{
    char real[PATH_MAX];
    struct stat st;
    if (stat(path, &st) != 0 || !realpath(path, real)) return;
    if (S_ISDIR(st.st_mode)) add_folder(r, real);
    if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) add_path(r->p, r->found, real);
}

static void take_word(struct words *r, struct str word)
{
    if (word.n == 0 || word.n >= PATH_MAX || r->count >= WORDS_MAX) return;
    if (memchr(word.p, '\0', word.n)) return;
    r->count++;
    for (size_t i = 0, n = r->folder_count; i < n; i++) {
        take_file(r, os_path_below(r->folders[i], word, r->p->arena));
        if (word.p[0] == '/') break;
    }
}

/* Of a word with variables: whatever follows a slash, in each folder. */
static void take_ends(struct words *r, struct str word)
{
    if (!memchr(word.p, '$', word.n) && !memchr(word.p, '~', word.n)) return;
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '/') take_word(r, (struct str){word.p + i + 1, word.n - i - 1});
    }
}

/* As the shell would, as far as quotes go. */
static void take_quoted(struct words *r, struct str text)
{
    char *word = arena_new(r->p->arena, char, text.n + 1);
    size_t n = 0;
    char quote = '\0';
    for (size_t i = 0; i <= text.n; i++) {
        char c = i < text.n ? text.p[i] : '\n';
        bool ends = i == text.n || (!quote && strchr(" \t\r\n;&|()<>`", c) && c);
        if (ends) {
            take_word(r, (struct str){word, n});
            take_ends(r, (struct str){word, n});
            n = 0;
        } else if (c == quote) {
            quote = '\0';
        } else if (!quote && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == '\\' && quote != '\'' && i + 1 < text.n) {
            word[n++] = text.p[++i];
        } else {
            word[n++] = c;
        }
    }
}

/* Whatever may separate words, in a text within quotes too: sh -c './check.sh', --with=file. */
static void take_parts(struct words *r, struct str text)
{
    size_t from = 0;
    for (size_t i = 0; i <= text.n; i++) {
        bool ends =
            i == text.n || (text.p[i] && strchr(" \t\r\n;&|()<>`'\"{}=,:$\\", text.p[i]));
        if (!ends) continue;
        take_word(r, (struct str){text.p + from, i - from});
        from = i + 1;
    }
}

static void take_text(struct words *r, struct str text)
{
    enum { TEXT_MAX = 64 << 10 };
    if (text.n > TEXT_MAX) text.n = TEXT_MAX;
    r->count = 0;
    take_word(r, text);
    take_quoted(r, text);
    take_parts(r, text);
}

static void take_texts(struct words *r, const struct value *v)
{
    size_t count = !v                      ? 0
                   : v->kind == VALUE_MAP  ? v->map.count
                   : v->kind == VALUE_LIST ? v->list.count
                                           : 0;
    if (v && v->kind == VALUE_TEXT) take_text(r, v->source);
    for (size_t i = 0; i < count; i++) {
        take_texts(r, v->kind == VALUE_MAP ? v->map.pairs[i].value : v->list.items[i]);
    }
}

static struct words words_of(struct protection *p, const char *base_dir, struct paths *found)
{
    struct words r = {.p = p, .found = found};
    add_folder(&r, base_dir ? base_dir : ".");
    add_folder(&r, ".");
    return r;
}

/* What we read: as it is named, wherever that leads. */
static void fix_inputs(struct protection *p, const char *base_dir, const struct value *v)
{
    size_t count = v && v->kind == VALUE_LIST ? v->list.count : 0;
    char real[PATH_MAX];
    for (size_t i = 0; i < count; i++) fix_inputs(p, base_dir, v->list.items[i]);
    if (!v || v->kind != VALUE_TEXT) return;
    const char *path = os_path_below(base_dir, v->source, p->arena);
    if (!realpath(path, real)) return;
    fix(p, real);
    fix_links(p, path, 0);
}

/* ---- work folders ---- */

static void settle_folder(struct protection *p, const struct value *workdir, bool is_contained)
{
    if (!workdir || workdir->kind != VALUE_TEXT || workdir->source.n == 0) return;
    const char *path = str_cstr(p->arena, workdir->source);
    if (is_contained) add_path(p, &p->own, workdirs_settled(path, p->arena));
    for (size_t i = 0; i < p->folders.count; i += 2) {
        if (strcmp(p->folders.items[i], path) == 0) return;
    }
    const char *pair[] = {path, workdirs_settled(path, p->arena)};
    for (size_t i = 0; i < COUNT(pair); i++) {
        p->folders.items =
            arena_grow(p->arena, p->folders.items, p->folders.count, sizeof *p->folders.items);
        p->folders.items[p->folders.count++] = pair[i];
    }
}

/* ---- what a spec names ---- */

/* A program is one of the machine. */
static void take_agent(struct protection *p, const char *base_dir, const struct value *agent,
                       bool is_judge)
{
    if (!agent || agent->kind != VALUE_MAP) return;
    const struct value *process = value_get(agent, "process");
    const struct value *workdir = value_get(process, "workdir");
    struct words r = words_of(p, base_dir, &p->used);
    if (workdir && workdir->kind == VALUE_TEXT)
        add_folder(&r, str_cstr(p->arena, workdir->source));
    settle_folder(p, workdir, !is_judge && workdirs_is_contained(agent));
    if (!is_judge) take_texts(&r, process);
    hide_file(p, base_dir, value_get(value_get(agent, "replay"), "answers"));
}

static void take_agents(struct protection *p, const char *base_dir, const struct value *list,
                        bool is_judge)
{
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        take_agent(p, base_dir, list->list.items[i], is_judge);
    }
}

/* Of a rubric: every `file`, however deep (similarity, json_schema), and what a `command` and
 * its `env` name. */
static void take_rubric(struct protection *p, const char *base_dir, const struct value *v)
{
    size_t count = !v                      ? 0
                   : v->kind == VALUE_MAP  ? v->map.count
                   : v->kind == VALUE_LIST ? v->list.count
                                           : 0;
    for (size_t i = 0; i < count; i++) {
        const struct value *item =
            v->kind == VALUE_MAP ? v->map.pairs[i].value : v->list.items[i];
        struct str key = v->kind == VALUE_MAP ? v->map.pairs[i].key : S("");
        if (str_is(key, "file")) hide_file(p, base_dir, item);
        if (str_is(key, "command") || str_is(key, "env")) {
            struct words r = words_of(p, base_dir, &p->checked);
            take_texts(&r, item);
        }
        take_rubric(p, base_dir, item);
    }
}

/* A spec as it is written, of which a run may carry out a part. */
static void take_tree(struct protection *p, const char *base_dir, const struct value *v)
{
    size_t count = !v || v->kind != VALUE_MAP ? 0 : v->map.count;
    for (size_t i = 0; v && v->kind == VALUE_LIST && i < v->list.count; i++) {
        take_tree(p, base_dir, v->list.items[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct str key = v->map.pairs[i].key;
        const struct value *item = v->map.pairs[i].value;
        if (str_is(key, "include")) fix_inputs(p, base_dir, item);
        if (str_is(key, "from")) fix_inputs(p, base_dir, item);
        if (str_is(key, "environment")) settle_folder(p, value_get(item, "workdir"), true);
        if (str_is(key, "dataset")) hide_file(p, base_dir, value_get(item, "source"));
        if (str_is(key, "rubric") || str_is(key, "scoring_rubric")) {
            take_rubric(p, base_dir, item);
        } else if (str_is(key, "agents") || str_is(key, "judges")) {
            take_agents(p, base_dir, item, str_is(key, "judges"));
        } else {
            take_tree(p, base_dir, item);
        }
    }
}

static void take_text_of_spec(struct protection *p, const char *path, struct str text)
{
    const struct value *root = NULL;
    struct value_error e;
    hide(p, path);
    hide_history(p, path);
    fix_links(p, path, 0);
    if (value_read(text, &value_limits_spec, p->arena, &root, &e))
        take_tree(p, suite_dir_of(p->arena, path), root);
}

/* Rubrics of cases, each once. */
static void take_cases(struct protection *p, const struct suite_benchmark *b)
{
    bool *is_seen = arena_new(p->arena, bool, b->cases.rubric_count + 1);
    for (size_t i = 0; i < b->cases.count; i++) {
        const struct case_item *item = &b->cases.items[i];
        size_t at = (size_t)item->rubric_index;
        if (item->rubric_index < 0 || at >= b->cases.rubric_count || is_seen[at]) continue;
        is_seen[at] = true;
        take_rubric(p, b->base_dir, item->rubric);
    }
}

/* Earlier results. The folder that they are in where it has nothing else: thousands of them
 * are one then, and it may be the one that everything is in. */
static void hide_results(struct protection *p, const char *output_dir)
{
    for (int pass = 0; pass < 2; pass++) {
        DIR *entries = opendir(output_dir);
        size_t results = 0;
        size_t others = 0;
        for (struct dirent *e; entries && (e = readdir(entries));) {
            if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
            const char *folder = arena_printf(p->arena, "%s/%s", output_dir, e->d_name);
            bool is_result = os_exists(arena_printf(p->arena, "%s/cell-000.json", folder));
            results += is_result;
            others += !is_result;
            if (is_result && pass == 1) hide(p, folder);
        }
        if (entries) closedir(entries);
        if (pass > 0 || others > 0) continue;
        if (results > 0) hide(p, output_dir);
        return;
    }
}

/* What is written there at the end is to go nowhere else, by a link in its place. */
static void take_output(struct protection *p, const char *output_dir)
{
    char real[PATH_MAX];
    hide_results(p, output_dir);
    if (realpath(output_dir, real)) fix(p, real);
}

static void take_entry(struct protection *p, const struct spec *spec,
                       const struct spec_entry *e)
{
    const struct suite_benchmark *b = e->benchmark;
    const char *base_dir = b ? b->base_dir : suite_dir_of(p->arena, spec->path);
    if (e->output_dir) take_output(p, e->output_dir);
    take_agents(p, base_dir, e->agents, false);
    take_tree(p, base_dir, e->params);
    if (!b) return;
    hide_file(p, base_dir, value_get(b->dataset, "source"));
    take_tree(p, base_dir, b->settings);
    take_rubric(p, base_dir, b->rubric);
    take_cases(p, b);
}

static bool is_own(const struct protection *p, const char *path)
{
    for (size_t i = 0; i < p->own.count; i++) {
        if (workdirs_has(p->own.items[i], path)) return true;
    }
    return false;
}

static bool has_inside(const char *folder, const struct paths *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (workdirs_has(folder, list->items[i])) return true;
    }
    return false;
}

/* What a check's command names may tell what is right: hidden, unless an agent names it or
 * something in it too, it is in a work folder or has one inside, it is where the suite is or
 * assay was started, or it is none of the suite's, as an interpreter. */
static void hide_checks(struct protection *p, const char *base_dir)
{
    char base[PATH_MAX], here[PATH_MAX];
    if (!realpath(base_dir, base) || !getcwd(here, sizeof here)) return;
    for (size_t i = 0; i < p->checked.count; i++) {
        const char *named = p->checked.items[i];
        bool is_around = workdirs_has(named, base) || workdirs_has(named, here);
        bool is_theirs =
            has_inside(named, &p->used) || has_inside(named, &p->own) || is_own(p, named);
        if (workdirs_has(base, named) && !is_around && !is_theirs)
            add_path(p, &p->hidden, named);
    }
}

struct protection *protection_new(const struct spec *spec, const char *store,
                                  const char *const *others, struct arena *out)
{
    static const char *const parts[] = {"", "-wal", "-shm", "-journal"};
    struct protection *p = arena_new(out, struct protection, 1);
    p->arena = out;
    take_text_of_spec(p, spec->path, spec->text);
    for (size_t i = 0; i < spec->entry_count; i++) take_entry(p, spec, &spec->entries[i]);
    for (size_t i = 0; others && others[i]; i++) {
        struct str text = {0};
        if (os_exists(others[i]) && !os_is_dir(others[i]) &&
            os_read_file(others[i], value_limits_spec.max_bytes, out, &text, NULL))
            take_text_of_spec(p, others[i], text);
    }
    hide_checks(p, suite_dir_of(out, spec->path));
    for (size_t i = 0; others && others[i]; i++) hide_checks(p, suite_dir_of(out, others[i]));
    /* SQLite puts the others next to the file itself, wherever a link to it is. */
    const char *file = store ? workdirs_settled(store, out) : NULL;
    for (size_t i = 0; file && i < COUNT(parts); i++) {
        hide(p, arena_printf(out, "%s%s", file, parts[i]));
    }
    hide(p, ".assay");
    hide_named_history(p);
    return p;
}

static void describe(const struct paths *list, const char *key, struct json *j)
{
    json_key_list(j, key);
    for (size_t i = 0; i < list->count; i++) json_text(j, list->items[i]);
    json_end(j);
}

void protection_describe(const struct protection *p, struct json *j)
{
    describe(&p->hidden, "hidden", j);
    describe(&p->fixed, "fixed", j);
    describe(&p->folders, "folders", j);
}
