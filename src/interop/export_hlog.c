/* HdrHistogram interval logs (V2), which its viewers and plotters read: an interval a trial, a
 * tag for each histogram of an execution. import_hlog.c reads what this writes.
 *
 * Interval_Max is by its makers' custom the largest value in millions of its unit:
 * milliseconds of nanoseconds. */
#include "interop/export.h"
#include "stats/hdr.h"

#include <math.h>

struct state {
    int64_t start_ns; /* of the first run, from which all times count; 0: none yet */
};

static void put_head(int64_t start_ns, struct buf *out)
{
    buf_printf(out,
               "#[Histogram log format version 1.3]\n"
               "#[StartTime: %.3f (seconds since epoch)]\n"
               "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
               "\"Interval_Compressed_Histogram\"\n",
               1e-9 * (double)start_ns);
}

/* A tag has neither comma nor blank. */
static void put_tag(const struct exported *x, const char *metric, struct buf *out)
{
    const char *tag = arena_printf(x->arena, "Tag=%lld-%s-%s", (long long)x->e->cell_index,
                                   x->e->label ? x->e->label : "", metric);
    for (; *tag; tag++) buf_add_char(out, strchr(", \t\r\n", *tag) ? '_' : *tag);
}

static double value_of(const struct exported *x, const char *metric, int64_t trial)
{
    const struct series_record *s =
        series_find(x->series, x->series_count, PHASE_MEASURED, metric);
    return s && (size_t)trial < s->count ? s->samples[trial] : (double)NAN;
}

static void put_interval(const struct exported *x, const struct histogram_record *h,
                         const struct state *s, struct buf *out)
{
    struct hdr decoded;
    struct arena scratch = *x->arena;
    if (!hdr_decode(&decoded, h->data, &scratch, NULL)) return; /* the store has checked it */
    bool is_whole = h->trial < 0;                               /* of all trials together */
    double start_s = is_whole ? 1e-9 * (double)(x->e->start_ns - s->start_ns)
                              : value_of(x, "trial.start_s", h->trial) +
                                    1e-9 * (double)(x->run->started_ns - s->start_ns);
    double length_s = is_whole ? 1e-9 * (double)(x->e->end_ns - x->e->start_ns)
                               : value_of(x, metric_duration.name, h->trial);
    put_tag(x, h->metric, out);
    buf_printf(out, ",%.3f,%.3f,%.3f,%.*s\n", isnan(start_s) ? 0 : start_s,
               isnan(length_s) ? 0 : length_s, (double)decoded.max / 1e6, STR_ARG(h->data));
}

static void put(const struct exported *x, void *state, struct buf *out)
{
    struct state *s = state;
    if (s->start_ns == 0) {
        s->start_ns = x->run->started_ns;
        put_head(s->start_ns, out);
    }
    for (size_t i = 0; i < x->histogram_count; i++) {
        const struct histogram_record *h = &x->histograms[i];
        bool is_readable = strcmp(h->encoding, HISTOGRAM_ENCODING) == 0;
        if (h->phase == PHASE_MEASURED && is_readable) put_interval(x, h, s, out);
    }
}

const struct exporter exporter_hlog = {
    .name = "hlog",
    .summary = "HdrHistogram interval log (V2) of every histogram: those of loads",
    .is_latest = true,
    .wants_histograms = true,
    .put = put,
    .state_size = sizeof(struct state),
};
