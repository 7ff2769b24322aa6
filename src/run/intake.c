/* Records in, columns out. A record is one trial of one arm; its values are dealt to
 * the columns of its phase, NaN where it gave none. A trial is ready once those who
 * watch from outside have told theirs. Invariants: every column has as many slots as
 * trials are waiting, the first of them being trial `first`; what has been handed out
 * (intake_batch) stays until it is forgotten, after it was committed. */
#include "run/intake.h"

#include "base/clock.h"
#include "base/near.h"
#include "experiment/trial_histogram.h"
#include "model/detail.h"
#include "spec/spec_suite.h"

#include <math.h>

/* Columns with a name that an earlier one has are dropped: an experiment that
 * measures user_s itself although an instrument does, too. */
static void choose_metrics(struct intake *in, struct arena *arena)
{
    const struct spec_entry *e = in->cell->entry;
    size_t total = 0;
    while (group_metric(e->experiment, e->instruments, e->instrument_count, total)) total++;
    in->column_count = total;
    in->metrics = arena_new(arena, const struct metric *, total);
    in->columns_from = arena_new(arena, size_t, total);
    for (size_t c = 0; c < total; c++) {
        const struct metric *m =
            group_metric(e->experiment, e->instruments, e->instrument_count, c);
        bool is_known = false;
        for (size_t i = 0; i < in->metric_count; i++) {
            if (strcmp(in->metrics[i]->name, m->name) == 0) is_known = true;
        }
        if (is_known) continue;
        if (strcmp(m->name, "memory_peak_mb") == 0) in->peak_column = c;
        if (strcmp(m->name, "user_s") == 0) in->user_column = c;
        if (strcmp(m->name, "system_s") == 0) in->system_column = c;
        if (strcmp(m->name, "accuracy") == 0) in->right = 0;
        const char *primary = e->experiment->primary ? e->experiment->primary : "duration_s";
        if (strcmp(m->name, primary) == 0) in->primary = in->metric_count;
        in->columns_from[in->metric_count] = c;
        in->metrics[in->metric_count++] = m;
    }
}

void intake_init(struct intake *in, const struct plan_cell *cell, struct arena *arena)
{
    *in = (struct intake){.cell = cell, .texts = arena_open(), .peak_mb = NAN, .right = NAN};
    execution_record_init(&in->record);
    choose_metrics(in, arena);
    for (size_t i = 0; i < cell->entry->instrument_count; i++) {
        const struct instrument *row = cell->entry->instruments[i].row;
        if (row->watch_begin)
            in->watch_count[row->own_trials ? PHASE_PROFILED : PHASE_MEASURED]++;
    }
    /* Some 2 ms of the shortest trials that there are: while so many are committed, an arm
     * fills no more than half its ring (group.c). */
    in->capacity = cell->entry->experiment->spawns ? 1024 : 32768;
    in->statuses = arena_new(arena, uint8_t, in->capacity);
    in->cases = arena_new(arena, uint32_t, in->capacity);
    in->starts_s = arena_new(arena, double, in->capacity);
    in->columns = arena_new(arena, double *, in->metric_count);
    for (size_t i = 0; i < in->metric_count; i++) {
        in->columns[i] = arena_new(arena, double, in->capacity);
    }
    in->notes = arena_new(arena, struct trial_note, INTAKE_NOTES_MAX);
    in->artifacts = arena_new(arena, struct artifact_record, INTAKE_NOTES_MAX);
    in->histogram_room = INTAKE_NOTES_MAX * cell->entry->experiment->histogram_count;
    in->histograms = arena_new(arena, struct histogram_record, in->histogram_room + 1);
}

void intake_release(struct intake *in)
{
    arena_close(&in->texts);
    reals_release(&in->primary_samples);
}

bool intake_has_room(const struct intake *in)
{
    return in->count < in->capacity && in->note_count < INTAKE_NOTES_MAX &&
           in->artifact_count + 8 < INTAKE_NOTES_MAX &&
           in->histogram_count + in->cell->entry->experiment->histogram_count <=
               in->histogram_room;
}

/* An arm that died could not report its case. */
static const char *case_hash_of(struct intake *in, const struct record *r, struct str told)
{
    const struct suite_benchmark *b = in->cell->entry->benchmark;
    if (told.n > 0) return str_cstr(&in->texts, told);
    return b && r->case_index < b->cases.count ? b->cases.items[r->case_index].hash : NULL;
}

static void take_note(struct intake *in, const struct record *r)
{
    bool is_ok = r->status == TRIAL_OK;
    if (is_ok && r->detail_bytes + r->output_bytes + r->case_bytes == 0) return;
    struct record_texts t = record_texts(r);
    const char *detail = NULL;
    if (!is_ok) {
        detail = detail_with_duration(t.detail, r->duration_s, &in->texts);
    } else if (t.detail.n > 0) {
        detail = str_cstr(&in->texts, t.detail);
    }
    in->notes[in->note_count++] = (struct trial_note){
        .trial = r->trial,
        .phase = r->phase,
        .iteration = r->trial / in->cell->entry->case_count,
        .case_hash = case_hash_of(in, r, t.case_hash),
        .status = r->status,
        .error = is_ok ? NULL : str_cstr(&in->texts, t.error),
        .detail = detail,
        .output = str_copy(&in->texts, t.output),
    };
}

