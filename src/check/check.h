/* check.h - what judges one answer: the contract of checks.
 *
 * A check looks at one answer and gives a score from 0 to 1 with its reason. It
 * never decides how much that counts: weights belong to the rubric (rubric.h).
 *
 *     check                 when the spec is read, with places
 *     open                  once per execution (or rescoring)
 *     score                 once per answer
 *     close                 once, if open was called, also after it failed
 *
 * Two kinds of "no": an answer that does not do is a score below 1, and so is
 * one on which the check runs out of its steps: the answer is the agent's, who
 * could else choose which of its answers count. A check that could not be made
 * (a judge that does not reply, a program that cannot be started, a file
 * without the embedding) is `false` with the reason, a harness error, which
 * never counts against the agent. A case that a check
 * cannot judge at all (no expected answer) has the score NaN with the reason.
 *
 * Except for `command` and `judge`, which run what others wrote, the same
 * answer gives the same bytes every time.
 *
 * To add one: write src/check/check_<name>.c ending in `const struct check_kind
 * check_<name>`, and name it in the list in check_registry.c. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/registry.h"

/* What an agent said when a check asked it. */
struct check_reply {
    struct str output;
    double cost_usd; /* NaN = unknown */
    double tokens;   /* in and out; NaN = unknown */
};

/* Asks the agent of that id; false = harness error. The reply goes to `out`. */
typedef bool check_ask(void *context, const char *agent_id, struct str prompt,
                       struct arena *out, struct check_reply *reply, struct error *err);

struct check_env {
    struct arena *arena;  /* lives as long as the check is open */
    const char *base_dir; /* where relative file names begin; NULL = working folder */
    check_ask *ask;       /* NULL: checks that need an agent fail in open */
    void *ask_context;
    const struct secrets *secrets; /* hidden before anything is cut; NULL = none */
    const char *const *own;        /* work folders that the agent can write to; NULL = none */
    const char *const *hidden;     /* what it is not to see (links.h); NULL = nothing */
};

struct check_input {
    struct str output;            /* the answer's bytes: any bytes */
    struct str input;             /* what was asked: text, or JSON text */
    const struct value *expected; /* NULL = none; a list = accepted answers */
    const struct value *fields;   /* the whole case, for {{field}}; may be NULL */
    double output_tokens;         /* as the agent reports them; NaN = unknown */
};

struct check_result {
    double score;       /* 0..1; NaN = this case cannot be judged by it */
    const char *why;    /* one line; never NULL */
    const char *source; /* whose embeddings, which judge; NULL = nobody else's */
    double cost_usd;    /* of asking others; NaN = unknown */
    int64_t calls;      /* how often others were asked */
};

struct check_kind {
    REGISTRY_ENTRY;
    size_t state_size;
    bool runs_program;

    /* Whether it compares answers with the case's expected one with these
     * settings: a case without gets NaN, and no call. NULL = never. */
    bool (*needs_expected)(const void *config);

    /* The id of the agent that it asks (by check_env.ask) with these settings,
     * or NULL. May be NULL = it asks nobody. */
    const char *(*agent_of)(const void *config);

    /* What the parameter rows cannot say: a pattern that does not compile.
     * `options` is the map that `config` was read from (for places). May be
     * NULL. */
    bool (*check)(const void *config, const struct value *options, struct problems *problems);
    bool (*open)(void *state, const void *config, const struct check_env *env,
                 struct error *err);
    /* Texts of the result go to `out`. */
    bool (*score)(void *state, const struct check_input *input, struct arena *out,
                  struct check_result *result, struct error *err);
    void (*close)(void *state); /* may be NULL */
};

REGISTRY(struct check_kind, check_kind)

/* For the needs_expected of those that always do. */
bool check_always(const void *config);

/* For checks that keep nothing but their settings: the state, the open that
 * fills it, and what `score` finds there. */
struct check_plain {
    const void *config;
};
bool check_open_plain(void *state, const void *config, const struct check_env *env,
                      struct error *err);
const void *check_config(const void *plain);

/* The accepted answers, one by one: the items of a list, else the value. */
size_t check_expected_count(const struct check_input *input);
const struct value *check_expected_at(const struct check_input *input, size_t i);

/* A text as it is, a number or a truth value as written, the rest as JSON. */
struct str check_text_of(const struct value *v, struct arena *out);

/* An answer that should be JSON: at most 16 MiB, depth 64, a million values.
 * `unfence` first takes off a ``` fence around it. */
MUST_USE bool check_read_json(struct str output, bool unfence, struct arena *out,
                              const struct value **root, struct error *err);

/* At the place of key `key` of `options`, else of the options. */
void check_problem(struct problems *problems, const struct value *options, const char *key,
                   const char *fmt, ...) PRINTF(4, 5);

/* Sets the score and the reason; returns true. */
bool check_say(struct check_result *result, struct arena *out, double score, const char *fmt,
               ...) PRINTF(4, 5);

/* At most 60 bytes of a text for a reason, whole characters, then "...". */
const char *check_shown(struct str text, struct arena *out);

/* The same with invisible characters escaped: control characters and everything
 * beyond ASCII. For two texts that differ and look the same: line ends, combining marks. */
const char *check_escaped(struct str text, struct arena *out);

#endif
