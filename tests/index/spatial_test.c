/* Every index against brute force: the same points, the same changes, the same questions. */
#include "base/rng.h"
#include "index/spatial.h"
#include "tests/registry.h"
#include "tests/test.h"

enum { TRUTH = 0, KINDS_MAX = 8, POINTS_MAX = 400 }; /* brute force is the first */

/* All indexes over the same points. */
struct worlds {
    struct heap heap;
    struct spatial index[KINDS_MAX];
    struct spatial_list found[KINDS_MAX];
    bool alive[POINTS_MAX];
    struct rng rng;
    int shape; /* how places are drawn */
    int64_t operations;
};

enum {
    SHAPE_UNIFORM,
    SHAPE_LATTICE,
    SHAPE_CLUSTERED,
    SHAPE_LINE,
    SHAPE_ONE_PLACE,
    SHAPE_FAR,
    SHAPE_COUNT
};

static const struct spatial_kind *kind_at(size_t i)
{
    const struct spatial_kind *kind = spatial_kind_at(i);
    assert_non_null(kind);
    return kind;
}

static size_t kind_count(void)
{
    size_t count = 0;
    while (spatial_kind_at(count)) count++;
    assert_true(count >= 4 && count <= KINDS_MAX);
    return count;
}

static void worlds_open(struct worlds *w, uint64_t seed, int shape, double cell)
{
    *w = (struct worlds){.rng = rng_seeded(seed), .shape = shape};
    for (size_t i = 0; i < kind_count(); i++) {
        spatial_open(&w->index[i], kind_at(i), (struct spatial_settings){.cell = cell},
                     &w->heap);
        w->found[i] = (struct spatial_list){.heap = &w->heap};
    }
    assert_string_equal(w->index[TRUTH].kind->name, "brute_force");
}

static void worlds_close(struct worlds *w)
{
    for (size_t i = 0; i < kind_count(); i++) {
        spatial_close(&w->index[i]);
        spatial_list_release(&w->found[i]);
    }
    assert_int_equal(w->heap.live_bytes, 0);
}

/* Lattices are full of ties, of points on borders and of points at one place. */
static struct spatial_point draw_place(struct worlds *w)
{
    struct rng *r = &w->rng;
    double x = rng_real(r), y = rng_real(r);
    switch (w->shape) {
    case SHAPE_LATTICE: return (struct spatial_point){floor(x * 12) * 10, floor(y * 12) * 10};
    case SHAPE_CLUSTERED: {
        double spread = rng_below(r, 3) ? 1e-3 : 50;
        double middle = (double)rng_below(r, 3) * 40;
        return (struct spatial_point){middle + x * spread, middle + y * spread};
    }
    case SHAPE_LINE: return (struct spatial_point){x * 100, 5};
    case SHAPE_ONE_PLACE:
        return rng_below(r, 20) ? (struct spatial_point){7, 7}
                                : (struct spatial_point){x * 1e-9, y * 1e9};
    case SHAPE_FAR: return (struct spatial_point){4e6 + x * 10, -5e6 + floor(y * 20) / 2};
    default: return (struct spatial_point){x * 100, y * 100};
    }
}

static double draw_radius(struct worlds *w)
{
    static const double radii[] = {
        0,    1e-200, 1e-12, 0.5, 5, 10, 14.142135623730951, 20, 30, 50, 70.710678118654755,
        1000, 1e9,    1e200};
    uint64_t at = rng_below(&w->rng, 2 * COUNT(radii));
    return at < COUNT(radii) ? radii[at] : 60 * rng_real(&w->rng);
}

static void assert_same_lists(struct worlds *w, const char *what)
{
    struct spatial_list *truth = &w->found[TRUTH];
    spatial_list_sort(truth);
    for (size_t i = 1; i < kind_count(); i++) {
        struct spatial_list *f = &w->found[i];
        spatial_list_sort(f);
        if (f->count != truth->count ||
            (f->count > 0 && memcmp(f->ids, truth->ids, f->count * sizeof *f->ids) != 0))
            fail_msg("%s of %s: %zu found, brute force %zu (shape %d, %zu points)", what,
                     w->index[i].kind->name, f->count, truth->count, w->shape,
                     spatial_count(&w->index[TRUTH]));
        f->count = 0;
        w->operations++;
    }
    truth->count = 0;
}

