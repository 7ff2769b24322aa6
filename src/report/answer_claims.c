/* The words of a claim are made of parts (put_what, put_value, put_wanted, ...), each of which
 * may have nothing to say. Text, Markdown and HTML differ in which parts they take and what they
 * put between them, so that a number reads the same in all of them. Claims that have a group read
 * as a report does, "name: before -> after (change)"; the others as sentences. */
#include "report/answer_claims.h"

#include "base/human.h"
#include "base/id.h"
#include "base/plain.h"
#include "report/answers.h"
#include "report/format_markdown.h"
#include "report/words.h"

#include <math.h>

/* One number of the claim, in the metric's own unit where it has one. */
static const char *show(const struct claim *c, double v, char *text)
{
    if (c->unit[0]) return human_value(c->unit, v, text);
    snprintf(text, HUMAN_SIZE, "%.4g", v);
    return text;
}

/* ---- the parts of a claim, as every format words them ---- */

static void put_what(const struct claim *c, struct buf *out)
{
    const char *what = claim_kind_name(c->kind);
    if (c->kind == CLAIM_EQUAL_WITHIN) what = c->min <= 0 ? "difference" : "ratio";
    if (c->kind >= CLAIM_AT_LEAST) what = "level";
    buf_printf(out, "%s of %s", what, c->metric);
}

static void put_value(const struct claim *c, struct buf *out)
{
    char text[HUMAN_SIZE];
    if (!isnan(c->value)) buf_text(out, show(c, c->value, text));
}

static void put_interval(const struct claim *c, struct buf *out)
{
    char text[2][HUMAN_SIZE];
    if (isnan(c->low)) return;
    buf_printf(out, "[%s, %s]", show(c, c->low, text[0]), show(c, c->high, text[1]));
}

/* "at least 0.45", "at most 11 s", "0.97 to 1.03"; nothing without a limit. */
static void put_wanted(const struct claim *c, struct buf *out)
{
    char text[2][HUMAN_SIZE];
    bool has_min = !isnan(c->min);
    bool has_max = !isnan(c->max);
    if (!has_min && !has_max) return;
    buf_printf(out, "%s%s%s%s", has_min ? (has_max ? "" : "at least ") : "at most ",
               has_min ? show(c, c->min, text[0]) : "", has_min && has_max ? " to " : "",
               has_max ? show(c, c->max, text[1]) : "");
}

static void put_promised(const struct claim *c, struct buf *out)
{
    char text[2][HUMAN_SIZE];
    if (isnan(c->band[0])) return;
    buf_printf(out, "promised %s to %s", show(c, c->band[0], text[0]),
               show(c, c->band[1], text[1]));
}

static void put_evidence(const struct claim *c, struct buf *out)
{
    if (c->subjects == 0) return;
    if (c->kind >= CLAIM_AT_LEAST) {
        buf_printf(out, "n = %zu", c->n[1]);
        /* Fewer than 6 values have no interval at 95 %: all of them decide. */
        if (c->n[1] > 0 && c->confidence < 0.9499)
            buf_printf(out, ", confidence %.4g %%", 100 * c->confidence);
    } else if (c->is_paired) {
        buf_printf(out, "%zu pairs", c->n[0] < c->n[1] ? c->n[0] : c->n[1]);
    } else {
        buf_printf(out, "n = %zu and %zu", c->n[0], c->n[1]);
    }
    if (c->together == c->subjects) {
        buf_printf(out, "; all %zu cells together", c->subjects);
    } else if (c->together > 0) {
        buf_printf(out, "; %zu of %zu cells together, of %s", c->together, c->subjects,
                   c->agent ? c->agent : "one kind");
    } else if (c->subjects > 1) {
        buf_printf(out, "; of %zu cells decided by %s", c->subjects, c->label);
    }
    if (c->failed > 0) buf_printf(out, "; %zu of %zu trials failed", c->failed, c->trials);
    if (c->silent > 0)
        buf_printf(out, "; %zu of %zu trials do not report %s", c->silent, c->trials,
                   c->metric);
}

