#include "interop/export.h"

#include "base/value.h"

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
    const struct export_what *what;
    const char *met; /* the first agent that was written */
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

/* One execution of a run, whose `levels` are known where they are wanted. */
static bool put_execution(struct writing *w, struct exported *x, struct error *err)
{
    struct arena scratch = arena_open();
    const char *agent = agent_record_name(w->agents, w->agent_count, x->e->agent_id);
    x->arena = &scratch;
    x->agent = agent ? agent : "assay"; /* the built-in one is not listed */
    bool done =
        take_agent(w, x->agent, err) &&
        store_list_series(w->store, x->e->id, &scratch, &x->series, &x->series_count, err) &&
        load_cases(w->store, x, err);
    if (done && w->exporter->wants_histograms)
        done = store_list_histograms(w->store, x->e->id, &scratch, &x->histograms,
                                     &x->histogram_count, err);
    if (done) w->exporter->put(x, w->state, w->out);
    arena_close(&scratch);
    return done;
}

static struct export_levels find_levels(const struct export_levels *list, size_t count,
                                        const char *execution_id)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].execution_id, execution_id) == 0) return list[i];
    }
    return (struct export_levels){0};
}

static bool put_run(struct writing *w, const struct run_record *run, struct error *err)
{
    struct arena arena = arena_open();
    struct execution_record *executions = NULL;
    struct export_levels *levels = NULL;
    size_t count = 0;
    size_t level_count = 0;
    bool done = store_list_executions(w->store, run->id, &arena, &executions, &count, err);
    if (done && w->exporter->wants_levels)
        done = w->what->levels(w->store, run, &arena, &levels, &level_count, err);
    for (size_t i = 0; done && i < count; i++) {
        struct execution_record *e = &executions[i];
        const struct agent_ref *agent = w->what->agent;
        if (agent && !agent_ref_fits(agent, e->agent_id, e->agent_version)) continue;
        struct exported x = {
            .run = run, .e = e, .levels = find_levels(levels, level_count, e->id)};
        done = put_execution(w, &x, err);
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
    struct writing w = {exporter, store, what, NULL, agents, agent_count, state, out};
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
