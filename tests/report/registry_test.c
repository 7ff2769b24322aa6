/* Every reporter with every kind of run: what it writes must be well-formed,
 * whatever the run holds. */
#include "report/answers.h"
#include "report/report.h"
#include "tests/registry.h"
#include "tests/report/fixture.h"

static struct str written(struct arena *a, const struct reporter *r, const struct view *view,
                          struct report_options options)
{
    struct buf b;
    buf_init(&b, REPORT_MAX_BYTES);
    r->write(view, &options, &b);
    assert_false(b.overflow);
    struct str s = str_copy(a, buf_str(&b));
    buf_release(&b);
    return s;
}

static struct str report_of(struct arena *a, const char *reporter, const struct view *view)
{
    return written(a, reporter_find(str_of(reporter)), view, (struct report_options){0});
}

TEST(every_row_is_complete)
{
    registry_check("reporter", reporter_entry, false);
    for (size_t i = 0; reporter_at(i); i++) assert_non_null(reporter_at(i)->write);
    assert_string_equal(reporter_find(S("md"))->name, "markdown");
}

TEST(every_answer_is_named_once)
{
    assert_non_null(answer_at(0));
    for (size_t i = 0; answer_at(i); i++) {
        const struct answer *a = answer_at(i);
        registry_check_name("answer", a->name);
        if (!registry_is_line(a->summary)) fail_msg("%s: summary", a->name);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(answer_at(k)->name, a->name) == 0)
                fail_msg("answer '%s' is there twice", a->name);
        }
        assert_ptr_equal(answer_find(str_of(a->name)), a);
    }
}

/* A number that is not one must not be written as if it were. */
static bool has_word(struct str s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.n; i++) {
        bool begins = i == 0 || !((s.p[i - 1] | 32) >= 'a' && (s.p[i - 1] | 32) <= 'z');
        bool ends = i + n == s.n || !((s.p[i + n] | 32) >= 'a' && (s.p[i + n] | 32) <= 'z');
        if (begins && ends && strncasecmp(s.p + i, word, n) == 0) return true;
    }
    return false;
}

TEST(every_reporter_takes_every_run)
{
    for (size_t i = 0; reporter_at(i); i++) {
        for (size_t f = 0; f < COUNT(fixtures); f++) {
            struct arena a = arena_open();
            struct report_options options = {.explain = f % 2 == 0};
            struct str s = written(&a, reporter_at(i), fixtures[f].make(&a), options);
            if (s.n == 0) fail_msg("%s: %s: empty", reporter_at(i)->name, fixtures[f].name);
            if (has_word(s, "nan") || has_word(s, "inf") || has_word(s, "(null)")) {
                fail_msg("%s: %s: NaN, inf or (null)", reporter_at(i)->name, fixtures[f].name);
            }
            if (memchr(s.p, '\033', s.n)) {
                fail_msg("%s: %s: escape sequence", reporter_at(i)->name, fixtures[f].name);
            }
            bool is_text = strcmp(reporter_at(i)->name, "text") == 0;
            if (!is_text && !str_is_utf8(s)) {
                fail_msg("%s: %s: not UTF-8", reporter_at(i)->name, fixtures[f].name);
            }
            arena_close(&a);
        }
    }
}

TEST(json_reads_back_with_every_sample)
{
    static const struct value_limits limits = {REPORT_MAX_BYTES, 64, 1000000};
    for (size_t f = 0; f < COUNT(fixtures); f++) {
        struct arena a = arena_open();
        struct view *view = fixtures[f].make(&a);
        const struct value *root = NULL;
        struct error err = {0};
        if (!value_read_json(report_of(&a, "json", view), &limits, &a, &root, &err)) {
            fail_msg("%s: %s", fixtures[f].name, err.text);
        }
        assert_true(str_is(value_get(root, "schema")->source, "assay.report/1"));
        const struct value *cells = value_get(root, "cells");
        assert_int_equal(cells->list.count, view->cell_count);
        for (size_t c = 0; c < view->cell_count; c++) {
            const struct value *metrics = value_get(cells->list.items[c], "metrics");
            assert_int_equal(metrics->list.count, view->cells[c].metric_count);
            for (size_t m = 0; m < view->cells[c].metric_count; m++) {
                const struct view_metric *metric = &view->cells[c].metrics[m];
                const struct value *list = value_get(metrics->list.items[m], "samples");
                assert_int_equal(list->list.count, metric->count);
                for (size_t t = 0; t < metric->count; t++) {
                    const struct value *v = list->list.items[t];
                    bool is_missing = !isfinite(metric->samples[t]);
                    assert_int_equal(v->kind == VALUE_NULL, is_missing);
                    if (!is_missing) assert_true(value_number(v) == metric->samples[t]);
                }
            }
        }
        arena_close(&a);
    }
}

