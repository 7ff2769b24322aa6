/* Agents measured again. The stored text of each side's run is loaded again, with
 * its datasets; what it gives must be the benchmark that was measured, by its
 * content hash. The agents are those of the two texts, which may be two versions
 * of one. Looks fall on whole passes (run.h), so that what is stored covers every
 * case and ranks like any other execution. */
#include "study/rerun_internal.h"

#include "base/json.h"
#include "spec/spec_suite.h"

struct side {
    const struct execution_record *execution;
    struct run_record run;
    struct spec *spec;
    const struct spec_entry *entry; /* its benchmark in the spec */
    const struct value *agent;
};

static bool find_stored(void *context, const char *name, struct arena *out,
                        const struct value **agent, struct error *err)
{
    struct agent_record row;
    return store_find_agent(context, name, out, &row, err) &&
           value_read_json(str_of(row.configuration), &value_limits_stored, out, agent, err);
}

static bool load_spec(struct store *store, struct side *s, struct arena *out, struct error *err)
{
    if (!store_find_run(store, s->execution->run_id, out, &s->run, err)) return false;
    struct spec_override how = SPEC_OVERRIDE_NONE;
    how.agents_are_optional = true; /* they may have been named by --agent */
    how.find_agent = find_stored;
    how.context = store;
    bool done = s->run.spec_text ? spec_load_text(s->run.spec_path, str_of(s->run.spec_text),
                                                  &how, out, &s->spec, err)
                                 : error_set(err, ERROR_INVALID, "its text is not stored");
    return done ||
           error_wrap(err, "the suite of run %s cannot be rebuilt", id_short(s->run.id));
}

static bool find_benchmark(struct store *store, struct side *s, struct error *err)
{
    char id[UUID_SIZE];
    for (size_t i = 0; i < s->spec->entry_count; i++) {
        const struct suite_benchmark *b = s->spec->entries[i].benchmark;
        if (!b) continue;
        store_benchmark_id(store, b->suite->id, b->id, b->content_hash, id);
        if (strcmp(id, s->execution->benchmark_id) != 0) continue;
        s->entry = &s->spec->entries[i];
        return true;
    }
    return error_set(err, ERROR_INVALID,
                     "the benchmark of '%s' is not what it was in run %s (its cases, rubric "
                     "or limits changed, or only some cases were run): run the suite again",
                     s->execution->label, id_short(s->run.id));
}

static bool is_agent(struct store *store, const struct side *s, const struct value *agent,
                     struct arena *out)
{
    char id[UUID_SIZE];
    struct str version = str_of(suite_agent_version(agent, out));
    store_agent_id(store, str_cstr(out, suite_agent_id(agent)), id);
    return strcmp(id, s->execution->agent_id) == 0 &&
           str_is(version, s->execution->agent_version);
}

/* As the suite has it, else as the store does, in the version that was measured. */
static bool find_agent(struct store *store, struct side *s, struct arena *out,
                       struct error *err)
{
    const struct value *of_suite = s->entry->agents;
    for (size_t i = 0; of_suite && i < of_suite->list.count && !s->agent; i++) {
        const struct value *agent = of_suite->list.items[i];
        if (is_agent(store, s, agent, out)) s->agent = agent;
    }
    struct agent_record row;
    struct error why = {0};
    if (!s->agent && store_find_agent(store, s->execution->agent_id, out, &row, &why)) {
        const struct value *agent = value_stored(row.configuration, out);
        if (agent && is_agent(store, s, agent, out)) s->agent = agent;
    } else if (why.code != ERROR_NONE && why.code != ERROR_NOT_FOUND) {
        *err = why;
        return false;
    }
    if (!s->agent) {
        return error_set(err, ERROR_INVALID,
                         "the agent of '%s'%s%s in run %s is no longer known: neither the "
                         "suite nor the store has it in that version",
                         s->execution->label, s->execution->agent_version ? ", version " : "",
                         s->execution->agent_version ? s->execution->agent_version : "",
                         id_short(s->run.id));
    }
    bool was_simulated = strcmp(s->execution->provenance, "simulated") == 0;
    if (was_simulated && !suite_agent_is_simulated(s->agent)) {
        return error_set(err, ERROR_INVALID,
                         "'%s' was answered by the stand-in of --stub: asking the model itself "
                         "would be another measurement",
                         s->execution->label);
    }
    return true;
}

/* But for what is only said of them. */
static bool are_alike(const struct side sides[2], struct arena *out)
{
    static const char *const words[] = {"version", "name", "description", "tags"};
    const struct value *agents[2] = {sides[0].agent, sides[1].agent};
    for (size_t k = 0; k < COUNT(words); k++) {
        for (int i = 0; i < 2; i++) {
            agents[i] = value_with(out, agents[i], str_of(words[k]), value_new_null(out));
        }
    }
    return value_equal(agents[0], agents[1]);
}

