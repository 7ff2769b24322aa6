/* Pictures drawn from data alone: whatever is in them, text fits its width and SVG is
 * well-formed; and the plots of answers with planted data have what they are about. */
#include "base/plain.h"
#include "history/gate.h"
#include "history/regress.h"
#include "history/trend.h"
#include "judge/claims.h"
#include "judge/compare.h"
#include "judge/doctor.h"
#include "rank/ranking.h"
#include "report/answers.h"
#include "tests/report/fixture.h"
#include "tests/test.h"

#include <ctype.h>

/* ---- what holds for every picture ---- */

/* Elements end in the order in which they begin, attributes are quoted, and no '&' or '<'
 * stands by itself. */
static void check_xml(const char *name, const char *p)
{
    char open[32][32];
    size_t depth = 0;
    while (*p) {
        if (*p == '&') {
            const char *end = strchr(p, ';');
            if (!end || end - p > 6) fail_msg("%s: a bare & at %.20s", name, p);
        }
        if (*p++ != '<') continue;
        bool is_end = *p == '/';
        p += is_end;
        size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz");
        if (n == 0 || n >= sizeof open[0]) fail_msg("%s: no element at %.20s", name, p);
        if (is_end) {
            if (depth == 0 || strncmp(open[depth - 1], p, n) != 0 || open[depth - 1][n] != '\0')
                fail_msg("%s: </%.*s> ends nothing", name, (int)n, p);
            depth--;
        } else {
            if (depth == COUNT(open)) fail_msg("%s: too deep", name);
            snprintf(open[depth++], sizeof open[0], "%.*s", (int)n, p);
        }
        p += n;
        bool is_quoted = false;
        for (; *p && (is_quoted || *p != '>'); p++) {
            if (*p == '"') is_quoted = !is_quoted;
            if (*p == '<') fail_msg("%s: < in a tag: %.20s", name, p);
        }
        if (*p != '>') fail_msg("%s: a tag without end", name);
        if (p[-1] == '/') depth--;
    }
    if (depth != 0) fail_msg("%s: <%s> is not ended", name, open[depth - 1]);
}

static void check_text(const char *name, const struct plot *plot, int width)
{
    struct arena scratch = arena_open();
    struct buf out;
    buf_init(&out, 1 << 20);
    plot_text(plot, width, scratch, &out);
    bool is_drawn = width >= PLOT_TEXT_LEAST && plot_has_points(plot);
    assert_int_equal(out.n > 0, is_drawn);
    for (struct str rest = buf_str(&out); rest.n > 0;) {
        struct str line = str_cut(&rest, '\n');
        if (plain_columns(line) > (size_t)width)
            fail_msg("%s: %zu columns of %d: %.*s", name, plain_columns(line), width,
                     STR_ARG(line));
        if (!plain_is(line)) fail_msg("%s: not plain: %.*s", name, STR_ARG(line));
    }
    buf_release(&out);
    arena_close(&scratch);
}

static void check_plots(const char *name, struct plot_list plots)
{
    for (size_t i = 0; i < plots.count; i++) {
        struct axis axes[] = {plot_x_axis(&plots.items[i]), plot_y_axis(&plots.items[i])};
        for (size_t k = 0; k < COUNT(axes); k++) {
            bool is_finite = isfinite(axes[k].low) && isfinite(axes[k].high);
            if (!is_finite || axes[k].low >= axes[k].high) fail_msg("%s: axis", name);
        }
        for (int width = PLOT_TEXT_LEAST - 1; width <= 200; width += 47)
            check_text(name, &plots.items[i], width);
    }
    struct buf out;
    buf_init(&out, 1 << 20);
    plot_svg(plots, 760, &out);
    check_xml(name, out.p);
    static const char *const banned[] = {"nan", "inf,", "\"inf", " inf", "<script", "url("};
    for (size_t i = 0; i < COUNT(banned); i++) {
        if (strstr(out.p, banned[i])) fail_msg("%s: has '%s'", name, banned[i]);
    }
    buf_release(&out);
}

