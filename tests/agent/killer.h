/* killer.h - the end of the process that starts an agent, from another thread. */
#ifndef TESTS_AGENT_KILLER_H
#define TESTS_AGENT_KILLER_H

#include "agent/process_internal.h"
#include "tests/agent/fixture.h"

#include <pthread.h>
#include <signal.h>

/* 200 ms after the agent has made `file` its starter is killed. */
struct killer {
    const char *file;
    pid_t starter;
};

static inline void *kill_starter(void *killer)
{
    const struct killer *k = killer;
    for (int i = 0; i < 2000 && !os_exists(k->file); i++) {
        clock_sleep_until(clock_ns() + 5000000);
    }
    clock_sleep_until(clock_ns() + 200000000);
    kill(k->starter, SIGKILL);
    return NULL;
}

#endif
