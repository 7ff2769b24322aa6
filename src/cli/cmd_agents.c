/* Agents kept in the store, for use by name. */
#include "base/json.h"
#include "cli/spec_file.h"
#include "cli/stored.h"
#include "spec/suite.h"

extern const struct command command_agents;

struct agents_options {
    bool all;
};

static const struct option options[] = {
    {.name = "all",
     .letter = 'a',
     .kind = OPTION_FLAG,
     .offset = offsetof(struct agents_options, all),
     .help = "list also those that runs have met"},
};

static const char *json_text_of(struct arena *arena, const struct value *v)
{
    struct buf b;
    struct json j;
    buf_init(&b, (size_t)1 << 20);
    json_init(&j, &b, 0);
    json_value_canonical(&j, v);
    const char *text = str_cstr(arena, buf_str(&b));
    buf_release(&b);
    return text;
}

static void put_agent(struct json *j, const struct agent_record *a)
{
    json_object(j);
    json_put_text(j, "id", a->id);
    json_put_text(j, "name", a->name);
    json_put_text(j, "kind", a->kind);
    json_put_text(j, "version", a->version);
    json_put_bool(j, "registered", a->is_registered);
    json_key(j, "configuration");
    if (a->configuration) {
        json_raw(j, str_of(a->configuration));
    } else {
        json_null(j);
    }
    json_end(j);
}

static int print_agents(const struct context *c, const struct agent_record *list, size_t count)
{
    struct buf b;
    struct json j;
    buf_init(&b, (size_t)16 << 20);
    json_init(&j, &b, 0);
    if (c->json) {
        json_object(&j);
        json_put_text(&j, "schema", "assay.agents/1");
        json_key(&j, "agents");
        json_list(&j);
        for (size_t i = 0; i < count; i++) put_agent(&j, &list[i]);
        json_end(&j);
        json_end(&j);
        buf_add_char(&b, '\n');
    } else {
        if (count == 0) buf_text(&b, "no agent is registered; `assay agents add FILE`\n");
        for (size_t i = 0; i < count; i++) {
            const struct agent_record *a = &list[i];
            buf_printf(&b, "%-20s %-10s %-12s%s\n", a->name, a->version ? a->version : "-",
                       a->kind ? a->kind : "-", a->is_registered ? "" : "  met in runs");
        }
    }
    int code = stored_print(c, &b);
    buf_release(&b);
    return code;
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
            .configuration = json_text_of(c->arena, agent),
            .is_registered = true,
        };
        done = store_put_agent(store, &rows[i], &err);
    }
    store_close(store);
    if (!done) return command_fail(&err);
    if (c->json) return print_agents(c, rows, list->list.count);
    for (size_t i = 0; i < list->list.count && !c->quiet; i++) {
        fprintf(c->out, "registered agent %s\n", rows[i].name);
    }
    return EXIT_DONE;
}

static int list(struct context *c)
{
    const struct agents_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    struct agent_record *rows = NULL;
    size_t count = 0;
    bool done = stored_open(c, true, &store, &err) &&
                store_list_agents(store, o->all, c->arena, &rows, &count, &err);
    store_close(store);
    return done ? print_agents(c, rows, count) : command_fail(&err);
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
    if (c->json) return print_agents(c, &row, 1);
    fprintf(c->out, "%s %s (%s)%s\n%s\n", row.name, row.version ? row.version : "",
            row.kind ? row.kind : "-", row.is_registered ? "" : ", met in runs",
            row.configuration ? row.configuration : "{}");
    return EXIT_DONE;
}

static int remove_names(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    if (c->arg_count < 2) return command_misused(&command_agents, "remove needs a name");
    bool done = stored_open(c, false, &store, &err);
    for (size_t i = 1; done && i < c->arg_count; i++) {
        done = store_remove_agent(store, c->args[i], &err);
        if (done && !c->quiet && !c->json) {
            fprintf(c->out, "agent %s is no longer registered; its results stay\n", c->args[i]);
        }
    }
    store_close(store);
    if (done && c->json) fputs("{\"schema\":\"assay.agents/1\",\"agents\":[]}\n", c->out);
    return done ? EXIT_DONE : command_fail(&err);
}

static int run(struct context *c)
{
    static const struct {
        const char *name;
        int (*run)(struct context *c);
    } actions[] = {{"add", add}, {"list", list}, {"show", show}, {"remove", remove_names}};
    const char *word = c->arg_count ? c->args[0] : "list";
    for (size_t i = 0; i < COUNT(actions); i++) {
        if (strcmp(word, actions[i].name) == 0) return actions[i].run(c);
    }
    return command_misused(&command_agents, "no action '%s': add, list, show, remove", word);
}

const struct command command_agents = {
    .name = "agents",
    .summary = "keeps agents in the store, for use by name",
    .usage = "add FILE | list | show NAME | remove NAME...",
    .examples = "assay agents add agents.yaml\n"
                "assay agents list --all\n"
                "assay run suite.yaml --agent bc",
    .options = options,
    .option_count = COUNT(options),
    .options_size = sizeof(struct agents_options),
    .run = run,
};
