/* What a suite adds to a run: the rows that its executions refer to, and their
 * scores. */
#include "base/json.h"
#include "run/run_internal.h"
#include "spec/spec_suite.h"
#include "suite/scoring.h"

#include <math.h>

/* JSON text of a value, NULL for none. */
static const char *canonical(const struct value *v, struct arena *out)
{
    return v ? json_canonical(v, out).p : NULL;
}

static const char *hashes_of(const struct case_set *cases, struct arena *out)
{
    struct buf b;
    struct json j;
    buf_init(&b, (size_t)256 << 20);
    json_init(&j, &b, 0);
    json_list(&j);
    for (size_t i = 0; i < cases->count; i++) json_text(&j, cases->items[i].hash);
    json_end(&j);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

static bool put_cases(struct store *store, const struct case_set *set, struct error *err)
{
    struct arena scratch = arena_open();
    struct case_record *rows = arena_new(&scratch, struct case_record, set->count + 1);
    for (size_t i = 0; i < set->count; i++) {
        const struct case_item *c = &set->items[i];
        const char *what = c->turn_count > 0 ? "turns" : "input";
        rows[i] = (struct case_record){
            .hash = c->hash,
            .name = c->id,
            .input = canonical(value_get(c->fields, what), &scratch),
            .expected = canonical(c->expected, &scratch),
            .rubric = canonical(c->rubric, &scratch),
            .fields = canonical(c->fields, &scratch),
        };
    }
    bool done = store_put_cases(store, rows, set->count, err);
    arena_close(&scratch);
    return done;
}

static const char *ids_of(const struct benchmark_record *rows, size_t count, struct arena *out)
{
    struct buf b;
    struct json j;
    buf_init(&b, (size_t)1 << 20);
    json_init(&j, &b, 0);
    json_list(&j);
    for (size_t i = 0; i < count; i++) json_text(&j, rows[i].id);
    json_end(&j);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

/* What the file calls it, and when it says that its suite was made: not content, so not
 * in the hash. */
static const struct value *with_names(const struct suite_benchmark *b, struct arena *out)
{
    const struct value *map = b->settings;
    if (b->title) map = value_with(out, map, S("name"), value_new_text(out, str_of(b->title)));
    if (!b->suite->created_at) return map;
    return value_with(out, map, S("suite_created_at"),
                      value_new_text(out, str_of(b->suite->created_at)));
}

static struct benchmark_record describe(struct store *store, const struct suite_benchmark *b,
                                        struct arena *out)
{
    struct benchmark_record row = (struct benchmark_record){
        .name = b->id,
        .description = b->description ? b->description : b->title,
        .test_type = b->test_type,
        .metrics_measured = canonical(b->metrics, out),
        .dataset = canonical(b->dataset, out),
        .constraints = canonical(b->constraints, out),
        .scoring_rubric = canonical(b->rubric, out),
        .targets = canonical(b->targets, out),
        .settings = canonical(with_names(b, out), out),
        .cases = hashes_of(&b->cases, out),
        .content_hash = b->content_hash,
    };
    store_benchmark_id(store, b->suite->id, b->id, b->content_hash, row.id);
    return row;
}

static bool put_agents(struct store *store, const struct value *agents, struct arena *out,
                       struct error *err)
{
    for (size_t i = 0; agents && i < agents->list.count; i++) {
        const struct value *agent = agents->list.items[i];
        struct agent_record row = {
            .name = str_cstr(out, suite_agent_id(agent)),
            .kind = suite_agent_kind(agent),
            .version = suite_agent_version(agent, out),
            .configuration = canonical(agent, out),
        };
        if (!store_put_agent(store, &row, err)) return false;
    }
    return true;
}

bool run_put_suite(struct store *store, const struct spec *spec, const struct suite_record *as,
                   struct benchmark_record *benchmarks, struct arena *out, struct error *err)
{
    const struct suite *suite = spec->entries[0].benchmark->suite;
    struct suite_record row = {
        .name = suite->id,
        .title = suite->title,
        .category = suite->category,
        .version = suite->version,
        .content_hash = suite->content_hash,
        .baseline_scores = canonical(suite->baseline_scores, out),
    };
    for (size_t i = 0; i < spec->entry_count; i++) {
        benchmarks[i] = describe(store, spec->entries[i].benchmark, out);
    }
    row.benchmarks = ids_of(benchmarks, spec->entry_count, out);
    if (as) {
        row.spec = as->spec;
        row.source = as->source;
        row.is_registered = as->is_registered;
    }
    if (!store_put_suite(store, &row, err)) return error_wrap(err, "suite '%s'", suite->id);
    for (size_t i = 0; i < spec->entry_count; i++) {
        const struct suite_benchmark *b = spec->entries[i].benchmark;
        memcpy(benchmarks[i].suite_id, row.id, sizeof row.id);
        if (!store_put_benchmark(store, &benchmarks[i], err) ||
            !put_cases(store, &b->cases, err)) {
            return error_wrap(err, "benchmark '%s'", b->id);
        }
    }
    return true;
}

bool run_put_names(struct run *r, struct error *err)
{
    const struct spec *spec = r->request->plan->spec;
    r->benchmarks = arena_new(r->out, struct benchmark_record, spec->entry_count + 1);
    bool done = !spec->suite ||
                run_put_suite(r->request->store, spec, NULL, r->benchmarks, r->out, err);
    for (size_t i = 0; i < spec->entry_count && done; i++) { /* benchmarks may ask others */
        done = put_agents(r->request->store, spec->entries[i].agents, r->out, err);
    }
    return done;
}

/* The agent's configuration, and what of the cell changes what it is asked. */
static const char *configuration_of(const struct plan_cell *cell, struct arena *arena)
{
    const struct value *config = suite_agent_configuration(cell->agent, arena);
    const struct value *prompt = value_get(cell->params, "prompt");
    if (prompt && prompt->kind == VALUE_TEXT) {
        const char *name = str_cstr(arena, prompt->source);
        const struct value *text = value_get(value_get(cell->params, "prompts"), name);
        config = value_with(arena, config, S("prompt"), prompt);
        if (text) config = value_with(arena, config, S("prompt_text"), text);
    }
    return canonical(config, arena);
}

void run_describe_agent(const struct run *r, struct intake *in, struct arena *arena)
{
    const struct plan_cell *cell = in->cell;
    struct execution_record *x = &in->record;
    store_agent_id(r->request->store, str_cstr(arena, suite_agent_id(cell->agent)),
                   x->agent_id);
    x->agent_version = suite_agent_version(cell->agent, arena);
    x->version_kind = suite_agent_has_version(cell->agent) ? VERSION_STATED
                      : x->agent_version                   ? VERSION_HASH
                                                           : VERSION_UNKNOWN;
    x->model_configuration = configuration_of(cell, arena);
    if (suite_agent_is_simulated(cell->agent)) {
        x->provenance = "simulated";
        x->unranked = UNRANKED_SIMULATED;
    }
}

void run_describe_suite(const struct run *r, struct intake *in, struct arena *arena)
{
    const struct plan_cell *cell = in->cell;
    const struct suite_benchmark *b = cell->entry->benchmark;
    struct execution_record *x = &in->record;
    const struct benchmark_record *row =
        &r->benchmarks[cell->entry - r->request->plan->spec->entries];
    memcpy(x->suite_id, row->suite_id, sizeof x->suite_id);
    memcpy(x->benchmark_id, row->id, sizeof x->benchmark_id);
    if (b->is_subset) x->unranked = UNRANKED_SUBSET;
    run_describe_agent(r, in, arena);
    for (size_t i = 0; i < b->remark_count; i++) {
        note_add(&x->notes, arena, NOTE_REMARK, str_of(b->remarks[i]));
    }
}

bool run_score_cell(struct run *r, struct intake *in, struct arena *arena, struct error *err)
{
    struct execution_record *x = &in->record;
    struct scoring scoring;
    if (x->counts.attempted == 0) return true;
    if (!scoring_load(r->request->store, x, arena, &scoring, err)) return false;
    const char *agent = str_cstr(arena, suite_agent_id(in->cell->agent));
    scoring_fill(&scoring, x);
    if (!scoring_compare(r->request->store, &scoring, agent, x, arena, err)) return false;
    scoring_explain(&scoring, x, &x->notes, arena);
    return true;
}
