/* contract.h - how a case of the contract is run on every kind of store that opens. */
#ifndef TESTS_STORE_CONTRACT_H
#define TESTS_STORE_CONTRACT_H

#include "tests/store/fixture.h"

typedef void contract_case(struct store *store, struct fixture *f);

/* A fresh, empty store of each kind that opens here. */
static inline void on_each_kind(contract_case *run)
{
    size_t tried = 0;
    for (size_t i = 0; store_kind_at(i); i++) {
        struct fixture f = fixture_open();
        struct store_options options = {.create = true};
        struct store *store = NULL;
        struct error err = {0};
        const char *url = arena_printf(&f.arena, "%s:%s", store_kind_at(i)->name, f.path);
        if (store_open(url, &options, &store, &err)) {
            run(store, &f);
            store_close(store);
            tried++;
        } else {
            assert_int_equal(err.code, ERROR_UNAVAILABLE);
        }
        fixture_close(&f);
    }
    assert_true(tried > 0);
}

#define CONTRACT(name)                                               \
    static void name##_case(struct store *store, struct fixture *f); \
    TEST(name)                                                       \
    {                                                                \
        on_each_kind(name##_case);                                   \
    }                                                                \
    static void name##_case(struct store *store, struct fixture *f)

static inline struct execution_record put_both(struct store *store, struct run_record *run)
{
    struct error err = {0};
    *run = a_run();
    OK(store_put_run(store, run, &err));
    struct execution_record e = an_execution(store, run, 0);
    OK(store_put_execution(store, &e, &err));
    return e;
}

#endif
