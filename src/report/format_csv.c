/* One row per sample, parameters as columns: what R, pandas and spreadsheets
 * want; of suites also agent, version and case. Quoting after RFC 4180. */
#include "report/phrase.h"
#include "report/report.h"

#include "base/csv.h"
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

enum { COLUMNS_MAX = 256 };

struct columns {
    struct str names[COLUMNS_MAX];
    size_t count;
};

/* Every parameter that any cell has, in order of appearance. */
static void collect_columns(const struct view *view, struct columns *columns)
{
    columns->count = 0;
    for (size_t c = 0; c < view->cell_count; c++) {
        const struct view_cell *cell = &view->cells[c];
        for (size_t p = 0; p < cell->setting_count && columns->count < COLUMNS_MAX; p++) {
            struct str name = cell->settings[p].key;
            size_t i = 0;
            while (i < columns->count && !str_equal(columns->names[i], name)) i++;
            if (i == columns->count) columns->names[columns->count++] = name;
        }
    }
}

/* What all rows of a cell begin with. */
static void put_start(struct buf *out, const struct view *view, const struct view_cell *cell,
                      const struct columns *columns)
{
    buf_printf(out, "%s,%" PRId64 ",", view->run.id, cell->record.cell_index);
    csv_put_plain(out, str_of(cell->record.experiment));
    buf_add_char(out, ',');
    csv_put_plain(out, str_of(phrase_label(cell)));
    struct buf text;
    buf_init(&text, 1 << 20);
    for (size_t i = 0; i < columns->count; i++) {
        const struct value *v = view_find_setting(cell, columns->names[i]);
        buf_clear(&text);
        if (v) phrase_value(&text, v);
        buf_add_char(out, ',');
        csv_put_plain(out, buf_str(&text));
    }
    buf_release(&text);
}

static const struct suite_view *suite_of(const struct view *view, size_t cell)
{
    for (size_t i = 0; i < view->suite_count; i++) {
        if (view->suites[i].cell == cell) return &view->suites[i];
    }
    return NULL;
}

static const char *case_name(const struct suite_view *s, const char *hash)
{
    const struct suite_case *c = hash ? suite_view_find(s, hash) : NULL;
    return c ? c->name : "";
}

/* ",agent,version,case" of each trial; NULL where nobody has such. */
static const char **endings(const struct view *view, size_t cell, struct arena *out)
{
    const struct view_cell *c = &view->cells[cell];
    const struct suite_view *s = suite_of(view, cell);
    if (view->suite_count == 0) return NULL;
    const char **ends = arena_new(out, const char *, c->trial_count + 1);
    for (size_t t = 0; t < c->trial_count; t++) ends[t] = ",,,";
    struct buf text;
    buf_init(&text, 1 << 20);
    for (size_t i = 0; s && i < c->note_count; i++) {
        const struct trial_note *n = &c->notes[i];
        bool fits =
            n->phase == PHASE_MEASURED && n->trial >= 0 && (size_t)n->trial < c->trial_count;
        if (!fits) continue;
        const char *fields[] = {s->agent, s->version ? s->version : "",
                                case_name(s, n->case_hash)};
        buf_clear(&text);
        for (size_t k = 0; k < COUNT(fields); k++) {
            buf_add_char(&text, ',');
            csv_put_plain(&text, str_of(fields[k]));
        }
        ends[n->trial] = str_cstr(out, buf_str(&text));
    }
    buf_release(&text);
    return ends;
}

static void put_cell(struct buf *out, const struct view_cell *cell, struct str start,
                     const char *const *ends)
{
    char number[32];
    for (size_t m = 0; m < cell->metric_count; m++) {
        const struct view_metric *metric = &cell->metrics[m];
        for (size_t t = 0; t < metric->count; t++) {
            enum trial_status status =
                t < cell->trial_count ? (enum trial_status)cell->statuses[t] : TRIAL_OK;
            bool is_missing = !isfinite(metric->samples[t]);
            buf_add(out, start);
            buf_add_char(out, ',');
            csv_put_plain(out, str_of(metric->name));
            buf_add_char(out, ',');
            csv_put_plain(out, str_of(metric->unit));
            buf_printf(out, ",%zu,%s,%s%s\n", t,
                       is_missing ? "" : json_format_real(metric->samples[t], number),
                       trial_status_name(status),
                       !ends                   ? ""
                       : t < cell->trial_count ? ends[t]
                                               : ",,,");
        }
    }
}

static void write_csv(const struct view *view, const struct report_options *options,
                      struct buf *out)
{
    (void)options;
    struct columns columns;
    collect_columns(view, &columns);
    buf_text(out, "run,cell,experiment,label");
    struct buf text;
    buf_init(&text, 4 << 20);
    for (size_t i = 0; i < columns.count; i++) {
        buf_clear(&text);
        buf_text(&text, "param.");
        buf_add(&text, columns.names[i]);
        buf_add_char(out, ',');
        csv_put_plain(out, buf_str(&text));
    }
    buf_text(out, ",metric,unit,trial,value,status");
    buf_text(out, view->suite_count ? ",agent,version,case\n" : "\n");
    for (size_t i = 0; i < view->cell_count; i++) {
        buf_clear(&text);
        put_start(&text, view, &view->cells[i], &columns);
        struct arena scratch = arena_open();
        put_cell(out, &view->cells[i], buf_str(&text), endings(view, i, &scratch));
        arena_close(&scratch);
    }
    buf_release(&text);
}

const struct reporter reporter_csv = {
    .name = "csv",
    .summary = "one row per sample, parameters as columns",
    .write = write_csv,
};
