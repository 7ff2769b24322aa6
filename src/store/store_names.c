/* What has a name: agents, suites with their benchmarks and cases, baselines.
 * Ids are made from names and content (so that two stores agree on them), and a
 * name that is not there gets a suggestion. */
#include "store/store_internal.h"

static void content_id(struct store *store, const char *kind, const char *name,
                       const char *hash, char *id)
{
    struct arena scratch = arena_open();
    const char *text = arena_printf(&scratch, "%s\n%s", hash ? hash : "", name);
    id_uuid5(str_of(store->workspace), kind, str_of(text), id);
    arena_close(&scratch);
}

void store_agent_id(struct store *store, const char *name, char *id)
{
    id_uuid5(str_of(store->workspace), "agent", str_of(name), id);
}

bool store_put_agent(struct store *store, struct agent_record *agent, struct error *err)
{
    store_agent_id(store, agent->name, agent->id);
    return store->ops->put_agent(store, agent, err);
}

bool store_put_suite(struct store *store, struct suite_record *suite, struct error *err)
{
    content_id(store, "suite", suite->name, suite->content_hash, suite->id);
    return store->ops->put_suite(store, suite, err);
}

void store_benchmark_id(struct store *store, const char *suite, const char *name,
                        const char *content_hash, char *id)
{
    struct arena scratch = arena_open();
    const char *both = arena_printf(&scratch, "%s/%s", suite, name);
    content_id(store, "benchmark", both, content_hash, id);
    arena_close(&scratch);
}

bool store_put_benchmark(struct store *store, struct benchmark_record *benchmark,
                         struct error *err)
{
    return store->ops->put_benchmark(store, benchmark, err);
}

bool store_put_cases(struct store *store, const struct case_record *cases, size_t count,
                     struct error *err)
{
    return store->ops->put_cases(store, cases, count, err);
}

bool store_list_agents(struct store *store, bool all, struct arena *out,
                       struct agent_record **agents, size_t *count, struct error *err)
{
    return store->ops->list_agents(store, all, NULL, out, agents, count, err);
}

bool store_list_suites(struct store *store, bool all, struct arena *out,
                       struct suite_record **suites, size_t *count, struct error *err)
{
    return store->ops->list_suites(store, all, NULL, NULL, out, suites, count, err);
}

bool store_list_benchmarks(struct store *store, const char *suite_id, struct arena *out,
                           struct benchmark_record **benchmarks, size_t *count,
                           struct error *err)
{
    return store->ops->list_benchmarks(store, suite_id, NULL, out, benchmarks, count, err);
}

/* "no agent 'x' in the store; did you mean 'y'?" */
static bool not_found(const char *what, const char *name, const char *const *names,
                      size_t count, struct error *err)
{
    const char *meant = str_suggest(str_of(name), names, count);
    return error_set(err, ERROR_NOT_FOUND, "no %s '%s' in the store%s%s%s", what, name,
                     STR_MEANT(meant));
}

static bool no_agent(struct store *store, const char *name, struct error *err)
{
    struct arena scratch = arena_open();
    struct agent_record *list = NULL;
    size_t count = 0;
    bool done = store_list_agents(store, true, &scratch, &list, &count, err);
    const char **names = arena_new(&scratch, const char *, count);
    for (size_t i = 0; done && i < count; i++) names[i] = list[i].name;
    if (done) not_found("agent", name, names, count, err);
    arena_close(&scratch);
    return false;
}

static bool no_suite(struct store *store, const char *name, struct error *err)
{
    struct arena scratch = arena_open();
    struct suite_record *list = NULL;
    size_t count = 0;
    bool done = store_list_suites(store, true, &scratch, &list, &count, err);
    const char **names = arena_new(&scratch, const char *, count);
    for (size_t i = 0; done && i < count; i++) names[i] = list[i].name;
    if (done) not_found("suite", name, names, count, err);
    arena_close(&scratch);
    return false;
}

static bool find_agent_by_id(struct store *store, const char *id, struct arena *out,
                             struct agent_record *agent, struct error *err)
{
    struct agent_record *list = NULL;
    size_t count = 0;
    if (strlen(id) != UUID_SIZE - 1) return no_agent(store, id, err);
    if (!store->ops->list_agents(store, true, NULL, out, &list, &count, err)) return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].id, id) != 0) continue;
        *agent = list[i];
        return true;
    }
    return no_agent(store, id, err);
}

