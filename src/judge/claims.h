/* claims.h - do the samples bear out what the spec claims?
 *
 * Claims are stored with the run, checked, each with the entry of the spec that
 * it is about: only that entry's cells decide it, and those of entries that were
 * not run are not there. (Of runs that are older than the column they are read
 * from the stored text of the spec, and cells are found by experiment.) Each is
 * decided by the interval of the effect, never by the point:
 *
 *   holds      the interval lies within what is expected
 *   fails      it lies wholly outside
 *   undecided  it does both, or does not exist (the reason is given), or the run was
 *              interrupted, or a cell is missing that the baseline has or whose agent could not
 *              start: what was left out may be what it fails by
 *
 * What is measured, B being the contender and A the baseline:
 *   reduction 1 - B/A, gain B/A - 1, speedup A/B: from the engine's ratio, of
 *       shares, and of metrics that have zeros, that of their means;
 *   difference B - A: the engine's shift, points of shares;
 *   equal_within: as `compare --equivalence` says it: B/A, points of shares, and where
 *       there is no ratio the difference, with a margin relative to A's level. It holds
 *       by the 1 - 2 alpha interval, and fails by the 1 - alpha interval;
 *   at_least, at_most: the level itself: the median, the mean over cases of a share; of
 *       fewer than 6 values all of them (units_reach), as a gate decides.
 *
 * Failures are a question of their own, as in `compare` and in a gate, and never help: a level
 * is decided whatever the trials that failed would have given (units_bound), and a claim
 * about two cells holds only if the contender failed no larger share than the baseline. So it is
 * with successes that do not report what they cost. Time-outs and accuracy have values
 * (view/units.h).
 *
 * A claim about several cells (a sweep besides the compared parameter) must hold
 * in each of them; one in which it fails makes it fail, at alpha over the number of those of
 * its agent (and prompt), and so does the mean of these, at alpha: other agents change nothing. `paired_by` a swept parameter (seed) makes each value of it one pair:
 * the medians of the two cells. Besides the metrics of the run, `success_rate`
 * and `failure_rate` can be claimed of.
 *
 * `group`, `order`, `also`, `expected` and `reason` decide nothing: a heading for reports and the
 * place under it, a metric whose two levels are shown with the claim because it means little
 * without them, the figures that were promised, and why it fails.
 *
 * `band` is the promise: its nearer end is the limit where no min or max is
 * given; beating its far end fails only under strict_band. `acceptable` takes
 * the place of both limits. */
#ifndef JUDGE_CLAIMS_H
#define JUDGE_CLAIMS_H

#include "judge/compare.h"

enum claim_outcome { CLAIM_UNDECIDED, CLAIM_HOLDS, CLAIM_FAILS };

enum claim_kind {
    CLAIM_REDUCTION,
    CLAIM_GAIN,
    CLAIM_SPEEDUP,
    CLAIM_DIFFERENCE,
    CLAIM_EQUAL_WITHIN,
    CLAIM_AT_LEAST,
    CLAIM_AT_MOST,
    CLAIM_KIND_COUNT
};

/* Why a claim is undecided. */
enum claim_reason_code {
    CLAIM_DECIDED,      /* it is not */
    CLAIM_LIMIT_INSIDE, /* the interval includes `limit` */
    CLAIM_UNJUDGED,     /* n of `of` outcomes are not known */
    CLAIM_MISSING,      /* n of `of` trials failed (of the contender, and a larger share than
                           of the baseline) and gave no value */
    CLAIM_GONE,         /* n of `of` units of the contender have no value, those of A do */
    CLAIM_SILENT,       /* n of `of` trials (as above) succeeded and did not report it */
    CLAIM_LOST,         /* n cells, the first of them names[0], gave nothing to decide by: the
                           baseline has them, or their agent could not start */
    CLAIM_ALL_LEFT_OUT, /* no trial gave a value */
    CLAIM_SIDE_EMPTY,   /* no trial of side n (0: the baseline) did */
    CLAIM_NO_PAIRS,     /* no pair of which both did */
    CLAIM_FEW,          /* n values or pairs, for any verdict: `of` could */
    CLAIM_NO_RATIO,     /* there are values below 0, or the mean of a side is 0 */
    CLAIM_NO_INTERVAL,
    CLAIM_GAP,          /* gap */
    CLAIM_NO_KIND,      /* it expects nothing */
    CLAIM_NO_SUBJECT,   /* its `compare` says neither param, agents, versions nor runs */
    CLAIM_NO_CELL,      /* no cell has the metric */
    CLAIM_NO_TWO_CELLS, /* that differ in names[0] as claimed */
    CLAIM_NO_BENCHMARK, /* that both agents in `names` did */
    CLAIM_NO_VERSIONS,  /* no execution of both versions in `names` */
    CLAIM_NO_RUNS,      /* the two runs have no cell in common */
    CLAIM_UNFINISHED,   /* a cell that it rests on is not complete: cut */
    CLAIM_OTHER,        /* text: an error */
};

