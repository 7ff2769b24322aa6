#include "report/claims.h"

#include "base/human.h"
#include "base/json.h"

#include <math.h>

/* One number of the claim, in the metric's own unit where it has one. */
static const char *show(const struct claim *c, double v, char *text)
{
    if (c->unit[0]) return human_value(c->unit, v, text);
    snprintf(text, HUMAN_SIZE, "%.4g", v);
    return text;
}

static void put_wanted(const struct claim *c, struct buf *out)
{
    char text[2][HUMAN_SIZE];
    bool has_min = !isnan(c->min);
    bool has_max = !isnan(c->max);
    if (!has_min && !has_max) return;
    buf_printf(out, ", wanted %s%s%s%s", has_min ? (has_max ? "" : "at least ") : "at most ",
               has_min ? show(c, c->min, text[0]) : "", has_min && has_max ? " to " : "",
               has_max ? show(c, c->max, text[1]) : "");
}

void claims_sentence(const struct claim *c, struct buf *out)
{
    char text[3][HUMAN_SIZE];
    const char *what = c->kind == CLAIM_EQUAL_WITHIN ? "ratio" : claim_kind_name(c->kind);
    if (c->kind >= CLAIM_AT_LEAST) what = "level";
    buf_printf(out, "%s of %s", what, c->metric);
    if (!isnan(c->value)) buf_printf(out, " %s", show(c, c->value, text[0]));
    if (!isnan(c->low)) {
        buf_printf(out, " [%s, %s]", show(c, c->low, text[1]), show(c, c->high, text[2]));
    }
    put_wanted(c, out);
    if (!isnan(c->band[0])) {
        buf_printf(out, ", promised %s to %s", show(c, c->band[0], text[0]),
                   show(c, c->band[1], text[1]));
    }
}

static void put_evidence(const struct claim *c, struct buf *out)
{
    if (c->subjects == 0) return;
    if (c->kind >= CLAIM_AT_LEAST) {
        buf_printf(out, " (n = %zu", c->n[1]);
    } else if (c->is_paired) {
        buf_printf(out, " (%zu pairs", c->n[0] < c->n[1] ? c->n[0] : c->n[1]);
    } else {
        buf_printf(out, " (n = %zu and %zu", c->n[0], c->n[1]);
    }
    if (c->subjects > 1) buf_printf(out, "; of %zu cells decided by %s", c->subjects, c->label);
    buf_add_char(out, ')');
}

void claims_text(const struct claims *claims, struct buf *out)
{
    if (claims->count == 0) return;
    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *c = &claims->items[i];
        buf_printf(out, "%-9s  %s\n           ", claim_outcome_name(c->outcome), c->name);
        claims_sentence(c, out);
        put_evidence(c, out);
        if (c->reason) buf_printf(out, "\n           undecided because %s", c->reason);
        buf_add_char(out, '\n');
    }
    buf_printf(out, "%zu of %zu claim%s hold%s\n", claims->holding, claims->count,
               claims->count == 1 ? "" : "s", claims->count == 1 ? "s" : "");
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
    json_end(j);
    buf_release(&sentence);
}

void claims_json(const struct claims *claims, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "schema", "assay.claims/1");
    json_put_text(&j, "run", claims->run_id);
    json_key(&j, "claims");
    json_list(&j);
    for (size_t i = 0; i < claims->count; i++) put_claim(&j, &claims->items[i]);
    json_end(&j);
    json_put_int(&j, "holds", (int64_t)claims->holding);
    json_put_int(&j, "fails", (int64_t)claims->failing);
    json_put_int(&j, "undecided", (int64_t)(claims->count - claims->holding - claims->failing));
    json_put_int(&j, "total", (int64_t)claims->count);
    json_end(&j);
    buf_add_char(out, '\n');
}
