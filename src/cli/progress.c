/* Two listeners in one: a JSON line for each event, and for people either one line that is
 * written over (on a terminal; never longer than it is wide, as a line that wraps cannot be
 * taken away) or a line for each cell. */
#include "cli/progress.h"

#include "base/clock.h"
#include "base/human.h"
#include "base/plain.h"
#include "cli/stored.h"
#include "report/events.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the event stream ---- */

static void write_line(FILE *out, struct buf *line)
{
    fwrite(line->p ? line->p : "", 1, line->n, out);
    fflush(out);
    buf_release(line);
}

static void stream(FILE *out, const struct run_event *e)
{
    struct buf line;
    buf_init(&line, SIZE_MAX / 2); /* half a line is not JSON; parameters have their limit */
    event_write(e, &line);
    if (line.n > 0) write_line(out, &line);
}

/* ---- for people ---- */

bool progress_can_be_live(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void progress_clear(struct progress *p)
{
    if (p->live) live_clear(p->live);
    if (p->has_line) fputs("\r\033[K", stderr);
    p->has_line = false;
}

static void show_live(struct progress *p, const struct run_event *e)
{
    const struct run_progress *g = e->progress;
    const struct run_estimate *s = e->estimate;
    char median[HUMAN_SIZE] = "";
    char spread[HUMAN_SIZE] = "";
    char left[HUMAN_SIZE];
    if (!isnan(s->median)) human_value(s->unit, s->median, median);
    if (!isnan(s->low)) {
        snprintf(spread, sizeof spread, " \u00b1 %.1f %%",
                 100 * (s->high - s->low) / 2 / fabs(s->median));
    }
    struct buf line;
    struct buf fitted;
    buf_init(&line, 1 << 12);
    buf_init(&fitted, 1 << 12);
    buf_printf(&line, "[%zu/%zu] ", e->cell->index + 1, p->cells);
    plain_add_ends(&line, str_of(e->cell->label), 40);
    buf_printf(&line, "  trial %" PRId64 "/%" PRId64, g->trials_done, g->trials_planned);
    if (median[0]) buf_printf(&line, "  %s%s", median, spread);
    if (isnan(g->left_s)) {
        buf_printf(&line, "  %s so far", human_span(g->elapsed_s, left));
    } else {
        buf_printf(&line, "  about %s left", human_span(g->left_s, left));
    }
    /* A line that wraps could not be taken away again. */
    plain_add(&fitted, buf_str(&line), (size_t)stored_width(stderr) - 1);
    progress_clear(p);
    if (fitted.n > 0) fputs(fitted.p, stderr);
    p->has_line = true;
    buf_release(&line);
    buf_release(&fitted);
}

/* A run may take an hour, and a log should show that it goes on. */
static void show_sometimes(struct progress *p, const struct run_event *e)
{
    static const int64_t pause_ns = 10000000000;
    const struct run_progress *g = e->progress;
    int64_t now_ns = clock_ns();
    char left[HUMAN_SIZE];
    if (p->last_line_ns == 0) p->last_line_ns = now_ns;
    if (now_ns - p->last_line_ns < pause_ns) return;
    p->last_line_ns = now_ns;
    fprintf(stderr, "%" PRId64 " of %" PRId64 " trials", g->trials_done, g->trials_planned);
    if (!isnan(g->left_s)) fprintf(stderr, ", about %s left", human_span(g->left_s, left));
    fputc('\n', stderr);
}

/* It was run, and the agent never answered. */
static bool is_in_vain(const struct execution_record *x)
{
    return x->status == RUN_SUCCESS && x->counts.attempted > 0 &&
           x->counts.by_status[TRIAL_OK] == 0;
}

static void show_finished(struct progress *p, const struct run_event *e)
{
    const struct execution_record *x = e->execution;
    struct buf label;
    buf_init(&label, 1 << 12);
    plain_add(&label, str_of(e->cell->label), SIZE_MAX);
    progress_clear(p);
    p->last_line_ns = clock_ns();
    if (x->status == RUN_FAILED) {
        fprintf(stderr, "assay: cell %zu (%.*s) failed: %s\n", e->cell->index + 1,
                STR_ARG(buf_str(&label)), x->error_details);
    } else if (!p->is_live) {
        /* Not the status, which says that it was run: trials can have failed. */
        bool is_partial = x->status == RUN_PARTIAL && x->counts.attempted < x->measured_planned;
        fprintf(stderr, "[%zu/%zu] %.*s: %s%" PRId64 " of %" PRId64 " trials ok\n",
                e->cell->index + 1, p->cells, STR_ARG(buf_str(&label)),
                is_partial ? "interrupted, " : "", x->counts.by_status[TRIAL_OK],
                is_partial ? x->measured_planned : x->counts.attempted);
    }
    if (is_in_vain(x)) {
        fprintf(stderr,
                "assay: %.*s: none of %" PRId64 " trials was ok; --fail-under SCORE makes that "
                "exit 1\n",
                STR_ARG(buf_str(&label)), x->counts.attempted);
    }
    buf_release(&label);
}

static void on_event(void *context, const struct run_event *e)
{
    struct progress *p = context;
    if (p->json) stream(p->json, e);
    if (e->kind == RUN_EVENT_CELL_FINISHED &&
        (!p->is_quiet || e->execution->status == RUN_FAILED)) {
        show_finished(p, e);
    }
    if (e->kind == RUN_EVENT_TRIAL && p->live) live_take(p->live, e);
    if (e->kind != RUN_EVENT_PROGRESS || p->is_quiet) return;
    if (p->live) {
        live_draw(p->live, e);
    } else if (p->is_live) {
        show_live(p, e);
    } else {
        show_sometimes(p, e);
    }
}

struct run_listener progress_listener(struct progress *p)
{
    return (struct run_listener){
        .context = p, .wants_trials = p->json || p->live, .on_event = on_event};
}

void progress_finished(struct progress *p, const struct run_outcome *outcome)
{
    progress_clear(p);
    if (!p->json) return;
    struct buf line;
    buf_init(&line, 1 << 16);
    event_write_end(outcome, &line);
    write_line(p->json, &line);
}
