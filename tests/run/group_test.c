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
    group_describe(plan, &plan->groups[0], progress, &json);
    struct group *g = NULL;
    struct error err = {0};
    if (!group_read(buf_str(&json), &arena, &g, &err)) fail_msg("%s", err.text);
    assert_int_equal(g->arm_count, 3);
    assert_int_equal(g->stop_failures, 3);
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
    assert_true(group_share(plan, &plan->groups[0], S("{}"), &ours, &fd, &err));
    assert_true(group_map(fd, &theirs, &err));
    assert_true(ours != theirs);
    atomic_store(&ours->round_limit, 77);
    assert_int_equal(atomic_load(&theirs->round_limit), 77);
    ring_write(group_ring(theirs, 3), &(struct record){.kind = RECORD_TRIAL, .trial = 9}, NULL,
               NULL);
    struct ring_reader reader = {.ring = group_ring(ours, 3),
                                 .capacity = ours->ring_capacity[3]};
    const struct record *got = ring_next(&reader, ring_head(reader.ring));
    assert_non_null(got);
    assert_int_equal(got->trial, 9);
    group_unmap(theirs);
    group_unmap(ours);
    close(fd);
    arena_close(&arena);
}

TEST_MAIN(T(what_the_parent_describes_the_runner_reads), T(both_sides_map_the_same_memory))
