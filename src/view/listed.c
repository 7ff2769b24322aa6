#include "view/listed.h"

#include "base/plain.h"
#include "base/value.h"
#include "model/cell.h"
#include "view/view.h"

/* The first command of a one-liner, on one line. */
static const char *first_label(const char *label, size_t count, struct arena *out)
{
    enum { COLUMNS_MAX = 40 };
    struct buf b;
    buf_init(&b, 1024);
    plain_add(&b, str_of(label), COLUMNS_MAX);
    if (count > 1) buf_printf(&b, " and %zu more", count - 1);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

/* "web@1.12": whose numbers were brought here under a version; NULL: measured, or nobody said. */
static const char *import_of(const struct run_record *run, const struct execution_record *first,
                             struct store *store, struct arena *out)
{
    struct agent_record agent;
    bool is_external = !run->spec_text && first->agent_version &&
                       store_find_agent(store, first->agent_id, out, &agent, NULL) &&
                       strcmp(agent.kind, "external") == 0;
    return is_external ? arena_printf(out, "%s@%s", agent.name, first->agent_version) : NULL;
}

static const char *subject_of(const struct run_record *run,
                              const struct execution_record *first, size_t count,
                              struct store *store, struct arena *out)
{
    const char *import = count > 0 ? import_of(run, first, store, out) : NULL;
    if (import) return import;
    bool is_one_liner = run->spec_path && strcmp(run->spec_path, "(command line)") == 0;
    if (is_one_liner && count > 0) return first_label(first->label, count, out);
    if (run->spec_path && run->spec_path[0]) {
        const char *slash = strrchr(run->spec_path, '/');
        return slash && slash[1] ? slash + 1 : run->spec_path;
    }
    return count > 0 ? first->experiment : "-";
}

/* Suites only: what has none is stored under a built-in one. */
static const char *suite_of(const struct execution_record *first, struct store *store,
                            struct arena *out)
{
    struct suite_record suite;
    if (strcmp(first->experiment, "suite") != 0) return NULL;
    return store_find_suite_by_id(store, first->suite_id, out, &suite, NULL) ? suite.name
                                                                             : NULL;
}

struct listed_run listed_run(const struct run_record *run, struct store *store,
                             struct arena *out)
{
    struct execution_record first;
    size_t count = 0;
    if (!store_peek_executions(store, run->id, out, &first, &count, NULL)) count = 0;
    return (struct listed_run){
        .run = *run,
        .status = view_was_killed(run) ? "killed" : run_status_name(run->status),
        .subject = subject_of(run, &first, count, store, out),
        .experiment = count ? first.experiment : NULL,
        .suite = count ? suite_of(&first, store, out) : NULL,
        .cells = count,
        .commit = cell_full_commit(run, out),
        .version = cell_commit(run, out),
        .is_in_future = run_is_in_future(run),
        .notes = note_lines(&run->notes, out),
    };
}
