/* CSV as RFC 4180 has it: a record ends at the first newline outside of quotes,
 * that is where the number of quotes so far is even. */
#include "score/dataset_internal.h"

#include "base/csv.h"

#include <errno.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 16 };

static const struct value_limits line_limits = {
    .max_bytes = DATASET_LINE_MAX,
    .max_depth = 64,
    .max_nodes = 1000000,
};

void source_begin(struct source *s)
{
    buf_init(&s->read, DATASET_LINE_MAX + 2 * READ_BYTES);
    buf_init(&s->record, DATASET_LINE_MAX);
}

void source_release(struct source *s)
{
    buf_release(&s->read);
    buf_release(&s->record);
}

/* Reads more after what is there; false at the end or on failure. */
static bool fill(struct source *s, struct problems *problems)
{
    if (s->is_at_end) return false;
    if (s->taken > 0) { /* all before it has been given out */
        memmove(s->read.p, s->read.p + s->taken, s->read.n - s->taken);
        s->read.n -= s->taken;
        s->taken = 0;
    }
    char chunk[READ_BYTES];
    ssize_t n;
    do n = read(s->fd, chunk, sizeof chunk);
    while (n < 0 && errno == EINTR);
    if (n < 0) problems_add(problems, s->line, 0, "cannot be read: %s", strerror(errno));
    s->is_at_end = n <= 0;
    if (n > 0) buf_add_bytes(&s->read, chunk, (size_t)n);
    return n > 0;
}

static bool is_too_long(struct source *s, struct problems *problems)
{
    s->is_at_end = true;
    s->taken = s->read.n;
    s->bytes = (struct str){0};
    problems_add(problems, s->line, 0, "longer than %d MiB, which is the limit",
                 DATASET_LINE_MAX >> 20);
    return false;
}

/* The next line without its end, valid until the next call; false at the end. */
static bool next_line(struct source *s, struct str *line, struct problems *problems)
{
    s->line++;
    if (s->fd < 0) {
        if (!s->bytes.p || s->taken >= s->bytes.n) return false;
        struct str rest = {s->bytes.p + s->taken, s->bytes.n - s->taken};
        *line = str_cut(&rest, '\n');
        s->taken += line->n + 1;
    } else {
        size_t searched = 0;
        const char *end = NULL;
        for (;;) {
            size_t left = s->read.n - s->taken;
            const char *begin = left ? s->read.p + s->taken : "";
            end = left > searched ? memchr(begin + searched, '\n', left - searched) : NULL;
            searched = left;
            if (end || left > DATASET_LINE_MAX || !fill(s, problems)) break;
        }
        size_t left = s->read.n - s->taken;
        if (left == 0) return false;
        const char *begin = s->read.p + s->taken;
        *line = (struct str){begin, end ? (size_t)(end - begin) : left};
        s->taken += line->n + (end != NULL);
    }
    if (line->n > DATASET_LINE_MAX) return is_too_long(s, problems);
    if (s->line == 1 && str_starts(*line, S("\xEF\xBB\xBF"))) {
        line->p += 3;
        line->n -= 3;
    }
    return true;
}

static size_t count_quotes(struct str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) n += text.p[i] == '"';
    return n;
}

/* The lines of one record; *line is the number of its first. */
static bool next_record(struct source *s, struct str *record, uint32_t *line,
                        struct problems *problems)
{
    struct str part;
    if (!next_line(s, &part, problems)) return false;
    *line = s->line;
    *record = part;
    size_t quotes = count_quotes(part);
    if (quotes % 2 == 0) return true;
    buf_clear(&s->record);
    buf_add(&s->record, part);
    while (quotes % 2) {
        if (!next_line(s, &part, problems)) {
            return problems_add(problems, *line, 0, "a quoted cell is not closed");
        }
        buf_add_char(&s->record, '\n');
        buf_add(&s->record, part);
        if (s->record.overflow) return is_too_long(s, problems);
        quotes += count_quotes(part);
    }
    *record = buf_str(&s->record);
    return true;
}

/* One cell off the front of *rest, and the comma after it; its content is copied
 * to `out`. */
static bool take_cell(struct str *rest, struct arena *out, struct str *cell)
{
    if (!str_starts(*rest, S("\""))) {
        *cell = str_copy(out, str_cut(rest, ','));
        return cell->n == 0 || !memchr(cell->p, '"', cell->n);
    }
    if (!csv_take_quoted(rest, out, cell)) return false;
    *cell = str_copy(out, *cell);
    if (rest->n > 0 && rest->p[0] != ',') return false;
    *rest = rest->n > 0 ? (struct str){rest->p + 1, rest->n - 1} : (struct str){0};
    return true;
}

/* The cells of a record; NULL where it is wrong. */
static struct str *split(struct str record, size_t *count, uint32_t line, struct arena *out,
                         struct problems *problems)
{
    if (str_ends(record, S("\r"))) record.n--;
    if (!str_is_utf8(record)) {
        problems_add(problems, line, 0, "not UTF-8 at byte %zu of the record",
                     str_utf8_prefix(record) + 1);
        return NULL;
    }
    size_t most = 1;
    for (size_t i = 0; i < record.n; i++) most += record.p[i] == ',';
    struct str *cells = arena_new(out, struct str, most);
    *count = 0;
    while (record.p) {
        if (take_cell(&record, out, &cells[*count])) {
            ++*count;
            continue;
        }
        problems_add(
            problems, line, 0,
            "cell %zu: a quote in the middle; quote the whole cell and double the quote",
            *count + 1);
        return NULL;
    }
    return cells;
}

