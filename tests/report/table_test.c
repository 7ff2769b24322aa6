#include "report/table.h"
#include "tests/test.h"

TEST(columns_are_aligned)
{
    struct arena arena = arena_open();
    struct buf out;
    buf_init(&out, 4096);
    struct table t;
    table_begin(&t, "lr", &arena);
    table_row(&t, (const char *[]){"name", "n"});
    table_add(&t, "%s", "µs");
    table_add(&t, "%d", 1234);
    table_add(&t, "x");
    table_add(&t, "%s", "");
    table_write(&t, 1, &out);
    assert_string_equal(out.p, " name     n\n µs    1234\n x\n");
    buf_release(&out);
    arena_close(&arena);
}

TEST(hostile_text_is_tamed)
{
    struct arena arena = arena_open();
    struct buf out;
    buf_init(&out, 4096);
    struct table t;
    table_begin(&t, "l", &arena);
    table_add(&t, "a\033[31m\nb");
    char text[600];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    table_add(&t, "%s", text);
    for (int i = 0; i < 300; i++) table_add(&t, "%d", i);
    table_write(&t, 0, &out);
    assert_int_equal(strncmp(out.p, "a?[31m b\n", 9), 0);
    assert_int_equal(strcspn(out.p + 9, "\n"), TABLE_CELL_MAX + strlen("…") - 1);
    buf_release(&out);
    arena_close(&arena);
}

TEST_MAIN(T(columns_are_aligned), T(hostile_text_is_tamed))
