/* Everything is drawn before the clock starts, each purpose from a stream of its own: more
 * questions do not move the points. Questions are timed in blocks, so that reading the clock is a
 * small part of the time. The check asks brute force the same questions, compares answers
 * as sets (indexes may find in any order), and puts points on the very edge of what is asked
 * for, where < and <= differ. What was asked and found goes into the digest, by which contenders
 * show that they did the same work. */
#include "experiment/spatial_workload.h"

#include "base/clock.h"
#include "base/json.h"
#include "stats/moments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLOUDS = 5, BLOCK = 10, BUILDS = 10, NEAREST_MAX = 8 };

const char *const spatial_algorithms[] = {"kd_tree", "quadtree", "spatial_hash", NULL};
const char *const spatial_distributions[] = {"uniform", "clustered", "linear", "sparse", NULL};
const char *const spatial_query_patterns[] = {"uniform", "clustered", "linear", "random", NULL};

enum spatial_pattern spatial_query_pattern(int choice)
{
    return choice == 3 ? SPATIAL_RANDOM : (enum spatial_pattern)choice;
}

/* Normal to 1 % without a logarithm: the sum of twelve uniform numbers has mean 6 and
 * variance 1. */
static double bell(struct rng *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += rng_real(r);
    return sum;
}

static double within(double v, double side)
{
    return v < 0 ? 0 : v > side ? side : v;
}

struct cloud {
    struct spatial_point middle;
    double spread;
};

/* Places of a workload, one stream of random numbers for each purpose. */
struct painter {
    const struct spatial_plan *plan;
    struct rng rng;
    struct cloud clouds[CLOUDS];
};

static struct spatial_point draw_uniform(struct rng *r, double side)
{
    double x = rng_real(r) * side;
    return (struct spatial_point){x, rng_real(r) * side};
}

static void draw_clouds(struct painter *p)
{
    double side = p->plan->side;
    for (int i = 0; i < CLOUDS; i++) {
        struct cloud *c = &p->clouds[i];
        c->middle = draw_uniform(&p->rng, side * 0.8);
        c->middle.x += side * 0.1;
        c->middle.y += side * 0.1;
        c->spread = side * (0.05 + 0.1 * rng_real(&p->rng));
    }
}

static struct spatial_point draw_clustered(struct painter *p, size_t i)
{
    double side = p->plan->side;
    if (i % (CLOUDS + 1) == CLOUDS) return draw_uniform(&p->rng, side);
    const struct cloud *c = &p->clouds[i % (CLOUDS + 1)];
    double x = within(c->middle.x + c->spread * bell(&p->rng), side);
    return (struct spatial_point){x, within(c->middle.y + c->spread * bell(&p->rng), side)};
}

static struct spatial_point draw_sparse(struct painter *p, size_t i, size_t n)
{
    size_t across = (size_t)sqrt((double)n);
    if (across * across < n) across++;
    double cell = p->plan->side / (double)across;
    size_t column = i % across, row = i / across;
    struct spatial_point in_cell = draw_uniform(&p->rng, cell);
    return (struct spatial_point){(double)column * cell + in_cell.x,
                                  (double)row * cell + in_cell.y};
}

/* The i-th of n places. */
static struct spatial_point draw_place(struct painter *p, enum spatial_pattern pattern,
                                       size_t i, size_t n)
{
    double side = p->plan->side;
    double along = side * (double)i / (double)n;
    switch (pattern) {
    case SPATIAL_CLUSTERED: return draw_clustered(p, i);
    case SPATIAL_LINEAR: return (struct spatial_point){along, i % 2 ? side - along : along};
    case SPATIAL_SPARSE: return draw_sparse(p, i, n);
    case SPATIAL_UNIFORM:
    case SPATIAL_RANDOM: break;
    }
    return draw_uniform(&p->rng, side);
}

static void digest_add(uint64_t *digest, struct spatial_point p)
{
    uint64_t x, y;
    memcpy(&x, &p.x, sizeof x);
    memcpy(&y, &p.y, sizeof y);
    *digest = rng_derive(*digest, x, y);
}

