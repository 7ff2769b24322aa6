/* planted.h - a whole run with experiments of the test's own.
 *
 * The test defines `planted`, ended by a row without a name, which takes the
 * place of the registry, and gives each row the parameters below. */
#ifndef TESTS_RUN_PLANTED_H
#define TESTS_RUN_PLANTED_H

#include "base/os.h"
#include "run/run.h"
#include "tests/test.h"

struct config {
    int64_t which;
};

static const struct param params[] = {
    {.name = "which",
     .type = PARAM_INT,
     .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, which),
     .fallback = "0",
     .max = 9,
     .help = "arm"},
};

extern const struct experiment planted[];

const struct experiment *experiment_at(size_t i)
{
    return planted[i].name ? &planted[i] : NULL; /* asked one after the other */
}

/* Carries the spec out with so many lanes, in a folder and a store of its own. The
 * path of a lock that arms may hold is in ASSAY_TEST_LOCK. */
static struct run_outcome planted_run(const char *text, int64_t lanes,
                                      struct run_listener listener)
{
    struct arena arena = arena_open();
    struct error err = {0};
    const char *folder = NULL;
    struct nursery nursery = {0};
    if (!os_make_temp_dir("assay-planted", &arena, &folder, &err)) fail_msg("%s", err.text);
    setenv("ASSAY_TEST_LOCK", arena_printf(&arena, "%s/lock", folder), 1);
    if (!nursery_start(&nursery, &err)) fail_msg("%s", err.text);
    struct problems problems = {.arena = &arena};
    struct spec_override none = SPEC_OVERRIDE_NONE;
    struct spec *spec = NULL;
    struct plan *plan = NULL;
    if (!spec_load("t.yaml", str_of(text), &none, &arena, &spec, &problems)) {
        fail_msg("%s", problems.items[0].text);
    }
    spec->entries[0].concurrency = lanes;
    if (!plan_make(spec, &arena, &plan, &err)) fail_msg("%s", err.text);
    struct store *store = NULL;
    struct store_options how = {.create = true};
    if (!store_open(arena_printf(&arena, "%s/s.db", folder), &how, &store, &err)) {
        fail_msg("%s", err.text);
    }
    struct run_request request = {
        .store = store,
        .nursery = &nursery,
        .plan = plan,
        .jobs = 1,
        .assay_version = "test",
        .listener = listener,
    };
    struct run_outcome outcome;
    if (!run_execute(&request, &arena, &outcome, &err)) fail_msg("%s", err.text);
    store_close(store);
    nursery_end(&nursery);
    os_remove_tree(folder);
    arena_close(&arena);
    return outcome;
}

#endif
