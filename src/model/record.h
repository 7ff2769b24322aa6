/* record.h - the rows that a store keeps, as plain structs.
 *
 * Texts are NUL-terminated and belong to the arena they were read into or to
 * the caller who writes them; NULL is SQL's NULL, but for the experiment, label,
 * parameters and provenance of an execution, which are never NULL when read.
 * Numbers that may be missing are double with NaN for NULL. Times are nanoseconds
 * since 1970, UTC. */
#ifndef MODEL_RECORD_H
#define MODEL_RECORD_H

#include "base/id.h"
#include "base/value.h"
#include "model/metric.h"
#include "model/note.h"
#include "model/score_id.h"
#include "model/trial.h"

enum run_status {
    RUN_RUNNING,
    RUN_SUCCESS, /* finished, at its end or by its own stop_early */
    RUN_PARTIAL, /* interrupted; --resume goes on from there */
    RUN_FAILED,  /* could not be executed */
    RUN_CANCELLED,
    RUN_STATUS_COUNT
};

const char *run_status_name(enum run_status s);
MUST_USE bool run_status_parse(const char *name, enum run_status *out);

/* One execution of a plan. */
struct run_record {
    char id[UUID_SIZE]; /* UUIDv7 */
    enum run_status status;
    int64_t seed;
    const char *spec_path;
    const char *spec_text;           /* as read: the run can be made again from it */
    const char *spec_hash;           /* SHA-256 of spec_text and the overrides in `command` */
    const struct value *command;     /* list: argv; or NULL */
    const struct value *environment; /* map: host, cpu, memory, kernel, load, ...; or NULL */
    const struct value *vcs;         /* map, of which run_vcs tells; or NULL */
    const struct value *tags;        /* list; or NULL */
    struct note_list notes;          /* first those of the spec */
    const char *assay_version;
    const char *output_dir;
    int64_t started_ns;         /* by the clock of its machine: run_is_in_future */
    int64_t ended_ns;           /* 0 while running */
    const struct value *claims; /* checked ones, a list (spec_claims); NULL = stored before
                                   claims were: they are in spec_text only */
    const char *baseline;       /* that the spec names, or NULL */
};

/* Machines' clocks differ a little: what is later than now by more is in the future. */
#define RUN_CLOCK_SLACK_NS (INT64_C(600) * 1000000000)
/* Its start is still to come: the clock of its machine or this one's is or was wrong. */
bool run_is_in_future(const struct run_record *run);

/* Of one machine, or nobody said of which. */
bool run_is_same_host(const struct run_record *a, const struct run_record *b);

/* Of one process of one machine: `assay run` of several files makes a run of each. */
bool run_is_same_command(const struct run_record *a, const struct run_record *b);

/* Where its sources stood, as its `vcs` says; texts are empty where it does not. */
struct run_vcs {
    struct str commit;
    struct str branch;
    struct str parent;    /* of the commit, the first */
    bool is_dirty;        /* there were changes that no commit holds */
    struct str changes;   /* their hash, where it is known */
    int64_t committed_ns; /* 0 = unknown */
};
struct run_vcs run_vcs(const struct run_record *run);

/* What an execution's agent_version is. Stored by name; NULL in older rows. */
enum version_kind {
    VERSION_UNKNOWN, /* stored before kinds were */
    VERSION_STATED,  /* by the user or the agent */
    VERSION_HASH,    /* of model and configuration, where none is stated */
    VERSION_COMMIT,
    VERSION_TREE, /* commit and a hash of what is not committed */
    VERSION_RUN,  /* nothing else is known: the run is the version */
    VERSION_KIND_COUNT
};

/* Why an execution does not rank. Stored by name; NULL = it ranks. */
enum unranked {
    UNRANKED_NOT,       /* it ranks */
    UNRANKED_SUBSET,    /* some of the benchmark's cases */
    UNRANKED_CACHED,    /* answers of an earlier run, counted there */
    UNRANKED_RESCORED,  /* another execution with the same trials took its place */
    UNRANKED_SIMULATED, /* answered by a stub */
    UNRANKED_CONTENT,   /* the benchmark has newer content */
    UNRANKED_UNJUDGED,  /* judgements are missing */
    UNRANKED_COUNT
};

