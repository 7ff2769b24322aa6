/* intake.h - trials of one arm on their way from its ring to the store.
 *
 * Records become columns: one array per metric, in trial order, NaN where a
 * trial gave nothing. They wait here until the parent commits them; notes and
 * artifacts wait with them. */
#ifndef RUN_INTAKE_H
#define RUN_INTAKE_H

#include "base/reals.h"
#include "run/group.h"
#include "store/store.h"

enum { INTAKE_NOTES_MAX = 512 };

struct intake {
    const struct plan_cell *cell;
    struct execution_record record; /* as it will be stored */
    int64_t segment;                /* of its first trials */
    int64_t batch_segment;          /* of the trials that wait to be stored */
    int64_t run_start_ns;           /* on clock_ns's scale: start_s counts from here */

    size_t metric_count; /* without columns that repeat an earlier name */
    const struct metric **metrics;
    size_t *columns_from; /* record column of each metric */
    size_t column_count;  /* in a record */
    size_t primary;       /* index into metrics */
    size_t peak_column;   /* record columns of memory_peak_mb, user_s, system_s; 0 = none */
    size_t user_column;
    size_t system_column;
    size_t watch_count[PHASE_COUNT]; /* outside instruments: records to expect per trial */
    int64_t watch_records[PHASE_COUNT];
    int64_t taken[PHASE_COUNT]; /* trials of this segment */

    /* Waiting trials: `count` of them from number `first` of `phase`. */
    enum trial_phase phase;
    int64_t first;
    size_t count;
    size_t capacity;   /* more is committed first */
    bool waits;        /* no room before the runner has reported these */
    int64_t oldest_ns; /* when the first of them ended */
    bool has_long_one; /* 5 ms or more: to be committed at once */
    uint8_t *statuses;
    uint32_t *cases;
    double *starts_s;
    double **columns;
    struct arena texts;
    struct trial_note *notes;
    size_t note_count;
    struct artifact_record *artifacts;
    size_t artifact_count;
    struct histogram_record *histograms;
    size_t histogram_count;
    size_t histogram_room; /* 0 = the experiment has none */

    int64_t trials[PHASE_COUNT];  /* taken in, earlier segments included */
    struct reals primary_samples; /* of ok measured trials */
    double right; /* measured trials with an accuracy of 1; NaN = no such metric */
    double peak_mb;
    double cpu_s;
    double cpu_wall_s;
    bool has_failed_setup;
    bool is_unavailable; /* since it cannot be started here */
    bool was_stopped;
};

void intake_init(struct intake *in, const struct plan_cell *cell, struct arena *arena);
void intake_release(struct intake *in);

/* True if there is room for one more trial or note. */
bool intake_has_room(const struct intake *in);

/* Takes one record in; a notice changes `record`. `arena` keeps texts that
 * outlive the next commit. */
void intake_take(struct intake *in, const struct record *r, struct arena *arena);

/* Counts the value of a measured trial if it is an accuracy of 1. */
void intake_judge(struct intake *in, const char *metric, double value);

/* How many of the waiting trials are complete: outside instruments included. */
size_t intake_ready(const struct intake *in);

/* The first `count` waiting trials as a batch. */
struct trial_batch intake_batch(const struct intake *in, size_t count);

/* They are stored: forget them. */
void intake_forget(struct intake *in, size_t count);

#endif
