#include "interop/export.h"

#include "base/value.h"

#include <math.h>

/* Cases by hash, open addressing: names are looked up once for each case, not for each trial
 * of it. */
struct known_cases {
    struct case_record *slots;
    size_t mask;
};

static struct known_cases known_cases_new(size_t most, struct arena *out)
{
    size_t size = 16;
    while (size < 2 * most) size *= 2;
    return (struct known_cases){arena_new(out, struct case_record, size), size - 1};
}

static const char *case_name(struct store *store, const struct known_cases *known,
                             const char *hash, struct arena *out)
{
    size_t at = id_hash(str_of(hash)) & known->mask;
    while (known->slots[at].hash && strcmp(known->slots[at].hash, hash) != 0)
        at = (at + 1) & known->mask;
    struct case_record *c = &known->slots[at];
    if (c->hash) return c->name;
    if (!store_find_case(store, hash, out, c, NULL)) *c = (struct case_record){.name = hash};
    c->hash = hash;
    return c->name;
}

static bool load_cases(struct store *store, struct exported *x, struct error *err)
{
    struct trial_note *notes = NULL;
    size_t count = 0;
    if (strcmp(x->e->experiment, "suite") != 0) return true;
    if (!store_list_notes(store, x->e->id, x->arena, &notes, &count, err)) return false;
    x->notes = notes;
    x->note_count = count;
    struct known_cases known = known_cases_new(count, x->arena);
    x->cases = arena_new(x->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct trial_note *n = &notes[i];
        if (n->phase != PHASE_MEASURED || !n->case_hash || (size_t)n->trial >= count) continue;
        x->cases[n->trial] = case_name(store, &known, n->case_hash, x->arena);
        if ((size_t)n->trial >= x->case_count) x->case_count = (size_t)n->trial + 1;
    }
    return true;
}

struct writing {
    const struct exporter *exporter;
    struct store *store;
    const struct agent_ref *agent; /* that was asked for; NULL: all */
    const char *met;               /* the first agent that was written */
    const struct agent_record *agents;
    size_t agent_count;
    void *state;
    struct buf *out;
};

static bool take_agent(struct writing *w, const char *agent, struct error *err)
{
    bool is_other = w->exporter->is_of_one_agent && w->met && strcmp(w->met, agent) != 0;
    if (!w->met) w->met = agent;
    if (!is_other) return true;
    return error_set(err, ERROR_INVALID,
                     "'%s' holds one agent, and there are '%s', '%s', ...; say --agent '%s'",
                     w->exporter->name, w->met, agent, w->met);
}

static bool put_run(struct writing *w, const struct run_record *run, struct error *err)
{
    struct store *store = w->store;
    struct arena arena = arena_open();
    struct execution_record *executions = NULL;
    size_t count = 0;
    bool done = store_list_executions(store, run->id, &arena, &executions, &count, err);
    for (size_t i = 0; done && i < count; i++) {
        struct arena scratch = arena_open();
        struct exported x = {.run = run, .e = &executions[i], .arena = &scratch};
        const char *agent =
            agent_record_name(w->agents, w->agent_count, executions[i].agent_id);
        x.agent = agent ? agent : "assay"; /* the built-in one is not listed */
        if (w->agent &&
            !agent_ref_fits(w->agent, executions[i].agent_id, executions[i].agent_version)) {
            arena_close(&scratch);
            continue;
        }
        done = take_agent(w, x.agent, err) &&
               store_list_series(store, executions[i].id, &scratch, &x.series, &x.series_count,
                                 err) &&
               load_cases(store, &x, err);
        if (done && w->exporter->wants_histograms)
            done = store_list_histograms(store, executions[i].id, &scratch, &x.histograms,
                                         &x.histogram_count, err);
        if (done) w->exporter->put(&x, w->state, w->out);
        arena_close(&scratch);
    }
    arena_close(&arena);
    return done;
}

bool export_write(const struct exporter *exporter, struct store *store,
                  const struct export_what *what, struct buf *out, struct error *err)
{
    struct arena arena = arena_open();
    struct agent_record *agents = NULL;
    size_t agent_count = 0;
    void *state = arena_alloc(&arena, 1, exporter->state_size + 1, _Alignof(max_align_t));
    bool done = store_list_agents(store, true, &arena, &agents, &agent_count, err);
    if (exporter->begin) exporter->begin(out);
    struct writing w = {exporter, store, what->agent, NULL, agents, agent_count, state, out};
    for (size_t i = 0; done && i < what->count; i++) done = put_run(&w, &what->runs[i], err);
    if (done && what->agent && !w.met) {
        done = error_set(err, ERROR_NOT_FOUND, "no execution of agent '%s' is in the runs",
                         what->agent->name);
    }
    if (done && exporter->end) exporter->end(state, out);
    arena_close(&arena);
    if (done && out->overflow) {
        done = error_set(err, ERROR_FAILED,
                         "the export would be larger than %zu MB; select fewer runs",
                         out->max >> 20);
    }
    return done;
}

bool export_is_metric(const struct series_record *s)
{
    return strncmp(s->metric, "trial.", 6) != 0;
}

const double *export_statuses(const struct exported *x, enum trial_phase phase)
{
    const struct series_record *s =
        series_find(x->series, x->series_count, phase, "trial.status");
    return s ? s->samples : NULL;
}

const double *export_values(const struct exported *x, const struct series_record *s,
                            struct arena *out)
{
    const double *statuses = export_statuses(x, s->phase);
    const char *definition = s->definition ? s->definition : "";
    bool is_accuracy = strcmp(definition, "rubric_score/1") == 0;
    bool is_duration = strcmp(definition, metric_duration.definition) == 0;
    double *values = arena_new(out, double, s->count + 1);
    bool is_known = false; /* else there was nothing to judge by, or to wait for */
    for (size_t i = 0; i < s->count; i++) is_known |= !isnan(s->samples[i]);
    if (s->count) memcpy(values, s->samples, s->count * sizeof *values);
    for (size_t i = 0; i < s->count && is_known && statuses; i++) {
        bool has_failed = statuses[i] != TRIAL_OK && statuses[i] != TRIAL_HARNESS_ERROR;
        if (!isnan(values[i]) || !has_failed) continue;
        if (is_accuracy) values[i] = 0;
        if (is_duration && statuses[i] == TRIAL_TIMED_OUT) values[i] = (double)INFINITY;
    }
    return values;
}
