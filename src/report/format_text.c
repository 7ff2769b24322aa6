/* For the terminal: what is asked most, in 80 columns.
 *
 * Up to BLOCKS_MAX cells each get a block with all their metrics; more get one
 * row each. Text from outside (labels, errors) may hold anything, so control
 * characters never reach the terminal. */
#include "base/human.h"
#include "base/plain.h"
#include "model/cell.h"
#include "report/answer_claims.h"
#include "report/histogram.h"
#include "report/phrase.h"
#include "report/report.h"
#include "report/suite_section.h"

#include <inttypes.h>
#include <math.h>

enum { BLOCKS_MAX = 6, SPARK_BINS = 24, ROW_BINS = 10, NAME_MAX_COLUMNS = 20 };

struct text {
    struct buf *out;
    const struct view *view;
    bool color;
    size_t width;
    struct buf piece; /* scratch for one phrase */
};

#define BOLD   "\033[1m"
#define DIM    "\033[2m"
#define YELLOW "\033[33m"
#define RED    "\033[31m"

static void put_left(struct text *t, struct str s, size_t width)
{
    size_t used = plain_add(t->out, s, width);
    plain_spaces(t->out, width - used);
}

/* A label keeps its end, which is where the cells of a sweep differ. */
static void put_label(struct text *t, struct str label, size_t width)
{
    size_t used = plain_add_ends(t->out, label, width);
    plain_spaces(t->out, width - used);
}

static void put_right(struct text *t, struct str s, size_t width)
{
    size_t n = plain_columns(s);
    if (n < width) plain_spaces(t->out, width - n);
    plain_add(t->out, s, n > width ? n : width);
}

static void style(struct text *t, const char *code)
{
    if (t->color) buf_text(t->out, code);
}

static void plain(struct text *t)
{
    style(t, "\033[0m");
}

static void end_line(struct text *t)
{
    plain_end(t->out);
}

static void put_wrapped(struct text *t, struct str words, size_t column, size_t indent)
{
    plain_wrap(t->out, words, t->width, column, indent);
}

static void put_warning(struct text *t, struct str what, size_t indent)
{
    plain_spaces(t->out, indent);
    style(t, YELLOW);
    buf_text(t->out, "! ");
    put_wrapped(t, what, indent + 2, indent + 2);
    plain(t);
}

static struct str piece_of(struct text *t)
{
    return buf_str(&t->piece);
}

static void put_head(struct text *t)
{
    const struct run_record *r = &t->view->run;
    style(t, BOLD);
    buf_text(t->out, "run ");
    plain_add(t->out, str_of(r->id), UUID_SIZE);
    plain(t);
    buf_clear(&t->piece);
    buf_add_char(&t->piece, ' ');
    phrase_stamp(&t->piece, r->started_ns);
    buf_text(&t->piece, ", ");
    phrase_outcome(&t->piece, t->view);
    if (r->ended_ns > r->started_ns) {
        char span[HUMAN_SIZE];
        double seconds = (double)(r->ended_ns - r->started_ns) / 1e9;
        buf_printf(&t->piece, " in %s", human_span(seconds, span));
    }
    end_line(t);
    plain_add(t->out, str_trim(piece_of(t)), t->width);
    end_line(t);
    if (r->spec_path) {
        plain_add(t->out, str_of(r->spec_path), t->width > 30 ? t->width - 30 : 1);
        buf_text(t->out, ", ");
    }
    buf_printf(t->out, "seed %" PRId64, r->seed);
    struct arena scratch = arena_open();
    const char *commit = cell_commit(r, &scratch);
    if (commit) buf_printf(t->out, ", commit %s", commit);
    arena_close(&scratch);
    end_line(t);
    for (size_t i = 0; i < r->notes.count; i++) {
        put_wrapped(t, str_of(r->notes.items[i].text), 0, 0);
    }
}

static void put_spark(struct text *t, const struct view_metric *m, size_t bins)
{
    struct histogram h;
    if (m->n < 3) return;
    histogram_fill(&h, m->samples, m->count, m->min, m->max, bins);
    style(t, DIM);
    histogram_sparkline(&h, t->out);
    plain(t);
}