/* As with numbers, a trial that went wrong gives those of metrics that say so. */
static void take_histograms(struct intake *in, const struct record *r, struct arena *arena)
{
    const struct experiment *e = in->cell->entry->experiment;
    struct str text = record_texts(r).histograms;
    struct histogram_record h;
    const struct metric *what = NULL;
    bool is_damaged = false;
    size_t most = in->histogram_count + e->histogram_count;
    while (in->histogram_count < most &&
           (what = trial_next_histogram(&text, e, &in->texts, &h, &is_damaged))) {
        h.phase = r->phase;
        h.trial = r->trial;
        if (r->status == TRIAL_OK || what->of_failures)
            in->histograms[in->histogram_count++] = h;
    }
    if (is_damaged || text.n > 0) {
        note_add(&in->record.notes, arena, NOTE_LOST,
                 S("a histogram that a trial gave cannot be read and was not kept"));
    }
}

void intake_judge(struct intake *in, const char *metric, double value)
{
    bool is_right = strcmp(metric, "accuracy") == 0 && near_reaches(value, 1);
    if (is_right) in->right++;
}

static void total_up(struct intake *in, const struct record *r, const double *values)
{
    reals_push(&in->primary_samples, values[in->columns_from[in->primary]]);
    if (in->peak_column) in->peak_mb = fmax(in->peak_mb, values[in->peak_column]);
    if (in->user_column && in->system_column && !isnan(values[in->user_column])) {
        in->cpu_s += values[in->user_column] + values[in->system_column];
        in->cpu_wall_s += r->duration_s;
    }
}

/* When the trial ended; now, if the record says something else than the past. */
static int64_t end_ns_of(const struct record *r)
{
    int64_t now_ns = clock_ns();
    double ago_s = ((double)now_ns - (double)r->start_ns) / 1e9 - r->duration_s;
    return ago_s > 0 && ago_s < 3600 ? now_ns - (int64_t)(ago_s * 1e9) : now_ns;
}

static void take_trial(struct intake *in, const struct record *r, struct arena *arena)
{
    bool has_values = r->value_count == in->column_count;
    bool is_ok = r->status == TRIAL_OK && has_values;
    const double *values = record_values(r);
    if (in->count == 0) {
        in->phase = r->phase;
        in->first = r->trial;
        in->oldest_ns = end_ns_of(r);
        in->has_long_one = false;
    }
    CHECK(r->phase == in->phase && r->trial == in->first + (int64_t)in->count);
    size_t at = in->count++;
    in->statuses[at] = r->status;
    in->cases[at] = r->case_index;
    in->starts_s[at] = (double)(r->start_ns - in->run_start_ns) / 1e9;
    for (size_t i = 0; i < in->metric_count; i++) {
        bool counts = is_ok || (has_values && in->metrics[i]->of_failures);
        in->columns[i][at] = counts ? values[in->columns_from[i]] : (double)NAN;
        if (r->phase == PHASE_MEASURED)
            intake_judge(in, in->metrics[i]->name, in->columns[i][at]);
    }
    if (r->duration_s * 1e9 >= RECORD_ALONE_NS) in->has_long_one = true;
    in->trials[r->phase] = r->trial + 1;
    take_note(in, r);
    if (r->histogram_bytes > 0) take_histograms(in, r, arena);
    in->taken[r->phase]++;
    if (r->phase == PHASE_WARMUP) in->record.warmup_done++;
    if (r->phase != PHASE_MEASURED) return;
    in->record.counts.attempted++;
    in->record.counts.by_status[r->status]++;
    if (is_ok) total_up(in, r, values);
}

static void take_watch(struct intake *in, const struct record *r)
{
    in->watch_records[r->phase]++;
    int64_t at = r->trial - in->first;
    bool is_here = in->phase == r->phase && at >= 0 && at < (int64_t)in->count;
    if (!is_here || r->value_count != in->column_count) return;
    const double *values = record_values(r);
    for (size_t i = 0; i < in->metric_count; i++) {
        double v = values[in->columns_from[i]];
        if (!isnan(v) && in->statuses[at] == TRIAL_OK) in->columns[i][at] = v;
    }
    struct record_texts t = record_texts(r);
    if (t.output.n == 0) return;
    in->artifacts[in->artifact_count++] = (struct artifact_record){
        .name =
            arena_printf(&in->texts, "%.*s_iter_%lld", STR_ARG(t.detail), (long long)r->trial),
        .kind = r->phase == PHASE_PROFILED ? "folded" : "jsonl",
        .trial = r->trial,
        .bytes = str_copy(&in->texts, t.output),
    };
}

