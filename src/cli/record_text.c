#include "cli/record_text.h"

#include "report/words.h"

#include "base/human.h"
#include "base/json.h"
#include "cli/stored.h"

#include <math.h>

enum { TEXT_MAX = 16 << 20 };

static void put_percent(struct json *j, const char *key, double fraction)
{
    json_put_real(j, key, 100 * fraction);
}

static void put_times_json(struct json *j, const char *key, const struct recorded_times *t)
{
    json_key(j, key);
    json_object(j);
    json_put_int(j, "n", (int64_t)t->n);
    json_put_real(j, "mean", t->mean);
    json_put_real(j, "sd", t->sd);
    json_put_real(j, "median", t->median);
    json_put_real(j, "p95", t->p95);
    json_put_real(j, "p99", t->p99);
    json_put_real(j, "min", t->min);
    json_put_real(j, "max", t->max);
    json_end(j);
}

static void put_stats_json(struct json *j, const struct recorded_stats *s)
{
    json_put_int(j, "count", (int64_t)s->count);
    json_put_int(j, "ok", (int64_t)s->ok);
    json_put_int(j, "failed", (int64_t)(s->count - s->ok));
    json_put_real(j, "mean", s->times.mean);
    json_put_real(j, "median", s->times.median);
    json_put_real(j, "p95", s->times.p95);
    json_put_real(j, "success_rate", s->success.estimate);
    json_put_real(j, "success_low", s->success.low);
    json_put_real(j, "success_high", s->success.high);
    json_put_real(j, "total_cost", s->cost_total);
    json_put_real(j, "mean_cost", s->cost_mean);
    put_times_json(j, "duration_s", &s->times);
    put_times_json(j, "failure_duration_s", &s->failures);
}

static void put_seconds(struct buf *out, const char *name, double seconds)
{
    char text[HUMAN_SIZE];
    buf_printf(out, "  %-14s %s\n", name, human_value("s", seconds, text));
}

static void put_stats(struct buf *out, const struct recorded_stats *s)
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

static int finish(const struct context *c, struct buf *out)
{
    int code = stored_print(c, out);
    buf_release(out);
    return code;
}

static void put_filter_json(struct json *j, const struct recorded_filter *f)
{
    json_put_text(j, "version", f->version);
    json_put_text(j, "task", f->task);
    json_put_text(j, "agent", f->agent);
}

int record_print_stats(const struct context *c, const struct recorded_list *list,
                       const struct recorded_filter *filter)
{
    if (list->count == 0) {
        struct error err;
        error_set(&err, ERROR_NOT_FOUND, "nothing that was recorded fits%s%s%s%s%s%s",
                  filter->task ? ": task " : "", filter->task ? filter->task : "",
                  filter->version ? ", version " : "", filter->version ? filter->version : "",
                  filter->agent ? ", agent " : "", filter->agent ? filter->agent : "");
        return command_fail(&err);
    }
    struct recorded_stats s = recorded_stats(list->items, list->count, *c->arena);
    struct buf out;
    struct json j;
    buf_init(&out, TEXT_MAX);
    if (c->json) {
        json_open(&j, &out, "assay.record.stats/1");
        put_filter_json(&j, filter);
        put_stats_json(&j, &s);
        json_close(&j);
    } else {
        buf_printf(&out, "%s%s%s\n", filter->task ? filter->task : "all tasks",
                   filter->version ? ", version " : "", filter->version ? filter->version : "");
        put_stats(&out, &s);
    }
    return finish(c, &out);
}

/* ---- comparison ---- */

static void put_comparison_json(struct json *j, const struct recorded_comparison *r,
                                struct arena scratch)
{
    json_put_text(j, "metric", recorded_metric_name(r->metric));
    json_put_real(j, "v1_value", r->a);
    json_put_real(j, "v2_value", r->b);
    json_put_int(j, "v1_count", (int64_t)r->a_count);
    json_put_int(j, "v2_count", (int64_t)r->b_count);
    json_put_real(j, "improvement", r->improvement);
    put_percent(j, "improvement_percent", r->improvement);
    json_put_text(j, "verdict", verdict_name(r->verdict));
    json_put_real(j, r->metric == RECORDED_SUCCESS ? "difference" : "ratio", r->effect);
    json_put_real(j, "low", r->low);
    json_put_real(j, "high", r->high);
    json_put_text(j, "sentence",
                  r->answer.arm[0].n ? words_verdict(&r->answer, &scratch) : NULL);
    json_put_text(j, "next", r->answer.arm[0].n ? words_next(&r->answer, &scratch) : NULL);
}

static void put_comparison(struct buf *out, const struct recorded_comparison *r,
                           struct arena scratch)
{
    static const char *const better[] = {"faster", "better", "cheaper"};
    static const char *const worse[] = {"slower", "worse", "dearer"};
    buf_printf(out, "  %-14s ", recorded_metric_name(r->metric));
    if (isnan(r->improvement)) {
        buf_text(out, "cannot be compared: no value on one side\n");
        return;
    }
    buf_printf(out, "%.1f %% %s (%s; %zu against %zu)\n", fabs(100 * r->improvement),
               r->improvement < 0 ? worse[r->metric] : better[r->metric],
               verdict_name(r->verdict), r->b_count, r->a_count);
    buf_printf(out, "  %-14s %s\n", "", words_verdict(&r->answer, &scratch));
}

