/* The course of a block that is made up: when all is as before, and what a fault cost. */
#include "load/course.h"
#include "tests/test.h"

#include <math.h>

enum { BLOCK_NS = 1000000000, MS = 1000000, PER_SLOT = 10 };

static struct course course; /* 60 kB */

static void note_at(double share, double response_ms, bool is_good, int64_t fault_ns)
{
    int64_t due_ns = BLOCK_NS + (int64_t)(share * BLOCK_NS);
    struct course_end e = {.share = share,
                           .end_share = share + response_ms * MS / BLOCK_NS,
                           .due_ns = due_ns,
                           .sent_ns = due_ns,
                           .end_ns = due_ns + (int64_t)(response_ms * MS),
                           .fault_ns = fault_ns,
                           .is_good = is_good};
    course_note(&course, &e);
}

static void fill_slot(size_t slot, double response_ms, bool is_good)
{
    course.slots[slot] = (struct course_slot){0};
    for (int i = 0; i < PER_SLOT; i++)
        note_at(((double)slot + (i + 0.5) / PER_SLOT) / COURSE_SLOTS, response_ms, is_good, 0);
}

/* 10 ms a request, nothing from slot 18 to 24, then slow up to `until`. */
static void disturbed(size_t until, double slow_ms)
{
    course = (struct course){0};
    for (size_t i = 0; i < COURSE_SLOTS; i++)
        fill_slot(i, i >= 24 && i < until ? slow_ms : 10, i < 18 || i >= 24);
}

static double after(double end) /* in slots */
{
    return course_recovery_s(&course, COURSE_SLOTS,
                             (struct course_span){.begin = 0.3, .end = end});
}

TEST(recovery_is_when_all_is_as_before)
{
    disturbed(24, 10);
    assert_close(after(0.4), 0, 1e-9);
    assert_close(after(0.3), 6, 1e-9); /* from the fault on, not from a slot after it */
    assert_close(after(18.5 / COURSE_SLOTS), 5.5, 1e-9);
    disturbed(34, 100); /* ten slots of a queue that drains */
    assert_close(after(0.4), 10, 1e-9);
    fill_slot(40, 10, false); /* one that fails later, after three good ones, changes nothing */
    assert_close(after(0.4), 10, 1e-9);
    fill_slot(35, 10, false); /* two good ones are not enough: one slot was luck */
    assert_close(after(0.4), 12, 1e-9);
    disturbed(COURSE_SLOTS, 100);
    assert_true(isnan(after(0.4)));
    assert_close(course_mean_s(&course, 0, 18), 0.01, 1e-12);
    assert_true(isnan(course_mean_s(&course, 18, 24)));
}

/* Its mean is near the usual one, its 95th percentile is not. */
TEST(recovery_is_of_the_usual_percentile_not_of_the_mean)
{
    disturbed(24, 10);
    for (size_t i = 24; i < 40; i++) {
        course.slots[i] = (struct course_slot){0};
        for (int k = 0; k < PER_SLOT; k++)
            note_at(((double)i + 0.5) / COURSE_SLOTS, k < 8 ? 10 : 30, true, 0);
    }
    assert_true(course_mean_s(&course, 24, 40) < 2 * 0.01);
    /* The last two of these slots, with the one after them, are not slower for certain. */
    assert_close(after(0.4), 14, 1e-9);
}

TEST(the_usual_tail_is_no_disturbance)
{
    disturbed(24, 10);
    for (size_t i = 0; i < COURSE_SLOTS; i += 2) /* one of twenty is slow, before and after */
        note_at(((double)i + 0.5) / COURSE_SLOTS, 50, i < 18 || i >= 24, 0);
    assert_close(after(0.3), 6, 1e-9);
}

TEST(a_course_that_never_was_usual_has_no_recovery)
{
    course = (struct course){0};
    for (size_t i = 20; i < COURSE_SLOTS; i++) fill_slot(i, 10, true);
    assert_true(isnan(after(0.4)));
    struct course_span before = {.begin = -0.1, .end = -0.1}, past = {.begin = 1.2, .end = 1.2};
    assert_true(isnan(course_recovery_s(&course, 1, before)));
    assert_true(isnan(course_recovery_s(&course, 1, past)));
}

/* Stopped from 0.3 to 0.5: all that was in flight, and what is due meanwhile, is answered at its
 * end. Those that were due before it are not what is usual. */
