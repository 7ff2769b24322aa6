/* flame.h - sampled stacks as a picture.
 *
 * Brendan Gregg's flame graph: a box per function, as wide as the share of the
 * samples that passed through it, callers below callees. One self-contained
 * SVG; names and counts show when the pointer rests on a box. */
#ifndef REPORT_FLAME_H
#define REPORT_FLAME_H

#include "base/buf.h"

/* `folded`: lines "a;b;c 42"; lines of another form are passed over. Boxes
 * below 0.1 % of the width are left out. */
void flame_write(struct str folded, const char *title, struct buf *svg);

#endif
