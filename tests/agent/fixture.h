/* fixture.h - an adapter under test, and the proof that nothing of it is left. */
#ifndef TESTS_AGENT_FIXTURE_H
#define TESTS_AGENT_FIXTURE_H

#include "agent/agent.h"
#include "base/clock.h"
#include "base/os.h"
#include "base/proc.h"
#include "tests/test.h"

#include <dirent.h>
#include <unistd.h>

#define MEGABYTE 1000000

struct bench {
    struct arena arena;
    const struct agent_kind *kind;
    void *config;
    void *state;
    struct agent_env env;
    struct buf unenforced;
    const char *environment[4];
    char mark[64]; /* in the environment of every process of the agent */
    struct agent_answer answer;
    struct error err;
    int64_t cgroups;
};

static inline int64_t bench_count_cgroups(void)
{
    struct arena a = arena_open();
    struct os_output out = {0};
    const char *argv[] = {"find", "/sys/fs/cgroup", "-name", "assay-*", "-type", "d", NULL};
    int64_t n = 0;
    if (os_capture(argv, 5000, 1 << 16, &a, &out, NULL)) {
        char mine[32];
        int length = snprintf(mine, sizeof mine, "/assay-%d-", (int)getpid());
        const char *at = out.text.p;
        for (; at && (at = strstr(at, mine)); at += length) n++;
    }
    arena_close(&a);
    return n;
}

/* Processes whose environment has the mark, wherever they hide. */
static inline int bench_survivors(const char *mark)
{
    int n = 0;
    DIR *dir = opendir("/proc");
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char path[64];
        if (e->d_name[0] < '0' || e->d_name[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%.20s/environ", e->d_name);
        struct arena a = arena_open();
        struct str text = {0};
        if (os_read_file(path, 1 << 20, &a, &text, NULL) && text.n &&
            memmem(text.p, text.n, mark, strlen(mark)))
            n++;
        arena_close(&a);
    }
    closedir(dir);
    return n;
}

static inline bool bench_try_open(struct bench *b, const char *kind, const char *yaml,
                                  struct agent_limits limits)
{
    *b = (struct bench){.arena = arena_open()};
    const struct value *map = NULL;
    struct value_error where = {0};
    if (!value_read(str_of(yaml), &value_limits_spec, &b->arena, &map, &where))
        fail_msg("%s", where.error.text);
    b->kind = agent_kind_find(str_of(kind));
    b->config = arena_alloc(&b->arena, 1, b->kind->config_size + 1, 16);
    b->state = arena_alloc(&b->arena, 1, b->kind->state_size + 1, 16);
    if (!param_read(b->kind->params, map, b->config, &b->arena, &b->err))
        fail_msg("%s", b->err.text);
    snprintf(b->mark, sizeof b->mark, "ASSAY_TEST_MARK=%d-%lld", (int)getpid(),
             (long long)clock_ns());
    b->environment[0] = "PATH=/usr/local/bin:/usr/bin:/bin";
    b->environment[1] = b->mark;
    buf_init(&b->unenforced, 4096);
    b->env = (struct agent_env){
        .arena = &b->arena,
        .environment = b->environment,
        .limits = limits,
        .prices = {NAN, NAN, NAN, NULL},
        .unenforced = &b->unenforced,
    };
    if (!os_make_temp_dir("assay-test", &b->arena, &b->env.work_dir, &b->err))
        fail_msg("%s", b->err.text);
    return b->kind->open(b->state, b->config, &b->env, &b->err);
}

static inline void bench_open(struct bench *b, const char *kind, const char *yaml,
                              struct agent_limits limits)
{
    if (!bench_try_open(b, kind, yaml, limits)) fail_msg("%s", b->err.text);
}

static inline enum trial_status bench_ask_task(struct bench *b, struct agent_task task)
{
    b->err = (struct error){0};
    if (b->kind->prepare && !b->kind->prepare(b->state, &task, &b->err)) {
        agent_answer_init(&b->answer);
        b->answer.error = b->err;
        return TRIAL_HARNESS_ERROR;
    }
    enum trial_status status = b->kind->ask(b->state, &task);
    return b->kind->conclude(b->state, &task, status, &b->answer);
}

static inline enum trial_status bench_ask(struct bench *b, const char *input)
{
    return bench_ask_task(b, (struct agent_task){.case_id = S("c1"), .input = str_of(input)});
}

static inline void bench_expect(struct bench *b, const char *input, enum trial_status want,
                                const char *reason)
{
    enum trial_status got = bench_ask(b, input);
    if (got != want || !strstr(b->answer.error.text, reason))
        fail_msg("%s: %s, '%s'", input, trial_status_name(got), b->answer.error.text);
}

static inline bool bench_says(const struct bench *b, const char *output)
{
    return str_is(b->answer.output, output);
}

/* Closes, and fails if a process, a cgroup or a file of the agent is left. */
static inline void bench_close(struct bench *b)
{
    b->kind->close(b->state);
    pid_t left[4];
    assert_int_equal(proc_descendants(getpid(), left, 4), 0);
    assert_int_equal(bench_survivors(b->mark), 0);
    assert_int_equal(bench_count_cgroups(), 0);
    if (rmdir(b->env.work_dir) != 0) fail_msg("'%s' is not empty", b->env.work_dir);
    buf_release(&b->unenforced);
    arena_close(&b->arena);
}

#define AGENTS "tests/agent/agents/"

#endif