static void draw_all(struct spatial_workload *w)
{
    const struct spatial_plan *p = &w->plan;
    struct painter painter = {.plan = p, .rng = rng_seeded(rng_derive(p->seed, 1, 0))};
    draw_clouds(&painter);
    for (size_t i = 0; i < w->count; i++) {
        w->points[i] = draw_place(&painter, p->distribution, i, w->count);
        digest_add(&w->digest, w->points[i]);
    }
    struct rng *r = &painter.rng;
    *r = rng_seeded(rng_derive(p->seed, 2, 0));
    for (size_t i = 0; i < p->questions; i++) {
        w->centres[i] = p->asked == SPATIAL_RANDOM
                            ? w->points[rng_below(r, w->count)]
                            : draw_place(&painter, p->asked, i, p->questions);
        digest_add(&w->digest, w->centres[i]);
    }
    *r = rng_seeded(rng_derive(p->seed, 3, 0));
    memcpy(w->at, w->points, w->count * sizeof *w->points);
    for (size_t i = 0; i < p->moves; i++) {
        uint32_t id = (uint32_t)rng_below(r, p->movable);
        struct spatial_point step = draw_uniform(r, 2 * p->stride);
        w->at[id].x = within(w->at[id].x + step.x - p->stride, p->side);
        w->at[id].y = within(w->at[id].y + step.y - p->stride, p->side);
        w->moves[i] = (struct spatial_move){id, w->at[id]};
        digest_add(&w->digest, w->at[id]);
    }
}

/* Of a point: where it is and will be, the marks of a check, and three indexes at most with 100
 * bytes each. */
struct experiment_demand spatial_workload_demand(double points, double questions, double moves,
                                                 const char *by)
{
    return (struct experiment_demand){
        .memory_bytes = 400 * points + questions * (double)sizeof(struct spatial_point) +
                        moves * (double)sizeof(struct spatial_move),
        .by = by,
    };
}

void spatial_workload_make(struct spatial_workload *w, const struct spatial_plan *plan)
{
    size_t count = plan->movable + plan->fixed;
    *w = (struct spatial_workload){
        .arena = arena_open(),
        .plan = *plan,
        .kind = spatial_kind_find(str_of(spatial_algorithms[plan->algorithm])),
        .count = count,
    };
    w->points = arena_new(&w->arena, struct spatial_point, count);
    w->at = arena_new(&w->arena, struct spatial_point, count);
    w->centres = arena_new(&w->arena, struct spatial_point, plan->questions);
    w->moves = arena_new(&w->arena, struct spatial_move, plan->moves);
    CHECK(w->kind && count > 0);
    draw_all(w);
    w->found.heap = &w->heap;
    struct spatial all; /* the largest answer: then the list need not grow */
    spatial_open(&all, spatial_kind_find(S("brute_force")), (struct spatial_settings){0},
                 &w->heap);
    spatial_build(&all, w->points, count);
    spatial_radius(&all, w->points[0], 4 * plan->side, &w->found);
    spatial_close(&all);
}

void spatial_workload_release(struct spatial_workload *w)
{
    spatial_list_release(&w->found);
    CHECK(w->heap.live_bytes == 0);
    arena_close(&w->arena);
}

void spatial_workload_open(struct spatial_workload *w, struct spatial *index)
{
    spatial_open(index, w->kind, (struct spatial_settings){0}, &w->heap);
    spatial_build(index, w->points, w->count);
}

/* The time of all questions, and the means of the blocks that they come in. */
struct blocks {
    int64_t total_ns, begin_ns;
    size_t questions;
    struct moments means_s;
};

static void block_end(struct blocks *b, size_t size)
{
    int64_t took_ns = clock_ns() - b->begin_ns;
    b->total_ns += took_ns;
    b->questions += size;
    moments_add(&b->means_s, (double)took_ns / 1e9 / (double)size);
    b->begin_ns = clock_ns();
}

static struct spatial_times times_of(const struct blocks *b)
{
    double total_s = (double)b->total_ns / 1e9;
    return (struct spatial_times){total_s, total_s / (double)b->questions,
                                  moments_sd(&b->means_s)};
}

