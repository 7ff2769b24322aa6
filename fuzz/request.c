/* Requests of the API: "GET /benchmarks/runs?limit=3", and after a line end a JSON body. The
 * route is found, its parameters are read, and where it asks a question that is asked of an
 * empty store: an answer, or a reason why not. */
#include "api/endpoint.h"
#include "fuzz/store.h"
#include "view/select.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct endpoint *endpoint, const void *params, struct fuzz_store *f)
{
    struct error err = {0};
    const void *answer = NULL;
    const struct question *q = endpoint->route->question;
    if (q && !q->ask(f->store, params, &f->arena, &answer, &err)) CHECK(err.text[0]);
}

static void read_request(struct http_request *r, struct fuzz_store *f)
{
    struct url url;
    struct error err = {0};
    struct refusal refusal = {.arena = r->arena};
    struct endpoint_list endpoints = endpoints_make(&f->arena);
    if (!url_parse(r->target, r->arena, &url, &err)) {
        CHECK(err.text[0]);
        return;
    }
    const struct endpoint *endpoint = endpoints_find(&endpoints, r->method, &url, &refusal);
    const void *params = NULL;
    if (!endpoint || !endpoint_read(endpoint, r, &url, &params, &refusal)) {
        CHECK(refusal.status >= 400 && refusal.detail[0]);
        return;
    }
    ask(endpoint, params, f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_store f; /* nothing is written to it */
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    if (!f.store) f = fuzz_store_open();
    struct arena arena = arena_open();
    struct str rest = {exact, size};
    struct str line = str_cut(&rest, '\n');
    struct http_request r = {.arena = &arena, .content_type = S("application/json")};
    r.method = str_cut(&line, ' ');
    r.target = line;
    r.body = rest.p ? rest : S("");
    struct fuzz_store asked = {.arena = arena_open(), .store = f.store};
    read_request(&r, &asked);
    arena_close(&asked.arena);
    arena_close(&arena);
    free(exact);
    return 0;
}
