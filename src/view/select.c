#include "view/select.h"

struct str select_branch(const struct run_record *run, struct arena *out)
{
    const struct value *vcs = NULL;
    bool is_read =
        run->vcs && value_read_json(str_of(run->vcs), &value_limits_spec, out, &vcs, NULL);
    const struct value *branch = is_read ? value_get(vcs, "branch") : NULL;
    return branch && branch->kind == VALUE_TEXT ? branch->source : (struct str){0};
}

static bool list_all(struct store *store, const char *tag, int64_t since_ns, struct arena *out,
                     struct run_record **runs, size_t *count, struct error *err)
{
    struct run_filter filter = {.tag = tag, .since_ns = since_ns};
    return store_list_runs(store, &filter, out, runs, count, err);
}

static bool of_branch(struct store *store, struct str name, struct arena *out,
                      struct run_record **runs, size_t *count, struct error *err)
{
    size_t all = 0;
    if (!list_all(store, NULL, 0, out, runs, &all, err)) return false;
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        if (str_equal(select_branch(&(*runs)[i], out), name)) (*runs)[(*count)++] = (*runs)[i];
    }
    return *count > 0 ||
           error_set(err, ERROR_NOT_FOUND, "no run in the store was made on branch '%.*s'",
                     STR_ARG(name));
}

static bool of_tag(struct store *store, struct str tag, struct arena *out,
                   struct run_record **runs, size_t *count, struct error *err)
{
    if (!list_all(store, str_cstr(out, tag), 0, out, runs, count, err)) return false;
    return *count > 0 || error_set(err, ERROR_NOT_FOUND,
                                   "no run in the store has the tag '%.*s'", STR_ARG(tag));
}

static bool has_run(const struct run_record *runs, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(runs[i].id, id) == 0) return true;
    }
    return false;
}

static bool of_agent(struct store *store, const char *selector, struct arena *out,
                     struct run_record **runs, size_t *count, struct error *err)
{
    struct str version = str_of(selector);
    struct str name = str_cut(&version, '@');
    struct agent_record agent;
    struct execution_record *executions = NULL;
    size_t execution_count = 0;
    if (!store_find_agent(store, str_cstr(out, name), out, &agent, err)) return false;
    struct execution_filter filter = {.agent_id = agent.id};
    if (!store_query_executions(store, &filter, out, &executions, &execution_count, err)) {
        return false;
    }
    *runs = arena_new(out, struct run_record, execution_count + 1);
    *count = 0;
    for (size_t i = 0; i < execution_count; i++) {
        const struct execution_record *e = &executions[i];
        if (version.p && !(e->agent_version && str_is(version, e->agent_version))) continue;
        if (!e->run_id[0] || has_run(*runs, *count, e->run_id)) continue;
        if (!store_find_run(store, e->run_id, out, &(*runs)[*count], err)) return false;
        (*count)++;
    }
    return *count > 0 ||
           error_set(err, ERROR_NOT_FOUND, "no run in the store has '%s'", selector);
}

bool select_is_query(struct str selector)
{
    return str_starts(selector, S("branch:")) || str_starts(selector, S("tag:"));
}

bool select_runs(struct store *store, const char *selector, struct arena *out,
                 struct run_record **runs, size_t *count, struct error *err)
{
    struct str text = str_of(selector);
    if (str_starts(text, S("branch:"))) {
        return of_branch(store, str_of(selector + strlen("branch:")), out, runs, count, err);
    }
    if (str_starts(text, S("tag:"))) {
        return of_tag(store, str_of(selector + strlen("tag:")), out, runs, count, err);
    }
    /* Ids have no @, and short names with one are no ids that are too short. */
    if (strchr(selector, '@')) return of_agent(store, selector, out, runs, count, err);
    struct error of_run = {0};
    *runs = arena_new(out, struct run_record, 1);
    *count = 1;
    if (str_starts(text, S("latest"))) return store_find_run(store, selector, out, *runs, err);
    if (store_find_run(store, selector, out, *runs, &of_run)) return true;
    if (of_agent(store, selector, out, runs, count, err)) return true;
    if (of_run.code == ERROR_NOT_FOUND && err && err->code == ERROR_NOT_FOUND) {
        return error_set(err, ERROR_NOT_FOUND,
                         "'%s' is no run, agent, branch: or tag:; `assay list` shows the runs",
                         selector);
    }
    if (err && err->code == ERROR_NOT_FOUND) *err = of_run;
    return false;
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
        struct run_record *some = NULL;
        size_t some_count = 0;
        if (!select_runs(store, selectors[s], out, &some, &some_count, err)) return false;
        for (size_t i = 0; i < some_count; i++) {
            if (some[i].started_ns < since_ns || chosen_count == most ||
                has_run(chosen, chosen_count, some[i].id)) {
                continue;
            }
            chosen[chosen_count++] = some[i];
        }
    }
    *runs = chosen;
    *count = chosen_count;
    return true;
}
