#include "http/timers.h"

#include <string.h>

static void make_room(struct timers *t, size_t room)
{
    struct timer **heap = arena_new(t->arena, struct timer *, room + 1);
    if (t->count) memcpy(heap, t->heap, (t->count + 1) * sizeof(struct timer *));
    t->heap = heap;
    t->room = room;
}

void timers_init(struct timers *t, size_t room, struct arena *arena)
{
    *t = (struct timers){.arena = arena};
    make_room(t, room);
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
    CHECK(timer->place == 0);
    if (t->count == t->room) make_room(t, 2 * t->room + 1);
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
