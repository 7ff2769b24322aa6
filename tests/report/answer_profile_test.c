/* What options leave of a profile, and its picture. */
#include "judge/profile.h"
#include "report/answers.h"
#include "report/profile_words.h"
#include "tests/test.h"

static struct profile_phase phases[] = {{.name = {"think", 5}, .total_s = 3, .mean_s = 1.5},
                                        {.name = {"answer", 6}, .total_s = 1, .mean_s = .5}};
static struct profile_function functions[] = {{.name = {"f", 1}, .self = 3, .total = 3},
                                              {.name = {"g", 1}, .self = 1, .total = 4}};

static struct profile_list two_agents(struct profile items[2])
{
    items[0] = (struct profile){.agent = "a",
                                .execution.agent_id = "id a",
                                .execution.agent_version = "1",
                                .execution.label = "bench a",
                                .phases = phases,
                                .phase_count = 2,
                                .functions = functions,
                                .function_count = 2,
                                .samples = 4};
    items[1] = (struct profile){.agent = "b",
                                .execution.agent_id = "id b",
                                .execution.agent_version = "1",
                                .execution.label = "bench b"};
    return (struct profile_list){items, 2};
}

TEST(an_agent_and_the_first_functions_are_kept)
{
    struct profile items[2];
    struct profile_list list = two_agents(items);
    struct error err = {0};
    assert_true(profile_keep(&list, NULL, 1, &err));
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].function_count, 1);
    const struct agent_ref a = {.id = "id a", .name = "a"};
    const struct agent_ref b = {.id = "id b", .name = "b@1", .version = "1"};
    const struct agent_ref other = {.id = "id b", .name = "b@2", .version = "2"};
    assert_true(profile_keep(&list, &b, 1, &err));
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].agent, "b");
    list.count = 1;
    assert_false(profile_keep(&list, &other, 1, &err));
    assert_non_null(strstr(err.text, "no agent 'b@2'"));
    list.count = 1;
    assert_false(profile_keep(&list, &a, 1, &err));
    assert_non_null(strstr(err.text, "no agent 'a'"));
}

TEST(phases_are_bars)
{
    struct profile items[2];
    struct profile_list list = two_agents(items);
    struct arena arena = arena_open();
    struct plot_list plots = answer_profile.plots(&list, &arena);
    assert_int_equal(plots.count, 1); /* the second has no phase */
    assert_int_equal(plots.items[0].kind, PLOT_BARS);
    assert_string_equal(plots.items[0].title, "bench a");
    const struct plot_series *s = plots.items[0].series;
    assert_int_equal(s->count, 2);
    assert_string_equal(s->points[0].label, "think");
    assert_true(s->points[0].y == 1.5);
    arena_close(&arena);
}

TEST(a_part_of_the_time_is_all_of_it_only_if_it_is)
{
    struct arena a = arena_open();
    struct profile_finding f = {.rule = PROFILE_SLOW_PHASE, .share = 0.998, .threshold = 0.4};
    assert_string_equal(profile_words_cause(&f, &a),
                        ">99 % of the time is spent in this phase [rule slow-phase: at least "
                        "40 %]");
    arena_close(&a);
}

TEST_MAIN(T(a_part_of_the_time_is_all_of_it_only_if_it_is),
          T(an_agent_and_the_first_functions_are_kept), T(phases_are_bars))
