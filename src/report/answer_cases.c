/* Answers as a transcript: the question, what was expected, and each agent's answer with its
 * passes and what it failed by. Texts of others may be long and hold anything: in the terminal
 * they are shown line by line, the first ones, without control characters; JSON has all. */
#include "report/answer_cases.h"

#include "base/buf.h"
#include "base/human.h"
#include "base/plain.h"
#include "base/shell.h"
#include "report/answers.h"

#include <inttypes.h>
#include <math.h>

enum { LINES_MAX = 6, LABEL = 12 };

static bool is_shown(const struct answer_cases *a, size_t agent)
{
    return !a->agents || a->agents[agent];
}

static const char *again_of(const struct answer_cases *a, const struct casebook_case *c,
                            struct arena *out)
{
    const struct outcome *o = a->book->outcome;
    const char *path = o->view->run.spec_path;
    bool has_wrong = false;
    struct buf b;
    buf_init(&b, 1 << 16);
    buf_text(&b, "assay run ");
    shell_put_word(&b, str_of(path && path[0] ? path : o->suite));
    buf_text(&b, " --only ");
    shell_put_word(&b, str_of(c->benchmark));
    for (size_t i = 0; i < o->agent_count; i++) {
        const struct casebook_answer *answer = &c->answers[i];
        if (!is_shown(a, i) || answer->try_count == 0 || answer->of->state == CASE_RIGHT)
            continue;
        has_wrong = true;
        buf_text(&b, " --agent ");
        shell_put_word(&b, str_of(o->agents[i].first->agent));
    }
    if (has_wrong) buf_printf(&b, " --only-failed %s", a->run);
    return buf_keep(&b, out);
}

/* "not passed in every attempt, tagged long"; NULL: all cases. */
static const char *filter_words(const void *owner, struct arena *out)
{
    const struct answer_cases *a = owner;
    const struct cases_filter *f = &a->filter;
    const char *text = "";
    if (f->failed) text = arena_printf(out, "%s, not passed in every attempt", text);
    if (f->slow) text = arena_printf(out, "%s, slow", text);
    if (f->flipped[0])
        text = arena_printf(out, "%s, only one of %s and %s passes", text, f->flipped[0],
                            f->flipped[1]);
    if (f->tag) text = arena_printf(out, "%s, tagged %s", text, f->tag);
    if (f->name) text = arena_printf(out, "%s, named %s", text, f->name);
    return text[0] ? text + 2 : NULL;
}

/* ---- text ---- */

/* The text beside its label, further lines below it. */
static void put_text(struct buf *out, const char *label, struct str text, size_t width)
{
    size_t lines = 0;
    size_t left = 0;
    buf_printf(out, "  %-*s", LABEL, label);
    if (text.n == 0) buf_text(out, "(empty)\n");
    for (struct str rest = text; rest.p && text.n > 0; lines++) {
        struct str line = str_cut(&rest, '\n');
        if (lines >= LINES_MAX) {
            left++;
            continue;
        }
        if (lines) buf_printf(out, "  %*s", LABEL, "");
        plain_add(out, line, width - LABEL - 2);
        buf_add_char(out, '\n');
    }
    if (left) buf_printf(out, "  %*s... %zu more lines (--json has them)\n", LABEL, "", left);
}

static void put_answer(const struct outcome_agent *agent, const struct casebook_answer *answer,
                       size_t width, struct arena scratch, struct buf *out)
{
    static const char *const marks[] = {
        [CASE_RIGHT] = "+", [CASE_WRONG] = "-", [CASE_UNJUDGED] = "?"};
    const struct suite_case *c = answer->of;
    const struct casebook_try *shown = &answer->tries[c->telling];
    char time[HUMAN_SIZE];
    const char *label = arena_printf(&scratch, "%s %s", marks[c->state], agent->name);
    if (plain_columns(str_of(label)) >= LABEL) {
        buf_text(out, "  ");
        plain_add(out, str_of(label), width - 2);
        buf_add_char(out, '\n');
        label = "";
    }
    if (shown->note->status == TRIAL_OK || shown->note->output.n > 0) {
        put_text(out, label, casebook_output(shown->note, &scratch), width);
    } else {
        put_text(out, label, S("(no answer)"), width);
    }
    buf_printf(out, "  %*s", LABEL, "");
    if (c->state == CASE_UNJUDGED) {
        buf_text(out, "not judged");
    } else {
        buf_printf(out, "%" PRId64 " of %" PRId64 " passed", c->values.passed,
                   c->values.attempted);
    }
    if (!isnan(answer->median_s))
        buf_printf(out, ", %s", human_value("s", answer->median_s, time));
    if (answer->is_slow) buf_text(out, " (slow)");
    if (c->why) {
        buf_text(out, "; ");
        plain_add(out, str_of(c->why), width);
    }
    buf_add_char(out, '\n');
}

static void put_case(const struct answer_cases *a, const struct casebook_case *c, size_t width,
                     struct buf *out)
{
    struct arena scratch = arena_open();
    const struct outcome *o = a->book->outcome;
    buf_add_char(out, '\n');
    plain_add(out, str_of(c->benchmark), 40);
    buf_text(out, " / ");
    plain_add(out, str_of(c->name), 60);
    buf_add_char(out, '\n');
    put_text(out, "input", casebook_plain(c->input, &scratch), width);
    if (c->expected) put_text(out, "expected", casebook_plain(c->expected, &scratch), width);
    for (size_t i = 0; i < o->agent_count; i++) {
        if (is_shown(a, i) && c->answers[i].try_count > 0)
            put_answer(&o->agents[i], &c->answers[i], width, scratch, out);
    }
    put_text(out, "again", str_of(again_of(a, c, &scratch)), SIZE_MAX / 2);
    arena_close(&scratch);
}

