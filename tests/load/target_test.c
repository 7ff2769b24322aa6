/* Addresses and requests: what is taken, what is refused, and whose consent is needed. */
#include "base/arena.h"
#include "load/target.h"
#include "tests/test.h"

static struct arena arena;

static const char *opened(struct target *t, const char *url, const char *allowed)
{
    static struct error err;
    err = (struct error){0};
    struct target_terms terms = {.allowed = &allowed, .allowed_count = allowed ? 1 : 0};
    return target_open(t, url, &terms, &arena, &err) ? NULL : err.text;
}

TEST(urls_are_cut_into_their_parts)
{
    struct target t;
    arena = arena_open();
    assert_null(opened(&t, "http://127.0.0.1:8400/v1/x?y=z#part", NULL));
    assert_string_equal(t.path, "/v1/x?y=z");
    assert_string_equal(t.authority, "127.0.0.1:8400");
    assert_true(t.is_local);
    assert_null(opened(&t, "http://localhost", NULL));
    assert_string_equal(t.path, "/");
    assert_null(opened(&t, "http://[::1]:80?a=b", NULL));
    assert_string_equal(t.host, "::1");
    assert_string_equal(t.path, "/?a=b");
    assert_null(opened(&t, "https://127.0.0.1:1/", NULL));
    assert_true(t.is_tls);
    arena_close(&arena);
}

/* A name that nobody knows: whoever asked for its address once more would fail. */
TEST(paths_of_one_server_share_its_address)
{
    struct error err = {0};
    struct target first, t;
    arena = arena_open();
    assert_null(opened(&first, "http://127.0.0.1:8400/v1", NULL));
    first.authority = "nobody.invalid:8400";
    assert_true(
        target_open_beside(&t, "http://nobody.invalid:8400/v1/x?y", &first, &arena, &err));
    assert_string_equal(t.path, "/v1/x?y");
    assert_true(t.is_local);
    assert_int_equal(t.address_len, first.address_len);
    assert_memory_equal(&t.address, &first.address, first.address_len);
    static const char *const others[] = {"https://nobody.invalid:8400/v1",
                                         "http://nobody.invalid:8401/v1",
                                         "http://192.0.2.1:8400/v1"};
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(target_open_beside(&t, others[i], &first, &arena, &err));
        assert_int_equal(err.code, ERROR_INVALID);
    }
    arena_close(&arena);
}

TEST(what_is_not_a_url_is_refused)
{
    static const char *const wrong[] = {"127.0.0.1:80",
                                        "ftp://127.0.0.1/",
                                        "http://",
                                        "http:///x",
                                        "http://a b/",
                                        "http://127.0.0.1/\r\nX: y",
                                        "http://u:p@127.0.0.1/",
                                        "http://[::1/",
                                        "http://127.0.0.1:http/"};
    arena = arena_open();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct target t;
        if (!opened(&t, wrong[i], NULL)) fail_msg("'%s' was taken", wrong[i]);
    }
    arena_close(&arena);
}

/* 192.0.2.0/24 is reserved for documentation: it is nobody's, and not asked here. */
TEST(other_machines_need_consent_by_name)
{
    struct target t;
    arena = arena_open();
    const char *why = opened(&t, "http://192.0.2.1/", NULL);
    assert_non_null(why);
    assert_non_null(strstr(why, "--allow-host 192.0.2.1"));
    assert_non_null(opened(&t, "http://192.0.2.1/", "192.0.2.2"));
    assert_null(opened(&t, "http://192.0.2.1/", "192.0.2.1"));
    assert_false(t.is_local);
    arena_close(&arena);
}

TEST(requests_have_their_bytes_and_no_others)
{
    struct target t;
    struct error err = {0};
    struct str bytes;
    arena = arena_open();
    assert_null(opened(&t, "http://127.0.0.1:9/a", NULL));
    assert_true(target_write(&t, &(struct target_request){0}, &arena, &bytes, &err));
    assert_true(str_is(bytes, "GET /a HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n"));
    const char *headers[] = {"X-A: b c"};
    struct target_request post = {.body = S("{}"), .headers = headers, .header_count = 1};
    assert_true(target_write(&t, &post, &arena, &bytes, &err));
    assert_true(str_is(bytes, "POST /a HTTP/1.1\r\nHost: 127.0.0.1:9\r\nX-A: b c\r\n"
                              "Content-Length: 2\r\n\r\n{}"));
    headers[0] = "X: a\r\nY: b";
    assert_false(target_write(&t, &post, &arena, &bytes, &err));
    headers[0] = "no colon";
    assert_false(target_write(&t, &post, &arena, &bytes, &err));
    static const char *const lengths[] = {"Content-Length: 9", "transfer-encoding: chunked",
                                          "CONTENT-LENGTH : 2"};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        headers[0] = lengths[i];
        assert_false(target_write(&t, &post, &arena, &bytes, &err));
        assert_non_null(strstr(err.text, "follows from its body"));
    }
    headers[0] = "X-Content-Length: 9";
    assert_true(target_write(&t, &post, &arena, &bytes, &err));
    struct target_request odd = {.method = "GET /b"};
    assert_false(target_write(&t, &odd, &arena, &bytes, &err));
    arena_close(&arena);
}

TEST_MAIN(T(paths_of_one_server_share_its_address), T(urls_are_cut_into_their_parts),
          T(what_is_not_a_url_is_refused), T(other_machines_need_consent_by_name),
          T(requests_have_their_bytes_and_no_others))