static void put_quantity_column(struct text *t, const struct human_scale *scale, double v)
{
    buf_clear(&t->piece);
    phrase_number(&t->piece, scale, v);
    put_right(t, piece_of(t), 9);
    buf_printf(t->out, " ");
    put_left(t, str_of(scale->unit), plain_columns(str_of(scale->unit)) > 4 ? 8 : 4);
}

/* The piece, under the numbers of the line above. */
static void put_aside(struct text *t, size_t column)
{
    plain_spaces(t->out, column);
    style(t, DIM);
    put_wrapped(t, piece_of(t), column, column);
    plain(t);
}

enum { TAIL_VALUES_MIN = 20 }; /* with fewer the p95 is the largest */

/* "duration_s   1.234 ms  [1.229, 1.240]  ▁▂█▃▁": the same columns in every
 * block, so that blocks can be compared by eye. */
static void put_metric(struct text *t, const struct view_metric *m, size_t name_width,
                       bool is_primary)
{
    struct human_scale scale = phrase_scale(t->view, m);
    buf_text(t->out, "  ");
    put_left(t, str_of(m->name), name_width);
    if (m->n == 0) {
        buf_text(t->out, "         - no values");
        end_line(t);
        return;
    }
    style(t, is_primary ? BOLD : "");
    put_quantity_column(t, &scale, m->centre);
    plain(t);
    buf_clear(&t->piece);
    phrase_interval(&t->piece, &scale, m->centre_low, m->centre_high);
    size_t interval_width = plain_columns(piece_of(t));
    if (interval_width < 20) interval_width = 20;
    put_left(t, piece_of(t), interval_width);
    bool has_room = 2 + name_width + 14 + interval_width + SPARK_BINS <= t->width;
    if (is_primary && has_room) put_spark(t, m, SPARK_BINS);
    end_line(t);
    if (!is_primary) return;

    buf_clear(&t->piece);
    if (m->is_by_case) buf_printf(&t->piece, "of %zu trials: ", m->n);
    buf_text(&t->piece, "mean ");
    phrase_number(&t->piece, &scale, m->mean);
    if (!isnan(m->sd)) {
        buf_text(&t->piece, " ± ");
        phrase_number(&t->piece, &scale, m->sd);
    }
    buf_text(&t->piece, ", range ");
    phrase_range(&t->piece, &scale, m->min, m->max);
    if (!isnan(m->cv)) {
        buf_text(&t->piece, ", cv ");
        phrase_percent(&t->piece, m->cv);
        buf_printf(&t->piece, " %s", m->cv_label);
    }
    put_aside(t, name_width + 3);
    if (m->n < TAIL_VALUES_MIN) return;
    buf_clear(&t->piece);
    buf_text(&t->piece, "p95 ");
    phrase_number(&t->piece, &scale, m->p95);
    buf_text(&t->piece, ", p99 ");
    phrase_number(&t->piece, &scale, m->p99);
    put_aside(t, name_width + 3);
}

static void put_fact(void *to, const char *name, struct str what)
{
    struct text *t = to;
    buf_text(t->out, "      ");
    style(t, DIM);
    put_left(t, str_of(name), 12);
    plain(t);
    put_wrapped(t, what, 18, 18);
}

static void put_failure(struct text *t, const struct view_cell *cell)
{
    const struct execution_record *r = &cell->record;
    if (r->error_details && r->error_details[0]) {
        style(t, RED);
        const char *status = view_status(t->view, r->status);
        buf_printf(t->out, "  %s: ", status);
        size_t column = 4 + strlen(status);
        put_wrapped(t, str_of(r->error_details), column, 4);
        plain(t);
    }
    const struct trial_note *failure = phrase_first_failure(cell);
    if (!failure) return;
    buf_clear(&t->piece);
    phrase_failure(&t->piece, failure);
    put_warning(t, piece_of(t), 2);
}

/* Why columns are NULL is asked for by --explain. */
static void put_cell_notes(struct text *t, const struct view_cell *cell, bool explain)
{
    const struct note_list *notes = &cell->record.notes;
    for (size_t i = 0; i < notes->count; i++) {
        enum note_kind kind = notes->items[i].kind;
        if ((kind == NOTE_MISSING || kind == NOTE_BASIS) && !explain) continue;
        put_warning(t, str_of(notes->items[i].text), 2);
    }
}

