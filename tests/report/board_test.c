/* The board of a run: what stands in a bracket, and who is named. */
#include "rank/outcome.h"
#include "report/answer_outcome.h"
#include "report/answers.h"
#include "report/outcome_words.h"
#include "report/report.h"
#include "tests/arena.h"
#include "tests/report/fixture.h"

enum { MANY = 24 };

static struct view *view;
static const struct ranking ranking;

/* Agents a, b, c, ... by rank; the lower one stands, the more accurate it is. */
static struct outcome board(size_t count)
{
    struct outcome_agent *agents = arena_new(&arena, struct outcome_agent, count);
    view = fixture_view(&arena, (struct fixture_shape){.cells = 1, .trials = 2, .metrics = 1});
    view->comparison_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct rank_row *row = arena_new(&arena, struct rank_row, 1);
        struct ranking_entry *e = arena_new(&arena, struct ranking_entry, 1);
        for (int k = 0; k < SCORE_COUNT; k++) {
            row->mean[k] = 0.01 * (double)(i + 1);
            e->score[k].low = e->score[k].high = (double)NAN;
        }
        e->row = row;
        e->overall = 0.9 - 0.01 * (double)i;
        e->overall_interval.low = e->overall_interval.high = (double)NAN;
        e->overall_rank = e->rank_low = e->rank_high = i + 1;
        e->place = i;
        e->told = arena_new(&arena, bool, count);
        for (size_t k = 0; k < count; k++) e->told[k] = true;
        e->tie_group = e->tie_last = i + 1;
        agents[i] = (struct outcome_agent){.name = arena_printf(&arena, "%c", (int)('a' + i)),
                                           .entry = e,
                                           .right = 1,
                                           .cases = 2,
                                           .median_s = (double)NAN};
    }
    return (struct outcome){.view = view,
                            .duration_s = (double)NAN,
                            .suite = "sums",
                            .benchmark_count = 1,
                            .case_count = 2,
                            .pass_count = 1,
                            .agents = agents,
                            .agent_count = count,
                            .ranked_count = count,
                            .ranking = &ranking};
}

static void tie(struct outcome *o, size_t agent, size_t first, size_t last)
{
    struct ranking_entry *e = arena_new(&arena, struct ranking_entry, 1);
    *e = *o->agents[agent].entry;
    e->tie_group = first;
    e->tie_last = last;
    o->agents[agent].entry = e;
}

static const char *screen(const struct outcome *o)
{
    const struct answer_outcome answer = {.outcome = *o};
    struct buf b;
    buf_init(&b, REPORT_MAX_BYTES);
    outcome_text(&answer, &(struct answer_look){.is_rich = true, .width = 200}, &b);
    const char *text = str_cstr(&arena, buf_str(&b));
    buf_release(&b);
    return text;
}

static const char *page(const struct outcome *o)
{
    struct buf b;
    buf_init(&b, REPORT_MAX_BYTES);
    reporter_find(S("html"))->write(view, &(struct report_options){.outcome = o}, &b);
    const char *text = str_cstr(&arena, buf_str(&b));
    buf_release(&b);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("no '%s' in:\n%s", part, text);
}

/* a and b are not told apart, nor b and c; a and c are. */
TEST(groups_that_overlap_are_two_brackets)
{
    struct outcome o = board(3);
    tie(&o, 0, 1, 1);
    tie(&o, 1, 1, 2);
    tie(&o, 2, 2, 2);
    const char *html = page(&o);
    has(html,
        "<span class=\"ties\"><span class=\"\"></span><span class=\"tie t\"></span></span>"
        "<span>1</span>");
    has(html, "<span class=\"ties\"><span class=\"tie t\"></span><span class=\"tie e\"></span>"
              "</span><span>2</span>");
    has(html,
        "<span class=\"ties\"><span class=\"tie e\"></span><span class=\"\"></span></span>"
        "<span>3</span>");
    const char *text = screen(&o);
    has(text, "  1 ┌");
    has(text, "  2┌└b");
    has(text, "  3└ c");
    has(text, "order not decided");
}

