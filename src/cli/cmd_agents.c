/* Agents kept in the store, for use by name. */
#include "cli/registered.h"
#include "cli/spec_file.h"
#include "cli/stored.h"
#include "spec/spec_suite.h"

extern const struct command command_agents;

static const struct param options[] = {
    {.name = "all",
     .letter = 'a',
     .type = PARAM_BOOL,
     .offset = offsetof(struct registered_options, all),
     .help = "list also those that runs have met"},
};

static const struct registered agents;

static void put_json(struct json *j, const void *row)
{
    const struct agent_record *a = row;
    json_put_text(j, "id", a->id);
    json_put_text(j, "name", a->name);
    json_put_text(j, "kind", a->kind);
    json_put_text(j, "version", a->version);
    json_put_bool(j, "registered", a->is_registered);
    json_put_raw(j, "configuration", a->configuration);
}

static void put_text(struct buf *out, const void *row)
{
    const struct agent_record *a = row;
    buf_printf(out, "%-20s %-10s %-12s%s\n", a->name, a->version ? a->version : "-",
               a->kind ? a->kind : "-", a->is_registered ? "" : "  met in runs");
}

static int add(struct context *c)
{
    struct error err = {0};
    struct str bytes = {0};
    const struct value *list = NULL;
    struct problems problems = {.arena = c->arena};
    struct store *store = NULL;
    const char *path = c->args[1];
    if (c->arg_count != 2) return command_misused(&command_agents, "add needs one file");
    if (!spec_file_read(path, c->arena, &bytes, &err)) return command_fail(&err);
    if (!suite_load_agents(path, bytes, c->arena, &list, &problems)) {
        return spec_file_problems(c, &problems);
    }
    struct agent_record *rows = arena_new(c->arena, struct agent_record, list->list.count);
    bool done = store_open(c->store_url, &(struct store_options){.create = true}, &store, &err);
    for (size_t i = 0; done && i < list->list.count; i++) {
        const struct value *agent = list->list.items[i];
        rows[i] = (struct agent_record){
            .name = str_cstr(c->arena, suite_agent_id(agent)),
            .kind = suite_agent_kind(agent),
            .version = suite_agent_version(agent, c->arena),
            .configuration = json_canonical(agent, c->arena).p,
            .is_registered = true,
        };
        done = store_put_agent(store, &rows[i], &err);
    }
    store_close(store);
    if (!done) return command_fail(&err);
    if (c->json) return registered_print(c, &agents, rows, list->list.count);
    for (size_t i = 0; i < list->list.count && !c->quiet; i++) {
        fprintf(c->out, "registered agent %s\n", rows[i].name);
    }
    return EXIT_DONE;
}

static bool list(struct store *store, bool all, struct arena *out, const void **rows,
                 size_t *count, struct error *err)
{
    struct agent_record *found = NULL;
    bool done = store_list_agents(store, all, out, &found, count, err);
    *rows = found;
    return done;
}

static int show(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct agent_record row;
    if (c->arg_count != 2) return command_misused(&command_agents, "show needs one name");
    bool done = stored_open(c, true, &store, &err) &&
                store_find_agent(store, c->args[1], c->arena, &row, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    if (c->json) return registered_print(c, &agents, &row, 1);
    fprintf(c->out, "%s %s (%s)%s\n%s\n", row.name, row.version ? row.version : "",
            row.kind ? row.kind : "-", row.is_registered ? "" : ", met in runs",
            row.configuration ? row.configuration : "{}");
    return EXIT_DONE;
}

static const struct registered agents = {
    .command = &command_agents,
    .one = "agent",
    .many = "agents",
    .row_size = sizeof(struct agent_record),
    .add = add,
    .show = show,
    .list = list,
    .remove = store_remove_agent,
    .put_json = put_json,
    .put_text = put_text,
};

static int run(struct context *c)
{
    return registered_run(c, &agents);
}

const struct command command_agents = {
    .name = "agents",
    .summary = "keeps agents in the store, for use by name",
    .usage = "add FILE | list | show NAME | remove NAME...",
    .examples = "assay agents add agents.yaml\n"
                "assay agents list --all\n"
                "assay run suite.yaml --agent bc",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct registered_options),
    .run = run,
};
