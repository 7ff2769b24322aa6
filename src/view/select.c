/* The order in which a word is tried decides what it means: a file, branch: or tag:, latest, a
 * run's id, a pinned name, an agent. An id that fits several runs is an error only if the word
 * means nothing else. */
#include "view/select.h"

#include "base/os.h"
#include "base/value.h"

bool select_is_file(const char *selector)
{
    struct str text = str_of(selector);
    if (strchr(selector, '/') || str_ends(text, S(".json"))) return true;
    if (!os_exists(selector)) return false;
    /* A program or folder that is named like a branch is not a result. */
    char first[4200];
    snprintf(first, sizeof first, "%s/cell-000.json", selector);
    return os_is_dir(selector) ? os_exists(first) : strchr(selector, '.') != NULL;
}

static bool list_all(struct store *store, const char *tag, int64_t since_ns, struct arena *out,
                     struct run_record **runs, size_t *count, struct error *err)
{
    struct run_filter filter = {.tag = tag, .since_ns = since_ns};
    return store_list_runs(store, &filter, out, runs, count, err);
}

/* ---- branch:, tag: and commit: ---- */

static bool find_branch(struct store *store, const char *name, struct arena *out,
                        struct selection *s, struct error *err)
{
    size_t all = 0;
    if (!list_all(store, NULL, 0, out, &s->runs, &all, err)) return false;
    for (size_t i = 0; i < all; i++) {
        if (str_is(run_vcs(&s->runs[i]).branch, name)) s->runs[s->run_count++] = s->runs[i];
    }
    return s->run_count > 0 ||
           error_set(err, ERROR_NOT_FOUND, "no run in the store was made on branch '%s'", name);
}

static bool find_tag(struct store *store, const char *tag, struct arena *out,
                     struct selection *s, struct error *err)
{
    if (!list_all(store, tag, 0, out, &s->runs, &s->run_count, err)) return false;
    return s->run_count > 0 ||
           error_set(err, ERROR_NOT_FOUND, "no run in the store has the tag '%s'", tag);
}

static bool find_commit(struct store *store, const char *commit, struct arena *out,
                        struct selection *s, struct error *err)
{
    enum { LEAST = 7 };
    size_t all = 0;
    if (strlen(commit) < LEAST) {
        return error_set(err, ERROR_INVALID,
                         "'commit:%s' is too short: write at least %d digits of the commit",
                         commit, LEAST);
    }
    if (!list_all(store, NULL, 0, out, &s->runs, &all, err)) return false;
    for (size_t i = 0; i < all; i++) {
        if (str_starts(run_vcs(&s->runs[i]).commit, str_of(commit)))
            s->runs[s->run_count++] = s->runs[i];
    }
    return s->run_count > 0 ||
           error_set(err, ERROR_NOT_FOUND, "no run in the store is of commit '%s'", commit);
}

struct prefix {
    struct str word;
    bool (*find)(struct store *store, const char *name, struct arena *out, struct selection *s,
                 struct error *err);
};

/* NULL: the selector begins with none of them. */
static const struct prefix *find_prefix(const char *selector)
{
    static const struct prefix all[] = {
        {{"branch:", 7}, find_branch}, {{"tag:", 4}, find_tag}, {{"commit:", 7}, find_commit}};
    for (size_t i = 0; i < COUNT(all); i++) {
        if (str_starts(str_of(selector), all[i].word)) return &all[i];
    }
    return NULL;
}

/* ---- agents and baselines ---- */

bool select_agent(struct store *store, const char *text, struct arena *out,
                  struct agent_record *agent, const char **version, struct error *err)
{
    struct agent_name parts = agent_name_split(str_of(text));
    struct error whole = {0};
    *version = NULL;
    if (!parts.version.p)
        return store_find_agent(store, text, out, agent, err) || error_blame(err, "agent");
    if (store_find_agent(store, text, out, agent, &whole)) return true;
    if (whole.code != ERROR_NOT_FOUND) return error_set(err, whole.code, "%s", whole.text);
    if (!store_find_agent(store, str_cstr(out, parts.name), out, agent, err))
        return error_blame(err, "agent");
    *version = parts.version.p; /* ends where the text does */
    return true;
}

bool select_agent_ref(struct store *store, const char *text, struct arena *out,
                      struct agent_ref *ref, struct error *err)
{
    struct agent_record agent;
    const char *version = NULL;
    if (!select_agent(store, text, out, &agent, &version, err)) return false;
    *ref = (struct agent_ref){.id = str_cstr(out, str_of(agent.id)),
                              .name = version ? arena_printf(out, "%s@%s", agent.name, version)
                                              : agent.name,
                              .version = version};
    return true;
}