/* Every question of a workload, in blocks of ten; the last may be shorter. */
typedef void ask_one(struct spatial_workload *w, const struct spatial *index, size_t i,
                     double length);

static struct spatial_times time_questions(struct spatial_workload *w,
                                           const struct spatial *index, double length,
                                           ask_one *ask)
{
    struct blocks b = {.begin_ns = clock_ns()};
    for (size_t i = 0; i < w->plan.questions;) {
        size_t end = i + BLOCK < w->plan.questions ? i + BLOCK : w->plan.questions;
        size_t size = end - i;
        for (; i < end; i++) ask(w, index, i, length);
        block_end(&b, size);
    }
    return times_of(&b);
}

static void ask_radius(struct spatial_workload *w, const struct spatial *index, size_t i,
                       double radius)
{
    w->found.count = 0;
    spatial_radius(index, w->centres[i], radius, &w->found);
}

static void ask_range(struct spatial_workload *w, const struct spatial *index, size_t i,
                      double half)
{
    struct spatial_point c = w->centres[i];
    struct spatial_box box = {c.x - half, c.y - half, c.x + half, c.y + half};
    w->found.count = 0;
    spatial_range(index, &box, &w->found);
}

static void ask_nearest(struct spatial_workload *w, const struct spatial *index, size_t i,
                        double unused)
{
    (void)unused;
    struct spatial_near near;
    w->found.count = spatial_nearest(index, w->centres[i], 1, &near);
    w->found.ids[0] = near.id;
}

/* Keeps, of what is around one place, what is around the other. */
static void find_intersection(struct spatial_workload *w, const struct spatial *index,
                              struct spatial_point c, double radius)
{
    struct spatial_point other = {c.x + radius, c.y};
    w->found.count = 0;
    spatial_radius(index, c, radius, &w->found);
    size_t kept = 0;
    for (size_t k = 0; k < w->found.count; k++) {
        struct spatial_point p;
        if (!spatial_find(index, w->found.ids[k], &p)) continue;
        double dx = p.x - other.x, dy = p.y - other.y;
        if (dx * dx + dy * dy <= radius * radius) w->found.ids[kept++] = w->found.ids[k];
    }
    w->found.count = kept;
}

static void ask_intersection(struct spatial_workload *w, const struct spatial *index, size_t i,
                             double radius)
{
    find_intersection(w, index, w->centres[i], radius);
}

struct spatial_times spatial_time_radius(struct spatial_workload *w,
                                         const struct spatial *index, double radius)
{
    return time_questions(w, index, radius, ask_radius);
}

struct spatial_times spatial_time_range(struct spatial_workload *w, const struct spatial *index,
                                        double half_side)
{
    return time_questions(w, index, half_side, ask_range);
}

struct spatial_times spatial_time_nearest(struct spatial_workload *w,
                                          const struct spatial *index)
{
    return time_questions(w, index, 0, ask_nearest);
}

struct spatial_times spatial_time_intersection(struct spatial_workload *w,
                                               const struct spatial *index, double radius)
{
    return time_questions(w, index, radius, ask_intersection);
}

struct spatial_times spatial_time_build(struct spatial_workload *w)
{
    struct blocks b = {.begin_ns = clock_ns()};
    for (int i = 0; i < BUILDS; i++) {
        struct spatial index;
        spatial_workload_open(w, &index);
        block_end(&b, 1);
        spatial_close(&index);
        b.begin_ns = clock_ns();
    }
    return times_of(&b);
}

/* What brute force says, and a mark for each point to compare without sorting. */
struct judge {
    const struct spatial *index;
    struct spatial truth;
    struct spatial_list expected;
    uint8_t *is_expected; /* by number */
    size_t count;
};

/* The same numbers, each once, in any order. */
static bool is_same(struct judge *judge, const struct spatial_list *found)
{
    const struct spatial_list *expected = &judge->expected;
    for (size_t i = 0; i < expected->count; i++) judge->is_expected[expected->ids[i]] = 1;
    size_t right = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (found->ids[i] >= judge->count) continue; /* a number that nobody has */
        right += judge->is_expected[found->ids[i]];
        judge->is_expected[found->ids[i]] = 0;
    }
    for (size_t i = 0; i < expected->count; i++) judge->is_expected[expected->ids[i]] = 0;
    return right == found->count && right == expected->count;
}

