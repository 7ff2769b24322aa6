/* filter.h - system calls by which an agent would reach its guard without a signal.
 *
 * The guard (starter.h) has the user id of what it starts, and the kernel lets a process
 * change limits, priority and processors of any other of its user: prlimit(1, RLIMIT_CPU)
 * ends the guard, and with it the account of the trial. Keys of the user's keyring outlive
 * every namespace. In a cgroup namespace, which a user namespace gives the right to make, an
 * agent could mount its own cgroup, lift the limits and set the counters back to 0. A lease on
 * a file, which its owner may take, makes everybody else wait who opens or runs it: a rival
 * would be timed out. Sockets of the family VSOCK reach the host of a virtual machine. A seccomp
 * filter refuses these few calls, and lets an agent change what is its own. */
#ifndef SANDBOX_FILTER_H
#define SANDBOX_FILTER_H

#include "base/error.h"

/* For the caller and all that it starts; needs PR_SET_NO_NEW_PRIVS. `sees_others`: processes
 * outside of the jail can be named, too, so that only the caller's own (pid 0) can be
 * changed; else the guard is process 1. False: the kernel has no seccomp (errno). */
MUST_USE bool filter_install(bool sees_others);

#endif
