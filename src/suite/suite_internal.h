/* suite_internal.h - what the files of the experiment `suite` share.
 *
 *   suite.c              the hooks: parameters, metrics, a trial
 *   suite_agent.c        an agent opened from its map; judges
 *   suite_environment.c  work folder, files, variables, setup and cleanup
 *   suite_judge.c        answers to scores
 *   suite_detail.c       what is kept of a trial besides its numbers */
#ifndef SUITE_SUITE_INTERNAL_H
#define SUITE_SUITE_INTERNAL_H

#include "base/secret.h"
#include "experiment/experiment.h"
#include "model/detail.h"
#include "suite/case_pack.h"
#include "suite/suite.h"

enum suite_metric {
    SUITE_ACCURACY,
    SUITE_CORRECTNESS,
    SUITE_COMPLETENESS,
    SUITE_RELEVANCE,
    SUITE_TOKENS,
    SUITE_INPUT_TOKENS,
    SUITE_OUTPUT_TOKENS,
    SUITE_CACHE_READ_TOKENS,
    SUITE_WASTED_TOKENS,
    SUITE_API_CALLS,
    SUITE_RETRIES,
    SUITE_COST,
    SUITE_JUDGE_COST,
    SUITE_FIRST_TOKEN,
    SUITE_GAP,
    SUITE_TOKENS_PER_S,
    SUITE_READY,
    SUITE_CPU,
    SUITE_MEMORY,
    SUITE_GROUP_MEMORY,
    SUITE_RESIDENT,
    SUITE_CONVERSATIONS_PER_S,
    SUITE_TURNS_PER_S,
    SUITE_METRIC_COUNT
};

struct suite_config {
    const char *suite;
    const char *benchmark;
    const char *category;
    const char *test_type;
    const char *complexity;
    const struct value *rubric;
    const struct value *constraints;
    const struct value *environment;
    const struct value *judges;
    const struct value *prompts;
    const char *prompt;
    const char *reducer;
};

/* ---- suite_environment.c ---- */

struct suite_place {
    const char *work_dir;         /* absolute */
    const char *const *variables; /* NULL-terminated KEY=VALUE */
    const char *copy;             /* where cleanup runs; NULL = none, or the stated workdir */
    int cleaner_fd;               /* closing it has the cleanup run; -1 = none */
    int cleaned_fd;               /* reads the end when it has run */
};

/* Makes the work folder below env->work_dir, fills it and runs `setup`. Before
 * anything else is started: the process that sees to `cleanup` must be nobody's
 * child. */
MUST_USE bool suite_place_open(struct suite_place *p, const struct experiment_env *env,
                               const struct value *environment, struct error *err);
/* Runs `cleanup`; false if it failed. */
MUST_USE bool suite_place_close(struct suite_place *p, struct error *err);

/* ---- suite_agent.c ---- */

struct suite_agent {
    const struct agent_kind *kind; /* NULL = not open */
    void *state;
    struct agent_limits limits;
};

MUST_USE bool suite_agent_open(struct suite_agent *a, const struct value *map,
                               const struct agent_env *env, struct error *err);
void suite_agent_close(struct suite_agent *a);
void suite_agent_prices(const struct value *map, struct arena *arena,
                        struct agent_prices *prices);

/* What the variables of this list (or NULL) hold must not come back in what is stored: as
 * it is, and as it stands in JSON, and in JSON within it. */
MUST_USE bool suite_find_secrets(struct secrets *secrets, const struct value *names,
                                 struct arena *arena, struct error *err);

/* Agents that checks ask: those that the benchmark's rubrics name, opened before the first
 * trial, so that one that cannot start is found before any work. */
enum { SUITE_JUDGES_MAX = 16 };
struct suite_judges {
    const struct experiment_env *env;
    const struct value *maps; /* list, or NULL */
    const struct secrets *secrets;
    int64_t time_ns; /* most that one reply may take */
    struct suite_agent agents[SUITE_JUDGES_MAX];
    int64_t asked;
};
MUST_USE bool suite_judges_open(struct suite_judges *j, struct error *err);
check_ask suite_judges_ask; /* context: struct suite_judges */
void suite_judges_close(struct suite_judges *j);

/* ---- a trial ---- */

/* One task given and answered. A case without turns has one. */
struct suite_turn {
    struct agent_task task;
    const struct value *expected;
    bool is_judged; /* there is something to compare it with */
    struct agent_answer answer;
    struct rubric_result result;
};

struct suite_trial {
    struct arena *arena; /* of this trial */
    size_t rubric;       /* which of the scorer's */
    struct case_item item;
    struct suite_turn *turns;
    size_t turn_count;
    size_t asked;    /* turns that were given */
    size_t answered; /* turns that are over: asked, or one less */
    double talk_s;   /* from the first turn's question to the last one's answer */
    double score;    /* NaN = not judged */
    double dimensions[RUBRIC_DIMENSIONS];
    double judge_cost_usd;
    int64_t judge_calls;
};

/* ---- suite_judge.c ---- */

struct suite_rubrics { /* read and opened when a case first needs them */
    struct check_env env;
    const struct value *common;        /* the benchmark's, or NULL */
    const struct rubric *rubrics[256]; /* [0] the benchmark's, [1 + i] of case_set.rubrics */
    struct rubric_session *sessions[256];
};

/* Everything that turns answers into scores: rubrics, judges, the prompt. */
struct suite_scorer {
    struct suite_rubrics rubrics;
    struct suite_judges judges;
    const char *prompt; /* template, or NULL */
};

MUST_USE bool suite_scorer_open(struct suite_scorer *s, const struct suite_config *config,
                                const struct experiment_env *env, const struct secrets *secrets,
                                struct error *err);
void suite_scorer_close(struct suite_scorer *s);

/* Makes the tasks of t->item, and says which turns can be judged. */
MUST_USE bool suite_scorer_begin(struct suite_scorer *s, struct suite_trial *t, uint64_t seed,
                                 struct error *err);

/* Scores every turn that was answered; false = a check could not be made. */
MUST_USE bool suite_scorer_judge(struct suite_scorer *s, struct suite_trial *t,
                                 struct error *err);

/* ---- suite_detail.c ---- */

/* Of an answer, or of a conversation's answers together, so much is stored: a quarter of an
 * arm's ring (run/group.c). It was judged whole; the flag `output_cut` says that it cannot
 * be judged again. Tool calls beyond SUITE_CALLS_KEPT are left out of the detail. */
enum { SUITE_OUTPUT_KEPT = 1 << 18, SUITE_CALLS_KEPT = 1 << 16 };

void suite_write_detail(const struct suite_trial *t, struct buf *out);
/* What the rubric says of the answers, into a detail that has or had another judgement;
 * `turns` are its turns, at least t->answered. */
void suite_put_judgement(const struct suite_trial *t, struct detail *d,
                         struct detail_turn *turns);
void suite_write_output(const struct suite_trial *t, struct buf *out);

/* What the agent's processes used, turns together. */
struct usage suite_usage(const struct suite_trial *t);

/* Sums and the like over the turns. */
void suite_give_values(const struct suite_trial *t, double *values);

#endif
