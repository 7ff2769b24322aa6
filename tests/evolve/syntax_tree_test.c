#include "src/evolve/syntax_tree.c"

#include "base/clock.h"
#include "evolve/code_sample.h"
#include "evolve/dials.h"
#include "evolve/hot_spot.h"
#include "evolve/operators.h"
#include "evolve/playbook.h"
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

/* What hot_spot.h calls branches, nesting and cognitive, from the tokens and blocks of the
 * tree. */
struct syntax_metrics {
    uint32_t branches, nesting, cognitive;
};

static void measure(const struct syntax_parser *p, struct node node, uint32_t depth,
                    struct syntax_metrics *m)
{
    const char *type = p->node_type(node);
    uint32_t count = p->node_child_count(node);
    if (count == 0 && hot_spot_is_branch(str_of(type))) {
        m->branches++;
        m->cognitive += depth;
    }
    if (strcmp(type, "block") == 0) depth++;
    if (depth > m->nesting) m->nesting = depth;
    for (uint32_t i = 0; i < count; i++) measure(p, p->node_child(node, i), depth, m);
}

static struct syntax_metrics measured(const struct syntax_parser *p,
                                      const struct syntax_tree *tree)
{
    struct syntax_metrics m = {0};
    measure(p, p->tree_root(tree->tree), 0, &m);
    return m;
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
        assert_int_equal(measured(p, &again).branches, 1); /* of the change */
        assert_false(syntax_tree_has_error(p, &again));
        struct syntax_tree whole = syntax_tree_parse(p, buf_str(&codes[1]));
        assert_true(syntax_tree_same(p, &again, &whole));
        syntax_tree_release(p, &whole);
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

/* One edit of a valid file: `old` becomes `now` where it first occurs. */
static void re_parse_is_whole(const struct syntax_parser *p, const char *code, const char *old,
                              const char *now)
{
    const char *at = strstr(code, old);
    assert_non_null(at);
    char after[400];
    snprintf(after, sizeof after, "%.*s%s%s", (int)(at - code), code, now, at + strlen(old));
    struct str codes[2] = {str_of(code), str_of(after)};
    struct syntax_tree whole[2];
    for (size_t i = 0; i < 2; i++) {
        whole[i] = syntax_tree_parse(p, codes[i]);
        if (syntax_tree_has_error(p, &whole[i])) fail_msg("not Python: %s", codes[i].p);
    }
    for (size_t i = 0; i < 2; i++) { /* there and back */
        struct syntax_tree again = syntax_tree_parse_again(p, &whole[i], codes[1 - i]);
        if (!syntax_tree_same(p, &again, &whole[1 - i]))
            fail_msg("'%s' for '%s': another tree", i ? old : now, i ? now : old);
        syntax_tree_release(p, &again);
    }
    assert_int_equal(syntax_tree_same(p, &whole[0], &whole[1]), strlen(old) == strlen(now));
    for (size_t i = 0; i < 2; i++) syntax_tree_release(p, &whole[i]);
}

TEST(a_re_parse_has_every_node_of_a_full_parse_wherever_the_edit_is)
{
    static const char code[] = "x = 1\n"
                               "def f(a, b):\n"
                               "    s = 'n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80'\n"
                               "    if a:\n"
                               "        return s\n"
                               "    return (b,\n"
                               "            a)\n"
                               "class C:\n"
                               "    y = 22";
    static const struct {
        const char *old, *now;
    } edits[] = {
        {"x", "z"},                                      /* the first byte */
        {"x = 1\n", "\n\nx = 1\n"},                      /* rows move before everything */
        {"x = 1\n", ""},                                 /* nothing before the edit */
        {"22", "23"},                                    /* the last byte */
        {"22", "22\n\n"},                                /* after it */
        {"    y = 22", "    y = 22\n    z = 3"},         /* a row more at the end */
        {"\xc3\xa9", "\xc3\xa8"},                        /* the second byte of two */
        {"\xe2\x82\xac", "\xe2\x82\xad"},                /* the third of three */
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81"},        /* the fourth of four */
        {"\xf0\x9f\x98\x80", "\xc3\xa9"},                /* of another length */
        {"\xe2\x82\xac", "\xc2\xac"},                    /* a byte less, its end the same */
        {"    if a:\n        return s\n", ""},           /* rows less in the middle */
        {"(b,\n            a)", "(b, a)"},               /* a row break within a node */
        {"return s", "while b:\n            pass"},      /* another kind of node */
        {"def f(a, b):\n", "def f(a, b):\n    'doc'\n"}, /* a row more */
    };
    struct arena a = arena_open();
    struct syntax_parser *p = parser_or_skip(&a);
    if (!p) {
        arena_close(&a);
        skip();
    }
    for (size_t i = 0; i < COUNT(edits); i++)
        re_parse_is_whole(p, code, edits[i].old, edits[i].now);
    syntax_parser_close(p);
    arena_close(&a);
}

TEST(a_place_is_a_row_and_a_column_in_bytes)
{
    static const char code[] = "ab\n\n\xc3\xa9x\n";
    static const struct syntax_point points[] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {2, 0},
                                                 {2, 1}, {2, 2}, {2, 3}, {3, 0}};
    assert_int_equal(COUNT(points), sizeof code);
    for (size_t i = 0; i < COUNT(points); i++) {
        struct syntax_point p = syntax_point_at(str_of(code), i);
        assert_int_equal(p.row, points[i].row);
        assert_int_equal(p.column, points[i].column);
    }
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
    struct hot_spots all = hot_spots_new(&ledger, false);
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
        struct syntax_metrics real = measured(p, &tree);
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
          T(a_re_parse_has_every_node_of_a_full_parse_wherever_the_edit_is),
          T(a_place_is_a_row_and_a_column_in_bytes),
          T(the_outline_of_playbooks_has_the_metrics_of_the_tree),
          T(a_re_parse_of_100_functions_is_ten_times_as_fast), T(a_missing_grammar_is_named))
