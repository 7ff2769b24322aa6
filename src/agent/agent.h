/* agent.h - what answers tasks: the contract of adapters.
 *
 * An adapter turns one kind of agent (a command, a long-lived process, a
 * service, a model, a shared library) into the same few calls, made in the arm
 * by the experiment `suite`:
 *
 *     open                              once
 *     prepare                           before each task, not timed
 *     clock; ask; clock                 the trial: duration_s
 *     conclude                          after each task, not timed
 *     close                             once, always
 *
 * What happens between the clock reads is, by kind: oneshot, from before the
 * start until the process is reaped (by the starter's clock, starter.h);
 * session, from before the write to the reply's newline; http and openai, from
 * before the send to the last byte. Everything else (making the request, reading JSON out
 * of the reply, counting) belongs in prepare and conclude.
 *
 * Tasks of one conversation come in order of their turns; adapters that keep a
 * history begin a new one at turn 0.
 *
 * To add one: write src/agent/<name>.c ending in `const struct agent_kind
 * agent_<name>`, and name it in the list in agent_registry.c. */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "base/registry.h"
#include "model/metric.h"
#include "model/task.h"

#include <sys/types.h>

/* A prepared task as it goes over the wire; stays until the next prepare. */
struct agent_wire {
    const char *url;
    const char *method;
    const char *const *headers; /* "Name: value" */
    size_t header_count;
    struct str body;
};

struct cgroup;

struct agent_kind {
    REGISTRY_ENTRY; /* name: the key in a spec, `process: {...}`; metrics: beyond agent_answer */
    size_t state_size;
    bool is_local;    /* it works in our process or in ours to measure: CPU, memory, I/O */
    bool is_single;   /* a second one cannot be open in one process */
    bool is_replayed; /* its answers were given elsewhere: their time is not measured */

    bool (*open)(void *state, const void *config, const struct agent_env *env,
                 struct error *err);
    /* Makes everything ready; false = harness error. May be NULL. */
    bool (*prepare)(void *state, const struct agent_task *task, struct error *err);
    /* The timed call. No allocation, lock or log. It keeps the time limit of env->limits
     * itself, and gives TRIAL_TIMED_OUT; an adapter that does not come back is ended by the
     * runner with its arm, and the trial is lost (run/lane.c). */
    enum trial_status (*ask)(void *state, const struct agent_task *task);
    /* Fills `answer`; may change the status (a reply that cannot be read). */
    enum trial_status (*conclude)(void *state, const struct agent_task *task,
                                  enum trial_status status, struct agent_answer *answer);
    void (*close)(void *state);

    /* Of services, else NULL: the request that `prepare` has made, for whoever sends it
     * (load/), and the answer in the body of a reply with a status below 300. */
    void (*wire)(const void *state, struct agent_wire *wire);
    enum trial_status (*read)(void *state, struct str body, struct agent_answer *answer);
    /* Of programs, else NULL: the process below which all of the agent's are. */
    pid_t (*root)(const void *state);
    /* The same: the cgroup that they are in, to be limited (sandbox/cgroup.h). */
    struct cgroup *(*group)(void *state);
};

REGISTRY(struct agent_kind, agent_kind)

#endif
