/* worktree.h - what no commit holds: the changes of a working tree as one hash.
 *
 * Two runs from the same commit and the same changes are runs of one version; any other
 * change is another version. Counted are tracked files that were changed and untracked ones
 * that are sources: executable, or of a name that compilers and interpreters read. Results,
 * reports and stores that runs leave next to the sources are not. */
#ifndef MODEL_WORKTREE_H
#define MODEL_WORKTREE_H

#include "base/arena.h"
#include "base/str.h"

struct worktree {
    struct str commit; /* as git says it; "(initial)" before the first */
    struct str branch;
    bool is_changed;
    const char *changes; /* hash, 16 digits; NULL: unchanged, or too much to look at */
};

/* Reads what `git status --porcelain=v2 --branch --untracked-files=all -z` printed.
 * `is_whole`: nothing of it was cut off. Looks at the files below `root`. */
void worktree_read(struct str status, bool is_whole, const char *root, struct arena *out,
                   struct worktree *w);

/* The folder at or above the current one that holds .git; NULL if there is none. */
const char *worktree_root(struct arena *out);

#endif
