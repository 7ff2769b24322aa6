/* futex.h - waiting for a word in shared memory to change.
 *
 * Works between processes. Both sides must recheck their condition in a loop:
 * a wait may end early (a signal, a time-out, a stale wake). */
#ifndef BASE_FUTEX_H
#define BASE_FUTEX_H

#include "base/invariant.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Returns when *word != seen, on a wake, a signal, or after timeout_ns (< 0 =
 * never). */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t timeout_ns)
{
    struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT, seen, timeout_ns < 0 ? NULL : &t, NULL, 0);
}

static inline void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