static size_t name_width_of(const struct view *view)
{
    size_t width = 10;
    for (size_t c = 0; c < view->cell_count; c++) {
        for (size_t m = 0; m < view->cells[c].metric_count; m++) {
            size_t n = plain_columns(str_of(view->cells[c].metrics[m].name));
            if (n > width) width = n;
        }
    }
    return width < NAME_MAX_COLUMNS ? width : NAME_MAX_COLUMNS;
}

/* Whether the short form has something to say of it. Accuracy is shown among the scores, by
 * its mean over cases; a median of trials next to it would seem to contradict. */
static bool is_telling(const struct view_metric *m)
{
    return !phrase_is_idle(m) && strcmp(m->definition, "rubric_score/1") != 0;
}

static void put_merged(struct text *t, const struct view_cell *cell)
{
    for (size_t i = 0; i < cell->merged_count; i++) {
        const struct view_quantiles *m = &cell->merged[i];
        const struct {
            const char *name;
            double value;
        } parts[] = {{"p50", m->p50},
                     {"p90", m->p90},
                     {"p99", m->p99},
                     {"p99.9", m->p999},
                     {"max", m->max}};
        buf_clear(&t->piece);
        buf_printf(&t->piece, "%s of all %lld values: ", m->metric, (long long)m->total);
        for (size_t k = 0; k < COUNT(parts); k++) {
            char number[HUMAN_SIZE];
            buf_printf(&t->piece, "%s%s %s", k ? ", " : "", parts[k].name,
                       human_value(m->unit, parts[k].value, number));
        }
        buf_text(&t->piece, "; what follows is of its trials");
        put_wrapped(t, piece_of(t), 2, 2);
    }
}

static void put_constants(struct text *t, const struct view_cell *cell)
{
    buf_clear(&t->piece);
    phrase_constants(&t->piece, t->view, cell);
    if (t->piece.n == 0) return;
    static const char title[] = "  constant: ";
    buf_text(t->out, title);
    put_wrapped(t, piece_of(t), sizeof title - 1, 4);
}

static void put_block(struct text *t, const struct view_cell *cell, bool explain)
{
    end_line(t);
    buf_clear(&t->piece);
    phrase_counts(&t->piece, &cell->record.counts);
    size_t counts_width = plain_columns(piece_of(t));
    size_t label_width = t->width > counts_width + 12 ? t->width - counts_width - 2 : t->width;
    style(t, BOLD);
    put_label(t, str_of(phrase_label(cell)), label_width);
    plain(t);
    if (label_width == t->width) end_line(t);
    buf_text(t->out, "  ");
    plain_add(t->out, piece_of(t), counts_width);
    end_line(t);
    put_merged(t, cell);
    size_t name_width = name_width_of(t->view);
    for (size_t m = 0; m < cell->metric_count; m++) {
        if (m > 0 && !explain && !is_telling(&cell->metrics[m])) continue;
        put_metric(t, &cell->metrics[m], name_width, m == 0);
        if (explain) phrase_explain(t->view, cell, &cell->metrics[m], put_fact, t);
    }
    if (!explain) put_constants(t, cell);
    put_failure(t, cell);
    for (size_t i = 0; !explain && cell->metric_count && i < cell->metrics[0].warning_count;
         i++) {
        put_warning(t, str_of(cell->metrics[0].warnings[i]), 2);
    }
    put_cell_notes(t, cell, explain);
}

/* The keys, or the values, of a label "n=100, index=kd_tree"; false if it is something else. */
static bool add_side(struct str label, bool of_keys, struct buf *out)
{
    while (label.n > 0) {
        size_t n = 0;
        while (n < label.n && !(label.p[n] == ',' && n + 1 < label.n && label.p[n + 1] == ' '))
            n++;
        struct str value = {label.p, n};
        struct str key = str_cut(&value, '=');
        if (!value.p || key.n == 0) return false;
        if (out->n > 0) buf_text(out, ", ");
        buf_add(out, of_keys ? key : value);
        label =
            n + 2 < label.n ? (struct str){label.p + n + 2, label.n - n - 2} : (struct str){0};
    }
    return out->n > 0;
}

