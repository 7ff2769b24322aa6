/* A share is said in the same words in the sentence and in the table. */
#include "rank/ranking.h"
#include "report/answers.h"
#include "tests/test.h"

TEST(all_and_none_are_said_only_of_all_and_none)
{
    struct rank_row row = {.group = "overall"};
    struct ranking_entry entry = {.row = &row,
                                  .name = "a",
                                  .overall = 0.9,
                                  .overall_rank = 1,
                                  .rank_low = 1,
                                  .rank_high = 1,
                                  .tie_group = 1,
                                  .tie_last = 1,
                                  .first_share = 0.998,
                                  .coverage = 0.003};
    struct ranking r = {.entries = &entry,
                        .count = 1,
                        .agent_count = 1000,
                        .stale_count = 1,
                        .stale = (struct ranking_stale[]){{.agent_name = "b"}},
                        .question = {.metric = RANKING_OVERALL, .stale_since = "2026-01-01"}};
    struct buf out;
    buf_init(&out, 1 << 20);
    answer_leaderboard.text(&r, &(struct answer_look){.width = 200}, &out);
    if (!strstr(out.p, " >99 %")) fail_msg("the share of weightings: %s", out.p);
    if (!strstr(out.p, " <1 %")) fail_msg("coverage: %s", out.p);
    if (!strstr(out.p, "999 of 1000 agents") || !strstr(out.p, "(>99 %)"))
        fail_msg("the share that was benchmarked: %s", out.p);
    buf_release(&out);
}

TEST_MAIN(T(all_and_none_are_said_only_of_all_and_none))