bool select_any_ref(struct store *store, const char *text, struct arena *out,
                    struct agent_ref *ref, struct error *err)
{
    if (select_agent_ref(store, text, out, ref, err)) return true;
    if (strcmp(text, "assay") != 0) return false;
    struct execution_record ours = {.experiment = ""};
    store_builtin_ids(store, &ours);
    *ref = (struct agent_ref){.id = str_cstr(out, str_of(ours.agent_id)), .name = text};
    if (err) *err = (struct error){0};
    return true;
}

bool select_suite(struct store *store, const char *text, struct arena *out, const char **name,
                  struct error *err)
{
    struct suite_record found = {0};
    *name = NULL;
    if (!text) return true;
    if (!store_find_suite(store, text, out, &found, err)) return error_blame(err, "suite");
    *name = found.name;
    return true;
}

static bool has_run(const struct run_record *runs, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(runs[i].id, id) == 0) return true;
    }
    return false;
}

static bool add_run(struct store *store, const char *id, struct arena *out, struct selection *s,
                    struct error *err)
{
    if (!id || !id[0] || has_run(s->runs, s->run_count, id)) return true;
    if (!store_find_run(store, id, out, &s->runs[s->run_count], err)) return false;
    s->run_count++;
    return true;
}

static bool find_agent(struct store *store, const char *text, struct arena *out,
                       struct selection *s, struct error *err)
{
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!select_agent(store, text, out, &s->agent, &s->version, err)) return false;
    struct execution_filter filter = {.agent_id = s->agent.id};
    if (!store_query_executions(store, &filter, out, &executions, &count, err)) return false;
    s->kind = SELECT_AGENT;
    s->runs = arena_new(out, struct run_record, count + 1);
    const struct agent_ref ref = {.id = s->agent.id, .version = s->version};
    for (size_t i = 0; i < count; i++) {
        if (!agent_ref_fits(&ref, executions[i].agent_id, executions[i].agent_version))
            continue;
        if (!add_run(store, executions[i].run_id, out, s, err)) return false;
    }
    return s->run_count > 0 ||
           error_set(err, ERROR_NOT_FOUND, "no run in the store has '%s'", text);
}

static bool find_baseline(struct store *store, const char *name, struct arena *out,
                          struct selection *s, bool *found, struct error *err)
{
    struct baseline_record *pins = NULL;
    if (!store_list_baselines(store, name, out, &pins, &s->pin_count, err)) return false;
    *found = s->pin_count > 0;
    if (!*found) return true;
    s->kind = SELECT_BASELINE;
    s->pins = pins;
    s->runs = arena_new(out, struct run_record, s->pin_count + 1);
    for (size_t i = 0; i < s->pin_count; i++) {
        if (!add_run(store, pins[i].run_id, out, s, err)) return false;
    }
    return s->run_count > 0 ||
           error_set(err, ERROR_NOT_FOUND, "the run pinned as '%s' was forgotten", name);
}

/* ---- all of them ---- */

static bool find_name(struct store *store, const char *text, struct arena *out,
                      struct selection *s, struct error *err)
{
    struct error of_run = {0};
    bool is_pinned = false;
    s->runs = arena_new(out, struct run_record, 1);
    s->run_count = 1;
    if (store_is_latest(text)) return store_find_run(store, text, out, s->runs, err);
    /* A name with an @ is never a run id, not even one that is too short. */
    if (!strchr(text, '@') && store_find_run(store, text, out, s->runs, &of_run)) return true;
    s->run_count = 0;
    if (!find_baseline(store, text, out, s, &is_pinned, err)) return false;
    if (is_pinned || find_agent(store, text, out, s, err)) return true;
    bool is_nothing = !of_run.code || of_run.code == ERROR_NOT_FOUND;
    if (is_nothing && err && err->code == ERROR_NOT_FOUND && !strchr(text, '@')) {
        return error_set(
            err, ERROR_NOT_FOUND,
            "'%s' is not a run, agent, pinned name, result file, branch:, tag: or commit:; "
            "`assay list` shows the runs",
            text);
    }
    if (of_run.code && err && err->code == ERROR_NOT_FOUND) *err = of_run;
    return false;
}

bool select_find(struct store *store, const char *selector, struct arena *out,
                 struct selection *s, struct error *err)
{
    *s = (struct selection){.cell = -1};
    bool takes_files = !store || !store_is_served(store);
    if (takes_files && select_is_file(selector)) {
        s->kind = SELECT_FILE;
        return true;
    }
    CHECK(store != NULL);
    const struct prefix *prefix = find_prefix(selector);
    const char *name = selector + (prefix ? prefix->word.n : 0);
    /* A cell comes after a name: of branch:2024 the number is the branch. */
    struct str text = str_of(name);
    const char *colon = strrchr(name, ':');
    bool has_cell = colon && colon > name && str_to_int(str_of(colon + 1), &s->cell);
    if (has_cell) text.n = (size_t)(colon - name);
    const char *what = str_cstr(out, text);
    s->kind = prefix ? SELECT_QUERY : SELECT_RUN;
    bool is_found =
        prefix ? prefix->find(store, what, out, s, err) : find_name(store, what, out, s, err);
    return is_found || error_blame(err, "run");
}