/* NULL for the first of each. */
const char *version_kind_name(enum version_kind k);
const char *unranked_name(enum unranked u);

/* One cell of a run: a row of benchmark_executions. */
struct execution_record {
    char id[UUID_SIZE]; /* UUIDv7 */
    char run_id[UUID_SIZE];
    char suite_id[UUID_SIZE];
    char benchmark_id[UUID_SIZE];
    char agent_id[UUID_SIZE];
    const char *agent_version;
    int64_t cell_index; /* position in the plan */
    int64_t group_index;
    int64_t arm_index;    /* position in the group */
    const char *cell_key; /* SHA-256 of experiment, parameters, agent, benchmark */
    const char *label;    /* what people call it: "sort=quick, n=1000" */
    const char *experiment;
    const struct value *parameters;  /* map, complete with defaults */
    const char *factor;              /* the compared parameter of the group, or NULL */
    const char *provenance;          /* "measured", "simulated", "claimed" */
    const char *model_configuration; /* JSON, compared and hashed as it is; or NULL */
    const struct value *instruments; /* list of names; or NULL */
    const char *primary_metric;
    enum run_status status;
    const char *error_details;
    struct note_list notes;
    int64_t seed;
    int64_t warmup_planned; /* -1 = until steady */
    int64_t warmup_done;
    int64_t steady_at; /* warm-up trial from which it was steady; -1 never; -2 not asked */
    int64_t measured_planned;   /* upper limit where `until` decides */
    int64_t segments;           /* 1 + number of resumes that added trials */
    int64_t concurrency;        /* cases in flight at once; 1, or 0 where nobody knows */
    struct trial_counts counts; /* of measured trials */
    double overhead_s; /* median reading of an empty trial on the same path; NaN unknown */
    int64_t start_ns;
    int64_t end_ns;
    double scores[SCORE_COUNT];
    double tokens_used, api_calls_made, memory_peak_mb, cpu_usage_percent;
    double output_correctness, output_completeness, output_relevance;
    double percentile_rank, deviation_from_baseline;
    double cost_usd;
    int64_t entry_index;            /* of the spec's entry it was planned from; -1 = unknown */
    const char *name;               /* that the user gave the cell, or NULL */
    enum version_kind version_kind; /* what agent_version is */
    const char *made_from;          /* execution whose trials it took over, or NULL */
    enum unranked unranked;
};

/* Sets every nullable number to NaN and zeroes the rest. */
void execution_record_init(struct execution_record *e);

/* The execution can stand for its agent: it finished. One whose outcomes we could not judge in
 * part (harness errors) did too: whoever compares asks about those both ways. */
bool execution_stands(const struct execution_record *e);

/* It may speak for its agent where executions are chosen, as in a ranking: it stands, the agent
 * itself answered, all cases of the benchmark, and no other took its place. */
bool execution_represents(const struct execution_record *e);

/* It finished, and was measured here. */
bool execution_is_sound(const struct execution_record *e);

/* Cases in flight at once, 1 where nobody knows. */
int64_t execution_lanes(const struct execution_record *e);

/* ---- names: what executions refer to ---- */

struct agent_record {
    char id[UUID_SIZE]; /* UUIDv5 of workspace and name */
    const char *name;
    const char *kind;          /* key of its adapter: "process" */
    const char *version;       /* of the latest that was put, or NULL */
    const char *configuration; /* JSON: the agent's whole map */
    bool is_registered;        /* by hand, for use by name; else seen in a run */
};

/* An agent that is asked for, in one version or in any. view/select.h makes it of what people
 * write: its name, its id, name@version. */
struct agent_ref {
    const char *id;
    const char *name;    /* as people read it: "gpt", "gpt@1.2" */
    const char *version; /* NULL: any */
};

/* What has this id and version (or NULL, which no version is) is of that agent. The one
 * place that decides it. */
