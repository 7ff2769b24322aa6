/* Why one is ahead: the effect of `versus` in parts that add up to it. */
#include "base/human.h"
#include "judge/why.h"
#include "report/answers.h"
#include "report/table.h"

#include <math.h>

static const char *flip_of(const struct why_case *c)
{
    const struct versus_case *of = c->of;
    if (!of->is_judged) return "not judged";
    if (of->passed[0] && !of->passed[1]) return "only A passes";
    if (!of->passed[0] && of->passed[1]) return "only B passes";
    return of->passed[0] ? "both pass" : "neither passes";
}

/* ---- JSON ---- */

#define OF struct why_factor
static const struct layout_field factor_fields[] = {
    LAYOUT_FIELD("name", name, "score, or the part of it"),
    LAYOUT_FIELD("part", part, "of the effect, in points of the overall score"),
    LAYOUT_FIELD("share", share, "part / effect; null: the effect is 0"),
    LAYOUT_ROW(
        "values", value,
        "of A and of B: the score as in versus; with a unit, the mean over the cases in which "
        "both have it"),
    LAYOUT_FIELD("unit", unit, "of the values; null: a score"),
    LAYOUT_FIELD("cases", cases, "in which it differs"),
};
static const struct layout factor_layout = LAYOUT_OF(OF, factor_fields);
#undef OF

LAYOUT_WORD_IS(case_benchmark, const struct why_case *c, c->of->benchmark)
LAYOUT_WORD_IS(case_name, const struct why_case *c, c->of->name)
LAYOUT_WORD_IS(case_flip, const struct why_case *c, flip_of(c))

static void put_by_score(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct why_case *c = owner;
    json_object(j);
    for (int i = 0; i < SCORE_COUNT; i++)
        json_put_real(j, score_name((enum score_id)i), c->by_score[i]);
    json_end(j);
}

#define OF struct why_case
static const struct layout_field case_fields[] = {
    LAYOUT_WORD("benchmark", case_benchmark, "its name"),
    LAYOUT_WORD("case", case_name, "its name"),
    LAYOUT_FIELD("part", part, "of the effect"),
    LAYOUT_FIELD("share", share, "part / effect; null: the effect is 0"),
    LAYOUT_CALL("by_score", put_by_score, "object", "parts of the five scores; they add up"),
    LAYOUT_WORD("outcome", case_flip, "who passes"),
};
static const struct layout case_layout = LAYOUT_OF(OF, case_fields);
#undef OF

#define OF struct why_setting
static const struct layout_field setting_fields[] = {
    LAYOUT_FIELD("name", name, "what differs"),
    LAYOUT_ROW("values", value, "of A and of B; null: it has none"),
};
static const struct layout setting_layout = LAYOUT_OF(OF, setting_fields);
#undef OF

LAYOUT_WORD_IS(agent_a, const struct why *w, w->versus->agent[0].name)
LAYOUT_WORD_IS(agent_b, const struct why *w, w->versus->agent[1].name)
LAYOUT_WORD_IS(suite_of, const struct why *w, w->versus->suite.name)
LAYOUT_WORD_IS(verdict_of, const struct why *w, verdict_name(w->versus->overall.verdict))
LAYOUT_FIGURE_IS(low_of, const struct why *w, w->versus->overall.low)
LAYOUT_FIGURE_IS(high_of, const struct why *w, w->versus->overall.high)

static const char *sentence_of(const void *owner, struct arena *out)
{
    const struct why *w = owner;
    const struct versus *v = w->versus;
    if (w->case_count == 0) return "Nothing can be taken apart: no case has scores of both.";
    const struct why_factor *f = &w->factors[0];
    const struct why_case *c = &w->cases[0];
    bool are_equal = w->effect == 0 && f->part == 0 && c->part == 0; /* the largest parts */
    if (are_equal) {
        return arena_printf(out, "%s and %s have equal scores in all %zu cases.",
                            v->agent[0].name, v->agent[1].name, w->case_count);
    }
    return arena_printf(out,
                        "%s %s %s by %.3f (%s): most of it is %s (%+.3f); the case that adds "
                        "most is %s/%s (%+.3f); %zu of %zu cases make %.0f %% of what differs.",
                        v->agent[1].name, w->effect < 0 ? "is behind" : "is ahead of",
                        v->agent[0].name, fabs(w->effect), verdict_name(v->overall.verdict),
                        f->name, f->part, c->of->benchmark, c->of->name, c->part, w->telling,
                        w->case_count, 100 * WHY_TELLING);
}

