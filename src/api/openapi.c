#include "api/openapi.h"

#include "base/json.h"

enum { OPENAPI_MAX = 8 << 20 };

static void put_parameter(const struct endpoint *endpoint, const struct param *row,
                          struct json *j)
{
    bool is_path = endpoint_has_path_param(endpoint, row->name);
    json_object(j);
    json_put_text(j, "name", row->name);
    json_put_text(j, "in", is_path ? "path" : "query");
    if (row->help) json_put_text(j, "description", row->help);
    if (is_path || row->required) json_put_bool(j, "required", true);
    json_key(j, "schema");
    param_write_row_schema(row, false, j);
    json_end(j);
}

/* Of a POST those that are not in the path are members of the body. */
static struct param_table body_table(const struct endpoint *endpoint, struct arena *arena)
{
    struct param *rows = arena_new(arena, struct param, endpoint->table.count + 1);
    struct param_table table = {rows, 0};
    for (size_t i = 0; i < endpoint->table.count; i++) {
        if (!endpoint_has_path_param(endpoint, endpoint->table.rows[i].name))
            rows[table.count++] = endpoint->table.rows[i];
    }
    return table;
}

static void put_any_body(struct json *j)
{
    json_key_object(j, "requestBody");
    json_put_bool(j, "required", true);
    json_key_object(j, "content");
    json_key_object(j, "application/json");
    json_key_object(j, "schema");
    for (int i = 0; i < 4; i++) json_end(j);
}

static void put_parameters(const struct endpoint *endpoint, struct json *j, struct arena *arena)
{
    bool has_body = strcmp(endpoint->route->method, "POST") == 0;
    json_key_list(j, "parameters");
    for (size_t i = 0; i < endpoint->table.count; i++) {
        const struct param *row = &endpoint->table.rows[i];
        if (has_body && !endpoint_has_path_param(endpoint, row->name)) continue;
        put_parameter(endpoint, row, j);
    }
    json_end(j);
    struct param_table table = body_table(endpoint, arena);
    if (endpoint->route->takes_body) {
        put_any_body(j);
        return;
    }
    if (!has_body || table.count == 0) return;
    json_key_object(j, "requestBody");
    json_key_object(j, "content");
    json_key_object(j, "application/json");
    json_key(j, "schema");
    param_write_schema(table, j);
    for (int i = 0; i < 3; i++) json_end(j);
}

static void put_reference(struct json *j, const char *kind, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "#/components/%s/%s", kind, name);
    json_object(j);
    json_put_text(j, "$ref", path);
    json_end(j);
}

static void put_schema(const struct endpoint *endpoint, struct json *j)
{
    json_key(j, "schema");
    if (endpoint->route->schema) {
        json_raw(j, str_of(endpoint->route->schema));
    } else if (endpoint->answer && endpoint->plots_offset) {
        json_object(j);
        json_key_list(j, "oneOf");
        put_reference(j, "schemas", endpoint->answer->name);
        put_reference(j, "schemas", "plots");
        json_end(j);
        json_end(j);
    } else if (endpoint->answer) {
        put_reference(j, "schemas", endpoint->answer->name);
    } else {
        json_raw(j, S("{}"));
    }
}

static void put_header(struct json *j, const char *name, const char *description)
{
    json_key_object(j, name);
    json_put_text(j, "description", description);
    json_key_object(j, "schema");
    json_put_text(j, "type", "string");
    json_end(j);
    json_end(j);
}

static void begin_response(struct json *j, int status, const char *description)
{
    char name[8];
    snprintf(name, sizeof name, "%d", status);
    json_key_object(j, name);
    json_put_text(j, "description", description);
}

static void put_run_headers(struct json *j)
{
    json_key_object(j, "headers");
    put_header(j, "X-Run-Id", "id of the run");
    put_header(j, "Location", "where the run is");
    json_end(j);
}

static void put_success(const struct endpoint *endpoint, struct json *j)
{
    const struct route *route = endpoint->route;
    int status = route->status ? route->status : 200;
    begin_response(j, status, route->summary);
    if (route->names_run) put_run_headers(j);
    if (status != 204 && status != 303) {
        json_key_object(j, "content");
        json_key_object(j, route->type ? route->type : "application/json");
        put_schema(endpoint, j);
        for (int i = 0; i < 2; i++) json_end(j);
    }
    json_end(j);
}

static void put_also(const struct route *route, struct json *j)
{
    begin_response(j, route->also, "accepted: what was asked for");
    if (route->names_run) put_run_headers(j);
    json_key_object(j, "content");
    json_key_object(j, "application/json");
    json_key(j, "schema");
    put_reference(j, "schemas", route->also_answer->name);
    for (int i = 0; i < 3; i++) json_end(j);
}

/* Without a body: a stream that has no more, and an answer that its reader has. */
static void put_empty(const struct route *route, struct json *j)
{
    bool is_stream = route->type && strcmp(route->type, "text/event-stream") == 0;
    if (strcmp(route->method, "GET") != 0 || route->status == 303) return;
    begin_response(j, is_stream ? 204 : 304,
                   is_stream ? "there is nothing after Last-Event-ID, and there will not be"
                             : "the body is that of If-None-Match");
    json_end(j);
}

