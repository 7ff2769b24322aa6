/* What a gate says: to people, programs, pull requests and CI. */
#include "base/human.h"
#include "base/id.h"
#include "base/plain.h"
#include "history/gate.h"
#include "model/cell.h"
#include "report/answer_alarms.h"
#include "report/answers.h"
#include "report/chart.h"
#include "report/format_markdown.h"
#include "report/words.h"

#include <math.h>

static const char *level(const struct gate_rule *rule)
{
    return rule->is_block ? "block" : "alert";
}

static void put_summary(const struct gate *g, struct buf *out)
{
    buf_printf(out, "%zu block, %zu alert, %zu undecided, ", g->blocked, g->alerts,
               g->open + g->open_alerts);
    if (g->muted) buf_printf(out, "%zu muted, ", g->muted);
    buf_printf(out, "%zu checks", g->count);
}

/* ---- words ---- */

static const char *noise_text(const struct gate_check *c, struct arena *out)
{
    if (ask_is_short(&c->ask)) return arena_printf(out, "; %s", words_gone(&c->ask, out));
    if (c->w.unknown[0] + c->w.unknown[1] > 0) return words_unknown(&c->w, out);
    if (c->state == GATE_UNDECIDED && c->w.least > 0) return words_few(&c->w, out);
    if (c->state == GATE_PASSED && !c->w.is_within) {
        return arena_printf(out, "; no worse than before, but these data could hide %s",
                            words_worse_by(&c->w, c->w.high, out));
    }
    if (!c->is_below_noise) return "";
    const char *shows = words_worse_by(&c->w, c->w.mde, out);
    const char *need = words_need(c->w.need, out);
    if (c->w.need.what == NEED_TOO_MANY) {
        need = arena_printf(out, "more than %d times as many %s would be needed",
                            VERDICT_NEED_MOST, c->w.by_case ? "cases" : "trials");
    }
    return arena_printf(out, "; below its noise floor: these data would show %s%s%s", shows,
                        need ? "; " : "", need ? need : "");
}

static const char *found_text(const struct gate_check *c, const char *name, struct arena *out)
{
    const struct worsening *x = &c->w;
    char text[2][HUMAN_SIZE];
    return arena_printf(out, "%s: %s %s -> %s, %s than %s: %s (rule %s, adjusted %s)%s", name,
                        c->rule->metric, human_value(c->unit, x->baseline, text[0]),
                        human_value(c->unit, x->current, text[1]), words_worsening(x, out),
                        c->pair ? c->pair->against : "the baseline", gate_state_name(c->state),
                        c->rule->words, HUMAN_P(c->p_adjusted), noise_text(c, out));
}

static const char *level_text(const struct gate_check *c, const char *name, struct arena *out)
{
    const struct units_level *l = &c->level;
    char text[3][HUMAN_SIZE];
    size_t failed = l->missing - l->silent;
    const char *unknown =
        l->unknown > 0
            ? arena_printf(out, "; %zu of %zu outcomes were not judged", l->unknown, l->asked)
        : failed > 0 ? arena_printf(out, "; %zu of %zu trials failed", failed, l->trials)
                     : "";
    if (l->silent > 0)
        unknown = arena_printf(out, "%s; %zu of %zu trials do not report %s", unknown,
                               l->silent, l->trials, c->rule->metric);
    return arena_printf(
        out, "%s: %s is %s [%s, %s], n = %zu; limit: not %s %.6g %s (rule %s)%s", name,
        c->rule->metric, human_value(c->unit, l->centre, text[0]),
        human_value(c->unit, l->low, text[1]), human_value(c->unit, l->high, text[2]), l->n,
        c->rule->kind == GATE_BELOW ? "below" : "above", c->rule->limit,
        strcmp(c->unit, "1") == 0 ? "" : c->unit, c->rule->words, unknown);
}

/* What to list under `retired:`. A benchmark that others still run is not: it could vanish of
 * them too. */
static const char *entry_of(const struct gate *g, const struct baseline_lost *lost)
{
    bool is_run = false;
    for (size_t i = 0; lost->benchmark && i < g->set.count; i++)
        is_run |= g->set.pairs[i].benchmark &&
                  strcmp(g->set.pairs[i].benchmark, lost->benchmark) == 0;
    return lost->benchmark && !is_run ? lost->benchmark : lost->name;
}

