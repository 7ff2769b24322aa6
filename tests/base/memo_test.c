#include "base/memo.h"
#include "tests/test.h"

static struct str key_of(const int *number)
{
    return (struct str){(const char *)number, sizeof *number};
}

TEST(what_was_kept_is_found_under_the_same_bytes_alone)
{
    struct memo memo = {.most_bytes = 1 << 20};
    int key = 7;
    assert_null(memo_find(&memo, key_of(&key)));
    for (int i = 0; i < 1000; i++) {
        double value = i / 2.0;
        memo_keep(&memo, key_of(&i), &value, sizeof value);
    }
    for (int i = 0; i < 1000; i++) {
        const double *found = memo_find(&memo, key_of(&i));
        assert_non_null(found);
        assert_true(*found == i / 2.0);
    }
    key = 1000;
    assert_null(memo_find(&memo, key_of(&key)));
    assert_null(memo_find(&memo, (struct str){(const char *)&key, 3})); /* a part of a key */
    memo_close(&memo);
}

TEST(one_that_is_full_begins_anew)
{
    struct memo memo = {.most_bytes = 1000};
    for (int i = 0; i < 100; i++) {
        memo_keep(&memo, key_of(&i), &i, sizeof i);
        const int *found = memo_find(&memo, key_of(&i));
        assert_true(found && *found == i);
        assert_true(memo.bytes <= 1000);
    }
    static const char large[2000];
    int key = 1;
    memo_keep(&memo, key_of(&key), large, sizeof large);
    memo_keep(&memo, (struct str){large, sizeof large}, &key, sizeof key);
    assert_null(memo_find(&memo, (struct str){large, sizeof large}));
    memo_close(&memo);
    assert_null(memo_find(&memo, key_of(&key)));
}

/* Also over a memo that has begun anew: an answer kept under an old number is no other's. */
TEST(a_number_stands_for_the_same_bytes_alone)
{
    struct memo memo = {.most_bytes = 1000};
    uint64_t seen = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t number = memo_number(&memo, key_of(&i));
        assert_true(number > seen);
        assert_true(memo_number(&memo, key_of(&i)) == number);
        seen = number;
    }
    static const char large[2000];
    assert_true(memo_number(&memo, (struct str){large, sizeof large}) > seen);
    memo_close(&memo);
    int key = 1;
    assert_true(memo_number(&memo, key_of(&key)) > seen);
    memo_close(&memo);
}

TEST_MAIN(T(a_number_stands_for_the_same_bytes_alone),
          T(what_was_kept_is_found_under_the_same_bytes_alone), T(one_that_is_full_begins_anew))
