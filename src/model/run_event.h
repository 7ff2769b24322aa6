/* run_event.h - what a run tells while it is carried out, and at its end. */
#ifndef MODEL_RUN_EVENT_H
#define MODEL_RUN_EVENT_H

#include "model/metric.h"
#include "model/record.h"

struct plan_cell;

enum run_event_kind {
    RUN_EVENT_STARTED,
    RUN_EVENT_CELL_STARTED,
    RUN_EVENT_WARMUP,   /* one warm-up trial */
    RUN_EVENT_TRIAL,    /* one measured trial, stored */
    RUN_EVENT_PROFILED, /* one trial for instruments that cost, stored */
    RUN_EVENT_PROGRESS, /* about ten times a second */
    RUN_EVENT_ESTIMATE, /* of each cell that is measured, about once a second */
    RUN_EVENT_CELL_FINISHED,
    RUN_EVENT_NOTE, /* something the user should know: `text` */
};

/* What a cell shows so far, earlier segments included. */
struct run_estimate {
    double right;       /* trials whose answer was judged right; NaN = none is judged */
    const char *metric; /* the cell's primary one */
    const char *unit;
    int64_t n;                /* its values */
    double median, low, high; /* of the newest of them; NaN = none */
};

struct run_progress {
    int64_t trials_done; /* of the whole plan */
    int64_t trials_planned;
    double elapsed_s; /* of this call */
    double left_s;    /* NaN = unknown */
};

struct run_event {
    enum run_event_kind kind;
    const char *run_id;
    const struct plan_cell *cell; /* NULL where the event is about the run */
    const struct execution_record *execution;
    int64_t trial; /* position in the phase */
    int64_t iteration;
    int64_t case_index;
    enum trial_status status;
    double start_s; /* since the start of the run */
    const struct metric *const *metrics;
    const double *values; /* one per metric; NaN = none */
    size_t metric_count;
    const char *text;
    const struct run_progress *progress; /* of RUN_EVENT_PROGRESS and _ESTIMATE */
    const struct run_estimate *estimate; /* of those and RUN_EVENT_CELL_FINISHED */
};

struct run_listener {
    void *context;
    bool wants_trials; /* each trial as an event, and estimates, too */
    void (*on_event)(void *context, const struct run_event *event);
};

struct run_outcome {
    char run_id[UUID_SIZE];
    enum run_status status;
    size_t cells;
    size_t cells_by_status[RUN_STATUS_COUNT];
    size_t cells_unavailable;   /* failed: their agent or command cannot be started here */
    struct trial_counts counts; /* measured trials of this call */
    bool is_disturbed;          /* by other work: NOTE_DISTURBED */
    bool interrupted;
    int signal; /* that interrupted it; pending and blocked again, so that the process can die
                 * of it when it has said what there is to say */
};

#endif