static void put_responses(const struct endpoint *endpoint, struct json *j)
{
    json_key_object(j, "responses");
    put_success(endpoint, j);
    if (endpoint->route->also) put_also(endpoint->route, j);
    put_empty(endpoint->route, j);
    json_key(j, "default");
    put_reference(j, "responses", "problem");
    json_end(j);
}

static void put_operation(const struct endpoint *endpoint, struct json *j, struct arena *arena)
{
    static const char *const roles[] = {"anybody", "read", "run", "admin"};
    const struct route *route = endpoint->route;
    char method[16];
    size_t n = 0;
    for (; route->method[n] && n + 1 < sizeof method; n++)
        method[n] = (char)(route->method[n] | 0x20);
    method[n] = '\0';
    json_key_object(j, method);
    json_put_text(j, "operationId", route->name);
    json_put_text(j, "summary", route->summary);
    if (route->help) json_put_text(j, "description", route->help);
    json_put_text(j, "x-role", roles[route->needs]);
    if (route->needs == ACCESS_OPEN) {
        json_key_list(j, "security");
        json_end(j);
    }
    put_parameters(endpoint, j, arena);
    put_responses(endpoint, j);
    json_end(j);
}

/* Rows of one path stand together in the document, wherever they stand in the list. */
static bool is_first_of_path(const struct endpoint_list *endpoints, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (strcmp(endpoints->items[i].route->path, endpoints->items[at].route->path) == 0)
            return false;
    }
    return true;
}

static void put_paths(const struct endpoint_list *endpoints, struct json *j,
                      struct arena *arena)
{
    json_key_object(j, "paths");
    for (size_t i = 0; i < endpoints->count; i++) {
        const char *path = endpoints->items[i].route->path;
        if (!is_first_of_path(endpoints, i)) continue;
        json_key_object(j, path);
        for (size_t k = i; k < endpoints->count; k++) {
            if (strcmp(endpoints->items[k].route->path, path) == 0)
                put_operation(&endpoints->items[k], j, arena);
        }
        json_end(j);
    }
    json_end(j);
}

static const char problem_schema[] =
    "{\"type\":\"object\",\"required\":[\"type\",\"title\",\"status\",\"detail\"],"
    "\"properties\":{\"type\":{\"const\":\"about:blank\"},\"title\":{\"type\":\"string\"},"
    "\"status\":{\"type\":\"integer\"},\"detail\":{\"type\":\"string\"},"
    "\"errors\":{\"description\":\"the parameters that are wrong\",\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"required\":[\"name\",\"detail\"],\"properties\":"
    "{\"name\":{\"type\":\"string\"},\"detail\":{\"type\":\"string\"}}}}},"
    "\"additionalProperties\":false}";

static bool is_sent(const struct endpoint_list *endpoints, const struct answer *answer)
{
    for (size_t i = 0; i < endpoints->count; i++) {
        if (endpoints->items[i].answer == answer) return true;
    }
    return false;
}

static void put_components(const struct endpoint_list *endpoints, struct json *j)
{
    struct buf schema;
    buf_init(&schema, OPENAPI_MAX);
    json_key_object(j, "components");
    json_key_object(j, "schemas");
    for (size_t i = 0; answer_at(i); i++) {
        const struct answer *answer = answer_at(i);
        if (!is_sent(endpoints, answer)) continue;
        buf_clear(&schema);
        layout_write_schema(answer->layout, answer->schema, &schema);
        json_key(j, answer->name);
        json_raw(j, str_trim(buf_str(&schema)));
    }
    buf_clear(&schema);
    answer_plots_schema(&schema);
    json_key(j, "plots");
    json_raw(j, str_trim(buf_str(&schema)));
    json_key(j, "problem");
    json_raw(j, str_of(problem_schema));
    json_end(j);
    json_key_object(j, "responses");
    json_key_object(j, "problem");
    json_put_text(j, "description", "why it was not answered");
    json_key_object(j, "content");
    json_key_object(j, "application/problem+json");
    json_key(j, "schema");
    put_reference(j, "schemas", "problem");
    for (int i = 0; i < 4; i++) json_end(j);
    json_key_object(j, "securitySchemes");
    json_key_object(j, "token");
    json_put_text(j, "type", "http");
    json_put_text(j, "scheme", "bearer");
    for (int i = 0; i < 3; i++) json_end(j);
    buf_release(&schema);
}

void openapi_make(struct api *api, struct arena *arena)
{
    struct buf out;
    struct json j;
    buf_init(&out, OPENAPI_MAX);
    json_init(&j, &out, 0);
    json_object(&j);
    json_put_text(&j, "openapi", "3.1.0");
    json_key_object(&j, "info");
    json_put_text(&j, "title", "assay");
    json_put_text(&j, "version", api->options.assay_version);
    json_put_text(&j, "summary", "benchmarks of agents: results, rankings, comparisons");
    json_key_object(&j, "license");
    json_put_text(&j, "name", "GPL-3.0-or-later");
    json_put_text(&j, "identifier", "GPL-3.0-or-later");
    json_end(&j);
    json_end(&j);
    json_key_list(&j, "security");
    json_object(&j);
    json_key_list(&j, "token");
    for (int i = 0; i < 3; i++) json_end(&j);
    put_paths(&api->endpoints, &j, arena);
    put_components(&api->endpoints, &j);
    json_end(&j);
    buf_add_char(&out, '\n');
    CHECK(!out.overflow);
    api->openapi = str_copy(arena, buf_str(&out));
    buf_release(&out);
}
