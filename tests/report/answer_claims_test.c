/* Claims in reports: every part of them, whatever they are called. */
#include "report/answer_claims.h"

#include "report/report.h"
#include "tests/report/fixture.h"
#include "tests/test.h"

static struct claim items[] = {
    {.name = "half the time",
     .metric = "duration_s",
     .unit = "",
     .kind = CLAIM_REDUCTION,
     .outcome = CLAIM_HOLDS,
     .levels = {"duration_s", "s", 2, 1},
     .value = 0.501,
     .low = 0.487,
     .high = 0.512,
     .confidence = 0.95,
     .min = 0.45,
     .max = (double)NAN,
     .band = {0.45, 0.55},
     .n = {15, 15},
     .is_paired = true,
     .subjects = 1},
    {.name = HOSTILE_LABEL,
     .metric = "a|b<i>",
     .unit = "s",
     .kind = CLAIM_AT_MOST,
     .outcome = CLAIM_UNDECIDED,
     .value = (double)NAN,
     .low = (double)NAN,
     .high = (double)NAN,
     .confidence = 0.95,
     .min = (double)NAN,
     .max = 2,
     .band = {(double)NAN, (double)NAN},
     .n = {0, 3},
     .subjects = 2,
     .label = HOSTILE_LABEL,
     .reason = {.code = CLAIM_OTHER, .text = HOSTILE_LABEL}},
};
static const struct claims claims = {.run_id = "r", .items = items, .count = 2, .holding = 1};

static struct str report_of(struct arena *a, const char *name, const struct claims *shown)
{
    struct view *view = fixture_one_sample(a);
    view->claims = shown;
    struct buf b;
    buf_init(&b, REPORT_MAX_BYTES);
    reporter_find(str_of(name))->write(view, &(struct report_options){0}, &b);
    struct str s = str_copy(a, buf_str(&b));
    buf_release(&b);
    return s;
}

static void says(struct str s, const char *text)
{
    if (!strstr(s.p, text)) fail_msg("not said: %s\n%s", text, s.p);
}

TEST(every_part_is_in_every_format)
{
    struct arena a = arena_open();
    struct str md = report_of(&a, "markdown", &claims);
    says(md, "| half the time | holds | reduction of duration\\_s | 2.00 s -\\> 1.00 s "
             "duration\\_s (50.1 % less in pairs) | "
             "0.501 | "
             "\\[0.487, 0.512\\] (95 %) | at least 0.45, promised 0.45 to 0.55 | 15 pairs |\n");
    says(md, "| at most 2.00 s | n = 3; of 2 cells decided by ");
    struct str html = report_of(&a, "html", &claims);
    says(html, "<td>half the time</td><td>holds</td><td>reduction of duration_s</td>"
               "<td>2.00 s -&gt; 1.00 s duration_s (50.1 % less in "
               "pairs)</td><td>0.501</td><td>[0.487, 0.512] (95 %)</td>"
               "<td>at least 0.45, promised 0.45 to 0.55</td><td>15 pairs</td>");
    struct str text = report_of(&a, "text", &claims);
    says(text, "holds      half the time\n           reduction of duration_s 0.501 "
               "[0.487, 0.512], wanted at least 0.45, promised 0.45 to 0.55 (15 pairs)\n");
    says(text, "\n1 of 2 claims hold\n");
    says(md, "\n1 of 2 claims hold\n");
    says(html, "1 of 2 claims hold</p>\n</main>");
    arena_close(&a);
}