struct claim_reason {
    enum claim_reason_code code;
    size_t n, of;
    double limit;
    const char *names[2];
    const struct execution_record *cut;
    struct compare_gap gap;
    const char *text;
};

/* The two sides of what decided, each by its own centre: median, or mean of a share. */
struct claim_levels {
    const char *metric; /* NULL: none */
    const char *unit;   /* as stored: "1" for a pure number */
    double before;      /* NaN of a claim about one cell */
    double after;
};

struct claim {
    const char *name;
    const char *metric;
    const char *group;    /* heading; NULL: none */
    double order;         /* under the heading */
    const char *expected; /* the figures that were promised, for people; NULL: none */
    const char *stated;   /* why it fails, by those who wrote it; NULL: unknown */
    struct claim_levels levels;
    struct claim_levels also; /* of the metric that must be shown with it */
    const char *unit;         /* of value, low and high: "" for a share or a factor */
    enum claim_kind kind;
    enum claim_outcome outcome;
    double value, low, high; /* of the cells that decided; NaN where not known */
    double confidence;       /* of the interval */
    double min, max;         /* the limits that decide; NaN: none */
    double margin;           /* of equal_within, which gives both; else NaN */
    double band[2];          /* as promised; NaN: none */
    bool is_strict;
    size_t n[2];
    bool is_paired;
    bool by_case;      /* n counts cases */
    size_t subjects;   /* cells or pairs of cells that it is about */
    size_t failed;     /* trials of them that failed and gave no value */
    size_t silent;     /* that succeeded and did not report it (units_is_silent) */
    size_t trials;     /* of so many */
    double room;       /* of the one that decided: how far from its limit */
    const char *label; /* of the one that decided, where there are several */
    size_t together;   /* it is so many of them together that decided; 0: it is one */
    const char *agent; /* that these are of; NULL: none, or two */
    struct claim_reason reason;
    struct verdict_need need; /* what would decide it, where more values would */
};

/* Those of one group in a row, by their order. */
struct claims {
    const char *run_id;
    bool is_part; /* the spec has more, of entries that were not run */
    struct claim *items;
    size_t count;
    size_t holding;
    size_t failing;
};

/* Of a run without claims: none. `alpha` 0: 0.05. */
MUST_USE bool claims_decide(struct store *store, const struct view *view, double alpha,
                            struct arena *out, struct claims *claims, struct error *err);

/* The same at 5 %, kept in the view for reports to show. Not part of view_load:
 * a claim about other runs loads views of its own. */
MUST_USE bool claims_attach(struct store *store, struct view *view, struct arena *out,
                            struct error *err);

/* 10 x the mean, over groups, of the share of claims that hold; NaN without groups, and
 * of a part of the spec. */
double claims_readiness(const struct claims *claims);

bool claim_shares_group(const struct claim *a, const struct claim *b); /* or both have none */
bool claims_opens_group(const struct claims *claims, size_t i); /* as the first of its own */

const char *claim_outcome_name(enum claim_outcome outcome); /* "holds", ... */
const char *claim_kind_name(enum claim_kind kind);          /* "reduction", ... */

#endif
