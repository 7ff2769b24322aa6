/* Several trials of one arm in flight, with experiments of the test's own: what
 * comes out must be the plan, each trial once and in order, whatever becomes of
 * a lane. */
#include "base/clock.h"
#include "tests/run/planted.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- experiments ---- */

static enum trial_status do_nothing(struct trial *t, void *state)
{
    (void)t;
    (void)state;
    return TRIAL_OK;
}

static enum trial_status wait_a_while(struct trial *t, void *state)
{
    (void)state;
    /* Late ones among them, so that trials end in another order than they began. */
    usleep(t->iteration % 5 == 0 ? 20000 : 5000);
    return TRIAL_OK;
}

static bool is_unlucky(const struct trial *t)
{
    return t->phase == PHASE_MEASURED && t->iteration % 5 == 1;
}

static enum trial_status die_sometimes(struct trial *t, void *state)
{
    (void)state;
    usleep(1000);
    if (is_unlucky(t)) raise(SIGKILL);
    return TRIAL_OK;
}

static void hang(void)
{
    for (;;) pause();
}

static enum trial_status hang_sometimes(struct trial *t, void *state)
{
    (void)state;
    if (t->phase == PHASE_MEASURED && t->iteration == 2) hang();
    usleep(1000);
    return TRIAL_OK;
}

static enum trial_status fail_always(struct trial *t, void *state)
{
    (void)state;
    usleep(1000);
    error_set(&t->error, ERROR_FAILED, "as planned");
    return t->phase == PHASE_MEASURED ? TRIAL_FAILED : TRIAL_OK;
}

/* The first trial holds up answers that fill the rings of the other lanes. */
static enum trial_status answer_at_length(struct trial *t, void *state)
{
    (void)state;
    static char text[1 << 20];
    if (t->phase != PHASE_MEASURED) return TRIAL_OK;
    if (t->iteration == 0) hang();
    buf_add(t->output, (struct str){text, sizeof text});
    return TRIAL_OK;
}

static bool lock_or_fail(const struct experiment_env *env, void *state, struct error *err)
{
    (void)env;
    int *fd = state;
    *fd = open(getenv("ASSAY_TEST_LOCK"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) == 0) return true;
    return error_set(err, ERROR_FAILED, "another one is up");
}

#define EXPERIMENT(title, hook)                                                        \
    {                                                                                  \
        .name = (title), .summary = (title), .params = {params, COUNT(params)},        \
        .config_size = sizeof(struct config), .state_size = 64, .execute_once = (hook) \
    }

const struct experiment planted[] = {
    EXPERIMENT("wait", wait_a_while),
    EXPERIMENT("die", die_sometimes),
    EXPERIMENT("hang", hang_sometimes),
    EXPERIMENT("fail", fail_always),
    EXPERIMENT("talk", answer_at_length),
    {.name = "alone",
     .summary = "alone",
     .state_size = 64,
     .setup = lock_or_fail,
     .execute_once = wait_a_while},
    EXPERIMENT("noop", do_nothing),
    {.name = NULL},
};

/* ---- the run ---- */

enum { TRIALS_MAX = 400 };

struct seen {
    int64_t trials[PHASE_COUNT];
    size_t arms[TRIALS_MAX]; /* of measured trials */
    double starts_s[TRIALS_MAX];
    double ends_s[TRIALS_MAX];
    size_t count;
    struct trial_counts counts;
    enum run_status status;
    char note[300];
    double wall_s;
};

static void on_event(void *context, const struct run_event *e)
{
    struct seen *s = context;
    if (e->kind == RUN_EVENT_CELL_FINISHED) {
        const char *why = e->execution->error_details;
        snprintf(s->note, sizeof s->note, "%s", why ? why : "");
        assert_int_equal(e->execution->concurrency, e->cell->entry->concurrency);
    }
    if (e->kind == RUN_EVENT_WARMUP && e->cell->arm == 0)
        assert_int_equal(e->trial, s->trials[PHASE_WARMUP]++);
    if (e->kind != RUN_EVENT_TRIAL) return;
    assert_true(s->count < TRIALS_MAX);
    if (e->cell->arm == 0) assert_int_equal(e->trial, s->trials[PHASE_MEASURED]++);
    s->arms[s->count] = e->cell->arm;
    s->starts_s[s->count] = e->start_s;
    s->ends_s[s->count++] = e->start_s + e->values[0]; /* NaN of a failed one */
}

/* Most trials that were under way at one time. */
static size_t most_in_flight(const struct seen *s)
{
    size_t most = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t n = 0;
        for (size_t k = 0; k < s->count; k++) {
            n += s->starts_s[k] <= s->starts_s[i] && s->starts_s[i] < s->ends_s[k];
        }
        if (n > most) most = n;
    }
    return most;
}

static struct seen carry_out(int64_t lanes, const char *text)
{
    struct seen seen = {.count = 0};
    int64_t start_ns = clock_ns();
    struct run_outcome outcome =
        planted_run(text, lanes, (struct run_listener){&seen, true, on_event});
    seen.wall_s = (double)(clock_ns() - start_ns) * 1e-9;
    seen.counts = outcome.counts;
    seen.status = outcome.status;
    return seen;
}