/* The layout of requirement 000. */
TEST(claims_with_groups_are_listed_by_them_with_a_total)
{
    struct claim grouped[3] = {items[0], items[0], items[1]};
    grouped[0].group = grouped[2].group = "Speed";
    grouped[1].group = "Memory";
    grouped[0].also = (struct claim_levels){"quality", "1", 0.9, 0.85};
    grouped[1].name = "less";
    grouped[1].levels = (struct claim_levels){"rows", "1", (double)NAN, 7};
    const struct claims shown = {.run_id = "r", .items = grouped, .count = 3, .holding = 2};
    struct arena a = arena_open();
    struct str text = report_of(&a, "text", &shown);
    says(text, " BENCHMARK RESULTS =");
    says(text, "\nSpeed:\n  holds      half the time: 2.00 s -> 1.00 s duration_s "
               "(50.1 % less in pairs)\n"
               "             with 0.9 -> 0.85 quality; reduction of duration_s 0.501 ");
    says(text, "\nMemory:\n  holds      less: 7 rows\n");
    says(text, "\nOVERALL: 2 of 3 claims hold\nReadiness: 7.5 of 10 ("); /* (1/2 + 1) / 2 */
    assert_true(strstr(text.p, "undecided") < strstr(text.p, "\nMemory:"));
    struct str md = report_of(&a, "markdown", &shown);
    says(md, "| Speed: half the time | holds |");
    says(md,
         "| 2.00 s -\\> 1.00 s duration\\_s (50.1 % less in pairs); 0.9 -\\> 0.85 quality |");
    says(md, "\n2 of 3 claims hold\n\nReadiness: 7.5 of 10 (");
    says(report_of(&a, "html", &shown), "2 of 3 claims hold<br>Readiness: 7.5 of 10 (");
    says(report_of(&a, "json", &shown), "\"claims_holding\":2,\"readiness\":7.5");
    assert_close(claims_readiness(&shown), 7.5, 1e-12);
    struct claims part = shown;
    part.is_part = true;
    assert_true(isnan(claims_readiness(&part)));
    text = report_of(&a, "text", &part);
    says(text, "\nOVERALL: 2 of 3 claims hold\n===");
    assert_true(isnan(claims_readiness(&claims)));
    arena_close(&a);
}

/* What was promised stands next to what was measured, and a failure with its reason. */
TEST(promised_figures_and_the_reason_of_a_failure_are_in_every_format)
{
    struct claim one = items[0];
    one.expected = "2 s to 1 s";
    one.stated = "nobody tried";
    const struct claims shown = {.run_id = "r", .items = &one, .count = 1};
    struct arena a = arena_open();
    for (int fails = 0; fails < 2; fails++) {
        one.outcome = fails ? CLAIM_FAILS : CLAIM_HOLDS;
        for (size_t i = 0; reporter_at(i); i++) {
            struct str s = report_of(&a, reporter_at(i)->name, &shown);
            if (!strstr(s.p, "half the time")) continue;
            says(s, "2 s to 1 s");
            assert_int_equal(strstr(s.p, "nobody tried") != NULL, fails);
        }
    }
    says(report_of(&a, "text", &shown),
         "\n           expected 2 s to 1 s\n           fails because nobody tried\n");
    arena_close(&a);
}

TEST(names_do_not_break_the_format)
{
    struct arena a = arena_open();
    struct str html = report_of(&a, "html", &claims);
    assert_null(strstr(html.p, "<script"));
    assert_null(strstr(html.p, "<i>"));
    assert_null(strstr(html.p, "nan"));
    struct str text = report_of(&a, "text", &claims);
    assert_null(memchr(text.p, '\033', text.n));
    struct str rest = report_of(&a, "markdown", &claims);
    size_t rows = 0;
    while (rest.p) {
        struct str line = str_cut(&rest, '\n');
        const char *row = str_cstr(&a, line);
        bool is_claim = line.n > 0 && line.p[0] == '|' &&
                        (strstr(row, "reduction of") || strstr(row, "level of"));
        size_t bars = 0;
        for (size_t i = 0; is_claim && i < line.n; i++) {
            bool is_escape = line.p[i] == '\\';
            bars += line.p[i] == '|';
            i += is_escape;
        }
        if (is_claim && bars != 9) fail_msg("%zu bars: %.*s", bars, STR_ARG(line));
        rows += is_claim;
    }
    assert_int_equal(rows, 2);
    arena_close(&a);
}

TEST(a_run_without_claims_says_nothing_of_them)
{
    struct arena a = arena_open();
    for (size_t i = 0; reporter_at(i); i++) {
        struct str s = report_of(&a, reporter_at(i)->name, NULL);
        assert_null(strstr(s.p, "claims hold"));
        assert_null(strstr(s.p, "Claims"));
    }
    arena_close(&a);
}

TEST_MAIN(T(every_part_is_in_every_format),
          T(claims_with_groups_are_listed_by_them_with_a_total),
          T(promised_figures_and_the_reason_of_a_failure_are_in_every_format),
          T(names_do_not_break_the_format), T(a_run_without_claims_says_nothing_of_them))
