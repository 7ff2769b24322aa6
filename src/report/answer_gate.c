#include "report/answer_gate.h"

#include "base/json.h"
#include "base/plain.h"
#include "model/cell.h"
#include "report/format_markdown.h"
#include "report/words.h"

#include <math.h>

static const char *level(const struct gate_rule *rule)
{
    return rule->is_block ? "block" : "alert";
}

static void put_summary(const struct gate *g, struct buf *out)
{
    buf_printf(out, "%zu block, %zu alert, %zu undecided, %zu checks", g->blocked, g->alerts,
               g->open + g->open_alerts, g->count);
}

enum { OPEN_SHOWN = 5 };

/* The undecided of one rule are often undecided for one reason: no baseline yet. */
static void put_open(const struct gate *g, struct buf *out)
{
    const struct gate_rule *rule = NULL;
    size_t of_rule = 0;
    for (size_t i = 0; i <= g->count; i++) {
        const struct gate_check *c = i < g->count ? &g->checks[i] : NULL;
        if (c && c->state != GATE_UNDECIDED) continue;
        if (rule && (!c || c->rule != rule) && of_rule > OPEN_SHOWN) {
            buf_printf(out, "  undecided  %s  and %zu more cells (rule %s); --json shows all\n",
                       level(rule), of_rule - OPEN_SHOWN, rule->text);
        }
        if (!c) return;
        of_rule = rule && c->rule == rule ? of_rule + 1 : 1;
        rule = c->rule;
        if (of_rule > OPEN_SHOWN) continue;
        buf_printf(out, "  %-9s  %s  %s\n", gate_state_name(c->state), level(rule),
                   c->sentence);
    }
}

static void put_state(const struct gate *g, enum gate_state state, struct buf *out)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        if (c->state != state) continue;
        buf_printf(out, "  %-9s  %s  %s\n", gate_state_name(c->state), level(c->rule),
                   c->sentence);
    }
}

/* What the checks do not say: each sentence once. */
static size_t list_notes(const struct gate *g, struct arena *out, const char ***notes)
{
    size_t count = 0;
    *notes = arena_new(out, const char *, g->set.count + g->set.lost_count + 1);
    for (size_t i = 0; i < g->set.count; i++) {
        const struct baseline_pair *p = &g->set.pairs[i];
        if (!p->hosts[0]) continue;
        const char *text = arena_printf(out,
                                        "the baseline was measured on host '%s', the current "
                                        "one on '%s': durations of unlike machines do not "
                                        "compare",
                                        p->hosts[0], p->hosts[1]);
        bool is_new = count == 0 || strcmp((*notes)[count - 1], text) != 0;
        if (is_new) (*notes)[count++] = text;
    }
    for (size_t i = 0; i < g->set.lost_count; i++) {
        (*notes)[count++] =
            arena_printf(out, "%s was in the baseline (run %s) and is missing now",
                         g->set.lost[i].name, id_short(g->set.lost[i].run_id));
    }
    return count;
}

static void put_notes(const struct gate *g, const char *before, struct buf *out)
{
    struct arena scratch = arena_open();
    const char **notes = NULL;
    size_t count = list_notes(g, &scratch, &notes);
    for (size_t i = 0; i < count; i++) buf_printf(out, "%s%s\n", before, notes[i]);
    arena_close(&scratch);
}

static void put_commit(struct json *j, const char *key, const struct run_record *run)
{
    struct arena scratch = arena_open();
    json_put_text(j, key, run ? cell_full_commit(run, &scratch) : NULL);
    arena_close(&scratch);
}

static const char *sentence_of(const struct gate *g, struct arena *out)
{
    return arena_printf(out, "%s: %s (%s; %zu block, %zu alert, %zu undecided, %zu checks)",
                        g->set.subject, gate_verdict(g), g->policy->name, g->blocked, g->alerts,
                        g->open + g->open_alerts, g->count);
}

/* NULL where nothing is to be done. */
static const char *next_of(const struct gate *g, struct arena *out)
{
    if (g->blocked || g->alerts) {
        return "mend what is violated; `assay regressions --confirm` measures it again";
    }
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        if (c->state == GATE_UNDECIDED && c->is_asked) return words_need(c->w.need, out);
    }
    return NULL;
}

void gate_text(const struct gate *g, struct buf *out)
{
    struct arena scratch = arena_open();
    buf_printf(out, "%s\n", sentence_of(g, &scratch));
    arena_close(&scratch);
    put_state(g, GATE_VIOLATED, out);
    put_open(g, out);
    put_state(g, GATE_PASSED, out);
    put_notes(g, "! ", out);
}

