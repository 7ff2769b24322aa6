#include "tests/experiment/harness.h"
#include "world/redis.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static bool open_or_skip(struct bench *b, const char *yaml)
{
    if (bench_try_open(b, "redis_memory", yaml, 0)) return true;
    if (b->error.code != ERROR_UNAVAILABLE) fail_msg("%s", b->error.text);
    print_message("# skip: %s\n", b->error.text);
    bench_close(b);
    return false;
}

TEST(entries_are_stored_read_searched_and_forgotten)
{
    struct bench b;
    if (!open_or_skip(&b, "{num_agents: 3, memory_entries: 40, batch_size: 7}")) skip();
    static const char *const said[] = {
        "\"avg_operation_time\":", "\"std_operation_time\":",
        "\"batches_per_second\":", "\"avg_batch_time\":",
        "\"min_batch_time\":",     "\"max_batch_time\":",
        "\"std_batch_time\":",     "\"overall\":{\"avg_write_rate\":",
    };
    for (int i = 0; i < 2; i++) {
        enum trial_status status = bench_trial(&b);
        if (status != TRIAL_OK) fail_msg("%s", b.trial.error.text);
        assert_close(bench_value(&b, "entries_removed"), 60, 0); /* the limit is half */
        assert_close(bench_value(&b, "remaining_entries"), 60, 0);
        assert_true(bench_value(&b, "memory_efficiency") > 300); /* an entry has 600 bytes */
        assert_true(bench_value(&b, "avg_read_rate") > 0);
        assert_false(isnan(bench_value(&b, "write_p99_s")));
        assert_true(isnan(bench_value(&b, "batch_p99_s"))); /* 18 batches */
        assert_true(bench_value(&b, "server_rss_mb") > 1);
        assert_non_null(strstr(b.detail.p, "\"cleanup\":{\"cleanup_time\":"));
        assert_non_null(strstr(b.detail.p, "\"memory_limit\":5000,"));
        static const char *const batch =
            "\"batch\":{\"total_operations\":120,\"total_batches\":18,\"batch_size\":7,";
        assert_non_null(strstr(b.detail.p, batch));
        assert_non_null(strstr(b.detail.p, "\"memory_samples\":[{\"entries\":105,"));
        for (size_t k = 0; k < COUNT(said); k++) {
            if (!strstr(b.detail.p, said[k])) fail_msg("no %s in %s", said[k], b.detail.p);
        }
    }
    assert_true(bench_close(&b));
}

/* The limit holds while entries are written, too. */
TEST(a_small_limit_evicts_all_the_time)
{
    struct bench b;
    if (!open_or_skip(&b, "{num_agents: 1, memory_entries: 50, memory_limit: 8, "
                          "cleanup_interval: 10}"))
        skip();
    enum trial_status status = bench_trial(&b);
    if (status != TRIAL_OK) fail_msg("%s", b.trial.error.text);
    assert_non_null(strstr(b.detail.p, "\"read\":{\"total_operations\":8,"));
    assert_true(bench_close(&b));
}

/* ---- servers that are wrong: a relay before a right one that changes what goes through ---- */

/* `what` becomes `instead`, as long, after the first `after` in a piece of what is sent to the
 * server or comes from it. With `twice`, only once in a piece that has that two times. */
struct lie {
    const char *name, *said; /* what the trial must say */
    bool is_answer;
    const char *twice, *after, *what, *instead;
};

static const struct lie lies[] = {
    {"a read gives other bytes", "remembers", true, NULL, "", "priority", "prioritx"},
    {"a search misses the oldest", "did not find step", false, NULL, "MGET",
     ":memory:", ":memorz:"},
    {"a batch changes its first entry", "after the batches: agent 0 has forgotten step 0",
     false, "SET\r\n", "SET\r\n", "priority", "prioritx"},
    {"entries live for milliseconds", "s instead of", false, NULL, "SET\r\n", "\r\nEX\r\n",
     "\r\nPX\r\n"},
    {"timelines live on", "timeline lives for -1 s", false, NULL, "", "EXPIRE", "ZSCORE"},
    {"the cleanup leaves entries", "after the cleanup: agent 0 still remembers step 0", false,
     NULL, "DEL\r\n", ":memory:", ":memorz:"},
};

static char *find(char *in, size_t n, const char *text)
{
    return n > 0 ? memmem(in, n, text, strlen(text)) : NULL;
}

static void tell_lie(const struct lie *lie, char *bytes, size_t n)
{
    char *end = bytes + n, *at = find(bytes, n, lie->after);
    char *once = lie->twice ? find(bytes, n, lie->twice) : NULL;
    if (lie->twice && (!once || !find(once + 1, (size_t)(end - once) - 1, lie->twice))) return;
    while (at && (at = find(at, (size_t)(end - at), lie->what))) {
        memcpy(at, lie->instead, strlen(lie->what));
        if (lie->twice) return;
    }
}