static const char *finding_sentence(const struct gate *g, const struct gate_check *c,
                                    struct arena *out)
{
    const struct gate_rule *rule = c->rule;
    const char *name =
        c->pair ? c->pair->name : baseline_name_all(&g->set, c->of, c->cells, out);
    switch (c->finding) {
    case GATE_FOUND_EFFECT: return found_text(c, name, out);
    case GATE_FOUND_LEVEL: return level_text(c, name, out);
    case GATE_NO_VALUES:
        return arena_printf(out, "%s: %s has no values (rule %s)", name, rule->metric,
                            rule->words);
    case GATE_NO_INTERVAL:
        return arena_printf(out, "%s: %s: %s (rule %s)", name, rule->metric,
                            ask_is_short(&c->ask) ? words_gone(&c->ask, out)
                                                  : words_no_interval(&c->w, out),
                            rule->words);
    case GATE_METRIC_MISSING:
        return arena_printf(
            out, "%s: %s is missing: the baseline has it, this run does not (rule %s)", name,
            rule->metric, rule->words);
    case GATE_NO_BASELINE:
        return arena_printf(out, "%s: no baseline: %s (rule %s)", name,
                            words_no_baseline(c->pair, out), rule->words);
    case GATE_GAP:
        return arena_printf(out, "%s: %s cannot be compared: %s (rule %s)", name, rule->metric,
                            words_gap(&c->gap, words_then_now, out), rule->words);
    case GATE_NOT_OF_CELLS:
    case GATE_NOWHERE:
        return arena_printf(out, "no cell of %s %s values of %s%s%s (rule %s)", g->set.subject,
                            c->finding == GATE_NOWHERE ? "has" : "can have", rule->metric,
                            rule->benchmark ? " on " : "",
                            rule->benchmark ? rule->benchmark : "", rule->words);
    case GATE_BASELINE_CUT:
    case GATE_RUN_CUT:
        return arena_printf(out, "%s: %s is not complete, %s (rule %s)", name,
                            c->finding == GATE_RUN_CUT ? "the run" : "the baseline",
                            words_cut(c->pair, c->finding == GATE_RUN_CUT, out), rule->words);
    case GATE_VANISHED: break;
    }
    const char *instead = words_instead(c->lost, out);
    if (instead) {
        return arena_printf(
            out,
            "%s is in the baseline; in %s it ran %s, which is another cell: run "
            "it as the baseline was, or pin a new baseline (rule %s)",
            c->lost->name, g->set.subject, instead, rule->words);
    }
    return arena_printf(out,
                        "%s is in the baseline and not in %s: run it, or list '%s' under "
                        "`retired:` (rule %s)",
                        c->lost->name, g->set.subject, entry_of(g, c->lost), rule->words);
}

static const char *check_sentence(const struct gate *g, const struct gate_check *c,
                                  struct arena *out)
{
    const char *text = finding_sentence(g, c, out);
    if (!c->alarm) return text;
    return arena_printf(out, "%s; %s", text, answer_alarm_words(c->alarm, out));
}

enum { OPEN_SHOWN = 5 };

/* The undecided of one rule are often undecided for one reason: no baseline yet. */
static void put_open(const struct gate *g, struct buf *out)
{
    const struct gate_rule *rule = NULL;
    size_t of_rule = 0;
    struct arena scratch = arena_open();
    for (size_t i = 0; i <= g->count; i++) {
        const struct gate_check *c = i < g->count ? &g->checks[i] : NULL;
        if (c && c->state != GATE_UNDECIDED) continue;
        if (rule && (!c || c->rule != rule) && of_rule > OPEN_SHOWN) {
            buf_printf(out, "  undecided  %s  and %zu more cells (rule %s); --json shows all\n",
                       level(rule), of_rule - OPEN_SHOWN, rule->text);
        }
        if (!c) break;
        of_rule = rule && c->rule == rule ? of_rule + 1 : 1;
        rule = c->rule;
        if (of_rule > OPEN_SHOWN) continue;
        buf_printf(out, "  %-9s  %s  %s\n", gate_state_name(c->state), level(rule),
                   check_sentence(g, c, &scratch));
    }
    arena_close(&scratch);
}

static void put_state(const struct gate *g, enum gate_state state, struct buf *out)
{
    struct arena scratch = arena_open();
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        if (c->state != state) continue;
        buf_printf(out, "  %-9s  %s  %s\n", gate_state_name(c->state), level(c->rule),
                   check_sentence(g, c, &scratch));
    }
    arena_close(&scratch);
}

