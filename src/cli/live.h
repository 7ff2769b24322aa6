/* live.h - a suite while it runs: a bar, and a line for each agent with what it has done so
 * far, drawn over itself on a terminal.
 *
 *     demo  notation  [▇▇▇▇▇▇▇▇▇▇▇▇░░░░]  441 of 594     4 s left
 *
 *         agent    done    right   median    95 % interval
 *         bc       74/99   68/74   1.66 ms   [1.50, 1.87] */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "model/run_event.h"
#include "spec/plan.h"

struct live;

/* NULL where a single line says more: no suite, too many agents for the screen, or no room.
 * All memory is the arena's. */
struct live *live_new(const struct plan *plan, struct arena *arena);

void live_take(struct live *l, const struct run_event *e); /* RUN_EVENT_TRIAL */
void live_draw(struct live *l, const struct run_event *e); /* RUN_EVENT_PROGRESS */
void live_clear(struct live *l);                           /* takes it off the screen */

#endif
