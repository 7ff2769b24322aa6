#include "report/answer_doctor.h"

#include "base/human.h"
#include "base/json.h"
#include "report/table.h"
#include "report/words.h"

#include <math.h>

static size_t count_warnings(const struct doctor_report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->check_count; i++) n += r->checks[i].status == DOCTOR_WARNING;
    return n;
}

static void put_checks(const struct doctor_report *r, struct arena scratch, struct buf *out)
{
    struct table t;
    table_begin(&t, "lll", &scratch);
    for (size_t i = 0; i < r->check_count; i++) {
        const struct doctor_check *c = &r->checks[i];
        table_add(&t, "%s",
                  c->status == DOCTOR_OK        ? "ok"
                  : c->status == DOCTOR_WARNING ? "!"
                                                : "?");
        table_add(&t, "%s", c->name);
        table_add(&t, "%s", c->value);
    }
    table_write(&t, 0, out);
    size_t warnings = count_warnings(r);
    if (warnings == 0) {
        buf_text(out, "\nnothing about this machine is known to disturb measurements\n");
        return;
    }
    buf_text(out, "\nwhat to do:\n");
    for (size_t i = 0; i < r->check_count; i++) {
        const struct doctor_check *c = &r->checks[i];
        if (c->status != DOCTOR_WARNING) continue;
        buf_printf(out, "  %s: %s\n", c->name, c->advice ? c->advice : "nothing can be done");
    }
}

static void put_noise(const struct doctor_noise *n, struct buf *out)
{
    char text[HUMAN_SIZE];
    const struct verdict_effect *e = &n->answer.effect;
    buf_printf(out,
               "\nA/A test, %s: the same work against itself, %zu pairs in %zu session%s\n",
               n->workload, n->pairs, n->sessions, n->sessions == 1 ? "" : "s");
    buf_printf(out, "  a trial takes %s, varies by %.2g %%",
               human_value("s", n->median_s, text), 100 * n->cv);
    if (!isnan(n->session_spread)) {
        buf_printf(out, ", sessions differ by %.2g %%", 100 * n->session_spread);
    }
    buf_printf(out,
               "\n  A against A: x %.4g [%.4g, %.4g]; in blocks of 10 pairs %zu of %zu were "
               "called different\n",
               e->ratio, e->low, e->high, n->false_verdicts, n->blocks);
    buf_printf(
        out,
        "  noise floor %.2g %%: a difference below it, in 100 trials, means nothing here\n",
        100 * n->floor);
    buf_text(out, "  smallest change that would probably show:");
    for (size_t k = 0; k < DOCTOR_BUDGETS; k++) {
        if (isnan(n->mde[k])) continue;
        buf_text(out, k ? ", " : " ");
        buf_printf(out, n->mde[k] < 0.0995 ? "%.2g %%" : "%.0f %%", 100 * n->mde[k]);
        buf_printf(out, " with %zu trials a side", n->budgets[k]);
    }
    buf_add_char(out, '\n');
}

void doctor_text(const struct doctor_report *r, struct arena scratch, struct buf *out)
{
    put_checks(r, scratch, out);
    for (size_t i = 0; i < r->noise_count; i++) put_noise(&r->noise[i], out);
}

static void put_noise_json(struct json *j, const struct doctor_noise *n)
{
    json_object(j);
    json_put_text(j, "workload", n->workload);
    json_put_int(j, "sessions", (int64_t)n->sessions);
    json_put_int(j, "pairs", (int64_t)n->pairs);
    json_put_real(j, "median_s", n->median_s);
    json_put_real(j, "cv", n->cv);
    json_put_real(j, "session_spread", n->session_spread);
    json_put_real(j, "floor", n->floor);
    json_key(j, "aa");
    json_object(j);
    json_put_real(j, "ratio", n->answer.effect.ratio);
    json_put_real(j, "low", n->answer.effect.low);
    json_put_real(j, "high", n->answer.effect.high);
    struct arena scratch = arena_open();
    json_put_text(j, "verdict", verdict_name(n->answer.verdict));
    json_put_text(j, "sentence", words_verdict(&n->answer, &scratch));
    json_put_text(j, "next", words_next(&n->answer, &scratch));
    arena_close(&scratch);
    json_put_int(j, "blocks", (int64_t)n->blocks);
    json_put_int(j, "false_verdicts", (int64_t)n->false_verdicts);
    json_end(j);
    json_key(j, "mde");
    json_list(j);
    for (size_t k = 0; k < DOCTOR_BUDGETS; k++) {
        json_object(j);
        json_put_int(j, "n", (int64_t)n->budgets[k]);
        json_put_real(j, "relative", n->mde[k]);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void doctor_json(const struct doctor_report *r, struct buf *out)
{
    struct json j;
    json_open(&j, out, "assay.doctor/1");
    json_put_int(&j, "warnings", (int64_t)count_warnings(r));
    json_key(&j, "checks");
    json_list(&j);
    for (size_t i = 0; i < r->check_count; i++) {
        json_object(&j);
        json_put_text(&j, "name", r->checks[i].name);
        json_put_text(&j, "status", doctor_status_name(r->checks[i].status));
        json_put_text(&j, "value", r->checks[i].value);
        json_put_text(&j, "advice", r->checks[i].advice);
        json_end(&j);
    }
    json_end(&j);
    json_key(&j, "noise");
    json_list(&j);
    for (size_t i = 0; i < r->noise_count; i++) put_noise_json(&j, &r->noise[i]);
    json_end(&j);
    json_close(&j);
}