/* Fields of each record by RFC 4180; 0 at the end. */
static size_t next_record(struct str *s)
{
    if (s->n == 0) return 0;
    size_t fields = 1;
    bool is_quoted = false;
    size_t i = 0;
    for (; i < s->n && (is_quoted || s->p[i] != '\n'); i++) {
        if (s->p[i] == '"') is_quoted = !is_quoted;
        fields += !is_quoted && s->p[i] == ',';
    }
    assert_false(is_quoted);
    i += i < s->n;
    s->p += i;
    s->n -= i;
    return fields;
}

TEST(csv_has_one_row_per_sample_and_equal_columns)
{
    for (size_t f = 0; f < COUNT(fixtures); f++) {
        struct arena a = arena_open();
        struct view *view = fixtures[f].make(&a);
        struct str s = report_of(&a, "csv", view);
        size_t columns = next_record(&s);
        assert_true(columns >= 9);
        size_t rows = 0;
        for (size_t n = next_record(&s); n > 0; n = next_record(&s)) {
            if (n != columns) fail_msg("%s: row %zu has %zu", fixtures[f].name, rows, n);
            rows++;
        }
        size_t samples = 0;
        for (size_t c = 0; c < view->cell_count; c++) {
            for (size_t m = 0; m < view->cells[c].metric_count; m++) {
                samples += view->cells[c].metrics[m].count;
            }
        }
        assert_int_equal(rows, samples);
        arena_close(&a);
    }
}

TEST(csv_says_which_trials_failed)
{
    struct arena a = arena_open();
    struct view *view = fixture_failed(&a);
    struct str s = report_of(&a, "csv", view);
    assert_non_null(strstr(s.p, "run,cell,experiment,label,param.n,param.sort,metric,unit,"
                                "trial,value,status\n"));
    assert_non_null(strstr(s.p, "duration_s,s,0,,timed_out\n"));
    assert_null(strstr(s.p, ",,ok\n"));
    arena_close(&a);
}

/* Counts how often `text` stands in s. */
static size_t count_of(struct str s, const char *text)
{
    size_t n = 0;
    for (const char *p = s.p; (p = strstr(p, text)); p++) n++;
    return n;
}

TEST(html_is_well_formed_and_loads_nothing)
{
    static const char *const elements[] = {"section", "table", "tr",  "td", "th",      "div",
                                           "svg",     "dl",    "ul",  "li", "details", "span",
                                           "h2",      "main",  "pre", "p"};
    for (size_t f = 0; f < COUNT(fixtures); f++) {
        struct arena a = arena_open();
        struct str s = report_of(&a, "html", fixtures[f].make(&a));
        for (size_t i = 0; i < COUNT(elements); i++) {
            size_t opened = count_of(s, arena_printf(&a, "<%s>", elements[i])) +
                            count_of(s, arena_printf(&a, "<%s ", elements[i]));
            size_t closed = count_of(s, arena_printf(&a, "</%s>", elements[i]));
            if (opened != closed) {
                fail_msg("%s: <%s> %zu, closed %zu", fixtures[f].name, elements[i], opened,
                         closed);
            }
        }
        static const char *const banned[] = {"<script", "<b>|",    "<i>",  "<u>",     "http:",
                                             "https:",  "@import", "url(", "onerror", "src="};
        for (size_t i = 0; i < COUNT(banned); i++) {
            if (strstr(s.p, banned[i])) fail_msg("%s: has '%s'", fixtures[f].name, banned[i]);
        }
        arena_close(&a);
    }
}

/* Cells of a Markdown table row; "\|" does not separate. */
static size_t bars_of(struct str line)
{
    size_t n = 0;
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == '\\') {
            i++;
        } else {
            n += line.p[i] == '|';
        }
    }
    return n;
}

TEST(markdown_tables_keep_their_columns)
{
    for (size_t f = 0; f < COUNT(fixtures); f++) {
        struct arena a = arena_open();
        struct str rest = report_of(&a, "markdown", fixtures[f].make(&a));
        size_t columns = 0;
        while (rest.p) {
            struct str line = str_cut(&rest, '\n');
            bool is_row = line.n > 0 && line.p[0] == '|';
            if (is_row && columns && bars_of(line) != columns) {
                fail_msg("%s: %.*s", fixtures[f].name, STR_ARG(line));
            }
            columns = is_row ? bars_of(line) : 0;
        }
        arena_close(&a);
    }
}