bool agent_ref_fits(const struct agent_ref *ref, const char *id, const char *version);

/* "gpt@1.2" as people write it: the version is what follows the last @, and there is none (p is
 * NULL) without a name before it. A name may have an @ too: whoever knows the names asks for
 * the whole text first. */
struct agent_name {
    struct str name;
    struct str version;
};
struct agent_name agent_name_split(struct str text);

/* The text names the agent, or the agent and its version (NULL: not known). */
bool agent_name_fits(struct str text, struct str name, const char *version);

/* The name of the one with this id; NULL if it is not in the list. */
const char *agent_record_name(const struct agent_record *agents, size_t count, const char *id);

struct suite_record {
    char id[UUID_SIZE]; /* UUIDv5 of workspace, name and content hash */
    const char *name;
    const char *title;
    const char *category;
    const char *version;
    const char *content_hash;
    const char *baseline_scores; /* JSON list, or NULL */
    const char *spec;            /* text of the file, where registered */
    const char *source;          /* absolute path it was read from, where registered */
    const char *benchmarks;      /* JSON list of their ids */
    bool is_registered;
};

struct benchmark_record {
    char id[UUID_SIZE];       /* UUIDv5 of workspace, suite/name and content hash: stays the
                                 same while other benchmarks of the suite change */
    char suite_id[UUID_SIZE]; /* the content of the suite it was first met in */
    const char *name;
    const char *description;
    const char *test_type;
    const char *metrics_measured; /* JSON, as are the next */
    const char *dataset;
    const char *constraints;
    const char *scoring_rubric;
    const char *targets;
    const char *settings; /* what else scoring and asking depend on */
    const char *cases;    /* list of case hashes, in order */
    const char *content_hash;
};

struct case_record { /* once per content, whichever suites hold it */
    const char *hash;
    const char *name;
    const char *input;    /* JSON: a text, any value, or the list of turns */
    const char *expected; /* JSON or NULL */
    const char *rubric;   /* JSON or NULL */
    const char *fields;   /* JSON: the whole case as written */
};
/* SHA-256 of expected, input or turns, and rubric, which are to be canonical JSON; into
 * `hex`, SHA256_HEX_SIZE bytes, which is returned. */
const char *case_record_hash(const struct case_record *c, bool has_turns, char *hex);

/* All samples of one metric of one execution, in trial order; NaN where the
 * trial gave none. */
struct series_record {
    const char *metric;
    const char *unit;
    enum direction direction;
    const char *definition;
    enum kind kind; /* unsaid in rows that are older than it: experiment/declared.h */
    enum trial_phase phase;
    size_t count;
    const double *samples;
};

/* What its numbers mean, for metric_unlike. */
struct metric series_metric(const struct series_record *s);

/* NULL if there is none. */
const struct series_record *series_find(const struct series_record *list, size_t count,
                                        enum trial_phase phase, const char *metric);

/* Counts instead of samples, where the source has no more, or too many to keep. */
#define HISTOGRAM_ENCODING "hdr-v2-base64"
struct histogram_record {
    const char *metric;
    const char *unit;
    const char *definition;
    enum trial_phase phase;
    int64_t count;
    const char *encoding; /* HISTOGRAM_ENCODING */
    struct str data;
    int64_t trial; /* that gave it; -1 = of the whole execution */
};

/* What is kept of one trial besides its numbers: only for trials that have
 * something to say. */
struct trial_note {
    int64_t trial; /* position in the execution's phase */
    enum trial_phase phase;
    int64_t iteration;
    const char *case_hash; /* NULL without cases */
    enum trial_status status;
    const char *error;  /* why it was not ok, or NULL */
    const char *detail; /* nested results (model/detail.h), or NULL */
    struct str output;  /* the answer, or what a command printed */
};

/* The execution that others of its agent, benchmark and cell are compared with. */
struct baseline_record {
    char agent_id[UUID_SIZE];
    char benchmark_id[UUID_SIZE];
    const char *name;
    const char *agent;
    const char *benchmark;
    const char *version; /* of the agent */
    const char *created_at;
    const char *execution_id; /* NULL: its run was forgotten */
    const char *run_id;
    const char *cell;  /* identity of what it is (model/cell.h); older rows: its key, or "" */
    const char *label; /* of the execution */
};

