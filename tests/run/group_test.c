#include "run/group.h"

#include "tests/test.h"

#include <unistd.h>

static const char text[] = "experiment: spin\n"
                           "params: {work_us: 5}\n"
                           "sweep: {rounds: [10, 20, 30]}\n"
                           "iterations: {warmup: 4, measured: 9}\n"
                           "instrumentation: [timing, {name: resources, interval_ms: 33}]\n"
                           "time_limit_ms: 250\nseed: 11\n";

static struct plan *make_plan(struct arena *arena)
{
    struct problems problems = {.arena = arena};
    struct spec_override none = SPEC_OVERRIDE_NONE;
    struct spec *spec = NULL;
    struct plan *plan = NULL;
    if (!spec_load("t.yaml", str_of(text), &none, arena, &spec, &problems)) {
        fail_msg("%s", problems.items[0].text);
    }
    struct error err = {0};
    if (!plan_make(spec, arena, &plan, &err)) fail_msg("%s", err.text);
    return plan;
}

TEST(what_the_parent_describes_the_runner_reads)
{
    struct arena arena = arena_open();
    struct plan *plan = make_plan(&arena);
    struct group_progress progress[3] = {{{0}}, {{1, 5}}, {{0}}};
    struct buf json;
    buf_init(&json, 1 << 20);
    group_describe(plan, &plan->groups[0], progress, NULL, &json);
    struct group *g = NULL;
    struct error err = {0};
    if (!group_read(buf_str(&json), &arena, &g, &err)) fail_msg("%s", err.text);
    assert_int_equal(g->arm_count, 3);
    assert_int_equal(g->stop_failures, 3);
    assert_int_equal(g->lane_count, 1);
    for (size_t i = 0; i < 3; i++) {
        const struct plan_cell *cell = &plan->cells[plan->groups[0].cells[i]];
        assert_ptr_equal(g->arms[i].experiment, experiment_find(S("spin")));
        assert_true(g->arms[i].workload_seed == cell->workload_seed);
        assert_true(g->arms[i].private_seed == cell->private_seed);
        assert_int_equal(g->arms[i].time_limit_ns, 250000000);
        assert_int_equal(g->arms[i].warmup, 4);
        assert_true(g->arms[i].has_watch);
        size_t last = g->arms[i].column_count - 1;
        const struct spec_entry *e = cell->entry;
        assert_non_null(group_metric(e->experiment, e->instruments, e->instrument_count, last));
        assert_null(group_metric(e->experiment, e->instruments, e->instrument_count, last + 1));
    }
    assert_int_equal(g->arms[1].done[PHASE_MEASURED], 5);
    assert_true(g->arms[0].private_seed != g->arms[1].private_seed);
    buf_release(&json);
    arena_close(&arena);
}

TEST(both_sides_map_the_same_memory)
{
    struct arena arena = arena_open();
    struct plan *plan = make_plan(&arena);
    struct group_control *ours = NULL;
    struct group_control *theirs = NULL;
    int fd = -1;
    struct error err = {0};
    assert_true(group_share(&plan->groups[0], S("{}"), &ours, &fd, &err));
    assert_true(group_map(fd, &theirs, &err));
    assert_true(ours != theirs);
    atomic_store(&ours->round_limit, 77);
    assert_int_equal(atomic_load(&theirs->round_limit), 77);
    ring_write(group_ring(theirs, 2, 0), &(struct record){.kind = RECORD_TRIAL, .trial = 9},
               NULL, NULL);
    struct ring_reader reader = {
        .ring = group_ring(ours, 2, 0), .capacity = ours->lane_capacity, .arena = &arena};
    const struct record *got = ring_next(&reader, ring_head(reader.ring));
    assert_non_null(got);
    assert_int_equal(got->trial, 9);
    group_unmap(theirs);
    group_unmap(ours);
    close(fd);
    arena_close(&arena);
}

TEST(lanes_have_rings_and_controls_of_their_own)
{
    struct arena arena = arena_open();
    struct plan *plan = make_plan(&arena);
    struct spec_entry entry = *plan->groups[0].entry;
    struct plan_group group = plan->groups[0];
    struct group_control *c = NULL;
    int fd = -1;
    struct error err = {0};
    entry.concurrency = 5;
    group.entry = &entry;
    assert_true(group_share(&group, S("{}"), &c, &fd, &err));
    assert_int_equal(c->lane_count, 5);
    char *end = (char *)c + c->total_bytes;
    for (size_t arm = 0; arm < group.count; arm++) {
        for (size_t lane = 0; lane < 5; lane++) {
            struct ring *r = group_ring(c, arm, lane);
            struct record mine = {.kind = RECORD_TRIAL, .trial = (int64_t)(arm * 10 + lane)};
            assert_true((char *)r + ring_size(c->lane_capacity) <= end);
            ring_write(r, &mine, NULL, NULL);
            atomic_store(&group_lane(c, arm, lane)->trial, mine.trial);
        }
    }
    for (size_t arm = 0; arm < group.count; arm++) {
        for (size_t lane = 0; lane < 5; lane++) {
            struct ring_reader reader = {.ring = group_ring(c, arm, lane),
                                         .capacity = c->lane_capacity,
                                         .arena = &arena};
            const struct record *got = ring_next(&reader, ring_head(reader.ring));
            assert_int_equal(got->trial, arm * 10 + lane);
            assert_null(ring_next(&reader, ring_head(reader.ring)));
            assert_int_equal(atomic_load(&group_lane(c, arm, lane)->trial), arm * 10 + lane);
        }
    }
    group_unmap(c);
    close(fd);
    arena_close(&arena);
}

TEST(no_more_lanes_than_trials)
{
    struct spec_entry entry = {.measured = 2, .case_count = 3, .concurrency = 50};
    assert_int_equal(spec_lanes(&entry), 6);
    entry.concurrency = 4;
    assert_int_equal(spec_lanes(&entry), 4);
}

TEST_MAIN(T(what_the_parent_describes_the_runner_reads), T(both_sides_map_the_same_memory),
          T(lanes_have_rings_and_controls_of_their_own), T(no_more_lanes_than_trials))
