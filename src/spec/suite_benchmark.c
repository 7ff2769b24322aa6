/* One benchmark: cases, rubric and limits checked, then made into the entry of
 * an experiment spec, which the ordinary reader checks on. */
#include "base/os.h"
#include "experiment/suite.h"
#include "spec/suite_internal.h"

struct keys {
    const char *id;
    const char *name;
    const char *description;
    int test_type;
    struct param_texts metrics_measured;
    const struct value *dataset;
    const struct value *cases;
    const struct value *constraints;
    const struct value *targets;
    const struct value *expected_outputs;
    const struct value *rubric;
    const struct value *iterations;
    int64_t num_runs;
    const struct value *stop_early;
    const struct value *environment;
    struct param_texts tags;
    struct param_texts agents;
    const struct value *claims;
    const struct value *instrumentation;
    const struct value *prompts;
    int64_t seed;
    const struct value *until;
    const struct value *weights;
    double pass_at;
};

struct dataset_keys {
    const char *source;
    int64_t size;
    int complexity;
};

#define KEY(field)  .offset = offsetof(struct keys, field)
#define DATA(field) .offset = offsetof(struct dataset_keys, field)

static const char *const test_types[] = {"",       "synthetic", "real_world",
                                         "stress", "edge_case", NULL};
static const char *const complexities[] = {"", "low", "medium", "high", "extreme", NULL};

static const struct param rows[] = {
    {"id", PARAM_TEXT, KEY(id), .help = "the name people use"},
    {"name", PARAM_TEXT, KEY(name), .help = "a longer name"},
    {"description", PARAM_TEXT, KEY(description), .help = "what it is about"},
    {"test_type", PARAM_CHOICE, KEY(test_type), .fallback = "\"\"", .choices = test_types,
     .help = "where its cases come from"},
    {"metrics_measured", PARAM_TEXT_LIST, KEY(metrics_measured), .fallback = "[]",
     .help = "what is shown and gated"},
    {"dataset", PARAM_ANY, KEY(dataset), .help = "{source, size, complexity}, or a file"},
    {"cases", PARAM_ANY, KEY(cases), .help = "the cases themselves: [{input, expected}]"},
    {"constraints", PARAM_MAP, KEY(constraints), .help = "limits of one trial"},
    {"targets", PARAM_MAP, KEY(targets), .help = "what the scores are held against"},
    {"expected_outputs", PARAM_ANY, KEY(expected_outputs),
     .help = "accepted answers of cases that have none of their own"},
    {"rubric", PARAM_ANY, KEY(rubric), .help = "how an answer is judged"},
    {"iterations", PARAM_MAP, KEY(iterations), .help = "{warmup: trials, measured: passes}"},
    {"num_runs", PARAM_INT, KEY(num_runs), .min = 1, .max = 1e9, .help = "measured passes"},
    {"stop_early", PARAM_MAP, KEY(stop_early), .help = "{failures_in_a_row, breach}"},
    {"environment", PARAM_MAP, KEY(environment), .help = "files, env, setup, cleanup, workdir"},
    {"tags", PARAM_TEXT_LIST, KEY(tags), .fallback = "[]", .help = "words for --only"},
    {"agents", PARAM_TEXT_LIST, KEY(agents), .fallback = "[]",
     .help = "who is asked, by id; without it every agent of the suite"},
    {"claims", PARAM_ANY, KEY(claims), .help = "statements about this benchmark alone"},
    {"instrumentation", PARAM_ANY, KEY(instrumentation), .help = "measured beside time"},
    {"prompts", PARAM_ANY, KEY(prompts), .help = "{name: text with {{input}}}: one cell each"},
    {"seed", PARAM_INT, KEY(seed), .fallback = "42", .help = "where all randomness starts"},
    {"until", PARAM_MAP, KEY(until), .help = "when enough was measured"},
    {"weights", PARAM_MAP, KEY(weights), .help = "of the five scores in the overall one"},
    {"pass_at", PARAM_REAL, KEY(pass_at), .fallback = "1", .min = 0, .max = 1,
     .help = "accuracy from which a case counts as passed"},
};

const struct param_table suite_benchmark_table = {rows, COUNT(rows)};