/* Labels of a sweep that are too long for their column lose their keys, which are all the
 * same and stand once above the table: "" if they are not. */
static struct str shared_keys(struct text *t, struct buf *keys)
{
    for (size_t i = 0; i < t->view->cell_count; i++) {
        const struct view_cell *cell = &t->view->cells[i];
        buf_clear(&t->piece);
        bool is_alike = add_side(str_of(phrase_label(cell)), true, &t->piece) &&
                        (i == 0 || str_equal(piece_of(t), buf_str(keys))) &&
                        cell->metric_count > 0 && t->view->cells[0].metric_count > 0 &&
                        strcmp(cell->metrics[0].name, t->view->cells[0].metrics[0].name) == 0;
        if (!is_alike) return (struct str){0};
        if (i == 0) buf_add(keys, piece_of(t));
    }
    return buf_str(keys);
}

struct columns {
    size_t label, interval;
    bool is_short; /* labels are without their keys */
    bool with_spark;
};

static void put_cell_name(struct text *t, const struct view_cell *cell,
                          const struct columns *columns)
{
    buf_clear(&t->piece);
    if (columns->is_short && add_side(str_of(phrase_label(cell)), false, &t->piece)) {
        put_label(t, piece_of(t), columns->label);
    } else {
        put_label(t, str_of(phrase_label(cell)), columns->label);
    }
}

/* One line per cell: label, level, interval, cv, ok/attempted, shape. */
static void put_row(struct text *t, const struct view_cell *cell, const struct columns *columns)
{
    put_cell_name(t, cell, columns);
    buf_text(t->out, " ");
    if (cell->metric_count > 0 && cell->metrics[0].n > 0) {
        const struct view_metric *m = &cell->metrics[0];
        struct human_scale scale = phrase_scale(t->view, m);
        put_quantity_column(t, &scale, m->centre);
        buf_clear(&t->piece);
        phrase_interval(&t->piece, &scale, m->centre_low, m->centre_high);
        put_left(t, piece_of(t), columns->interval);
        buf_clear(&t->piece);
        phrase_percent(&t->piece, m->cv);
        put_right(t, piece_of(t), 7);
    } else {
        put_left(t, S("        -"), 9 + 5 + columns->interval + 7);
    }
    buf_clear(&t->piece);
    const struct trial_counts *n = &cell->record.counts;
    buf_printf(&t->piece, "%" PRId64 "/%" PRId64, n->by_status[TRIAL_OK], n->attempted);
    style(t, n->by_status[TRIAL_OK] < n->attempted ? YELLOW : "");
    if (plain_columns(piece_of(t)) >= 8) buf_add_char(t->out, ' ');
    put_right(t, piece_of(t), 8);
    plain(t);
    if (columns->with_spark && cell->metric_count > 0) {
        buf_text(t->out, "  ");
        put_spark(t, &cell->metrics[0], ROW_BINS);
    }
    end_line(t);
    put_failure(t, cell);
}

static size_t interval_width_of(struct text *t)
{
    size_t width = 18;
    for (size_t i = 0; i < t->view->cell_count; i++) {
        const struct view_cell *cell = &t->view->cells[i];
        if (cell->metric_count == 0) continue;
        const struct view_metric *m = &cell->metrics[0];
        struct human_scale scale = phrase_scale(t->view, m);
        buf_clear(&t->piece);
        phrase_interval(&t->piece, &scale, m->centre_low, m->centre_high);
        if (plain_columns(piece_of(t)) > width) width = plain_columns(piece_of(t));
    }
    return width;
}

static size_t label_width_of(struct text *t, bool is_short)
{
    size_t width = 4;
    for (size_t i = 0; i < t->view->cell_count; i++) {
        struct str label = str_of(phrase_label(&t->view->cells[i]));
        buf_clear(&t->piece);
        bool is_cut = is_short && add_side(label, false, &t->piece);
        size_t n = plain_columns(is_cut ? piece_of(t) : label);
        if (n > width) width = n;
    }
    return width;
}

