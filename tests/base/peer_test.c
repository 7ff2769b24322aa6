/* Sockets of ours and of a process below one that is named as a guard. */
#include "base/peer.h"

#include "base/proc.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int port_of(int fd)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    return ntohs(at.sin_port);
}

static int listen_here(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 8), 0);
    return fd;
}

static int connect_to(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* A process of the guard's name, whose child says from which port it has connected. */
static pid_t start_guard(int own_port, int *port)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
        prctl(PR_SET_NAME, PROC_GUARD_NAME);
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            prctl(PR_SET_NAME, "agent");
            int from = port_of(connect_to(own_port));
            if (write(fds[1], &from, sizeof from) != sizeof from) _exit(1);
        }
        for (;;) pause();
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], port, sizeof *port), sizeof *port);
    close(fds[0]);
    return pid;
}

TEST(who_is_below_a_guard_is_known_from_who_is_not)
{
    struct arena scratch = arena_open();
    int listener = listen_here();
    int own_port = port_of(listener);
    int theirs = 0;
    pid_t guard = start_guard(own_port, &theirs);
    int ours = connect_to(own_port);
    assert_true(peer_is_measured(theirs, own_port, scratch));
    assert_false(peer_is_measured(port_of(ours), own_port, scratch));
    /* Who has closed it cannot be asked. */
    int port = port_of(ours);
    close(ours);
    assert_true(peer_is_measured(port, own_port, scratch));
    kill(guard, SIGKILL);
    assert_int_equal(waitpid(guard, NULL, 0), guard);
    close(listener);
    arena_close(&scratch);
}

/* A process of the guard's name, whose child takes one connection and none after it. */
static pid_t start_server(int fds[2], int *port)
{
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, PROC_GUARD_NAME);
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            prctl(PR_SET_NAME, "agent");
            int listener = listen_here();
            int at = port_of(listener);
            char byte = 0;
            if (write(fds[1], &at, sizeof at) != sizeof at) _exit(1);
            if (accept(listener, NULL, NULL) < 0) _exit(1);
            close(listener);
            if (write(fds[1], &byte, 1) != 1) _exit(1);
        }
        for (;;) pause();
    }
    assert_int_equal(read(fds[0], port, sizeof *port), sizeof *port);
    return pid;
}

TEST(a_server_below_a_guard_is_known_before_it_has_a_connection_and_when_it_has_only_that)
{
    struct arena scratch = arena_open();
    int fds[2];
    int theirs = 0;
    char byte = 0;
    pid_t guard = start_server(fds, &theirs);
    int listener = listen_here();
    int ours = connect_to(port_of(listener)); /* not taken yet, as most are when we ask */
    assert_false(peer_server_is_measured(port_of(listener), port_of(ours), scratch));
    assert_true(peer_server_is_measured(theirs, 1, scratch));
    int to_theirs = connect_to(theirs);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    assert_true(peer_server_is_measured(theirs, port_of(to_theirs), scratch));
    assert_false(peer_server_is_measured(theirs, 1, scratch)); /* nobody is there any more */
    kill(guard, SIGKILL);
    assert_int_equal(waitpid(guard, NULL, 0), guard);
    close(fds[0]);
    close(fds[1]);
    close(to_theirs);
    close(ours);
    close(listener);
    arena_close(&scratch);
}

TEST_MAIN(
    T(who_is_below_a_guard_is_known_from_who_is_not),
    T(a_server_below_a_guard_is_known_before_it_has_a_connection_and_when_it_has_only_that))