/* Runs whose date cannot be true: which of them is the newest is not known by it. */
static void add_future(const struct gate *g, struct sentences *notes)
{
    for (size_t i = 0; i < g->set.count; i++) {
        const struct baseline_pair *p = &g->set.pairs[i];
        const struct run_record *runs[] = {p->baseline ? p->baseline_run : NULL,
                                           p->current_run};
        for (size_t k = 0; k < COUNT(runs); k++) {
            if (runs[k] && run_is_in_future(runs[k]))
                sentences_keep(notes, words_future(runs[k], notes->out));
        }
    }
}

/* What the checks do not say. */
static void add_notes(const void *owner, struct sentences *notes)
{
    const struct gate *g = owner;
    add_future(g, notes);
    for (size_t i = 0; i < g->set.count; i++)
        sentences_keep(notes, words_hosts(&g->set.pairs[i], notes->out));
    for (size_t i = 0; i < g->set.count; i++) {
        const struct baseline_pair *p = &g->set.pairs[i];
        sentences_keep(notes, words_settings(p, notes->out));
        sentences_keep(notes, words_skipped(p, notes->out));
        sentences_keep(notes, words_open_alarm(p, notes->out));
    }
    for (size_t i = 0; i < g->idle_count; i++) {
        sentences_add(
            notes,
            "%s:%u: retired: '%.*s' is not a missing benchmark or cell: the entry does nothing",
            g->policy->file, g->idle[i]->line, STR_ARG(g->idle[i]->source));
    }
}

static void put_notes(const struct gate *g, const char *before, struct buf *out)
{
    struct arena scratch = arena_open();
    struct sentences notes = {.out = &scratch};
    add_notes(g, &notes);
    sentences_put(&notes, before, out);
    arena_close(&scratch);
}

static const char *sentence_of(const void *owner, struct arena *out)
{
    const struct gate *g = owner;
    struct buf counts;
    char text[200];
    buf_over(&counts, text, sizeof text);
    put_summary(g, &counts);
    return arena_printf(out, "%s: %s (%s; %s)", g->set.subject, gate_verdict(g),
                        g->policy->name, text);
}

/* NULL where nothing is to be done. */
static const char *next_of(const void *owner, struct arena *out)
{
    const struct gate *g = owner;
    if (g->blocked || g->alerts) {
        return "fix what is violated; `assay regressions --confirm` measures it again";
    }
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        if (c->state == GATE_UNDECIDED && c->is_asked) return words_need(c->w.need, out);
    }
    return NULL;
}

static void gate_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct gate *g = answer;
    if (look->quiet) {
        buf_printf(out, "%s\n", gate_verdict(g));
        return;
    }
    struct arena scratch = arena_open();
    buf_printf(out, "%s\n", sentence_of(g, &scratch));
    arena_close(&scratch);
    put_state(g, GATE_VIOLATED, out);
    put_state(g, GATE_MUTED, out);
    put_open(g, out);
    put_state(g, GATE_PASSED, out);
    put_notes(g, "! ", out);
}

/* ---- JSON ---- */

LAYOUT_WORD_IS(rule_text, const struct gate_check *x, x->rule->text)
LAYOUT_WORD_IS(rule_kind, const struct gate_check *x, gate_kind_name(x->rule->kind))
LAYOUT_WORD_IS(rule_level, const struct gate_check *x, level(x->rule))
LAYOUT_WORD_IS(rule_metric, const struct gate_check *x, x->rule->metric)
LAYOUT_FIGURE_IS(rule_limit, const struct gate_check *x, x->rule->limit)
LAYOUT_WORD_IS(state_of, const struct gate_check *x, gate_state_name(x->state))

static const char *check_commit(const void *owner, struct arena *scratch)
{
    const struct baseline_pair *p = ((const struct gate_check *)owner)->pair;
    return p && p->baseline_run ? cell_full_commit(p->baseline_run, scratch) : NULL;
}

LAYOUT_FIGURE_IS(value_of, const struct gate_check *c,
                 c->is_asked ? c->w.current : c->level.centre)

LAYOUT_TOLD_IS(put_check_sentence, const struct gate_check *c,
               check_sentence(whole, c, scratch))

static const char *check_next(const void *owner, struct arena *scratch)
{
    const struct gate_check *c = owner;
    bool is_open = c->is_asked && c->state == GATE_UNDECIDED;
    return is_open ? words_need(c->w.need, scratch) : NULL;
}

#define OF struct baseline_pair
static const struct layout_field pair_fields[] = {
    LAYOUT_FIELD("agent", agent, "its name"),
    LAYOUT_FIELD("baseline", against, "what it was compared with"),
};
static const struct layout pair_layout = LAYOUT(pair_fields);

