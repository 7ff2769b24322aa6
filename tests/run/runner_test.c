/* The processes of a run, with experiments of the test's own: arms that cannot
 * be up at once, one that crashes, one that hangs, one that prints. */
#include "base/clock.h"
#include "base/os.h"
#include "run/run.h"
#include "tests/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- experiments ---- */

struct config {
    int64_t which;
};

static const struct param params[] = {
    {.name = "which",
     .type = PARAM_INT,
     .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, which),
     .fallback = "0",
     .max = 9,
     .help = "arm"},
};

/* Holds a lock while it is up: a second arm at the same time would fail. */
struct alone {
    int fd;
};

static bool alone_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)env;
    struct alone *a = state;
    a->fd = open(getenv("ASSAY_TEST_LOCK"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (a->fd < 0 || flock(a->fd, LOCK_EX | LOCK_NB) != 0) {
        return error_set(err, ERROR_FAILED, "another arm is up");
    }
    return true;
}

static bool alone_teardown(void *state, struct error *err)
{
    (void)err;
    close(((struct alone *)state)->fd);
    return true;
}

static enum trial_status do_nothing(struct trial *t, void *state)
{
    (void)t;
    (void)state;
    return TRIAL_OK;
}

static enum trial_status do_crash(struct trial *t, void *state)
{
    (void)state;
    if (t->phase == PHASE_MEASURED && t->iteration == 1) raise(SIGKILL);
    return TRIAL_OK;
}

static enum trial_status do_hang(struct trial *t, void *state)
{
    (void)state;
    if (t->phase == PHASE_MEASURED && t->iteration == 1) {
        for (;;) pause();
    }
    return TRIAL_OK;
}

static const struct experiment experiments[] = {
    {.name = "alone",
     .summary = "cannot be up twice",
     .params = {params, COUNT(params)},
     .config_size = sizeof(struct config),
     .state_size = sizeof(struct alone),
     .exclusive = true,
     .setup = alone_setup,
     .execute_once = do_nothing,
     .teardown = alone_teardown},
    {.name = "crash", .summary = "dies in trial 1", .execute_once = do_crash},
    {.name = "hang", .summary = "waits for ever in trial 1", .execute_once = do_hang},
    {.name = "noop", .summary = "nothing", .execute_once = do_nothing},
};

const struct experiment *experiment_at(size_t i)
{
    return i < COUNT(experiments) ? &experiments[i] : NULL;
}

const struct experiment *experiment_find(struct str name)
{
    for (size_t i = 0; i < COUNT(experiments); i++) {
        if (str_is(name, experiments[i].name)) return &experiments[i];
    }
    return NULL;
}

/* ---- the run ---- */

struct seen {
    char arms[256]; /* of measured trials, in the order of their starts */
    size_t count;
    struct trial_counts counts;
    enum run_status status;
};

static void on_event(void *context, const struct run_event *e)
{
    struct seen *s = context;
    if (e->kind != RUN_EVENT_TRIAL) return;
    s->arms[s->count++] = (char)('0' + e->cell->arm);
}

static struct seen carry_out(const char *text)
{
    struct arena arena = arena_open();
    struct error err = {0};
    struct seen seen = {.count = 0};
    const char *folder = NULL;
    struct nursery nursery = {0};
    if (!os_make_temp_dir("assay-runner", &arena, &folder, &err)) fail_msg("%s", err.text);
    setenv("ASSAY_TEST_LOCK", arena_printf(&arena, "%s/lock", folder), 1);
    if (!nursery_start(&nursery, &err)) fail_msg("%s", err.text);
    struct problems problems = {.arena = &arena};
    struct spec_override none = SPEC_OVERRIDE_NONE;
    struct spec *spec = NULL;
    struct plan *plan = NULL;
    if (!spec_load("t.yaml", str_of(text), &none, &arena, &spec, &problems)) {
        fail_msg("%s", problems.items[0].text);
    }
    if (!plan_make(spec, &arena, &plan, &err)) fail_msg("%s", err.text);
    struct store *store = NULL;
    struct store_options how = {.create = true};
    if (!store_open(arena_printf(&arena, "%s/s.db", folder), &how, &store, &err)) {
        fail_msg("%s", err.text);
    }
    struct run_request request = {
        .store = store,
        .nursery = &nursery,
        .plan = plan,
        .jobs = 1,
        .command_json = "[]",
        .assay_version = "test",
        .listener = {.context = &seen, .wants_trials = true, .on_event = on_event},
    };
    struct run_outcome outcome;
    if (!run_execute(&request, &arena, &outcome, &err)) fail_msg("%s", err.text);
    seen.counts = outcome.counts;
    seen.status = outcome.status;
    store_close(store);
    nursery_end(&nursery);
    os_remove_tree(folder);
    arena_close(&arena);
    return seen;
}

TEST(arms_that_cannot_be_up_at_once_take_turns_in_blocks)
{
    struct seen s = carry_out("{experiment: alone, sweep: {which: [1, 2]}, "
                              "iterations: {warmup: 1, measured: 8}}");
    assert_int_equal(s.status, RUN_SUCCESS);
    assert_int_equal(s.counts.by_status[TRIAL_OK], 16);
    assert_int_equal(s.count, 16);
    /* Two trials a block; both arms in every fourth of the run. */
    for (size_t i = 0; i < 16; i += 4) {
        assert_int_equal(s.arms[i], s.arms[i + 1]);
        assert_int_equal(s.arms[i + 2], s.arms[i + 3]);
        assert_int_not_equal(s.arms[i], s.arms[i + 2]);
    }
}

TEST(a_crash_is_one_failed_trial)
{
    struct seen s = carry_out("{experiment: crash, iterations: {measured: 5}}");
    assert_int_equal(s.status, RUN_SUCCESS);
    assert_int_equal(s.counts.attempted, 5);
    assert_int_equal(s.counts.by_status[TRIAL_OK], 4);
    assert_int_equal(s.counts.by_status[TRIAL_FAILED], 1);
}

TEST(a_hang_is_one_trial_that_timed_out)
{
    struct seen s =
        carry_out("{experiment: hang, time_limit_ms: 100, iterations: {measured: 4}}");
    assert_int_equal(s.counts.attempted, 4);
    assert_int_equal(s.counts.by_status[TRIAL_OK], 3);
    assert_int_equal(s.counts.by_status[TRIAL_TIMED_OUT], 1);
}

TEST_MAIN(T(arms_that_cannot_be_up_at_once_take_turns_in_blocks),
          T(a_crash_is_one_failed_trial), T(a_hang_is_one_trial_that_timed_out))