TEST(lanes_do_the_plan_once_in_order_and_at_once)
{
    struct seen s = carry_out(4, "{experiment: wait, iterations: {warmup: 2, measured: 60}}");
    assert_int_equal(s.status, RUN_SUCCESS);
    assert_int_equal(s.counts.by_status[TRIAL_OK], 60);
    assert_int_equal(s.count, 60);
    assert_int_equal(s.trials[PHASE_WARMUP], 8); /* each lane its own */
    assert_in_range(most_in_flight(&s), 2, 4);
    struct seen one = carry_out(1, "{experiment: wait, iterations: {warmup: 2, measured: 60}}");
    assert_int_equal(one.trials[PHASE_WARMUP], 2);
    assert_int_equal(most_in_flight(&one), 1);
    if (getenv("ASSAY_SOAK")) /* 480 ms of waiting, a quarter of it each */
        assert_true(s.wall_s < 0.75 * one.wall_s);
}

TEST(a_lane_that_dies_loses_its_trial_and_comes_back)
{
    struct seen s = carry_out(3, "{experiment: die, iterations: {warmup: 1, measured: 30}, "
                                 "stop_early: {failures_in_a_row: 0}}");
    assert_int_equal(s.status, RUN_SUCCESS);
    assert_int_equal(s.count, 30);
    assert_int_equal(s.counts.attempted, 30);
    assert_int_equal(s.counts.by_status[TRIAL_FAILED], 6);
    assert_int_equal(s.counts.by_status[TRIAL_OK], 24);
}

TEST(a_hang_holds_up_nobody_but_its_lane)
{
    struct seen s = carry_out(3, "{experiment: hang, time_limit_ms: 200, "
                                 "iterations: {measured: 30}}");
    assert_int_equal(s.counts.attempted, 30);
    assert_int_equal(s.counts.by_status[TRIAL_TIMED_OUT], 1);
    assert_int_equal(s.counts.by_status[TRIAL_OK], 29);
    double last_s = 0;
    for (size_t i = 0; i < s.count; i++)
        last_s = s.starts_s[i] > last_s ? s.starts_s[i] : last_s;
    assert_true(last_s < s.starts_s[2] + 0.2); /* the others were through before its limit */
}

TEST(rings_that_are_full_behind_a_hang_lead_to_no_deadlock)
{
    struct seen s = carry_out(3, "{experiment: talk, time_limit_ms: 300, "
                                 "iterations: {measured: 30}}");
    assert_int_equal(s.counts.attempted, 30);
    assert_int_equal(s.counts.by_status[TRIAL_TIMED_OUT], 1);
    assert_int_equal(s.counts.by_status[TRIAL_OK], 29);
}

TEST(failures_in_a_row_end_it_after_what_is_under_way)
{
    struct seen s = carry_out(4, "{experiment: fail, iterations: {measured: 100}}");
    assert_int_equal(s.status, RUN_FAILED);
    assert_in_range(s.counts.attempted, 3, 6);
    assert_int_equal(s.counts.by_status[TRIAL_FAILED], s.counts.attempted);
    assert_int_equal(s.count, s.counts.attempted);
}

TEST(a_lane_that_cannot_be_set_up_fails_the_cell)
{
    struct seen s = carry_out(3, "{experiment: alone, iterations: {warmup: 0, measured: 9}}");
    assert_int_equal(s.status, RUN_FAILED);
    assert_int_equal(s.count, 0);
    assert_non_null(strstr(s.note, "another one is up"));
}

TEST(arms_take_turns_and_never_overlap)
{
    struct seen s = carry_out(2, "{experiment: wait, sweep: {which: [1, 2]}, "
                                 "iterations: {warmup: 1, measured: 12}}");
    assert_int_equal(s.counts.by_status[TRIAL_OK], 24);
    for (size_t i = 0; i < s.count; i++) {
        for (size_t k = 0; k < s.count; k++) {
            if (s.arms[i] == s.arms[k]) continue;
            assert_true(s.ends_s[i] <= s.starts_s[k] || s.ends_s[k] <= s.starts_s[i]);
        }
    }
}

TEST(until_decides_about_lanes_too)
{
    struct seen s = carry_out(3, "{experiment: wait, until: {relative_ci: 0.0001, "
                                 "max_iterations: 30}, iterations: {warmup: 1}}");
    assert_int_equal(s.counts.attempted, 30);
    struct seen t = carry_out(3, "{experiment: wait, until: {max_seconds: 0.05}, "
                                 "iterations: {warmup: 1}}");
    assert_in_range(t.counts.attempted, 3, 60);
    assert_int_equal(t.counts.by_status[TRIAL_OK], t.counts.attempted);
    assert_int_equal(t.count, t.counts.attempted);
}

TEST(a_warm_up_until_steady_ends_in_every_lane)
{
    struct seen s =
        carry_out(2, "{experiment: die, iterations: {warmup: steady, warmup_max: 20, "
                     "measured: 2}}");
    assert_in_range(s.trials[PHASE_WARMUP], 20, 40);
    assert_int_equal(s.counts.attempted, 2);
}

TEST_MAIN(T(lanes_do_the_plan_once_in_order_and_at_once),
          T(a_lane_that_dies_loses_its_trial_and_comes_back),
          T(a_hang_holds_up_nobody_but_its_lane),
          T(rings_that_are_full_behind_a_hang_lead_to_no_deadlock),
          T(failures_in_a_row_end_it_after_what_is_under_way),
          T(a_lane_that_cannot_be_set_up_fails_the_cell), T(arms_take_turns_and_never_overlap),
          T(until_decides_about_lanes_too), T(a_warm_up_until_steady_ends_in_every_lane))