/* Tasks that only one of them has make it a comparison of unlike things. */
static size_t count_unlike(const struct recorded_list *a, const struct recorded_list *b)
{
    size_t unlike = 0;
    const char *last = NULL;
    for (size_t i = 0; i < a->count; i++) {
        const char *task = a->items[i].task;
        if (last && strcmp(last, task) == 0) continue;
        last = task;
        size_t k = 0;
        while (k < b->count && strcmp(b->items[k].task, task) != 0) k++;
        unlike += k == b->count;
    }
    return unlike;
}

static bool find_metric(const char *name, size_t *first, size_t *end, struct error *err)
{
    *first = 0;
    *end = RECORDED_METRICS;
    if (!name) return true;
    for (size_t m = 0; m < RECORDED_METRICS; m++) {
        if (strcmp(name, recorded_metric_name((enum recorded_metric)m)) != 0) continue;
        *first = m;
        *end = m + 1;
        return true;
    }
    return error_set(err, ERROR_INVALID,
                     "no metric '%s'; there are execution_time, success_rate and cost", name);
}

static bool both_there(const struct recorded_list *a, const char *va,
                       const struct recorded_list *b, const char *vb, struct error *err)
{
    if (a->count && b->count) return true;
    return error_set(err, ERROR_NOT_FOUND, "nothing recorded of version '%s'",
                     a->count ? vb : va);
}

/* Each task that both did by itself, where there are several. */
static bool put_tasks(const struct context *c, const struct recorded_list sides[2],
                      const size_t range[2], struct buf *out, struct json *j, struct error *err)
{
    const char **tasks = NULL;
    size_t count = recorded_tasks(&sides[0], &sides[1], c->arena, &tasks);
    if (count < 2) count = 0;
    if (j) json_key(j, "tasks"), json_list(j);
    for (size_t i = 0; i < count; i++) {
        struct recorded_list a = recorded_of_task(&sides[0], tasks[i], c->arena);
        struct recorded_list b = recorded_of_task(&sides[1], tasks[i], c->arena);
        if (j) {
            json_object(j);
            json_put_text(j, "task", tasks[i]);
            json_key(j, "metrics");
            json_list(j);
        } else {
            buf_printf(out, "task %s\n", tasks[i]);
        }
        for (size_t m = range[0]; m < range[1]; m++) {
            struct recorded_comparison r;
            if (!recorded_compare(&a, &b, (enum recorded_metric)m, c->arena, &r, err))
                return false;
            if (j) {
                json_object(j);
                put_comparison_json(j, &r, *c->arena);
                json_end(j);
            } else if (!isnan(r.improvement)) {
                put_comparison(out, &r, *c->arena);
            }
        }
        if (j) json_end(j), json_end(j);
    }
    if (j) json_end(j);
    return true;
}

int record_print_comparison(const struct context *c, const struct recorded_list *list,
                            const char *version_a, const char *version_b, const char *metric)
{
    struct error err = {0};
    struct recorded_list a = recorded_of_version(list, version_a, c->arena);
    struct recorded_list b = recorded_of_version(list, version_b, c->arena);
    size_t first = 0;
    size_t end = 0;
    if (!find_metric(metric, &first, &end, &err) ||
        !both_there(&a, version_a, &b, version_b, &err)) {
        return command_fail(&err);
    }
    struct recorded_comparison r[RECORDED_METRICS];
    for (size_t m = first; m < end; m++) {
        if (!recorded_compare(&a, &b, (enum recorded_metric)m, c->arena, &r[m], &err)) {
            return command_fail(&err);
        }
    }
    size_t unlike = count_unlike(&a, &b) + count_unlike(&b, &a);
    struct buf out;
    struct json j;
    const struct recorded_list sides[2] = {a, b};
    const size_t range[2] = {first, end};
    bool done = true;
    buf_init(&out, TEXT_MAX);
    if (c->json) {
        json_open(&j, &out, "assay.record.compare/1");
        json_put_text(&j, "v1", version_a);
        json_put_text(&j, "v2", version_b);
        put_comparison_json(&j, &r[first], *c->arena);
        json_put_bool(&j, "same_tasks", unlike == 0);
        json_key(&j, "metrics");
        json_list(&j);
        for (size_t m = first; m < end; m++) {
            json_object(&j);
            put_comparison_json(&j, &r[m], *c->arena);
            json_end(&j);
        }
        json_end(&j);
        done = put_tasks(c, sides, range, &out, &j, &err);
        json_close(&j);
    } else {
        buf_printf(&out, "%s -> %s\n", version_a, version_b);
        for (size_t m = first; m < end; m++) put_comparison(&out, &r[m], *c->arena);
        done = put_tasks(c, sides, range, &out, NULL, &err);
        if (unlike) {
            buf_text(&out, "  ! they did not do the same tasks: only common ones count\n");
        }
    }
    if (done) return finish(c, &out);
    buf_release(&out);
    return command_fail(&err);
}

