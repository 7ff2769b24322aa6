/* Against a real redis-server on a private socket; skipped, with the reason, where there is
 * none. */
#include "base/os.h"
#include "tests/test.h"
#include "world/agent_memory.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct desk {
    struct arena arena;
    const char *dir;
    struct redis_server server;
    struct redis *redis;
    struct agent_memory memory;
    struct error err;
};

static bool desk_open(struct desk *d, int64_t limit, int64_t cleanup_interval)
{
    *d = (struct desk){.arena = arena_open()};
    assert_true(os_make_temp_dir("assay-test", &d->arena, &d->dir, &d->err));
    if (!redis_server_start(&d->server, d->dir, &d->arena, &d->err)) {
        if (d->err.code != ERROR_UNAVAILABLE) fail_msg("%s", d->err.text);
        print_message("# skip: %s\n", d->err.text);
        os_remove_tree(d->dir);
        arena_close(&d->arena);
        return false;
    }
    if (!redis_connect(d->server.socket, &d->arena, &d->redis, &d->err))
        fail_msg("%s", d->err.text);
    struct agent_memory_settings settings = {2, 100, limit, cleanup_interval};
    agent_memory_init(&d->memory, d->redis, &settings, &d->arena);
    return true;
}

static void desk_close(struct desk *d)
{
    pid_t pid = d->server.pid;
    redis_close(d->redis);
    redis_server_stop(&d->server);
    assert_int_equal(kill(pid, 0), -1); /* nothing is left of it */
    os_remove_tree(d->dir);
    arena_close(&d->arena);
}

static struct memory_entry entry_of(struct desk *d, uint32_t agent, int64_t step)
{
    struct rng rng = rng_seeded((uint64_t)(step * 2 + agent + 1));
    return agent_memory_make(&d->memory, agent, step, &rng, &d->arena);
}

static bool is_known(struct desk *d, uint32_t agent, int64_t step)
{
    struct memory_entry e = entry_of(d, agent, step);
    struct str json = {0};
    assert_true(agent_memory_recall(&d->memory, &e, &json, &d->err));
    if (json.n > 0 && !str_equal(json, e.json)) fail_msg("other bytes");
    return json.n > 0;
}

TEST(what_is_remembered_is_recalled_by_its_agent)
{
    struct desk d;
    if (!desk_open(&d, 1000, 1000)) skip();
    for (int64_t step = 0; step < 30; step++) {
        struct memory_entry e = entry_of(&d, 0, step);
        assert_true(agent_memory_remember(&d.memory, &e, 1, &d.err));
    }
    for (int64_t step = 0; step < 30; step++) {
        assert_true(is_known(&d, 0, step));
        assert_false(is_known(&d, 1, step));
    }
    struct redis_answer a;
    struct memory_entry e = entry_of(&d, 0, 3);
    assert_true(redis_call(d.redis, (struct str[]){S("TTL"), e.key}, 2, &a, &d.err));
    assert_true(a.integer > 0 && a.integer <= 100);
    struct memory_query q = {.agent = 0, .x = e.x, .y = e.y, .radius = 0.001};
    assert_true(agent_memory_search(&d.memory, &q, d.arena, &d.err));
    assert_int_equal(q.count, 1);
    assert_int_equal(q.steps[0], 3);
    q.radius = 200; /* everything: the first ten */
    assert_true(agent_memory_search(&d.memory, &q, d.arena, &d.err));
    assert_int_equal(q.count, 10);
    assert_int_equal(q.steps[9], 9);
    desk_close(&d);
}

TEST(two_at_one_server_do_not_see_each_other)
{
    struct desk d;
    if (!desk_open(&d, 1000, 1000)) skip();
    struct agent_memory other;
    struct agent_memory_settings settings = {2, 100, 1000, 1000};
    agent_memory_init(&other, d.redis, &settings, &d.arena);
    struct memory_entry e = entry_of(&d, 0, 3);
    assert_true(agent_memory_remember(&d.memory, &e, 1, &d.err));
    int64_t count = 0;
    assert_true(agent_memory_count(&other, 0, &count, &d.err));
    assert_int_equal(count, 0);
    assert_true(agent_memory_clear(&other, &d.err));
    assert_true(is_known(&d, 0, 3));
    desk_close(&d);
}