static void ask_radius(struct worlds *w, struct spatial_point centre, double radius)
{
    for (size_t i = 0; i < kind_count(); i++)
        spatial_radius(&w->index[i], centre, radius, &w->found[i]);
    assert_same_lists(w, "radius");
}

static void ask_range(struct worlds *w, struct spatial_point a, struct spatial_point b)
{
    struct spatial_box box = {fmin(a.x, b.x), fmin(a.y, b.y), fmax(a.x, b.x), fmax(a.y, b.y)};
    for (size_t i = 0; i < kind_count(); i++) spatial_range(&w->index[i], &box, &w->found[i]);
    assert_same_lists(w, "range");
}

static void ask_nearest(struct worlds *w, struct spatial_point centre, size_t k)
{
    static struct spatial_near near[KINDS_MAX][POINTS_MAX];
    size_t count[KINDS_MAX];
    for (size_t i = 0; i < kind_count(); i++)
        count[i] = spatial_nearest(&w->index[i], centre, k, near[i]);
    for (size_t i = 1; i < kind_count(); i++) {
        assert_int_equal(count[i], count[TRUTH]);
        for (size_t j = 0; j < count[i]; j++) {
            if (near[i][j].id == near[TRUTH][j].id &&
                near[i][j].distance2 == near[TRUTH][j].distance2)
                continue;
            fail_msg(
                "nearest %zu of %zu of %s: %u at %.17g, brute force %u at %.17g (shape %d)", j,
                k, w->index[i].kind->name, near[i][j].id, near[i][j].distance2,
                near[TRUTH][j].id, near[TRUTH][j].distance2, w->shape);
        }
        w->operations++;
    }
}

/* A place of the set, so that distances of 0 and points on edges are asked for. */
static struct spatial_point known_place(struct worlds *w)
{
    struct spatial_point at;
    uint32_t id = (uint32_t)rng_below(&w->rng, POINTS_MAX);
    return spatial_find(&w->index[TRUTH], id, &at) ? at : draw_place(w);
}

static void ask(struct worlds *w)
{
    struct spatial_point centre = rng_below(&w->rng, 2) ? known_place(w) : draw_place(w);
    if (rng_below(&w->rng, 10) == 0) centre.x += 300; /* outside */
    switch (rng_below(&w->rng, 4)) {
    case 0: ask_range(w, centre, known_place(w)); break;
    case 1: ask_nearest(w, centre, 1); break;
    case 2: ask_nearest(w, centre, 1 + rng_below(&w->rng, 40)); break;
    default: ask_radius(w, centre, draw_radius(w)); break;
    }
}

static void change_one(struct worlds *w)
{
    uint32_t id = (uint32_t)rng_below(&w->rng, POINTS_MAX);
    struct spatial_point at = draw_place(w);
    bool goes = w->alive[id] && rng_below(&w->rng, 3) == 0;
    for (size_t i = 0; i < kind_count(); i++) {
        if (goes) {
            spatial_remove(&w->index[i], id);
        } else if (w->alive[id]) {
            spatial_move(&w->index[i], id, at);
        } else {
            spatial_insert(&w->index[i], id, at);
        }
    }
    w->alive[id] = !goes;
    w->operations += (int64_t)kind_count() - 1;
}

/* A number may occur twice: then the later move counts. */
static void change_many(struct worlds *w, size_t count)
{
    static struct spatial_move moves[4 * POINTS_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = (uint32_t)rng_below(&w->rng, POINTS_MAX);
        if (w->alive[id]) moves[kept++] = (struct spatial_move){id, draw_place(w)};
    }
    for (size_t i = 0; i < kind_count(); i++) spatial_update(&w->index[i], moves, kept);
    w->operations += (int64_t)((kind_count() - 1) * kept);
}

static void fill(struct worlds *w)
{
    static struct spatial_point points[POINTS_MAX];
    size_t count = rng_below(&w->rng, POINTS_MAX + 1);
    for (size_t i = 0; i < count; i++) points[i] = draw_place(w);
    for (size_t i = 0; i < kind_count(); i++) spatial_build(&w->index[i], points, count);
    for (size_t i = 0; i < POINTS_MAX; i++) w->alive[i] = i < count;
    w->operations += (int64_t)((kind_count() - 1) * count);
}

