/* HdrHistogram interval logs (V0, V1, V2). One cell per tag: its intervals are merged
 * without loss into one histogram, and each interval gives a trial with its
 * quantiles, so that trend sees the course of time.
 *
 *     #[StartTime: 1441812279.474 (seconds since epoch), ...]
 *     "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
 *     Tag=A,0.127,1.007,2.769,HISTFAAA...
 *
 * The log does not say the unit of its values. By its makers' custom they are
 * nanoseconds and Interval_Max is in milliseconds with three decimals: believed
 * where the two agree in all intervals, else the values stay plain numbers
 * (--unit says which). */
#include "interop/import.h"

#include <math.h>

/* What the encodings begin with: V2, then V1 and V0 with counts of 8, 4 and 2 bytes. */
static bool detect(struct str bytes)
{
    static const char *const starts[] = {",HISTFAAA", ",HISTggAA", ",HISTQgAA", ",HISTIgAA",
                                         ",HISTiQAA", ",HISTSQAA", ",HISTKQAA"};
    for (size_t i = 0; i < COUNT(starts); i++) {
        if (import_has(bytes, starts[i])) return true;
    }
    return false;
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

/* The number after "#[Name: ". */
static double header_number(struct str line, const char *name)
{
    struct str prefix = str_of(name);
    double number = NAN;
    if (!str_starts(line, prefix)) return NAN;
    struct str rest = str_trim((struct str){line.p + prefix.n, line.n - prefix.n});
    struct str word = str_cut(&rest, ' ');
    return str_to_real(word, &number) ? number : (double)NAN;
}

static bool merge(struct imported *in, struct imported_cell *cell, const struct hdr *h,
                  struct error *err)
{
    bool is_exact = true;
    if (!cell->histogram) cell->histogram = arena_new(in->arena, struct hdr, 1);
    cell->histogram_count++;
    if (!hdr_gather(cell->histogram, h, in->arena, &is_exact, err)) return false;
    if (!is_exact) {
        imported_remark(in, cell,
                        "intervals of different precision were merged by bucket middles");
    }
    return true;
}

static const char definition[] = "hlog.interval/1";

/* What the intervals' maxima say of the unit. */
struct custom {
    size_t agreeing;
    size_t differing;
};

static void ask_custom(struct custom *custom, const struct line *line, const struct hdr *h)
{
    double tolerance = 0.01 * line->max + 0.0005;
    if (h->total == 0) return;
    if (!(fabs((double)h->max / 1e6 - line->max) <= tolerance)) {
        custom->differing++;
    } else if (line->max > 0) {
        custom->agreeing++;
    }
}

static void take_quantiles(struct imported *in, struct imported_cell *cell,
                           const struct line *line, const struct hdr *h)
{
    static const struct {
        const char *name;
        double percent;
    } levels[] = {{"latency_p50", 50},
                  {"latency_p90", 90},
                  {"latency_p99", 99},
                  {"latency_p999", 99.9},
                  {"latency_max", 100}};
    static const struct metric count = {.name = "count",
                                        .unit = "1",
                                        .direction = DIRECTION_NONE,
                                        .definition = "hlog.count/1"};
    size_t trial = imported_trial(in, cell);
    cell->starts_s[trial] = line->start_s;
    for (size_t i = 0; i < COUNT(levels) && h->total > 0; i++) {
        struct metric m = {.name = levels[i].name,
                           .unit = "1",
                           .direction = DIRECTION_LOWER,
                           .definition = definition};
        imported_sample(in, cell, trial, &m, (double)hdr_percentile(h, levels[i].percent));
    }
    imported_sample(in, cell, trial, &count, (double)h->total);
}

static bool take_line(struct imported *in, const struct import_options *options,
                      struct str text, struct custom *custom, struct error *err)
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
        ask_custom(custom, &line, &h);
        take_quantiles(in, cell, &line, &h);
    }
    arena_close(&scratch);
    return done;
}

static void scale(struct imported *in, struct imported_cell *cell, struct imported_metric *m,
                  const char *unit, double factor)
{
    if (strcmp(m->metric.definition, definition) != 0) return;
    m->metric.unit = unit;
    if (strcmp(unit, "s") == 0) {
        m->metric.name = arena_printf(in->arena, "%s_s", m->metric.name);
    }
    for (size_t i = 0; i < cell->trial_count; i++)
        m->values[i] = import_scaled(m->values[i], factor);
}

/* One unit for all: the histogram keeps its values as written, the quantiles of its
 * intervals are scaled. */
static void settle_unit(struct imported *in, const struct import_options *options,
                        const struct custom *custom)
{
    bool is_custom = custom->agreeing > 0 && custom->differing == 0;
    const char *written = options->unit ? str_cstr(in->arena, str_of(options->unit))
                          : is_custom   ? "ns"
                                        : "1";
    const char *unit = written;
    double factor = import_unit(str_of(written), &unit);
    for (size_t c = 0; c < in->cell_count; c++) {
        struct imported_cell *cell = in->cells[c];
        cell->histogram_metric = (struct metric){.name = "latency",
                                                 .unit = written,
                                                 .direction = DIRECTION_LOWER,
                                                 .definition = "hlog.value/1"};
        for (size_t m = 0; m < cell->metric_count; m++) {
            scale(in, cell, &cell->metrics[m], unit, factor);
        }
    }
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
    struct custom custom = {0};
    for (size_t number = 1; bytes.p; number++) {
        struct str line = str_trim(str_cut(&bytes, '\n'));
        double start = header_number(line, "#[StartTime:");
        double base = header_number(line, "#[BaseTime:");
        if (!isnan(start)) start_s = start;
        if (!isnan(base)) base_s = base;
        if (line.n == 0 || line.p[0] == '#' || line.p[0] == '"') continue;
        if (!take_line(in, options, line, &custom, err))
            return error_wrap(err, "line %zu", number);
    }
    settle_unit(in, options, &custom);
    settle_starts(in, start_s, base_s);
    return true;
}

const struct importer importer_hlog = {
    .name = "hlog",
    .summary = "HdrHistogram interval log, V0 to V2",
    .detect = detect,
    .read = read,
};