TEST(a_batch_stores_what_single_writes_do)
{
    struct desk d;
    if (!desk_open(&d, 1000, 1000)) skip();
    struct memory_entry entries[1200];
    for (int i = 0; i < 1200; i++) entries[i] = entry_of(&d, (uint32_t)i % 2, i / 2);
    assert_true(agent_memory_remember(&d.memory, entries, 1200, &d.err));
    for (uint32_t agent = 0; agent < 2; agent++) {
        int64_t count = 0;
        assert_true(agent_memory_count(&d.memory, agent, &count, &d.err));
        assert_int_equal(count, 600);
        assert_true(is_known(&d, agent, 0) && is_known(&d, agent, 599));
    }
    assert_true(agent_memory_clear(&d.memory, &d.err)); /* more than one chunk */
    struct redis_answer a;
    assert_true(redis_call(d.redis, (struct str[]){S("DBSIZE")}, 1, &a, &d.err));
    assert_int_equal(a.integer, 0);
    desk_close(&d);
}

TEST(the_oldest_are_forgotten_when_the_limit_is_looked_at)
{
    struct desk d;
    if (!desk_open(&d, 10, 8)) skip();
    for (int64_t step = 0; step < 24; step++) {
        struct memory_entry e = entry_of(&d, 1, step);
        assert_true(agent_memory_remember(&d.memory, &e, 1, &d.err));
    }
    for (int64_t step = 0; step < 24; step++)
        assert_int_equal(is_known(&d, 1, step), step >= 14);
    int64_t removed = 0;
    assert_true(agent_memory_evict(&d.memory, 1, 4, &removed, &d.err));
    assert_int_equal(removed, 6);
    assert_false(is_known(&d, 1, 19));
    assert_true(is_known(&d, 1, 20));
    desk_close(&d);
}

TEST(a_server_that_goes_away_is_an_error_that_says_so)
{
    struct desk d;
    if (!desk_open(&d, 10, 8)) skip();
    redis_server_stop(&d.server);
    signal(SIGPIPE, SIG_IGN); /* as the arm does */
    struct memory_entry e = entry_of(&d, 0, 1);
    assert_false(agent_memory_remember(&d.memory, &e, 1, &d.err));
    assert_non_null(strstr(d.err.text, "Redis: "));
    redis_close(d.redis);
    d.redis = NULL;
    assert_false(redis_connect(d.server.socket, &d.arena, &d.redis, &d.err));
    assert_int_equal(d.err.code, ERROR_UNAVAILABLE);
    assert_false(redis_connect("nonsense", &d.arena, &d.redis, &d.err));
    assert_non_null(strstr(d.err.text, "neither the path of a socket nor HOST:PORT"));
    os_remove_tree(d.dir);
    arena_close(&d.arena);
}

/* The server changes its folder before it opens its socket. */
TEST(a_relative_folder_is_as_good_as_another)
{
    struct desk d;
    if (!desk_open(&d, 1000, 1000)) skip();
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(d.dir), 0);
    assert_true(os_make_dirs("below", &d.err));
    struct redis_server other;
    bool is_there = redis_server_start(&other, "below", &d.arena, &d.err);
    assert_int_equal(chdir(here), 0);
    if (!is_there) fail_msg("%s", d.err.text);
    redis_server_stop(&other);
    desk_close(&d);
}

TEST(a_server_that_does_not_start_says_why)
{
    struct desk d;
    if (!desk_open(&d, 1000, 1000)) skip();
    const char *program = os_path_below(d.dir, S("redis-server"), &d.arena);
    struct str script = S("#!/bin/sh\necho starting\necho 'it has no room' >&2\nexit 1\n");
    assert_true(os_write_file(program, script, &d.err));
    assert_int_equal(chmod(program, 0700), 0);
    const char *path = arena_printf(&d.arena, "%s", getenv("PATH"));
    setenv("PATH", arena_printf(&d.arena, "%s:%s", d.dir, path), 1);
    struct redis_server other;
    const char *folder = os_path_below(d.dir, S("other"), &d.arena);
    assert_true(os_make_dirs(folder, &d.err));
    bool is_there = redis_server_start(&other, folder, &d.arena, &d.err);
    setenv("PATH", path, 1);
    assert_false(is_there);
    assert_int_equal(d.err.code, ERROR_UNAVAILABLE);
    assert_string_equal(d.err.text, "redis-server ended at once: it has no room");
    desk_close(&d);
}

TEST_MAIN(T(a_relative_folder_is_as_good_as_another), T(a_server_that_does_not_start_says_why),
          T(what_is_remembered_is_recalled_by_its_agent),
          T(two_at_one_server_do_not_see_each_other), T(a_batch_stores_what_single_writes_do),
          T(the_oldest_are_forgotten_when_the_limit_is_looked_at),
          T(a_server_that_goes_away_is_an_error_that_says_so))
