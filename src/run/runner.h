/* runner.h - the process that executes one group.
 *
 * It starts an arm per cell, warms each up, and lets them take turns: one
 * trial per arm and round, in the order of a balanced Latin square. It watches
 * over them: an arm that crashes or hangs has failed one trial and is started
 * again; what the outside instruments see goes into the record. A group of one
 * arm that nobody watches runs in batches, undisturbed. */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

struct names;

/* Does not return. Both descriptors come from the parent, by way of the
 * nursery. */
__attribute__((noreturn)) void runner_main(int memory_fd, int event_fd, struct names *names);

#endif
