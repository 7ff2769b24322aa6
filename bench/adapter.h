/* adapter.h - the adapter of process agents used alone: nothing is scored or stored. */
#ifndef BENCH_ADAPTER_H
#define BENCH_ADAPTER_H

#include "agent/agent.h"
#include "base/clock.h"
#include "base/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct adapter {
    const struct agent_kind *kind;
    void *state;
    const char *work_dir;
    struct buf unenforced;
};

static inline void adapter_failed(const char *why)
{
    printf("bench: %s: MISSED\n", why);
    exit(1);
}

static inline void adapter_open(struct adapter *a, struct arena *arena, const char *yaml)
{
    const struct value *map = NULL;
    struct value_error where = {0};
    struct error err = {0};
    a->kind = agent_kind_find(S("process"));
    void *config = arena_alloc(arena, 1, a->kind->config_size, 16);
    a->state = arena_alloc(arena, 1, a->kind->state_size, 16);
    buf_init(&a->unenforced, 4096);
    struct agent_env env = {.arena = arena,
                            .prices = {NAN, NAN, NAN, NULL},
                            .limits = {.time_ns = 10000000000, .memory_bytes = 256000000},
                            .unenforced = &a->unenforced};
    if (!value_read(str_of(yaml), &value_limits_spec, arena, &map, &where) ||
        !param_read(a->kind->params, map, config, arena, &err) ||
        !os_make_temp_dir("assay-bench", arena, &a->work_dir, &err)) {
        adapter_failed(err.text);
    }
    env.work_dir = a->work_dir;
    if (!a->kind->open(a->state, config, &env, &err)) adapter_failed(err.text);
}

static inline void adapter_close(struct adapter *a)
{
    a->kind->close(a->state);
    os_remove_tree(a->work_dir);
    buf_release(&a->unenforced);
}

/* Of one case. */
struct adapter_time {
    double reading_ns; /* what a run stores: as src/run/measure.c, by the agent's clock reads */
    double asking_ns;  /* until it is back with us */
};

/* One case: what it answers, until the next one. */
static inline struct str adapter_ask(struct adapter *a, const char *case_id, const char *input,
                                     struct adapter_time *time)
{
    struct agent_task task = {.case_id = str_of(case_id), .input = str_of(input), .seed = 42};
    struct agent_answer answer;
    struct error err = {0};
    if (!a->kind->prepare(a->state, &task, &err)) adapter_failed(err.text);
    int64_t begin_ns = clock_ns();
    enum trial_status status = a->kind->ask(a->state, &task);
    int64_t end_ns = clock_ns();
    if (a->kind->conclude(a->state, &task, status, &answer) != TRIAL_OK) {
        adapter_failed(answer.error.text);
    }
    time->asking_ns = (double)(end_ns - begin_ns);
    bool has_own = answer.end_ns > 0;
    time->reading_ns = has_own ? (double)(answer.end_ns - answer.start_ns) : time->asking_ns;
    return answer.output;
}

#endif