struct regression_record {
    const char *agent_id;
    const char *agent_version;
    const char *benchmark_id;
    const char *execution_id;
    const char *metric;
    const char *severity;
    const char *impact_analysis; /* JSON */
    double baseline_value;
    double current_value;
    double regression_percentage; /* 0.23: worse by 23 % */
};

/* A regression that was reported at least once, with what people said of it. Agent, benchmark,
 * cell, metric, rule and version say which; the same alarm again is the same row. Times are
 * texts as clock_stamp writes them; NULL: not known, or not yet. */
#define ALARM_WHOLE    "whole" /* rules that are about all cells of an agent */
#define ALARM_SYSTEMIC "systemic"

struct alarm_record {
    int64_t id; /* set by the store */
    const char *agent_id;
    const char *benchmark_id;
    const char *agent; /* names: set by the store */
    const char *benchmark;
    const char *cell; /* cell_identity */
    const char *metric;
    const char *rule;         /* regress_rule_name */
    const char *version;      /* of the agent; "" = none */
    const char *execution_id; /* in which it was seen last; NULL: forgotten */
    const char *run_id;       /* of that: set by the store */
    const char *severity;
    double amount;          /* 0.23: worse by 23 %, or by 23 points */
    bool is_points;         /* alarmed_fill_points sets it: nothing of it is stored */
    int64_t runs;           /* of that version, when it was first reported */
    const char *changed_at; /* the first of these runs began */
    const char *raised_at;  /* first reported */
    const char *last_at;    /* reported last */
    const char *judgement;  /* "real", "false"; NULL: nobody said */
    const char *judged_reason;
    const char *judged_by;
    const char *judged_at;
    const char *muted_until; /* may lie in the past */
    const char *muted_reason;
    const char *muted_by;
    const char *muted_at;
};

/* Whoever may use the API. The token itself is stored nowhere. */
struct token_record {
    char id[UUID_SIZE];
    const char *workspace; /* its name: set by the store */
    const char *name;
    const char *role; /* "read", "run", "admin" */
    const char *hash; /* SHA-256 of the token, hex */
    const char *created_at;
    const char *expires_at; /* NULL: never */
    const char *last_used_at;
    const char *revoked_at;
};

/* A run that the API was asked for: kept so that a restart of the server loses none. */
enum request_state {
    REQUEST_QUEUED,
    REQUEST_RUNNING,
    REQUEST_PARKED, /* it began, the server went away: to be resumed */
    REQUEST_DONE,   /* the run says how it went */
    REQUEST_FAILED, /* it could not be started, see error */
    REQUEST_CANCELLED,
    REQUEST_STATE_COUNT
};
const char *request_state_name(enum request_state state);

struct request_record {
    char id[UUID_SIZE];        /* of the run, too */
    const char *workspace;     /* its name: set by the store */
    const char *token;         /* name of the one that asked; NULL: none was needed */
    const char *suite;         /* names of what is registered */
    const char *agents;        /* JSON list of names */
    const char *configuration; /* JSON object of what is overridden; NULL: nothing */
    const char *schedule;      /* the one that asked; NULL: none */
    enum request_state state;
    const char *error;
    const char *created_at;
    const char *started_at;
    const char *ended_at;
};

/* What a scenario of a stress test concluded (judge/stress.h). */
struct stress_record {
    const char *execution_id; /* the last of its phases */
    const char *scenario;
    const char *parameters;     /* JSON, as are the next two */
    const char *result;         /* with the ids of all its executions */
    const char *breaking_point; /* NULL: none was searched for, or found */
    bool broke;
    double resilience_score; /* of the whole test */
};

struct artifact_record {
    const char *name; /* "resources_iter_0" */
    const char *kind; /* "jsonl", "text", "svg" */
    int64_t trial;
    struct str bytes;
};

#endif
