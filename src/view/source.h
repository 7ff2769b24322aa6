/* source.h - what a selector (view/select.h) means as something to show, or as the side of a
 * comparison: of several runs the newest, of an agent its own cells, of a pinned name the
 * cells that are pinned. */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "view/select.h"
#include "view/view.h"

struct source {
    const char *name; /* as people wrote it */
    const struct view *view;
    bool is_file;
    bool is_agent; /* cells are matched without their agent */
    bool is_run;   /* a stored run with all its cells, or what is pinned */
};

/* `store` may be NULL where there is none: then only files are found. */
MUST_USE bool source_load(struct store *store, const char *selector, struct arena *out,
                          struct source *source, struct error *err);

#endif
