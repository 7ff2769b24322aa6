#include "cli/command.h"
#include "tests/test.h"

/* Whatever the order in which they come. */
TEST(of_several_exit_codes_the_heaviest_counts)
{
    static const int order[] = {EXIT_DONE,        EXIT_UNDECIDED, EXIT_FAILED,
                                EXIT_UNAVAILABLE, EXIT_USAGE,     130};
    for (size_t a = 0; a < COUNT(order); a++) {
        for (size_t b = 0; b < COUNT(order); b++) {
            int heaviest = order[a > b ? a : b];
            assert_int_equal(command_heavier(order[a], order[b]), heaviest);
        }
    }
}

TEST_MAIN(T(of_several_exit_codes_the_heaviest_counts))
