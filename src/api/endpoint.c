/* Parameters of a request. Each comes once from the path, the query or the body; rows say
 * what fits (base/param.h), and everything that does not is reported at once. */
#include "api/endpoint.h"

#include "base/value.h"

static const struct param plots_row = {
    .name = "plots",
    .type = PARAM_BOOL,
    .help = "the pictures of the answer as data (assay.plots/1) instead of the answer",
};

/* "min-coverage" is min_coverage here, some have another name altogether, and some none. */
static const char *name_of(const struct route *route, const struct param *row,
                           struct arena *arena)
{
    for (size_t i = 0; i < ROUTE_NAMES_MAX && route->names[i].of_question; i++) {
        if (strcmp(route->names[i].of_question, row->name) == 0) return route->names[i].ours;
    }
    char *name = arena_copy(arena, row->name, strlen(row->name));
    for (char *p = name; *p; p++) *p = *p == '-' ? '_' : *p;
    return name;
}

static void make(struct endpoint *endpoint, const struct route *route, struct arena *arena)
{
    const struct question *q = route->question;
    const struct param_table from = q ? q->params : route->params;
    struct param *rows = arena_new(arena, struct param, from.count + 1);
    *endpoint = (struct endpoint){
        .route = route,
        .table = {rows, 0},
        .config_size = q ? q->config_size : route->config_size,
        .answer = q ? q->answer : route->answer,
    };
    for (size_t i = 0; i < from.count; i++) {
        const char *name = name_of(route, &from.rows[i], arena);
        if (!name) continue;
        struct param *row = &rows[endpoint->table.count++];
        *row = from.rows[i];
        row->name = name;
        if (endpoint_has_path_param(endpoint, name)) {
            row->required = true;
            row->fallback = NULL;
        }
    }
    if (q && q->answer->plots) {
        endpoint->plots_offset = endpoint->config_size;
        rows[endpoint->table.count] = plots_row;
        rows[endpoint->table.count++].offset = endpoint->config_size++;
    }
    struct str rest = str_of(route->path);
    str_cut(&rest, '/');
    while (rest.p && rest.n)
        endpoint->segments[endpoint->segment_count++] = str_cut(&rest, '/');
}

struct endpoint_list endpoints_make(struct arena *arena)
{
    struct endpoint_list list = {0};
    while (route_at(list.count)) list.count++;
    list.items = arena_new(arena, struct endpoint, list.count);
    for (size_t i = 0; i < list.count; i++) make(&list.items[i], route_at(i), arena);
    return list;
}

bool endpoint_has_path_param(const struct endpoint *endpoint, const char *name)
{
    char braced[64];
    snprintf(braced, sizeof braced, "{%s}", name);
    return strstr(endpoint->route->path, braced) != NULL;
}

/* ---- which route ---- */

static bool is_placeholder(struct str segment)
{
    return segment.n > 2 && segment.p[0] == '{';
}

static bool path_fits(const struct endpoint *endpoint, const struct url *url)
{
    if (endpoint->segment_count != url->segment_count) return false;
    for (size_t i = 0; i < endpoint->segment_count; i++) {
        bool is_free = is_placeholder(endpoint->segments[i]) && url->segments[i].n > 0;
        if (!is_free && !str_equal(endpoint->segments[i], url->segments[i])) return false;
    }
    return true;
}

const struct endpoint *endpoints_find(const struct endpoint_list *endpoints, struct str method,
                                      const struct url *url, struct refusal *refusal)
{
    struct buf allowed;
    char names[100];
    buf_over(&allowed, names, sizeof names);
    if (str_is(method, "HEAD")) method = S("GET");
    for (size_t i = 0; i < endpoints->count; i++) {
        const struct endpoint *endpoint = &endpoints->items[i];
        if (!path_fits(endpoint, url)) continue;
        if (str_is(method, endpoint->route->method)) return endpoint;
        const char *name = endpoint->route->method;
        buf_printf(&allowed, "%s%s", allowed.n ? ", " : "", name);
        if (strcmp(name, "GET") == 0) buf_text(&allowed, ", HEAD");
    }
    if (allowed.n) {
        refusal_set(refusal, 405, "%.*s takes %s, not %.*s", STR_ARG(url->path), names,
                    STR_ARG(method));
        refusal->allow = str_cstr(refusal->arena, buf_str(&allowed));
    } else {
        refusal_set(refusal, 404, "there is no %.*s; /openapi.json lists what there is",
                    (int)(url->path.n < 200 ? url->path.n : 200), url->path.p);
    }
    return NULL;
}

