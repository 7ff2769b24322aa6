#include "load/trace.h"

#include "base/clock.h"
#include "base/csv.h"
#include "base/os.h"

#include <math.h>
#include <stdlib.h>

static const size_t file_max = (size_t)1 << 30;

/* ---- rows ---- */

/* The next field of a row; *has_ended: it was the last of its row. False: a quote without
 * its other. */
static bool take_field(struct str *rest, struct arena *out, struct str *field, bool *has_ended)
{
    if (str_starts(*rest, S("\""))) {
        if (!csv_take_quoted(rest, out, field)) return false;
    } else {
        size_t n = 0;
        while (n < rest->n && rest->p[n] != ',' && rest->p[n] != '\n') n++;
        *field = str_trim((struct str){rest->p, n});
        *rest = (struct str){rest->p + n, rest->n - n};
    }
    if (str_starts(*rest, S("\r"))) *rest = (struct str){rest->p + 1, rest->n - 1};
    *has_ended = rest->n == 0 || rest->p[0] == '\n';
    if (rest->n > 0 && !*has_ended && rest->p[0] != ',') return false;
    if (rest->n > 0) *rest = (struct str){rest->p + 1, rest->n - 1};
    return true;
}

/* Of a row the field of one column; empty where the row is shorter. */
static bool take_row(struct str *rest, size_t column, struct arena *out, struct str *field)
{
    bool has_ended = false;
    *field = (struct str){0};
    for (size_t i = 0; !has_ended; i++) {
        struct str one;
        if (!take_field(rest, out, &one, &has_ended)) return false;
        if (i == column) *field = one;
    }
    return true;
}

/* The place of a name in the first line. */
static bool find_column(struct str csv, const char *name, struct arena *out, size_t *column,
                        struct error *err)
{
    bool has_ended = false;
    for (*column = 0; !has_ended; ++*column) {
        struct str one;
        if (!take_field(&csv, out, &one, &has_ended)) break;
        if (str_is(one, name)) return true;
    }
    return error_set(err, ERROR_INVALID, "the first line has no column '%s'", name);
}

/* ---- moments ---- */

/* In nanoseconds: the time of day is too large for a double to keep its microseconds. */
static bool read_moment(struct str text, int64_t *ns)
{
    char stamp[48];
    double seconds = 0;
    if (str_to_real(text, &seconds)) {
        if (!(fabs(seconds) < 9e9)) return false;
        double whole = floor(seconds);
        *ns = (int64_t)whole * 1000000000 + (int64_t)((seconds - whole) * 1e9);
        return true;
    }
    if (str_ends(text, S("Z"))) text.n--;
    if (text.n < 11 || text.n + 2 > sizeof stamp || memchr(text.p, '\0', text.n)) return false;
    memcpy(stamp, text.p, text.n);
    memcpy(stamp + text.n, "Z", 2);
    if (stamp[10] == ' ') stamp[10] = 'T';
    return clock_parse_stamp(stamp, ns);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t count_lines(struct str csv)
{
    size_t n = 1;
    for (size_t i = 0; i < csv.n; i++) n += csv.p[i] == '\n';
    return n;
}

static void scale(struct trace *trace, const int64_t *ns, double time_scale, struct arena *out)
{
    double *at_s = arena_new(out, double, trace->count);
    for (size_t i = 0; i < trace->count; i++) {
        at_s[i] = time_scale * 1e-9 * (double)((uint64_t)ns[i] - (uint64_t)ns[0]);
    }
    trace->at_s = at_s;
}

bool trace_parse(struct trace *trace, struct str csv, const struct trace_options *options,
                 struct arena *out, struct error *err)
{
    size_t column = 0;
    size_t lines = count_lines(csv);
    CHECK(options->time_scale > 0);
    *trace = (struct trace){0};
    if (str_starts(csv, S("\xEF\xBB\xBF"))) csv = (struct str){csv.p + 3, csv.n - 3};
    if (lines > TRACE_MOMENTS_MAX) {
        return error_set(err, ERROR_INVALID, "it has more than %d lines", TRACE_MOMENTS_MAX);
    }
    if (options->column && !find_column(csv, options->column, out, &column, err)) return false;
    int64_t *ns = arena_new(out, int64_t, lines);
    for (size_t row = 1; csv.n > 0; row++) {
        struct str field;
        if (!take_row(&csv, column, out, &field)) {
            return error_set(err, ERROR_INVALID,
                             "row %zu: a quote is not closed, or text "
                             "follows it",
                             row);
        }
        if (field.n == 0) continue;
        if (read_moment(field, &ns[trace->count])) {
            trace->count++;
        } else if (row > 1) {
            return error_set(err, ERROR_INVALID,
                             "row %zu: '%.*s' is not a time; write seconds, or "
                             "2023-11-16 18:17:03.98",
                             row, (int)(field.n < 60 ? field.n : 60), field.p);
        }
    }
    if (trace->count == 0) return error_set(err, ERROR_INVALID, "it has no moment");
    qsort(ns, trace->count, sizeof *ns, by_size);
    scale(trace, ns, options->time_scale, out);
    return true;
}

bool trace_read(struct trace *trace, const char *path, const struct trace_options *options,
                struct arena *out, struct error *err)
{
    struct str csv = {0};
    if (!os_read_file(path, file_max, out, &csv, err)) return false;
    if (trace_parse(trace, csv, options, out, err)) return true;
    return error_wrap(err, "trace '%s'", path);
}