static const struct param dataset_rows[] = {
    {"source", PARAM_TEXT, DATA(source), .help = "file of cases: .jsonl, .ndjson, .csv"},
    {"size", PARAM_INT, DATA(size), .fallback = "0", .min = 0, .max = 1e9,
     .help = "that many cases, drawn with the seed; 0 = all"},
    {"complexity", PARAM_CHOICE, DATA(complexity), .fallback = "\"\"", .choices = complexities,
     .help = "how hard they are"},
};

static const struct param_table dataset_table = {dataset_rows, COUNT(dataset_rows)};

struct making {
    struct suite_reader *s;
    struct keys keys;
    const struct value *map; /* cleaned */
    struct suite_benchmark *b;
    const char *remarks[8];
    size_t remark_count;
};

static void remark(struct making *m, const char *text)
{
    if (m->remark_count < COUNT(m->remarks)) m->remarks[m->remark_count++] = text;
}

static const struct value *none_if_empty(const struct value *map)
{
    return map && map->map.count > 0 ? map : NULL;
}

/* ---- cases ---- */

static bool read_cases(struct making *m, const char *source,
                       const struct dataset_options *options)
{
    struct spec_reader *r = m->s->r;
    if (m->keys.cases) {
        if (source) {
            return problems_add(r->problems, m->keys.cases->line, m->keys.cases->column,
                                "give either 'cases' or 'dataset: {source: ...}', not both");
        }
        return dataset_read_list(m->keys.cases, options, r->out, &m->b->cases, r->problems);
    }
    if (!source) {
        const struct value *at = m->keys.dataset ? m->keys.dataset : m->map;
        return problems_add(r->problems, at->line, at->column,
                            "benchmark '%s' needs cases: 'cases: [{input, expected}]' or "
                            "'dataset: {source: FILE}'",
                            m->b->id);
    }
    const char *path = suite_path(r->out, m->s->base_dir, str_of(source));
    if (!os_exists(path)) {
        const struct value *at = value_get(m->keys.dataset, "source");
        if (!at) at = m->map;
        return problems_add(r->problems, at->line, at->column,
                            "dataset '%s' is not there (looked for %s)", source, path);
    }
    return dataset_read_file(path, options, r->out, &m->b->cases, r->problems);
}

static void read_dataset(struct making *m)
{
    static const char *const names[] = {"data_source", "source"};
    struct spec_reader *r = m->s->r;
    struct dataset_keys d = {0};
    const struct value *given = m->keys.dataset;
    if (given && given->kind == VALUE_TEXT) {
        struct value *map = arena_new(r->out, struct value, 1);
        *map = *value_with(r->out, NULL, S("source"), given);
        map->line = given->line;
        map->column = given->column;
        given = map;
    }
    if (given && given->kind != VALUE_MAP) {
        problems_add(r->problems, given->line, given->column,
                     "'dataset' must be a mapping {source, size, complexity} or a file (is %s)",
                     value_kind_name(given->kind));
        return;
    }
    if (given) given = suite_rename(r, given, names, COUNT(names));
    m->keys.dataset = given;
    m->b->dataset = given;
    spec_read(r, dataset_table, spec_clean(r, dataset_table, given, "'dataset'"), &d);
    if (d.complexity) m->b->complexity = complexities[d.complexity];
    struct dataset_options options = {
        .size = (size_t)d.size,
        .seed = (uint64_t)(m->s->o->has_seed ? m->s->o->seed : m->keys.seed),
        .expected = m->keys.expected_outputs,
        .rubric = m->keys.rubric,
    };
    const char *file = r->problems->file;
    bool done = read_cases(m, d.source, &options);
    r->problems->file = file;
    if (done && m->b->cases.count == 0) {
        problems_add(r->problems, m->map->line, m->map->column, "benchmark '%s' has no cases",
                     m->b->id);
    }
    if (done && m->b->cases.note) remark(m, m->b->cases.note);
}

/* ---- prompts ---- */

static void bad_prompt(struct making *m, const struct value *v)
{
    problems_add(m->s->r->problems, v->line, v->column,
                 "'prompts' must be a mapping {name: text} or a list of texts (has %s)",
                 value_kind_name(v->kind));
}

