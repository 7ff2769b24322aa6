#include "report/answer_claims.h"

#include "base/human.h"
#include "base/json.h"
#include "base/plain.h"
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
    const char *what = c->kind == CLAIM_EQUAL_WITHIN ? "ratio" : claim_kind_name(c->kind);
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
    } else if (c->is_paired) {
        buf_printf(out, "%zu pairs", c->n[0] < c->n[1] ? c->n[0] : c->n[1]);
    } else {
        buf_printf(out, "n = %zu and %zu", c->n[0], c->n[1]);
    }
    if (c->subjects > 1) buf_printf(out, "; of %zu cells decided by %s", c->subjects, c->label);
}

void claims_tally(const struct claims *claims, const char *before, const char *after,
                  struct buf *out)
{
    if (!claims) return;
    buf_printf(out, "%s%zu of %zu claim%s hold%s%s", before, claims->holding, claims->count,
               claims->count == 1 ? "" : "s", claims->count == 1 ? "s" : "", after);
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

void claims_sentence(const struct claim *c, struct buf *out)
{
    put_what(c, out);
    put_part(put_value, c, " ", "", out);
    put_part(put_interval, c, " ", "", out);
    put_part(put_wanted, c, ", wanted ", "", out);
    put_part(put_promised, c, ", ", "", out);
}

/* ---- text ---- */

void claims_text(const struct claims *claims, struct buf *out)
{
    if (claims->count == 0) return;
    struct buf line;
    buf_init(&line, 1 << 20);
    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *c = &claims->items[i];
        buf_printf(out, "%-9s  ", claim_outcome_name(c->outcome));
        plain_add(out, str_of(c->name), SIZE_MAX);
        buf_clear(&line);
        claims_sentence(c, &line);
        put_part(put_evidence, c, " (", ")", &line);
        buf_text(out, "\n           ");
        plain_add(out, buf_str(&line), SIZE_MAX);
        if (c->reason) {
            buf_text(out, "\n           undecided because ");
            plain_add(out, str_of(c->reason), SIZE_MAX);
        }
        buf_add_char(out, '\n');
    }
    claims_tally(claims, "", "\n", out);
    buf_release(&line);
}

/* ---- Markdown and HTML ---- */

static void put_outcome(const struct claim *c, struct buf *out)
{
    buf_text(out, claim_outcome_name(c->outcome));
    if (c->reason) buf_printf(out, ": %s", c->reason);
}

static void put_limits(const struct claim *c, struct buf *out)
{
    put_wanted(c, out);
    put_part(put_promised, c, isnan(c->min) && isnan(c->max) ? "" : ", ", "", out);
}

static void put_confident(const struct claim *c, struct buf *out)
{
    put_interval(c, out);
    if (!isnan(c->low)) buf_printf(out, " (%.4g %%)", 100 * c->confidence);
}

static void put_name(const struct claim *c, struct buf *out)
{
    buf_text(out, c->name);
}

static const struct {
    const char *title;
    void (*put)(const struct claim *c, struct buf *out);
} columns[] = {
    {"claim", put_name},        {"verdict", put_outcome},    {"about", put_what},
    {"measured", put_value},    {"interval", put_confident}, {"wanted", put_limits},
    {"evidence", put_evidence},
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
            buf_text(out, "| ");
            markdown_text(out, buf_str(&piece));
            buf_add_char(out, ' ');
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
            html_piece(p);
            buf_text(p->out, "</td>");
        }
        buf_text(p->out, "</tr>\n");
    }
    buf_text(p->out, "</tbody></table>\n");
    html_close(p);
}

/* ---- JSON ---- */

/* As many times more values as the interval reaches further than the nearest limit is. */
static struct verdict_need need_of(const struct claim *c)
{
    struct verdict_need need = {0};
    if (c->outcome != CLAIM_UNDECIDED || isnan(c->low)) return need;
    bool is_min_near = !(fabs(c->value - c->max) < fabs(c->value - c->min));
    double limit = is_min_near ? c->min : c->max;
    double reach = c->value > limit ? c->value - c->low : c->high - c->value;
    double times = pow(reach / (c->value - limit), 2);
    size_t n = c->n[1] && c->n[1] < c->n[0] ? c->n[1] : c->n[0];
    need.what = times < VERDICT_NEED_MOST ? NEED_VALUES : NEED_TOO_MANY;
    if (need.what == NEED_VALUES) need.n = (size_t)ceil((double)n * times) + 1;
    return need;
}

static void put_claim(struct json *j, const struct claim *c)
{
    struct buf sentence;
    buf_init(&sentence, 4096);
    claims_sentence(c, &sentence);
    json_object(j);
    json_put_text(j, "name", c->name);
    json_put_text(j, "metric", c->metric);
    json_put_text(j, "expect", claim_kind_name(c->kind));
    json_put_text(j, "outcome", claim_outcome_name(c->outcome));
    json_put_real(j, "value", c->value);
    json_put_real(j, "low", c->low);
    json_put_real(j, "high", c->high);
    json_put_real(j, "confidence", c->confidence);
    json_put_real(j, "min", c->min);
    json_put_real(j, "max", c->max);
    json_key(j, "band");
    if (isnan(c->band[0])) {
        json_null(j);
    } else {
        json_list(j);
        for (int i = 0; i < 2; i++) json_real(j, c->band[i]);
        json_end(j);
    }
    json_put_bool(j, "strict_band", c->is_strict);
    json_key(j, "n");
    json_list(j);
    for (int i = 0; i < 2; i++) json_int(j, (int64_t)c->n[i]);
    json_end(j);
    json_put_bool(j, "paired", c->is_paired);
    json_put_int(j, "subjects", (int64_t)c->subjects);
    json_put_text(j, "label", c->label);
    json_put_text(j, "reason", c->reason);
    json_put_text(j, "sentence", sentence.p);
    struct arena scratch = arena_open();
    json_put_text(j, "next", words_need(need_of(c), &scratch));
    arena_close(&scratch);
    json_end(j);
    buf_release(&sentence);
}

void claims_put(const struct claims *claims, struct json *j)
{
    json_key(j, "claims");
    json_list(j);
    for (size_t i = 0; claims && i < claims->count; i++) put_claim(j, &claims->items[i]);
    json_end(j);
}

void claims_json(const struct claims *claims, struct buf *out)
{
    struct json j;
    json_open(&j, out, "assay.claims/1");
    json_put_text(&j, "run", claims->run_id);
    claims_put(claims, &j);
    json_put_int(&j, "holds", (int64_t)claims->holding);
    json_put_int(&j, "fails", (int64_t)claims->failing);
    json_put_int(&j, "undecided", (int64_t)(claims->count - claims->holding - claims->failing));
    json_put_int(&j, "total", (int64_t)claims->count);
    json_close(&j);
}
