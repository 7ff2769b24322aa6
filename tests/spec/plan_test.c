#include "spec/plan.h"

#include "tests/spec/bench.h"
#include "tests/test.h"

static struct plan *plan_of(struct arena *a, const char *text)
{
    struct problems p = {.arena = a};
    struct spec_override none = SPEC_OVERRIDE_NONE;
    struct spec *spec = NULL;
    if (!spec_load("t.yaml", str_of(text), &none, a, &spec, &p)) {
        fail_msg("%u: %s", p.items[0].line, p.items[0].text);
    }
    struct plan *plan = NULL;
    struct error e;
    if (!plan_make(spec, a, &plan, &e)) fail_msg("%s", e.text);
    return plan;
}

/* "label|label|..." of all cells. */
static const char *labels(struct arena *a, const struct plan *plan)
{
    struct buf b;
    buf_init(&b, 100000);
    for (size_t i = 0; i < plan->cell_count; i++) {
        assert_int_equal(plan->cells[i].index, i);
        buf_printf(&b, "%s%s", i ? "|" : "", plan->cells[i].label);
    }
    const char *text = str_cstr(a, buf_str(&b));
    buf_release(&b);
    return text;
}

/* "0 2/1 3": the cells of each group in arm order. */
static const char *groups(struct arena *a, const struct plan *plan)
{
    struct buf b;
    buf_init(&b, 100000);
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct plan_group *group = &plan->groups[g];
        assert_int_equal(group->index, g);
        for (size_t k = 0; k < group->count; k++) {
            const struct plan_cell *cell = &plan->cells[group->cells[k]];
            assert_int_equal(cell->group, g);
            assert_int_equal(cell->arm, k);
            buf_printf(&b, "%s%zu", k ? " " : (g ? "/" : ""), cell->index);
        }
    }
    const char *text = str_cstr(a, buf_str(&b));
    buf_release(&b);
    return text;
}

static void all_different(const struct plan *plan)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(plan->cells[i].key, plan->cells[k].key);
            assert_true(plan->cells[i].private_seed != plan->cells[k].private_seed);
        }
    }
}

TEST(keys_are_sorted_and_the_last_varies_fastest)
{
    struct arena a = arena_open();
    const struct plan *p =
        plan_of(&a, "experiment: spin\nsweep: {ratio: [0.5, 1], n: [3, 2]}\n");
    assert_string_equal(labels(&a, p),
                        "n=3, ratio=0.5|n=3, ratio=1|n=2, ratio=0.5|n=2, ratio=1");
    assert_string_equal(groups(&a, p), "0/1/2/3");
    assert_null(p->groups[0].factor);
    all_different(p);
    arena_close(&a);
}

TEST(cells_of_two_entries_are_told_apart_by_the_entry)
{
    struct arena a = arena_open();
    const struct plan *p = plan_of(&a, "experiments:\n"
                                       "- {experiment: spin, params: {n: 1000}}\n"
                                       "- {experiment: spin, params: {n: 2000}}\n"
                                       "- {experiment: spin, sweep: {n: [1, 2]}}\n");
    assert_string_equal(labels(&a, p), "spin, entry 1|spin, entry 2|n=1|n=2");
    arena_close(&a);
}

TEST(parameters_are_complete_and_canonical)
{
    struct arena a = arena_open();
    const struct plan *p = plan_of(&a, "experiment: spin\nparams: {version: 1.10, n: 1e2}\n"
                                       "sweep: {parameters.x: [1, b], sizes: [5, [6, 7]]}\n");
    assert_string_equal(p->cells[0].params_json,
                        "{\"n\":100,\"parameters\":{\"x\":1},\"ratio\":0.5,\"sizes\":[5],"
                        "\"sort\":\"quick\",\"verbose\":false,\"version\":\"1.10\"}");
    assert_string_equal(labels(&a, p), "x=1, sizes=5|x=1, sizes=[6,7]|"
                                       "x=b, sizes=5|x=b, sizes=[6,7]");
    const struct plan *same =
        plan_of(&a, "experiment: spin\nparams: {n: 100, sizes: 5, version: "
                    "'1.10', parameters: {x: 1}, sort: quick}\n");
    assert_string_equal(same->cells[0].key, p->cells[0].key);
    assert_string_equal(same->cells[0].label, "spin");
    arena_close(&a);
}