/* {name: text} whatever the spelling; the names become an axis. */
static const struct value *read_prompts(struct making *m, const struct value **ids)
{
    struct arena *out = m->s->r->out;
    const struct value *given = m->keys.prompts;
    const struct value *map = NULL;
    if (given->kind != VALUE_MAP && given->kind != VALUE_LIST) {
        bad_prompt(m, given);
        return NULL;
    }
    bool is_list = given->kind == VALUE_LIST;
    size_t count = is_list ? given->list.count : given->map.count;
    const struct value **names = arena_new(out, const struct value *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct value *text = is_list ? given->list.items[i] : given->map.pairs[i].value;
        const char *name =
            is_list ? arena_printf(out, "p%zu", i + 1) : str_cstr(out, given->map.pairs[i].key);
        if (text->kind != VALUE_TEXT) {
            bad_prompt(m, text);
            return NULL;
        }
        map = value_with(out, map, str_of(name), text);
        names[i] = value_new_text(out, str_of(name));
    }
    if (count == 0) return NULL;
    *ids = value_new_list(out, names, count);
    return map;
}

/* ---- environment ---- */

static void check_files(struct making *m, const struct value *files)
{
    struct spec_reader *r = m->s->r;
    for (size_t i = 0; i < files->map.count; i++) {
        const struct value_pair *pair = &files->map.pairs[i];
        const struct value *from = value_get(pair->value, "from");
        bool is_inside = pair->key.n > 0 && pair->key.p[0] != '/' &&
                         !strstr(str_cstr(r->out, pair->key), "..");
        if (!is_inside) {
            problems_add(r->problems, pair->line, pair->column,
                         "file '%.*s' must be a name inside the work folder",
                         STR_ARG(pair->key));
        }
        if (pair->value->kind == VALUE_TEXT) continue;
        if (!from || from->kind != VALUE_TEXT) {
            problems_add(r->problems, pair->value->line, pair->value->column,
                         "file '%.*s' must be its text or {from: path} (is %s)",
                         STR_ARG(pair->key), value_kind_name(pair->value->kind));
        } else if (!os_exists(suite_path(r->out, m->s->base_dir, from->source))) {
            problems_add(r->problems, from->line, from->column, "'%.*s' is not there",
                         STR_ARG(from->source));
        }
    }
}

static const struct value *clean_map(struct making *m, struct param_table table,
                                     const struct value *map, const char *what)
{
    return map ? none_if_empty(spec_clean(m->s->r, table, map, what)) : NULL;
}

static void read_limits(struct making *m)
{
    m->b->constraints =
        clean_map(m, suite_constraints_table, m->keys.constraints, "'constraints'");
    m->b->targets = clean_map(m, suite_targets_table, m->keys.targets, "'targets'");
    m->keys.weights = clean_map(m, suite_weights_table, m->keys.weights, "'weights'");
    m->keys.environment =
        clean_map(m, suite_environment_table, m->keys.environment, "'environment'");
    const struct value *files = value_get(m->keys.environment, "files");
    if (files) check_files(m, files);
}

/* ---- judges ---- */

struct judges {
    struct making *m;
    const struct value *items[16];
    size_t count;
};

static void add_judge(void *context, const char *id)
{
    struct judges *j = context;
    for (size_t i = 0; i < j->count; i++) {
        if (str_is(suite_agent_id(j->items[i]), id)) return;
    }
    const struct value *agent = suite_find_agent(j->m->s, str_of(id), j->m->keys.rubric);
    if (agent && j->count < COUNT(j->items)) j->items[j->count++] = agent;
}

/* The default rubric is exact. */
static const struct value *read_rubrics(struct making *m)
{
    struct spec_reader *r = m->s->r;
    const struct rubric *rubric = NULL;
    struct judges judges = {.m = m};
    if (!rubric_read(m->keys.rubric, r->out, &rubric, r->problems)) return NULL;
    m->b->rubric = m->keys.rubric;
    rubric_each_agent(rubric, add_judge, &judges);
    for (size_t i = 0; i < m->b->cases.rubric_count; i++) {
        rubric_each_agent(m->b->cases.rubrics[i], add_judge, &judges);
    }
    if (judges.count == 0) return NULL;
    const struct value **items = arena_new(r->out, const struct value *, judges.count);
    memcpy(items, judges.items, judges.count * sizeof *items);
    return value_new_list(r->out, items, judges.count);
}

/* ---- the entry ---- */

