/* gate.h - may this be merged? A policy applied to stored results.
 *
 *     policy: merge
 *     baseline: main            # as in `assay regressions`; --baseline comes first
 *     block:
 *       - {slower_than: 10 %}                     # against the baseline
 *       - {failure_rate_increase: 0}
 *       - {cost_increase: 5 %}                    # cost_usd
 *       - {metric: tokens, worse_by: 20 %, benchmark: sums}
 *     alert:
 *       - {improvement_below: 20 %}               # as slower_than
 *       - {metric: coverage_percent, below: 90}   # absolute: no baseline needed
 *
 *     undecided: warn           # or pass, fail (exit 4)
 *     retired: [old-benchmark]  # cells that may be missing: a benchmark's id, or a cell's name
 *
 * A rule that names no metric asks each cell about its own: for how long, about the primary
 * metric where that is a time (the response times of a load, whose blocks all last the
 * same), else duration_s; for failures, about failed trials, and of a load about the share
 * of requests without a good answer too.
 *
 * A rule against a baseline is a family over its cells (stats/family.h): asked as a
 * whole and cell by cell. It is violated where all of an interval is beyond the limit,
 * passed where all of it is inside, otherwise undecided. A rule whose data could not
 * have shown its limit is below its noise floor, and says so with the factor of values
 * it would need.
 *
 * Absolute limits: by the interval of the level, the mean over cases of a share, else
 * the median. From too few values for one, all must lie on one side. Of several cells each
 * must pass; one is violated at alpha over their number, and their mean at alpha.
 *
 * A metric that the baseline has and the run lacks violates its rules; one that it lacks in
 * cases which succeeded and have it in the baseline passes none. A cell that
 * vanished and is not retired blocks, and so does one of which trials are missing on either
 * side: what was not measured may be what got worse. A metric that the cells cannot have
 * (the cost of a command) leaves its rule undecided; one that nothing can measure is a
 * mistake in the policy, in a block rule. Outcomes that were not judged are asked about both ways (stats/hull.h). */
#ifndef HISTORY_GATE_H
#define HISTORY_GATE_H

#include "base/registry.h"
#include "judge/compare.h"
#include "judge/worsening.h"
#include "view/baseline.h"

enum gate_kind {
    GATE_SLOWER,
    GATE_COST,
    GATE_WORSE,
    GATE_FAILURES,
    GATE_IMPROVEMENT,
    GATE_BELOW,
    GATE_ABOVE,
    GATE_KIND_COUNT
};

/* The kinds of rules, in the order of the enum; the name is the key of the policy. */
struct gate_rule_kind {
    REGISTRY_ENTRY;
    const char *metric; /* that it is about where none is named; NULL: one must be */
    bool is_absolute;   /* a level, not a change since the baseline */
};

REGISTRY(struct gate_rule_kind, gate_rule_kind)

const char *gate_kind_name(enum gate_kind kind);

struct gate_rule {
    bool is_block; /* else alert */
    enum gate_kind kind;
    const char *metric;
    bool is_chosen;        /* the policy names the metric */
    const char *name;      /* NULL: none */
    const char *benchmark; /* NULL: all */
    double limit;
    const char *text;  /* "duration_s slower_than 10 %", or its `name` */
    const char *words; /* in sentences: the limit is in it, named or not */
    uint32_t line;
};

enum { GATE_RULES_MAX = 200 };

enum gate_undecided { GATE_UNDECIDED_WARNS, GATE_UNDECIDED_PASSES, GATE_UNDECIDED_FAILS };

struct gate_policy {
    const char *file;
    const char *name;
    const char *baseline; /* or NULL */
    enum gate_undecided undecided;
    const struct value *retired; /* list of names, or NULL */
    struct gate_rule rules[GATE_RULES_MAX];
    size_t count;
};

/* The same rule about another metric, and its words. */
struct gate_rule gate_rule_about(const struct gate_rule *rule, const char *metric,
                                 struct arena *out);

/* False with problems, each with its place. */
MUST_USE bool gate_read(const char *file, struct str bytes, struct arena *out,
                        struct gate_policy *policy, struct problems *problems);

/* Muted: violated, but somebody muted the alarm or judged it false (history/alarm.h). */
enum gate_state { GATE_PASSED, GATE_VIOLATED, GATE_UNDECIDED, GATE_MUTED };

/* What a check looked at: report/ says it in words. */
enum gate_finding {
    GATE_FOUND_EFFECT,   /* w, against the baseline */
    GATE_FOUND_LEVEL,    /* level, against an absolute limit */
    GATE_NO_VALUES,      /* of the metric, in this cell */
    GATE_NO_INTERVAL,    /* w.why */
    GATE_METRIC_MISSING, /* the baseline has it, this run does not */
    GATE_NO_BASELINE,    /* pair->why */
    GATE_GAP,            /* gap */
    GATE_NOWHERE,        /* no cell has values of the metric */
    GATE_NOT_OF_CELLS,   /* no cell can have them */
    GATE_BASELINE_CUT,   /* pair->cut[0] */
    GATE_RUN_CUT,        /* pair->cut[1] */
    GATE_VANISHED,       /* lost */
};

struct gate_check { /* one rule on one cell */
    const struct gate_rule *rule;
    const struct baseline_pair *pair; /* NULL: no cell has the metric, or all of them */
    const struct baseline_pair *of;   /* of a whole: its first cell */
    size_t cells;                     /* 1; of the whole: how many; 0: none */
    enum gate_state state;
    struct ask ask;
    bool is_asked;      /* against a baseline */
    struct worsening w; /* of rules against a baseline */
    double p_adjusted;  /* NaN: nothing to test */
    bool is_below_noise;
    enum gate_finding finding;
    struct units_level level;         /* of absolute rules; its centre is NaN otherwise */
    const char *unit;                 /* of the values */
    struct compare_gap gap;           /* why they cannot be compared */
    const struct baseline_lost *lost; /* the cell that vanished */
    const struct alarm_record *alarm; /* of GATE_MUTED: who said so, and why */
};

struct gate {
    const struct gate_policy *policy;
    struct baseline_set set;
    struct gate_check *checks;
    size_t count;
    size_t blocked; /* violated block rules */
    size_t alerts;  /* violated alert rules */
    size_t open;    /* undecided block rules */
    size_t open_alerts;
    size_t muted;
    bool
        must_decide; /* what is undecided of a block rule fails: the policy says so, or --decide
                         (whoever asked sets it then) */
    const struct value **idle; /* entries of `retired` that nothing missing fits */
    size_t idle_count;
};

MUST_USE bool gate_ask(struct store *store, const struct gate_policy *policy,
                       const struct baseline_question *which, double alpha, struct arena *out,
                       struct gate *gate, struct error *err);

/* All of gate_ask but finding gate->set and what people muted; gate->policy is set. */
MUST_USE bool gate_judge(double alpha, struct arena *out, struct gate *gate, struct error *err);

/* What a check counts as, in every format and for the exit code. */
enum gate_weight {
    GATE_WEIGHT_NONE, /* it passed */
    GATE_WEIGHT_NOTICE,
    GATE_WEIGHT_WARNING,
    GATE_WEIGHT_FAILURE,
};
enum gate_weight gate_weight(const struct gate *gate, const struct gate_check *check);
size_t gate_failures(const struct gate *gate); /* checks that are one */

const char *gate_state_name(enum gate_state state);
const char *
gate_verdict(const struct gate *gate); /* "blocked", "undecided", "alert", "passed" */

#endif