static void take_notice(struct intake *in, const struct record *r, struct arena *arena)
{
    struct record_texts t = record_texts(r);
    switch ((enum notice_kind)r->status) {
    case NOTICE_SETUP_DONE: in->record.overhead_s = r->duration_s; break;
    case NOTICE_SETUP_FAILED:
        if (in->has_failed_setup) break;
        in->has_failed_setup = true;
        in->is_unavailable = r->trial == ERROR_UNAVAILABLE;
        in->record.error_details = str_cstr(arena, t.error);
        break;
    case NOTICE_WARMUP_DONE:
        /* Of several lanes the one that took longest; never counts above all. */
        if (in->record.steady_at != -1 && (r->trial < 0 || r->trial > in->record.steady_at))
            in->record.steady_at = r->trial;
        if (r->trial == -1) {
            note_add(&in->record.notes, arena, NOTE_UNSTEADY,
                     S("the warm-up never became steady; measured anyway"));
        }
        break;
    case NOTICE_MEMORY_FLOOR:
        note_add(&in->record.notes, arena, NOTE_BASIS,
                 str_of(arena_printf(arena,
                                     "memory_peak_mb is at least %.3f MB, the peak of the "
                                     "process that starts the program",
                                     (double)r->trial / 1e6)));
        break;
    case NOTICE_STOPPED:
        in->was_stopped = true;
        note_add(&in->record.notes, arena, NOTE_STOPPED, t.error);
        break;
    case NOTICE_TEARDOWN_FAILED:
        note_add(&in->record.notes, arena, NOTE_TEARDOWN,
                 str_of(arena_printf(arena, "teardown failed: %.*s", STR_ARG(t.error))));
        break;
    case NOTICE_SIMULATED: in->record.provenance = "simulated"; break;
    case NOTICE_REMARK: note_add(&in->record.notes, arena, NOTE_REMARK, t.error); break;
    case NOTICE_INSTRUMENT_LOST: note_add(&in->record.notes, arena, NOTE_LOST, t.error); break;
    }
}

void intake_take(struct intake *in, const struct record *r, struct arena *arena)
{
    switch ((enum record_kind)r->kind) {
    case RECORD_TRIAL: take_trial(in, r, arena); break;
    case RECORD_WATCH: take_watch(in, r); break;
    case RECORD_NOTICE: take_notice(in, r, arena); break;
    }
}

size_t intake_ready(const struct intake *in)
{
    size_t expected = in->watch_count[in->phase];
    if (expected == 0) return in->count;
    int64_t watched = in->watch_records[in->phase] / (int64_t)expected;
    int64_t ready = watched - (in->taken[in->phase] - (int64_t)in->count);
    if (ready < 0) return 0;
    return ready < (int64_t)in->count ? (size_t)ready : in->count;
}

struct trial_batch intake_batch(const struct intake *in, size_t count)
{
    int64_t end = in->first + (int64_t)count;
    size_t notes = 0;
    size_t histograms = 0;
    while (notes < in->note_count && in->notes[notes].trial < end) notes++;
    while (histograms < in->histogram_count && in->histograms[histograms].trial < end)
        histograms++;
    return (struct trial_batch){
        .execution_id = in->record.id,
        .phase = in->phase,
        .first = in->first,
        .count = count,
        .segment = in->batch_segment,
        .statuses = in->statuses,
        .starts_s = in->starts_s,
        .column_count = in->metric_count,
        .metrics = in->metrics,
        .columns = (const double *const *)in->columns,
        .notes = in->notes,
        .note_count = notes,
        .artifacts = in->artifacts,
        .artifact_count = in->artifact_count,
        .histograms = in->histograms,
        .histogram_count = histograms,
    };
}

void intake_forget(struct intake *in, size_t count)
{
    size_t left = in->count - count;
    if (left > 0) {
        memmove(in->statuses, in->statuses + count, left);
        memmove(in->cases, in->cases + count, left * sizeof *in->cases);
        memmove(in->starts_s, in->starts_s + count, left * sizeof(double));
        for (size_t i = 0; i < in->metric_count; i++) {
            memmove(in->columns[i], in->columns[i] + count, left * sizeof(double));
        }
    }
    in->count = left;
    in->first += (int64_t)count;
    in->has_long_one = left > 0;
    size_t kept = 0;
    for (size_t i = 0; i < in->note_count; i++) {
        if (in->notes[i].trial >= in->first) in->notes[kept++] = in->notes[i];
    }
    in->note_count = kept;
    in->artifact_count = 0;
    size_t waiting = 0;
    for (size_t i = 0; i < in->histogram_count; i++) {
        if (in->histograms[i].trial >= in->first) in->histograms[waiting++] = in->histograms[i];
    }
    in->histogram_count = waiting;
    if (left == 0 && kept == 0) arena_reset(&in->texts);
}
