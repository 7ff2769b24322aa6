/* Comma-separated values (RFC 4180) with a header line. */
#include "base/csv.h"
#include "interop/generic.h"

#include <math.h>

enum { FIELDS_MAX = 512 };

/* Taken without looking when --format says so; by its looks only if the first line
 * has a comma and no brace. */
static bool detect(struct str bytes)
{
    struct str rest = bytes;
    struct str line = str_cut(&rest, '\n');
    return rest.p && rest.n && str_is_utf8(line) && memchr(line.p, ',', line.n) &&
           !memchr(line.p, '{', line.n);
}

/* One field off the front of *rest; *ends_row when a line ended with it. */
static bool next_field(struct str *rest, struct arena *out, struct str *field, bool *ends_row,
                       struct error *err)
{
    if (str_starts(*rest, S("\""))) {
        if (!csv_take_quoted(rest, out, field)) {
            return error_set(err, ERROR_INVALID, "a quoted field is not closed");
        }
        if (str_starts(*rest, S("\r"))) *rest = (struct str){rest->p + 1, rest->n - 1};
        if (rest->n > 0 && rest->p[0] != ',' && rest->p[0] != '\n') {
            return error_set(err, ERROR_INVALID, "text after a quoted field");
        }
    } else {
        size_t n = 0;
        while (n < rest->n && rest->p[n] != ',' && rest->p[n] != '\n') n++;
        *field = str_trim((struct str){rest->p, n});
        *rest = (struct str){rest->p + n, rest->n - n};
    }
    *ends_row = rest->n == 0 || rest->p[0] == '\n';
    if (rest->n > 0) *rest = (struct str){rest->p + 1, rest->n - 1};
    return true;
}

static bool next_row(struct str *rest, struct arena *out, struct str *fields, size_t *count,
                     struct error *err)
{
    bool ends_row = false;
    for (*count = 0; !ends_row;) {
        struct str field;
        if (!next_field(rest, out, &field, &ends_row, err)) return false;
        if (*count == FIELDS_MAX) {
            return error_set(err, ERROR_INVALID, "more than %d columns", FIELDS_MAX);
        }
        fields[(*count)++] = field;
    }
    return true;
}

static bool has_name(const struct str *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (str_is(names[i], name)) return true;
    }
    return false;
}

static bool check_names(const struct import_options *o, const struct str *names, size_t count,
                        struct error *err)
{
    const char *asked[FIELDS_MAX + 2];
    size_t asked_count = 0;
    if (o->by) asked[asked_count++] = o->by;
    if (o->time) asked[asked_count++] = o->time;
    for (size_t i = 0; i < o->column_count && i < FIELDS_MAX; i++) {
        asked[asked_count++] = o->columns[i];
    }
    for (size_t i = 0; i < asked_count; i++) {
        if (has_name(names, count, asked[i])) continue;
        return error_set(err, ERROR_INVALID, "no column '%s' in the header", asked[i]);
    }
    return true;
}

/* A file without a header would lose its first row. Who names columns knows the header. */
static bool check_header(const struct import_options *o, const struct str *names, size_t count,
                         struct error *err)
{
    double number = NAN;
    for (size_t i = 0; i < count && !o->by && !o->time && o->column_count == 0; i++) {
        if (!str_to_real(names[i], &number)) continue;
        return error_set(err, ERROR_INVALID,
                         "the header has '%.*s', which is a number: the first line must name "
                         "the columns (put one above the values, such as 'duration_s'); if "
                         "this is a column's name, say so with --column",
                         STR_ARG(names[i]));
    }
    return true;
}

static bool take_row(struct imported *in, const struct import_options *options,
                     struct str *rest, const struct str *names, size_t name_count,
                     struct error *err)
{
    struct arena scratch = arena_open();
    struct str *texts = arena_new(&scratch, struct str, FIELDS_MAX);
    struct generic_field *fields = arena_new(&scratch, struct generic_field, FIELDS_MAX);
    size_t count = 0;
    bool done = next_row(rest, &scratch, texts, &count, err);
    bool is_empty = done && count == 1 && texts[0].n == 0;
    if (done && !is_empty && count != name_count) {
        done =
            error_set(err, ERROR_INVALID, "%zu fields, the header has %zu", count, name_count);
    }
    for (size_t i = 0; done && i < count; i++) {
        fields[i] = (struct generic_field){names[i], texts[i], NAN};
        if (!str_to_real(texts[i], &fields[i].number)) fields[i].number = NAN;
    }
    if (done && !is_empty) done = generic_row(in, options, fields, count, err);
    arena_close(&scratch);
    return done;
}

/* The header of `hyperfine --export-csv`, whose rows are summaries in seconds, one for each
 * command: averaged over commands they would mean nothing. */
static bool is_of_hyperfine(const struct str *names, size_t count)
{
    static const char *const expected[] = {"command", "mean",   "stddev", "median",
                                           "user",    "system", "min",    "max"};
    for (size_t i = 0; i < COUNT(expected); i++) {
        if (i >= count || !str_is(names[i], expected[i])) return false;
    }
    return true;
}

static void note_summaries(struct imported *in)
{
    for (size_t i = 0; i < in->cell_count; i++) {
        in->cells[i]->is_claimed = true;
        imported_remark(in, in->cells[i],
                        "hyperfine's CSV has summaries only; --export-json has every time");
    }
}

static bool read(struct str bytes, const struct import_options *asked, struct imported *in,
                 struct error *err)
{
    struct str *names = arena_new(in->arena, struct str, FIELDS_MAX);
    struct import_options known = *asked;
    const struct import_options *options = asked;
    size_t count = 0;
    if (str_starts(bytes, S("\xEF\xBB\xBF"))) bytes = (struct str){bytes.p + 3, bytes.n - 3};
    if (bytes.n == 0) return true;
    if (!next_row(&bytes, in->arena, names, &count, err)) return error_wrap(err, "header");
    bool is_hyperfine = !asked->by && is_of_hyperfine(names, count);
    if (is_hyperfine) {
        known.by = "command";
        if (!known.unit) known.unit = "s";
        options = &known;
    }
    if (!check_header(options, names, count, err) || !check_names(options, names, count, err))
        return false;
    for (size_t row = 1; bytes.n > 0; row++) {
        if (!take_row(in, options, &bytes, names, count, err)) {
            return error_wrap(err, "row %zu", row);
        }
    }
    if (is_hyperfine) note_summaries(in);
    return generic_end(in, options, err);
}

const struct importer importer_csv = {
    .name = "csv",
    .summary = "comma-separated values; --by, --column, --time, --unit name its parts",
    .detect = detect,
    .read = read,
};
