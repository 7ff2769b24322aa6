/* code_sample.h - Python files of a chosen number of functions, to parse. */
#ifndef EVOLVE_CODE_SAMPLE_H
#define EVOLVE_CODE_SAMPLE_H

#include "base/buf.h"

/* The requirement's function ("def foo", four lines) so many times, numbered from 1. In function
 * `changed` (0 = none) the third line says y = `value` if x else 2 instead of y = 2: other
 * tokens and one branch more, so that whoever looks at the old text is found out. */
void code_sample_write(int64_t functions, int64_t changed, int64_t value, struct buf *out);

#endif