static int unix_socket(const char *path, struct sockaddr_un *at)
{
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(at->sun_path, sizeof at->sun_path, "%s", path);
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

/* One connection, until an end closes it. */
static void relay(int client, int server, const struct lie *lie)
{
    static char bytes[1 << 20];
    struct pollfd ends[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    struct error ignored;
    while (poll(ends, 2, -1) > 0) {
        for (int from = 0; from < 2; from++) {
            if (!ends[from].revents) continue;
            ssize_t n = read(ends[from].fd, bytes, sizeof bytes);
            if (n <= 0) return;
            if (lie && lie->is_answer == (from == 1)) tell_lie(lie, bytes, (size_t)n);
            if (!os_write_all(ends[!from].fd, (struct str){bytes, (size_t)n}, &ignored)) return;
        }
    }
}

/* Serves one connection after the other. `server` NULL = says nothing to anybody. */
static pid_t start_relay(const char *path, const char *server, const struct lie *lie)
{
    struct sockaddr_un at, there;
    int door = unix_socket(path, &at);
    assert_int_equal(bind(door, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(door, 5), 0);
    pid_t pid = fork();
    if (pid > 0) close(door);
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        int client = accept(door, NULL, NULL);
        if (!server) continue;
        int to = unix_socket(server, &there);
        if (connect(to, (struct sockaddr *)&there, sizeof there) != 0) _exit(1);
        relay(client, to, lie);
        close(client);
        close(to);
    }
}

static void stop_relay(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

struct desk {
    struct arena arena;
    const char *dir;
    struct redis_server server;
    struct error err;
};

static bool desk_open(struct desk *d)
{
    *d = (struct desk){.arena = arena_open()};
    assert_true(os_make_temp_dir("assay-test", &d->arena, &d->dir, &d->err));
    bool is_there = redis_server_start(&d->server, d->dir, &d->arena, &d->err);
    if (!is_there) print_message("# skip: %s\n", d->err.text);
    return is_there;
}

static void desk_close(struct desk *d)
{
    redis_server_stop(&d->server);
    os_remove_tree(d->dir);
    arena_close(&d->arena);
}

TEST(a_server_that_is_wrong_fails_the_trial)
{
    struct desk d;
    bool is_there = desk_open(&d);
    for (size_t i = 0; is_there && i <= COUNT(lies); i++) {
        const struct lie *lie = i < COUNT(lies) ? &lies[i] : NULL; /* at last, the truth */
        const char *path = arena_printf(&d.arena, "%s/%zu.sock", d.dir, i);
        pid_t pid = start_relay(path, d.server.socket, lie);
        struct bench b;
        bench_open(&b, "redis_memory",
                   arena_printf(&d.arena,
                                "{num_agents: 2, memory_entries: 30, batch_size: 6, "
                                "search_radius: 1000, server: %s}",
                                path),
                   0);
        enum trial_status status = bench_trial(&b);
        if (status != (lie ? TRIAL_FAILED : TRIAL_OK) ||
            (lie && !strstr(b.trial.error.text, lie->said)))
            fail_msg("%s: %d, '%s'", lie ? lie->name : "right", (int)status,
                     b.trial.error.text);
        (void)bench_close(&b);
        stop_relay(pid);
    }
    desk_close(&d);
    if (!is_there) skip();
}

TEST(a_server_that_never_answers_is_given_up)
{
    struct desk d;
    bool is_there = desk_open(&d);
    if (is_there) {
        const char *path = arena_printf(&d.arena, "%s/silent.sock", d.dir);
        pid_t pid = start_relay(path, NULL, NULL);
        struct redis *redis = NULL;
        assert_false(redis_connect_within(path, 20, &d.arena, &redis, &d.err));
        assert_int_equal(d.err.code, ERROR_UNAVAILABLE);
        assert_non_null(strstr(d.err.text, "no answer within 0.02 s"));
        stop_relay(pid);
    }
    desk_close(&d);
    if (!is_there) skip();
}

static void wait_a_second(struct bench *b)
{
    (void)b;
    clock_sleep_until(clock_ns() + 1100000000);
}

/* The server does nothing wrong: entries are gone because they may be. */
TEST(entries_that_expire_within_the_trial_are_said_to)
{
    struct bench b;
    if (!open_or_skip(&b, "{num_agents: 1, memory_entries: 10, ttl: 1}")) skip();
    b.meddle = wait_a_second;
    assert_int_equal(bench_trial(&b), TRIAL_FAILED);
    assert_non_null(strstr(b.trial.error.text, "entries expire after a ttl of 1 s"));
    assert_true(bench_close(&b));
}

static bool always(const void *arm)
{
    (void)arm;
    return true;
}

TEST(an_interrupted_trial_ends_and_its_keys_are_removed)
{
    struct desk d;
    bool is_there = desk_open(&d);
    if (is_there) {
        struct bench b;
        const char *yaml =
            arena_printf(&d.arena, "{memory_entries: 10, server: %s}", d.server.socket);
        bench_open(&b, "redis_memory", yaml, 0);
        if (bench_trial(&b) != TRIAL_OK) fail_msg("%s", b.trial.error.text);
        b.env.is_over = always;
        assert_int_equal(bench_trial(&b), TRIAL_FAILED);
        assert_string_equal(b.trial.error.text, "interrupted");
        assert_true(bench_close(&b));
        struct redis *redis = NULL;
        struct redis_answer a;
        assert_true(redis_connect(d.server.socket, &d.arena, &redis, &d.err));
        assert_true(redis_call(redis, (struct str[]){S("DBSIZE")}, 1, &a, &d.err));
        assert_int_equal(a.integer, 0);
        redis_close(redis);
    }
    desk_close(&d);
    if (!is_there) skip();
}

TEST(no_server_is_unavailable_not_wrong)
{
    struct bench b;
    assert_false(bench_try_open(&b, "redis_memory", "{server: /nowhere/redis.sock}", 0));
    assert_int_equal(b.error.code, ERROR_UNAVAILABLE);
    bench_close(&b);
}

TEST_MAIN(T(entries_are_stored_read_searched_and_forgotten),
          T(a_small_limit_evicts_all_the_time), T(a_server_that_is_wrong_fails_the_trial),
          T(a_server_that_never_answers_is_given_up),
          T(entries_that_expire_within_the_trial_are_said_to),
          T(an_interrupted_trial_ends_and_its_keys_are_removed),
          T(no_server_is_unavailable_not_wrong))
