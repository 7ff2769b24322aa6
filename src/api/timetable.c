#include "api/timetable.h"

#include "api/api.h"
#include "base/clock.h"
#include "base/json.h"

enum { LOOK_S = 2, SCHEDULES_MAX = 1000 };

struct keys {
    const char *name;
    const char *suite;
    struct param_texts agents;
    const char *workspace;
    double every_s;
};

#define AT(field) .offset = offsetof(struct keys, field)

static const struct param rows[] = {
    {"name", PARAM_TEXT, AT(name), .help = "what it is called (default: the suite)"},
    {"suite", PARAM_TEXT, AT(suite), .required = true, .help = "a registered suite"},
    {"agents", PARAM_TEXT_LIST, AT(agents), .help = "without any: all of the suite"},
    {"workspace", PARAM_TEXT, AT(workspace), .fallback = "\"default\"", .help = "whose"},
    {"every", PARAM_SPAN, AT(every_s), .required = true, .min = 1, .max = 366.0 * 86400,
     .help = "how often: 12h, 1d"},
};
static const struct param_table table = {rows, COUNT(rows)};

static struct schedule schedule_of(const struct keys *k, struct arena *out)
{
    struct buf b;
    struct json j;
    buf_init(&b, 1 << 20);
    json_init(&j, &b, 0);
    json_texts(&j, k->agents.items, k->agents.count);
    struct schedule s = {.name = k->name ? k->name : k->suite,
                         .suite = k->suite,
                         .agents = str_cstr(out, buf_str(&b)),
                         .workspace = k->workspace,
                         .every_s = k->every_s};
    buf_release(&b);
    return s;
}

static void add(struct timetable *list, const struct value *item, struct arena *out,
                struct problems *problems)
{
    struct keys k = {0};
    struct error err = {0};
    if (!param_check(table, item, "a schedule", problems)) return;
    if (!param_read(table, item, &k, out, &err)) {
        problems_add(problems, item->line, item->column, "%s", err.text);
        return;
    }
    struct schedule s = schedule_of(&k, out);
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, s.name) != 0) continue;
        problems_add(problems, item->line, item->column,
                     "two schedules are called '%s': give one a `name`", s.name);
    }
    list->items[list->count++] = s;
}

bool timetable_read(const char *file, struct str bytes, struct arena *out,
                    struct timetable *schedules, struct problems *problems)
{
    const struct value *root = NULL;
    struct value_error e;
    *schedules = (struct timetable){0};
    problems->file = file;
    if (!value_read(bytes, &value_limits_spec, out, &root, &e)) {
        return problems_add(problems, e.line, e.column, "%s", e.error.text);
    }
    const struct value *list = root->kind == VALUE_MAP ? value_get(root, "schedules") : NULL;
    bool is_list = list && list->kind == VALUE_LIST && root->map.count == 1;
    if (!is_list || list->list.count > SCHEDULES_MAX) {
        return problems_add(
            problems, root->line, root->column,
            "the file has one key, 'schedules', a list of at most %d of {suite, "
            "agents, every}",
            SCHEDULES_MAX);
    }
    schedules->items = arena_new(out, struct schedule, list->list.count + 1);
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *item = list->list.items[i];
        if (item->kind == VALUE_MAP) {
            add(schedules, item, out, problems);
        } else {
            problems_add(problems, item->line, item->column, "a schedule is a mapping");
        }
    }
    return problems->total == 0;
}

/* ---- looking ---- */

static bool is_due(struct store *store, const struct schedule *s)
{
    struct arena scratch = arena_open();
    struct request_record *rows_of = NULL;
    size_t count = 0;
    int64_t last_ns = 0;
    const struct request_filter newest = {.schedule = s->name, .limit = 1};
    bool is_known = store_list_requests(store, &newest, &scratch, &rows_of, &count, NULL);
    bool is_due = is_known && count == 0;
    if (is_known && count == 1 && clock_parse_stamp(rows_of[0].created_at, &last_ns)) {
        is_due = clock_unix_ns() >= clock_after(last_ns, s->every_s);
    }
    arena_close(&scratch);
    return is_due;
}

static void look(void *context)
{
    struct timetable *list = context;
    struct api *api = list->api;
    for (size_t i = 0; i < list->count && queue_is_idle(api->queue); i++) {
        const struct schedule *s = &list->items[i];
        struct store *store = NULL;
        struct error ignored = {0};
        struct request_record r = {.suite = s->suite, .agents = s->agents, .schedule = s->name};
        id_uuid7(r.id);
        if (!api_store(api, s->workspace, true, &store, &ignored) || !is_due(store, s))
            continue;
        if (!queue_add(api->queue, s->workspace, &r, &ignored)) break;
    }
    http_server_set_alarm(api->server, &list->alarm, clock_ns() + LOOK_S * INT64_C(1000000000));
}

bool timetable_start(struct timetable *list, struct api *api, struct error *err)
{
    list->api = api;
    list->alarm = (struct http_alarm){.ring = look, .context = list};
    for (size_t i = 0; i < list->count; i++) {
        const struct schedule *s = &list->items[i];
        struct store *store = NULL;
        struct suite_record suite;
        if (!api_store(api, s->workspace, true, &store, err) ||
            !store_find_suite(store, s->suite, api->arena, &suite, err)) {
            return error_wrap(err, "schedule '%s'", s->name);
        }
        if (!suite.is_registered) {
            return error_set(err, ERROR_NOT_FOUND,
                             "schedule '%s': suite '%s' is not registered; `assay suites add`",
                             s->name, s->suite);
        }
    }
    if (list->count) http_server_set_alarm(api->server, &list->alarm, clock_ns());
    return true;
}
