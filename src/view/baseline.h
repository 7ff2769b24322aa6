/* baseline.h - which earlier execution each current one is compared with.
 *
 * Current are the cells of a run, where none is named of all runs of the last command, or of an
 * agent its newest (or the named) version. Which executions are of one cell, and in which version, is said by
 * model/cell.h: a command has the commit as version.
 *
 * The baseline, by what is written:
 *   a name pinned with `baseline set`   the run pinned for that agent and benchmark
 *   a version of the agent, or the      its executions of that version
 *   beginning of a commit
 *   any selector of view/source.h   the same cell in that run (of an agent: whatever
 *                                       agent the current cell has)
 *   nothing                             of a run what its spec says under `baseline`, in one
 *                                       of these ways; else what is pinned as `default`;
 *                                       else the last earlier other version that was
 *                                       carried out to its end: a second run of one commit
 *                                       is compared with the commit before. Of two versions in
 *                                       one run (--confirm) the one that was run before the
 *                                       other ever was is its baseline, and not current itself
 *
 * A run that other work disturbed (NOTE_DISTURBED) is nobody's baseline unless it is named,
 * or a version of which there is no other run. Of a named version the same holds of a run that
 * was interrupted, failed or was not measured here: it is the last resort.
 *
 * Of a version that is not named, one that is known to be worse (view/alarmed.h) is passed
 * over, unless there is no other; what has an open alarm is used, and said.
 *
 * A run that was imported again after it was pinned is compared with what was pinned: itself,
 * as what was found then and what was found now are the same.
 *
 * A version is more than one run of it. Where a version is meant, on either side,
 * all its executions count that finished on the same host
 * within 30 days of the newest, at most 50; the cell is then all of them
 * together, and `runs` has them one by one, which is what shows how much runs
 * of one version differ. Where a run is named it is that run alone. */
#ifndef VIEW_BASELINE_H
#define VIEW_BASELINE_H

#include "model/cell.h"
#include "view/view.h"

#define BASELINE_DEFAULT     "default"
#define BASELINE_WINDOW_DAYS 30

struct baseline_question {
    const char *run;          /* selector; NULL: the last command's, or what `agent` says */
    const char *agent;        /* name; NULL: whatever the run has */
    const char *version;      /* of the agent; NULL: its newest */
    const char *baseline;     /* NULL: see above */
    bool is_baseline_version; /* it is the name of a version, and nothing else */
};

/* Why a cell has no baseline; `named` of the pair is what is meant. */
enum baseline_lack {
    BASELINE_NOTHING_FITS,
    BASELINE_ITSELF,          /* it is its own */
    BASELINE_NOT_PINNED,      /* nothing is pinned under that name for it */
    BASELINE_PIN_LACKS_IT,    /* the run pinned under that name does not have it */
    BASELINE_NEVER_RUN,       /* that version was never run on it */
    BASELINE_IS_THAT_VERSION, /* it is that version itself */
    BASELINE_NO_EARLIER_RUN,
    BASELINE_NO_EARLIER_AGENT, /* no earlier version of the agent */
    BASELINE_NO_OTHER_VERSION, /* no earlier run of another version than that */
    BASELINE_SOURCE_LACKS_IT,  /* that run does not have it */
    BASELINE_OTHERWISE,        /* that version ran it in another way: see `otherwise` */
    BASELINE_BESIDE,           /* that version is in the same run, and neither came first */
    BASELINE_UNFINISHED,       /* that version ran it, and did not finish */
};

/* A cell that the baseline has and the current run does not. */
struct baseline_lost {
    struct cell_identity identity; /* CELL_SAME */
    const char *name;              /* "sums, bc 1.08"; of a command its label */
    const char *benchmark;         /* "sums"; NULL for cells without a suite */
    const char *run_id;
    const struct view_cell *cell; /* as it was there */
    /* What the current run has of that benchmark instead, as another cell; NULL: nothing. */
    const struct execution_record *instead;
    unsigned unlike;  /* enum cell_part, in which it differs */
    int64_t lanes[2]; /* then and now */
};

struct baseline_pair {
    const struct view_cell *current;
    struct cell_identity identity;    /* of both, CELL_SAME */
    const struct view_cell *baseline; /* NULL: none, see why */
    const struct run_record *current_run;
    const struct run_record *baseline_run;
    const struct view_cell *const *runs[2]; /* of baseline and current, oldest first */
    size_t run_count[2];
    const char *agent;      /* name; "assay" for cells without one */
    const char *benchmark;  /* name; the experiment's for cells without a suite */
    const char *name;       /* "sums"; with the label where that says more */
    const char *against;    /* "version 1.0", "baseline 'main' (version 1.0)", "commit 1a2b3c4d
                              (run 9f8e7d6c5b4a)", "run 9f8e7d6c5b4a" */
    int64_t pinned_ns;      /* when the baseline was pinned; 0: it was not */
    enum baseline_lack why; /* there is no baseline */
    const char *named;
    struct baseline_lost otherwise; /* BASELINE_OTHERWISE: in which way */
    const char *hosts[2];           /* of baseline and current, where they differ; else NULL */
    const struct execution_record
        *cut[2]; /* of baseline and current: view_unfinished of the one that was
                           * chosen, or NULL; a current one that failed is never complete */
    /* Where the baseline was not named: the newest version that was passed over, and by which
     * alarm; the open alarm of the baseline, and the version before it. NULL: none. */
    const struct alarm_record *skipped;
    const char *skipped_version;
    const struct alarm_record *open;
    const char *before;
    bool is_agent;      /* has an agent of its own */
    bool is_version[2]; /* baseline, current: all runs of the version are meant */
    bool is_by_version; /* a version was looked for: the named, or any earlier */
    /* Executions of the same cell in any version, newest first. */
    const struct execution_record *history;
    size_t history_count;
};

enum { BASELINE_HISTORY_MAX = 2000, BASELINE_RUNS_MAX = 50 };

struct baseline_set {
    struct baseline_pair *pairs;
    size_t count;
    const struct run_record
        *run; /* the current one, the newest of several; NULL where an agent was asked for */
    /* Of the runs that the baselines are from, and of the newest run of each benchmark in a
     * version that is the baseline, or would be if any cell were the same; of a pinned name
     * nothing of which is left, all that is pinned. */
    const struct baseline_lost *lost;
    size_t lost_count;
    const char *subject; /* "bc 1.08", "run 9f8e7d6c5b4a (commit 1a2b3c4d)" */
};

/* "all 3 cells"; where the set is of several agents, "all 3 cells of bc": those that `of`, one
 * of them, shares its agent with. */
const char *baseline_name_all(const struct baseline_set *set, const struct baseline_pair *of,
                              size_t cells, struct arena *out);

/* Fails with ERROR_NOT_FOUND if the run, agent, version or baseline is not there, and with
 * ERROR_INVALID if the run is its own baseline or what was pinned has been forgotten: an
 * answer against nothing would read as "nothing got worse". */
MUST_USE bool baseline_find(struct store *store, const struct baseline_question *q,
                            struct arena *out, struct baseline_set *set, struct error *err);

#endif