/* A part with what separates it from those before, if it says anything. */
static void put_part(void (*part)(const struct claim *, struct buf *), const struct claim *c,
                     const char *before, const char *after, struct buf *out)
{
    struct buf piece;
    buf_init(&piece, 1 << 16);
    part(c, &piece);
    if (piece.n > 0) buf_printf(out, "%s%s%s", before, piece.p, after);
    buf_release(&piece);
}

static void put_sentence(const struct claim *c, struct buf *out)
{
    put_what(c, out);
    put_part(put_value, c, " ", "", out);
    put_part(put_interval, c, " ", "", out);
    put_part(put_wanted, c, ", wanted ", "", out);
    put_part(put_promised, c, ", ", "", out);
}

const char *claims_reason(const struct claim *c, struct arena *out)
{
    const struct claim_reason *r = &c->reason;
    switch (r->code) {
    case CLAIM_DECIDED: return c->outcome == CLAIM_FAILS ? c->stated : NULL;
    case CLAIM_LIMIT_INSIDE:
        return arena_printf(out, "the interval includes the limit of %.4g: measure more",
                            r->limit);
    case CLAIM_UNJUDGED:
        return arena_printf(out, "%zu of %zu outcomes were not judged", r->n, r->of);
    case CLAIM_MISSING:
        return arena_printf(out,
                            "%zu of %zu trials%s failed: they might have decided it "
                            "otherwise",
                            r->n, r->of, c->kind < CLAIM_AT_LEAST ? " of the contender" : "");
    case CLAIM_GONE:
        return arena_printf(out,
                            "%zu of %zu values of the contender are missing, which the "
                            "baseline has",
                            r->n, r->of);
    case CLAIM_SILENT:
        return arena_printf(out,
                            "%zu of %zu trials%s succeeded without reporting %s: they might "
                            "have decided it otherwise",
                            r->n, r->of, c->kind < CLAIM_AT_LEAST ? " of the contender" : "",
                            c->metric);
    case CLAIM_LOST:
        return arena_printf(
            out, "nothing was measured of %zu cell%s that it is about as well (%s%s)", r->n,
            r->n == 1 ? "" : "s", r->names[0], r->n > 1 ? ", ..." : "");
    case CLAIM_ALL_LEFT_OUT: return "no trial gave a value";
    case CLAIM_SIDE_EMPTY:
        return arena_printf(out, "no trial of the %s gave a value",
                            r->n ? "contender" : "baseline");
    case CLAIM_NO_PAIRS: return "there is no pair of which both gave a value";
    case CLAIM_FEW: return words_too_few(r->n, c->is_paired ? "pairs" : "values", r->of, out);
    case CLAIM_NO_RATIO: return "values are below 0, or all are 0: there is no ratio";
    case CLAIM_NO_INTERVAL: return "no interval exists";
    case CLAIM_GAP: return words_gap(&r->gap, words_sides, out);
    case CLAIM_NO_KIND: return "it expects nothing";
    case CLAIM_NO_SUBJECT: return "its 'compare' says neither param, agents, versions nor runs";
    case CLAIM_NO_CELL: return arena_printf(out, "no cell of the run gives '%s'", c->metric);
    case CLAIM_NO_TWO_CELLS:
        return arena_printf(
            out, "the run has no two cells that differ in '%s' as claimed and have '%s'",
            r->names[0], c->metric);
    case CLAIM_NO_BENCHMARK:
        return arena_printf(out, "the run has no benchmark that both %s and %s did",
                            r->names[0], r->names[1]);
    case CLAIM_NO_VERSIONS:
        return arena_printf(out, "versions %s and %s have no execution in common", r->names[0],
                            r->names[1]);
    case CLAIM_NO_RUNS: return "the two runs have no cell in common";
    case CLAIM_UNFINISHED: return words_unfinished(r->cut, out);
    case CLAIM_OTHER: return r->text;
    }
    return NULL;
}

/* ---- text ---- */

