/* The file as a whole, in our shape or in that of requirement 1.1, whose keys
 * (suite_id, suite_name, ...) are renamed to ours before anything is checked. */
#include "spec/spec_suite_internal.h"

#include "model/vocabulary.h"

enum { BENCHMARKS_MAX = 1000 };

struct root_keys {
    const struct value *suite;
    const struct value *agents;
    const struct value *judges;
    const struct value *include;
    const struct value *benchmarks;
    const struct value *baseline_scores;
    const struct value *claims;
    const struct value *stress;
    const struct value *stub;
    const struct value *overridable;
    const struct value *shared; /* any of the benchmarks' own keys */
};

struct head_keys {
    const char *id;
    const char *name;
    int category;
    const char *version;
    const char *description;
    const char *created_at;
};

struct baseline_keys {
    const char *agent_id;
    const struct value *scores;
};

#define LOAD(field) .offset = offsetof(struct suite_stress, field)
#define ROOT(field) .offset = offsetof(struct root_keys, field)
#define HEAD(field) .offset = offsetof(struct head_keys, field)
#define BASE(field) .offset = offsetof(struct baseline_keys, field)

static const struct param root_rows[] = {
    {"suite", PARAM_MAP, ROOT(suite), .help = "{id, name, category, version}"},
    {"agents", PARAM_ANY, ROOT(agents), .help = "the agents to benchmark"},
    {"judges", PARAM_ANY, ROOT(judges), .help = "agents that checks ask; not benchmarked"},
    {"include", PARAM_ANY, ROOT(include), .help = "file or files with more agents"},
    {"benchmarks", PARAM_ANY, ROOT(benchmarks), .help = "what is asked"},
    {"baseline_scores", PARAM_ANY, ROOT(baseline_scores),
     .help = "[{agent_id, scores}]: what results are compared with"},
    {"claims", PARAM_ANY, ROOT(claims), .help = "statements that the samples decide"},
    {"overridable", PARAM_ANY, ROOT(overridable),
     .help = "what a run that the API starts may set: [iterations.measured, "
             "agents.ID.config.KEY]"},
    {"stress", PARAM_ANY, ROOT(stress),
     .help = "how `assay stress FILE` loads the agents: {scenarios, rate, quick, ...}"},
    {"stub", PARAM_MAP, ROOT(stub),
     .help = "how the model of --stub behaves: ttft_ms, gap_ms, tokens, answers (a file)"},
    {"notes", PARAM_TEXT, ROOT(shared), .help = "why this is measured"},
    {"output_dir", PARAM_TEXT, ROOT(shared), .help = "folder for result files"},
    {"parallelism", PARAM_INT, ROOT(shared), .min = 1, .max = 1024, .help = "groups at once"},
    {"interleave", PARAM_ANY, ROOT(shared), .help = "false: one agent after the other"},
};

static const struct param head_rows[] = {
    {"id", PARAM_TEXT, HEAD(id), .help = "the name people use"},
    {"name", PARAM_TEXT, HEAD(name), .help = "a longer name"},
    {"category", PARAM_CHOICE, HEAD(category), .fallback = "\"comprehensive\"",
     .choices = VOCABULARY_SUITE_CATEGORIES, .help = "what it is mainly about"},
    {"version", PARAM_TEXT, HEAD(version), .help = "which version of it this is"},
    {"description", PARAM_TEXT, HEAD(description), .help = "what it is"},
    {"created_at", PARAM_TEXT, HEAD(created_at), .help = "when it was written"},
};

static const struct param baseline_rows[] = {
    {"agent_id", PARAM_TEXT, BASE(agent_id), .required = true, .help = "whose scores"},
    {"scores", PARAM_MAP, BASE(scores), .required = true,
     .help = "accuracy, speed, efficiency, cost, reliability, overall"},
};

