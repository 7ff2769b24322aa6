#include "http/timers.h"

void timers_init(struct timers *t, size_t max, struct arena *arena)
{
    *t = (struct timers){.heap = arena_new(arena, struct timer *, max + 1), .max = max};
}

static void put(struct timers *t, size_t place, struct timer *timer)
{
    t->heap[place] = timer;
    timer->place = place;
}

static void sift_up(struct timers *t, size_t place, struct timer *timer)
{
    while (place > 1 && t->heap[place / 2]->due_ns > timer->due_ns) {
        put(t, place, t->heap[place / 2]);
        place /= 2;
    }
    put(t, place, timer);
}

static void sift_down(struct timers *t, size_t place, struct timer *timer)
{
    for (;;) {
        size_t child = place * 2;
        if (child > t->count) break;
        if (child < t->count && t->heap[child + 1]->due_ns < t->heap[child]->due_ns) child++;
        if (t->heap[child]->due_ns >= timer->due_ns) break;
        put(t, place, t->heap[child]);
        place = child;
    }
    put(t, place, timer);
}

void timers_add(struct timers *t, struct timer *timer, int64_t due_ns)
{
    CHECK(timer->place == 0 && t->count < t->max);
    timer->due_ns = due_ns;
    sift_up(t, ++t->count, timer);
}

void timers_remove(struct timers *t, struct timer *timer)
{
    size_t place = timer->place;
    if (place == 0) return;
    struct timer *last = t->heap[t->count--];
    timer->place = 0;
    if (last == timer) return;
    if (place > 1 && t->heap[place / 2]->due_ns > last->due_ns)
        sift_up(t, place, last);
    else
        sift_down(t, place, last);
}

struct timer *timers_first(const struct timers *t)
{
    return t->count > 0 ? t->heap[1] : NULL;
}