static const struct layout_field cell_fields[] = {
    LAYOUT_FIELD("cell", name, "null: none has the metric, or all of them"),
};
static const struct layout cell_layout = LAYOUT(cell_fields);
#undef OF

#define OF struct gate_check
static const struct layout_field check_fields[] = {
    LAYOUT_WORD("rule", rule_text, "as the policy has it"),
    LAYOUT_WORD("kind", rule_kind, "slower_than, failure_rate_increase or another"),
    LAYOUT_WORD("level", rule_level, "block or alert"),
    LAYOUT_WORD("metric", rule_metric, "that it is about"),
    LAYOUT_FIGURE("limit", rule_limit, "of the rule"),
    LAYOUT_WORD("state", state_of, "passed, violated, undecided or muted"),
    LAYOUT_PART_OF(pair, &cell_layout),
    LAYOUT_FIELD("cells", cells, "more than 1: all of them together"),
    LAYOUT_PART_OF(pair, &pair_layout),
    LAYOUT_SENTENCE("baseline_commit", check_commit, "null: unknown"),
    LAYOUT_FIELD("baseline_value", w.baseline, "null for absolute limits"),
    LAYOUT_FIGURE("value", value_of, "as measured"),
    LAYOUT_FIELD("worse_by", w.amount, "above 0 is worse; null for absolute limits"),
    LAYOUT_FIELD("low", w.low, "lower end of its interval"),
    LAYOUT_FIELD("high", w.high, "upper end"),
    LAYOUT_FIELD("p_adjusted", p_adjusted, "over the cells of the rule"),
    LAYOUT_FIELD("mde", w.mde, "smallest worsening that would probably show"),
    LAYOUT_FIELD("below_noise_floor", is_below_noise, "these data could not show the limit"),
    LAYOUT_CALL("sentence", put_check_sentence, "string", "the answer in words"),
    LAYOUT_SENTENCE("next", check_next, "what would decide it; null where nothing would"),
    LAYOUT_POINTER("alarm", alarm, &answer_alarm_layout, "of muted ones: who said so, and why"),
};
static const struct layout check_layout = LAYOUT_OF(OF, check_fields);
#undef OF

static const char *gate_commit(const void *owner, struct arena *scratch)
{
    const struct run_record *run = ((const struct gate *)owner)->set.run;
    return run ? cell_full_commit(run, scratch) : NULL;
}

LAYOUT_WORD_IS(policy_name, const struct gate *x, x->policy->name)

LAYOUT_WORD_IS(verdict_of, const struct gate *g, gate_verdict(g))

LAYOUT_CALL_IS(put_undecided, json_int, const struct gate *g,
               (int64_t)(g->open + g->open_alerts))

#define OF struct gate
static const struct layout_field gate_fields[] = {
    LAYOUT_WORD("policy", policy_name, "its name"),
    LAYOUT_FIELD("subject", set.subject, "what was looked at"),
    LAYOUT_SENTENCE("commit", gate_commit, "of the run; null: unknown, or an agent was meant"),
    LAYOUT_WORD("verdict", verdict_of, "blocked, undecided, alert or passed"),
    LAYOUT_SENTENCE("sentence", sentence_of, "the verdict in words"),
    LAYOUT_SENTENCE("next", next_of, "what to do; null: nothing"),
    LAYOUT_FIELD("blocked", blocked, "checks of block rules that are violated"),
    LAYOUT_FIELD("alerts", alerts, "checks of alert rules that are violated"),
    LAYOUT_CALL("undecided", put_undecided, "integer", "checks"),
    LAYOUT_FIELD("muted", muted, "checks that are violated, but muted or judged false"),
    LAYOUT_LIST("checks", checks, count, &check_layout, "one for each rule and cell"),
    LAYOUT_NOTES("notes", add_notes,
                 "other hosts, cells that are missing now, runs dated in the future"),
};
static const struct layout gate_layout = LAYOUT(gate_fields);
#undef OF

/* ---- plots ---- */

/* Too small an improvement is not worse than before. */
static bool is_open(const struct gate_check *c)
{
    bool is_across = c->w.low <= 0 && c->w.high >= 0;
    return c->state == GATE_UNDECIDED || (c->rule->kind == GATE_IMPROVEMENT && is_across);
}

