/* Every route: complete, of its own, and described. */
#include "api/endpoint.h"
#include "tests/registry.h"

static bool is_method(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "POST") == 0 ||
           strcmp(method, "DELETE") == 0;
}

TEST(every_row_is_complete)
{
    registry_check("route", route_entry, false);
    for (size_t i = 0; route_at(i); i++) {
        const struct route *r = route_at(i);
        assert_true(is_method(r->method));
        assert_int_equal(r->path[0], '/');
        if (!r->question == !r->reply) fail_msg("%s: a question or a reply", r->name);
        if (r->question && r->params.count) fail_msg("%s: two tables", r->name);
        if (r->needs == ACCESS_OPEN && !r->is_storeless)
            fail_msg("%s: a store for all", r->name);
        if (r->writes && strcmp(r->method, "GET") == 0) fail_msg("%s: GET writes", r->name);
        for (size_t k = 0; k < i; k++) {
            bool is_same = strcmp(route_at(k)->path, r->path) == 0 &&
                           strcmp(route_at(k)->method, r->method) == 0;
            if (is_same) fail_msg("%s and %s are one", r->name, route_at(k)->name);
        }
    }
}

/* Names that a row gives to parameters are those of parameters that there are. */
TEST(every_name_is_used)
{
    struct arena arena = arena_open();
    struct endpoint_list endpoints = endpoints_make(&arena);
    for (size_t i = 0; i < endpoints.count; i++) {
        const struct endpoint *endpoint = &endpoints.items[i];
        registry_check_params(endpoint->route->name, endpoint->table, endpoint->config_size);
        for (size_t k = 0; k < ROUTE_NAMES_MAX && endpoint->route->names[k].ours; k++) {
            assert_non_null(param_find(endpoint->route->question->params,
                                       str_of(endpoint->route->names[k].of_question)));
            assert_non_null(
                param_find(endpoint->table, str_of(endpoint->route->names[k].ours)));
        }
        struct str rest = str_of(endpoint->route->path);
        while (rest.p) {
            struct str part = str_cut(&rest, '/');
            if (part.n == 0 || part.p[0] != '{') continue;
            struct str name = {part.p + 1, part.n - 2};
            if (!param_find(endpoint->table, name))
                fail_msg("%s: no parameter '%.*s'", endpoint->route->name, STR_ARG(name));
        }
    }
    arena_close(&arena);
}

/* Whichever way a path is written, at most one row takes it: a fixed part goes before a
 * free one only if it stands first in the list. */
TEST(fixed_paths_stand_before_free_ones)
{
    struct arena arena = arena_open();
    struct endpoint_list endpoints = endpoints_make(&arena);
    for (size_t i = 0; i < endpoints.count; i++) {
        const struct route *r = endpoints.items[i].route;
        struct url url = {0};
        struct error err = {0};
        struct refusal refusal = {.arena = &arena};
        assert_true(url_parse(str_of(r->path), &arena, &url, &err));
        const struct endpoint *found =
            endpoints_find(&endpoints, str_of(r->method), &url, &refusal);
        assert_non_null(found);
        assert_string_equal(found->route->name, r->name);
    }
    arena_close(&arena);
}

TEST_MAIN(T(every_row_is_complete), T(every_name_is_used),
          T(fixed_paths_stand_before_free_ones))
