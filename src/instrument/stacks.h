/* stacks.h - sampled stacks, named and counted.
 *
 * Addresses become names through what each process has mapped: known from
 * /proc for a process that is there already, told by the kernel for those that
 * start later. The result is folded text: "program;outer;inner 42" a line,
 * most frequent first. Not for several threads. */
#ifndef INSTRUMENT_STACKS_H
#define INSTRUMENT_STACKS_H

#include "base/buf.h"

#include <sys/types.h>

struct stacks;

struct stacks *stacks_open(void);
void stacks_close(struct stacks *s); /* NULL is fine */

/* Forgets samples and processes; names of files' functions are kept. */
void stacks_clear(struct stacks *s);

/* Executable mappings and name of a running process. */
void stacks_know_process(struct stacks *s, pid_t pid);

struct stacks_map {
    uint64_t address;
    uint64_t length;
    uint64_t file_offset;
    const char *path;
};
void stacks_add_map(struct stacks *s, pid_t pid, const struct stacks_map *map);
void stacks_fork(struct stacks *s, pid_t child, pid_t parent);

/* A new name; `is_exec`: a new program, so its old mappings are gone. */
void stacks_rename(struct stacks *s, pid_t pid, const char *name, bool is_exec);

/* One sample; addresses innermost first, as the kernel gives them (its context
 * marks are passed over). */
void stacks_add(struct stacks *s, pid_t pid, const uint64_t *addresses, uint64_t depth);

void stacks_write(const struct stacks *s, struct buf *out);

#endif
