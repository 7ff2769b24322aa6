/* invariant.h - the few macros every file may use.
 *
 * CHECK states a fact about our own code. It stays on in release builds: a
 * program that measures others must not go on after it has lost its own
 * footing. Never use it for input, files or other people's programs; those get
 * a `struct error`. */
#ifndef BASE_INVARIANT_H
#define BASE_INVARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MUST_USE          __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

#define CHECK(fact) ((fact) ? (void)0 : check_failed(#fact, __FILE__, __LINE__))

/* Ends the process with exit code 3: this machine cannot. */
__attribute__((noreturn, cold)) void memory_failed(size_t bytes);

/* Writes one line to standard error and aborts. */
__attribute__((noreturn, cold)) void check_failed(const char *fact, const char *file, int line);

#endif
