/* source.h - what a selector means: something to show, or the side of a comparison.
 *
 *     latest, latest~2       the newest run, the second before it
 *     0193f3c2               a run by its id or a unique beginning of it
 *     branch:main            the newest run made on that branch
 *     gpt, gpt@1.2           the newest run of that agent (of that version): its cells
 *     results/cell-000.json  a result file, ours or AgentFarm's
 *     results/               a folder of result files
 * Behind any of the first four, ":3" means cell 3 of that run alone. */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "view/view.h"

struct source {
    const char *name; /* as people wrote it */
    const struct view *view;
    bool is_file;
    bool is_agent; /* cells are matched without their agent */
    bool is_run;   /* a stored run with all its cells */
};

/* `store` may be NULL where there is none: then only files are found. */
MUST_USE bool source_load(struct store *store, const char *selector, struct arena *out,
                          struct source *source, struct error *err);

/* True if the selector means files, which need no store. */
bool source_is_file(const char *selector);

#endif