#define OF struct why
static const struct layout_field why_fields[] = {
    LAYOUT_WORD("agent_a", agent_a, "the baseline"),
    LAYOUT_WORD("agent_b", agent_b, "the contender"),
    LAYOUT_WORD("suite", suite_of, "its name"),
    LAYOUT_SENTENCE("sentence", sentence_of, "where most of it is"),
    LAYOUT_FIELD("effect", effect, "of versus: B - A in points of the overall score"),
    LAYOUT_FIGURE("low", low_of, "lower end of its interval"),
    LAYOUT_FIGURE("high", high_of, "upper end"),
    LAYOUT_WORD("verdict", verdict_of, "of versus"),
    LAYOUT_FIELD("rest", rest, "effect less the sum of the parts"),
    LAYOUT_FIELD("telling", telling, "cases that make 90 % of the parts without their signs"),
    LAYOUT_LIST("factors", factors, factor_count, &factor_layout, "largest part first"),
    LAYOUT_LIST("cases", cases, case_count, &case_layout, "largest part first"),
    LAYOUT_POINTER("case", only, &case_layout, "the one that was asked about; null: all"),
    LAYOUT_LIST("settings", settings, setting_count, &setting_layout,
                "what differs between the two, besides their answers"),
};
static const struct layout why_layout = LAYOUT(why_fields);
#undef OF

/* ---- text ---- */

static void add_share(struct table *t, double share)
{
    table_add(t, isnan(share) ? "-" : "%.0f %%", 100 * share + 0.0);
}

static void put_factors(const struct why *w, struct buf *out)
{
    struct arena scratch = arena_open();
    struct table t;
    table_begin(&t, "lrrrrr", &scratch);
    const char *const head[] = {
        "where", "part", "share", w->versus->agent[0].name, w->versus->agent[1].name, "cases"};
    table_row(&t, head);
    for (size_t i = 0; i < w->factor_count; i++) {
        const struct why_factor *f = &w->factors[i];
        table_add(&t, "%s", f->name);
        table_add(&t, "%+.4f", f->part);
        add_share(&t, f->share);
        for (int k = 0; k < 2; k++) {
            char text[HUMAN_SIZE];
            table_add(&t, "%s",
                      isnan(f->value[k]) ? "-"
                      : f->unit          ? human_value(f->unit, f->value[k], text)
                                         : arena_printf(&scratch, "%.3f", f->value[k]));
        }
        table_add(&t, "%zu", f->cases);
    }
    table_write(&t, 2, out);
    arena_close(&scratch);
}

static void put_cases(const struct why *w, bool all, struct buf *out)
{
    enum { SHOWN = 12 };
    struct arena scratch = arena_open();
    struct table t;
    size_t shown = all ? w->case_count : w->telling < SHOWN ? w->telling : SHOWN;
    table_begin(&t, "lrrl", &scratch);
    const char *const head[] = {"case", "part", "share", ""};
    table_row(&t, head);
    for (size_t i = 0; i < shown; i++) {
        const struct why_case *c = &w->cases[i];
        table_add(&t, "%s/%s", c->of->benchmark, c->of->name);
        table_add(&t, "%+.4f", c->part);
        add_share(&t, c->share);
        table_add(&t, "%s", flip_of(c));
    }
    table_write(&t, 2, out);
    if (shown < w->case_count) {
        double left = 0;
        for (size_t i = shown; i < w->case_count; i++) left += w->cases[i].part;
        buf_printf(out, "  %zu more cases together: %+.4f (--all lists them)\n",
                   w->case_count - shown, left);
    }
    arena_close(&scratch);
}

