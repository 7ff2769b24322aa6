/* Recorded executions: figures, two versions compared, and a report over versions and
 * weeks. */
#include "report/answer_recorded.h"

#include "base/human.h"
#include "report/answers.h"
#include "report/words.h"

#include <math.h>

/* ---- figures ---- */

LAYOUT_FIGURE_IS(failed_of, const struct recorded_stats *s, (double)(s->count - s->ok))

#define OF struct recorded_times
static const struct layout_field times_fields[] = {
    LAYOUT_FIELD("n", n, "how many"),    LAYOUT_FIELD("mean", mean, "seconds"),
    LAYOUT_FIELD("sd", sd, "seconds"),   LAYOUT_FIELD("median", median, "seconds"),
    LAYOUT_FIELD("p95", p95, "seconds"), LAYOUT_FIELD("p99", p99, "seconds"),
    LAYOUT_FIELD("min", min, "seconds"), LAYOUT_FIELD("max", max, "seconds"),
};
static const struct layout times_layout = LAYOUT(times_fields);
#undef OF

#define OF struct recorded_stats
static const struct layout_field figures_fields[] = {
    LAYOUT_FIELD("count", count, "executions"),
    LAYOUT_FIELD("ok", ok, "that succeeded"),
    LAYOUT_FIGURE("failed", failed_of, "that did not"),
    LAYOUT_FIELD("mean", times.mean, "seconds of successes"),
    LAYOUT_FIELD("median", times.median, "seconds of successes"),
    LAYOUT_FIELD("p95", times.p95, "seconds of successes"),
    LAYOUT_FIELD("success_rate", success.estimate, "share"),
    LAYOUT_FIELD("success_low", success.low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("success_high", success.high, "upper end"),
    LAYOUT_FIELD("total_cost", cost_total, "USD"),
    LAYOUT_FIELD("mean_cost", cost_mean, "USD"),
    LAYOUT_OBJECT("duration_s", times, &times_layout, "of successes"),
    LAYOUT_OBJECT("failure_duration_s", failures, &times_layout, "of failures"),
};
static const struct layout figures_layout = LAYOUT(figures_fields);
#undef OF

#define OF struct answer_recorded_stats
static const struct layout_field stats_fields[] = {
    LAYOUT_FIELD("version", filter.version, "only this; null: any"),
    LAYOUT_FIELD("task", filter.task, "only this; null: any"),
    LAYOUT_FIELD("agent", filter.agent, "only this; null: any"),
    LAYOUT_PART(stats, &figures_layout),
};
static const struct layout stats_layout = LAYOUT(stats_fields);
#undef OF

static void put_seconds(struct buf *out, const char *name, double seconds)
{
    char text[HUMAN_SIZE];
    buf_printf(out, "  %-14s %s\n", name, human_value("s", seconds, text));
}

static void put_figures(struct buf *out, const struct recorded_stats *s)
{
    buf_printf(out, "  %-14s %zu\n", "executions", s->count);
    buf_printf(out, "  %-14s %.1f %%  [%.1f, %.1f]  (%zu of %zu)\n", "success rate",
               100 * s->success.estimate, 100 * s->success.low, 100 * s->success.high, s->ok,
               s->count);
    if (s->ok) {
        put_seconds(out, "mean", s->times.mean);
        put_seconds(out, "median", s->times.median);
        put_seconds(out, "p95", s->times.p95);
    }
    if (s->failures.n) {
        char text[HUMAN_SIZE];
        buf_printf(out, "  %-14s median %s, %zu of them\n", "failures took",
                   human_value("s", s->failures.median, text), s->failures.n);
    }
    if (s->cost_n) {
        buf_printf(out, "  %-14s $%.6f in all, $%.6f each\n", "cost", s->cost_total,
                   s->cost_mean);
    }
}

static void stats_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct answer_recorded_stats *a = answer;
    const struct recorded_filter *f = &a->filter;
    buf_printf(out, "%s%s%s\n", f->task ? f->task : "all tasks", f->version ? ", version " : "",
               f->version ? f->version : "");
    put_figures(out, &a->stats);
}

const struct answer answer_record_stats = {
    .name = "record_stats",
    .summary = "figures of recorded executions",
    .schema = "assay.record.stats/1",
    .layout = &stats_layout,
    .text = stats_text,
};

/* ---- two versions ---- */