/* ---- report ---- */

static void put_weeks_json(struct json *j, const struct recorded_week *weeks, size_t count)
{
    json_key(j, "weeks");
    json_list(j);
    for (size_t i = 0; i < count; i++) {
        const struct recorded_week *w = &weeks[i];
        bool has_before = i > 0;
        json_object(j);
        json_put_text(j, "monday", w->monday);
        put_stats_json(j, &w->stats);
        put_percent(j, "improvement_percent", has_before ? w->time.improvement : (double)NAN);
        json_put_text(j, "verdict", has_before ? verdict_name(w->time.verdict) : NULL);
        const struct verdict_answer *a =
            has_before && w->time.answer.arm[0].n ? &w->time.answer : NULL;
        struct arena scratch = arena_open();
        json_put_text(j, "sentence", a ? words_verdict(a, &scratch) : NULL);
        json_put_text(j, "next", a ? words_next(a, &scratch) : NULL);
        arena_close(&scratch);
        json_put_text(j, "told", w->told);
        json_end(j);
    }
    json_end(j);
}

static void put_weeks(struct buf *out, const struct recorded_week *weeks, size_t count)
{
    buf_text(out, "week over week\n");
    for (size_t i = 0; i < count; i++) {
        const struct recorded_week *w = &weeks[i];
        char mean[HUMAN_SIZE];
        buf_printf(out, "  %s  %6zu  %5.1f %% ok  mean %s", w->monday, w->stats.count,
                   100 * w->stats.success.estimate,
                   human_value("s", w->stats.times.mean, mean));
        if (i > 0 && !isnan(w->time.improvement)) {
            buf_printf(out, "  %.1f %% %s, %s", fabs(100 * w->time.improvement),
                       w->time.improvement < 0 ? "slower" : "faster",
                       w->told ? w->told : verdict_name(w->time.verdict));
        }
        buf_add_char(out, '\n');
    }
}

struct reported {
    const char *version;
    struct recorded_list list;
    struct recorded_stats stats;
    struct recorded_comparison against[RECORDED_METRICS]; /* the version before */
};

static bool gather(const struct context *c, const struct recorded_list *list,
                   const char *const *names, size_t count, struct reported *to,
                   struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct reported *r = &to[i];
        r->version = names[i];
        r->list = recorded_of_version(list, names[i], c->arena);
        r->stats = recorded_stats(r->list.items, r->list.count, *c->arena);
        if (r->list.count == 0) {
            return error_set(err, ERROR_NOT_FOUND, "nothing recorded of version '%s'",
                             names[i]);
        }
        for (size_t m = 0; i > 0 && m < RECORDED_METRICS; m++) {
            if (!recorded_compare(&to[i - 1].list, &r->list, (enum recorded_metric)m, c->arena,
                                  &r->against[m], err)) {
                return false;
            }
        }
    }
    return true;
}

static void put_report_json(const struct context *c, struct buf *out, const struct reported *r,
                            size_t count, const struct recorded_week *weeks, size_t week_count)
{
    struct json j;
    json_open(&j, out, "assay.record.report/1");
    json_key(&j, "versions");
    json_list(&j);
    for (size_t i = 0; i < count; i++) {
        json_object(&j);
        json_put_text(&j, "version", r[i].version);
        put_stats_json(&j, &r[i].stats);
        json_key(&j, "against_previous");
        json_list(&j);
        for (size_t m = 0; i > 0 && m < RECORDED_METRICS; m++) {
            json_object(&j);
            put_comparison_json(&j, &r[i].against[m], *c->arena);
            json_end(&j);
        }
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    put_weeks_json(&j, weeks, week_count);
    json_close(&j);
}

int record_print_report(const struct context *c, const struct recorded_list *list,
                        const char *const *versions)
{
    struct error err = {0};
    const char **all = NULL;
    size_t count = 0;
    while (versions[count]) count++;
    if (count == 0) {
        count = recorded_versions(list, c->arena, &all);
        versions = all;
    }
    struct reported *r = arena_new(c->arena, struct reported, count + 1);
    struct recorded_week *weeks = NULL;
    size_t week_count = 0;
    if (!gather(c, list, versions, count, r, &err) ||
        !recorded_weeks(list, c->arena, &weeks, &week_count, &err)) {
        return command_fail(&err);
    }
    struct buf out;
    buf_init(&out, TEXT_MAX);
    if (c->json) {
        put_report_json(c, &out, r, count, weeks, week_count);
        return finish(c, &out);
    }
    for (size_t i = 0; i < count; i++) {
        buf_printf(&out, "version %s\n", r[i].version);
        put_stats(&out, &r[i].stats);
        if (i > 0) buf_printf(&out, "%s -> %s\n", r[i - 1].version, r[i].version);
        for (size_t m = 0; i > 0 && m < RECORDED_METRICS; m++) {
            if (!isnan(r[i].against[m].improvement))
                put_comparison(&out, &r[i].against[m], *c->arena);
        }
        buf_add_char(&out, '\n');
    }
    put_weeks(&out, weeks, week_count);
    return finish(c, &out);
}
