/* Names are resolved once in a command, by whichever of its processes comes first. */
#include "load/names.h"
#include "load/target.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic int *asked; /* shared with children */

/* 127.0.0.1 the first time, 198.51.100.N (nobody's) ever after. */
static int moves(const char *host, struct names_address *address)
{
    int n = ++*asked;
    if (strcmp(host, "nobody.test") == 0) return EAI_NONAME;
    if (strcmp(host, "stuck.test") == 0 && n == 1) raise(SIGKILL);
    char text[INET_ADDRSTRLEN];
    snprintf(text, sizeof text, n == 1 ? "127.0.0.%d" : "198.51.100.%d", n % 250);
    struct sockaddr_in *to = (struct sockaddr_in *)(void *)&address->socket;
    to->sin_family = AF_INET;
    address->length = sizeof *to;
    return inet_pton(AF_INET, text, &to->sin_addr) == 1 ? 0 : EAI_FAIL;
}

static struct names *open_names(void)
{
    struct error err = {0};
    struct names *names = NULL;
    asked =
        mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(asked != MAP_FAILED);
    assert_true(names_open(&names, moves, &err));
    return names;
}

static void close_names(struct names *names)
{
    names_close(names);
    munmap(asked, sizeof *asked);
}

/* In a process of its own, as the arms of a run are; its wait status. */
static int find_in_child(struct names *names, const char *host)
{
    struct names_address address;
    struct error err = {0};
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) _exit(names_find(names, host, &address, &err) ? 0 : 1);
    waitpid(pid, &status, 0);
    return status;
}

TEST(what_one_process_has_resolved_is_every_other_ones)
{
    struct names *names = open_names();
    struct names_address address;
    struct error err = {0};
    assert_int_equal(find_in_child(names, "moves.test"), 0);
    assert_int_equal(find_in_child(names, "moves.test"), 0);
    assert_true(names_find(names, "MOVES.test", &address, &err));
    assert_int_equal(*asked, 1);
    assert_true(address.is_of_name);
    const struct sockaddr_in *a = (const struct sockaddr_in *)(const void *)&address.socket;
    assert_int_equal(ntohl(a->sin_addr.s_addr), INADDR_LOOPBACK);
    close_names(names);
}

TEST(the_address_that_was_checked_is_the_one_of_every_target)
{
    struct arena arena = arena_open();
    struct error err = {0};
    struct target first, second, other;
    struct target_terms terms = {.names = open_names()};
    assert_true(target_open(&first, "http://moves.test:8400/a", &terms, &arena, &err));
    assert_true(target_open(&second, "http://moves.test:8400/b", &terms, &arena, &err));
    assert_true(second.is_local);
    assert_memory_equal(&first.address, &second.address, first.address_len);
    assert_string_equal(target_pin(&second, &arena), "moves.test:8400:127.0.0.1");
    assert_true(target_open(&other, "http://moves.test:8401/", &terms, &arena, &err));
    assert_string_equal(target_pin(&other, &arena), "moves.test:8401:127.0.0.1");
    assert_true(target_open(&other, "http://[::1]:8401/", &terms, &arena, &err));
    assert_null(target_pin(&other, &arena));
    assert_int_equal(*asked, 1);
    /* Another name is another question, and another machine needs consent. */
    assert_false(target_open(&other, "http://far.test/", &terms, &arena, &err));
    assert_non_null(strstr(err.text, "--allow-host far.test"));
    close_names(terms.names);
    arena_close(&arena);
}

TEST(who_could_not_be_resolved_is_asked_for_again)
{
    struct names *names = open_names();
    struct names_address address;
    struct error err = {0};
    assert_false(names_find(names, "nobody.test", &address, &err));
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    assert_false(names_find(names, "nobody.test", &address, &err));
    assert_int_equal(*asked, 2);
    close_names(names);
}

TEST(a_process_that_dies_while_it_resolves_holds_nobody_up)
{
    struct names *names = open_names();
    struct names_address address;
    struct error err = {0};
    assert_true(WIFSIGNALED(find_in_child(names, "stuck.test")));
    assert_true(names_find(names, "stuck.test", &address, &err));
    assert_true(names_find(names, "stuck.test", &address, &err));
    assert_int_equal(*asked, 2);
    close_names(names);
}

TEST(a_full_table_refuses_further_names)
{
    struct names *names = open_names();
    struct names_address address;
    struct error err = {0};
    char host[300];
    for (int i = 0; i < NAMES_MAX; i++) {
        snprintf(host, sizeof host, "h%d.test", i);
        assert_true(names_find(names, host, &address, &err));
    }
    assert_true(names_find(names, "127.0.0.1", &address, &err)); /* is not in it */
    assert_true(names_find(names, "h7.test", &address, &err));
    assert_false(names_find(names, "more.test", &address, &err));
    assert_int_equal(err.code, ERROR_INVALID);
    assert_int_equal(*asked, NAMES_MAX);
    close_names(names);
    names = open_names();
    memset(host, 'a', sizeof host - 1);
    host[sizeof host - 1] = '\0';
    assert_false(names_find(names, host, &address, &err));
    assert_int_equal(*asked, 0);
    close_names(names);
}

TEST_MAIN(T(what_one_process_has_resolved_is_every_other_ones),
          T(the_address_that_was_checked_is_the_one_of_every_target),
          T(who_could_not_be_resolved_is_asked_for_again),
          T(a_process_that_dies_while_it_resolves_holds_nobody_up),
          T(a_full_table_refuses_further_names))