TEST(groups_hold_what_differs_in_the_factor)
{
    struct arena a = arena_open();
    static const struct {
        const char *text, *groups, *factor;
    } cases[] = {
        {"sweep: {n: [1, 2], sort: [quick, heap]}", "0 1/2 3", "sort"},
        {"sweep: {n: [1, 2], sort: [quick, heap]}\ninterleave: n", "0 2/1 3", "n"},
        {"sweep: {n: [1, 2], sort: [quick, heap]}\ninterleave: false", "0/1/2/3", NULL},
        /* Of two treatments the first of the table: sort stands before verbose. */
        {"sweep: {verbose: [true, false], sort: [quick, heap, merge]}", "0 2 4/1 3 5", "sort"},
        {"sweep: {verbose: [true, false], sort: [quick]}", "0 1", "verbose"},
        {"sweep: {parameters.x: [1, 2, 3], n: [1, 2]}", "0 1 2/3 4 5", "parameters.x"},
        {"params: {n: [1, 2, 3]}", "0/1/2", NULL},
        {"params: {n: 1}", "0", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct plan *p =
            plan_of(&a, arena_printf(&a, "experiment: spin\n%s\n", cases[i].text));
        assert_string_equal(groups(&a, p), cases[i].groups);
        if (cases[i].factor) {
            assert_string_equal(p->groups[0].factor, cases[i].factor);
        } else {
            assert_null(p->groups[0].factor);
        }
    }
    arena_close(&a);
}

TEST(agents_are_the_factor_where_there_are_several)
{
    struct arena a = arena_open();
    const struct plan *p =
        plan_of(&a, "experiment: judge\nagents: [x, {id: y, process: {command: z}}]\n");
    assert_string_equal(labels(&a, p), "agent=x|agent=y");
    assert_string_equal(groups(&a, p), "0 1");
    assert_string_equal(p->groups[0].factor, "agent");
    assert_true(p->cells[0].workload_seed == p->cells[1].workload_seed);
    all_different(p);
    p = plan_of(&a, "experiment: judge\nagents: [x]\n");
    assert_string_equal(labels(&a, p), "judge");
    assert_null(p->groups[0].factor);
    arena_close(&a);
}

TEST(entries_do_not_mix)
{
    struct arena a = arena_open();
    const struct plan *p =
        plan_of(&a, "experiments:\n"
                    "  - {experiment: spin, params: {sort: quick}}\n"
                    "  - {experiment: spin, params: {sort: [quick, heap]}}\n"
                    "  - {experiment: spin, params: {sort: [heap, quick]}}\n");
    assert_string_equal(groups(&a, p), "0/1 2/3 4");
    all_different(p);
    arena_close(&a);
}

TEST(contenders_get_the_same_data)
{
    struct arena a = arena_open();
    const struct plan *p =
        plan_of(&a, "experiment: spin\nsweep: {n: [1, 2], sort: [quick, heap]}\n");
    assert_true(p->cells[0].workload_seed == p->cells[1].workload_seed);
    assert_true(p->cells[2].workload_seed == p->cells[3].workload_seed);
    assert_true(p->cells[0].workload_seed != p->cells[2].workload_seed);
    assert_true(p->cells[0].private_seed != p->cells[1].private_seed);
    const struct plan *other =
        plan_of(&a, "experiment: spin\nsweep: {n: [1, 2], sort: [quick, heap]}\nseed: 43\n");
    assert_true(p->cells[0].workload_seed != other->cells[0].workload_seed);
    assert_string_equal(p->cells[0].key, other->cells[0].key);
    arena_close(&a);
}

static const struct plan *draws(struct arena *a, int seed)
{
    return plan_of(a, arena_printf(a,
                                   "experiment: spin\n"
                                   "sweep: {n: [1, 2, 3], sort: [quick, heap]}\n"
                                   "strategy: random\nsamples: 40\nseed: %d\n",
                                   seed));
}

TEST(random_sweeps_are_drawn_from_the_seed)
{
    struct arena a = arena_open();
    const struct plan *p = draws(&a, 7);
    assert_int_equal(p->cell_count, 40);
    all_different(p); /* although only 6 combinations exist */
    assert_string_equal(labels(&a, p), labels(&a, draws(&a, 7)));
    assert_string_not_equal(labels(&a, p), labels(&a, draws(&a, 8)));
    int seen[2][3] = {{0}};
    for (size_t i = 0; i < p->cell_count; i++) {
        const struct value *v = p->cells[i].params;
        seen[str_is(value_get(v, "sort")->source, "heap")][value_get(v, "n")->integer - 1]++;
        /* No group holds the same value twice. */
        const struct plan_group *g = &p->groups[p->cells[i].group];
        assert_true(g->count <= 2);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) assert_true(seen[i][k] > 0);
    }
    arena_close(&a);
}

