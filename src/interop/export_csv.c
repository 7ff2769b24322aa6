/* One row per sample (RFC 4180): what R, pandas and spreadsheets want. */
#include "interop/export.h"

#include "base/clock.h"
#include "base/csv.h"
#include "base/json.h"

#include <math.h>

static void put_field(struct buf *out, struct str field)
{
    csv_put_plain(out, field);
    buf_add_char(out, ',');
}

static void begin(struct buf *out)
{
    buf_text(out, "run,started,commit,branch,execution,experiment,label,agent,version,"
                  "provenance,phase,trial,status,metric,unit,direction,value,case\n");
}

static void put_samples(const struct exported *x, const struct series_record *s,
                        struct str prefix, struct buf *out)
{
    const double *statuses = export_statuses(x, s->phase);
    char number[32];
    for (size_t i = 0; i < s->count; i++) {
        if (isnan(s->samples[i])) continue;
        double status = statuses ? statuses[i] : TRIAL_OK;
        bool is_known = status >= 0 && status < TRIAL_STATUS_COUNT;
        buf_add(out, prefix);
        buf_printf(out, "%s,%zu,%s,", trial_phase_name(s->phase), i,
                   is_known ? trial_status_name((enum trial_status)status) : "");
        put_field(out, str_of(s->metric));
        put_field(out, str_of(s->unit));
        buf_printf(out, "%s,%s,", direction_name(s->direction),
                   json_format_real(s->samples[i], number));
        bool has_case = s->phase == PHASE_MEASURED && i < x->case_count && x->cases[i];
        if (has_case) csv_put_plain(out, str_of(x->cases[i]));
        buf_add_char(out, '\n');
    }
}

static void put(const struct exported *x, void *state, struct buf *out)
{
    (void)state;
    struct buf prefix;
    char stamp[CLOCK_STAMP_SIZE];
    buf_init(&prefix, 1 << 20);
    put_field(&prefix, str_of(x->run->id));
    put_field(&prefix, str_of(clock_stamp(x->run->started_ns, stamp)));
    put_field(&prefix, run_vcs(x->run).commit);
    put_field(&prefix, run_vcs(x->run).branch);
    const char *texts[] = {x->e->id, x->e->experiment,    x->e->label,
                           x->agent, x->e->agent_version, x->e->provenance};
    for (size_t i = 0; i < COUNT(texts); i++) put_field(&prefix, str_of(texts[i]));
    for (size_t i = 0; i < x->series_count; i++) {
        if (export_is_metric(&x->series[i])) {
            put_samples(x, &x->series[i], buf_str(&prefix), out);
        }
    }
    buf_release(&prefix);
}

const struct exporter exporter_csv = {
    .name = "csv",
    .summary = "one row per sample",
    .begin = begin,
    .put = put,
};