static bool compare_list(struct spatial_workload *w, struct judge *judge, const char *what,
                         struct error *err)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < judge->expected.count; i++)
        sum += rng_nth(judge->expected.ids[i], 1); /* in any order */
    w->digest = rng_derive(w->digest, judge->expected.count, sum);
    bool same = is_same(judge, &w->found);
    size_t found = w->found.count;
    size_t expected = judge->expected.count;
    w->found.count = judge->expected.count = 0;
    return same || error_set(err, ERROR_FAILED,
                             "%s: %s found %zu points that are not the %zu that brute force "
                             "finds",
                             w->kind->name, what, found, expected);
}

static bool is_near(const struct spatial_near *a, const struct spatial_near *b)
{
    return a->id == b->id && a->distance2 == b->distance2;
}

/* Eight, and the first alone: indexes have a way of their own for one. */
static bool compare_nearest(struct spatial_workload *w, struct judge *judge,
                            struct spatial_point c, struct error *err)
{
    struct spatial_near found[NEAREST_MAX], expected[NEAREST_MAX];
    size_t count = spatial_nearest(judge->index, c, NEAREST_MAX, found);
    size_t wanted = spatial_nearest(&judge->truth, c, NEAREST_MAX, expected);
    for (size_t i = 0; i < wanted; i++) {
        digest_add(&w->digest,
                   (struct spatial_point){expected[i].distance2, (double)expected[i].id});
        if (i < count && is_near(&found[i], &expected[i])) continue;
        return error_set(err, ERROR_FAILED, "%s: nearest number %zu is not that of brute force",
                         w->kind->name, i + 1);
    }
    if (count != wanted)
        return error_set(err, ERROR_FAILED, "%s: nearest gives %zu of %zu points",
                         w->kind->name, count, wanted);
    return (spatial_nearest(judge->index, c, 1, found) == 1 && is_near(found, expected)) ||
           error_set(err, ERROR_FAILED,
                     "%s: the nearest, asked alone, is not that of brute "
                     "force",
                     w->kind->name);
}

/* Brute force around each of the two places: what is in both answers. */
static void expect_intersection(struct judge *judge, struct spatial_point c, double radius)
{
    struct spatial_list *expected = &judge->expected;
    spatial_radius(&judge->truth, c, radius, expected);
    size_t first = expected->count, both = 0;
    for (size_t i = 0; i < first; i++) judge->is_expected[expected->ids[i]] = 1;
    spatial_radius(&judge->truth, (struct spatial_point){c.x + radius, c.y}, radius, expected);
    for (size_t i = first; i < expected->count; i++)
        judge->is_expected[expected->ids[i]] |= 2; /* 3: in both */
    for (size_t i = 0; i < expected->count; i++) {
        uint32_t id = expected->ids[i];
        if (judge->is_expected[id] == 3) expected->ids[both++] = id;
        judge->is_expected[id] = 0;
    }
    expected->count = both;
}

static bool check_one(struct spatial_workload *w, struct judge *judge, struct spatial_point c,
                      double radius, struct error *err)
{
    w->found.count = judge->expected.count = 0;
    spatial_radius(judge->index, c, radius, &w->found);
    spatial_radius(&judge->truth, c, radius, &judge->expected);
    if (!compare_list(w, judge, "radius", err)) return false;
    struct spatial_box box = {c.x - radius, c.y - radius, c.x + radius, c.y + radius};
    spatial_range(judge->index, &box, &w->found);
    spatial_range(&judge->truth, &box, &judge->expected);
    if (!compare_list(w, judge, "range", err)) return false;
    find_intersection(w, judge->index, c, radius);
    expect_intersection(judge, c, radius);
    return compare_list(w, judge, "intersection", err) && compare_nearest(w, judge, c, err);
}

/* Points on the very edge of what is asked for. One is at the distance `radius` to the last bit,
 * as it differs from the centre in x only; two are corners of the box. Halfway between a point
 * and its nearest, the two are as far, wherever halfway needs no rounding. */
