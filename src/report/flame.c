/* A flame graph (B. Gregg, "The Flame Graph", CACM 59(6), 2016). Folded stacks, one "a;b;c n"
 * a line, are merged into a tree by their common beginnings. A box is as wide as the share
 * of the samples that passed through it; children are drawn above their parent, by name, so
 * that two pictures of one program can be compared. What is less than a pixel wide is left
 * out together with what is above it. */
#include "report/flame.h"

#include "base/id.h"
#include "report/chart.h"

#include <stdlib.h>

enum {
    WIDTH = 1000,
    ROW = 18,
    TOP = 36,
    MARGIN = 10,
    DEPTH_MAX = 129 /* a program and 128 frames */
};

struct box {
    struct str name;
    int64_t count;
    struct box *children; /* newest first; drawn by name */
    struct box *next;
};

/* Splits "stack count" at its last space. */
static bool split(struct str line, struct str *stack, int64_t *count)
{
    size_t space = line.n;
    while (space > 0 && line.p[space - 1] != ' ') space--;
    if (space < 2) return false;
    *stack = (struct str){line.p, space - 1};
    return str_to_int((struct str){line.p + space, line.n - space}, count) && *count > 0;
}

static struct box *child_of(struct box *parent, struct str name, struct arena *arena)
{
    for (struct box *b = parent->children; b; b = b->next) {
        if (str_equal(b->name, name)) return b;
    }
    struct box *b = arena_new(arena, struct box, 1);
    b->name = name;
    b->next = parent->children;
    parent->children = b;
    return b;
}

static size_t add_stack(struct box *root, struct str stack, int64_t count, struct arena *arena)
{
    size_t depth = 0;
    struct box *at = root;
    root->count += count;
    while (stack.p && depth < DEPTH_MAX) {
        at = child_of(at, str_cut(&stack, ';'), arena);
        at->count += count;
        depth++;
    }
    return depth;
}

struct canvas {
    struct buf *out;
    double per_sample;
    int height;
    int64_t total;
};

static void draw_box(const struct canvas *c, const struct box *b, double x, int depth)
{
    double width = (double)b->count * c->per_sample;
    int y = c->height - MARGIN - (depth + 1) * ROW;
    /* A warm colour that is the same for the same name in every picture. */
    uint64_t hash = id_hash(b->name);
    buf_text(c->out, "<g><title>");
    html_text(c->out, b->name);
    buf_printf(c->out, ": %lld samples, %.2f %%</title>", (long long)b->count,
               100.0 * (double)b->count / (double)c->total);
    buf_printf(
        c->out,
        "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"hsl(%d,%d%%,%d%%)\" "
        "rx=\"1\"/>",
        x, y, width, ROW - 1, (int)(hash % 40) + 10, 60 + (int)(hash / 64 % 25),
        62 + (int)(hash / 4096 % 12));
    size_t room = (size_t)(width / 6.6);
    if (room >= 3) {
        bool is_cut = b->name.n > room;
        size_t shown = str_utf8_prefix((struct str){b->name.p, is_cut ? room - 1 : b->name.n});
        buf_printf(c->out, "<text x=\"%.2f\" y=\"%d\">", x + 3, y + 13);
        html_text(c->out, (struct str){b->name.p, shown});
        buf_text(c->out, is_cut ? "\u2026</text>" : "</text>");
    }
    buf_text(c->out, "</g>\n");
}

static int by_name(const void *a, const void *b)
{
    const struct box *const *x = a;
    const struct box *const *y = b;
    return str_compare((*x)->name, (*y)->name);
}

static void draw_children(const struct canvas *c, const struct box *parent, double x, int depth,
                          struct arena scratch)
{
    size_t n = 0;
    for (const struct box *b = parent->children; b; b = b->next) n++;
    const struct box **order = arena_new(&scratch, const struct box *, n);
    n = 0;
    for (const struct box *b = parent->children; b; b = b->next) order[n++] = b;
    if (n > 1) qsort(order, n, sizeof *order, by_name);
    for (size_t i = 0; i < n; i++) {
        double width = (double)order[i]->count * c->per_sample;
        if (width >= WIDTH / 1000.0) {
            draw_box(c, order[i], x, depth);
            draw_children(c, order[i], x, depth + 1, scratch);
        }
        x += width;
    }
}

void flame_write(struct str folded, const char *title, struct buf *svg)
{
    struct arena arena = arena_open();
    struct box root = {.count = 0};
    size_t deepest = 0;
    while (folded.p) {
        struct str stack;
        int64_t count = 0;
        if (!split(str_cut(&folded, '\n'), &stack, &count)) continue;
        size_t depth = add_stack(&root, stack, count, &arena);
        if (depth > deepest) deepest = depth;
    }
    struct canvas c = {.out = svg,
                       .per_sample =
                           root.count ? (double)(WIDTH - 2 * MARGIN) / (double)root.count : 0,
                       .height = TOP + (int)deepest * ROW + 2 * MARGIN,
                       .total = root.count};
    buf_printf(svg,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
               "font-family=\"ui-monospace,monospace\" font-size=\"11\" role=\"img\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"#fffdf8\"/>\n"
               "<text x=\"%d\" y=\"22\" font-size=\"14\">",
               WIDTH, c.height, MARGIN);
    html_text(svg, str_of(title));
    buf_printf(svg, ", %lld samples</text>\n", (long long)root.count);
    draw_children(&c, &root, MARGIN, 0, arena);
    buf_text(svg, "</svg>\n");
    arena_close(&arena);
}
