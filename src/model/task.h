/* task.h - what an agent is asked, and what came back.
 *
 * The plain structs that adapters (agent/), the sandbox, the HTTP client and the
 * experiment `suite` share: a task, the answer to it, the limits it runs under
 * and the prices it is paid by. */
#ifndef MODEL_TASK_H
#define MODEL_TASK_H

#include "base/error.h"
#include "base/param.h"
#include "base/secret.h"
#include "model/trial.h"

/* 0 = no limit. What this machine cannot enforce is said by `open` through
 * agent_env.unenforced. */
struct agent_limits {
    int64_t time_ns;
    int64_t memory_bytes;
    int64_t output_bytes; /* of an answer's text; 0 = AGENT_OUTPUT_DEFAULT; more is a breach */
    int64_t processes;
    int64_t tokens; /* checked after the answer */
    double cost_usd;
};

/* Where no limit is given; memory for it is mapped, and taken only when used. The most is
 * what can be asked for. */
enum { AGENT_OUTPUT_DEFAULT = 16 << 20, AGENT_OUTPUT_MOST = 256 << 20 };
size_t agent_output_max(const struct agent_limits *limits);

struct agent_prices { /* USD per 1M tokens; NaN = not stated */
    double input;
    double output;
    double cache_read;
    const char *date; /* as of when */
};

struct agent_env {
    struct arena *arena;            /* lives as long as the arm */
    const char *work_dir;           /* the agent's working folder */
    const char *const *environment; /* KEY=VALUE, NULL-terminated; no other is passed */
    const char *const *hidden;      /* absolute paths that it is not to see; NULL = none */
    const char *const *fixed;   /* that it is not to change where it can write: absolute; with
                                 '/' at its end even the folder that it works in; NULL = none */
    const char *const *folders; /* pairs: a work folder as written, what it was; NULL = none */
    struct agent_limits limits;
    struct agent_prices prices;
    const struct value *config; /* the agent's `config:` map, or NULL */
    const char *benchmark;      /* whose cases it is asked; NULL = none */
    const char
        *pin;      /* "name:port:address": where a service is asked; NULL = as its name says */
    bool is_judge; /* it receives expected answers: no measured program may be asked */
    uint64_t seed;
    const struct secrets *secrets; /* must not be in what is said; NULL = none */
    int64_t *memory_floor;         /* open sets the least peak it can tell, bytes; or NULL */
    struct buf
        *unenforced; /* open and close append what the result should state, a line each */
};

struct agent_task {
    struct str case_id;
    struct str conversation; /* empty = none */
    int64_t turn;
    struct str input; /* text, or JSON text where is_json */
    bool is_json;
    const struct value *fields; /* the whole case, for {{field}} in templates */
    uint64_t seed;
};

/* A part of the work that the agent reported or the stream showed. */
struct agent_phase {
    const char *name;
    double start_s; /* since the task was given */
    double duration_s;
    double cpu_s; /* NaN = unknown, as below */
    double memory_mb;
    double io_operations;
};

enum { AGENT_PHASES_MAX = 64, AGENT_PHASE_NAME_MAX = 200, AGENT_GAPS_MAX = 16384 };

/* Numbers are NaN where the agent does not know. Texts and arrays belong to the
 * adapter and stay until the next prepare. */
struct agent_answer {
    struct str output;
    double input_tokens;
    double output_tokens;
    double cache_read_tokens;
    double wasted_tokens;       /* of attempts that failed and were tried again, in and out */
    double wasted_input_tokens; /* the prompts' part of them */
    double api_calls;           /* attempts included */
    double retries;
    double cost_usd;         /* reported, else by the prices */
    bool tokens_are_counted; /* by us, not reported by the agent */
    double first_token_s;    /* since the request was sent */
    const double *gaps_s;    /* between tokens (or chunks) after the first */
    size_t gap_count;
    double stream_s;      /* from the first token to the last; NaN = not seen */
    bool arrived_at_once; /* all tokens came in one read: gaps and rates would be ours */
    bool is_simulated;    /* the answer is that of `assay stub` */
    const struct agent_phase *phases;
    size_t phase_count;
    struct str tool_calls;    /* JSON list, or empty */
    struct str finish_reason; /* of a model: stop, length, tool_calls; empty = unknown */
    double ready_s;           /* the agent was started for it, and took so long; NaN = not */
    double connections;       /* opened for it; 0 = an open one was used again */
    int64_t start_ns;         /* where the adapter itself has read the clock; 0 = it has not */
    int64_t end_ns;
    struct usage usage;
    struct error error; /* the reason when the status is not TRIAL_OK */
};

void agent_answer_init(struct agent_answer *a);

/* Whether a work folder, named `written`, still is what it was when the run began: an agent
 * that can write above it may have put a link in its place since. `folders` as in
 * agent_env. */
MUST_USE bool agent_folder_stays(const char *const *folders, const char *written,
                                 const char *now, struct error *err);

/* What follows from an answer: its cost by the prices where the agent reported
 * none, TRIAL_INVALID_OUTPUT where it reports what cannot be (tokens beyond 2^53, more
 * than 1e9 USD, less than 0), and TRIAL_LIMIT_BREACHED beyond the limits on text, tokens
 * and cost. The last step of every adapter's conclude. */
enum trial_status agent_answer_settle(struct agent_answer *a, const struct agent_env *env,
                                      enum trial_status status);

/* What the turns of a conversation used together is compared with the same limits; false
 * and the reason beyond them. NaN = not known, which breaks no limit. */
MUST_USE bool agent_limits_hold(const struct agent_limits *limits, double tokens,
                                double cost_usd, struct error *err);

#endif