/* ---- its parameters ---- */

static const struct value_limits body_limits = {
    .max_bytes = 16 << 20, .max_depth = 64, .max_nodes = 1000000};

struct reader {
    const struct endpoint *endpoint;
    struct arena *arena;
    const struct value **values; /* by row; NULL: not given */
    struct refusal *refusal;
};

static void unknown(const struct reader *r, struct str name)
{
    const char *names[100];
    size_t count = 0;
    for (size_t i = 0; i < r->endpoint->table.count && count < COUNT(names); i++) {
        names[count++] = r->endpoint->table.rows[i].name;
    }
    const char *near = str_suggest(name, names, count);
    refusal_add(r->refusal, name, "is not a parameter of %s%s%s%s", r->endpoint->route->path,
                STR_MEANT(near));
}

/* The items of both as one list; either may be one value. */
static const struct value *joined(const struct value *a, const struct value *b,
                                  struct arena *out)
{
    const struct value *const both[] = {a, b};
    size_t count = 0;
    size_t room = 2;
    for (int k = 0; k < 2; k++) {
        if (both[k]->kind == VALUE_LIST) room += both[k]->list.count;
    }
    const struct value **items = arena_new(out, const struct value *, room);
    for (int k = 0; k < 2; k++) {
        bool is_list = both[k]->kind == VALUE_LIST;
        for (size_t i = 0; i < (is_list ? both[k]->list.count : 1); i++) {
            items[count++] = is_list ? both[k]->list.items[i] : both[k];
        }
    }
    return value_new_list(out, items, count);
}

/* A flag may stand alone, and be 1 or 0: ?plots, ?plots=1. */
static struct str flag_of(struct str text)
{
    if (text.n == 0 || str_is(text, "1")) return S("true");
    return str_is(text, "0") ? S("false") : text;
}

/* In a query a mapping is written as in a body. */
static const struct value *from_text(const struct reader *r, const struct param *row,
                                     struct str text)
{
    const struct value *map = NULL;
    if (row->type == PARAM_BOOL) text = flag_of(text);
    if (row->type == PARAM_MAP && value_read_json(text, &body_limits, r->arena, &map, NULL))
        return map;
    return param_from_text(row, text, r->arena);
}

/* `item` NULL: the text is to be read as the row's type says. */
static void take(struct reader *r, struct str name, struct str text, const struct value *item)
{
    const struct param *row = param_find(r->endpoint->table, name);
    if (!row) {
        unknown(r, name);
        return;
    }
    struct error why = {0};
    const struct value **slot = &r->values[row - r->endpoint->table.rows];
    if (!item) item = from_text(r, row, text);
    if (param_is_absent(row, item)) return;
    if (!param_fits(row, item, &why)) {
        refusal_add(r->refusal, name, "%s", why.text);
    } else if (*slot && !param_is_list(row->type)) {
        refusal_add(r->refusal, name, "is given twice");
    } else {
        *slot = *slot ? joined(*slot, item, r->arena) : item;
    }
}

static void take_path(struct reader *r, const struct url *url)
{
    for (size_t i = 0; i < r->endpoint->segment_count; i++) {
        struct str name = r->endpoint->segments[i];
        if (!is_placeholder(name)) continue;
        take(r, (struct str){name.p + 1, name.n - 2}, url->segments[i], NULL);
    }
}

static bool is_json(const struct http_request *request)
{
    struct str type = request->content_type;
    return str_is(str_trim(str_cut(&type, ';')), "application/json");
}

static bool take_body(struct reader *r, const struct http_request *request)
{
    const struct value *root = NULL;
    struct error err = {0};
    if (request->body.n == 0 || r->endpoint->route->takes_body) return true;
    if (str_is(request->method, "GET") || str_is(request->method, "HEAD")) return true;
    if (!is_json(request)) {
        return refusal_set(r->refusal, 415, "the body must be application/json");
    }
    if (!value_read_json(request->body, &body_limits, r->arena, &root, &err)) {
        return refusal_set(r->refusal, 400, "the body is not JSON: %s", err.text);
    }
    if (root->kind != VALUE_MAP) {
        return refusal_set(r->refusal, 400, "the body must be an object (is %s)",
                           value_kind_name(root->kind));
    }
    for (size_t i = 0; i < root->map.count; i++) {
        take(r, root->map.pairs[i].key, (struct str){0}, root->map.pairs[i].value);
    }
    return true;
}