static void assert_same_places(struct worlds *w)
{
    for (uint32_t id = 0; id < POINTS_MAX; id++) {
        struct spatial_point truth = {0, 0}, at = {0, 0};
        bool is_there = spatial_find(&w->index[TRUTH], id, &truth);
        assert_int_equal(is_there, w->alive[id]);
        for (size_t i = 1; i < kind_count(); i++) {
            assert_int_equal(spatial_find(&w->index[i], id, &at), is_there);
            assert_true(!is_there || (at.x == truth.x && at.y == truth.y));
            assert_int_equal(spatial_count(&w->index[i]), spatial_count(&w->index[TRUTH]));
        }
    }
}

/* Random worlds of every shape, changed in every way: a million operations. */
TEST(every_index_answers_as_brute_force)
{
    int64_t operations = 0;
    for (uint64_t seed = 0; operations < 1000000; seed++) {
        struct worlds w;
        double cell = seed % 3 ? 0 : 0.01 + (double)(seed % 7) * 6;
        worlds_open(&w, seed, (int)(seed % SHAPE_COUNT), cell);
        if (seed % 5) fill(&w); /* or from nothing */
        for (int step = 0; step < 60; step++) {
            w.shape = step == 40 ? (int)(seed / SHAPE_COUNT % SHAPE_COUNT) : w.shape;
            for (uint64_t i = rng_below(&w.rng, 30); i > 0; i--) change_one(&w);
            if (step % 10 == 3) change_many(&w, rng_below(&w.rng, 4 * POINTS_MAX));
            if (step == 50) fill(&w);
            for (int i = 0; i < 6; i++) ask(&w);
        }
        assert_same_places(&w);
        operations += w.operations;
        worlds_close(&w);
    }
}

/* What the peer's quadtree loses: points on the edges of the world, at exactly +radius, and
 * ties of the nearest. */
TEST(edges_and_ties_have_one_answer)
{
    static const struct spatial_point points[] = {{0, 0},     {100, 0}, {0, 100},
                                                  {100, 100}, {60, 50}, {40, 50},
                                                  {50, 60},   {50, 40}, {50, 60}};
    for (size_t i = 0; i < kind_count(); i++) {
        struct heap heap = {0};
        struct spatial index;
        struct spatial_list found = {.heap = &heap};
        spatial_open(&index, kind_at(i), (struct spatial_settings){.cell = 10}, &heap);
        spatial_build(&index, points, COUNT(points));
        spatial_radius(&index, (struct spatial_point){50, 50}, 10, &found);
        spatial_list_sort(&found);
        static const uint32_t at_ten[] = {4, 5, 6, 7, 8};
        assert_int_equal(found.count, COUNT(at_ten));
        assert_memory_equal(found.ids, at_ten, sizeof at_ten);

        found.count = 0;
        struct spatial_box world = {0, 0, 100, 100};
        spatial_range(&index, &world, &found);
        assert_int_equal(found.count, COUNT(points));
        struct spatial_box corner = {100, 100, 100, 100};
        found.count = 0;
        spatial_range(&index, &corner, &found);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.ids[0], 3);

        struct spatial_near near[4];
        assert_int_equal(spatial_nearest(&index, (struct spatial_point){50, 50}, 4, near), 4);
        for (uint32_t j = 0; j < 4; j++) {
            assert_int_equal(near[j].id, 4 + j);
            assert_true(near[j].distance2 == 100);
        }
        spatial_list_release(&found);
        spatial_close(&index);
        assert_int_equal(heap.live_bytes, 0);
    }
}

TEST(what_makes_no_sense_finds_nothing)
{
    static const struct spatial_point points[] = {{1, 1}, {2, 2}};
    for (size_t i = 0; i < kind_count(); i++) {
        struct heap heap = {0};
        struct spatial index;
        struct spatial_list found = {.heap = &heap};
        struct spatial_near near;
        spatial_open(&index, kind_at(i), (struct spatial_settings){0}, &heap);
        assert_int_equal(spatial_nearest(&index, points[0], 1, &near), 0); /* empty */
        spatial_radius(&index, points[0], 5, &found);
        spatial_build(&index, points, COUNT(points));
        spatial_radius(&index, points[0], -1, &found);
        spatial_radius(&index, points[0], NAN, &found);
        struct spatial_box inverted = {2, 2, 1, 1};
        spatial_range(&index, &inverted, &found);
        assert_int_equal(found.count, 0);
        assert_int_equal(spatial_nearest(&index, points[0], 0, &near), 0);
        struct spatial_point at;
        assert_false(spatial_find(&index, 2, &at));
        spatial_list_release(&found);
        spatial_close(&index);
    }
}