static const struct param stress_rows[] = {
    {"scenarios", PARAM_TEXT_LIST, LOAD(scenarios), .fallback = "[\"all\"]",
     .help = "ways to load them (`assay describe scenarios`), or all"},
    {"agents", PARAM_TEXT_LIST, LOAD(agents), .fallback = "[]",
     .help = "agents that are loaded, by id; default: every agent of the suite"},
    {"benchmark", PARAM_TEXT, LOAD(benchmark),
     .help = "whose cases are the requests; needed where the suite has several"},
    {"rate", PARAM_REAL, LOAD(rate), .fallback = "0", .max = 1e7, .unit = "1/s",
     .help = "the normal load; 0: it is measured"},
    {"connections", PARAM_INT, LOAD(connections), .fallback = "0", .max = 100000,
     .help = "requests in flight, or processes of a program; 0: as `assay stress` has it"},
    {"factor", PARAM_REAL, LOAD(factor), .fallback = "10", .min = 1.5, .max = 1e6,
     .help = "high load, as a multiple of the normal one"},
    {"p95_ms", PARAM_REAL, LOAD(p95_ms), .fallback = "0", .max = 1.8e6, .unit = "ms",
     .help = "objective: 95 % of answers within it; 0: ten times the usual"},
    {"max_errors", PARAM_SHARE, LOAD(max_errors), .fallback = "0.01", .max = 1,
     .help = "objective: at most this share of requests without a good answer"},
    {"timeout_ms", PARAM_REAL, LOAD(timeout_ms), .fallback = "10000", .min = 1, .max = 1.8e6,
     .unit = "ms", .help = "time limit of a request"},
    {"serve", PARAM_TEXT, LOAD(serve),
     .help = "shell command of the server behind an http or openai agent: started first"},
    {"quick", PARAM_BOOL, LOAD(quick), .fallback = "false", .help = "short phases"},
    {"allow_hosts", PARAM_TEXT_LIST, LOAD(allow_hosts), .fallback = "[]",
     .help = "other machines that may be loaded: you answer for it. Holds only in a file that "
             "is named on the command line"},
};

/* Read again by `run --stub`, which starts the stub before the rest is checked. */
struct stub_keys {
    const char *texts[4];
};
#define STUB(i) .offset = offsetof(struct stub_keys, texts[i])

static const struct param stub_rows[] = {
    {"ttft_ms", PARAM_TEXT, STUB(0), .help = "time to the first token: 50, normal:50,10, ..."},
    {"gap_ms", PARAM_TEXT, STUB(1), .help = "time between tokens"},
    {"tokens", PARAM_TEXT, STUB(2), .help = "length of an answer"},
    {"answers", PARAM_TEXT, STUB(3),
     .help = "file of JSON lines {match, answer or tool_calls}"},
};

const struct param_table suite_stub_table = {stub_rows, COUNT(stub_rows)};
static const struct param_table stress_table = {stress_rows, COUNT(stress_rows)};
const struct param_table suite_head_table = {head_rows, COUNT(head_rows)};
const struct param_table suite_baseline_table = {baseline_rows, COUNT(baseline_rows)};

const struct value *suite_rename(struct spec_reader *r, const struct value *map,
                                 const char *const *names, size_t count)
{
    struct value_pair *pairs = arena_new(r->out, struct value_pair, map->map.count);
    for (size_t i = 0; i < map->map.count; i++) {
        pairs[i] = map->map.pairs[i];
        for (size_t k = 0; k + 1 < count; k += 2) {
            if (!str_is(pairs[i].key, names[k])) continue;
            if (value_get(map, names[k + 1])) {
                problems_add(r->problems, pairs[i].line, pairs[i].column,
                             "'%s' and '%s' are two names of one key: give only one", names[k],
                             names[k + 1]);
            }
            pairs[i].key = str_of(names[k + 1]);
        }
    }
    struct value *renamed = value_new_map(r->out, pairs, map->map.count);
    renamed->line = map->line;
    renamed->column = map->column;
    return renamed;
}

const char *suite_dir_of(struct arena *out, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!slash) return ".";
    return slash == path ? "/" : arena_copy(out, path, (size_t)(slash - path));
}

bool spec_is_suite(const struct value *root)
{
    return value_get(root, "suite") || value_get(root, "suite_id") ||
           (value_get(root, "benchmarks") && !value_get(root, "experiment"));
}

/* suite_id, suite_name, category, version, ... next to `benchmarks` become the
 * keys of `suite`. */
