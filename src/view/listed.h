/* listed.h - a run as a list shows it: what it was about, and how much of it there is. */
#ifndef VIEW_LISTED_H
#define VIEW_LISTED_H

#include "store/store.h"

struct listed_run {
    struct run_record run;
    const char
        *status; /* its name; "killed" of a run whose process ended without storing a result */
    const char *subject; /* its spec's file name, a one-liner's command, an import's agent and
                            version, else its experiment */
    const char *experiment; /* of the first cell; NULL = it has none */
    const char *suite;      /* the name of its suite; NULL = it is of none */
    size_t cells;
    const char *commit;  /* NULL = not known */
    const char *version; /* the commit, short, with uncommitted changes; NULL */
    bool is_in_future;   /* run_is_in_future */
    const char *notes;   /* a line each; NULL = none */
};

/* What the store does not give is left empty. */
struct listed_run listed_run(const struct run_record *run, struct store *store,
                             struct arena *out);

#endif
