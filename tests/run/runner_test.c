/* The processes of a run, with experiments of the test's own: arms that cannot
 * be up at once, one that crashes, one that hangs, one that prints. */
#include "base/clock.h"
#include "tests/run/planted.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- experiments ---- */

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

static enum trial_status do_vary(struct trial *t, void *state)
{
    (void)state;
    clock_sleep_until(clock_ns() + (t->iteration % 7 + 1) * 10000);
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

static enum trial_status do_fail(struct trial *t, void *state)
{
    (void)state;
    error_set(&t->error, ERROR_FAILED, "never");
    return TRIAL_FAILED;
}

/* Wild writes, over records that nobody has read yet: the parent is woken more seldom. */
struct scribble {
    char *ring; /* where records begin */
};

enum { RING_BYTES = 4 << 20 };

static bool find_ring(const struct experiment_env *env, void *state, struct error *err)
{
    (void)env;
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    uintptr_t end = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        char *rest = NULL;
        strtoull(line, &rest, 16);
        if (strstr(line, "assay-group")) end = strtoull(rest + 1, NULL, 16);
    }
    if (maps) fclose(maps);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): that is what the file holds
    ((struct scribble *)state)->ring = (char *)end - RING_BYTES - 3904;
    return end > 0 || error_set(err, ERROR_FAILED, "no ring");
}

static enum trial_status do_scribble(struct trial *t, void *state)
{
    if (t->iteration % 1000 == 999) {
        memset(((struct scribble *)state)->ring, 0xff, RING_BYTES + 3904);
    }
    return TRIAL_OK;
}

static enum trial_status do_talk(struct trial *t, void *state)
{
    (void)state;
    buf_text(t->output, "so and so");
    return TRIAL_OK;
}

const struct experiment planted[] = {
    {.name = "alone",
     .summary = "cannot be up twice",
     .params = {params, COUNT(params)},
     .config_size = sizeof(struct config),
     .state_size = sizeof(struct alone),
     .exclusive = true,
     .setup = alone_setup,
     .execute_once = do_vary,
     .teardown = alone_teardown},
    {.name = "alone_failing",
     .summary = "cannot be up twice, and fails",
     .params = {params, COUNT(params)},
     .config_size = sizeof(struct config),
     .exclusive = true,
     .execute_once = do_fail},
    {.name = "scribble",
     .summary = "writes where it must not",
     .state_size = sizeof(struct scribble),
     .setup = find_ring,
     .execute_once = do_scribble},
    {.name = "talk", .summary = "has something to say", .execute_once = do_talk},
    {.name = "crash", .summary = "dies in trial 1", .execute_once = do_crash},
    {.name = "hang", .summary = "waits for ever in trial 1", .execute_once = do_hang},
    {.name = "noop", .summary = "nothing", .execute_once = do_nothing},
    {.name = "vary", .summary = "10 to 70 us", .execute_once = do_vary},
    {.name = NULL},
};

/* ---- the run ---- */

struct seen {
    size_t arms[256]; /* of measured trials, in the order of their starts */
    double starts_s[256];
    size_t count;
    struct trial_counts counts;
    enum run_status status;
};

static void on_event(void *context, const struct run_event *e)
{
    struct seen *s = context;
    if (e->kind != RUN_EVENT_TRIAL) return;
    /* Arms are announced one after the other, whatever their trials' order was. */
    size_t at = s->count++;
    for (; at > 0 && s->starts_s[at - 1] > e->start_s; at--) {
        s->starts_s[at] = s->starts_s[at - 1];
        s->arms[at] = s->arms[at - 1];
    }
    s->starts_s[at] = e->start_s;
    s->arms[at] = e->cell->arm;
}