struct pairs {
    struct arena *out;
    struct value_pair items[32];
    size_t count;
};

static void put(struct pairs *p, const char *key, const struct value *v)
{
    if (!v) return;
    CHECK(p->count < COUNT(p->items));
    p->items[p->count++] = (struct value_pair){
        .key = str_of(key), .line = v->line, .column = v->column, .value = v};
}

static void put_text(struct pairs *p, const char *key, const char *text)
{
    if (text) put(p, key, value_new_text(p->out, str_of(text)));
}

static const struct value *finish(struct pairs *p, const struct value *at)
{
    struct value_pair *pairs = arena_new(p->out, struct value_pair, p->count);
    memcpy(pairs, p->items, p->count * sizeof *pairs);
    struct value *map = value_new_map(p->out, pairs, p->count);
    if (at) {
        map->line = at->line;
        map->column = at->column;
    }
    return map;
}

static const struct value *make_params(struct making *m, const struct value *judges)
{
    struct pairs p = {.out = m->s->r->out};
    const struct suite_benchmark *b = m->b;
    put_text(&p, "suite", m->s->suite->id);
    put_text(&p, "benchmark", b->id);
    put_text(&p, "category", m->s->suite->category);
    put_text(&p, "test_type", b->test_type);
    put_text(&p, "complexity", b->complexity);
    put(&p, "rubric", b->rubric);
    put(&p, "constraints", b->constraints);
    put(&p, "environment", m->keys.environment);
    put(&p, "judges", judges);
    if (m->keys.prompts) {
        const struct value *ids = NULL;
        put(&p, "prompts", read_prompts(m, &ids));
        put(&p, "prompt", ids && ids->list.count == 1 ? ids->list.items[0] : ids);
    }
    return finish(&p, m->map);
}

/* Requirement 004's defaults: 3 warm-up trials, 5 passes. */
static const struct value *make_iterations(struct making *m)
{
    struct arena *out = m->s->r->out;
    const struct value *given = m->keys.iterations;
    struct pairs p = {.out = out};
    for (size_t i = 0; given && i < given->map.count && i < 8; i++) {
        p.items[p.count++] = given->map.pairs[i];
    }
    if (m->keys.num_runs && value_get(given, "measured")) {
        problems_add(m->s->r->problems, m->map->line, m->map->column,
                     "'num_runs' and 'iterations.measured' are two names of one thing");
    }
    if (!value_get(given, "warmup")) put(&p, "warmup", value_new_int(out, 3));
    if (!value_get(given, "measured")) {
        put(&p, "measured", value_new_int(out, m->keys.num_runs ? m->keys.num_runs : 5));
    }
    return finish(&p, given);
}

/* Agents from outside the file (`--agent` with a registered name) are asked everything. */
static bool is_asked(struct making *m, const struct value *agent)
{
    struct str id = suite_agent_id(agent);
    bool is_known = false;
    for (size_t i = 0; i < m->keys.agents.count; i++) {
        if (str_is(id, m->keys.agents.items[i])) return true;
    }
    for (size_t i = 0; i < m->s->pool->list.count; i++) {
        is_known |= str_equal(id, suite_agent_id(m->s->pool->list.items[i]));
    }
    return !is_known;
}

/* Those of the suite's agents that the benchmark asks; NULL if there is none among
 * those chosen with --agent. */
static const struct value *choose_agents(struct making *m)
{
    const struct value *all = m->s->agents;
    size_t count = 0;
    if (m->keys.agents.count == 0) return all;
    for (size_t i = 0; i < m->keys.agents.count; i++) {
        struct str name = str_of(m->keys.agents.items[i]);
        (void)suite_find_agent(m->s, name, value_get(m->map, "agents"));
    }
    const struct value **items = arena_new(m->s->r->out, const struct value *, all->list.count);
    for (size_t i = 0; i < all->list.count; i++) {
        if (is_asked(m, all->list.items[i])) items[count++] = all->list.items[i];
    }
    return count > 0 ? value_new_list(m->s->r->out, items, count) : NULL;
}

