/* Instruments that look at an arm from outside, at intervals, while its trials run: in the
 * runner's process, so that looking costs the arm nothing. They watch the first lane. A trial
 * that was lost is closed with NaN in every column: each watched trial has its record. */
#include "base/clock.h"
#include "run/runner_internal.h"

#include <math.h>

static const size_t curve_max = (size_t)192 << 10;

void watch_begin(struct keeper *k, enum trial_phase phase)
{
    k->watched = phase;
    int64_t now_ns = clock_ns();
    for (size_t i = 0; i < k->watcher_count; i++) {
        struct watcher *w = &k->watchers[i];
        if (!w->state || w->phase != phase) continue;
        w->instrument->row->watch_begin(w->state);
        w->next_ns = now_ns + w->interval_ns;
    }
}

int64_t watch_tick(const struct keeper *k, int64_t now_ns, int64_t until_ns)
{
    for (size_t i = 0; i < k->watcher_count; i++) {
        struct watcher *w = &k->watchers[i];
        if (!w->state || w->phase != k->watched) continue;
        if (now_ns >= w->next_ns) {
            w->instrument->row->watch_tick(w->state);
            w->next_ns = now_ns + w->interval_ns;
        }
        if (w->next_ns < until_ns) until_ns = w->next_ns;
    }
    return until_ns;
}

void watch_end(struct runner *r, size_t arm, int64_t trial, bool was_lost)
{
    struct keeper *k = &r->keepers[arm];
    const struct group_arm *plan = &r->group->arms[arm];
    enum trial_phase phase = k->watched;
    k->watched = PHASE_COUNT;
    struct arena scratch = r->arena;
    double *values = arena_new(&scratch, double, plan->column_count);
    for (size_t i = 0; i < k->watcher_count; i++) {
        struct watcher *w = &k->watchers[i];
        const struct instrument *row = w->instrument->row;
        if (w->phase != phase) continue;
        struct buf curve;
        buf_init(&curve, curve_max);
        for (size_t c = 0; c < plan->column_count; c++) values[c] = NAN;
        if (w->state && !was_lost)
            row->watch_end(w->state, values + w->instrument->first_column, &curve);
        struct record head = {.kind = RECORD_WATCH,
                              .phase = (uint8_t)phase,
                              .arm = (uint8_t)arm,
                              .trial = trial,
                              .value_count = (uint32_t)plan->column_count};
        struct record_texts texts = {.detail = str_of(row->name), .output = buf_str(&curve)};
        ring_write(r->ring, &head, values, &texts);
        buf_release(&curve);
    }
    if (k->watcher_count > 0) runner_ring_bell(r);
}

void watch_open(struct runner *r, size_t arm)
{
    struct keeper *k = &r->keepers[arm];
    const struct group_arm *plan = &r->group->arms[arm];
    struct instrument_subject subject = {k->lanes[0].pid, plan->experiment->spawns};
    k->watchers = arena_new(&r->arena, struct watcher, plan->instrument_count);
    k->watcher_count = 0;
    k->watched = PHASE_COUNT;
    for (size_t i = 0; i < plan->instrument_count; i++) {
        const struct group_instrument *g = &plan->instruments[i];
        if (!g->row->watch_begin) continue;
        struct watcher *w = &k->watchers[k->watcher_count++];
        w->instrument = g;
        w->phase = g->row->own_trials ? PHASE_PROFILED : PHASE_MEASURED;
        w->interval_ns = g->row->watch_interval_ns(g->config);
        w->state = arena_alloc(&r->arena, 1, g->row->state_size + 1, _Alignof(max_align_t));
        struct error err = {0};
        if (!g->row->watch_open(w->state, g->config, &subject, &err)) {
            runner_tell(r, arm, NOTICE_INSTRUMENT_LOST, err.text);
            w->state = NULL;
        }
    }
}

void watch_close(struct keeper *k)
{
    k->watched = PHASE_COUNT;
    for (size_t i = 0; i < k->watcher_count; i++) {
        struct watcher *w = &k->watchers[i];
        if (w->state) w->instrument->row->watch_close(w->state);
        w->state = NULL;
    }
}