static const struct value *gather_head(struct spec_reader *r, const struct value *root)
{
    static const char *const names[] = {"suite_id", "id", "suite_name", "name"};
    static const char *const own[] = {"suite_id", "suite_name", "category",
                                      "version",  "created_at", "description"};
    struct value_pair *head = arena_new(r->out, struct value_pair, COUNT(own) + 1);
    struct value_pair *rest = arena_new(r->out, struct value_pair, root->map.count + 1);
    size_t head_count = 0;
    size_t count = 0;
    for (size_t i = 0; i < root->map.count; i++) {
        const struct value_pair *pair = &root->map.pairs[i];
        bool is_head = false;
        for (size_t k = 0; k < COUNT(own); k++) is_head |= str_is(pair->key, own[k]);
        if (is_head) {
            head[head_count++] = *pair;
        } else {
            rest[count++] = *pair;
        }
    }
    if (head_count == 0) return root;
    if (value_get(root, "suite")) {
        problems_add(r->problems, head[0].line, head[0].column,
                     "'%.*s' belongs under 'suite', which is also given", STR_ARG(head[0].key));
        return root;
    }
    struct value *map = value_new_map(r->out, head, head_count);
    map->line = head[0].line;
    map->column = head[0].column;
    rest[count++] = (struct value_pair){.key = S("suite"),
                                        .line = map->line,
                                        .column = map->column,
                                        .value = suite_rename(r, map, names, COUNT(names))};
    struct value *whole = value_new_map(r->out, rest, count);
    whole->line = root->line;
    whole->column = root->column;
    return whole;
}

struct param_table suite_root_table(struct arena *out)
{
    static const char *const not_shared[] = {
        "id",      "name",   "description", "test_type",
        "dataset", "cases",  "num_runs",    "expected_outputs",
        "agents",  "claims", "scenario"};
    struct param_table of = suite_benchmark_table;
    struct param *rows = arena_new(out, struct param, COUNT(root_rows) + of.count);
    memcpy(rows, root_rows, sizeof root_rows);
    size_t n = COUNT(root_rows);
    for (size_t i = 0; i < of.count; i++) {
        bool is_shared = true;
        for (size_t k = 0; k < COUNT(not_shared); k++) {
            is_shared &= strcmp(of.rows[i].name, not_shared[k]) != 0;
        }
        if (is_shared) rows[n++] = of.rows[i];
    }
    return (struct param_table){rows, n};
}

static void read_head(struct suite_reader *s, const struct value *map)
{
    struct spec_reader *r = s->r;
    struct head_keys keys = {0};
    const struct value *clean = spec_clean(r, suite_head_table, map, "'suite'");
    const struct value *id = value_get(clean, "id");
    if (!id || spec_is_empty(id)) {
        const struct value *at = id ? id : map ? map : s->root;
        problems_add(r->problems, at->line, at->column,
                     "a suite needs an id%s: 'suite: {id: NAME}'",
                     id ? ", which is not empty" : "");
    }
    spec_read(r, suite_head_table, clean, &keys);
    *s->suite = (struct suite){
        .id = keys.id ? keys.id : "",
        .title = keys.name ? keys.name : keys.id,
        .category = VOCABULARY_SUITE_CATEGORIES[keys.category],
        .version = keys.version,
        .description = keys.description,
        .created_at = keys.created_at,
    };
}

/* Other names are kept, as requirement 1.1 has it; a slip would leave the score out. */
static void check_score_name(struct spec_reader *r, const struct value_pair *pair)
{
    const char *near = str_suggest(pair->key, vocabulary_scores, VOCABULARY_SCORES + 1);
    if (!near || str_is(pair->key, near)) return;
    problems_add(r->problems, pair->line, pair->column, "unknown score '%.*s'%s%s%s",
                 STR_ARG(pair->key), STR_MEANT(near));
}

static void read_baselines(struct suite_reader *s, const struct value *list)
{
    struct spec_reader *r = s->r;
    if (list->kind != VALUE_LIST) {
        problems_add(r->problems, list->line, list->column,
                     "'baseline_scores' must be a list of {agent_id, scores} (is %s)",
                     value_kind_name(list->kind));
        return;
    }
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *item = list->list.items[i];
        if (item->kind != VALUE_MAP) {
            problems_add(r->problems, item->line, item->column,
                         "a baseline must be a mapping {agent_id, scores} (is %s)",
                         value_kind_name(item->kind));
            continue;
        }
        if (!param_check(suite_baseline_table, item, "a baseline", r->problems)) continue;
        const struct value *scores = value_get(item, "scores");
        for (size_t k = 0; k < scores->map.count; k++) {
            const struct value *v = scores->map.pairs[k].value;
            check_score_name(r, &scores->map.pairs[k]);
            if (value_is_number(v)) continue;
            problems_add(r->problems, v->line, v->column, "a score must be a number (is %s)",
                         value_kind_name(v->kind));
        }
    }
    s->suite->baseline_scores = list;
}

