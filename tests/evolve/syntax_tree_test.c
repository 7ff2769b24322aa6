#include "base/clock.h"
#include "evolve/code_sample.h"
#include "evolve/dials.h"
#include "evolve/hot_spot.h"
#include "evolve/operators.h"
#include "evolve/playbook.h"
#include "evolve/syntax_tree.h"
#include "tests/test.h"

#include <time.h>

/* NULL, with the reason printed, where this machine has no parser. */
static struct syntax_parser *parser_or_skip(struct arena *a)
{
    struct syntax_parser *p = NULL;
    struct error err = {0};
    if (syntax_parser_open(a, &p, &err)) return p;
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    print_message("# skip: %s\n", err.text);
    return NULL;
}

TEST(a_re_parse_gives_the_tree_of_a_full_parse)
{
    struct arena a = arena_open();
    struct syntax_parser *p = parser_or_skip(&a);
    if (!p) {
        arena_close(&a);
        skip();
    }
    struct buf codes[2];
    for (int i = 0; i < 2; i++) buf_init(&codes[i], 1 << 20);
    code_sample_write(50, 0, 0, &codes[0]);
    struct syntax_tree before = syntax_tree_parse(p, buf_str(&codes[0]));
    assert_int_equal(syntax_tree_statements(p, &before), 50);
    assert_false(syntax_tree_has_error(p, &before));
    for (int64_t changed = 1; changed <= 50; changed += 7) {
        buf_clear(&codes[1]);
        code_sample_write(50, changed, 12345, &codes[1]);
        struct syntax_tree again = syntax_tree_parse_again(p, &before, buf_str(&codes[1]));
        assert_int_equal(syntax_tree_statements(p, &again), 50);
        assert_int_equal(syntax_tree_measure(p, &again).branches, 1); /* of the change */
        assert_false(syntax_tree_has_error(p, &again));
        syntax_tree_release(p, &again);
    }
    buf_clear(&codes[1]);
    code_sample_write(49, 0, 0, &codes[1]); /* one is gone */
    struct syntax_tree fewer = syntax_tree_parse_again(p, &before, buf_str(&codes[1]));
    assert_int_equal(syntax_tree_statements(p, &fewer), 49);
    syntax_tree_release(p, &fewer);
    struct syntax_tree wrong = syntax_tree_parse_again(p, &before, S("def ("));
    assert_true(syntax_tree_has_error(p, &wrong));
    syntax_tree_release(p, &wrong);
    syntax_tree_release(p, &before);
    syntax_parser_close(p);
    for (int i = 0; i < 2; i++) buf_release(&codes[i]);
    arena_close(&a);
}

/* The focuser of the search has an outline of its own (hot_spot.h): on what a search writes it
 * must say what a real parser says. */
TEST(the_outline_of_playbooks_has_the_metrics_of_the_tree)
{
    struct arena a = arena_open();
    struct syntax_parser *p = parser_or_skip(&a);
    if (!p) {
        arena_close(&a);
        skip();
    }
    struct ledger ledger = {0};
    struct hot_spots all = hot_spots_new(&ledger, LEDGER_SYNTAX, false);
    struct buf code;
    buf_init(&code, 1 << 20);
    for (uint64_t seed = 0; seed < 50; seed++) {
        const struct challenge *c = dials_challenge("x", 0.8, seed, &a);
        struct rng rng = rng_seeded(seed);
        struct genome g = {0};
        for (size_t i = 0; i < c->segments; i++)
            g.segments[i] = operators_random_segment(c, &rng);
        buf_clear(&code);
        playbook_code(c, &g, &code);
        struct code_metrics m;
        hot_spots_drop(&all, hot_spots_add(&all, buf_str(&code), &m));
        struct syntax_tree tree = syntax_tree_parse(p, buf_str(&code));
        struct syntax_metrics real = syntax_tree_measure(p, &tree);
        assert_false(syntax_tree_has_error(p, &tree));
        assert_int_equal(syntax_tree_statements(p, &tree), m.chunks);
        assert_int_equal(real.branches, m.sum.branches);
        assert_int_equal(real.nesting, m.sum.nesting);
        assert_int_equal(real.cognitive, m.sum.cognitive);
        syntax_tree_release(p, &tree);
    }
    hot_spots_release(&all);
    buf_release(&code);
    syntax_parser_close(p);
    arena_close(&a);
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Processor time, so that a busy machine does not decide; the best of five. Of ours a sanitizer
 * watches every access, of the parser none: what it costs is not the parser's. */
TEST(a_re_parse_of_100_functions_is_ten_times_as_fast)
{
    const char *sanitizer = getenv("ASSAY_SAN");
    if (sanitizer && sanitizer[0]) skip();
    struct arena a = arena_open();
    struct syntax_parser *p = parser_or_skip(&a);
    if (!p) {
        arena_close(&a);
        skip();
    }
    struct buf codes[2];
    for (int i = 0; i < 2; i++) buf_init(&codes[i], 1 << 20);
    code_sample_write(100, 0, 0, &codes[0]);
    code_sample_write(100, 60, 3, &codes[1]);
    struct syntax_tree before = syntax_tree_parse(p, buf_str(&codes[0]));
    double best[2] = {1e9, 1e9};
    for (int turn = 0; turn < 10; turn++) {
        double start = cpu_s();
        for (int i = 0; i < 20; i++) {
            struct syntax_tree t = turn % 2
                                       ? syntax_tree_parse_again(p, &before, buf_str(&codes[1]))
                                       : syntax_tree_parse(p, buf_str(&codes[1]));
            syntax_tree_release(p, &t);
        }
        best[turn % 2] = fmin(best[turn % 2], cpu_s() - start);
    }
    print_message("# %.1f times as fast\n", best[0] / best[1]);
    assert_true(best[0] > 10 * best[1]);
    syntax_tree_release(p, &before);
    syntax_parser_close(p);
    for (int i = 0; i < 2; i++) buf_release(&codes[i]);
    arena_close(&a);
}

TEST(a_missing_grammar_is_named)
{
    struct arena a = arena_open();
    struct syntax_parser *p;
    struct error err = {0};
    setenv("ASSAY_GRAMMAR", "/nonexistent/x.so", 1);
    assert_false(syntax_parser_open(&a, &p, &err));
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    assert_true(strstr(err.text, "make grammar") || strstr(err.text, "libtree-sitter0"));
    unsetenv("ASSAY_GRAMMAR");
    arena_close(&a);
}

TEST_MAIN(T(a_re_parse_gives_the_tree_of_a_full_parse),
          T(the_outline_of_playbooks_has_the_metrics_of_the_tree),
          T(a_re_parse_of_100_functions_is_ten_times_as_fast), T(a_missing_grammar_is_named))
