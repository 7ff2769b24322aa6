#include "cli/stress_progress.h"

#include "base/buf.h"
#include "base/human.h"
#include "base/plain.h"
#include "cli/stored.h"
#include "spec/plan.h"

#include <math.h>

void stress_progress_clear(struct stress_progress *p)
{
    if (p->has_line) fputs("\r\033[K", stderr);
    p->has_line = false;
}

static double value_of(const struct run_event *e, const char *name)
{
    for (size_t i = 0; i < e->metric_count; i++) {
        if (strcmp(e->metrics[i]->name, name) == 0) return e->values[i];
    }
    return NAN;
}

/* Eight heights, from 0 to the highest. */
static void put_bars(const struct stress_progress *p, struct buf *out)
{
    static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double highest = 0;
    for (size_t i = 0; i < p->bar_count; i++) highest = fmax(highest, p->bars[i]);
    for (size_t i = 0; i < p->bar_count && highest > 0; i++) {
        double share = isnan(p->bars[i]) ? 0 : p->bars[i] / highest;
        buf_text(out, heights[lround(7 * share)]);
    }
}

static void put_numbers(const struct stress_progress *p, struct buf *out)
{
    char text[HUMAN_SIZE];
    buf_printf(out, "%.4g/s", isnan(p->rate) ? 0 : p->rate); /* no good answer */
    if (p->in_flight > 0) buf_printf(out, ", up to %.0f in flight", p->in_flight);
    if (!isnan(p->p50_s)) buf_printf(out, ", p50 %s", human_value("s", p->p50_s, text));
    if (!isnan(p->p99_s)) buf_printf(out, ", p99 %s", human_value("s", p->p99_s, text));
    buf_printf(out, ", errors %.3g %%", isnan(p->errors) ? 100 : 100 * p->errors);
}

static void take_block(struct stress_progress *p, const struct run_event *e)
{
    p->rate = value_of(e, "rate");
    p->p50_s = value_of(e, "response_p50_s");
    p->p99_s = value_of(e, "response_p99_s");
    p->errors = value_of(e, "error_share");
    p->in_flight = value_of(e, "in_flight");
    if (p->bar_count == STRESS_PROGRESS_BARS) {
        memmove(p->bars, p->bars + 1, (STRESS_PROGRESS_BARS - 1) * sizeof p->bars[0]);
        p->bar_count--;
    }
    p->bars[p->bar_count++] = p->p99_s;
}

static void show_live(struct stress_progress *p, const struct run_event *e)
{
    struct buf line, fitted;
    buf_init(&line, 1 << 12);
    buf_init(&fitted, 1 << 12);
    buf_printf(&line, "%s  ", e->cell->name);
    if (p->bar_count > 0) put_numbers(p, &line);
    buf_text(&line, "  ");
    put_bars(p, &line);
    plain_add(&fitted, buf_str(&line), (size_t)stored_width(stderr) - 1);
    stress_progress_clear(p);
    if (fitted.n > 0) fputs(fitted.p, stderr);
    p->has_line = true;
    buf_release(&line);
    buf_release(&fitted);
}

static void show_finished(struct stress_progress *p, const struct run_event *e)
{
    struct buf line;
    stress_progress_clear(p);
    buf_init(&line, 1 << 12);
    buf_printf(&line, "%s: ", e->cell->name);
    if (p->bar_count > 0) {
        put_numbers(p, &line);
    } else {
        buf_printf(&line, "%s",
                   e->execution->error_details ? e->execution->error_details : "no block");
    }
    fprintf(stderr, "%.*s\n", STR_ARG(buf_str(&line)));
    buf_release(&line);
}

static void on_event(void *context, const struct run_event *e)
{
    struct stress_progress *p = context;
    if (e->kind == RUN_EVENT_CELL_STARTED) p->bar_count = 0;
    if (e->kind == RUN_EVENT_TRIAL) take_block(p, e);
    if (p->is_quiet || !e->cell) return;
    if (e->kind == RUN_EVENT_CELL_FINISHED && !p->is_live) show_finished(p, e);
    if ((e->kind == RUN_EVENT_PROGRESS || e->kind == RUN_EVENT_TRIAL) && p->is_live)
        show_live(p, e);
}

struct run_listener stress_progress_listener(struct stress_progress *p)
{
    return (struct run_listener){.context = p, .wants_trials = true, .on_event = on_event};
}
