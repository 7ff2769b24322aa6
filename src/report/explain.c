/* Where a number comes from. One small function per fact, so that a reader of
 * a report and a reader of this file see the same list. */
#include "base/human.h"
#include "report/phrase.h"

#include <inttypes.h>
#include <math.h>

struct about {
    const struct view *view;
    const struct view_cell *cell;
    const struct view_metric *metric;
};

static void say_samples(struct buf *out, const struct about *a)
{
    buf_printf(out, "%zu value%s; trials: ", a->metric->n, PLURAL(a->metric->n));
    phrase_counts(out, &a->cell->record.counts);
}

static void say_warmup(struct buf *out, const struct about *a)
{
    phrase_warmup(out, a->cell);
}

static bool is_duration(const struct about *a)
{
    return strcmp(a->metric->name, metric_duration.name) == 0;
}

static void say_clock(struct buf *out, const struct about *a)
{
    if (!is_duration(a)) return;
    buf_text(out, "CLOCK_MONOTONIC_RAW");
    const struct value *source = value_get(a->view->run.environment, "clock_source");
    if (!source || source->kind != VALUE_TEXT) return;
    buf_text(out, " (clock source ");
    buf_add(out, source->source);
    buf_add_char(out, ')');
}

static void say_overhead(struct buf *out, const struct about *a)
{
    if (!is_duration(a)) return;
    double overhead_s = a->cell->record.overhead_s;
    if (isnan(overhead_s)) {
        buf_text(out, "not measured");
        return;
    }
    char text[HUMAN_SIZE];
    buf_printf(out, "%s, read from an empty trial on the same path",
               human_value("s", overhead_s, text));
    if (a->metric->median > 0) {
        buf_text(out, "; ");
        phrase_percent(out, overhead_s / a->metric->median);
        buf_text(out, " of the median");
    }
    /* That path ends where the clock is read: what a process costs, ours or not, is inside. */
    if (strcmp(a->cell->record.experiment, "command") == 0) {
        buf_text(out, ". The start and end of the process are in the reading");
    }
}

static void say_interval(struct buf *out, const struct about *a)
{
    const struct view_metric *m = a->metric;
    bool is_mean = m->kind == KIND_SHARE || m->kind == KIND_SUM;
    const char *units = m->is_by_case ? "cases" : "trials";
    if (is_mean) {
        buf_printf(out, "%s of the mean over %zu %s", isnan(m->centre_low) ? "none" : "95 %",
                   m->units, units);
    } else if (isnan(m->centre_low)) {
        buf_printf(out, "none: it takes 6 %s, there are %zu", m->is_by_case ? units : "values",
                   m->units);
    } else {
        buf_printf(out, "95 %% of the median%s, by order statistics (no shape assumed)",
                   m->is_by_case ? " over cases, each by the median of its passes" : "");
        if (!m->is_by_case && m->units > m->n)
            buf_printf(out, "; %zu trials that were timed out count as longer than all",
                       m->units - m->n);
    }
}

static void say_variation(struct buf *out, const struct about *a)
{
    if (isnan(a->metric->cv)) {
        buf_text(out, "unknown");
        return;
    }
    phrase_percent(out, a->metric->cv);
    buf_printf(out, " coefficient of variation: %s", a->metric->cv_label);
}

static void say_outliers(struct buf *out, const struct about *a)
{
    buf_printf(out, "%zu of %zu beyond 3.5 scaled MADs from the median; all are kept",
               a->metric->outliers, a->metric->n);
}

static void say_shape(struct buf *out, const struct about *a)
{
    for (size_t i = 0; i < a->metric->warning_count; i++) {
        buf_printf(out, "%s%s", i ? "; " : "", a->metric->warnings[i]);
    }
    if (a->metric->warning_count == 0) buf_text(out, "nothing found");
}

static void say_segments(struct buf *out, const struct about *a)
{
    if (a->cell->record.segments <= 1) return;
    int64_t resumes = a->cell->record.segments - 1;
    buf_printf(out, "%" PRId64 ": resumed ", resumes + 1);
    if (resumes == 1) {
        buf_text(out, "once");
    } else {
        buf_printf(out, "%" PRId64 " times", resumes);
    }
    buf_text(out, ", with new set-up and warm-up");
}

static void say_concurrency(struct buf *out, const struct about *a)
{
    int64_t lanes = execution_lanes(&a->cell->record);
    if (lanes <= 1) return;
    buf_printf(out,
               "%" PRId64 " cases of the agent in flight at once, each with an agent of its "
               "own; times are those under that load; processor time, memory and counters "
               "are of one agent, not of all",
               lanes);
}

static void say_definition(struct buf *out, const struct about *a)
{
    static const char *const better[] = {
        [DIRECTION_NONE] = "neither is better",
        [DIRECTION_LOWER] = "lower is better",
        [DIRECTION_HIGHER] = "higher is better",
    };
    buf_printf(out, "%s, unit %s, %s", a->metric->definition, a->metric->unit,
               better[a->metric->direction]);
    if (a->cell->record.provenance) buf_printf(out, ", %s", a->cell->record.provenance);
}

static void say_seed(struct buf *out, const struct about *a)
{
    buf_printf(out, "%" PRId64, a->cell->record.seed);
}

static const struct {
    const char *name;
    void (*say)(struct buf *out, const struct about *a); /* nothing said: left out */
} facts[] = {
    {"n", say_samples},
    {"warm-up", say_warmup},
    {"clock", say_clock},
    {"overhead", say_overhead},
    {"interval", say_interval},
    {"variation", say_variation},
    {"outliers", say_outliers},
    {"shape", say_shape},
    {"segments", say_segments},
    {"definition", say_definition},
    {"concurrency", say_concurrency},
    {"seed", say_seed},
};

void phrase_explain(const struct view *view, const struct view_cell *cell,
                    const struct view_metric *metric, phrase_fact_fn *fact, void *to)
{
    struct about about = {view, cell, metric};
    struct buf text;
    buf_init(&text, 16384);
    for (size_t i = 0; i < COUNT(facts); i++) {
        buf_clear(&text);
        facts[i].say(&text, &about);
        if (text.n > 0) fact(to, facts[i].name, buf_str(&text));
    }
    buf_release(&text);
}
