/* What may explain a difference besides what is compared: whatever is known of both sides
 * and differs. What is not known is not known to differ. */
#include "report/compare_words.h"

#include "base/json.h"
#include "report/words.h"

static bool differ(const struct value *a, const struct value *b)
{
    if (!a || !b) return false; /* what is unknown is not known to differ */
    return !value_equal(a, b);
}

static void note_machines(const struct compare *c, struct sentences *n)
{
    static const struct {
        const char *key;
        const char *name;
    } facts[] = {{"hostname", "host"},          {"cpu_model", "processor"},
                 {"cpus", "number of CPUs"},    {"kernel", "kernel"},
                 {"governor", "CPU governor"},  {"turbo", "turbo setting"},
                 {"virtual", "virtual machine"}};
    const struct value *a = c->side[0].view->run.environment;
    const struct value *b = c->side[1].view->run.environment;
    for (size_t i = 0; i < COUNT(facts); i++) {
        const struct value *of_a = value_get(a, facts[i].key);
        const struct value *of_b = value_get(b, facts[i].key);
        if (!differ(of_a, of_b)) continue;
        sentences_add(n, "the %s differs: %s in A, %s in B", facts[i].name,
                      words_value(of_a, n->out), words_value(of_b, n->out));
    }
    for (int i = 0; i < 2; i++) {
        if (run_vcs(&c->side[i].view->run).is_dirty) {
            sentences_add(n, "%s was made from sources with changes that no commit holds",
                          i ? "B" : "A");
        }
    }
}

/* Arms of one group differ in what they are compared for. */
static void note_settings(const struct compare_pair *p, struct sentences *n)
{
    struct view_change *changes = NULL;
    size_t count = view_changes(p->cell[0], p->cell[1], n->out, &changes);
    for (size_t i = 0; i < count; i++) {
        sentences_add(n, "parameter %.*s is %.80s in A and %.80s in B", STR_ARG(changes[i].key),
                      words_value(changes[i].of[0], n->out),
                      words_value(changes[i].of[1], n->out));
    }
}

struct fact {
    const char *name;
    const char *a;
    const char *b;
};

static const char *text_of(const struct value *list, struct arena *out)
{
    return list ? json_of(list, out).p : NULL;
}

static void note_cells(const struct compare *c, const struct compare_pair *p, bool is_one_run,
                       struct sentences *n)
{
    const struct execution_record *a = &p->cell[0]->record;
    const struct execution_record *b = &p->cell[1]->record;
    const struct fact facts[] = {
        {"suites", a->suite_id, b->suite_id},
        {"benchmarks", a->benchmark_id, b->benchmark_id},
        {"agent configurations", a->model_configuration, b->model_configuration},
        {"instruments", text_of(a->instruments, n->out), text_of(b->instruments, n->out)},
        {"provenances", a->provenance, b->provenance},
    };
    if (a->id[0] && strcmp(a->id, b->id) == 0) {
        sentences_add(n, "A and B are one execution, compared with itself: name another run");
    }
    for (size_t i = 0; i < COUNT(facts); i++) {
        bool is_known = facts[i].a && facts[i].b && facts[i].a[0] && facts[i].b[0];
        if (!is_known || strcmp(facts[i].a, facts[i].b) == 0) continue;
        bool is_id = i < 2; /* which nobody reads */
        sentences_add(n, "different %s%s%.100s%s%.100s", facts[i].name, is_id ? "" : ": ",
                      is_id ? "" : facts[i].a, is_id ? "" : " and ", is_id ? "" : facts[i].b);
    }
    if (!is_one_run && strcmp(a->agent_id, b->agent_id) != 0) {
        sentences_add(n, "two agents: A is %s, B is %s; `assay versus` compares agents by case",
                      view_cell_name(c->side[0].view, p->cell[0], n->out),
                      view_cell_name(c->side[1].view, p->cell[1], n->out));
    }
    if (execution_lanes(a) != execution_lanes(b)) {
        sentences_add(
            n,
            "different conditions: A had %lld of the agent's cases in flight at once, B %lld; "
            "times, and what follows from them, are not comparable",
            (long long)execution_lanes(a), (long long)execution_lanes(b));
    }
    if (!is_one_run && a->seed != b->seed) {
        sentences_add(n, "the seeds differ (%lld and %lld): the workloads are not the same",
                      (long long)a->seed, (long long)b->seed);
    }
}