/* Under its name: what was measured, and why it does not hold. */
static void put_reasons(const struct claim *c, const char *indent, struct buf *out)
{
    struct arena scratch = arena_open();
    const char *reason = claims_reason(c, &scratch);
    if (c->expected) {
        buf_printf(out, "\n%sexpected ", indent);
        plain_add(out, str_of(c->expected), SIZE_MAX);
    }
    if (reason) {
        buf_printf(out, "\n%s%s because ", indent, claim_outcome_name(c->outcome));
        plain_add(out, str_of(reason), SIZE_MAX);
    }
    buf_add_char(out, '\n');
    arena_close(&scratch);
}

static void put_alone(const struct claim *c, struct buf *line, struct buf *out)
{
    buf_printf(out, "%-9s  ", claim_outcome_name(c->outcome));
    plain_add(out, str_of(c->name), SIZE_MAX);
    buf_clear(line);
    put_sentence(c, line);
    put_part(put_evidence, c, " (", ")", line);
    buf_text(out, "\n           ");
    plain_add(out, buf_str(line), SIZE_MAX);
    put_reasons(c, "           ", out);
}

/* ---- claims in groups: "name: before -> after (change)" ---- */

static const char *level(const struct claim_levels *l, double v, char *text)
{
    if (strcmp(l->unit, "1") != 0) return human_value(l->unit, v, text);
    snprintf(text, HUMAN_SIZE, "%.4g", v);
    return text;
}

static void put_levels(const struct claim_levels *l, struct buf *out)
{
    char text[HUMAN_SIZE];
    if (!l->metric || isnan(l->after)) return;
    if (!isnan(l->before)) buf_printf(out, "%s -> ", level(l, l->before, text));
    buf_printf(out, "%s %s", level(l, l->after, text), l->metric);
}

/* "14.6 % less": of pairs it is not what the two levels differ by. */
static void put_change(const struct claim *c, struct buf *out)
{
    char text[HUMAN_SIZE];
    if (isnan(c->value) || isnan(c->levels.before)) return;
    switch (c->kind) {
    case CLAIM_REDUCTION:
    case CLAIM_GAIN: {
        double more = c->kind == CLAIM_GAIN ? c->value : -c->value;
        buf_printf(out, "%.3g %% %s", 100 * fabs(more), more > 0 ? "more" : "less");
        break;
    }
    case CLAIM_SPEEDUP: buf_printf(out, "%.3g x as fast", c->value); break;
    case CLAIM_DIFFERENCE:
        buf_printf(out, "%s%s", c->value > 0 ? "+" : "", show(c, c->value, text));
        break;
    default: return;
    }
    if (c->is_paired) buf_text(out, " in pairs");
}

static void put_grouped(const struct claim *c, struct buf *line, struct buf *out)
{
    buf_clear(line);
    buf_printf(line, "%s: ", c->name);
    put_levels(&c->levels, line);
    put_part(put_change, c, " (", ")", line);
    buf_printf(out, "  %-9s  ", claim_outcome_name(c->outcome));
    plain_add(out, buf_str(line), SIZE_MAX);
    buf_clear(line);
    if (c->also.metric) {
        buf_text(line, "with ");
        put_levels(&c->also, line);
        buf_text(line, "; ");
    }
    put_sentence(c, line);
    put_part(put_evidence, c, " (", ")", line);
    buf_text(out, "\n             ");
    plain_add(out, buf_str(line), SIZE_MAX);
    put_reasons(c, "             ", out);
}

void claims_total(const struct claims *claims, const char *before, const char *between,
                  const char *after, struct buf *out)
{
    if (!claims) return;
    double readiness = claims_readiness(claims);
    buf_printf(out, "%s%zu of %zu claim%s hold%s", before, claims->holding, claims->count,
               PLURAL(claims->count), claims->count == 1 ? "s" : "");
    if (!isnan(readiness)) {
        buf_printf(out,
                   "%sReadiness: %.1f of 10 (10 x the mean, over groups, of the share of "
                   "claims that hold)",
                   between, readiness);
    }
    buf_text(out, after);
}

static const char rule[] =
    "=============================================================================\n";