static struct seen carry_out(const char *text)
{
    struct seen seen = {.count = 0};
    struct run_outcome outcome =
        planted_run(text, 1, (struct run_listener){&seen, true, on_event});
    seen.counts = outcome.counts;
    seen.status = outcome.status;
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

TEST(blocks_go_on_until_it_is_decided)
{
    struct seen s = carry_out("{experiment: alone, sweep: {which: [1, 2]}, "
                              "until: {relative_ci: 0.000001, max_iterations: 25}}");
    assert_int_equal(s.counts.by_status[TRIAL_OK], 50);
}

TEST(blocks_end_after_failures_in_a_row)
{
    struct seen s = carry_out("{experiment: alone_failing, sweep: {which: [1, 2]}, "
                              "iterations: {measured: 40}}");
    assert_int_equal(s.status, RUN_FAILED);
    assert_int_equal(s.counts.by_status[TRIAL_FAILED], 6);
}

/* ---- a parent that is held up ---- */

struct stalled {
    int64_t trials;
    int64_t watched;
};

static void on_late_event(void *context, const struct run_event *e)
{
    struct stalled *s = context;
    if (e->kind != RUN_EVENT_TRIAL) return;
    if (s->trials++ == 0) usleep(400000); /* a store that another process has locked */
    for (size_t i = 0; i < e->metric_count; i++) {
        bool is_it = strcmp(e->metrics[i]->name, "samples") == 0;
        if (is_it && !isnan(e->values[i])) s->watched++;
    }
}

TEST(more_trials_than_an_intake_holds_keep_what_was_seen_of_them)
{
    struct stalled s = {0};
    struct run_outcome outcome = planted_run("{experiment: talk, instrumentation: [resources], "
                                             "iterations: {measured: 2500}}",
                                             1, (struct run_listener){&s, true, on_late_event});
    assert_int_equal(outcome.status, RUN_SUCCESS);
    assert_int_equal(s.trials, 2500);
    assert_int_equal(s.watched, 2500);
}

struct pace {
    int64_t trials;
    int64_t long_ones; /* each of them is committed alone */
    double last_s;
};

static void on_paced_event(void *context, const struct run_event *e)
{
    struct pace *p = context;
    if (e->kind != RUN_EVENT_TRIAL) return;
    p->trials++;
    p->last_s = e->start_s;
    for (size_t i = 0; i < e->metric_count; i++) {
        bool is_it = strcmp(e->metrics[i]->name, "duration_s") == 0;
        if (is_it && e->values[i] >= 5e-3) p->long_ones++;
    }
}

/* Every waking of the parent disturbs what is measured. */
TEST(short_trials_wake_the_parent_every_9_ms)
{
    struct rusage before;
    struct rusage after;
    struct pace p = {0};
    getrusage(RUSAGE_SELF, &before);
    planted_run("{experiment: vary, iterations: {measured: 4000}}", 1,
                (struct run_listener){&p, true, on_paced_event});
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(p.trials, 4000);
    double wakings = (double)(after.ru_nvcsw - before.ru_nvcsw - p.long_ones);
    double most = 40 + p.last_s / 0.005; /* some for set-up and end, and once in 5 ms */
    print_message("# woken %.0f times in %.3f s, at most %.0f; %lld long trials\n", wakings,
                  p.last_s, most, (long long)p.long_ones);
    assert_true(wakings <= most);
}

TEST(a_crash_is_one_failed_trial)
{
    struct seen s = carry_out("{experiment: crash, iterations: {measured: 5}}");
    assert_int_equal(s.status, RUN_SUCCESS);
    assert_int_equal(s.counts.attempted, 5);
    assert_int_equal(s.counts.by_status[TRIAL_OK], 4);
    assert_int_equal(s.counts.by_status[TRIAL_FAILED], 1);
}

static void count_trials(void *context, const struct run_event *e)
{
    if (e->kind == RUN_EVENT_TRIAL) (*(int64_t *)context)++;
}

TEST(an_experiment_that_destroys_its_records_has_failed)
{
    int64_t announced = 0;
    struct run_outcome outcome =
        planted_run("{experiment: scribble, iterations: {measured: 1000000}}", 1,
                    (struct run_listener){&announced, true, count_trials});
    assert_int_equal(outcome.status, RUN_FAILED);
    assert_int_equal(outcome.counts.attempted, announced);
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
          T(blocks_go_on_until_it_is_decided), T(blocks_end_after_failures_in_a_row),
          T(more_trials_than_an_intake_holds_keep_what_was_seen_of_them),
          T(short_trials_wake_the_parent_every_9_ms), T(a_crash_is_one_failed_trial),
          T(an_experiment_that_destroys_its_records_has_failed),
          T(a_hang_is_one_trial_that_timed_out))
