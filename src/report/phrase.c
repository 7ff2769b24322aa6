#include "report/phrase.h"

#include "base/clock.h"
#include "base/human.h"
#include "base/json.h"
#include "base/plain.h"

#include <inttypes.h>
#include <math.h>

/* Looking at all cells for each number is quadratic; nobody compares more by eye. */
enum { SHARED_CELLS_MAX = 500 };

static bool is_same_metric(const struct view_metric *a, const struct view_metric *b)
{
    struct metric of_a = view_metric_of(a);
    struct metric of_b = view_metric_of(b);
    return metric_is_comparable(&of_a, &of_b);
}

struct human_scale phrase_scale(const struct view *view, const struct view_metric *metric)
{
    double low = INFINITY;
    double high = 0;
    size_t cells = view->cell_count <= SHARED_CELLS_MAX ? view->cell_count : 0;
    for (size_t c = 0; c < cells; c++) {
        for (size_t m = 0; m < view->cells[c].metric_count; m++) {
            const struct view_metric *other = &view->cells[c].metrics[m];
            double size = fabs(other->median);
            if (!is_same_metric(other, metric) || !isfinite(size) || size == 0) continue;
            low = fmin(low, size);
            high = fmax(high, size);
        }
    }
    /* One unit for all, but digits for each: those of the smallest would make the others look
     * more precise than they are. */
    bool is_shared = high > 0 && high / low <= 1000;
    double own = metric->median != 0 ? metric->median : is_shared ? low : metric->max;
    return human_scale(metric->unit, own, is_shared ? high : own);
}

void phrase_number(struct buf *out, const struct human_scale *scale, double v)
{
    char text[HUMAN_SIZE];
    buf_text(out, human_number(scale, v, text));
}

void phrase_quantity(struct buf *out, const struct human_scale *scale, double v)
{
    phrase_number(out, scale, v);
    if (isnan(v) || scale->unit[0] == '\0') return;
    if (scale->unit[0] != '/') buf_add_char(out, ' ');
    buf_text(out, scale->unit);
}

void phrase_interval(struct buf *out, const struct human_scale *scale, double low, double high)
{
    if (isnan(low) || isnan(high)) return;
    buf_add_char(out, '[');
    phrase_number(out, scale, low);
    buf_text(out, ", ");
    phrase_number(out, scale, high);
    buf_add_char(out, ']');
}

void phrase_range(struct buf *out, const struct human_scale *scale, double min, double max)
{
    phrase_number(out, scale, min);
    if (isnan(min) || isnan(max)) return;
    buf_text(out, " … ");
    phrase_number(out, scale, max);
}

void phrase_percent(struct buf *out, double share)
{
    if (!isfinite(share)) {
        buf_add_char(out, '-');
        return;
    }
    double percent = share * 100;
    if (percent != 0 && fabs(percent) < 0.001) {
        buf_text(out, "<0.001 %");
        return;
    }
    buf_printf(out, "%.*f %%", fabs(percent) >= 0.095 || percent == 0 ? 1 : 3, percent);
}

void phrase_stamp(struct buf *out, int64_t unix_ns)
{
    char stamp[CLOCK_STAMP_SIZE];
    clock_stamp(unix_ns, stamp);
    if (unix_ns == 0) {
        buf_text(out, "at an unknown time");
        return;
    }
    buf_printf(out, "%.10s %.8s UTC", stamp, stamp + sizeof "2026-11-15T" - 1);
}

bool phrase_is_fact(const struct value *v)
{
    return v->kind != VALUE_NULL && v->kind != VALUE_LIST;
}

void phrase_value(struct buf *out, const struct value *v)
{
    if (v && v->kind == VALUE_TEXT) {
        buf_add(out, v->source);
        return;
    }
    struct json j;
    json_init(&j, out, 0);
    json_value(&j, v);
}

void phrase_warnings(const struct view *view, phrase_warning_fn *each, void *to)
{
    struct arena scratch = arena_open();
    for (size_t i = 0; i < view->machine_warning_count; i++)
        each(to, NULL, NULL, view->machine_warnings[i]);
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        const struct execution_record *r = &cell->record;
        const struct trial_note *failure = phrase_first_failure(cell);
        if (r->error_details && r->error_details[0])
            each(to, cell, view_status(view, r->status), r->error_details);
        if (failure) {
            struct buf text;
            buf_init(&text, 65536);
            phrase_failure(&text, failure);
            each(to, cell, NULL, buf_keep(&text, &scratch));
        }
        for (size_t w = 0; cell->metric_count && w < cell->metrics[0].warning_count; w++)
            each(to, cell, NULL, cell->metrics[0].warnings[w]);
    }
    arena_close(&scratch);
}

static void add_byte(struct buf *out, char c, bool is_utf8)
{
    if (is_utf8 || (unsigned char)c < 0x80) {
        buf_add_char(out, c);
    } else {
        buf_text(out, "\xEF\xBF\xBD"); /* U+FFFD */
    }
}