TEST(three_groups_over_one_agent_are_three_brackets)
{
    struct outcome o = board(5);
    tie(&o, 0, 1, 1);
    tie(&o, 1, 1, 2);
    tie(&o, 2, 1, 3);
    tie(&o, 3, 2, 3);
    tie(&o, 4, 3, 3);
    has(screen(&o), "  3┌└│c");
    has(page(&o),
        "<span class=\"ties\"><span class=\"tie t\"></span><span class=\"tie e\"></span>"
        "<span class=\"tie\"></span></span><span>3</span>");
}

TEST(groups_apart_take_one_lane)
{
    struct outcome o = board(3);
    tie(&o, 1, 2, 2);
    tie(&o, 2, 2, 2);
    const char *html = page(&o);
    has(html, "<span class=\"tie t e\"></span><span>1</span>");
    has(html, "<span class=\"tie t\"></span><span>2</span>");
    has(html, "<span class=\"tie e\"></span><span>3</span>");
    has(screen(&o), "  2┌b");
    has(screen(&o), "  3└c");
}

/* Where the order of distant agents is open, and that of neighbours is not, no bracket stands:
 * nothing to explain. */
TEST(a_legend_explains_what_is_drawn)
{
    struct outcome o = board(3);
    o.agents[0].entry->told[2] = o.agents[2].entry->told[0] = false;
    assert_null(strstr(screen(&o), "┌"));
}

/* The last by rank is the first in accuracy. */
TEST(who_is_ahead_in_a_score_is_looked_for_among_all)
{
    struct outcome o = board(MANY);
    has(screen(&o), "accuracy     x 0.240   w 0.230   v 0.220 ");
}

/* Twentieths are not written as tenths. */
TEST(ticks_are_where_they_say)
{
    struct outcome o = board(20);
    has(screen(&o), " 0.75 ");
    has(page(&o), ">0.75</span>");
    o = board(MANY);
    has(page(&o), ">0.7</span>");
}

/* Every reason that the store or a run may give has words of its own. */
TEST(why_one_is_not_ranked_is_said_in_words)
{
    const char *reasons[UNRANKED_COUNT + RUN_STATUS_COUNT + 2] = {"claimed", "killed"};
    size_t count = 2;
    for (int i = UNRANKED_NOT + 1; i < UNRANKED_COUNT; i++)
        reasons[count++] = unranked_name((enum unranked)i);
    for (int i = 0; i < RUN_STATUS_COUNT; i++) {
        if (i != RUN_SUCCESS) reasons[count++] = run_status_name((enum run_status)i);
    }
    for (size_t i = 0; i < count; i++) {
        const struct outcome_agent a = {.left_out = reasons[i]};
        if (strcmp(outcome_left_out(&a, &arena), reasons[i]) == 0) fail_msg("%s", reasons[i]);
        struct left_out_row row = {reasons[i], 1, "bot"};
        const struct ranking r = {.left_out = &row, .left_out_count = 1};
        struct buf b;
        buf_init(&b, 1 << 16);
        answer_json(answer_find(S("leaderboard")), &r, &b);
        const char *bare = arena_printf(&arena, "execution of bot: %s\"", reasons[i]);
        if (strstr(b.p, bare)) fail_msg("%s", b.p);
        has(b.p, "not ranked: 1 execution of bot: ");
        buf_release(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(groups_that_overlap_are_two_brackets),
        T(three_groups_over_one_agent_are_three_brackets),
        T(groups_apart_take_one_lane),
        T(a_legend_explains_what_is_drawn),
        T(who_is_ahead_in_a_score_is_looked_for_among_all),
        T(ticks_are_where_they_say),
        T(why_one_is_not_ranked_is_said_in_words),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