/* Larger than one leaf, tail or block of anything; moved in batches that force rebuilds. */
TEST(many_points_walk_and_are_found)
{
    enum { MANY = 20000, STEPS = 4, ASKED = 25 };
    struct spatial_point *points = calloc(MANY, sizeof *points);
    struct spatial_move *moves = calloc(MANY, sizeof *moves);
    struct worlds *w = calloc(1, sizeof *w);
    worlds_open(w, 7, SHAPE_UNIFORM, 0);
    for (size_t i = 0; i < MANY; i++) points[i] = draw_place(w);
    for (size_t i = 0; i < kind_count(); i++) spatial_build(&w->index[i], points, MANY);
    for (int step = 0; step < STEPS; step++) {
        size_t moved = step % 2 ? 150 : MANY / 10;
        for (size_t i = 0; i < moved; i++) {
            uint32_t id = (uint32_t)rng_below(&w->rng, MANY);
            points[id].x += rng_real(&w->rng) - 0.5; /* now and then over the edge */
            points[id].y += rng_real(&w->rng) - 0.5;
            moves[i] = (struct spatial_move){id, points[id]};
        }
        for (size_t i = 0; i < kind_count(); i++) spatial_update(&w->index[i], moves, moved);
        for (int q = 0; q < ASKED; q++) {
            ask_radius(w, draw_place(w), 20 * rng_real(&w->rng));
            struct spatial_point corner = draw_place(w);
            ask_range(w, corner, draw_place(w));
            ask_nearest(w, draw_place(w), 20);
        }
    }
    worlds_close(w);
    free(w);
    free(moves);
    free(points);
}

/* What is inserted one by one is found as what is built at once, and what is removed is
 * given back: memory does not grow while points come and go. */
TEST(points_that_come_and_go_leave_no_memory_behind)
{
    enum { MANY = 3000, ROUNDS = 6 };
    for (size_t i = 1; i < kind_count(); i++) {
        struct heap heap = {0};
        struct spatial index;
        struct rng rng = rng_seeded(3);
        size_t bytes[ROUNDS];
        spatial_open(&index, kind_at(i), (struct spatial_settings){0}, &heap);
        for (int round = 0; round < ROUNDS; round++) {
            for (uint32_t id = 0; id < MANY; id++) {
                double x = rng_real(&rng) * 100;
                spatial_insert(&index, id, (struct spatial_point){x, rng_real(&rng) * 100});
            }
            for (uint32_t id = 0; id < MANY; id++) spatial_remove(&index, id);
            assert_int_equal(spatial_count(&index), 0);
            bytes[round] = heap.live_bytes;
        }
        if (bytes[ROUNDS - 1] > bytes[1] + bytes[1] / 2)
            fail_msg("%s: %zu bytes after round 2, %zu after round %d", kind_at(i)->name,
                     bytes[1], bytes[ROUNDS - 1], ROUNDS);
        spatial_close(&index);
        assert_int_equal(heap.live_bytes, 0);
    }
}

TEST(every_kind_has_its_hooks)
{
    size_t count = 0;
    for (const struct spatial_kind *kind; (kind = spatial_kind_at(count)); count++) {
        registry_check_name("spatial", kind->name);
        assert_true(registry_is_line(kind->summary));
        assert_ptr_equal(spatial_kind_find(str_of(kind->name)), kind);
        assert_true(kind->close && kind->fill && kind->insert && kind->remove && kind->move);
        assert_true(kind->radius && kind->range && kind->nearest && kind->state_size);
    }
    assert_int_equal(count, kind_count());
    assert_string_equal(spatial_kind_find(S("kdtree"))->name, "kd_tree");
    assert_null(spatial_kind_find(S("rtree")));
}

TEST_MAIN(T(every_index_answers_as_brute_force), T(edges_and_ties_have_one_answer),
          T(what_makes_no_sense_finds_nothing), T(many_points_walk_and_are_found),
          T(points_that_come_and_go_leave_no_memory_behind), T(every_kind_has_its_hooks))
