/* Buckets: a burst, then the rate; each name its own; the table is not filled up by names. */
#include "api/login.h"
#include "api/rate.h"
#include "tests/test.h"

#define S_NS INT64_C(1000000000)

TEST(a_burst_passes_then_the_rate_and_each_name_has_its_own)
{
    struct arena arena = arena_open();
    struct rate r = rate_new(10, 20, &arena);
    int64_t now_ns = 5 * S_NS;
    for (int i = 0; i < 20; i++) assert_true(rate_take(&r, S("a"), now_ns) == 0);
    double wait_s = rate_take(&r, S("a"), now_ns);
    assert_float_equal(wait_s, 0.1, 1e-9);
    assert_true(rate_take(&r, S("b"), now_ns) == 0);
    now_ns += S_NS;
    int passed = 0;
    for (int i = 0; i < 30; i++) passed += rate_take(&r, S("a"), now_ns) == 0;
    assert_int_equal(passed, 10);
    now_ns += 100 * S_NS;
    passed = 0;
    for (int i = 0; i < 30; i++) passed += rate_take(&r, S("a"), now_ns) == 0;
    assert_int_equal(passed, 20);
    arena_close(&arena);
}

TEST(no_limit_and_many_names)
{
    struct arena arena = arena_open();
    struct rate none = rate_new(0, 0, &arena);
    struct rate r = rate_new(1, 1, &arena);
    for (int i = 0; i < 1000; i++) assert_true(rate_take(&none, S("a"), 1) == 0);
    for (int i = 0; i < 100000; i++) {
        char name[32];
        snprintf(name, sizeof name, "10.0.%d", i);
        assert_true(rate_take(&r, str_of(name), S_NS + i) == 0);
    }
    arena_close(&arena);
}

TEST(a_session_is_found_by_its_secret_alone_and_ends)
{
    struct arena arena = arena_open();
    struct logins s = logins_new(&arena);
    char secret[TOKEN_SIZE];
    char other[TOKEN_SIZE];
    login_begin(&s, "id", 1, secret);
    assert_string_equal(login_find(&s, str_of(secret), 2)->token_id, "id");
    assert_null(login_find(&s, str_of(token_new(other)), 2));
    assert_null(login_find(&s, S(""), 2));
    assert_null(login_find(&s, str_of(secret), LOGIN_S * S_NS + 1));
    login_end(&s, str_of(secret), 2);
    assert_null(login_find(&s, str_of(secret), 2));
    /* More than there is room for: those that end first end. */
    login_begin(&s, "first", 1, secret);
    for (int i = 0; i < LOGIN_MAX; i++) login_begin(&s, NULL, 2 + i, other);
    assert_null(login_find(&s, str_of(secret), 5000));
    assert_non_null(login_find(&s, str_of(other), 5000));
    arena_close(&arena);
}

TEST(a_code_is_good_once_and_for_a_while)
{
    struct arena arena = arena_open();
    struct logins s = logins_new(&arena);
    char code[TOKEN_SIZE];
    char other[TOKEN_SIZE];
    assert_false(login_use_code(&s, str_of(token_new(other)), 1));
    login_make_code(&s, 1, code);
    assert_false(login_use_code(&s, str_of(other), 2));
    assert_false(login_use_code(&s, (struct str){0}, 2));
    assert_true(login_use_code(&s, str_of(code), 2));
    assert_false(login_use_code(&s, str_of(code), 2));
    login_make_code(&s, 1, code);
    assert_false(login_use_code(&s, str_of(code), LOGIN_CODE_S * S_NS + 1));
    arena_close(&arena);
}

TEST_MAIN(T(a_burst_passes_then_the_rate_and_each_name_has_its_own), T(no_limit_and_many_names),
          T(a_session_is_found_by_its_secret_alone_and_ends),
          T(a_code_is_good_once_and_for_a_while))