TEST(any_data_can_be_drawn)
{
    static const struct plot_point points[] = {
        {"a", 0, 1, 0.5, 2, VERDICT_BETTER, true},
        {"b", 1, 1e300, -1e300, INFINITY, VERDICT_WORSE, true},
        {HOSTILE_LABEL, 2, -3, NAN, NAN, VERDICT_EQUIVALENT, true},
        {NULL, 3, NAN, NAN, NAN, VERDICT_UNDECIDED, true},
        {"e", NAN, 5e-324, -INFINITY, 0, VERDICT_UNDECIDED, true},
        {"f", INFINITY, 2, 2, 2, VERDICT_BETTER, false},
    };
    static const struct plot_mark marks[] = {{"limit", 1, false},
                                             {HOSTILE_LABEL, 2, true},
                                             {"far", INFINITY, false},
                                             {NULL, 0, true}};
    for (int kind = PLOT_INTERVALS; kind <= PLOT_BARS; kind++) {
        for (size_t n = 0; n <= COUNT(points); n++) {
            const struct plot_series series[] = {{HOSTILE_LABEL, points, n}, {"s", points, 1}};
            const struct plot plot = {.title = HOSTILE_LABEL,
                                      .kind = (enum plot_kind)kind,
                                      .x = {"x", "s"},
                                      .y = {"a & b", n % 2 ? "a very long unit/s" : NULL},
                                      .series = series,
                                      .series_count = 1 + n % 2,
                                      .marks = marks,
                                      .mark_count = COUNT(marks)};
            check_plots(plot_kind_name(plot.kind), (struct plot_list){&plot, 1});
        }
    }
    check_plots("nothing", (struct plot_list){0});
}

TEST(verdicts_have_their_shapes_and_marks_stand_behind)
{
    static const struct plot_point points[] = {
        {"up", 0, 1.2, 1.1, 1.3, VERDICT_WORSE, true},
        {"open", 0, 1, 0.8, 1.2, VERDICT_UNDECIDED, true}};
    static const struct plot_mark mark = {"no difference", 1, false};
    static const struct plot_series series = {NULL, points, 2};
    static const struct plot plot = {.title = "t",
                                     .kind = PLOT_INTERVALS,
                                     .y = {"B / A", NULL},
                                     .series = &series,
                                     .series_count = 1,
                                     .marks = &mark,
                                     .mark_count = 1};
    struct arena scratch = arena_open();
    struct buf out;
    buf_init(&out, 1 << 16);
    plot_text(&plot, 80, scratch, &out);
    assert_non_null(strstr(out.p, "t: B / A\n"));
    assert_non_null(strstr(out.p, "▼  up "));
    assert_non_null(strstr(out.p, "○  open "));
    assert_non_null(strstr(out.p, "│"));   /* beside the first interval */
    assert_non_null(strstr(out.p, "╌○╌")); /* on it: the value is seen, not the mark */
    buf_clear(&out);
    plot_svg((struct plot_list){&plot, 1}, 760, &out);
    assert_non_null(strstr(out.p, "class=\"f-worse\" fill=\"#b13c06\""));
    assert_non_null(strstr(out.p, "▼  worse"));
    assert_non_null(strstr(out.p, "stroke-dasharray=\"4 3\"")); /* undecided */
    assert_non_null(strstr(out.p, "prefers-color-scheme:dark"));
    buf_release(&out);
    arena_close(&scratch);
}

/* ---- the plots of answers ---- */

static struct plot_list plots_of(const struct answer *row, const void *answer, struct arena *a)
{
    struct plot_list plots = row->plots(answer, a);
    check_plots(row->name, plots);
    return plots;
}