/* ---- parts of runs, and whole ones ---- */

static bool is_pinned(const struct selection *s, const char *execution_id)
{
    for (size_t i = 0; i < s->pin_count; i++) {
        const char *id = s->pins[i].execution_id;
        if (id && strcmp(id, execution_id) == 0) return true;
    }
    return false;
}

bool select_has(const struct selection *s, const struct execution_record *e)
{
    const struct agent_ref ref = {.id = s->agent.id, .version = s->version};
    if (s->kind == SELECT_AGENT && !agent_ref_fits(&ref, e->agent_id, e->agent_version))
        return false;
    if (s->kind == SELECT_BASELINE && !is_pinned(s, e->id)) return false;
    return s->cell < 0 || e->cell_index == s->cell;
}

bool select_no_cell(const struct selection *s, size_t count, struct error *err)
{
    return error_set(err, ERROR_NOT_FOUND, "run %s has no cell %lld%s; it has %zu, from 0",
                     id_short(s->runs[0].id), (long long)s->cell,
                     s->kind == SELECT_AGENT      ? " of that agent"
                     : s->kind == SELECT_BASELINE ? " that is pinned"
                                                  : "",
                     count);
}

bool select_is_whole(const struct selection *s, const char *selector, struct error *err)
{
    if (s->cell < 0) return true;
    return error_set(err, ERROR_INVALID,
                     "'%s' is one cell, but this is about whole runs: leave out the :%lld",
                     selector, (long long)s->cell);
}

bool select_refuse_file(const char *selector, struct error *err)
{
    return error_set(err, ERROR_INVALID,
                     "'%s' is a file, but a stored run is needed: import it first", selector);
}

static bool find_stored(struct store *store, const char *selector, struct arena *out,
                        struct selection *s, struct error *err)
{
    if (!select_find(store, selector, out, s, err)) return false;
    return s->kind != SELECT_FILE || select_refuse_file(selector, err);
}

bool select_executions(struct store *store, const char *selector, struct arena *out,
                       struct selection *s, struct execution_record **executions, size_t *count,
                       struct error *err)
{
    size_t all = 0;
    *executions = NULL;
    *count = 0;
    if (!find_stored(store, selector, out, s, err)) return false;
    size_t runs = s->kind == SELECT_BASELINE ? s->run_count : 1;
    for (size_t r = 0; r < runs; r++) {
        struct execution_record *list = NULL;
        size_t n = 0;
        if (!store_list_executions(store, s->runs[r].id, out, &list, &n, err)) return false;
        all += n;
        for (size_t i = 0; i < n; i++) {
            if (!select_has(s, &list[i])) continue;
            *executions = arena_grow(out, *executions, *count, sizeof **executions);
            (*executions)[(*count)++] = list[i];
        }
    }
    return *count > 0 || s->cell < 0 || select_no_cell(s, all, err);
}

bool select_run(struct store *store, const char *selector, struct arena *out,
                struct run_record *run, struct error *err)
{
    struct selection s;
    if (!find_stored(store, selector, out, &s, err) || !select_is_whole(&s, selector, err))
        return false;
    *run = s.runs[0];
    return true;
}

bool select_all(struct store *store, const char *const *selectors, size_t selector_count,
                int64_t since_ns, struct arena *out, struct run_record **runs, size_t *count,
                struct error *err)
{
    if (selector_count == 0) return list_all(store, NULL, since_ns, out, runs, count, err);
    size_t most = 0;
    if (!list_all(store, NULL, 0, out, runs, &most, err)) return false;
    struct run_record *chosen = arena_new(out, struct run_record, most + 1);
    size_t chosen_count = 0;
    for (size_t s = 0; s < selector_count; s++) {
        struct selection some;
        if (!select_find(store, selectors[s], out, &some, err) ||
            !select_is_whole(&some, selectors[s], err))
            return false;
        for (size_t i = 0; i < some.run_count; i++) {
            if (some.runs[i].started_ns < since_ns || chosen_count == most ||
                has_run(chosen, chosen_count, some.runs[i].id)) {
                continue;
            }
            chosen[chosen_count++] = some.runs[i];
        }
    }
    *runs = chosen;
    *count = chosen_count;
    return true;
}

bool select_last(struct store *store, struct arena *out, struct run_record **runs,
                 size_t *count, struct error *err)
{
    enum { FILES_MAX = 100 };
    const struct run_filter newest = {.limit = FILES_MAX};
    size_t all = 0;
    struct run_record last;
    if (!store_find_run(store, "latest", out, &last, err) ||
        !store_list_runs(store, &newest, out, runs, &all, err))
        return false;
    for (*count = 1; *count < all; ++*count) {
        if (!run_is_same_command(&last, &(*runs)[*count])) break;
    }
    return true;
}
