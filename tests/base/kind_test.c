#include "base/kind.h"
#include "tests/test.h"

TEST(values_that_nobody_defined_are_guessed)
{
    static const double flags[] = {0, 1, 1, NAN, 0};
    static const double parts[] = {0.498, 0.419, 0.7};
    static const double counts[] = {0, 3, 2};
    assert_int_equal(kind_guess(flags, 5, flags, 5), KIND_SHARE);
    assert_int_equal(kind_guess(parts, 3, NULL, 0), KIND_RATIO); /* below 1 is not a share */
    assert_int_equal(kind_guess(counts, 3, parts, 3), KIND_SHIFT);
    assert_int_equal(kind_guess(flags, 5, parts, 3), KIND_SHIFT);
}

TEST(a_name_is_read_back_and_nothing_else_is_a_kind)
{
    for (int k = 0; k < KIND_COUNT; k++)
        assert_int_equal(kind_parse(kind_name((enum kind)k)), k);
    assert_null(kind_name(KIND_UNSAID));
    assert_int_equal(kind_parse(NULL), KIND_UNSAID);
    assert_int_equal(kind_parse("auto"), KIND_UNSAID);
}

TEST(two_kinds_of_one_metric_have_one_in_common)
{
    assert_int_equal(kind_common(KIND_SHARE, KIND_SHARE), KIND_SHARE);
    assert_int_equal(kind_common(KIND_SHARE, KIND_RATIO), KIND_RATIO);
    assert_int_equal(kind_common(KIND_RATIO, KIND_SHIFT), KIND_SHIFT);
    assert_int_equal(kind_common(KIND_SHIFT, KIND_SHARE), KIND_SHIFT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(values_that_nobody_defined_are_guessed),
        T(a_name_is_read_back_and_nothing_else_is_a_kind),
        T(two_kinds_of_one_metric_have_one_in_common),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
