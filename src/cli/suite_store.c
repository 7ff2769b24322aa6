#include "cli/suite_store.h"
#include "base/human.h"

#include "cli/spec_file.h"
#include "cli/stored.h"
#include "spec/spec_suite.h"
#include "suite/scoring.h"
#include "view/select.h"

#include <math.h>

bool suite_store_find_agent(void *context, const char *name, struct arena *out,
                            const struct value **agent, struct error *err)
{
    const struct context *c = context;
    struct store *store = NULL;
    struct agent_record row;
    if (!stored_open(c, true, &store, err)) return false;
    bool done = store_find_agent(store, name, out, &row, err);
    if (done && !row.is_registered) {
        done = error_set(err, ERROR_NOT_FOUND, "agent '%s' is not registered", name);
    }
    done = done &&
           value_read_json(str_of(row.configuration), &value_limits_stored, out, agent, err);
    store_close(store);
    return done;
}

bool suite_store_find(const struct context *c, const char *name, struct suite_record *suite,
                      struct error *err)
{
    struct store *store = NULL;
    if (!stored_open(c, true, &store, err)) return false;
    bool done = store_find_suite(store, name, c->arena, suite, err);
    if (done && (!suite->is_registered || !suite->spec)) {
        done = error_set(err, ERROR_NOT_FOUND, "suite '%s' is not registered", name);
    }
    store_close(store);
    return done;
}

/* The hashes of a JSON list, in order. */
static bool are_same_cases(const char *list, const struct case_set *set)
{
    const char *at = list ? list : "";
    for (size_t i = 0; i < set->count; i++) {
        const char *open = strchr(at, '"');
        size_t n = strlen(set->items[i].hash);
        if (!open || strncmp(open + 1, set->items[i].hash, n) != 0 || open[1 + n] != '"')
            return false;
        at = open + n + 2;
    }
    return !strchr(at, '"');
}

static void warn_of(const struct suite_record *suite, const struct benchmark_record *was,
                    const struct suite_benchmark *is)
{
    const struct value *source = value_get(is->dataset, "source");
    bool same_cases = are_same_cases(was->cases, &is->cases);
    fprintf(stderr, "assay: warning: since suite '%s' was registered, ", suite->name);
    if (source && source->source.n > 0) {
        fprintf(stderr, "%s'%.*s'", same_cases ? "a file of its environment or " : "",
                STR_ARG(source->source));
    } else {
        fprintf(stderr, "a file of its environment");
    }
    fprintf(stderr,
            " has changed: benchmark '%s' was content %.12s and is %.12s, %zu case%s now. "
            "Results are stored under the new content and not mixed with those of the old; "
            "`assay suites add %s` registers it as it is.\n",
            was->name, was->content_hash, is->content_hash, is->cases.count,
            PLURAL(is->cases.count), suite->source ? suite->source : "FILE");
}

void suite_store_warn(const struct context *c, const struct suite_record *suite,
                      const struct spec *spec)
{
    struct store *store = NULL;
    struct benchmark_record *rows = NULL;
    size_t count = 0;
    if (!stored_open(c, true, &store, NULL)) return;
    bool is_known = store_list_benchmarks(store, suite->id, c->arena, &rows, &count, NULL);
    store_close(store);
    for (size_t i = 0; is_known && i < spec->entry_count; i++) {
        const struct suite_benchmark *is = spec->entries[i].benchmark;
        for (size_t k = 0; is && k < count; k++) {
            bool is_changed = strcmp(rows[k].name, is->id) == 0 && rows[k].content_hash &&
                              strcmp(rows[k].content_hash, is->content_hash) != 0;
            if (is_changed) warn_of(suite, &rows[k], is);
        }
    }
}

static const char *stopped_text(const struct execution_record *e)
{
    return e->counts.attempted < e->measured_planned ? ", as it was stopped before its end"
                                                     : "";
}

