/* fixture.h - views made by hand, so that reporters can be tried without a
 * store: an ordinary run, and every kind of run that could break a report. */
#ifndef TESTS_REPORT_FIXTURE_H
#define TESTS_REPORT_FIXTURE_H

#include "base/rng.h"
#include "tests/json.h"
#include "view/view.h"

#include <math.h>
#include <stdio.h>

/* Marked, so that a test can look for them in a report. */
#define HOSTILE_LABEL                                                      \
    "<script>alert('x')</script>\"&amp;|*_`[a](b)`,\n=1+1\r\n\033[31mred " \
    "\xFF\xFE é"

struct fixture_shape {
    size_t cells;
    size_t trials;
    size_t metrics;
    double typical_s;
};

static const char *const fixture_warnings[] = {
    "drift: later trials are 3.1 % slower than earlier ones",
    "bimodal: two clusters of values, around 10.1 ms and 12.4 ms",
};

static inline void fixture_metric(struct view_metric *m, struct arena *a, struct rng *rng,
                                  size_t trials, double typical)
{
    double *samples = arena_new(a, double, trials + 1);
    for (size_t i = 0; i < trials; i++) {
        samples[i] =
            typical * (1 + 0.03 * fabs(rng_normal(rng)) + (rng_below(rng, 20) == 0 ? 0.2 : 0));
    }
    m->samples = samples;
    m->count = m->n = trials;
    m->min = m->max = trials ? samples[0] : (double)NAN;
    double sum = 0;
    for (size_t i = 0; i < trials; i++) {
        m->min = fmin(m->min, samples[i]);
        m->max = fmax(m->max, samples[i]);
        sum += samples[i];
    }
    m->mean = trials ? sum / (double)trials : (double)NAN;
    m->median = m->mean * 0.99;
    m->median_low = trials > 5 ? m->mean * 0.98 : (double)NAN;
    m->median_high = trials > 5 ? m->mean * 1.001 : (double)NAN;
    m->sd = trials > 1 ? m->mean * 0.03 : (double)NAN;
    m->cv = trials > 1 ? 0.03 : (double)NAN;
    m->cv_label = trials > 1 ? "excellent" : "unknown";
    m->mad = m->mean * 0.01;
    m->p5 = m->min;
    m->p25 = m->mean * 0.97;
    m->p75 = m->mean * 1.01;
    m->p95 = m->mean * 1.05;
    m->p99 = m->max;
    m->outliers = trials / 20;
}

static inline void fixture_cell(struct view_cell *cell, struct arena *a, struct rng *rng,
                                size_t index, const struct fixture_shape *shape)
{
    static const char *const names[] = {"duration_s", "peak_mb", "user_s", "exit_code"};
    static const char *const units[] = {"s", "MB", "s", "1"};
    struct execution_record *r = &cell->record;
    execution_record_init(r);
    snprintf(r->id, sizeof r->id, "0193f3c2-0000-7000-8000-%012x", (unsigned)index);
    r->cell_index = (int64_t)index;
    r->arm_index = (int64_t)index % 2;
    r->group_index = (int64_t)index / 2;
    r->label = arena_printf(a, "n=%zu, sort=%s", 1000 * (index / 2 + 1),
                            index % 2 ? "merge" : "quick");
    r->experiment = "sort";
    r->primary_metric = "duration_s";
    r->factor = "sort";
    r->provenance = "measured";
    r->instruments = from_json("[\"timing\",\"rusage\"]");
    r->status = RUN_SUCCESS;
    r->seed = 42;
    r->warmup_done = 3;
    r->steady_at = 2;
    r->segments = 1;
    r->overhead_s = 41e-9;
    r->counts.attempted = (int64_t)shape->trials;
    r->counts.by_status[TRIAL_OK] = (int64_t)shape->trials;
    struct value_pair *pairs = arena_new(a, struct value_pair, 2);
    pairs[0] = (struct value_pair){.key = S("n"),
                                   .value = value_new_int(a, 1000 * (int64_t)(index / 2 + 1))};
    pairs[1] = (struct value_pair){
        .key = S("sort"), .value = value_new_text(a, index % 2 ? S("merge") : S("quick"))};
    r->parameters = value_new_map(a, pairs, 2);
    cell->settings = pairs;
    cell->setting_count = 2;
    cell->metric_count = shape->metrics;
    cell->metrics = arena_new(a, struct view_metric, shape->metrics + 1);
    for (size_t m = 0; m < shape->metrics; m++) {
        cell->metrics[m].name = names[m % 4];
        cell->metrics[m].unit = units[m % 4];
        cell->metrics[m].definition = "fixture/1";
        cell->metrics[m].direction = m == 3 ? DIRECTION_NONE : DIRECTION_LOWER;
        double typical = m == 1 ? 45.6 : shape->typical_s * (1 + 0.1 * (double)index);
        fixture_metric(&cell->metrics[m], a, rng, shape->trials, typical);
    }
    double *warmup = arena_new(a, double, 3);
    for (size_t i = 0; i < 3; i++) warmup[i] = shape->typical_s * (2 - 0.3 * (double)i);
    cell->warmup = warmup;
    cell->warmup_count = 3;
    cell->trial_count = shape->trials;
    double *starts = arena_new(a, double, shape->trials + 1);
    for (size_t i = 0; i < shape->trials; i++) starts[i] = 0.1 * (double)i;
    cell->starts_s = starts;
    cell->statuses = arena_new(a, uint8_t, shape->trials + 1);
    cell->segments = arena_new(a, uint32_t, shape->trials + 1);
}