void suite_check_scenarios(struct spec_reader *r, const struct param_texts *names,
                           const struct value *at)
{
    size_t count = 0;
    while (vocabulary_scenarios[count]) count++;
    for (size_t i = 0; i < names->count; i++) {
        struct str name = str_of(names->items[i]);
        bool is_known = false;
        for (size_t k = 0; k < count; k++) is_known |= str_is(name, vocabulary_scenarios[k]);
        const char *near = str_suggest(name, vocabulary_scenarios, count);
        if (is_known) continue;
        problems_add(r->problems, at->line, at->column, "unknown scenario '%s'%s%s%s",
                     names->items[i], STR_MEANT(near));
    }
}

/* A name or a list of names is the section's `scenarios`. */
static void read_stress(struct suite_reader *s, const struct value *section)
{
    static const char *const names[] = {"scenario", "scenarios"};
    struct spec_reader *r = s->r;
    struct suite_stress *stress = arena_new(r->out, struct suite_stress, 1);
    if (section->kind == VALUE_TEXT || section->kind == VALUE_LIST) {
        struct value *map = arena_new(r->out, struct value, 1);
        *map = *value_with(r->out, NULL, S("scenarios"), section);
        map->line = section->line;
        map->column = section->column;
        section = map;
    }
    if (section->kind != VALUE_MAP) {
        problems_add(r->problems, section->line, section->column,
                     "'stress' must be a mapping {scenarios, ...} or a list of scenarios (is "
                     "%s)",
                     value_kind_name(section->kind));
        return;
    }
    section = suite_rename(r, section, names, COUNT(names));
    spec_read(r, stress_table, spec_clean(r, stress_table, section, "'stress'"), stress);
    const struct value *at = value_get(section, "scenarios");
    suite_check_scenarios(r, &stress->scenarios, at ? at : section);
    s->suite->stress = stress;
}

/* Names of agents and benchmarks, when these are known. */
static void check_stress(struct suite_reader *s, const struct spec *spec)
{
    const struct suite_stress *stress = s->suite->stress;
    const struct value *section = value_get(s->root, "stress");
    const struct value *named = value_get(section, "agents");
    bool is_known = !stress || !stress->benchmark;
    for (size_t i = 0; stress && i < stress->agents.count; i++)
        (void)suite_find_agent(s, str_of(stress->agents.items[i]), named);
    for (size_t i = 0; i < spec->entry_count && !is_known; i++) {
        const struct suite_benchmark *b = spec->entries[i].benchmark;
        is_known = b && strcmp(b->id, stress->benchmark) == 0;
    }
    if (is_known) return;
    const struct value *at = value_get(section, "benchmark");
    problems_add(s->r->problems, at->line, at->column, "'stress': no benchmark '%s'",
                 stress->benchmark);
}

/* `agents` says who they are, not who is asked. */
static bool is_shared(struct str key)
{
    return param_find(suite_benchmark_table, key) && !str_is(key, "agents");
}

/* The benchmark with those keys of the root that it does not have itself. */
static const struct value *with_shared(struct suite_reader *s, const struct value *map)
{
    for (size_t i = 0; i < s->root->map.count; i++) {
        const struct value_pair *pair = &s->root->map.pairs[i];
        if (!is_shared(pair->key)) continue;
        if (value_get(map, str_cstr(s->r->out, pair->key))) continue;
        uint32_t line = map->line;
        uint32_t column = map->column;
        struct value *copy = arena_new(s->r->out, struct value, 1);
        *copy = *value_with(s->r->out, map, pair->key, pair->value);
        copy->line = line;
        copy->column = column;
        map = copy;
    }
    return map;
}

static void check_unique(struct suite_reader *s, const struct spec *spec)
{
    for (size_t i = 1; i < spec->entry_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct suite_benchmark *a = spec->entries[i].benchmark;
            const struct suite_benchmark *b = spec->entries[k].benchmark;
            if (!a || !b || strcmp(a->id, b->id) != 0) continue;
            problems_add(s->r->problems, spec->entries[i].line, 1,
                         "two benchmarks have the id '%s'", a->id);
            break;
        }
    }
}

static const struct value *with_our_names(struct spec_reader *r, const struct value *benchmark)
{
    static const char *const names[] = {"benchmark_id", "id", "scoring_rubric", "rubric"};
    return suite_rename(r, benchmark, names, COUNT(names));
}