static void put_check(struct json *j, const struct gate_check *c)
{
    bool is_relative = c->is_asked;
    json_object(j);
    json_put_text(j, "rule", c->rule->text);
    json_put_text(j, "kind", gate_kind_name(c->rule->kind));
    json_put_text(j, "level", level(c->rule));
    json_put_text(j, "metric", c->rule->metric);
    json_put_real(j, "limit", c->rule->limit);
    json_put_text(j, "state", gate_state_name(c->state));
    json_put_text(j, "cell", c->pair ? c->pair->name : NULL);
    json_put_int(j, "cells", (int64_t)c->cells);
    json_put_text(j, "agent", c->pair ? c->pair->agent : NULL);
    json_put_text(j, "baseline", c->pair ? c->pair->against : NULL);
    put_commit(j, "baseline_commit", c->pair ? c->pair->baseline_run : NULL);
    json_put_real(j, "baseline_value", is_relative ? c->w.baseline : (double)NAN);
    json_put_real(j, "value", is_relative ? c->w.current : c->value);
    json_put_real(j, "worse_by", is_relative ? c->w.amount : (double)NAN);
    json_put_real(j, "low", is_relative ? c->w.low : (double)NAN);
    json_put_real(j, "high", is_relative ? c->w.high : (double)NAN);
    json_put_real(j, "p_adjusted", c->p_adjusted);
    json_put_real(j, "mde", is_relative ? c->w.mde : (double)NAN);
    json_put_bool(j, "below_noise_floor", c->is_below_noise);
    json_put_text(j, "sentence", c->sentence);
    bool is_open = c->is_asked && c->state == GATE_UNDECIDED;
    struct arena scratch = arena_open();
    json_put_text(j, "next", is_open ? words_need(c->w.need, &scratch) : NULL);
    arena_close(&scratch);
    json_end(j);
}

void gate_json(const struct gate *g, struct buf *out)
{
    struct json j;
    struct arena scratch = arena_open();
    json_open(&j, out, "assay.gate/1");
    json_put_text(&j, "policy", g->policy->name);
    json_put_text(&j, "subject", g->set.subject);
    put_commit(&j, "commit", g->set.run);
    json_put_text(&j, "verdict", gate_verdict(g));
    json_put_text(&j, "sentence", sentence_of(g, &scratch));
    json_put_text(&j, "next", next_of(g, &scratch));
    json_put_int(&j, "blocked", (int64_t)g->blocked);
    json_put_int(&j, "alerts", (int64_t)g->alerts);
    json_put_int(&j, "undecided", (int64_t)(g->open + g->open_alerts));
    json_key(&j, "checks");
    json_list(&j);
    for (size_t i = 0; i < g->count; i++) put_check(&j, &g->checks[i]);
    json_end(&j);
    const char **notes = NULL;
    size_t count = list_notes(g, &scratch, &notes);
    json_key(&j, "notes");
    json_list(&j);
    for (size_t i = 0; i < count; i++) json_text(&j, notes[i]);
    json_end(&j);
    arena_close(&scratch);
    json_close(&j);
}

void gate_markdown(const struct gate *g, struct buf *out)
{
    buf_text(out, "### assay gate: ");
    buf_printf(out, "%s\n\n", gate_verdict(g));
    markdown_text(out, str_of(g->policy->name));
    buf_text(out, ", ");
    markdown_text(out, str_of(g->set.subject));
    buf_text(out, ": ");
    put_summary(g, out);
    buf_text(out, "\n\n| | rule | what was found |\n|---|---|---|\n");
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        buf_printf(out, "| %s (%s) | ", gate_state_name(c->state), level(c->rule));
        markdown_text(out, str_of(c->rule->text));
        buf_text(out, " | ");
        markdown_text(out, str_of(c->sentence));
        buf_text(out, " |\n");
    }
    struct buf notes;
    buf_init(&notes, 1 << 20);
    put_notes(g, "\n- ", &notes);
    buf_add(out, buf_str(&notes));
    buf_release(&notes);
}

/* Of what XML 1.0 cannot hold, nothing. */
static void put_xml(const char *text, struct buf *out)
{
    bool is_utf8 = str_is_utf8(str_of(text));
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        switch (*c) {
        case '<': buf_text(out, "&lt;"); break;
        case '>': buf_text(out, "&gt;"); break;
        case '&': buf_text(out, "&amp;"); break;
        case '"': buf_text(out, "&quot;"); break;
        default:
            if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !is_utf8)) byte = '?';
            size_t hidden = is_utf8 ? plain_hidden(str_of(c)) : 0;
            buf_add_char(out, hidden ? '?' : (char)byte);
            c += hidden ? hidden - 1 : 0;
        }
    }
}

void gate_junit(const struct gate *g, struct buf *out)
{
    buf_text(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    put_xml(g->policy->name, out);
    buf_printf(out, "\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n", g->count,
               g->blocked, g->open + g->open_alerts + g->alerts);
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        buf_text(out, "    <testcase classname=\"");
        put_xml(c->pair ? c->pair->name : g->set.subject, out);
        buf_text(out, "\" name=\"");
        put_xml(c->rule->text, out);
        if (c->state == GATE_PASSED) {
            buf_text(out, "\"/>\n");
            continue;
        }
        bool is_failure = c->state == GATE_VIOLATED && c->rule->is_block;
        buf_printf(out, "\">\n      <%s message=\"", is_failure ? "failure" : "skipped");
        put_xml(c->sentence, out);
        buf_text(out, "\"/>\n    </testcase>\n");
    }
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

void gate_annotations(const struct gate *g, struct buf *out)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct gate_check *c = &g->checks[i];
        if (c->state == GATE_PASSED) continue;
        const char *command = c->state == GATE_UNDECIDED ? "notice"
                              : c->rule->is_block        ? "error"
                                                         : "warning";
        buf_printf(out, "::%s title=", command);
        put_escaped(c->rule->text, "%\r\n:,", out);
        buf_text(out, "::");
        put_escaped(c->sentence, "%\r\n", out);
        buf_add_char(out, '\n');
    }
}