static inline struct verdict_answer fixture_answer(size_t pairs)
{
    return (struct verdict_answer){.kind = KIND_RATIO,
                                   .is_paired = true,
                                   .alpha = VERDICT_ALPHA,
                                   .margin = VERDICT_MARGIN,
                                   .arm = {{.n = pairs}, {.n = pairs}},
                                   .p = 0.01,
                                   .is_tested = true};
}

static inline struct view *fixture_view(struct arena *a, struct fixture_shape shape)
{
    struct rng rng = rng_seeded(7);
    struct view *view = arena_new(a, struct view, 1);
    view->run = (struct run_record){
        .id = "0193f3c2-1a2b-7c3d-8e4f-5061728394a5",
        .status = RUN_SUCCESS,
        .seed = 42,
        .spec_path = "specs/sort.yaml",
        .spec_text = "experiment: sort\nsweep: {n: [1000, 2000], sort: [quick, merge]}\n",
        .spec_hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        .command = from_json("[\"assay\",\"run\",\"specs/sort.yaml\"]"),
        .tags = from_json("[\"demo\"]"),
        .assay_version = "0.1.0",
        .started_ns = 1794772800000000000,
        .ended_ns = 1794772812300000000,
    };
    note_add(&view->run.notes, a, NOTE_REMARK, S("two ways to sort"));
    struct value_pair *pairs = arena_new(a, struct value_pair, 3);
    pairs[0] = (struct value_pair){.key = S("hostname"), .value = value_new_text(a, S("vm"))};
    pairs[1] = (struct value_pair){.key = S("cpus"), .value = value_new_int(a, 2)};
    pairs[2] =
        (struct value_pair){.key = S("clock_source"), .value = value_new_text(a, S("tsc"))};
    view->run.environment = value_new_map(a, pairs, 3);
    view->cell_count = shape.cells;
    view->cells = arena_new(a, struct view_cell, shape.cells + 1);
    for (size_t i = 0; i < shape.cells; i++) {
        fixture_cell(&view->cells[i], a, &rng, i, &shape);
    }
    view->comparison_count = shape.metrics ? shape.cells / 2 : 0;
    view->comparisons = arena_new(a, struct view_comparison, shape.cells + 1);
    for (size_t i = 0; i < view->comparison_count; i++) {
        bool is_told = shape.trials > 5;
        double ratio = 1.1 - 0.05 * (double)i;
        view->comparisons[i] = (struct view_comparison){.cell = 2 * i + 1,
                                                        .reference = 2 * i,
                                                        .is_asked = true,
                                                        .answer = fixture_answer(shape.trials)};
        view->comparisons[i].answer.verdict = is_told ? VERDICT_WORSE : VERDICT_UNDECIDED;
        view->comparisons[i].answer.effect =
            (struct verdict_effect){.ratio = ratio,
                                    .low = is_told ? ratio - 0.02 : (double)NAN,
                                    .high = is_told ? ratio + 0.02 : (double)NAN,
                                    .shift = NAN,
                                    .shift_low = NAN,
                                    .shift_high = NAN};
    }
    if (shape.cells > 2) {
        view->effects = arena_new(a, struct view_effect, 3);
        view->effect_count = 3;
        view->effects[0] =
            (struct view_effect){"sort", "duration_s", "s", "n", "1000", 2, 1, shape.typical_s};
        view->effects[1] = (struct view_effect){
            "sort", "duration_s", "s", "n", "2000", 2, 1.2, shape.typical_s * 1.2};
        view->effects[2] = (struct view_effect){"sort", "duration_s",   "s", "sort", "quick", 2,
                                                1,      shape.typical_s};
    }
    return view;
}

