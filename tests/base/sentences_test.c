#include "base/sentences.h"
#include "tests/test.h"

TEST(each_is_said_once_in_order_and_whole)
{
    struct arena a = arena_open();
    struct sentences s = {.out = &a};
    char longer[3000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    for (int round = 0; round < 2; round++) {
        sentences_add(&s, "%d of %d", 1, 2);
        sentences_keep(&s, NULL);
        sentences_keep(&s, "the seeds differ");
        sentences_add(&s, "%s", longer);
    }
    assert_int_equal(s.count, 3);
    assert_string_equal(s.items[0], "1 of 2");
    assert_string_equal(s.items[1], "the seeds differ");
    assert_string_equal(s.items[2], longer);
    arena_close(&a);
}

TEST(many_are_kept_and_there_is_an_end)
{
    struct arena a = arena_open();
    struct sentences s = {.out = &a};
    for (int i = 0; i < SENTENCES_MAX + 10; i++) sentences_add(&s, "note %d", i);
    assert_int_equal(s.count, SENTENCES_MAX);
    assert_string_equal(s.items[SENTENCES_MAX - 1], "note 999");
    arena_close(&a);
}

TEST(each_is_a_line)
{
    struct arena a = arena_open();
    struct sentences s = {.out = &a};
    struct buf b;
    buf_init(&b, 100);
    sentences_put(&s, "! ", &b);
    assert_int_equal(b.n, 0);
    sentences_keep(&s, "one");
    sentences_keep(&s, "two");
    sentences_put(&s, "! ", &b);
    assert_string_equal(b.p, "! one\n! two\n");
    buf_release(&b);
    arena_close(&a);
}

TEST_MAIN(T(each_is_said_once_in_order_and_whole), T(many_are_kept_and_there_is_an_end),
          T(each_is_a_line))
