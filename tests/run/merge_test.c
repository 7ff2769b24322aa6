#include "run/merge.h"

#include "base/rng.h"
#include "tests/test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LANES = 4, CAPACITY = 1 << 16 };

static struct ring_reader readers[LANES];
static struct arena copies; /* of the readers */
static uint64_t heads[LANES];
static int64_t next[PHASE_COUNT];

static void open_lanes(size_t capacity)
{
    memset(next, 0, sizeof next);
    copies = arena_open();
    for (size_t i = 0; i < LANES; i++) {
        struct ring *r = aligned_alloc(64, (ring_size(capacity) + 63) & ~(size_t)63);
        assert_non_null(r);
        ring_init(r, capacity);
        readers[i] = (struct ring_reader){.ring = r, .capacity = capacity, .arena = &copies};
    }
}

static void close_lanes(void)
{
    for (size_t i = 0; i < LANES; i++) free(readers[i].ring);
    arena_close(&copies);
}

static void put(size_t lane, enum record_kind kind, enum trial_phase phase, int64_t trial)
{
    struct record r = {.kind = (uint8_t)kind, .phase = (uint8_t)phase, .trial = trial};
    ring_write(readers[lane].ring, &r, NULL, NULL);
}

static const struct record *take(void)
{
    for (size_t i = 0; i < LANES; i++) heads[i] = ring_head(readers[i].ring);
    struct ring_reader *from = NULL;
    const struct record *r = merge_next(readers, heads, LANES, next, &from);
    if (r) ring_take(from, r);
    if (r && r->kind == RECORD_TRIAL) next[r->phase] = r->trial + 1;
    return r;
}

TEST(trials_come_out_in_order_whoever_had_them)
{
    enum { TRIALS = 1000 };
    open_lanes(CAPACITY);
    struct rng rng = rng_seeded(5);
    for (int64_t t = 0; t < TRIALS; t++) {
        put(rng_below(&rng, LANES), RECORD_TRIAL, PHASE_MEASURED, t);
    }
    for (int64_t t = 0; t < TRIALS; t++) {
        const struct record *r = take();
        assert_non_null(r);
        assert_int_equal(r->trial, t);
    }
    assert_null(take());
    close_lanes();
}

TEST(a_trial_waits_for_the_one_before_it)
{
    open_lanes(CAPACITY);
    put(0, RECORD_TRIAL, PHASE_MEASURED, 1);
    put(1, RECORD_TRIAL, PHASE_MEASURED, 2);
    assert_null(take());
    put(2, RECORD_TRIAL, PHASE_MEASURED, 0);
    assert_int_equal(take()->trial, 0);
    assert_int_equal(take()->trial, 1);
    assert_int_equal(take()->trial, 2);
    assert_null(take());
    close_lanes();
}

TEST(what_came_after_the_look_at_the_heads_waits)
{
    open_lanes(CAPACITY);
    for (size_t i = 0; i < LANES; i++) heads[i] = ring_head(readers[i].ring);
    put(0, RECORD_TRIAL, PHASE_MEASURED, 0);
    struct ring_reader *from = NULL;
    assert_null(merge_next(readers, heads, LANES, next, &from));
    assert_int_equal(take()->trial, 0);
    close_lanes();
}

/* Killed between writing and saying so: the runner records a loss as well. */
TEST(a_trial_is_taken_once_and_the_first_of_it)
{
    open_lanes(CAPACITY);
    put(1, RECORD_TRIAL, PHASE_MEASURED, 0);
    struct record loss = {
        .kind = RECORD_TRIAL, .status = TRIAL_FAILED, .phase = PHASE_MEASURED};
    ring_write(readers[1].ring, &loss, NULL, NULL);
    put(1, RECORD_TRIAL, PHASE_MEASURED, 1);
    const struct record *r = take();
    assert_int_equal(r->trial, 0);
    assert_int_equal(r->status, TRIAL_OK);
    assert_int_equal(take()->trial, 1);
    assert_null(take());
    close_lanes();
}

TEST(a_trial_of_no_phase_or_outcome_breaks_its_ring_alone)
{
    open_lanes(CAPACITY);
    put(0, RECORD_TRIAL, PHASE_COUNT, 0);
    struct record wild = {
        .kind = RECORD_TRIAL, .status = TRIAL_STATUS_COUNT, .phase = PHASE_MEASURED};
    ring_write(readers[1].ring, &wild, NULL, NULL);
    put(2, RECORD_TRIAL, PHASE_MEASURED, 0);
    assert_int_equal(take()->trial, 0);
    assert_null(take());
    assert_true(readers[0].broken && readers[1].broken && !readers[2].broken);
    close_lanes();
}