/* One case: what each score adds, with what it was made of. */
static void put_only(const struct why *w, struct buf *out)
{
    const struct why_case *c = w->only;
    struct arena scratch = arena_open();
    struct table t;
    buf_printf(out, "\n%s/%s: %s; it adds %+.4f to the effect\n", c->of->benchmark, c->of->name,
               flip_of(c), c->part);
    table_begin(&t, "lrrr", &scratch);
    const char *const head[] = {"score", "part", w->versus->agent[0].name,
                                w->versus->agent[1].name};
    table_row(&t, head);
    for (int i = 0; i < SCORE_COUNT; i++) {
        table_add(&t, "%s", score_name((enum score_id)i));
        table_add(&t, "%+.4f", c->by_score[i]);
        for (int k = 0; k < 2; k++) {
            double v = c->of->row[k]->score[i];
            table_add(&t, isnan(v) ? "-" : "%.3f", v);
        }
    }
    const struct {
        const char *name;
        const char *unit;
        double value[2];
    } uses[] = {
#define USE(name, unit, field)                                       \
    {                                                                \
        name, unit,                                                  \
        {                                                            \
            c->of->row[0]->values.field, c->of->row[1]->values.field \
        }                                                            \
    }
        USE("duration", "s", duration_s), USE("CPU time", "s", cpu_s),
        USE("memory", "MB", memory_mb),   USE("tokens", "1", tokens),
        USE("cost", "USD", cost_usd),
#undef USE
    };
    for (size_t i = 0; i < COUNT(uses); i++) {
        if (!isfinite(uses[i].value[0]) && !isfinite(uses[i].value[1])) continue;
        table_add(&t, "%s", uses[i].name);
        table_add(&t, "%s", "");
        for (int k = 0; k < 2; k++) {
            char text[HUMAN_SIZE];
            table_add(&t, "%s",
                      !isfinite(uses[i].value[k])
                          ? "-"
                          : human_value(uses[i].unit, uses[i].value[k], text));
        }
    }
    table_write(&t, 2, out);
    buf_printf(out, "  answers: assay cases --case %s/%s --agent %s --agent %s\n",
               c->of->benchmark, c->of->name, w->versus->agent[0].name,
               w->versus->agent[1].name);
    arena_close(&scratch);
}

static void why_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct why *w = answer;
    const struct versus *v = w->versus;
    struct arena scratch = arena_open();
    buf_printf(out, "%s\n", sentence_of(w, &scratch));
    arena_close(&scratch);
    if (look->quiet || w->case_count == 0) return;
    if (w->only) {
        put_only(w, out);
        return;
    }
    buf_printf(out,
               "\nA is %s, B is %s, on %s: overall B - A = %+.4f [%.4f, %.4f], as versus has "
               "it\n\nBy factor (parts add up to the effect)\n",
               v->agent[0].name, v->agent[1].name, v->suite.name, w->effect, v->overall.low,
               v->overall.high);
    put_factors(w, out);
    buf_printf(out, "\nBy case (parts add up to the effect; %zu of %zu make %.0f %% of it)\n",
               w->telling, w->case_count, 100 * WHY_TELLING);
    put_cases(w, look->all, out);
    if (w->setting_count) buf_text(out, "\nWhat differs between the two\n");
    for (size_t i = 0; i < w->setting_count; i++) {
        const struct why_setting *s = &w->settings[i];
        buf_printf(out, "  %s: %.100s, %.100s\n", s->name, s->value[0] ? s->value[0] : "none",
                   s->value[1] ? s->value[1] : "none");
    }
    buf_printf(
        out,
        "\nrule: a case's part is its weight times the difference of its scores; speed is "
        "parted by\nthe seconds of phases, efficiency by the logarithms of its uses; "
        "threshold: cases are\nlisted until %.0f %% of the parts, without their signs, "
        "are shown, 12 at most\n",
        100 * WHY_TELLING);
}

const struct answer answer_why = {
    ANSWER_NAME("why"),
    .summary = "why one agent is ahead: the effect in parts that add up to it",
    .layout = &why_layout,
    .text = why_text,
};