static void say_open(const struct execution_record *e, const struct scores *scores,
                     size_t untried, const double ends[2], double least)
{
    size_t open = scores->total - scores->judged + untried;
    fprintf(stderr,
            "assay: %s: overall score is between %.3f and %.3f, which includes %g: ", e->label,
            ends[0], ends[1], least);
    if (open > 0) {
        fprintf(stderr, "%zu of %zu cases were not judged%s\n", open, scores->total + untried,
                stopped_text(e));
    } else {
        fprintf(stderr, "answered cases do not report their cost or tokens\n");
    }
}

bool suite_store_reaches(const struct context *c, struct store *store, const char *run_id,
                         double least, enum exit_code *code, struct error *err)
{
    struct execution_record *list = NULL;
    size_t count = 0;
    *code = EXIT_DONE;
    if (!store_list_executions(store, run_id, c->arena, &list, &count, err)) return false;
    for (size_t i = 0; i < count; i++) {
        struct scoring scoring;
        double ends[2] = {NAN, NAN};
        size_t untried = 0;
        if (strcmp(list[i].experiment, "suite") != 0) continue;
        if (list[i].counts.attempted > 0) {
            if (!scoring_load(store, &list[i], c->arena, &scoring, err)) return false;
            scoring_ends(&scoring, &list[i], c->arena, ends);
            untried = scoring_untried(&scoring, &list[i], c->arena);
        }
        if (ends[0] >= least) continue;
        bool is_open = ends[1] >= least;
        *code = (enum exit_code)command_heavier(*code, is_open ? EXIT_UNDECIDED : EXIT_FAILED);
        if (is_open) {
            say_open(&list[i], &scoring.scores, untried, ends, least);
        } else {
            fprintf(stderr, "assay: %s: overall score %.3f is below %g\n", list[i].label,
                    ends[1], least);
        }
    }
    return true;
}

/* ---- cases that are not right ---- */

struct failed {
    const char **hashes;
    size_t count;
};

static bool is_failed(void *context, const struct case_item *item)
{
    const struct failed *f = context;
    for (size_t i = 0; i < f->count; i++) {
        if (strcmp(f->hashes[i], item->hash) == 0) return true;
    }
    return false;
}

static bool add_failed(const struct context *c, struct store *store,
                       const struct execution_record *e, struct failed *f, struct error *err)
{
    struct scoring s;
    if (e->counts.attempted == 0) return true;
    if (!scoring_load(store, e, c->arena, &s, err)) return false;
    for (size_t i = 0; i < s.case_count; i++) {
        if (score_case_state(&s.cases[i]) == CASE_RIGHT) continue;
        f->hashes = arena_grow(c->arena, f->hashes, f->count, sizeof *f->hashes);
        f->hashes[f->count++] = s.hashes[i];
    }
    return true;
}

bool suite_store_keep_failed(const struct context *c, struct store *store, const char *selector,
                             struct spec *spec, struct error *err)
{
    struct selection selection;
    struct execution_record *list = NULL;
    size_t count = 0;
    struct failed failed = {0};
    if (!spec->suite) {
        return error_set(err, ERROR_INVALID, "--only-failed is for suites; '%s' is not one",
                         spec->path);
    }
    if (!select_executions(store, selector, c->arena, &selection, &list, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].experiment, "suite") != 0) continue;
        if (!add_failed(c, store, &list[i], &failed, err)) return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < spec->entry_count; i++) {
        struct spec_entry entry = spec->entries[i];
        if (!suite_keep_cases(&entry, is_failed, &failed, c->arena)) continue;
        spec->entries[kept++] = entry;
    }
    spec->entry_count = kept;
    if (kept > 0) {
        suite_rehash(spec, c->arena);
        return true;
    }
    return error_set(err, ERROR_INVALID,
                     "run %s has no failed case that is in '%s': nothing to run again",
                     id_short(selection.runs[0].id), spec->path);
}
