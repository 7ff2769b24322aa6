/* load_agent.h - an agent under load: its cases as requests, its answers judged.
 *
 * A service (http, openai) is loaded over connections of load/, with the requests that its
 * adapter would send. Everything else, and conversations, whose next turn depends on the
 * answer before it, is loaded by a pool: so many agents, each in a place of its own, with its
 * own folder. A conversation is one request: in flight from its first question to its last
 * answer.
 *
 * Answers are judged after the block, by the rubric of the suite: as many as were kept
 * (load/kept.h), in an order drawn from the seed, until that has taken as long as the block
 * itself. Who asks more often than can be judged gets the score of a share. */
#ifndef SUITE_LOAD_AGENT_H
#define SUITE_LOAD_AGENT_H

#include "suite/load_metrics.h"
#include "suite/suite_internal.h"

struct load_agent_options {
    const struct experiment_env *env;
    const struct suite_config *config; /* rubric, prompt, judges, constraints, environment */
    const struct value *cases;
    int64_t input_bytes;         /* inputs are filled up with blanks to this size */
    struct target_terms terms;   /* who may be loaded */
    const struct target *server; /* of a service, resolved already; NULL: to be resolved */
    size_t connections;          /* 0: as many as is usual */
    bool is_open_load;
    struct load_plan wire; /* timeout_s, threads, ca_file, trusts_everybody */
};

struct load_agent;

/* The address of a service's agent, by its map; NULL of others. */
const char *load_agent_url(const struct value *agent, struct arena *out);

MUST_USE bool load_agent_open(struct load_agent **agent,
                              const struct load_agent_options *options, struct error *err);
MUST_USE bool load_agent_close(struct load_agent *agent, struct error *err); /* NULL too */

MUST_USE bool load_agent_block(struct load_agent *agent, const struct load_block *block,
                               struct load_result *result, struct error *err);

/* The block's answers. False: a check could not be made. */
MUST_USE bool load_agent_judge(struct load_agent *agent, const struct load_result *result,
                               uint64_t seed, struct load_accuracy *accuracy,
                               struct error *err);

/* The processes below which all of the agent's are; how many. None: it is not ours. */
size_t load_agent_roots(const struct load_agent *agent, const pid_t **roots,
                        struct subject_groups *groups);

#endif
