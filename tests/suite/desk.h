/* desk.h - a bench with an agent and cases, for tests of the experiment `suite`. */
#ifndef TESTS_EXPERIMENT_DESK_H
#define TESTS_EXPERIMENT_DESK_H

#include "suite/case_pack.h"
#include "tests/experiment/harness.h"

struct desk { /* a bench with an agent and cases */
    struct bench b;
    struct buf pack;
    struct buf remarks;
};

static inline const struct value *read_yaml(struct arena *arena, const char *yaml)
{
    const struct value *v = NULL;
    struct value_error e;
    if (!value_read(str_of(yaml), &value_limits_spec, arena, &v, &e))
        fail_msg("%s: %s", yaml, e.error.text);
    return v;
}

static inline bool try_open(struct desk *d, const char *agent, const char *params,
                            const char *cases)
{
    struct bench *b = &d->b;
    *d = (struct desk){.b = {.experiment = experiment_find(S("suite")), .arena = arena_open()}};
    struct case_set set = {0};
    struct problems problems = {.arena = &b->arena, .file = "cases"};
    struct dataset_options none = {0};
    const char *all = arena_printf(&b->arena, "{suite: s, benchmark: b, %s}", params);
    buf_init(&b->output, 1 << 20);
    buf_init(&b->detail, 1 << 20);
    buf_init(&d->pack, 1 << 20);
    buf_init(&d->remarks, 4096);
    if (!dataset_read_list(read_yaml(&b->arena, cases), &none, &b->arena, &set, &problems))
        fail_msg("%s", problems.items[0].text);
    case_pack_write(&set, &d->pack);
    b->env = (struct experiment_env){
        .arena = &b->arena,
        .config =
            bench_config(&b->arena, b->experiment->params, b->experiment->config_size, all),
        .agent = read_yaml(&b->arena, agent),
        .workload_seed = 1,
        .cases = buf_str(&d->pack),
        .remarks = &d->remarks,
    };
    assert_true(os_make_temp_dir("assay-test", &b->arena, &b->env.work_dir, &b->error));
    b->state = arena_alloc(&b->arena, 1, b->experiment->state_size + 1, 16);
    return b->experiment->setup(&b->env, b->state, &b->error);
}

static inline void open_desk(struct desk *d, const char *agent, const char *params,
                             const char *cases)
{
    if (!try_open(d, agent, params, cases)) fail_msg("%s", d->b.error.text);
}

static inline void close_desk(struct desk *d)
{
    if (!bench_close(&d->b)) fail_msg("%s", d->b.error.text);
    buf_release(&d->pack);
    buf_release(&d->remarks);
}

static inline enum trial_status ask(struct desk *d, int64_t index)
{
    struct bench *b = &d->b;
    const struct experiment *e = b->experiment;
    buf_clear(&b->output);
    buf_clear(&b->detail);
    for (size_t i = 0; i < BENCH_VALUES; i++) b->values[i] = NAN;
    b->trial = (struct trial){.env = &b->env,
                              .case_index = index,
                              .phase = PHASE_MEASURED,
                              .workload_seed = 5,
                              .values = b->values,
                              .detail = &b->detail,
                              .output = &b->output};
    enum trial_status status = e->prepare(&b->trial, b->state);
    if (status != TRIAL_OK) return status;
    status = e->execute_once(&b->trial, b->state);
    return e->conclude(&b->trial, b->state, status);
}

static inline const struct value *detail_of(struct desk *d)
{
    const struct value *v = NULL;
    struct error err = {0};
    if (!value_read_json(buf_str(&d->b.detail), &value_limits_spec, &d->b.arena, &v, &err))
        fail_msg("%s: %s", d->b.detail.p, err.text);
    return v;
}

#define CASES "[{id: one, input: '1+1', expected: '2'}, {id: two, input: '2+2', expected: '5'}]"
#define CALC                                                                                   \
    "{id: calc, process: {command: 'read e; echo $(($e))', contain: off}, prices: {input: 0, " \
    "output: 0}}"

#endif
