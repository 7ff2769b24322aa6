/* select.h - what a selector means. The one place that reads them.
 *
 *     latest, latest~2   the newest run, the second before it
 *     9f8e7d6c5b4a       a run by its id, a unique beginning of it, or its end as it is shown
 *     branch:main        the runs made on that branch
 *     tag:nightly        the runs with that tag
 *     commit:1a2b3c4     the runs of the commit that begins so
 *     main               what is pinned under that name (`assay baseline set`)
 *     gpt, gpt@1.2       the runs of that agent (of that version)
 *     results/a.json     a file, or a folder of files: what has a slash or ends in .json, a
 *                        file with a dot that is there, a folder with cell-000.json
 * After any but a file, ":3" means cell 3 of the run alone. An agent, a pinned name and a cell
 * are part of a run: whoever takes them shows that part (select_has), or refuses a cell
 * because it speaks of whole runs (select_run, select_all). */
#ifndef VIEW_SELECT_H
#define VIEW_SELECT_H

#include "store/store.h"

enum select_kind {
    SELECT_RUN,   /* one */
    SELECT_QUERY, /* branch:, tag: or commit: */
    SELECT_AGENT,
    SELECT_BASELINE,
    SELECT_FILE,
};

struct selection {
    enum select_kind kind;
    struct run_record *runs; /* newest first, at least one; of a file none */
    size_t run_count;
    int64_t cell;                       /* -1: all */
    struct agent_record agent;          /* SELECT_AGENT */
    const char *version;                /* of the agent; NULL: any */
    const struct baseline_record *pins; /* SELECT_BASELINE */
    size_t pin_count;
};

/* ERROR_NOT_FOUND if it means nothing. `store` may be NULL for files. A served store
 * never reads files, and answers the same whether there is one or not. */
MUST_USE bool select_find(struct store *store, const char *selector, struct arena *out,
                          struct selection *selection, struct error *err);

/* Whether an execution of these runs is part of what was selected. */
bool select_has(const struct selection *selection, const struct execution_record *execution);

/* ERROR_NOT_FOUND: of `count` cells none is the selected one. */
bool select_no_cell(const struct selection *selection, size_t count, struct error *err);

/* ERROR_INVALID: it is a file, and only the store has what is asked. */
bool select_refuse_file(const char *selector, struct error *err);

/* ERROR_INVALID if it is one cell: for what is asked of whole runs. */
MUST_USE bool select_is_whole(const struct selection *selection, const char *selector,
                              struct error *err);

/* The same part of a stored run as source_load's view, in plan order: of an agent its own
 * executions, of a pinned name the pinned ones, of all its runs. Files are refused. */
MUST_USE bool select_executions(struct store *store, const char *selector, struct arena *out,
                                struct selection *selection,
                                struct execution_record **executions, size_t *count,
                                struct error *err);

/* The newest run that it means, for what is asked of a whole run: of an agent or a pinned
 * name the newest with it. Files and cells are refused. */
MUST_USE bool select_run(struct store *store, const char *selector, struct arena *out,
                         struct run_record *run, struct error *err);

/* All runs that the selectors mean, each once and whole, begun at `since_ns` or later; without
 * selectors all of the store. Cells are refused. */
MUST_USE bool select_all(struct store *store, const char *const *selectors,
                         size_t selector_count, int64_t since_ns, struct arena *out,
                         struct run_record **runs, size_t *count, struct error *err);

/* The runs of the last command, newest first: `assay run` of several files makes a run of each.
 * What is asked without a run to name means all of them. At least one. */
MUST_USE bool select_last(struct store *store, struct arena *out, struct run_record **runs,
                          size_t *count, struct error *err);

/* "gpt@1.2": the agent and the version after the last @, or NULL; an agent whose name has an
 * @ is found by all of it. */
MUST_USE bool select_agent(struct store *store, const char *text, struct arena *out,
                           struct agent_record *agent, const char **version, struct error *err);

/* The same as what is passed on: every command and route that takes an agent asks here. */
MUST_USE bool select_agent_ref(struct store *store, const char *text, struct arena *out,
                               struct agent_ref *ref, struct error *err);

/* And `assay`, under which what has no agent of its own is stored: for exports and alarms. */
MUST_USE bool select_any_ref(struct store *store, const char *text, struct arena *out,
                             struct agent_ref *ref, struct error *err);

/* The suite's name, by that or its id; NULL stays NULL. One that is not there is an error that
 * names the parameter `suite`. */
MUST_USE bool select_suite(struct store *store, const char *text, struct arena *out,
                           const char **name, struct error *err);

/* True if it means files, which need no store. */
bool select_is_file(const char *selector);

#endif