static bool read_header(struct source *s, struct arena *out, struct problems *problems)
{
    struct str record;
    uint32_t line;
    do {
        if (!next_record(s, &record, &line, problems)) {
            return problems_add(problems, 1, 0, "no header; the first line names the columns");
        }
    } while (str_trim(record).n == 0);
    s->header = split(record, &s->columns, line, out, problems);
    if (!s->header) return false;
    if (s->columns == 1 && memchr(record.p, ';', record.n)) {
        return problems_add(problems, line, 0,
                            "the header is one column, '%.*s': columns are separated by ',' "
                            "here, not by ';'",
                            STR_ARG(str_trim(record)));
    }
    for (size_t i = 0; i < s->columns; i++) {
        s->header[i] = str_trim(s->header[i]);
        if (s->header[i].n == 0) {
            return problems_add(problems, line, 0, "column %zu has no name", i + 1);
        }
        for (size_t k = 0; k < i; k++) {
            if (!str_equal(s->header[i], s->header[k])) continue;
            return problems_add(problems, line, 0, "two columns '%.*s'", STR_ARG(s->header[i]));
        }
    }
    return true;
}

bool source_start(struct source *s, struct arena *out, struct problems *problems)
{
    buf_clear(&s->read);
    s->taken = 0;
    s->line = 0;
    s->next_item = 0;
    s->is_at_end = false;
    if (s->list) return true;
    if (s->fd >= 0 && lseek(s->fd, 0, SEEK_SET) != 0) {
        return problems_add(problems, 0, 0, "cannot be read from its beginning: %s",
                            strerror(errno));
    }
    return s->format == DATASET_JSONL || read_header(s, out, problems);
}

static bool holds_json(struct str column)
{
    static const char *const names[] = {"expected", "expected_output", "expected_outputs",
                                        "turns",    "rubric",          "scoring_rubric"};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (str_is(column, names[i])) return true;
    }
    return false;
}

static const struct value *cell_value(struct str column, struct str cell, uint32_t line,
                                      struct arena *out, struct problems *problems)
{
    bool is_json = cell.n && (cell.p[0] == '[' || cell.p[0] == '{') && holds_json(column);
    if (!is_json) return value_new_text(out, cell);
    const struct value *v = NULL;
    struct error err = {0};
    if (value_read_json(cell, &line_limits, out, &v, &err)) return v;
    problems_add(problems, line, 0, "column '%.*s' looks like JSON, but: %s", STR_ARG(column),
                 err.text);
    return NULL;
}

static enum source_step next_csv(struct source *s, struct arena *out,
                                 const struct value **fields, uint32_t *line,
                                 struct problems *problems)
{
    struct str record;
    do {
        if (!next_record(s, &record, line, problems)) return SOURCE_END;
    } while (str_trim(record).n == 0);
    size_t count = 0;
    struct str *cells = split(record, &count, *line, out, problems);
    if (!cells) return SOURCE_WRONG;
    if (count != s->columns) {
        problems_add(problems, *line, 0, "%zu cells; the header has %zu", count, s->columns);
        return SOURCE_WRONG;
    }
    struct value_pair *pairs = arena_new(out, struct value_pair, count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (cells[i].n == 0) continue;
        const struct value *v = cell_value(s->header[i], cells[i], *line, out, problems);
        if (!v) return SOURCE_WRONG;
        pairs[kept++] = (struct value_pair){.key = s->header[i], .value = v};
    }
    *fields = value_new_map(out, pairs, kept);
    return SOURCE_CASE;
}

static enum source_step next_json(struct source *s, struct arena *out,
                                  const struct value **fields, uint32_t *line,
                                  struct problems *problems)
{
    struct str text;
    do {
        if (!next_line(s, &text, problems)) return SOURCE_END;
    } while (str_trim(text).n == 0);
    *line = s->line;
    struct error err = {0};
    if (!value_read_json(text, &line_limits, out, fields, &err)) {
        struct str why = str_of(err.text); /* its own "line 1, " would mislead */
        if (str_starts(why, S("line 1, "))) why.p += strlen("line 1, ");
        problems_add(problems, s->line, 0, "not JSON: %s", why.p);
        return SOURCE_WRONG;
    }
    if ((*fields)->kind == VALUE_MAP) return SOURCE_CASE;
    problems_add(problems, s->line, 0, "a case is an object, not %s",
                 value_kind_name((*fields)->kind));
    return SOURCE_WRONG;
}

static enum source_step next_item(struct source *s, const struct value **fields, uint32_t *line,
                                  struct problems *problems)
{
    if (s->next_item == s->list->list.count) return SOURCE_END;
    *fields = s->list->list.items[s->next_item++];
    *line = (*fields)->line;
    if ((*fields)->kind == VALUE_MAP) return SOURCE_CASE;
    problems_add(problems, *line, (*fields)->column, "a case is a mapping, not %s",
                 value_kind_name((*fields)->kind));
    return SOURCE_WRONG;
}

enum source_step source_next(struct source *s, struct arena *out, const struct value **fields,
                             uint32_t *line, struct problems *problems)
{
    if (s->list) return next_item(s, fields, line, problems);
    if (s->format == DATASET_JSONL) return next_json(s, out, fields, line, problems);
    return next_csv(s, out, fields, line, problems);
}
