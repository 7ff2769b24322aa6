/* source.h - what a selector (view/select.h) means as something to show, or as the side of a
 * comparison: of several runs the newest, of an agent its own cells, of a pinned name the
 * cells that are pinned. As a side, an agent is what may speak for it, as in a ranking, and a
 * version of it all its runs. */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "view/select.h"
#include "view/view.h"

/* What a cell was merged from, oldest first. */
struct source_runs {
    const struct view_cell **cells;
    size_t count;
};

/* An execution of the agent that does not speak for it. */
struct source_left_out {
    const char *name; /* of the cell */
    const char *run_id;
    const char *reason; /* view_left_out */
};

struct source {
    const char *name; /* as people wrote it */
    const struct view *view;
    bool is_file;
    bool is_agent;                    /* cells are matched without their agent */
    bool is_run;                      /* a stored run with all its cells, or what is pinned */
    const struct source_runs *runs;   /* of each cell of the view; NULL: each is of one run */
    size_t run_count;                 /* that they are from, where there are `runs` */
    struct source_left_out *left_out; /* newest first */
    size_t left_out_count;
};

/* `store` may be NULL where there is none: then only files are found. */
MUST_USE bool source_load(struct store *store, const char *selector, struct arena *out,
                          struct source *source, struct error *err);

/* As source_load, but of an agent only executions that may speak for it (execution_represents;
 * where nobody measured here what is claimed, too): never those of some of the cases, which may
 * be chosen by how they went. What is newer than what was taken is in left_out, and an agent
 * without any is ERROR_INVALID. agent@version is all runs of the version that count together, as
 * the baselines of `regressions` do (view/baseline.h): within 30 days of the newest, on its host,
 * with its configuration, finished and measured here; where the side is the baseline, undisturbed. */
MUST_USE bool source_load_side(struct store *store, const char *selector, bool is_baseline,
                               struct arena *out, struct source *source, struct error *err);

#endif