static void cases_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_cases *a = answer;
    struct arena scratch = arena_open();
    size_t width = look->width >= 60 ? (size_t)look->width : 80;
    const char *filter = filter_words(a, &scratch);
    buf_printf(out, "%s: %zu of %zu cases%s%s\n", a->book->outcome->suite, a->count,
               a->book->count, filter ? ": " : "", filter ? filter : "");
    arena_close(&scratch);
    for (size_t i = 0; i < a->count; i++) put_case(a, a->cases[i], width, out);
}

/* ---- JSON ---- */

static void put_json_text(struct json *j, const char *key, const char *json)
{
    json_key(j, key);
    struct arena scratch = arena_open();
    const struct value *v = value_stored(json, &scratch);
    if (v) {
        json_value(j, v);
    } else {
        json_null(j);
    }
    arena_close(&scratch);
}

static void put_try(struct json *j, const struct casebook_try *t)
{
    struct arena scratch = arena_open();
    const struct casebook_check *checks = NULL;
    size_t count = casebook_checks(t->note, &scratch, &checks);
    json_object(j);
    json_key(j, "output");
    json_str(j, casebook_output(t->note, &scratch));
    json_put_text(j, "status", trial_status_name(t->note->status));
    json_key(j, "error");
    if (t->note->error) {
        json_text(j, t->note->error);
    } else {
        json_null(j);
    }
    json_put_bool(j, "passed", t->is_passed);
    json_put_real(j, "score", t->score);
    json_put_real(j, "duration_s", t->duration_s);
    json_key_list(j, "checks");
    for (size_t i = 0; i < count; i++) {
        json_object(j);
        json_put_text(j, "check", checks[i].name);
        json_put_real(j, "score", checks[i].score);
        json_put_text(j, "why", checks[i].why);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    arena_close(&scratch);
}

static void put_answer_json(struct json *j, const struct outcome_agent *agent,
                            const struct casebook_answer *answer)
{
    json_object(j);
    json_put_text(j, "agent", agent->name);
    json_put_text(j, "left_out", agent->left_out);
    const struct suite_case *c = answer->of;
    json_key(j, "right");
    if (c->state == CASE_UNJUDGED) {
        json_null(j);
    } else {
        json_bool(j, c->state == CASE_RIGHT);
    }
    json_put_int(j, "passed", c->values.passed);
    json_put_int(j, "attempted", c->values.attempted);
    json_put_real(j, "median_s", answer->median_s);
    json_put_bool(j, "slow", answer->is_slow);
    json_key(j, "why");
    if (c->why) {
        json_text(j, c->why);
    } else {
        json_null(j);
    }
    json_put_int(j, "shown", (int64_t)c->telling);
    json_key_list(j, "attempts");
    for (size_t i = 0; i < answer->try_count; i++) put_try(j, &answer->tries[i]);
    json_end(j);
    json_end(j);
}

static void put_cases(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct answer_cases *a = owner;
    const struct outcome *o = a->book->outcome;
    json_list(j);
    for (size_t i = 0; i < a->count; i++) {
        struct arena scratch = arena_open();
        const struct casebook_case *c = a->cases[i];
        json_object(j);
        json_put_text(j, "benchmark", c->benchmark);
        json_put_text(j, "case", c->name);
        json_put_text(j, "hash", c->hash);
        put_json_text(j, "input", c->input);
        put_json_text(j, "expected", c->expected);
        json_key_list(j, "answers");
        for (size_t k = 0; k < o->agent_count; k++) {
            if (is_shown(a, k) && c->answers[k].try_count > 0)
                put_answer_json(j, &o->agents[k], &c->answers[k]);
        }
        json_end(j);
        json_put_text(j, "again", again_of(a, c, &scratch));
        json_end(j);
        arena_close(&scratch);
    }
    json_end(j);
}

static const char *run_of(const void *answer)
{
    return ((const struct answer_cases *)answer)->book->outcome->view->run.id;
}

static const char *suite_of(const void *answer)
{
    return ((const struct answer_cases *)answer)->book->outcome->suite;
}

static double total_of(const void *answer)
{
    return (double)((const struct answer_cases *)answer)->book->count;
}

#define OF struct answer_cases
static const struct layout_field cases_fields[] = {
    LAYOUT_WORD("run_id", run_of, "the run"),
    LAYOUT_WORD("suite", suite_of, "its name"),
    LAYOUT_SENTENCE("filter", filter_words, "what was asked for; null: all cases"),
    LAYOUT_FIGURE("total", total_of, "cases of the run"),
    LAYOUT_CALL("cases", put_cases, "array", "question, answers, checks, and how to ask again"),
};
static const struct layout cases_layout = LAYOUT(cases_fields);
#undef OF

const struct answer answer_cases = {
    ANSWER_NAME("cases"),
    .summary = "what was asked, expected and answered",
    .layout = &cases_layout,
    .text = cases_text,
};
