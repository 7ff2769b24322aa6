#include "view/samples.h"

#include "base/csv.h"
#include "base/os.h"
#include "base/reals.h"

#include <math.h>
#include <strings.h>
#include <unistd.h>

enum { COLUMNS_NAMED_MAX = 8 }; /* in a message */

struct reader {
    const char *path;
    struct arena *out;
    struct reals values;
    size_t line;
    size_t missing;    /* values that are not there */
    size_t open_line;  /* of the first value without an end; 0: none */
    size_t bad;        /* lines that are not numbers */
    const char *first; /* what is wrong with the first of them */
    struct error *err;
};

static bool is_one_of(struct str word, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        if (word.n == strlen(words[i]) && strncasecmp(word.p, words[i], word.n) == 0)
            return true;
    }
    return false;
}

static const char *const missing_words[] = {"", "nan", "na", "n/a", "null", "none", NULL};
static const char *const open_words[] = {"inf", "+inf", "infinity", "+infinity", NULL};
static const char *const below_words[] = {"-inf", "-infinity", NULL};

/* The hint is for those who have a table and did not name a column. */
static const char *hint_for(const struct reader *r, struct str word, bool has_column)
{
    if (is_one_of(word, below_words))
        return " that was measured; for a value that is not there write nan";
    bool is_table =
        !has_column && (memchr(word.p, ',', word.n) || memchr(word.p, '\t', word.n) ||
                        memchr(word.p, ';', word.n) || r->line == 1);
    return is_table ? "; for a CSV file name the column: --column NAME" : "";
}

static void reject(struct reader *r, struct str word, bool has_column)
{
    r->bad++;
    if (r->bad > 1) return;
    r->first =
        arena_printf(r->out, "%s:%zu: '%.*s' is not a number%s", r->path, r->line,
                     (int)(word.n < 60 ? word.n : 60), word.p, hint_for(r, word, has_column));
}

static void take(struct reader *r, struct str word, bool has_column)
{
    double value = NAN;
    bool is_missing = is_one_of(word, missing_words);
    bool is_open = is_one_of(word, open_words);
    if (!is_missing && !is_open && !str_to_real(word, &value)) {
        reject(r, word, has_column);
        return;
    }
    if (is_open) value = INFINITY;
    if (is_open && r->open_line == 0) r->open_line = r->line;
    r->missing += is_missing;
    reals_push(&r->values, value);
}

static void read_plain(struct reader *r, struct str rest)
{
    while (rest.p) {
        struct str line = str_cut(&rest, '\n');
        r->line++;
        struct str text = str_cut(&line, '#');
        text = str_trim(text);
        if (text.n > 0) take(r, text, false);
    }
}

static char separator_of(struct str header)
{
    static const char separators[] = {',', '\t', ';'};
    for (size_t i = 0; i < COUNT(separators); i++) {
        if (memchr(header.p, separators[i], header.n)) return separators[i];
    }
    return ',';
}

static size_t count_lines(const char *from, const char *to)
{
    size_t n = 0;
    for (; from < to; from++) n += *from == '\n';
    return n;
}

/* The next field of *rest, which is after it afterwards (p NULL after the
 * last one of the file). A quote without its end takes the rest of the file. */
static struct str cut_field(struct reader *r, struct str *rest, char separator, bool *ends)
{
    struct str left = *rest;
    struct str field = {0};
    bool is_quoted = str_starts(left, S("\""));
    if (is_quoted && !csv_take_quoted(&left, r->out, &field)) {
        field = (struct str){left.p + 1, left.n - 1};
        left = (struct str){left.p + left.n, 0};
    }
    if (is_quoted) r->line += count_lines(rest->p, left.p);
    size_t n = 0; /* what follows a closing quote is skipped */
    while (n < left.n && left.p[n] != separator && left.p[n] != '\n') n++;
    if (!is_quoted) field = (struct str){left.p, n};
    *ends = n == left.n || left.p[n] == '\n';
    *rest = n == left.n ? (struct str){0} : (struct str){left.p + n + 1, left.n - n - 1};
    return str_trim(field);
}

