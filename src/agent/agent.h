/* agent.h - what answers tasks: the contract of adapters.
 *
 * An adapter turns one kind of agent (a command, a service, a model) into one
 * call: here is a case, give me the answer. The registry holds one row per
 * kind. */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "base/error.h"
#include "base/param.h"
#include "model/metric.h"
#include "model/trial.h"

struct agent_request {
    struct str input;
};

struct agent_answer {
    struct buf *output;
};

struct agent_kind {
    const char *name;
    const char *summary;
    struct param_table params;
    size_t config_size;
    size_t state_size;
    const struct metric *metrics;
    size_t metric_count;
    bool (*available)(const void *config, struct error *err); /* may be NULL */
    bool (*open)(void *state, const void *config, struct arena *arena, struct error *err);
    enum trial_status (*answer)(void *state, const struct agent_request *request,
                                struct agent_answer *answer, struct error *err);
    void (*close)(void *state);
};

const struct agent_kind *agent_kind_find(struct str name); /* NULL if unknown */
const struct agent_kind *agent_kind_at(size_t i);          /* NULL past the end */

#endif
