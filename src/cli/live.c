/* Durations are kept up to a number that a median needs no more than; a later one then takes
 * the place of the oldest. What was drawn is counted in lines, so that the next picture begins
 * where it began. */
#include "cli/live.h"

#include "base/human.h"
#include "base/near.h"
#include "base/plain.h"
#include "cli/stored.h"
#include "stats/interval.h"
#include "stats/quantile.h"

#include <inttypes.h>
#include <math.h>
#include <sys/ioctl.h>

enum { KEPT = 2048, AGENTS_MAX = 24, NAME_MAX = 24, BAR = 29 };

struct live_agent {
    const char *name;
    int64_t done, planned;
    int64_t right, judged;
    bool is_simulated;
    double *times; /* the newest KEPT */
    size_t time_count;
};

struct live {
    const char *suite;
    struct live_agent agents[AGENTS_MAX];
    size_t agent_count;
    size_t lines; /* on the screen */
    struct arena *arena;
};

static struct str agent_of(const struct plan_cell *cell)
{
    return cell->agent ? value_text(cell->agent, "id") : S("");
}

static struct live_agent *find(struct live *l, const struct plan_cell *cell)
{
    struct str name = agent_of(cell);
    for (size_t i = 0; i < l->agent_count; i++) {
        if (str_is(name, l->agents[i].name)) return &l->agents[i];
    }
    return NULL;
}

static size_t screen_lines(void)
{
    struct winsize size;
    return ioctl(2, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

struct live *live_new(const struct plan *plan, struct arena *arena)
{
    struct live *l = arena_new(arena, struct live, 1);
    *l = (struct live){.arena = arena};
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        if (agent_of(cell).n == 0 || !plan->spec->suite) return NULL;
        struct live_agent *a = find(l, cell);
        if (!a && l->agent_count == AGENTS_MAX) return NULL;
        if (!a) {
            a = &l->agents[l->agent_count++];
            a->name = str_cstr(arena, agent_of(cell));
            a->times = arena_new(arena, double, KEPT);
        }
        a->planned += cell->entry->measured * (int64_t)cell->entry->case_count;
        l->suite = str_cstr(arena, value_text(cell->params, "suite"));
    }
    bool has_room = screen_lines() > l->agent_count + 6 && stored_width(stderr) >= 60;
    return l->agent_count > 0 && has_room ? l : NULL;
}

void live_take(struct live *l, const struct run_event *e)
{
    struct live_agent *a = find(l, e->cell);
    if (!a) return;
    a->done++;
    a->is_simulated |=
        e->execution->provenance && strcmp(e->execution->provenance, "simulated") == 0;
    double accuracy = e->status == TRIAL_OK ? (double)NAN : 0;
    for (size_t i = 0; i < e->metric_count; i++) {
        const char *name = e->metrics[i]->name;
        if (isnan(e->values[i])) continue;
        if (strcmp(name, "accuracy") == 0) accuracy = e->values[i];
        if (strcmp(name, metric_duration.name) == 0 && e->status == TRIAL_OK)
            a->times[a->time_count++ % KEPT] = e->values[i];
    }
    if (isnan(accuracy)) return;
    a->judged++;
    a->right += near_reaches(accuracy, 1);
}

/* ---- drawing ---- */

static void put_agent(const struct live *l, const struct live_agent *a, size_t wide,
                      struct buf *out)
{
    struct arena scratch = *l->arena;
    char median[HUMAN_SIZE] = "-";
    char done[40];
    char right[40];
    size_t n = a->time_count < KEPT ? a->time_count : KEPT;
    double *sorted = stats_sort(&scratch, a->times, n, &n);
    struct interval range;
    buf_text(out, "    ");
    size_t used = plain_add(out, str_of(a->name), wide);
    snprintf(done, sizeof done, "%" PRId64 "/%" PRId64, a->done, a->planned);
    snprintf(right, sizeof right, "%" PRId64 "/%" PRId64, a->right, a->judged);
    if (n > 0) human_value("s", quantile_median(sorted, n), median);
    buf_printf(out, "%*s   %-10s %-10s %-10s", (int)(wide - used), "", done,
               a->judged ? right : "-", median);
    if (n > 0 && interval_median(sorted, n, 0.95, &range)) {
        char low[HUMAN_SIZE];
        char high[HUMAN_SIZE];
        struct human_scale scale = human_scale("s", range.high, range.high);
        scale.decimals = scale.decimals > 1 ? scale.decimals - 1 : scale.decimals;
        buf_printf(out, "[%s, %s] %s", human_number(&scale, range.low, low),
                   human_number(&scale, range.high, high), scale.unit);
    }
    if (a->is_simulated) buf_text(out, "  simulated");
}

static void put_head(const struct live *l, const struct run_event *e, struct buf *out)
{
    const struct run_progress *g = e->progress;
    char left[HUMAN_SIZE];
    double share =
        g->trials_planned > 0 ? (double)g->trials_done / (double)g->trials_planned : 0;
    size_t full = (size_t)lround(fmin(fmax(share, 0), 1) * BAR);
    plain_add(out, str_of(l->suite), 20);
    buf_text(out, "  ");
    if (e->cell) plain_add(out, value_text(e->cell->params, "benchmark"), 16);
    buf_text(out, "  [");
    for (size_t i = 0; i < BAR; i++) buf_text(out, i < full ? "▇" : "░");
    buf_printf(out, "]  %" PRId64 " of %" PRId64, g->trials_done, g->trials_planned);
    if (isnan(g->left_s)) {
        buf_printf(out, "  %s so far", human_span(g->elapsed_s, left));
    } else {
        buf_printf(out, "  %s left", human_span(g->left_s, left));
    }
}

/* One line, never longer than the terminal is wide: one that wraps cannot be taken away. */
static void say(struct live *l, struct buf *line, struct buf *screen)
{
    plain_add(screen, buf_str(line), (size_t)stored_width(stderr) - 1);
    buf_text(screen, "\033[K\n");
    buf_clear(line);
    l->lines++;
}

void live_draw(struct live *l, const struct run_event *e)
{
    struct buf screen;
    struct buf line;
    size_t wide = 5;
    buf_init(&screen, 1 << 16);
    buf_init(&line, 1 << 12);
    for (size_t i = 0; i < l->agent_count; i++) {
        size_t n = plain_columns(str_of(l->agents[i].name));
        if (n > wide) wide = n < NAME_MAX ? n : NAME_MAX;
    }
    if (l->lines) buf_printf(&screen, "\033[%zuA\r", l->lines);
    l->lines = 0;
    put_head(l, e, &line);
    say(l, &line, &screen);
    say(l, &line, &screen);
    buf_printf(&line, "    %-*s   %-10s %-10s %-10s95 %% interval", (int)wide, "agent", "done",
               "right", "median");
    say(l, &line, &screen);
    for (size_t i = 0; i < l->agent_count; i++) {
        put_agent(l, &l->agents[i], wide, &line);
        say(l, &line, &screen);
    }
    say(l, &line, &screen);
    buf_text(&line, "  Ctrl-C keeps what is done and says how to continue");
    say(l, &line, &screen);
    fwrite(screen.p, 1, screen.n, stderr);
    buf_release(&line);
    buf_release(&screen);
}

void live_clear(struct live *l)
{
    if (l->lines) fprintf(stderr, "\033[%zuA\r\033[J", l->lines);
    l->lines = 0;
}