static bool find_column(struct reader *r, struct str *rest, const char *column, char separator,
                        size_t *index)
{
    const char *names[COLUMNS_NAMED_MAX];
    size_t count = 0;
    bool ends = rest->n == 0;
    bool found = false;
    for (size_t i = 0; !ends; i++) {
        struct str name = cut_field(r, rest, separator, &ends);
        if (str_is(name, column) && !found) {
            *index = i;
            found = true;
        }
        if (count < COUNT(names)) names[count++] = str_cstr(r->out, name);
    }
    if (found) return true;
    const char *near = str_suggest(str_of(column), names, count);
    const char *list = "";
    for (size_t i = 0; i < count; i++) {
        list = arena_printf(r->out, "%s%s%.40s", list, i ? ", " : "", names[i]);
    }
    return error_set(r->err, ERROR_INVALID, "%s: no column '%.60s'; it has %s%s%s%s", r->path,
                     column, count ? list : "none", STR_MEANT(near));
}

static bool read_csv(struct reader *r, struct str rest, const char *column)
{
    while (rest.p && rest.n > 0 && rest.p[0] == '#') {
        str_cut(&rest, '\n');
        r->line++;
    }
    if (!rest.p) rest = S(""); /* nothing but comments */
    struct str header = rest;
    char separator = separator_of(str_cut(&header, '\n'));
    size_t wanted = 0;
    if (!find_column(r, &rest, column, separator, &wanted)) return false;
    r->line++;
    while (rest.p && rest.n > 0) {
        r->line++;
        if (rest.p[0] == '\n' || rest.p[0] == '\r') {
            str_cut(&rest, '\n');
            continue;
        }
        struct str chosen = {0};
        bool has_field = false;
        bool ends = false;
        size_t line = r->line;
        for (size_t i = 0; !ends; i++) {
            struct str field = cut_field(r, &rest, separator, &ends);
            if (i != wanted) continue;
            chosen = field;
            has_field = true;
        }
        size_t last = r->line;
        r->line = line;
        if (has_field) take(r, chosen.p ? chosen : S(""), true);
        if (!has_field) reject(r, S("(a line without that column)"), true);
        r->line = last;
    }
    return true;
}

bool samples_parse(const char *path, struct str bytes, const char *column, struct arena *out,
                   struct samples *samples, struct error *err)
{
    struct reader r = {.path = path, .out = out, .err = err};
    if (str_starts(bytes, S("\xEF\xBB\xBF"))) bytes = (struct str){bytes.p + 3, bytes.n - 3};
    bool done = true;
    if (column) {
        done = read_csv(&r, bytes, column);
    } else {
        read_plain(&r, bytes);
    }
    if (done && r.bad == 1) done = error_set(err, ERROR_INVALID, "%s", r.first);
    if (done && r.bad > 1) {
        done =
            error_set(err, ERROR_INVALID, "%s, nor are %zu further lines", r.first, r.bad - 1);
    }
    if (done && r.values.count == 0) {
        done = error_set(err, ERROR_INVALID, "%s: it has no numbers", path);
    }
    if (done) {
        samples->name = path;
        samples->count = r.values.count;
        samples->missing = r.missing;
        samples->open_line = r.open_line;
        samples->values = arena_new(out, double, r.values.count + 1);
        if (r.values.count) {
            memcpy(samples->values, r.values.items, r.values.count * sizeof(double));
        }
    }
    reals_release(&r.values);
    return done;
}

bool samples_read(const char *path, const char *column, struct arena *out,
                  struct samples *samples, struct error *err)
{
    struct str bytes = {0};
    bool is_stdin = strcmp(path, "-") == 0;
    bool is_read = is_stdin ? os_read_all(STDIN_FILENO, SAMPLES_MAX_BYTES, out, &bytes, err)
                            : os_read_file(path, SAMPLES_MAX_BYTES, out, &bytes, err);
    if (!is_read) return error_wrap(err, "reading samples '%s'", path);
    return samples_parse(is_stdin ? "standard input" : path, bytes, column, out, samples, err);
}
