/* Is this machine fit to measure? */
#include "base/human.h"
#include "report/answers.h"
#include "report/doctor_words.h"
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
        table_add(&t, "%s", doctor_words_name(c));
        table_add(&t, "%s", doctor_words_value(c, &scratch));
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
        const char *advice = doctor_words_advice(c);
        buf_printf(out, "  %s: %s\n", doctor_words_name(c),
                   advice ? advice : "nothing can be done");
    }
}

static void put_noise(const struct doctor_noise *n, struct buf *out)
{
    char text[HUMAN_SIZE];
    const struct verdict_effect *e = &n->answer.effect;
    buf_printf(out,
               "\nA/A test, %s: the same work against itself, %zu pairs in %zu session%s\n",
               n->workload, n->pairs, n->sessions, PLURAL(n->sessions));
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

static void doctor_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct doctor_report *r = answer;
    struct arena scratch = arena_open();
    put_checks(r, scratch, out);
    for (size_t i = 0; i < r->noise_count; i++) put_noise(&r->noise[i], out);
    arena_close(&scratch);
}

/* ---- JSON ---- */

LAYOUT_WORD_IS(status_of, const struct doctor_check *x, doctor_status_name(x->status))
LAYOUT_WORD_IS(name_of, const struct doctor_check *x, doctor_words_name(x))
LAYOUT_WORD_IS(advice_of, const struct doctor_check *x, doctor_words_advice(x))
LAYOUT_SENTENCE_IS(value_of, const struct doctor_check *x, doctor_words_value(x, scratch))

#define OF struct doctor_check
static const struct layout_field check_fields[] = {
    LAYOUT_WORD("name", name_of, "what was looked at"),
    LAYOUT_WORD("status", status_of, "ok, warning or unknown"),
    LAYOUT_SENTENCE("value", value_of, "what was found"),
    LAYOUT_WORD("advice", advice_of, "what to do; null where all is well"),
};
static const struct layout check_layout = LAYOUT_OF(OF, check_fields);
#undef OF

LAYOUT_WORD_IS(aa_verdict, const struct doctor_noise *x, verdict_name(x->answer.verdict))
LAYOUT_SENTENCE_IS(aa_sentence, const struct doctor_noise *x,
                   words_verdict(&x->answer, scratch))
LAYOUT_SENTENCE_IS(aa_next, const struct doctor_noise *x, words_next(&x->answer, scratch))

static void put_mde(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct doctor_noise *n = owner;
    json_list(j);
    for (size_t k = 0; k < DOCTOR_BUDGETS; k++) {
        json_object(j);
        json_put_int(j, "n", (int64_t)n->budgets[k]);
        json_put_real(j, "relative", n->mde[k]);
        json_end(j);
    }
    json_end(j);
}

#define OF struct doctor_noise
static const struct layout_field aa_fields[] = {
    LAYOUT_FIELD("ratio", answer.effect.ratio, "B / A, which are the same"),
    LAYOUT_FIELD("low", answer.effect.low, "lower end of its interval"),
    LAYOUT_FIELD("high", answer.effect.high, "upper end"),
    LAYOUT_WORD("verdict", aa_verdict, "of all pairs; better and worse are false"),
    LAYOUT_SENTENCE("sentence", aa_sentence, "the verdict in words"),
    LAYOUT_SENTENCE("next", aa_next, "what would decide it; null where it is decided"),
    LAYOUT_FIELD("blocks", blocks, "of 10 pairs that were judged"),
    LAYOUT_FIELD("false_verdicts", false_verdicts, "of them better or worse"),
};
static const struct layout aa_layout = LAYOUT(aa_fields);

static const struct layout_field noise_fields[] = {
    LAYOUT_FIELD("workload", workload, "spin: in-process work; command: a process a trial"),
    LAYOUT_FIELD("sessions", sessions, "runs of the test"),
    LAYOUT_FIELD("pairs", pairs, "of all sessions"),
    LAYOUT_FIELD("median_s", median_s, "a trial takes so long"),
    LAYOUT_FIELD("cv", cv, "how much it varies, robust"),
    LAYOUT_FIELD("session_spread", session_spread, "sd of the sessions' medians, relative"),
    LAYOUT_FIELD("floor", floor, "a difference below it means nothing here"),
    LAYOUT_GROUP("aa", &aa_layout, "the same work against itself"),
    LAYOUT_CALL("mde", put_mde, "array", "smallest change that n trials would probably show"),
};
static const struct layout noise_layout = LAYOUT_OF(OF, noise_fields);
#undef OF

LAYOUT_CALL_IS(put_warnings, json_int, const struct doctor_report *x,
               (int64_t)count_warnings(x))

#define OF struct doctor_report
static const struct layout_field doctor_fields[] = {
    LAYOUT_CALL("warnings", put_warnings, "integer", "checks that warn"),
    LAYOUT_LIST("checks", checks, check_count, &check_layout,
                "what is known to disturb measurements"),
    LAYOUT_LIST("noise", noise, noise_count, &noise_layout, "by workload; empty: not measured"),
};
static const struct layout doctor_layout = LAYOUT(doctor_fields);
#undef OF

/* ---- plots ---- */

static struct plot_list doctor_plots(const void *answer, struct arena *out)
{
    const struct doctor_report *r = answer;
    struct plot_effect *effects = arena_new(out, struct plot_effect, r->noise_count + 1);
    for (size_t i = 0; i < r->noise_count; i++) {
        effects[i] = (struct plot_effect){r->noise[i].workload, &r->noise[i].answer};
    }
    return plot_effects(effects, r->noise_count, "The same work against itself", NULL, out);
}

const struct answer answer_doctor = {
    ANSWER_NAME("doctor"),
    .summary = "is this machine fit to measure, and what change could it show?",
    .layout = &doctor_layout,
    .text = doctor_text,
    .plots = doctor_plots,
};