static const struct value *make_entry_map(struct making *m, const struct value *params,
                                          const struct value *agents)
{
    struct pairs p = {.out = m->s->r->out};
    const struct value *stop = m->keys.stop_early;
    const struct value *root = m->s->root;
    const struct value *never =
        value_with(p.out, NULL, S("failures_in_a_row"), value_new_int(p.out, 0));
    if (stop && !value_get(stop, "failures_in_a_row")) {
        stop = value_with(p.out, stop, S("failures_in_a_row"), value_new_int(p.out, 0));
    }
    put_text(&p, "experiment", "suite");
    put(&p, "params", params);
    put(&p, "iterations", make_iterations(m));
    put(&p, "instrumentation", m->keys.instrumentation);
    put(&p, "tags", value_get(m->map, "tags"));
    put(&p, "seed", value_new_int(p.out, m->keys.seed));
    put(&p, "until", m->keys.until);
    put(&p, "stop_early", stop ? stop : never);
    put(&p, "agents", agents);
    put(&p, "claims", m->keys.claims);
    put(&p, "notes", value_get(root, "notes"));
    put(&p, "output_dir", value_get(root, "output_dir"));
    put(&p, "parallelism", value_get(root, "parallelism"));
    put(&p, "interleave", value_get(root, "interleave"));
    return finish(&p, m->map);
}

static const struct value *make_settings(struct making *m, const struct value *judges)
{
    struct pairs p = {.out = m->s->r->out};
    put(&p, "environment", m->keys.environment);
    put(&p, "judges", judges);
    put(&p, "weights", m->keys.weights);
    if (m->keys.pass_at != 1) put(&p, "pass_at", value_new_real(p.out, m->keys.pass_at));
    return finish(&p, NULL);
}

static size_t most_turns(const struct case_set *cases)
{
    size_t most = 1;
    for (size_t i = 0; i < cases->count; i++) {
        if (cases->items[i].turn_count > most) most = cases->items[i].turn_count;
    }
    return most;
}

static void note_what_is_left_out(struct making *m)
{
    if (m->b->test_type && strcmp(m->b->test_type, "stress") == 0) {
        remark(m, "test_type is stress: its cases were asked one by one; load scenarios are "
                  "not carried out by `run` yet");
    }
    if (m->s->suite->stress) {
        remark(m, "the suite's `stress` section is kept, and not carried out by `run` yet");
    }
}

void suite_read_benchmark(struct suite_reader *s, const struct value *map,
                          struct spec_entry *entry)
{
    struct spec_reader *r = s->r;
    struct making m = {.s = s, .b = arena_new(r->out, struct suite_benchmark, 1)};
    m.map = spec_clean(r, suite_benchmark_table, map, "a benchmark");
    if (!value_get(m.map, "id")) {
        problems_add(r->problems, map->line, map->column, "a benchmark needs an 'id'");
    }
    spec_read(r, suite_benchmark_table, m.map, &m.keys);
    *m.b = (struct suite_benchmark){
        .suite = s->suite,
        .id = m.keys.id ? m.keys.id : "",
        .title = m.keys.name ? m.keys.name : m.keys.id,
        .description = m.keys.description,
        .test_type = m.keys.test_type ? test_types[m.keys.test_type] : NULL,
        .metrics = value_get(m.map, "metrics_measured"),
        .base_dir = s->base_dir,
    };
    read_limits(&m);
    read_dataset(&m);
    const struct value *judges = read_rubrics(&m);
    m.b->settings = make_settings(&m, judges);
    const struct value *agents = choose_agents(&m);
    const struct value *params = make_params(&m, judges);
    spec_read_entry(r, make_entry_map(&m, params, agents ? agents : s->agents), entry);
    if (!agents) entry->agents = NULL;
    spec_override_entry(r, s->o, entry);
    note_what_is_left_out(&m);
    const char **remarks = arena_new(r->out, const char *, m.remark_count + 1);
    memcpy(remarks, m.remarks, m.remark_count * sizeof *remarks);
    m.b->remarks = remarks;
    m.b->remark_count = m.remark_count;
    struct suite_constraints limits = {0};
    spec_read(r, suite_constraints_table, m.b->constraints, &limits);
    entry->benchmark = m.b;
    entry->case_count = m.b->cases.count ? (int64_t)m.b->cases.count : 1;
    if (entry->time_limit_s == 0) {
        entry->time_limit_s = limits.time_limit_ms / 1000 * (double)most_turns(&m.b->cases);
    }
    if (r->problems->total == 0) suite_hash_benchmark(m.b, r->out);
}
