/* code_sample.h - Python files of a chosen number of functions, to parse. */
#ifndef EVOLVE_CODE_SAMPLE_H
#define EVOLVE_CODE_SAMPLE_H

#include "base/buf.h"

/* The requirement's function ("def foo", four lines) so many times, numbered from 1. In function
 * `changed` (0 = none) the third line says y = `value` instead of y = 2. */
void code_sample_write(int64_t functions, int64_t changed, int64_t value, struct buf *out);

#endif
