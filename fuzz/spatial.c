/* Whatever is put into them, moved and taken out: every index answers as brute force does. */
#include "index/spatial.h"
#include "base/heap.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KINDS_MAX = 8, IDS = 64, K = 5, OPERATIONS_MAX = 2000 };

struct input {
    const uint8_t *next, *end;
};

static uint8_t take_byte(struct input *in)
{
    return in->next < in->end ? *in->next++ : 0;
}

/* Mostly on a lattice, where ties and edges are; any double that is allowed now and then. */
static double take_place(struct input *in)
{
    uint8_t first = take_byte(in);
    if (first < 240) return (double)(first % 16) - 8;
    double place = 0;
    uint8_t bytes[sizeof place];
    for (size_t i = 0; i < sizeof place; i++) bytes[i] = take_byte(in);
    memcpy(&place, bytes, sizeof place);
    struct spatial_point p = {place, 0};
    return spatial_point_is_valid(p) ? place : (double)first;
}

static struct spatial_point take_point(struct input *in)
{
    double x = take_place(in);
    return (struct spatial_point){x, take_place(in)};
}

struct fuzzed {
    struct heap heap;
    struct spatial index[KINDS_MAX]; /* the first is brute force */
    struct spatial_list found[KINDS_MAX];
    size_t kinds;
    bool alive[IDS];
};

static void compare_lists(struct fuzzed *f)
{
    for (size_t i = 0; i < f->kinds; i++) {
        spatial_list_sort(&f->found[i]);
        CHECK(f->found[i].count == f->found[0].count);
        if (f->found[i].count > 0)
            CHECK(memcmp(f->found[i].ids, f->found[0].ids,
                         f->found[0].count * sizeof *f->found[0].ids) == 0);
    }
    for (size_t i = 0; i < f->kinds; i++) f->found[i].count = 0;
}

static void ask(struct fuzzed *f, struct input *in)
{
    struct spatial_point a = take_point(in), b = take_point(in);
    double radius = take_place(in);
    struct spatial_box box = {a.x, a.y, b.x, b.y};
    struct spatial_near near[2][K];
    for (size_t i = 0; i < f->kinds; i++) spatial_radius(&f->index[i], a, radius, &f->found[i]);
    compare_lists(f);
    for (size_t i = 0; i < f->kinds; i++) spatial_range(&f->index[i], &box, &f->found[i]);
    compare_lists(f);
    for (size_t k = 1; k <= K; k += K - 1) {
        size_t count = spatial_nearest(&f->index[0], a, k, near[0]);
        for (size_t i = 1; i < f->kinds; i++) {
            CHECK(spatial_nearest(&f->index[i], a, k, near[1]) == count);
            for (size_t j = 0; j < count; j++)
                CHECK(near[1][j].id == near[0][j].id &&
                      near[1][j].distance2 == near[0][j].distance2);
        }
    }
}

static void change(struct fuzzed *f, struct input *in, bool is_batch)
{
    struct spatial_move move = {take_byte(in) % IDS, take_point(in)};
    bool is_there = f->alive[move.id];
    if (is_batch && !is_there) return;
    bool goes = !is_batch && is_there && take_byte(in) % 2;
    for (size_t i = 0; i < f->kinds; i++) {
        if (is_batch) {
            spatial_update(&f->index[i], &move, 1);
        } else if (goes) {
            spatial_remove(&f->index[i], move.id);
        } else if (is_there) {
            spatial_move(&f->index[i], move.id, move.to);
        } else {
            spatial_insert(&f->index[i], move.id, move.to);
        }
    }
    f->alive[move.id] = !goes;
}

static void build(struct fuzzed *f, struct input *in)
{
    struct spatial_point points[IDS];
    size_t count = take_byte(in) % (IDS + 1);
    for (size_t i = 0; i < count; i++) points[i] = take_point(in);
    for (size_t i = 0; i < f->kinds; i++) spatial_build(&f->index[i], points, count);
    for (size_t i = 0; i < IDS; i++) f->alive[i] = i < count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzzed f = {.kinds = 0};
    struct input in = {data, data + size};
    struct spatial_settings settings = {.cell = take_byte(&in)};
    for (; f.kinds < KINDS_MAX && spatial_kind_at(f.kinds); f.kinds++) {
        spatial_open(&f.index[f.kinds], spatial_kind_at(f.kinds), settings, &f.heap);
        f.found[f.kinds].heap = &f.heap;
    }
    for (int i = 0; i < OPERATIONS_MAX && in.next < in.end; i++) {
        uint8_t what = take_byte(&in);
        if (what < 8) {
            build(&f, &in);
        } else if (what % 4 == 0) {
            ask(&f, &in);
        } else {
            change(&f, &in, what % 4 == 1);
        }
    }
    for (size_t i = 0; i < f.kinds; i++) {
        spatial_close(&f.index[i]);
        spatial_list_release(&f.found[i]);
    }
    CHECK(f.heap.live_bytes == 0);
    return 0;
}
