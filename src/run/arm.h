/* arm.h - the process in which one cell's experiment lives: one lane of an arm.
 *
 * Forked by the runner, it sets up the experiment, executes the orders in
 * its control block, tears down and ends. For experiments that start other
 * programs it is their keeper: about 2 MB, because Linux carries the starter's
 * resident set into the child's peak.
 *
 * Short trials run in batches without any other process in the way: the arm
 * writes records to its ring and rings the parent's bell after a trial of 5 ms
 * or more, when the ring is half full, and at least every 9 ms.
 *
 * On SIGTERM it kills what it has started, drops the trial under way, tears
 * down and ends; it does the same when its runner is gone. */
#ifndef RUN_ARM_H
#define RUN_ARM_H

#include "run/group.h"

/* Does not return. `work_dir` is a fresh folder, removed at the end. */
__attribute__((noreturn)) void arm_main(const struct group *group, size_t index, size_t lane,
                                        struct group_control *control, const char *work_dir);

#endif