TEST(samples_show_their_effect_against_no_difference_and_margin)
{
    struct arena a = arena_open();
    double values[2][20];
    for (size_t i = 0; i < 20; i++) {
        values[0][i] = 10 + 0.01 * (double)i;
        values[1][i] = 12 + 0.01 * (double)((7 * i) % 20);
    }
    struct compare_samples s = {.side = {{"old", values[0], 20}, {"new", values[1], 20}}};
    const struct compare_how how = {.alpha = 0.05, .margin = 0.03};
    assert_true(compare_plain(&how, a, &s, NULL));
    struct plot_list plots = plots_of(&answer_samples, &s, &a);
    assert_int_equal(plots.count, 1);
    const struct plot_point *p = plots.items[0].series[0].points;
    assert_close(p->y, 1.199, 0.01);
    assert_true(p->low < p->y && p->y < p->high);
    assert_int_equal(p->verdict, VERDICT_WORSE);
    assert_int_equal(plots.items[0].mark_count, 3);
    assert_close(plots.items[0].marks[0].at, 1, 0.0);
    assert_close(plots.items[0].marks[2].at, 1.03, 1e-9);
    arena_close(&a);
}

TEST(a_history_shows_points_levels_with_gaps_and_changes)
{
    struct arena a = arena_open();
    struct trend_series s = {.count = 60, .unit = "s", .metric = "duration_s", .label = "x"};
    s.points = arena_new(&a, struct trend_point, 60);
    for (size_t i = 0; i < 60; i++)
        s.points[i].value = (i < 30 ? 10 : 12) + 0.01 * (double)((7 * i) % 10);
    struct trend_question q = {.change = {.p = 0.001}};
    trend_analyse(&s, &q, &a);
    assert_int_equal(s.change_count, 1);
    struct trend t = {.question = q, .file = &s};
    struct plot_list plots = plots_of(&answer_trend, &t, &a);
    assert_int_equal(plots.count, 1);
    assert_int_equal(plots.items[0].series[0].count, 60);
    assert_int_equal(plots.items[0].series[1].count, 61); /* a gap between two levels */
    assert_int_equal(plots.items[0].mark_count, 1);
    assert_true(plots.items[0].marks[0].is_on_x);
    assert_close(plots.items[0].marks[0].at, 29.5, 0.0);
    arena_close(&a);
}

TEST(rankings_claims_and_regressions_show_their_intervals)
{
    struct arena a = arena_open();
    const struct rank_row row = {.agent_name = "x", .group = "overall"};
    struct ranking_entry entries[] = {
        {.row = &row, .name = "x", .overall = 0.9, .overall_interval = {0.8, 0.95}},
        {.row = &row, .name = "y", .overall = NAN, .overall_interval = {NAN, NAN}}};
    struct ranking r = {
        .question = {.metric = RANKING_OVERALL}, .entries = entries, .count = 2};
    struct plot_list plots = plots_of(&answer_leaderboard, &r, &a);
    assert_int_equal(plots.items[0].series[0].count, 1); /* who has no score is not drawn */
    assert_close(plots.items[0].series[0].points[0].high, 0.95, 0.0);
    struct claim claim = {.name = "half",
                          .metric = "duration_s",
                          .unit = "",
                          .outcome = CLAIM_FAILS,
                          .value = 0.3,
                          .low = 0.2,
                          .high = 0.4,
                          .min = 0.45,
                          .max = NAN};
    struct claims claims = {.run_id = "r", .items = &claim, .count = 1, .failing = 1};
    plots = plots_of(&answer_claims, &claims, &a);
    assert_int_equal(plots.items[0].series[0].points[0].verdict, VERDICT_WORSE);
    assert_close(plots.items[0].marks[0].at, 0.45, 0.0);
    claim.outcome = CLAIM_HOLDS; /* that is not better than anything */
    plots = plots_of(&answer_claims, &claims, &a);
    assert_false(plots.items[0].series[0].points[0].has_verdict);
    assert_string_equal(plots.items[0].series[0].points[0].label, "half: holds");
    struct baseline_pair pair = {.name = "sums"};
    struct regress_row rows[] = {{.rule = REGRESS_BEYOND,
                                  .metric = "duration_s",
                                  .threshold = 0.1,
                                  .w = {.amount = 0.3, .low = 0.2, .high = 0.4},
                                  .state = REGRESS_FOUND},
                                 {.rule = REGRESS_TAIL, .metric = "duration_s"}};
    struct regress regress = {
        .set = {.pairs = &pair, .count = 1, .subject = "s"}, .rows = rows, .row_count = 2};
    plots = plots_of(&answer_regressions, &regress, &a);
    assert_int_equal(plots.count, 1);
    assert_close(plots.items[0].series[0].points[0].y, 30, 1e-9);
    assert_close(plots.items[0].marks[1].at, 10, 1e-9);
    arena_close(&a);
}