static void put_groups(const struct claims *claims, struct buf *line, struct buf *out)
{
    buf_printf(out, "%.30s BENCHMARK RESULTS %.28s\n", rule, rule);
    for (size_t i = 0; i < claims->count; i++) {
        if (!claims_opens_group(claims, i)) continue;
        const char *group = claims->items[i].group;
        buf_add_char(out, '\n');
        plain_add(out, str_of(group ? group : "Other claims"), SIZE_MAX);
        buf_text(out, ":\n");
        for (size_t k = i; k < claims->count; k++) {
            if (claim_shares_group(&claims->items[k], &claims->items[i]))
                put_grouped(&claims->items[k], line, out);
        }
    }
    buf_printf(out, "\n%s", rule);
    claims_total(claims, "OVERALL: ", "\n", "\n", out);
    buf_text(out, rule);
}

static bool has_groups(const struct claims *claims)
{
    for (size_t i = 0; i < claims->count; i++) {
        if (claims->items[i].group) return true;
    }
    return false;
}

void claims_lines(const struct claims *claims, struct buf *out)
{
    if (claims->count == 0) return;
    struct buf line;
    buf_init(&line, 1 << 20);
    if (has_groups(claims)) {
        put_groups(claims, &line, out);
    } else {
        for (size_t i = 0; i < claims->count; i++) put_alone(&claims->items[i], &line, out);
        claims_total(claims, "", "\n", "\n", out);
    }
    buf_release(&line);
}

static void claims_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct claims *claims = answer;
    if (claims->count == 0)
        buf_printf(out, "run %s claims nothing\n", id_short(claims->run_id));
    claims_lines(claims, out);
}

/* ---- Markdown and HTML ---- */

static void put_outcome(const struct claim *c, struct buf *out)
{
    buf_text(out, claim_outcome_name(c->outcome));
    struct arena scratch = arena_open();
    const char *reason = claims_reason(c, &scratch);
    if (reason) buf_printf(out, ": %s", reason);
    arena_close(&scratch);
}

static void put_limits(const struct claim *c, struct buf *out)
{
    put_wanted(c, out);
    put_part(put_promised, c, isnan(c->min) && isnan(c->max) ? "" : ", ", "", out);
    if (c->expected) buf_printf(out, "; expected %s", c->expected);
}

static void put_confident(const struct claim *c, struct buf *out)
{
    put_interval(c, out);
    if (!isnan(c->low)) buf_printf(out, " (%.4g %%)", 100 * c->confidence);
}

static void put_name(const struct claim *c, struct buf *out)
{
    if (c->group) buf_printf(out, "%s: ", c->group);
    buf_text(out, c->name);
}

static void put_both(const struct claim *c, struct buf *out)
{
    put_levels(&c->levels, out);
    put_part(put_change, c, " (", ")", out);
    if (!c->also.metric) return;
    buf_text(out, "; ");
    put_levels(&c->also, out);
}

static const struct {
    const char *title;
    void (*put)(const struct claim *c, struct buf *out);
} columns[] = {
    {"claim", put_name},    {"verdict", put_outcome},   {"about", put_what},
    {"levels", put_both},   {"measured", put_value},    {"interval", put_confident},
    {"wanted", put_limits}, {"evidence", put_evidence},
};

void claims_markdown(const struct claims *claims, struct buf *out)
{
    if (!claims) return;
    struct buf piece;
    buf_init(&piece, 1 << 20);
    buf_text(out, "\n## Claims\n\n");
    for (size_t k = 0; k < COUNT(columns); k++) buf_printf(out, "| %s ", columns[k].title);
    buf_text(out, "|\n");
    for (size_t k = 0; k < COUNT(columns); k++) buf_text(out, "|---");
    buf_text(out, "|\n");
    for (size_t i = 0; i < claims->count; i++) {
        for (size_t k = 0; k < COUNT(columns); k++) {
            buf_clear(&piece);
            columns[k].put(&claims->items[i], &piece);
            markdown_say(out, "| %s ", piece.p);
        }
        buf_text(out, "|\n");
    }
    buf_release(&piece);
}