bool suite_metrics_in(const char *text, const char *benchmark, struct arena *out,
                      const struct value **metrics)
{
    struct problems ignored = {0};
    struct value_error why;
    struct spec_reader r = {.out = out, .problems = &ignored};
    struct suite_reader s = {.r = &r};
    if (!text || !text[0] ||
        !value_read(str_of(text), &value_limits_spec, out, &s.root, &why) ||
        s.root->kind != VALUE_MAP)
        return false;
    const struct value *list = value_get(s.root, "benchmarks");
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        if (list->list.items[i]->kind != VALUE_MAP) continue;
        const struct value *item = with_our_names(&r, list->list.items[i]);
        if (!str_is(value_text(item, "id"), benchmark)) continue;
        *metrics = value_get(with_shared(&s, item), "metrics_measured");
        return true;
    }
    return false;
}

static void read_benchmarks(struct suite_reader *s, const struct value *list, struct spec *spec)
{
    struct spec_reader *r = s->r;
    if (!list || list->kind != VALUE_LIST || list->list.count == 0 ||
        list->list.count > BENCHMARKS_MAX) {
        const struct value *at = list ? list : s->root;
        problems_add(r->problems, at->line, at->column,
                     "a suite needs 'benchmarks': a list of 1 to %d", BENCHMARKS_MAX);
        return;
    }
    size_t shared = 0;
    for (size_t i = 0; i < s->root->map.count; i++) {
        const struct value_pair *pair = &s->root->map.pairs[i];
        if (is_shared(pair->key)) shared += spec_weight(pair->value);
    }
    if (shared * list->list.count > value_limits_spec.max_nodes) {
        problems_add(r->problems, list->line, list->column,
                     "the keys shared by %zu benchmarks make more than %zu values (long texts "
                     "count as several); give them only where needed",
                     list->list.count, value_limits_spec.max_nodes);
        return;
    }
    r->claims_are_shared = list->list.count > 1;
    spec->entries = arena_new(r->out, struct spec_entry, list->list.count);
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *item = list->list.items[i];
        if (item->kind != VALUE_MAP) {
            problems_add(r->problems, item->line, item->column,
                         "a benchmark must be a mapping (is %s)", value_kind_name(item->kind));
            continue;
        }
        item = with_our_names(r, item);
        suite_read_benchmark(s, with_shared(s, item), &spec->entries[spec->entry_count++]);
    }
    check_unique(s, spec);
}

/* After the hash: which of a suite's agents are chosen does not make it another suite. */
static void drop_unasked(struct spec_reader *r, struct spec *spec)
{
    size_t n = 0;
    for (size_t i = 0; i < spec->entry_count; i++) {
        if (spec->entries[i].agents) spec->entries[n++] = spec->entries[i];
    }
    spec->entry_count = n;
    if (n == 0) problems_add(r->problems, 0, 0, "--agent: no benchmark asks these agents");
}

void spec_read_suite(struct spec_reader *r, const struct value *root,
                     const struct spec_override *o, struct spec *spec)
{
    static const char *const names[] = {"scoring_rubric", "rubric"};
    root = gather_head(r, suite_rename(r, root, names, COUNT(names)));
    struct suite_reader s = {
        .r = r,
        .o = o,
        .base_dir = suite_dir_of(r->out, spec->path),
        .suite = arena_new(r->out, struct suite, 1),
        .root = spec_clean(r, suite_root_table(r->out), root, "a suite"),
    };
    read_head(&s, value_get(s.root, "suite"));
    const struct value *baselines = value_get(s.root, "baseline_scores");
    if (baselines) read_baselines(&s, baselines);
    suite_check_overridable(r, value_get(s.root, "overridable"));
    if (value_get(s.root, "stress")) read_stress(&s, value_get(s.root, "stress"));
    const struct value *stub = value_get(s.root, "stub");
    if (stub) (void)spec_clean(r, suite_stub_table, stub, "'stub'");
    suite_read_agents(&s, value_get(s.root, "agents"), value_get(s.root, "judges"),
                      value_get(s.root, "include"));
    read_benchmarks(&s, value_get(s.root, "benchmarks"), spec);
    check_stress(&s, spec);
    s.suite->secrets = suite_secret_list(&s.secrets, r->out);
    spec->suite = s.suite->id;
    if (r->problems->total > 0) return;
    suite_hash(spec, s.suite, r->out);
    drop_unasked(r, spec);
}