void phrase_escaped(struct buf *out, struct str s, const struct phrase_escapes *how)
{
    bool is_utf8 = str_is_utf8(s);
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        size_t hidden = plain_hidden((struct str){s.p + i, s.n - i});
        bool is_control = c < 0x20 || c == 0x7F;
        const char *at = is_control ? NULL : strchr(how->from, (char)c);
        if (hidden) {
            buf_text(out, "\xEF\xBF\xBD");
            i += hidden - 1;
        } else if (is_control && !(c && strchr(how->but_controls, (char)c))) {
            buf_text(out, how->control);
        } else if (at && how->to[at - how->from]) {
            buf_text(out, how->to[at - how->from]);
        } else {
            if (at) buf_add_char(out, '\\');
            add_byte(out, (char)c, is_utf8);
        }
    }
}

const char *phrase_label(const struct view_cell *cell)
{
    if (cell->record.label && cell->record.label[0]) return cell->record.label;
    return cell->record.experiment ? cell->record.experiment : "cell";
}

bool phrase_tells_effects(const struct view *view)
{
    for (size_t i = 1; i < view->effect_count; i++) {
        if (strcmp(view->effects[i].param, view->effects[0].param) != 0) return true;
    }
    return view->effect_count > 0 && view->comparison_count == 0;
}

static bool is_constant(const struct view_metric *m)
{
    return m->n > 1 && m->direction == DIRECTION_NONE && m->min == m->max;
}

bool phrase_is_idle(const struct view_metric *m)
{
    return m->is_hidden || m->n == 0 || is_constant(m);
}

void phrase_constants(struct buf *out, const struct view *view, const struct view_cell *cell)
{
    size_t before = out->n;
    for (size_t i = 1; i < cell->metric_count; i++) {
        const struct view_metric *m = &cell->metrics[i];
        if (m->is_hidden || !is_constant(m)) continue;
        struct human_scale scale = phrase_scale(view, m);
        buf_printf(out, "%s%s ", out->n > before ? ", " : "", m->name);
        phrase_quantity(out, &scale, m->min);
    }
}

static void put_spaced(struct buf *out, const char *snake)
{
    for (; *snake; snake++) {
        if (*snake == '_') {
            buf_add_char(out, ' ');
        } else {
            buf_add_char(out, *snake);
        }
    }
}

void phrase_counts(struct buf *out, const struct trial_counts *counts)
{
    buf_printf(out, "%" PRId64 " of %" PRId64 " ok", counts->by_status[TRIAL_OK],
               counts->attempted);
    for (int s = TRIAL_OK + 1; s < TRIAL_STATUS_COUNT; s++) {
        if (counts->by_status[s] == 0) continue;
        buf_printf(out, ", %" PRId64 " ", counts->by_status[s]);
        put_spaced(out, trial_status_name((enum trial_status)s));
    }
}

const struct trial_note *phrase_first_failure(const struct view_cell *cell)
{
    /* A cell that failed by its trials says which was the first (run/run_group.c). */
    const struct execution_record *r = &cell->record;
    bool is_told = r->status == RUN_FAILED && r->error_details &&
                   (r->counts.by_status[TRIAL_OK] == 0 || note_has(&r->notes, NOTE_STOPPED));
    for (size_t i = 0; i < cell->note_count; i++) {
        const struct trial_note *n = &cell->notes[i];
        if (n->phase != PHASE_MEASURED || n->status == TRIAL_OK || !n->error) continue;
        return is_told ? NULL : n;
    }
    return NULL;
}

void phrase_failure(struct buf *out, const struct trial_note *note)
{
    buf_printf(out, "first failure, trial %" PRId64 " (", note->trial);
    put_spaced(out, trial_status_name(note->status));
    buf_printf(out, "): %s", note->error);
}

void phrase_outcome(struct buf *out, const struct view *view)
{
    int64_t ok = 0;
    int64_t attempted = 0;
    for (size_t i = 0; i < view->cell_count; i++) {
        ok += view->cells[i].record.counts.by_status[TRIAL_OK];
        attempted += view->cells[i].record.counts.attempted;
    }
    if (view->run.status == RUN_SUCCESS && attempted > 0) {
        buf_printf(out, "%" PRId64 " of %" PRId64 " trials ok", ok, attempted);
    } else {
        buf_text(out, view_status(view, view->run.status));
    }
}

void phrase_warmup(struct buf *out, const struct view_cell *cell)
{
    const struct execution_record *r = &cell->record;
    if (r->warmup_done == 0) {
        buf_text(out, "none");
        return;
    }
    buf_printf(out, "%" PRId64 " trial%s dropped", r->warmup_done, PLURAL(r->warmup_done));
    if (r->steady_at >= 0) {
        buf_printf(out, "; steady from trial %" PRId64, r->steady_at);
    } else if (r->steady_at == -1) {
        buf_text(out, "; never steady");
    }
}

void phrase_say_list(struct buf *out, phrase_escape *escape, const char *fmt, va_list args)
{
    while (*fmt) {
        size_t n = strcspn(fmt, "%");
        buf_add(out, (struct str){fmt, n});
        fmt += n;
        if (fmt[0] && fmt[1] == 's') {
            escape(out, str_of(va_arg(args, const char *)));
            fmt += 2;
        } else if (fmt[0] && fmt[1] == 'z') {
            buf_printf(out, "%zu", va_arg(args, size_t));
            fmt += 3;
        } else if (fmt[0]) {
            CHECK(fmt[1] == '%');
            buf_add_char(out, '%');
            fmt += 2;
        }
    }
}

void phrase_say(struct buf *out, phrase_escape *escape, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    phrase_say_list(out, escape, fmt, args);
    va_end(args);
}