static bool check_edges(struct spatial_workload *w, struct judge *judge,
                        const struct spatial_point *places, struct rng *r, struct error *err)
{
    struct spatial_point a = places[rng_below(r, w->count)], b = places[rng_below(r, w->count)];
    struct spatial_point c = {b.x, a.y};
    double radius = fabs(a.x - c.x);
    spatial_radius(judge->index, c, radius, &w->found);
    spatial_radius(&judge->truth, c, radius, &judge->expected);
    if (!compare_list(w, judge, "radius", err)) return false;
    struct spatial_box box = {fmin(a.x, b.x), fmin(a.y, b.y), fmax(a.x, b.x), fmax(a.y, b.y)};
    spatial_range(judge->index, &box, &w->found);
    spatial_range(&judge->truth, &box, &judge->expected);
    if (!compare_list(w, judge, "range", err)) return false;
    struct spatial_near near[2];
    size_t last = spatial_nearest(&judge->truth, a, 2, near) - 1;
    b = places[near[last].id];
    return compare_nearest(w, judge, (struct spatial_point){(a.x + b.x) / 2, (a.y + b.y) / 2},
                           err);
}

static bool check_at(struct spatial_workload *w, const struct spatial *index,
                     const struct spatial_point *places, double radius, struct error *err)
{
    struct judge judge = {.index = index,
                          .expected.heap = &w->heap,
                          .is_expected = heap_new(&w->heap, uint8_t, w->count),
                          .count = w->count};
    memset(judge.is_expected, 0, w->count);
    spatial_open(&judge.truth, spatial_kind_find(S("brute_force")),
                 (struct spatial_settings){0}, &w->heap);
    spatial_build(&judge.truth, places, w->count);
    struct rng r = rng_seeded(rng_derive(w->plan.seed, 4, 0));
    bool ok = spatial_count(index) == w->count ||
              error_set(err, ERROR_FAILED, "%s: has %zu points instead of %zu", w->kind->name,
                        spatial_count(index), w->count);
    for (int i = 0; ok && i < SPATIAL_CHECKED; i++) {
        struct spatial_point c = draw_uniform(&r, w->plan.side);
        if (i % 2) c = places[rng_below(&r, w->count)];
        ok = check_one(w, &judge, c, radius, err);
    }
    uint64_t digest = w->digest; /* of the questions above alone */
    r = rng_seeded(rng_derive(w->plan.seed, 6, 0));
    for (int i = 0; ok && i < SPATIAL_EDGES; i++) ok = check_edges(w, &judge, places, &r, err);
    w->digest = digest;
    heap_free(&w->heap, judge.is_expected, w->count);
    spatial_list_release(&judge.expected);
    spatial_close(&judge.truth);
    return ok;
}

bool spatial_workload_check(struct spatial_workload *w, const struct spatial *index,
                            double radius, struct error *err)
{
    return check_at(w, index, w->at, radius, err);
}

bool spatial_workload_check_unmoved(struct spatial_workload *w, const struct spatial *index,
                                    double radius, struct error *err)
{
    return check_at(w, index, w->points, radius, err);
}

int spatial_workload_draw(const struct spatial_workload *w, int count)
{
    struct rng r = rng_seeded(rng_derive(w->plan.seed, 5, 0));
    return (int)rng_below(&r, (uint64_t)count);
}

bool spatial_workload_finish(struct spatial_workload *w, struct spatial *const *indexes,
                             size_t count, double radius, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        ok = ok && spatial_workload_check(w, indexes[i], radius, err);
    for (size_t i = 0; i < count; i++) spatial_close(indexes[i]);
    spatial_workload_release(w);
    return ok;
}

void spatial_workload_write(const struct spatial_workload *w, struct json *j)
{
    const struct spatial_plan *p = &w->plan;
    char hex[20];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)w->digest);
    json_put_text(j, "workload_digest", hex);
    json_put_text(j, "implementation", w->kind->name);
    json_put_int(j, "entity_count", (int64_t)w->count);
    json_put_real(j, "world_size", p->side);
    json_put_text(j, "distribution", spatial_distributions[p->distribution]);
    json_put_int(j, "checked_queries", SPATIAL_CHECKED);
}