bool store_find_agent(struct store *store, const char *name, struct arena *out,
                      struct agent_record *agent, struct error *err)
{
    struct agent_record *list = NULL;
    size_t count = 0;
    if (!store->ops->list_agents(store, true, name, out, &list, &count, err)) return false;
    if (count == 0) return find_agent_by_id(store, name, out, agent, err);
    *agent = list[0];
    return true;
}

bool store_find_suite(struct store *store, const char *name, struct arena *out,
                      struct suite_record *suite, struct error *err)
{
    struct suite_record *list = NULL;
    size_t count = 0;
    if (!store->ops->list_suites(store, true, name, NULL, out, &list, &count, err))
        return false;
    bool is_id = count == 0 && strlen(name) == UUID_SIZE - 1;
    if (is_id && !store->ops->list_suites(store, true, NULL, name, out, &list, &count, err))
        return false;
    if (count == 0) return no_suite(store, name, err);
    *suite = list[0];
    for (size_t i = 0; i < count && !suite->is_registered; i++) {
        if (list[i].is_registered) *suite = list[i];
    }
    return true;
}

bool store_find_suite_by_id(struct store *store, const char *id, struct arena *out,
                            struct suite_record *suite, struct error *err)
{
    struct suite_record *list = NULL;
    size_t count = 0;
    if (!store->ops->list_suites(store, true, NULL, id, out, &list, &count, err)) return false;
    if (count == 0) return error_set(err, ERROR_NOT_FOUND, "no suite %s in the store", id);
    *suite = list[0];
    return true;
}

bool store_find_benchmark(struct store *store, const char *id, struct arena *out,
                          struct benchmark_record *benchmark, struct error *err)
{
    struct benchmark_record *list = NULL;
    size_t count = 0;
    if (!store->ops->list_benchmarks(store, NULL, id, out, &list, &count, err)) return false;
    if (count == 0) return error_set(err, ERROR_NOT_FOUND, "no benchmark %s in the store", id);
    *benchmark = list[0];
    return true;
}

bool store_find_case(struct store *store, const char *hash, struct arena *out,
                     struct case_record *c, struct error *err)
{
    bool found = false;
    if (!store->ops->find_case(store, hash, out, c, &found, err)) return false;
    return found || error_set(err, ERROR_NOT_FOUND, "no case %.12s in the store", hash);
}

bool store_remove_agent(struct store *store, const char *name, struct error *err)
{
    bool found = false;
    if (!store->ops->unregister(store, false, name, &found, err)) return false;
    return found || error_set(err, ERROR_NOT_FOUND, "no agent '%s' is registered", name);
}

bool store_remove_suite(struct store *store, const char *name, struct error *err)
{
    bool found = false;
    if (!store->ops->unregister(store, true, name, &found, err)) return false;
    return found || error_set(err, ERROR_NOT_FOUND, "no suite '%s' is registered", name);
}

bool store_put_baseline(struct store *store, const char *name, const struct execution_record *e,
                        struct error *err)
{
    return store->ops->put_baseline(store, name, e, err);
}

bool store_list_baselines(struct store *store, const char *name, struct arena *out,
                          struct baseline_record **baselines, size_t *count, struct error *err)
{
    return store->ops->list_baselines(store, name, out, baselines, count, err);
}

bool store_clear_baseline(struct store *store, const char *name, struct error *err)
{
    int64_t cleared = 0;
    if (!store->ops->clear_baseline(store, name, &cleared, err)) return false;
    if (cleared > 0) return true;
    struct arena scratch = arena_open();
    struct baseline_record *list = NULL;
    size_t count = 0;
    bool done = store_list_baselines(store, NULL, &scratch, &list, &count, err);
    const char **names = arena_new(&scratch, const char *, count + 1);
    for (size_t i = 0; done && i < count; i++) names[i] = list[i].name;
    if (done) not_found("baseline", name, names, count, err);
    arena_close(&scratch);
    return false;
}
