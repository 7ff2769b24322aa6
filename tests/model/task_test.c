#include "model/task.h"
#include "tests/test.h"

#include <math.h>

static const struct agent_env priced = {.prices = {2, 1e9, NAN, NULL}};
static const struct agent_env unpriced = {.prices = {NAN, NAN, NAN, NULL}};

TEST(usage_that_cannot_be_is_an_invalid_answer_and_is_not_kept)
{
    static const struct {
        double input, output, cost;
        const char *reason; /* NULL = it can be */
    } rows[] = {
        {9007199254740992, 1, 1e9, NULL},
        {NAN, NAN, NAN, NULL},
        {1e308, 1e308, NAN, "input_tokens is 1e+308"},
        {1, 9007199254740994, NAN, "output_tokens is"},
        {1, 1, 1e10, "cost_usd is 1e+10; it must be from 0 to 1000000000"},
        {1, 1, INFINITY, "cost_usd is inf"},
        {1, -1, NAN, "output_tokens is -1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct agent_answer a;
        agent_answer_init(&a);
        a.input_tokens = rows[i].input;
        a.output_tokens = rows[i].output;
        a.cost_usd = rows[i].cost;
        enum trial_status status = agent_answer_settle(&a, &unpriced, TRIAL_OK);
        assert_int_equal(status, rows[i].reason ? TRIAL_INVALID_OUTPUT : TRIAL_OK);
        assert_non_null(strstr(a.error.text, rows[i].reason ? rows[i].reason : ""));
        assert_false(isinf(a.input_tokens + a.output_tokens) || isinf(a.cost_usd));
    }
}

TEST(nor_a_cost_by_the_prices_and_a_failure_keeps_its_status)
{
    struct agent_answer a;
    agent_answer_init(&a);
    a.output_tokens = 9e15;
    assert_int_equal(agent_answer_settle(&a, &priced, TRIAL_OK), TRIAL_INVALID_OUTPUT);
    assert_true(isnan(a.cost_usd));
    agent_answer_init(&a);
    a.output_tokens = 1e308;
    assert_int_equal(agent_answer_settle(&a, &priced, TRIAL_TIMED_OUT), TRIAL_TIMED_OUT);
    assert_true(isnan(a.output_tokens) && isnan(a.cost_usd));
}

TEST_MAIN(T(usage_that_cannot_be_is_an_invalid_answer_and_is_not_kept),
          T(nor_a_cost_by_the_prices_and_a_failure_keeps_its_status))