/* What the table has, where its labels do not say it: "build_time by n, index". */
static void put_keys(struct text *t, struct columns *columns)
{
    struct buf keys;
    buf_init(&keys, 4096);
    struct str names = shared_keys(t, &keys);
    columns->is_short = names.n > 0;
    if (columns->is_short) {
        columns->label = label_width_of(t, true);
        buf_clear(&t->piece);
        buf_printf(&t->piece, "%s by %.*s", t->view->cells[0].metrics[0].name, STR_ARG(names));
        put_wrapped(t, piece_of(t), 0, 2);
    }
    buf_release(&keys);
}

static void put_table(struct text *t)
{
    struct columns columns = {.label = label_width_of(t, false),
                              .interval = interval_width_of(t)};
    size_t fixed = 1 + 14 + columns.interval + 7 + 8;
    size_t room = t->width > fixed + 8 ? t->width - fixed : 8;
    end_line(t);
    if (columns.label > room) put_keys(t, &columns);
    if (columns.label > room) columns.label = room;
    columns.with_spark = columns.label + 2 + ROW_BINS <= room;
    style(t, DIM);
    put_left(t, S("cell"), columns.label);
    buf_text(t->out, "     value     ");
    put_left(t, S("95 % interval"), columns.interval);
    buf_text(t->out, "     cv       n");
    end_line(t);
    plain(t);
    for (size_t i = 0; i < t->view->cell_count; i++) {
        put_row(t, &t->view->cells[i], &columns);
    }
}

static void put_title(struct text *t, const char *title)
{
    end_line(t);
    style(t, BOLD);
    buf_text(t->out, title);
    plain(t);
    end_line(t);
}

static void put_comparisons(struct text *t)
{
    if (t->view->comparison_count == 0) return;
    put_title(t, t->view->suite_count > 0 ? "Comparison (paired cases)"
                                          : "Comparison (paired trials)");
    for (size_t i = 0; i < t->view->comparison_count; i++) {
        buf_clear(&t->piece);
        phrase_comparison(&t->piece, t->view, &t->view->comparisons[i]);
        buf_text(t->out, "  ");
        put_wrapped(t, piece_of(t), 2, 4);
    }
}

static void put_effects(struct text *t)
{
    if (!phrase_tells_effects(t->view)) return;
    put_title(t, "Effect of parameters (ratio to the first value, all else equal)");
    for (size_t i = 0; i < t->view->effect_count; i++) {
        const struct view_effect *e = &t->view->effects[i];
        struct human_scale scale = human_scale(e->unit, e->median, e->median);
        buf_clear(&t->piece);
        buf_printf(&t->piece, "%s=%s", e->param, e->value);
        buf_text(t->out, "  ");
        put_label(t, piece_of(t), 34);
        put_quantity_column(t, &scale, e->median);
        if (isfinite(e->ratio)) {
            buf_printf(t->out, " %8.3f x", e->ratio);
        } else {
            buf_text(t->out, "        - ");
        }
        buf_printf(t->out, "  %zu cell%s", e->matched, PLURAL(e->matched));
        end_line(t);
    }
}

static void write_text(const struct view *view, const struct report_options *options,
                       struct buf *out)
{
    struct text t = {
        .out = out,
        .view = view,
        .color = options->color,
        .width = options->width >= 40 ? (size_t)options->width : 80,
    };
    buf_init(&t.piece, 65536);
    put_head(&t);
    if (view->cell_count == 0) {
        buf_text(out, "no cells");
        end_line(&t);
    }
    suite_text(view, t.color, t.width, out);
    if (view->cell_count > BLOCKS_MAX && !options->explain) {
        put_table(&t);
    } else {
        for (size_t i = 0; i < view->cell_count; i++) {
            put_block(&t, &view->cells[i], options->explain);
        }
    }
    put_comparisons(&t);
    put_effects(&t);
    if (view->machine_warning_count > 0) put_title(&t, "Machine");
    for (size_t i = 0; i < view->machine_warning_count; i++) {
        put_warning(&t, str_of(view->machine_warnings[i]), 2);
    }
    if (view->claims) {
        buf_add_char(out, '\n');
        claims_lines(view->claims, out);
    }
    buf_release(&t.piece);
}

const struct reporter reporter_text = {
    .name = "text",
    .alias = "txt",
    .summary = "for the terminal: medians with intervals, comparisons, warnings",
    .write = write_text,
};