static inline struct view *fixture_ordinary(struct arena *a)
{
    struct view *view = fixture_view(
        a, (struct fixture_shape){.cells = 4, .trials = 50, .metrics = 3, .typical_s = 0.0105});
    view->cells[1].metrics[0].warnings = arena_new(a, const char *, 2);
    memcpy(view->cells[1].metrics[0].warnings, fixture_warnings, sizeof fixture_warnings);
    view->cells[1].metrics[0].warning_count = 2;
    view->machine_warnings = arena_new(a, const char *, 1);
    view->machine_warnings[0] =
        "frequency governor is 'powersave': clocks change while measuring";
    view->machine_warning_count = 1;
    return view;
}

static inline struct view *fixture_empty(struct arena *a)
{
    struct view *view = arena_new(a, struct view, 1);
    view->run = (struct run_record){.id = "0193f3c2-1a2b-7c3d-8e4f-5061728394a6"};
    return view;
}

static inline struct view *fixture_one_sample(struct arena *a)
{
    return fixture_view(
        a, (struct fixture_shape){.cells = 1, .trials = 1, .metrics = 1, .typical_s = 1.5});
}

static inline struct view *fixture_many_cells(struct arena *a)
{
    return fixture_view(
        a, (struct fixture_shape){.cells = 16, .trials = 20, .metrics = 4, .typical_s = 3e-6});
}

/* One cell that could not be carried out, one whose every trial failed, one
 * with failures of several kinds. */
static inline struct view *fixture_failed(struct arena *a)
{
    struct view *view = fixture_view(
        a, (struct fixture_shape){.cells = 3, .trials = 12, .metrics = 2, .typical_s = 0.2});
    struct view_cell *none = &view->cells[0];
    none->record.status = RUN_FAILED;
    none->record.error_details = "setup: cannot start './missing': No such file or directory";
    none->metric_count = none->trial_count = 0;
    none->record.counts = (struct trial_counts){0};
    struct view_cell *all = &view->cells[1];
    uint8_t *statuses = arena_new(a, uint8_t, 12);
    double *nothing = arena_new(a, double, 12);
    for (size_t i = 0; i < 12; i++) {
        statuses[i] = TRIAL_TIMED_OUT;
        nothing[i] = (double)NAN;
    }
    all->statuses = statuses;
    all->record.counts =
        (struct trial_counts){.attempted = 12, .by_status = {[TRIAL_TIMED_OUT] = 12}};
    all->notes = arena_new(a, struct trial_note, 1);
    all->notes[0] = (struct trial_note){
        .phase = PHASE_MEASURED, .status = TRIAL_TIMED_OUT, .error = "longer than 2 s"};
    all->note_count = 1;
    for (size_t m = 0; m < all->metric_count; m++) {
        struct view_metric *metric = &all->metrics[m];
        const char *name = metric->name;
        const char *unit = metric->unit;
        *metric = (struct view_metric){.name = name,
                                       .unit = unit,
                                       .definition = "fixture/1",
                                       .samples = nothing,
                                       .count = 12,
                                       .cv_label = "unknown"};
        double *const numbers[] = {&metric->mean,       &metric->sd,          &metric->cv,
                                   &metric->min,        &metric->max,         &metric->median,
                                   &metric->median_low, &metric->median_high, &metric->p5,
                                   &metric->p25,        &metric->p75,         &metric->p95,
                                   &metric->p99,        &metric->mad};
        for (size_t i = 0; i < COUNT(numbers); i++) *numbers[i] = (double)NAN;
    }
    struct trial_counts *some = &view->cells[2].record.counts;
    some->by_status[TRIAL_OK] = 9;
    some->by_status[TRIAL_FAILED] = 2;
    some->by_status[TRIAL_LIMIT_BREACHED] = 1;
    view->comparisons[0].is_asked = false;
    return view;
}

