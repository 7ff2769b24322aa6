#include "base/buf.h"
#include "evolve/hot_spot.h"
#include "tests/test.h"

static const char two[] = "import os\n"
                          "\n"
                          "def foo(x):\n"
                          "    \"\"\"if this counted, it would be wrong\"\"\"\n"
                          "    if x > 1:  # while this is a comment\n"
                          "        for y in x:\n"
                          "            return y\n"
                          "    return x\n"
                          "\n"
                          "@cached\n"
                          "def bar():\n"
                          "    return 'for'\n";

TEST(code_is_cut_at_its_top_level_statements)
{
    struct str code = str_of(two);
    size_t lengths[5];
    size_t count = 0;
    for (size_t at = 0; at < code.n; count++) {
        lengths[count] = hot_spot_chunk_length((struct str){code.p + at, code.n - at});
        at += lengths[count];
    }
    assert_int_equal(count, 3); /* import, foo, bar with its decorator */
    assert_memory_equal(code.p + lengths[0] + lengths[1], "@cached", 7);
}

TEST(metrics_count_branches_and_not_words_in_texts)
{
    struct ledger h = {0};
    struct hot_spots all = hot_spots_new(&h, false);
    struct code_metrics m;
    struct hot_spot_code *c = hot_spots_add(&all, str_of(two), &m);
    assert_int_equal(m.chunks, 3);
    assert_int_equal(m.sum.branches, 2);
    assert_int_equal(m.sum.nesting, 3);
    assert_int_equal(m.sum.cognitive, 1 + 2);
    assert_int_equal(m.sum.lines, 10);
    hot_spots_drop(&all, c);
    hot_spots_release(&all);
    assert_int_equal(h.live_bytes, 0);
}

static void write_functions(struct buf *b, int count, int changed)
{
    for (int i = 0; i < count; i++) {
        buf_printf(b, "def f_%d(x):\n    y = %d\n    if x:\n        return y\n    return x\n\n",
                   i, i == changed ? 1000 : i);
    }
}

TEST(focused_parses_what_is_new_and_gives_the_same_metrics)
{
    struct ledger h = {0};
    struct ledger all = {0};
    struct hot_spots focused = hot_spots_new(&h, true);
    struct hot_spots whole = hot_spots_new(&all, false);
    struct buf code;
    buf_init(&code, 1 << 20);
    struct hot_spot_code *kept[2][101];
    for (int i = 0; i <= 100; i++) { /* the first has no change, then one in each function */
        buf_clear(&code);
        write_functions(&code, 100, i - 1);
        struct code_metrics f;
        struct code_metrics w;
        kept[0][i] = hot_spots_add(&focused, buf_str(&code), &f);
        kept[1][i] = hot_spots_add(&whole, buf_str(&code), &w);
        assert_int_equal(f.chunks_parsed, i == 0 ? 100 : 1);
        assert_int_equal(w.chunks_parsed, 100);
        assert_int_equal(w.bytes_parsed, code.n);
        assert_memory_equal(&f.sum, &w.sum, sizeof f.sum);
        assert_close(f.score, w.score, 1e-12);
    }
    assert_true(h.live_bytes * 10 < all.live_bytes);
    for (int i = 0; i <= 100; i++) {
        hot_spots_drop(&focused, kept[0][i]);
        hot_spots_drop(&whole, kept[1][i]);
    }
    hot_spots_release(&focused);
    hot_spots_release(&whole);
    assert_int_equal(h.live_bytes + all.live_bytes, 0);
    buf_release(&code);
}

TEST(any_bytes_are_outlined)
{
    static const char *const odd[] = {"",         "\n",     "'''", "\"\\",     "@",
                                      "\t \n\tx", "a\\\nb", "# x", "\xff\xfe", "'a\n'"};
    struct ledger h = {0};
    struct hot_spots focused = hot_spots_new(&h, true);
    for (size_t i = 0; i < COUNT(odd); i++) {
        struct code_metrics m;
        hot_spots_drop(&focused, hot_spots_add(&focused, str_of(odd[i]), &m));
    }
    hot_spots_release(&focused);
    assert_int_equal(h.live_bytes, 0);
}

TEST_MAIN(T(code_is_cut_at_its_top_level_statements),
          T(metrics_count_branches_and_not_words_in_texts),
          T(focused_parses_what_is_new_and_gives_the_same_metrics), T(any_bytes_are_outlined))
