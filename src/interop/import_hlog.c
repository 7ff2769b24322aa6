/* HdrHistogram interval logs (V2). One cell per tag: its intervals are merged
 * without loss into one histogram, and each interval gives a trial with its
 * quantiles, so that trend sees the course of time.
 *
 *     #[StartTime: 1441812279.474 (seconds since epoch), ...]
 *     "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
 *     Tag=A,0.127,1.007,2.769,HISTFAAA...
 *
 * The log does not say the unit of its values. By its makers' custom they are
 * nanoseconds and Interval_Max is in milliseconds: believed where the two agree,
 * else the values stay plain numbers (--unit tells). */
#include "interop/import.h"

#include <math.h>

static bool detect(struct str bytes)
{
    return import_has(bytes, ",HISTFAAA");
}

struct line {
    struct str tag;
    double start_s;
    double length_s;
    double max;
    struct str histogram;
};

static bool read_line(struct str text, struct line *line, struct error *err)
{
    *line = (struct line){0};
    if (str_starts(text, S("Tag="))) {
        line->tag = str_cut(&text, ',');
        line->tag = (struct str){line->tag.p + 4, line->tag.n - 4};
    }
    struct str fields[3];
    double *numbers[] = {&line->start_s, &line->length_s, &line->max};
    for (size_t i = 0; i < COUNT(fields); i++) {
        fields[i] = str_trim(str_cut(&text, ','));
        if (!text.p || !str_to_real(fields[i], numbers[i])) {
            return error_set(
                err, ERROR_INVALID,
                "wanted start, length, maximum and histogram, separated by commas");
        }
    }
    line->histogram = str_trim(text);
    return true;
}

/* The number behind "#[Name: ". */
static double header_number(struct str line, const char *name)
{
    struct str prefix = str_of(name);
    double number = NAN;
    if (!str_starts(line, prefix)) return NAN;
    struct str rest = str_trim((struct str){line.p + prefix.n, line.n - prefix.n});
    struct str word = str_cut(&rest, ' ');
    return str_to_real(word, &number) ? number : (double)NAN;
}

/* Counts of `from` at the middles of its buckets: for histograms of unlike
 * precision, which cannot be added bucket by bucket. */
static bool add_by_value(struct hdr *to, const struct hdr *from)
{
    for (size_t i = 0; i < from->counts_len; i++) {
        int64_t range = 0;
        if (from->counts[i] == 0) continue;
        int64_t low = hdr_value_at(from, i, &range);
        if (!hdr_record(to, low + range / 2, from->counts[i])) return false;
    }
    return true;
}

static bool merge(struct imported *in, struct imported_cell *cell, const struct hdr *h,
                  struct error *err)
{
    struct hdr *sum = cell->histogram;
    bool fits = sum && sum->highest >= h->highest;
    if (!fits) { /* a larger one, into which the old goes first */
        struct hdr *larger = arena_new(in->arena, struct hdr, 1);
        int64_t lowest = sum ? sum->lowest : h->lowest;
        int digits = sum ? sum->digits : h->digits;
        if (!hdr_init(larger, lowest, h->highest, digits, in->arena, err)) return false;
        if (sum && !hdr_merge(larger, sum, err)) return false;
        cell->histogram = sum = larger;
    }
    cell->histogram_count++;
    if (hdr_merge(sum, h, NULL)) return true;
    imported_remark(in, cell, "intervals of unlike precision were merged by bucket middles");
    return add_by_value(sum, h) ||
           error_set(err, ERROR_INVALID, "the intervals' histograms cannot be merged");
}

static const char *unit_of(const struct import_options *options, const struct line *line,
                           const struct hdr *h, double *factor)
{
    const char *unit = "1";
    *factor = 1;
    if (options->unit) {
        unit = options->unit;
        *factor = import_unit(str_of(options->unit), &unit);
    } else if (line->max > 0 && fabs((double)h->max / line->max / 1e6 - 1) < 0.01) {
        unit = "s";
        *factor = 1e-9;
    }
    return unit;
}