/* One picture for each rule against a baseline: worsening by cell, with the limit. */
static struct plot_list gate_plots(const void *answer, struct arena *out)
{
    const struct gate *g = answer;
    struct plot *plots = arena_new(out, struct plot, g->policy->count + 1);
    size_t count = 0;
    for (size_t r = 0; r < g->policy->count; r++) {
        const struct gate_rule *rule = &g->policy->rules[r];
        struct plot_worse *rows = arena_new(out, struct plot_worse, g->count + 1);
        size_t n = 0;
        for (size_t i = 0; i < g->count; i++) {
            const struct gate_check *c = &g->checks[i];
            if (c->rule != rule || !c->is_asked) continue;
            rows[n++] = (struct plot_worse){c->pair ? c->pair->name : "all together", &c->w,
                                            is_open(c)};
        }
        double sign = rule->kind == GATE_IMPROVEMENT ? -1 : 1;
        struct plot_list one = plot_worsening(rows, n, rule->text, sign * rule->limit, out);
        if (one.count > 0) plots[count++] = one.items[0];
    }
    return (struct plot_list){plots, count};
}

/* ---- other formats ---- */

static void gate_markdown(const void *answer, struct buf *out)
{
    const struct gate *g = answer;
    struct arena scratch = arena_open();
    buf_printf(out, "### assay gate: %s\n\n", gate_verdict(g));
    markdown_say(out, "%s, %s: ", g->policy->name, g->set.subject);
    put_summary(g, out);
    buf_text(out, "\n\n| | rule | what was found |\n|---|---|---|\n");
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        buf_printf(out, "| %s (%s) | ", gate_state_name(c->state), level(c->rule));
        markdown_say(out, "%s | %s |\n", c->rule->text, check_sentence(g, c, &scratch));
    }
    arena_close(&scratch);
    put_notes(g, "\n- ", out);
}

/* What XML 1.0 cannot hold becomes U+FFFD, as in HTML. */
static void gate_junit(const void *answer, struct buf *out)
{
    const struct gate *g = answer;
    size_t failures = gate_failures(g);
    struct arena scratch = arena_open();
    phrase_say(out, html_text,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
               "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
               g->policy->name, g->count, failures,
               g->blocked + g->alerts + g->open + g->open_alerts + g->muted - failures);
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        phrase_say(out, html_text, "    <testcase classname=\"%s\" name=\"%s\"",
                   c->pair ? c->pair->name : g->set.subject, c->rule->text);
        enum gate_weight weight = gate_weight(g, c);
        if (weight == GATE_WEIGHT_NONE) {
            buf_text(out, "/>\n");
            continue;
        }
        bool is_failure = weight == GATE_WEIGHT_FAILURE;
        phrase_say(out, html_text, ">\n      <%s message=\"%s\"/>\n    </testcase>\n",
                   is_failure ? "failure" : "skipped", check_sentence(g, c, &scratch));
    }
    arena_close(&scratch);
    buf_text(out, "  </testsuite>\n</testsuites>\n");
}

/* Percent and line ends, and in properties colon and comma too. */
static void put_escaped(const char *text, const char *special, struct buf *out)
{
    for (const char *c = text; *c; c++) {
        if (strchr(special, *c)) {
            buf_printf(out, "%%%02X", (unsigned char)*c);
        } else {
            size_t n = str_utf8_first(str_of(c));
            plain_escape(out, (struct str){c, n ? n : 1});
            c += n ? n - 1 : 0;
        }
    }
}

/* GitHub's workflow commands: ::error, ::warning, ::notice. */
static void gate_annotations(const void *answer, struct buf *out)
{
    static const char *const commands[] = {[GATE_WEIGHT_NOTICE] = "notice",
                                           [GATE_WEIGHT_WARNING] = "warning",
                                           [GATE_WEIGHT_FAILURE] = "error"};
    const struct gate *g = answer;
    struct arena scratch = arena_open();
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        enum gate_weight weight = gate_weight(g, c);
        if (weight == GATE_WEIGHT_NONE) continue;
        buf_printf(out, "::%s title=", commands[weight]);
        put_escaped(c->rule->text, "%\r\n:,", out);
        buf_text(out, "::");
        put_escaped(check_sentence(g, c, &scratch), "%\r\n", out);
        buf_add_char(out, '\n');
    }
    arena_close(&scratch);
}

const struct answer answer_gate = {
    ANSWER_NAME("gate"),
    .summary = "results checked by a policy: blocks and alerts",
    .layout = &gate_layout,
    .judges = true,
    .text = gate_text,
    .plots = gate_plots,
    .formats = {{"markdown", gate_markdown},
                {"junit", gate_junit},
                {"annotations", gate_annotations}},
};