/* One that was given and is wrong is not missing too. */
static bool is_refused(const struct refusal *refusal, const char *name)
{
    for (size_t i = 0; i < refusal->field_count; i++) {
        if (strcmp(refusal->fields[i].name, name) == 0) return true;
    }
    return false;
}

static void store_row(struct reader *r, const struct param *row, const struct value *v,
                      void *config)
{
    struct str name = str_of(row->name);
    if (!v && row->required && is_refused(r->refusal, row->name)) return;
    if (!v && row->required) {
        refusal_add(r->refusal, name, "is missing: %s", row->help);
    } else if (v) {
        param_store(row, v, config, r->arena);
    } else if (row->fallback) {
        param_store(row, param_fallback(row, r->arena), config, r->arena);
    }
}

bool endpoint_read(const struct endpoint *endpoint, const struct http_request *request,
                   const struct url *url, const void **params, struct refusal *refusal)
{
    struct arena *arena = request->arena;
    struct reader r = {.endpoint = endpoint, .arena = arena, .refusal = refusal};
    r.values = arena_new(arena, const struct value *, endpoint->table.count + 1);
    take_path(&r, url);
    for (size_t i = 0; i < url->pair_count; i++) {
        take(&r, url->pairs[i].name, url->pairs[i].value, NULL);
    }
    if (!take_body(&r, request)) return false;
    void *config = arena_alloc(arena, 1, endpoint->config_size + 1, _Alignof(max_align_t));
    for (size_t i = 0; i < endpoint->table.count; i++) {
        store_row(&r, &endpoint->table.rows[i], r.values[i], config);
    }
    *params = config;
    return refusal->status == 0;
}

/* ---- its answer ---- */

static bool wants_plots(const struct endpoint *endpoint, const void *params)
{
    return endpoint->plots_offset && *((const bool *)params + endpoint->plots_offset);
}

bool endpoint_ask(const struct endpoint *endpoint, const struct route_call *call,
                  struct buf *out, struct error *err)
{
    const void *answer = NULL;
    const struct question *q = endpoint->route->question;
    if (!store_hold(call->store, err)) return false;
    bool done = q->ask(call->store, call->params, call->arena, &answer, err);
    store_release(call->store);
    if (!done) return false;
    if (wants_plots(endpoint, call->params)) {
        answer_plots_json(q->answer, answer, out);
    } else {
        answer_json(q->answer, answer, out);
    }
    return answer_is_whole(out, err);
}

/* The row that fills this place of the parameters; NULL: the route has none. */
static const struct param *row_at(const struct endpoint *endpoint, size_t offset)
{
    for (size_t i = 0; i < endpoint->table.count; i++) {
        if (endpoint->table.rows[i].offset == offset) return &endpoint->table.rows[i];
    }
    return NULL;
}

void endpoint_blame(const struct endpoint *endpoint, const struct error *err,
                    struct refusal *refusal)
{
    const struct question *q = endpoint->route->question;
    const struct param_table from = q ? q->params : endpoint->table;
    for (size_t i = 0; err->parameter && i < from.count; i++) {
        if (strcmp(from.rows[i].name, err->parameter) != 0) continue;
        const struct param *row = row_at(endpoint, from.rows[i].offset);
        if (row) refusal_add(refusal, str_of(row->name), "%s", err->text);
    }
    /* A body that has no rows names its fields itself. */
    if (err->parameter && endpoint->route->takes_body)
        refusal_add(refusal, str_of(err->parameter), "%s", err->text);
    /* What is not there is what the path names, unless something else was blamed. */
    for (size_t i = 0; i < endpoint->segment_count && refusal->status == 404; i++) {
        struct str name = endpoint->segments[i];
        if (!is_placeholder(name) || refusal->field_count > 0) continue;
        refusal_add(refusal, (struct str){name.p + 1, name.n - 2}, "%s", refusal->detail);
    }
}