static void take_quantiles(struct imported *in, struct imported_cell *cell,
                           const struct line *line, const struct hdr *h, const char *unit,
                           double factor)
{
    static const struct {
        const char *name;
        double percent;
    } levels[] = {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p999", 99.9}, {"max", 100}};
    static const struct metric count = {.name = "count",
                                        .unit = "1",
                                        .direction = DIRECTION_NONE,
                                        .definition = "hlog.count/1"};
    size_t trial = imported_trial(in, cell);
    cell->starts_s[trial] = line->start_s;
    for (size_t i = 0; i < COUNT(levels) && h->total > 0; i++) {
        struct metric m = {.name = arena_printf(in->arena, "latency_%s%s", levels[i].name,
                                                strcmp(unit, "s") == 0 ? "_s" : ""),
                           .unit = unit,
                           .direction = DIRECTION_LOWER,
                           .definition = "hlog.interval/1"};
        double value = (double)hdr_percentile(h, levels[i].percent);
        imported_sample(in, cell, trial, &m, value * factor);
    }
    imported_sample(in, cell, trial, &count, (double)h->total);
}

static bool take_line(struct imported *in, const struct import_options *options,
                      struct str text, struct error *err)
{
    struct line line;
    if (!read_line(text, &line, err)) return false;
    struct arena scratch = arena_open();
    struct hdr h;
    bool done = hdr_decode(&h, line.histogram, &scratch, err);
    struct str base = str_of(options->name ? options->name : "hlog");
    const char *name =
        line.tag.n ? arena_printf(in->arena, "%.*s/%.*s", STR_ARG(base), STR_ARG(line.tag))
                   : str_cstr(in->arena, base);
    struct imported_cell *cell =
        done ? imported_cell(in, str_of(name), (struct str){0}, (struct str){0}, err) : NULL;
    done = cell && merge(in, cell, &h, err);
    if (done) {
        double factor = 1;
        const char *unit = unit_of(options, &line, &h, &factor);
        take_quantiles(in, cell, &line, &h, unit, factor);
        const char *raw = strcmp(unit, "s") == 0 && factor < 1
                              ? (options->unit ? options->unit : "ns")
                              : unit;
        cell->histogram_metric = (struct metric){.name = "latency",
                                                 .unit = str_cstr(in->arena, str_of(raw)),
                                                 .direction = DIRECTION_LOWER,
                                                 .definition = "hlog.value/1"};
    }
    arena_close(&scratch);
    return done;
}

static void settle_starts(struct imported *in, double start_s, double base_s)
{
    /* Stamps count from the base time if there is one, from 1970 if they are that
     * large, else from the start (HistogramLogReader's rule). */
    double first = INFINITY;
    for (size_t c = 0; c < in->cell_count; c++) {
        for (size_t i = 0; i < in->cells[c]->trial_count; i++) {
            first = fmin(first, in->cells[c]->starts_s[i]);
        }
    }
    double offset = !isnan(base_s) ? base_s : 0;
    if (isnan(base_s) && !isnan(start_s) && first < start_s - 365.0 * 24 * 3600) {
        offset = start_s;
    }
    double origin = first + offset;
    if (origin > 1e6 && origin < 9e9) in->started_ns = (int64_t)(origin * 1e9);
    for (size_t c = 0; c < in->cell_count; c++) {
        for (size_t i = 0; i < in->cells[c]->trial_count; i++) {
            in->cells[c]->starts_s[i] -= first;
        }
    }
}

static bool read(struct str bytes, const struct import_options *options, struct imported *in,
                 struct error *err)
{
    double start_s = NAN;
    double base_s = NAN;
    for (size_t number = 1; bytes.p; number++) {
        struct str line = str_trim(str_cut(&bytes, '\n'));
        double start = header_number(line, "#[StartTime:");
        double base = header_number(line, "#[BaseTime:");
        if (!isnan(start)) start_s = start;
        if (!isnan(base)) base_s = base;
        if (line.n == 0 || line.p[0] == '#' || line.p[0] == '"') continue;
        if (!take_line(in, options, line, err)) return error_wrap(err, "line %zu", number);
    }
    settle_starts(in, start_s, base_s);
    return true;
}

const struct importer importer_hlog = {
    .name = "hlog",
    .summary = "HdrHistogram interval log, V2",
    .detect = detect,
    .read = read,
};