/* The text that the new run keeps: this benchmark, these agents, no claims. */
static struct str write_text(const struct side *s, const struct value *agents,
                             struct arena *out)
{
    static const char *const dropped[] = {"agents", "include", "benchmarks", "claims",
                                          "output_dir"};
    const struct value *root = NULL;
    struct value_error why;
    if (!value_read(s->spec->text, &value_limits_spec, out, &root, &why)) return s->spec->text;
    const struct value *all = value_get(root, "benchmarks");
    const struct value *one = NULL;
    for (size_t i = 0; all && all->kind == VALUE_LIST && i < all->list.count; i++) {
        const struct value *id = value_get(all->list.items[i], "id");
        if (!id) id = value_get(all->list.items[i], "benchmark_id");
        if (id && str_is(id->source, s->entry->benchmark->id)) one = all->list.items[i];
    }
    const struct value *map = NULL;
    for (size_t i = 0; i < root->map.count; i++) {
        const struct value_pair *pair = &root->map.pairs[i];
        bool is_kept = true;
        for (size_t k = 0; k < COUNT(dropped); k++) is_kept &= !str_is(pair->key, dropped[k]);
        if (is_kept) map = value_with(out, map, pair->key, pair->value);
    }
    map = value_with(out, map, S("agents"), agents);
    if (one) map = value_with(out, map, S("benchmarks"), value_new_list(out, &one, 1));
    struct buf b;
    struct json j;
    buf_init(&b, (size_t)16 << 20);
    json_init(&j, &b, 2);
    json_value(&j, map);
    struct str text = str_copy(out, buf_str(&b));
    buf_release(&b);
    return text;
}

/* One entry, two agents, whole passes. */
static struct spec *make_spec(const struct rerun_request *q, const struct side sides[2],
                              struct arena *out)
{
    const struct value *two[2] = {sides[0].agent, sides[1].agent};
    struct spec *spec = arena_new(out, struct spec, 1);
    struct spec_entry *e = arena_new(out, struct spec_entry, 1);
    *e = *sides[0].entry;
    e->agents = value_new_list(out, two, 2);
    e->interleave = true;
    e->factor = NULL;
    e->seed = sides[0].execution->seed;
    int64_t lanes = execution_lanes(sides[0].execution);
    if (lanes == execution_lanes(sides[1].execution)) e->concurrency = lanes;
    e->warmup = sides[0].execution->warmup_planned;
    e->measured = (q->budget + e->case_count - 1) / e->case_count;
    e->until = (struct spec_until){.is_set = q->stops_early || q->max_seconds > 0,
                                   .max_iterations = e->measured,
                                   .max_seconds = q->max_seconds};
    e->output_dir = NULL;
    e->claims = NULL;
    *spec = *sides[0].spec;
    spec->entries = e;
    spec->entry_count = 1;
    spec->claims = NULL;
    spec->text = write_text(&sides[0], e->agents, out);
    id_sha256(spec->text, spec->hash);
    return spec;
}

/* The arm of a side: its parameters (a prompt may be among them) and its agent. */
static const struct plan_cell *find_arm(const struct plan *plan, const struct side *s,
                                        size_t side)
{
    const struct value *agent = plan->spec->entries[0].agents->list.items[side];
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        bool is_its = side == i % 2 && cell->agent == agent; /* agents vary fastest */
        if (is_its && value_equal(cell->params, s->execution->parameters)) return cell;
    }
    return NULL;
}

bool rerun_suite_plan(const struct rerun_request *q, struct arena *out, struct plan **plan,
                      struct error *err)
{
    struct side sides[2] = {{.execution = &q->cells[0]->record},
                            {.execution = &q->cells[1]->record}};
    if (strcmp(sides[0].execution->benchmark_id, sides[1].execution->benchmark_id) != 0) {
        return error_set(err, ERROR_INVALID,
                         "'%s' and '%s' are of different benchmarks, which do not "
                         "compare",
                         sides[0].execution->label, sides[1].execution->label);
    }
    for (int i = 0; i < 2; i++) {
        if (!load_spec(q->store, &sides[i], out, err) ||
            !find_benchmark(q->store, &sides[i], err) ||
            !find_agent(q->store, &sides[i], out, err))
            return false;
    }
    if (q->must_differ && are_alike(sides, out)) {
        return error_set(err, ERROR_INVALID,
                         "versions %s and %s differ in nothing but their version, so the "
                         "same program would run twice; keep each where its definition says, "
                         "such as in a folder of its own",
                         sides[0].execution->agent_version, sides[1].execution->agent_version);
    }
    struct spec *spec = make_spec(q, sides, out);
    if (!rerun_check(spec, out, err) || !plan_make(spec, out, plan, err)) return false;
    const struct plan_cell *arms[2];
    for (size_t i = 0; i < 2; i++) {
        arms[i] = find_arm(*plan, &sides[i], i);
        if (arms[i]) continue;
        return error_set(err, ERROR_INVALID,
                         "the parameters of '%s' are not those that run %s's suite gives "
                         "without --set: run it again",
                         sides[i].execution->label, sides[i].run.id);
    }
    rerun_pair(*plan, arms, out);
    return true;
}