/* Every text that comes from outside holds what breaks formats. */
static inline struct view *fixture_hostile(struct arena *a)
{
    struct view *view = fixture_view(
        a, (struct fixture_shape){.cells = 4, .trials = 8, .metrics = 2, .typical_s = 1e-7});
    struct value_pair *pairs = arena_new(a, struct value_pair, 1);
    pairs[0] = (struct value_pair){.key = S(HOSTILE_LABEL),
                                   .value = value_new_text(a, S(HOSTILE_LABEL))};
    const struct value *hostile = value_new_list(a, &pairs[0].value, 1);
    const char **warning = arena_new(a, const char *, 1);
    warning[0] = HOSTILE_LABEL;
    for (size_t i = 0; i < view->cell_count; i++) {
        struct view_cell *cell = &view->cells[i];
        cell->record.label = HOSTILE_LABEL;
        cell->record.error_details = HOSTILE_LABEL;
        cell->record.notes = note_read("[\"<b>|\", 3]", a);
        cell->record.instruments = hostile;
        cell->record.parameters = value_new_map(a, pairs, 1);
        cell->settings = pairs;
        cell->setting_count = 1;
        cell->metrics[0].warnings = warning;
        cell->metrics[0].warning_count = 1;
        cell->metrics[1].name = "a,b\"<i>";
        cell->metrics[1].unit = "<u>";
        cell->notes = arena_new(a, struct trial_note, 1);
        cell->notes[0] = (struct trial_note){.phase = PHASE_MEASURED,
                                             .status = TRIAL_FAILED,
                                             .error = HOSTILE_LABEL,
                                             .detail = "not json",
                                             .output = S(HOSTILE_LABEL)};
        cell->note_count = 1;
        cell->artifacts = arena_new(a, struct artifact_record, 2);
        cell->artifacts[0] = (struct artifact_record){"../../etc/x", "text", 0, S("bytes")};
        cell->artifacts[1] = (struct artifact_record){"same", "jsonl", 0, S("{}\n")};
        cell->artifact_count = 2;
    }
    view->run.environment = value_new_map(a, pairs, 1);
    view->run.vcs = view->run.environment;
    view->run.spec_text = "a: 1\n```\n</pre><script>\n````\n";
    view->run.spec_path = HOSTILE_LABEL;
    note_add(&view->run.notes, a, NOTE_REMARK, S(HOSTILE_LABEL));
    view->run.tags = view->run.command = hostile;
    view->machine_warnings = warning;
    view->machine_warning_count = 1;
    for (size_t i = 0; i < view->effect_count; i++) {
        view->effects[i].param = HOSTILE_LABEL;
        view->effects[i].value = HOSTILE_LABEL;
    }
    return view;
}

/* Numbers at their limits. */
static inline struct view *fixture_extreme(struct arena *a)
{
    struct view *view = fixture_view(
        a, (struct fixture_shape){.cells = 4, .trials = 8, .metrics = 2, .typical_s = 0});
    double *samples = arena_new(a, double, 8);
    const double odd[] = {(double)NAN, 0, 1e300, -1e300, 5e-324, (double)INFINITY, -0.0, 1};
    memcpy(samples, odd, sizeof odd);
    struct view_metric *m = &view->cells[1].metrics[0];
    m->samples = samples;
    m->n = 7;
    m->min = -1e300;
    m->max = (double)INFINITY;
    m->mean = (double)INFINITY;
    m->sd = m->cv = (double)NAN;
    m->median = 5e-324;
    view->comparisons[0].answer.effect.ratio = (double)INFINITY;
    view->effects[1].ratio = (double)NAN;
    return view;
}

static const struct {
    const char *name;
    struct view *(*make)(struct arena *a);
} fixtures[] = {
    {"ordinary", fixture_ordinary},     {"empty", fixture_empty},
    {"one sample", fixture_one_sample}, {"many cells", fixture_many_cells},
    {"failed", fixture_failed},         {"hostile", fixture_hostile},
    {"extreme", fixture_extreme},
};

#endif