LAYOUT_WORD_IS(metric_of, const struct recorded_comparison *x, recorded_metric_name(x->metric))
LAYOUT_FIGURE_IS(percent_of, const struct recorded_comparison *x, 100 * x->improvement)
LAYOUT_WORD_IS(verdict_of, const struct recorded_comparison *x, verdict_name(x->verdict))
LAYOUT_FIGURE_IS(ratio_of, const struct recorded_comparison *r,
                 r->metric == RECORDED_SUCCESS ? (double)NAN : r->effect)
LAYOUT_FIGURE_IS(difference_of, const struct recorded_comparison *r,
                 r->metric == RECORDED_SUCCESS ? r->effect : (double)NAN)
LAYOUT_SENTENCE_IS(sentence_of, const struct recorded_comparison *r,
                   r->answer.arm[0].n ? words_verdict(&r->answer, scratch) : NULL)
LAYOUT_SENTENCE_IS(next_of, const struct recorded_comparison *r,
                   r->answer.arm[0].n ? words_next(&r->answer, scratch) : NULL)

#define OF struct recorded_comparison
static const struct layout_field comparison_fields[] = {
    LAYOUT_WORD("metric", metric_of, "execution_time, success_rate, cost"),
    LAYOUT_FIELD("v1_value", a, "median of times, mean of rates and costs; mean over tasks"),
    LAYOUT_FIELD("v2_value", b, "the same of v2"),
    LAYOUT_FIELD("v1_count", a_count, "values"),
    LAYOUT_FIELD("v2_count", b_count, "values"),
    LAYOUT_FIELD("improvement", improvement,
                 "by the ratio, not by the values; positive: v2 is better"),
    LAYOUT_FIGURE("improvement_percent", percent_of, "the same in percent"),
    LAYOUT_WORD("verdict", verdict_of, "better, worse, equivalent, undecided"),
    LAYOUT_FIGURE("ratio", ratio_of, "v2 / v1; null of the success rate"),
    LAYOUT_FIGURE("difference", difference_of, "v2 - v1, of the success rate alone"),
    LAYOUT_FIELD("low", low, "lower end of its interval"),
    LAYOUT_FIELD("high", high, "upper end"),
    LAYOUT_SENTENCE("sentence", sentence_of, "the same in words"),
    LAYOUT_SENTENCE("next", next_of, "what would settle it; null: nothing is open"),
};
static const struct layout comparison_layout = LAYOUT_OF(OF, comparison_fields);
#undef OF

#define OF struct recorded_task
static const struct layout_field task_fields[] = {
    LAYOUT_FIELD("task", task, "that both did"),
    LAYOUT_ARRAY("metrics", metrics, metric_count, &comparison_layout, "of this task alone"),
};
static const struct layout task_layout = LAYOUT_OF(OF, task_fields);
#undef OF

#define OF struct recorded_pair
static const struct layout_field pair_fields[] = {
    LAYOUT_FIELD("v1", version[0], "the earlier"),
    LAYOUT_FIELD("v2", version[1], "the later"),
    LAYOUT_PART(metrics[0], &comparison_layout),
    LAYOUT_FIELD("same_tasks", is_same_tasks, "each did what the other did"),
    LAYOUT_ARRAY("metrics", metrics, metric_count, &comparison_layout, "over all common tasks"),
    LAYOUT_LIST("tasks", tasks, task_count, &task_layout, "each by itself, where several"),
};
static const struct layout pair_layout = LAYOUT(pair_fields);
#undef OF

static void put_comparison(struct buf *out, const struct recorded_comparison *r)
{
    static const char *const better[] = {"faster", "better", "cheaper"};
    static const char *const worse[] = {"slower", "worse", "more expensive"};
    struct arena scratch = arena_open();
    buf_printf(out, "  %-14s %.1f %% %s (%s; %zu against %zu)\n",
               recorded_metric_name(r->metric), fabs(100 * r->improvement),
               r->improvement < 0 ? worse[r->metric] : better[r->metric],
               verdict_name(r->verdict), r->b_count, r->a_count);
    buf_printf(out, "  %-14s %s\n", "", words_verdict(&r->answer, &scratch));
    arena_close(&scratch);
}

/* Those that can be compared. */
static void put_comparisons(struct buf *out, const struct recorded_comparison *r, size_t count)
{
    for (size_t m = 0; m < count; m++) {
        if (!isnan(r[m].improvement)) put_comparison(out, &r[m]);
    }
}

