/* Agents kept in the store, for use by name. */
#include "cli/asked.h"
#include "cli/registered.h"
#include "cli/spec_file.h"
#include "question/question_registered.h"
#include "spec/spec_suite.h"

static const struct param options[] = {
    {"all", PARAM_BOOL, .offset = offsetof(struct registered_params, all), .letter = 'a',
     .help = "also list agents that are known from runs only"},
};

static int add(struct context *c)
{
    struct error err = {0};
    struct str bytes = {0};
    const struct value *list = NULL;
    struct problems problems = {.arena = c->arena};
    struct store *store = NULL;
    const char *path = c->args[1];
    if (c->arg_count != 2) return command_misused(c->command, "add needs one file");
    if (!spec_file_read(path, c->arena, &bytes, &err)) return command_fail(&err);
    if (!suite_load_agents(path, bytes, c->arena, &list, &problems)) {
        return spec_file_problems(c, &problems);
    }
    struct agent_record *rows = arena_new(c->arena, struct agent_record, list->list.count);
    bool done = store_open(c->store_url,
                           &(struct store_options){.create = true, .workspace = c->workspace},
                           &store, &err);
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
    const struct answer_registered a = {.rows = rows, .count = list->list.count};
    if (c->json) return stored_answer(c, &answer_agents, &a);
    for (size_t i = 0; i < list->list.count && !c->quiet; i++) {
        fprintf(c->out, "registered agent %s\n", rows[i].name);
    }
    return EXIT_DONE;
}

static int show(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct agent_record row;
    if (c->arg_count != 2) return command_misused(c->command, "show needs one name");
    bool done = stored_open(c, true, &store, &err) &&
                store_find_agent(store, c->args[1], c->arena, &row, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    const struct answer_registered a = {.rows = &row, .count = 1, .is_whole = true};
    return stored_answer(c, &answer_agents, &a);
}

static const struct registered agents = {
    .one = "agent",
    .question = &question_agents,
    .add = add,
    .show = show,
    .remove = store_remove_agent,
};

static int run(struct context *c)
{
    return registered_run(c, &agents);
}

static const char *const words[] = {"add", "list", "show", "remove", NULL};

const struct command command_agents = {
    .name = "agents",
    .summary = "keeps agents in the store, for use by name",
    .usage = "add FILE | list | show NAME | remove NAME...",
    .words = words,
    .examples = "assay agents add agents.yaml\n"
                "assay agents list --all\n"
                "assay run suite.yaml --agent bc",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct registered_params),
    .run = run,
};