TEST(answers_of_nothing_have_no_plots)
{
    struct arena a = arena_open();
    static const struct compare compare;
    static const struct doctor_report doctor;
    static const struct ranking ranking;
    static const struct regress regress;
    static const struct trend trend;
    static const struct claims claims;
    assert_int_equal(plots_of(&answer_compare, &compare, &a).count, 0);
    assert_int_equal(plots_of(&answer_doctor, &doctor, &a).count, 0);
    assert_int_equal(plots_of(&answer_matrix, &ranking, &a).count, 0);
    assert_int_equal(plots_of(&answer_regressions, &regress, &a).count, 0);
    assert_int_equal(plots_of(&answer_trend, &trend, &a).count, 0);
    assert_int_equal(plots_of(&answer_claims, &claims, &a).count, 0);
    arena_close(&a);
}

/* A gate that passes has not shown that anything is better. */
TEST(within_a_limit_is_neither_better_nor_the_same)
{
    static const struct {
        enum gate_kind kind;
        enum gate_state state;
        struct worsening w;
        enum verdict shown;
    } rows[] = {
        {GATE_WORSE, GATE_PASSED, {.low = -.01, .high = .05}, VERDICT_UNDECIDED},
        {GATE_WORSE, GATE_PASSED, {.low = -.05, .high = -.01}, VERDICT_BETTER},
        {GATE_WORSE, GATE_UNDECIDED, {.low = -.05, .high = -.01}, VERDICT_UNDECIDED},
        {GATE_WORSE, GATE_VIOLATED, {.low = .2, .high = .3}, VERDICT_WORSE},
        {GATE_WORSE, GATE_MUTED, {.low = .2, .high = .3}, VERDICT_WORSE},
        {GATE_IMPROVEMENT, GATE_VIOLATED, {.low = -.05, .high = -.01}, VERDICT_BETTER},
        {GATE_IMPROVEMENT, GATE_VIOLATED, {.low = -.05, .high = .01}, VERDICT_UNDECIDED},
    };
    struct arena a = arena_open();
    struct gate_policy *policy = arena_new(&a, struct gate_policy, 1);
    policy->count = 1;
    for (size_t i = 0; i < COUNT(rows); i++) {
        policy->rules[0] = (struct gate_rule){.kind = rows[i].kind, .limit = .1, .text = "r"};
        struct gate_check check = {
            .rule = policy->rules, .is_asked = true, .state = rows[i].state, .w = rows[i].w};
        bool is_violated = rows[i].state == GATE_VIOLATED || rows[i].state == GATE_MUTED;
        check.w.verdict = is_violated ? VERDICT_WORSE : VERDICT_UNDECIDED;
        const struct gate gate = {.policy = policy, .checks = &check, .count = 1};
        struct plot_list plots = plots_of(&answer_gate, &gate, &a);
        assert_int_equal(plots.items[0].series[0].points[0].verdict, rows[i].shown);
        check.w.verdict = VERDICT_EQUIVALENT; /* the engine's own word */
        if (rows[i].state != GATE_PASSED || check.w.high < 0) continue;
        plots = plots_of(&answer_gate, &gate, &a);
        assert_int_equal(plots.items[0].series[0].points[0].verdict, VERDICT_EQUIVALENT);
    }
    arena_close(&a);
}

TEST_MAIN(T(any_data_can_be_drawn), T(verdicts_have_their_shapes_and_marks_stand_behind),
          T(samples_show_their_effect_against_no_difference_and_margin),
          T(a_history_shows_points_levels_with_gaps_and_changes),
          T(rankings_claims_and_regressions_show_their_intervals),
          T(within_a_limit_is_neither_better_nor_the_same), T(answers_of_nothing_have_no_plots))