static void stopped(size_t per_slot)
{
    course = (struct course){0};
    for (size_t i = 0; i < COURSE_SLOTS; i++) {
        for (size_t k = 0; k < per_slot; k++) {
            double at = ((double)i + ((double)k + 0.5) / (double)per_slot) / COURSE_SLOTS;
            bool waits = at > 0.27 && at < 0.5; /* the last tenth of the baseline too */
            note_at(at, waits ? 1e3 * (0.5 - at) + 10 : 10, true, 0);
        }
    }
}

TEST(what_was_in_flight_at_the_fault_is_not_what_is_usual)
{
    stopped(10);
    struct course_span span = {.begin = 0.3, .end = 0.3};
    double recovery_s = course_recovery_s(&course, 1, span);
    if (!(recovery_s > 0.18 && recovery_s < 0.22)) fail_msg("%g", recovery_s);
    assert_int_equal(course_baseline(&course, 0.3), 162); /* 180 were due */
    static struct course sum;
    sum = (struct course){0};
    course_add(&sum, &course);
    course_add(&sum, &course);
    assert_int_equal(course_baseline(&sum, 0.3), 324);
    span.back = 0.527; /* when the first answer came */
    assert_close(course_recovery_s(&course, 1, span), 0.227, 1e-9);
    span.back = INFINITY;
    assert_true(isnan(course_recovery_s(&course, 1, span)));
}

/* What a spike shows of its capacity: the best stretch as long as itself. */
TEST(the_highest_rate_is_that_of_a_stretch)
{
    course = (struct course){0};
    for (size_t i = 0; i < COURSE_SLOTS; i++) fill_slot(i, 1, true);
    assert_close(course_peak_rate(&course, 10, 0.4, 0.2), 60.0 * PER_SLOT / 10, 1e-9);
    for (size_t i = 30; i < 42; i++) {
        for (int k = 0; k < PER_SLOT; k++)
            note_at(((double)i + 0.5) / COURSE_SLOTS, 1, true, 0);
    }
    assert_close(course_peak_rate(&course, 10, 0.4, 0.2), 2 * 60.0 * PER_SLOT / 10, 0.02);
}

TEST(few_answers_do_not_say_what_is_usual)
{
    struct course_span span = {.begin = 0.3, .end = 0.4};
    for (size_t per_slot = 1; per_slot < 3; per_slot++) {
        stopped(per_slot);
        int64_t n = course_baseline(&course, span.begin);
        assert_int_equal(isnan(course_recovery_s(&course, 1, span)), n < COURSE_BASELINE_MIN);
        assert_int_equal(n < COURSE_BASELINE_MIN, per_slot == 1);
    }
}

/* The fault is at 0.5 s. Lost is what ends badly after it, whenever it was due; success is the
 * answer to a question that was asked after it, when it came. */
TEST(a_fault_counts_from_its_moment)
{
    int64_t fault_ns = BLOCK_NS + BLOCK_NS / 2;
    course = (struct course){0};
    note_at(0.100, 5, false, 0);        /* long before */
    note_at(0.490, 5, false, fault_ns); /* ended before it */
    assert_int_equal(course.lost, 0);
    note_at(0.498, 4, false, fault_ns); /* was in flight */
    note_at(0.499, 2, true, fault_ns);  /* its answer was on the way */
    assert_int_equal(course.first_ns, 0);
    note_at(0.510, 1, false, fault_ns);
    assert_int_equal(course.lost, 2);
    note_at(0.520, 300, true, fault_ns); /* waited until it was back */
    note_at(0.700, 10, true, fault_ns);  /* asked later, answered sooner */
    assert_int_equal(course.first_ns, BLOCK_NS + 710 * MS);

    static struct course sum;
    sum = (struct course){.first_ns = BLOCK_NS + 800 * MS, .lost = 1};
    course_add(&sum, &course);
    assert_int_equal(sum.first_ns, BLOCK_NS + 710 * MS);
    assert_int_equal(sum.lost, 3);
    course_add(&sum, &(struct course){0});
    assert_int_equal(sum.first_ns, BLOCK_NS + 710 * MS);
}

TEST_MAIN(T(recovery_is_when_all_is_as_before),
          T(recovery_is_of_the_usual_percentile_not_of_the_mean),
          T(the_usual_tail_is_no_disturbance), T(a_course_that_never_was_usual_has_no_recovery),
          T(what_was_in_flight_at_the_fault_is_not_what_is_usual),
          T(the_highest_rate_is_that_of_a_stretch), T(few_answers_do_not_say_what_is_usual),
          T(a_fault_counts_from_its_moment))