TEST(markdown_takes_no_markup_from_units_and_versions)
{
    struct arena a = arena_open();
    struct view *view = fixture_ordinary(&a);
    for (size_t c = 0; c < view->cell_count; c++) {
        for (size_t m = 0; m < view->cells[c].metric_count; m++) {
            view->cells[c].metrics[m].unit = "<u>|";
        }
    }
    view->run.assay_version = "<b>";
    view->run.spec_text = NULL;
    struct str text = report_of(&a, "markdown", view);
    assert_null(memmem(text.p, text.n, "<u>", 3));
    assert_null(memmem(text.p, text.n, "<b>", 3));
    assert_non_null(memmem(text.p, text.n, " &lt;u\\>\\|", 10));
    arena_close(&a);
}

static size_t columns_of(struct str line)
{
    size_t n = 0;
    for (size_t i = 0; i < line.n; i++) n += ((unsigned char)line.p[i] & 0xC0) != 0x80;
    return n;
}

TEST(text_fits_80_columns)
{
    for (size_t f = 0; f < COUNT(fixtures); f++) {
        struct arena a = arena_open();
        struct str rest = report_of(&a, "text", fixtures[f].make(&a));
        while (rest.p) {
            struct str line = str_cut(&rest, '\n');
            if (columns_of(line) > 80) fail_msg("%s: %.*s", fixtures[f].name, STR_ARG(line));
            assert_false(line.n > 0 && line.p[line.n - 1] == ' ');
        }
        arena_close(&a);
    }
}

TEST(text_has_colours_only_if_asked)
{
    struct arena a = arena_open();
    struct view *view = fixture_ordinary(&a);
    const struct reporter *text = reporter_find(S("text"));
    struct str colored = written(&a, text, view, (struct report_options){.color = true});
    assert_non_null(strstr(colored.p, "\033[1m"));
    assert_null(strstr(report_of(&a, "text", view).p, "\033"));
    arena_close(&a);
}

TEST(text_says_what_matters)
{
    struct arena a = arena_open();
    struct str s = report_of(&a, "text", fixture_ordinary(&a));
    static const char *const said[] = {
        "n=1000, sort=quick ran 1.10 x [1.08, 1.12] faster than n=1000, sort=merge",
        "50 of 50 ok",
        "cv 3.0 % excellent",
        "! drift",
        "governor is 'powersave'",
        "1.200 x"};
    for (size_t i = 0; i < COUNT(said); i++) {
        if (!strstr(s.p, said[i])) fail_msg("not said: %s\n%s", said[i], s.p);
    }
    s = report_of(&a, "text", fixture_failed(&a));
    assert_non_null(strstr(s.p, "9 of 12 ok, 2 failed, 1 limit breached"));
    assert_non_null(strstr(s.p, "No such file or directory"));
    assert_non_null(strstr(s.p, "longer than 2 s"));
    arena_close(&a);
}

TEST(explain_gives_the_origin_of_each_number)
{
    struct arena a = arena_open();
    struct view *view = fixture_ordinary(&a);
    view->cells[0].record.segments = 2;
    struct str s =
        written(&a, reporter_find(S("text")), view, (struct report_options){.explain = true});
    static const char *const said[] = {"50 values",
                                       "3 trials dropped; steady from trial 2",
                                       "CLOCK_MONOTONIC_RAW (clock source tsc)",
                                       "41.0 ns",
                                       "coefficient of variation: excellent",
                                       "2 of 50 beyond 3.5 scaled MADs",
                                       "bimodal",
                                       "fixture/1, unit s, lower is better",
                                       "resumed",
                                       "seed        42"};
    for (size_t i = 0; i < COUNT(said); i++) {
        if (!strstr(s.p, said[i])) fail_msg("not said: %s\n%s", said[i], s.p);
    }
    arena_close(&a);
}

TEST_MAIN(T(every_row_is_complete), T(every_answer_is_named_once),
          T(every_reporter_takes_every_run), T(json_reads_back_with_every_sample),
          T(csv_has_one_row_per_sample_and_equal_columns), T(csv_says_which_trials_failed),
          T(html_is_well_formed_and_loads_nothing), T(markdown_tables_keep_their_columns),
          T(markdown_takes_no_markup_from_units_and_versions), T(text_fits_80_columns),
          T(text_has_colours_only_if_asked), T(text_says_what_matters),
          T(explain_gives_the_origin_of_each_number))