TEST(notices_pass_trials_of_other_lanes_that_wait)
{
    open_lanes(CAPACITY);
    put(0, RECORD_TRIAL, PHASE_MEASURED, 3);
    put(1, RECORD_NOTICE, 0, 77);
    const struct record *r = take();
    assert_int_equal(r->kind, RECORD_NOTICE);
    assert_int_equal(r->trial, 77);
    assert_null(take());
    close_lanes();
}

TEST(phases_count_for_themselves)
{
    open_lanes(CAPACITY);
    next[PHASE_WARMUP] = 4; /* of an earlier segment */
    put(0, RECORD_TRIAL, PHASE_WARMUP, 5);
    put(1, RECORD_TRIAL, PHASE_WARMUP, 4);
    put(1, RECORD_TRIAL, PHASE_MEASURED, 0);
    put(0, RECORD_TRIAL, PHASE_MEASURED, 1);
    static const int64_t trials[] = {4, 5, 0, 1};
    for (size_t i = 0; i < COUNT(trials); i++) assert_int_equal(take()->trial, trials[i]);
    assert_null(take());
    close_lanes();
}

/* A ring that is a hundred times too small for what its lane is ahead by: the
 * lane waits, the one that has the next trial does not. */
TEST(a_lane_far_ahead_waits_and_nobody_for_ever)
{
    enum { TRIALS = 4000, SMALL = 4096 };
    memset(next, 0, sizeof next);
    copies = arena_open();
    size_t bytes = (ring_size(SMALL) + 4095) & ~(size_t)4095;
    char *memory =
        mmap(NULL, LANES * bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    for (size_t i = 0; i < LANES; i++) {
        struct ring *r = (struct ring *)(void *)(memory + i * bytes);
        ring_init(r, SMALL);
        readers[i] = (struct ring_reader){.ring = r, .capacity = SMALL, .arena = &copies};
    }
    pid_t pids[2];
    for (size_t lane = 0; lane < 2; lane++) {
        pids[lane] = fork();
        if (pids[lane] != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody waiting */
        /* Lane 1 has every hundredth trial and is late with it. */
        for (int64_t t = 0; t < TRIALS; t++) {
            if ((t % 100 == 0) != (lane == 1)) continue;
            if (lane == 1) usleep(500);
            put(lane, RECORD_TRIAL, PHASE_MEASURED, t);
        }
        _exit(0);
    }
    for (int64_t t = 0; t < TRIALS;) {
        const struct record *r = take();
        if (!r) {
            usleep(50);
            continue;
        }
        assert_int_equal(r->trial, t++);
    }
    for (size_t lane = 0; lane < 2; lane++) {
        int status = 0;
        assert_int_equal(waitpid(pids[lane], &status, 0), pids[lane]);
        assert_int_equal(status, 0);
    }
    assert_null(take());
    arena_close(&copies);
}

TEST(a_ring_that_is_nearly_full_says_so)
{
    struct ring *r = NULL;
    open_lanes(CAPACITY);
    r = readers[0].ring;
    assert_true(ring_has_room(r));
    static const char text[CAPACITY / 4] = {0};
    struct record head = {.kind = RECORD_TRIAL, .phase = PHASE_MEASURED};
    struct record_texts texts = {.output = {text, sizeof text}};
    for (; head.trial < 3; head.trial++) ring_write(r, &head, NULL, &texts);
    assert_true(ring_has_room(r));
    texts.output.n = sizeof text - 1000;
    ring_write(r, &head, NULL, &texts);
    assert_false(ring_has_room(r));
    while (take()) {
    }
    assert_true(ring_has_room(r));
    close_lanes();
}

TEST_MAIN(T(trials_come_out_in_order_whoever_had_them), T(a_trial_waits_for_the_one_before_it),
          T(what_came_after_the_look_at_the_heads_waits),
          T(a_trial_is_taken_once_and_the_first_of_it),
          T(a_trial_of_no_phase_or_outcome_breaks_its_ring_alone),
          T(notices_pass_trials_of_other_lanes_that_wait), T(phases_count_for_themselves),
          T(a_lane_far_ahead_waits_and_nobody_for_ever), T(a_ring_that_is_nearly_full_says_so))
