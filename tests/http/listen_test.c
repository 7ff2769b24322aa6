#include "http/listen.h"

#include "tests/test.h"

#include <unistd.h>

TEST(any_port_is_one_that_is_free)
{
    static const char *const addresses[] = {"127.0.0.1:0", "localhost:0", "[::1]:0"};
    for (size_t i = 0; i < COUNT(addresses); i++) {
        int fd = -1;
        struct error err = {0};
        if (!listen_open(addresses[i], &fd, &err)) {
            print_message("# skip: %s\n", err.text); /* a machine without IPv6 */
            assert_string_equal(addresses[i], "[::1]:0");
            continue;
        }
        assert_true(listen_port(fd) > 0);
        char same[32];
        int other = -1;
        snprintf(same, sizeof same, "%.*s%d", (int)strlen(addresses[i]) - 1, addresses[i],
                 listen_port(fd));
        assert_false(listen_open(same, &other, &err));
        assert_non_null(strstr(err.text, "Address already in use"));
        assert_int_equal(other, -1);
        close(fd);
    }
}

TEST(what_is_no_address_is_told)
{
    static const char *const wrong[] = {"",
                                        "8400",
                                        "127.0.0.1",
                                        ":80",
                                        "a:",
                                        "127.0.0.1:-1",
                                        "127.0.0.1:65536",
                                        "127.0.0.1:x",
                                        "256.0.0.1:80"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        int fd = -1;
        struct error err = {0};
        if (listen_open(wrong[i], &fd, &err)) fail_msg("listens on '%s'", wrong[i]);
        assert_int_equal(err.code, ERROR_INVALID);
        assert_non_null(strstr(err.text, wrong[i]));
    }
}

TEST_MAIN(T(any_port_is_one_that_is_free), T(what_is_no_address_is_told))