static void pair_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct recorded_pair *p = answer;
    buf_printf(out, "%s -> %s\n", p->version[0], p->version[1]);
    for (size_t m = 0; m < p->metric_count; m++) {
        if (isnan(p->metrics[m].improvement)) {
            buf_printf(out, "  %-14s cannot be compared: no value on one side\n",
                       recorded_metric_name(p->metrics[m].metric));
        }
        put_comparisons(out, &p->metrics[m], 1);
    }
    for (size_t i = 0; i < p->task_count; i++) {
        buf_printf(out, "task %s\n", p->tasks[i].task);
        put_comparisons(out, p->tasks[i].metrics, p->tasks[i].metric_count);
    }
    if (!p->is_same_tasks)
        buf_text(out, "  ! they did not do the same tasks: only common ones count\n");
}

const struct answer answer_record_compare = {
    .name = "record_compare",
    .summary = "two versions of what was recorded, task by task",
    .schema = "assay.record.compare/1",
    .layout = &pair_layout,
    .judges = true,
    .text = pair_text,
};

/* ---- versions and weeks ---- */

LAYOUT_FIGURE_IS(week_percent, const struct recorded_week *w,
                 w->has_before ? 100 * w->time.improvement : (double)NAN)
LAYOUT_WORD_IS(week_verdict, const struct recorded_week *w,
               w->has_before ? verdict_name(w->time.verdict) : NULL)

static const struct layout_field week_words_fields[] = {
    LAYOUT_SENTENCE("sentence", sentence_of, "the same in words; null of the first"),
    LAYOUT_SENTENCE("next", next_of, "what would settle it; null: nothing is open"),
};
static const struct layout week_words_layout = LAYOUT(week_words_fields);

#define OF struct recorded_week
static const struct layout_field week_fields[] = {
    LAYOUT_FIELD("monday", monday, "its first day, UTC"),
    LAYOUT_PART(stats, &figures_layout),
    LAYOUT_FIGURE("improvement_percent", week_percent, "of the time, to the week before"),
    LAYOUT_WORD("verdict", week_verdict, "of that; null of the first"),
    LAYOUT_PART(time, &week_words_layout),
    LAYOUT_FIELD("told", told, "improved, degraded: 10 % or more, and decided"),
};
static const struct layout week_layout = LAYOUT_OF(OF, week_fields);
#undef OF

#define OF struct recorded_version
static const struct layout_field version_fields[] = {
    LAYOUT_FIELD("version", version, "that did it"),
    LAYOUT_PART(stats, &figures_layout),
    LAYOUT_ARRAY("against_previous", against, against_count, &comparison_layout,
                 "empty of the first"),
};
static const struct layout version_layout = LAYOUT_OF(OF, version_fields);
#undef OF

#define OF struct recorded_report
static const struct layout_field report_fields[] = {
    LAYOUT_LIST("versions", versions, version_count, &version_layout, "in order"),
    LAYOUT_LIST("weeks", weeks, week_count, &week_layout, "that have a record, oldest first"),
};
static const struct layout report_layout = LAYOUT(report_fields);
#undef OF

static void put_week(struct buf *out, const struct recorded_week *w)
{
    char mean[HUMAN_SIZE];
    buf_printf(out, "  %s  %6zu  %5.1f %% ok  mean %s", w->monday, w->stats.count,
               100 * w->stats.success.estimate, human_value("s", w->stats.times.mean, mean));
    if (w->has_before && !isnan(w->time.improvement)) {
        buf_printf(out, "  %.1f %% %s, %s", fabs(100 * w->time.improvement),
                   w->time.improvement < 0 ? "slower" : "faster",
                   w->told ? w->told : verdict_name(w->time.verdict));
    }
    buf_add_char(out, '\n');
}

static void report_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct recorded_report *r = answer;
    for (size_t i = 0; i < r->version_count; i++) {
        const struct recorded_version *v = &r->versions[i];
        buf_printf(out, "version %s\n", v->version);
        put_figures(out, &v->stats);
        if (i > 0) buf_printf(out, "%s -> %s\n", r->versions[i - 1].version, v->version);
        put_comparisons(out, v->against, v->against_count);
        buf_add_char(out, '\n');
    }
    buf_text(out, "week over week\n");
    for (size_t i = 0; i < r->week_count; i++) put_week(out, &r->weeks[i]);
}

const struct answer answer_record_report = {
    .name = "record_report",
    .summary = "what was recorded, version by version and week by week",
    .schema = "assay.record.report/1",
    .layout = &report_layout,
    .text = report_text,
};
