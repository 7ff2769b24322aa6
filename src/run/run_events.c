#include "base/clock.h"
#include "run/run_internal.h"
#include "stats/interval.h"
#include "stats/quantile.h"

#include <math.h>

static const int64_t progress_ns = 100000000;
static const int64_t estimate_ns = 1000000000;

void run_emit(const struct run *r, struct run_event event)
{
    const struct run_listener *l = &r->request->listener;
    if (!l->on_event) return;
    event.run_id = r->record.id;
    l->on_event(l->context, &event);
}

/* The estimate of a long series does not change from one tick to the next: its first part
 * would do, but the newest says more about drift. */
static struct run_estimate estimate_of(const struct run *r, const struct intake *in)
{
    enum { ENOUGH = 20000 };
    size_t n = in->primary_samples.count < ENOUGH ? in->primary_samples.count : ENOUGH;
    const double *newest = in->primary_samples.items + (in->primary_samples.count - n);
    struct arena scratch = *r->out;
    const double *sorted = stats_sort(&scratch, newest, n, &n);
    struct interval ci;
    bool has_interval = interval_median(sorted, n, 0.95, &ci);
    return (struct run_estimate){
        .right = in->right,
        .metric = in->metrics[in->primary]->name,
        .unit = in->metrics[in->primary]->unit,
        .n = (int64_t)in->primary_samples.count,
        .median = n > 0 ? quantile_median(sorted, n) : (double)NAN,
        .low = has_interval ? ci.low : (double)NAN,
        .high = has_interval ? ci.high : (double)NAN,
    };
}

void run_emit_cell(const struct run *r, const struct intake *in, enum run_event_kind kind)
{
    struct run_estimate estimate = estimate_of(r, in);
    run_emit(r, (struct run_event){.kind = kind,
                                   .cell = in->cell,
                                   .execution = &in->record,
                                   .estimate = &estimate});
}

void run_emit_trials(const struct run *r, const struct intake *in, size_t count)
{
    static const enum run_event_kind kinds[PHASE_COUNT] = {RUN_EVENT_WARMUP, RUN_EVENT_TRIAL,
                                                           RUN_EVENT_PROFILED};
    if (!r->request->listener.wants_trials) return;
    struct arena scratch = *r->out;
    double *values = arena_new(&scratch, double, in->metric_count);
    size_t note = 0;
    for (size_t t = 0; t < count; t++) {
        for (size_t i = 0; i < in->metric_count; i++) values[i] = in->columns[i][t];
        int64_t trial = in->first + (int64_t)t;
        while (note < in->note_count && in->notes[note].trial < trial) note++;
        bool has_note = note < in->note_count && in->notes[note].trial == trial;
        run_emit(r, (struct run_event){
                        .kind = kinds[in->phase],
                        .cell = in->cell,
                        .execution = &in->record,
                        .trial = trial,
                        .iteration = trial / in->cell->entry->case_count,
                        .case_index = in->cases[t],
                        .status = in->statuses[t],
                        .start_s = in->starts_s[t],
                        .metrics = in->metrics,
                        .values = values,
                        .metric_count = in->metric_count,
                        .text = has_note ? in->notes[note].error : NULL,
                    });
    }
}

void run_emit_progress(struct run *r, const struct intake *in)
{
    int64_t now_ns = clock_ns();
    if (!r->request->listener.on_event || now_ns - r->last_progress_ns < progress_ns) return;
    r->last_progress_ns = now_ns;
    struct run_progress p = {
        .trials_done = r->trials_done,
        .trials_planned = r->trials_planned,
        .elapsed_s = (double)(now_ns - r->call_ns) / 1e9,
        .left_s = NAN,
    };
    int64_t here = r->trials_done - r->trials_resumed;
    if (here > 0) {
        /* From whole trials: counting the one under way would let it grow while we wait. */
        double per_trial_s = (double)(r->last_trial_ns - r->call_ns) / 1e9 / (double)here;
        double waited_s = (double)(now_ns - r->last_trial_ns) / 1e9;
        p.left_s = per_trial_s * (double)(r->trials_planned - r->trials_done) - waited_s;
        if (p.left_s < 0) p.left_s = 0;
    }
    struct run_estimate estimate = estimate_of(r, in);
    run_emit(r, (struct run_event){.kind = RUN_EVENT_PROGRESS,
                                   .cell = in->cell,
                                   .execution = &in->record,
                                   .progress = &p,
                                   .estimate = &estimate});
}

void run_emit_estimates(struct run *r, const struct group_run *g)
{
    int64_t now_ns = clock_ns();
    bool is_due = now_ns - r->last_estimate_ns >= estimate_ns;
    if (!r->request->listener.wants_trials || !is_due) return;
    for (size_t i = 0; i < g->group->count; i++) {
        const struct intake *in = &g->arms[i];
        if (in->record.counts.attempted == 0) continue;
        r->last_estimate_ns = now_ns;
        struct run_progress p = {.trials_done = r->trials_done,
                                 .trials_planned = r->trials_planned};
        struct run_estimate estimate = estimate_of(r, in);
        run_emit(r, (struct run_event){.kind = RUN_EVENT_ESTIMATE,
                                       .cell = in->cell,
                                       .execution = &in->record,
                                       .progress = &p,
                                       .estimate = &estimate});
    }
}