TEST(large_sweeps_are_refused_before_they_are_made)
{
    struct arena a = arena_open();
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_text(&b, "experiment: spin\nsweep:\n  n: [1");
    for (int i = 2; i <= 1000; i++) buf_printf(&b, ", %d", i);
    buf_text(&b, "]\n  ratio: [0");
    for (int i = 1; i < 101; i++) buf_printf(&b, ", %g", i / 1000.0);
    buf_text(&b, "]\n");
    struct problems p = {.arena = &a};
    struct spec_override none = SPEC_OVERRIDE_NONE;
    struct spec *spec = NULL;
    struct plan *plan = NULL;
    struct error e = {0};
    assert_false(spec_load("t", buf_str(&b), &none, &a, &spec, &p) &&
                 plan_make(spec, &a, &plan, &e));
    assert_string_equal(e.text, "line 1: the sweep has more than 100000 cells, which is the "
                                "limit; 'strategy: random' with 'samples' draws from them");

    /* Each cell has its own copy of a long parameter. */
    buf_clear(&b);
    buf_printf(&b, "experiment: spin\nparams: {version: '%0300000d'}\nsweep:\n  n: [20", 7);
    for (int i = 21; i <= 500; i++) buf_printf(&b, ", %d", i);
    buf_text(&b, "]\n");
    assert_false(spec_load("t", buf_str(&b), &none, &a, &spec, &p) &&
                 plan_make(spec, &a, &plan, &e));
    assert_string_equal(e.text, "line 1: the parameters of the first 224 cells are more than "
                                "64 MB of text, which is the limit; put long ones into a file");
    buf_release(&b);
    arena_close(&a);
}

TEST(each_cell_passes_the_experiment_s_check)
{
    struct arena a = arena_open();
    struct problems p = {.arena = &a};
    struct spec_override none = SPEC_OVERRIDE_NONE;
    struct spec *spec = NULL;
    struct plan *plan = NULL;
    struct error e = {0};
    assert_true(
        spec_load("t", S("experiment: spin\nparams: {n: [12, 13]}\n"), &none, &a, &spec, &p));
    assert_false(plan_make(spec, &a, &plan, &e));
    assert_string_equal(e.text, "line 2: cell 'n=13': 13 values bring bad luck");
    arena_close(&a);
}

/* More contenders than can take turns are groups of about the same size, in order. */
TEST(a_long_sweep_is_several_groups)
{
    struct arena a = arena_open();
    struct buf b;
    buf_init(&b, 10000);
    buf_text(&b, "experiment: spin\nsweep: {version: [");
    for (int i = 0; i < 2 * PLAN_ARMS_MAX + 2; i++) buf_printf(&b, "%sa%d", i ? ", " : "", i);
    buf_text(&b, "]}\n");
    const struct plan *p = plan_of(&a, str_cstr(&a, buf_str(&b)));
    assert_int_equal(p->group_count, 3);
    static const size_t sizes[] = {44, 44, 42};
    size_t cell = 0;
    for (size_t g = 0; g < p->group_count; g++) {
        assert_int_equal(p->groups[g].count, sizes[g]);
        for (size_t k = 0; k < sizes[g]; k++) {
            assert_int_equal(p->groups[g].cells[k], cell);
            assert_int_equal(p->cells[cell].arm, k);
            assert_int_equal(p->cells[cell++].group, g);
        }
    }
    buf_release(&b);
    arena_close(&a);
}

/* Over one full square each arm stands in each place, and follows each other
 * arm, equally often; no arm twice in a round. */
TEST(turns_are_balanced)
{
    for (size_t arms = 1; arms <= 9; arms++) {
        size_t rounds = arms % 2 ? 2 * arms : arms;
        int place[9][9] = {{0}};
        int follows[9][9] = {{0}};
        for (size_t round = 0; round < rounds; round++) {
            size_t before = arms;
            unsigned seen = 0;
            for (size_t turn = 0; turn < arms; turn++) {
                size_t arm = plan_turn(arms, (int64_t)round, turn);
                assert_true(arm < arms);
                place[arm][turn]++;
                if (before < arms) follows[arm][before]++;
                before = arm;
                seen |= 1U << arm;
            }
            assert_int_equal(seen, (1U << arms) - 1);
        }
        int each = (int)(rounds / arms);
        for (size_t i = 0; i < arms; i++) {
            for (size_t k = 0; k < arms; k++) {
                assert_int_equal(place[i][k], each);
                assert_int_equal(follows[i][k], i == k ? 0 : each);
            }
        }
        assert_int_equal(plan_turn(arms, (int64_t)rounds, 0), plan_turn(arms, 0, 0));
    }
}

TEST_MAIN(T(keys_are_sorted_and_the_last_varies_fastest),
          T(cells_of_two_entries_are_told_apart_by_the_entry),
          T(parameters_are_complete_and_canonical), T(groups_hold_what_differs_in_the_factor),
          T(agents_are_the_factor_where_there_are_several), T(entries_do_not_mix),
          T(contenders_get_the_same_data), T(random_sweeps_are_drawn_from_the_seed),
          T(large_sweeps_are_refused_before_they_are_made),
          T(each_cell_passes_the_experiment_s_check), T(a_long_sweep_is_several_groups),
          T(turns_are_balanced))
