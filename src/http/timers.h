/* timers.h - what is due when: a binary heap of timers that their owners embed.
 *
 * Adding, moving and removing cost O(log n); the heap is made larger when it is full. */
#ifndef HTTP_TIMERS_H
#define HTTP_TIMERS_H

#include "base/arena.h"

struct timer {
    int64_t due_ns;
    size_t place; /* in the heap, from 1; 0 = not waiting */
};

struct timers {
    struct timer **heap; /* [1..count] */
    size_t count;
    size_t room;
    struct arena *arena;
};

void timers_init(struct timers *t, size_t room, struct arena *arena);

/* A timer waits once at most; CHECKs that it does not wait yet. */
void timers_add(struct timers *t, struct timer *timer, int64_t due_ns);
void timers_remove(struct timers *t, struct timer *timer); /* not waiting: nothing */

struct timer *timers_first(const struct timers *t); /* NULL if none waits */

#endif