/* How each side ended. */
static void note_endings(const struct compare_pair *p, struct sentences *n)
{
    for (int i = 0; i < 2; i++) {
        const struct execution_record *e = &p->cell[i]->record;
        const char *side = i ? "B" : "A";
        if (e->segments > 1) {
            sentences_add(n, "%s was resumed: its trials are of %lld sessions", side,
                          (long long)e->segments);
        }
        if (e->status != RUN_SUCCESS) {
            sentences_add(n, "%s did not end well: %s%s%.120s", side,
                          run_status_name(e->status), e->error_details ? ", " : "",
                          e->error_details ? e->error_details : "");
        }
        const char *left_out = e->status == RUN_SUCCESS ? view_left_out(e, n->out) : NULL;
        if (left_out && strcmp(e->experiment, "suite") == 0)
            sentences_add(n, "%s does not rank: %s", side, left_out);
        if (p->attempted[i] > 0 && p->ok[i] == 0) {
            sentences_add(n, "all %lld trials of %s failed", (long long)p->attempted[i], side);
        }
        size_t spoiled = units_spoiled(p->cell[i]);
        if (spoiled > 0) {
            sentences_add(
                n,
                "the generator spoiled %zu of %zu blocks of %s: their times and rates "
                "are not compared",
                spoiled, p->cell[i]->trial_count, side);
        }
    }
}

/* Of every metric the same cases. */
static size_t unasked_of(const struct compare *c, size_t pair)
{
    size_t most = 0;
    for (size_t i = 0; i < c->row_count; i++) {
        if (c->rows[i].pair == pair && c->rows[i].ask.unasked > most)
            most = c->rows[i].ask.unasked;
    }
    return most;
}

static void note_gone(const struct compare *c, struct sentences *n)
{
    for (size_t i = 0; i < c->pair_count; i++) {
        size_t unasked = unasked_of(c, i);
        if (unasked == 0) continue;
        sentences_add(n,
                      "%zu cases of A were not asked in B: what is missing may be worse, so "
                      "nothing passes",
                      unasked);
    }
    for (size_t i = 0; i < c->row_count; i++) {
        const struct ask *ask = &c->rows[i].ask;
        if (ask->gone == 0 && ask->failed == 0) continue;
        sentences_add(n, "%zu of %zu %s of B %s %s, which A does: they were not compared",
                      ask->gone ? ask->gone : ask->failed, ask->gone_of,
                      ask->by_case ? "cases" : "trials",
                      ask->gone ? "do not report" : "failed and do not have", ask->metric.name);
    }
}

/* Executions of an agent that do not speak for it. */
static void note_left_out(const struct source *side, struct sentences *n)
{
    enum { SHOWN = 3 };
    for (size_t i = 0; i < side->left_out_count && i < SHOWN; i++) {
        const struct source_left_out *l = &side->left_out[i];
        sentences_add(n, "'%s' is without %s of run %s: %s", side->name, l->name,
                      id_short(l->run_id), l->reason);
    }
    if (side->left_out_count > SHOWN)
        sentences_add(n, "and without %zu more executions", side->left_out_count - SHOWN);
}

void compare_words_notes(const struct compare *c, struct sentences *n)
{
    const struct view *a = c->side[0].view;
    const struct view *b = c->side[1].view;
    bool is_one_run = strcmp(a->run.id, b->run.id) == 0 && a->run.id[0];
    for (int i = 0; i < 2; i++) note_left_out(&c->side[i], n);
    if (!is_one_run) note_machines(c, n);
    if (!is_one_run && a->run.assay_version && b->run.assay_version &&
        strcmp(a->run.assay_version, b->run.assay_version) != 0) {
        sentences_add(n, "measured by assay %s and %s", a->run.assay_version,
                      b->run.assay_version);
    }
    for (size_t i = 0; i < c->pair_count; i++) {
        if (!is_one_run) note_settings(&c->pairs[i], n);
        note_cells(c, &c->pairs[i], is_one_run, n);
        note_endings(&c->pairs[i], n);
    }
    note_gone(c, n);
    if (is_one_run || c->row_count == 0) return;
    sentences_add(
        n, "A and B were measured one after the other: what the machine did meanwhile is "
           "part of the difference; arms of one run, or --until-decided, cancel it");
}
