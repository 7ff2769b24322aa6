#include "report/answer_gate.h"

#include "base/json.h"
#include "report/format_markdown.h"

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

void gate_text(const struct gate *g, struct buf *out)
{
    buf_printf(out, "%s: %s (%s; ", g->set.subject, gate_verdict(g), g->policy->name);
    put_summary(g, out);
    buf_text(out, ")\n");
    put_state(g, GATE_VIOLATED, out);
    put_open(g, out);
    put_state(g, GATE_PASSED, out);
}

static void put_check(struct json *j, const struct gate_check *c)
{
    bool is_relative = c->pair && c->w.method;
    json_object(j);
    json_put_text(j, "rule", c->rule->text);
    json_put_text(j, "kind", gate_kind_name(c->rule->kind));
    json_put_text(j, "level", level(c->rule));
    json_put_text(j, "metric", c->rule->metric);
    json_put_real(j, "limit", c->rule->limit);
    json_put_text(j, "state", gate_state_name(c->state));
    json_put_text(j, "cell", c->pair ? c->pair->name : NULL);
    json_put_text(j, "agent", c->pair ? c->pair->agent : NULL);
    json_put_text(j, "baseline", c->pair ? c->pair->against : NULL);
    json_put_real(j, "baseline_value", is_relative ? c->w.baseline : (double)NAN);
    json_put_real(j, "value", is_relative ? c->w.current : c->value);
    json_put_real(j, "worse_by", is_relative ? c->w.amount : (double)NAN);
    json_put_real(j, "low", is_relative ? c->w.low : (double)NAN);
    json_put_real(j, "high", is_relative ? c->w.high : (double)NAN);
    json_put_real(j, "p_adjusted", c->p_adjusted);
    json_put_real(j, "mde", is_relative ? c->w.mde : (double)NAN);
    json_put_bool(j, "below_noise_floor", c->is_below_noise);
    json_put_text(j, "sentence", c->sentence);
    json_end(j);
}

void gate_json(const struct gate *g, struct buf *out)
{
    struct json j;
    json_open(&j, out, "assay.gate/1");
    json_put_text(&j, "policy", g->policy->name);
    json_put_text(&j, "subject", g->set.subject);
    json_put_text(&j, "verdict", gate_verdict(g));
    json_put_int(&j, "blocked", (int64_t)g->blocked);
    json_put_int(&j, "alerts", (int64_t)g->alerts);
    json_put_int(&j, "undecided", (int64_t)(g->open + g->open_alerts));
    json_key(&j, "checks");
    json_list(&j);
    for (size_t i = 0; i < g->count; i++) put_check(&j, &g->checks[i]);
    json_end(&j);
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
            if (byte < 0x20 || (byte >= 0x80 && !is_utf8)) byte = '?';
            buf_add_char(out, (char)byte);
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
            buf_add_char(out, *c);
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