void claims_html(struct page *p)
{
    const struct claims *claims = p->view->claims;
    if (!claims) return;
    html_open(p, "Claims", "Decided by the interval, never by the measured value alone.");
    buf_text(p->out, "<table><thead><tr>");
    for (size_t k = 0; k < COUNT(columns); k++) {
        buf_printf(p->out, "<th>%s</th>", columns[k].title);
    }
    buf_text(p->out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < claims->count; i++) {
        bool is_bad = claims->items[i].outcome == CLAIM_FAILS;
        buf_text(p->out, "<tr>");
        for (size_t k = 0; k < COUNT(columns); k++) {
            bool is_verdict = columns[k].put == put_outcome;
            buf_printf(p->out, "<td%s>", is_verdict && is_bad ? " class=\"bad\"" : "");
            columns[k].put(&claims->items[i], &p->piece);
            html_say(p, "%s</td>", p->piece.p);
        }
        buf_text(p->out, "</tr>\n");
    }
    buf_text(p->out, "</tbody></table>\n");
    html_close(p);
}

/* ---- JSON ---- */

LAYOUT_WORD_IS(expect_of, const struct claim *x, claim_kind_name(x->kind))
LAYOUT_WORD_IS(outcome_of, const struct claim *x, claim_outcome_name(x->outcome))

static void put_band(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct claim *c = owner;
    if (isnan(c->band[0])) {
        json_null(j);
        return;
    }
    json_list(j);
    for (int i = 0; i < 2; i++) json_real(j, c->band[i]);
    json_end(j);
}

LAYOUT_SENTENCE_IS(reason_of, const struct claim *x, claims_reason(x, scratch))

static const char *sentence_of(const void *owner, struct arena *scratch)
{
    struct buf sentence;
    buf_init(&sentence, 4096);
    put_sentence(owner, &sentence);
    return buf_keep(&sentence, scratch);
}

static const char *next_of(const void *owner, struct arena *scratch)
{
    const struct claim *c = owner;
    if (c->reason.code == CLAIM_MISSING) return "find out why trials fail, and run it again";
    if (c->reason.code == CLAIM_LOST) return "run what is missing, too";
    if (c->reason.code == CLAIM_SILENT)
        return arena_printf(scratch, "let the agent report %s of each trial, and run it again",
                            c->metric);
    bool is_level = c->n[0] == 0 && c->need.what == NEED_VALUES; /* it has no other side */
    if (!is_level) return words_need(c->need, scratch);
    return arena_printf(scratch, "measure about %zu %s", c->need.n,
                        c->by_case ? "cases" : "trials");
}

#define OF struct claim
static const struct layout_field claim_fields[] = {
    LAYOUT_FIELD("name", name, "what people call it"),
    LAYOUT_FIELD("metric", metric, "that it is about"),
    LAYOUT_FIELD("group", group, "heading under which it is listed; null: none"),
    LAYOUT_FIELD("before", levels.before, "level of the baseline; null: it is about one cell"),
    LAYOUT_FIELD("after", levels.after, "level of the contender, or of the cell"),
    LAYOUT_FIELD("also", also.metric, "metric that must be shown with it; null: none"),
    LAYOUT_FIELD("also_before", also.before, "its level in the baseline"),
    LAYOUT_FIELD("also_after", also.after, "in the contender"),
    LAYOUT_WORD("expect", expect_of,
                "what it expects: reduction, gain, speedup, at_least or another"),
    LAYOUT_WORD("outcome", outcome_of, "holds, fails or undecided"),
    LAYOUT_FIELD("value", value, "as measured"),
    LAYOUT_FIELD("low", low, "lower end of its interval"),
    LAYOUT_FIELD("high", high, "upper end"),
    LAYOUT_FIELD("confidence", confidence, "of the interval"),
    LAYOUT_FIELD("min", min, "the limit that decides; null: none"),
    LAYOUT_FIELD("max", max, "the limit that decides; null: none"),
    LAYOUT_CALL("band", put_band, "array", "as promised; null: none"),
    LAYOUT_FIELD("strict_band", is_strict, "beating its far end fails too"),
    LAYOUT_ROW("n", n, "values of baseline and contender"),
    LAYOUT_FIELD("paired", is_paired, "value i of one belongs to value i of the other"),
    LAYOUT_FIELD("subjects", subjects, "cells or pairs of cells that it is about"),
    LAYOUT_FIELD("failed", failed, "trials of them that failed and gave no value"),
    LAYOUT_FIELD("silent", silent, "trials of them that succeeded and did not report it"),
    LAYOUT_FIELD("trials", trials, "of how many"),
    LAYOUT_FIELD("label", label, "of the one that decided, where there are several"),
    LAYOUT_FIELD("expected", expected, "figures that were promised, for people; null: none"),
    LAYOUT_SENTENCE("reason", reason_of, "why it is undecided, or fails as far as is known"),
    LAYOUT_SENTENCE("sentence", sentence_of, "the answer in words"),
    LAYOUT_SENTENCE("next", next_of, "what would decide it; null where it is decided"),
};
const struct layout claim_layout = LAYOUT_OF(OF, claim_fields);
#undef OF

