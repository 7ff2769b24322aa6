/* Others' share of the CPUs: planted readings, and that our own work is not others'. */
#include "base/clock.h"
#include "run/disturbance.h"
#include "tests/test.h"

#include <math.h>

static const int64_t second_ns = 1000000000;

TEST(what_is_not_ours_is_others)
{
    struct disturbance from = {.at_ns = 1, .busy_s = 100, .own_s = 5, .cpus = 2};
    struct disturbance until = {
        .at_ns = 1 + 10 * second_ns, .busy_s = 108, .own_s = 12, .cpus = 2};
    assert_float_equal(disturbance_share(&from, &until), 1.0 / 20, 1e-12);
    until.busy_s = 107; /* all of it ours */
    assert_true(disturbance_share(&from, &until) == 0);
    until.busy_s = 106; /* ticks are rounded */
    assert_true(disturbance_share(&from, &until) == 0);
}

TEST(what_cannot_be_known_is_not_said)
{
    struct disturbance from = {.at_ns = 1, .busy_s = 100, .own_s = 5, .cpus = 2};
    struct disturbance soon = {
        .at_ns = 1 + second_ns / 2, .busy_s = 101, .own_s = 5, .cpus = 2};
    struct disturbance fewer = {
        .at_ns = 1 + 9 * second_ns, .busy_s = 90, .own_s = 5, .cpus = 1};
    struct disturbance none = {.at_ns = 1 + 9 * second_ns};
    assert_true(isnan(disturbance_share(&from, &soon)));
    assert_true(isnan(disturbance_share(&from, &fewer)));
    assert_true(isnan(disturbance_share(&from, &none)));
}

TEST(our_own_work_counts_as_ours)
{
    struct disturbance from = disturbance_look();
    double x = 1;
    int64_t end_ns = clock_ns() + second_ns / 5;
    while (clock_ns() < end_ns) x = sqrt(x + 1);
    struct disturbance until = disturbance_look();
    assert_true(x > 0);
    if (from.cpus == 0) skip();
    /* At least what the scheduler gave us shows in both, to a tick. */
    assert_true(until.own_s >= from.own_s);
    assert_true(until.busy_s - from.busy_s >= until.own_s - from.own_s - 0.05);
}

TEST_MAIN(T(what_is_not_ours_is_others), T(what_cannot_be_known_is_not_said),
          T(our_own_work_counts_as_ours))