LAYOUT_CALL_IS(put_readiness, json_real, const struct claims *c, claims_readiness(c))
LAYOUT_CALL_IS(put_undecided, json_int, const struct claims *c,
               (int64_t)(c->count - c->holding - c->failing))

#define OF struct claims
static const struct layout_field claims_fields[] = {
    LAYOUT_FIELD("run", run_id, "the run whose samples decide"),
    LAYOUT_LIST("claims", items, count, &claim_layout, "by groups, in the order of the spec"),
    LAYOUT_FIELD("holds", holding, "how many"),
    LAYOUT_FIELD("fails", failing, "how many"),
    LAYOUT_CALL("undecided", put_undecided, "integer", "how many"),
    LAYOUT_FIELD("total", count, "how many"),
    LAYOUT_CALL("readiness", put_readiness, "number",
                "10 x the mean over groups of the share that holds; null without groups, "
                "and for a part of the spec"),
};
static const struct layout claims_layout = LAYOUT(claims_fields);
#undef OF

/* ---- plots ---- */

/* What a claim measures has a scale of its own: a picture each. Holding is not being better
 * than something: it stands in the label. */
static struct plot_list claims_plots(const void *answer, struct arena *out)
{
    const struct claims *claims = answer;
    struct plot *plots = arena_new(out, struct plot, claims->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *c = &claims->items[i];
        if (!isfinite(c->value)) continue;
        struct plot_point *point = arena_new(out, struct plot_point, 1);
        bool is_open = c->outcome == CLAIM_UNDECIDED;
        const char *word = claim_outcome_name(c->outcome);
        const char *label = is_open ? c->name : arena_printf(out, "%s: %s", c->name, word);
        *point = (struct plot_point){.label = label,
                                     .y = c->value,
                                     .low = c->low,
                                     .high = c->high,
                                     .verdict = is_open ? VERDICT_UNDECIDED : VERDICT_WORSE,
                                     .has_verdict = c->outcome != CLAIM_HOLDS};
        struct plot_mark *marks = arena_new(out, struct plot_mark, 2);
        size_t n = 0;
        if (!isnan(c->min)) marks[n++] = (struct plot_mark){"at least", c->min, false};
        if (!isnan(c->max)) marks[n++] = (struct plot_mark){"at most", c->max, false};
        struct buf what;
        buf_init(&what, 1 << 16);
        put_what(c, &what);
        const char *name = buf_keep(&what, out);
        plots[count++] = *plot_one(&(struct plot){.title = name,
                                                  .kind = PLOT_INTERVALS,
                                                  .y = {name, c->unit[0] ? c->unit : NULL},
                                                  .marks = marks,
                                                  .mark_count = n},
                                   point, 1, out)
                              .items;
    }
    return (struct plot_list){plots, count};
}

const struct answer answer_claims = {
    ANSWER_NAME("claims"),
    .summary = "does what a spec claims hold in the samples of its run?",
    .layout = &claims_layout,
    .judges = true,
    .text = claims_text,
    .plots = claims_plots,
};
