/* One benchmark: cases, rubric and limits checked, then made into the entry of
 * an experiment spec (suite_entry.c), which the ordinary reader checks on. */
#include "base/os.h"
#include "model/template.h"
#include "model/variable.h"
#include "spec/spec_suite_internal.h"
#include "stats/reduce.h"
#include "suite/suite.h"

struct dataset_keys {
    const char *source;
    int64_t size;
    int complexity;
};

#define KEY(field)  .offset = offsetof(struct suite_keys, field)
#define DATA(field) .offset = offsetof(struct dataset_keys, field)

static const char *const test_types[] = {"",       "synthetic", "real_world",
                                         "stress", "edge_case", NULL};
static const char *const complexities[] = {"", "low", "medium", "high", "extreme", NULL};

static const struct param rows[] = {
    {"id", PARAM_TEXT, KEY(id), .help = "the name people use"},
    {"name", PARAM_TEXT, KEY(name), .help = "a longer name"},
    {"description", PARAM_TEXT, KEY(description), .help = "what it is about"},
    {"test_type", PARAM_CHOICE, KEY(test_type), .fallback = "\"\"", .choices = test_types,
     .help = "where its cases come from; of stress they are also asked under load"},
    {"scenario", PARAM_TEXT_LIST, KEY(scenario), .fallback = "[]",
     .help = "of test_type stress: `assay describe scenarios`; default: high_load"},
    {"metrics_measured", PARAM_TEXT_LIST, KEY(metrics_measured), .fallback = "[]",
     .help = "what is shown and watched; default: everything"},
    {"dataset", PARAM_ANY, KEY(dataset), .help = "{source, size, complexity}, or a file"},
    {"cases", PARAM_ANY, KEY(cases), .help = "the cases themselves: [{input, expected}]"},
    {"constraints", PARAM_MAP, KEY(constraints), .help = "limits of one trial"},
    {"targets", PARAM_MAP, KEY(targets), .help = "what the scores compare with"},
    {"expected_outputs", PARAM_ANY, KEY(expected_outputs),
     .help = "accepted answers for cases without 'expected'"},
    {"rubric", PARAM_ANY, KEY(rubric), .help = "how an answer is judged"},
    {"iterations", PARAM_MAP, KEY(iterations), .help = "{warmup: trials, measured: passes}"},
    {"num_runs", PARAM_INT, KEY(num_runs), .min = 1, .max = 1e9, .help = "measured passes"},
    {"stop_early", PARAM_MAP, KEY(stop_early), .help = "{failures_in_a_row, breach}"},
    {"environment", PARAM_MAP, KEY(environment), .help = "files, env, setup, cleanup, workdir"},
    {"tags", PARAM_TEXT_LIST, KEY(tags), .fallback = "[]", .help = "words for --only"},
    {"agents", PARAM_TEXT_LIST, KEY(agents), .fallback = "[]",
     .help = "agents that are asked, by id; default: every agent of the suite"},
    {"claims", PARAM_ANY, KEY(claims), .help = "statements about this benchmark alone"},
    {"instrumentation", PARAM_ANY, KEY(instrumentation), .help = "measured besides time"},
    {"prompts", PARAM_ANY, KEY(prompts), .help = "{name: text with {{input}}}: one cell each"},
    {"seed", PARAM_INT, KEY(seed), .fallback = "42", .help = "seed of all random numbers"},
    {"until", PARAM_MAP, KEY(until), .help = "when to stop"},
    {"weights", PARAM_MAP, KEY(weights),
     .help = "weights of the five scores in the overall score"},
    {"pass_at", PARAM_REAL, KEY(pass_at), .fallback = "1", .min = 1e-6, .max = 1,
     .help = "accuracy from which a case counts as passed"},
    {"pass_k", PARAM_INT_LIST, KEY(pass_k), .fallback = "[]", .min = 1, .max = 1000,
     .help = "the k of pass@k and pass^k that are shown, such as [1, 3]"},
    {"reducer", PARAM_CHOICE, KEY(reducer), .fallback = "\"mean\"", .choices = reducer_names,
     .help = "how several passes of a case are combined: mean, median, or all (the worst)"},
};

const struct param_table suite_benchmark_table = {rows, COUNT(rows)};

static const struct param dataset_rows[] = {
    {"source", PARAM_TEXT, DATA(source), .help = "file of cases: .jsonl, .ndjson, .csv"},
    {"size", PARAM_INT, DATA(size), .fallback = "0", .min = 0, .max = 1e9,
     .help = "that many cases, drawn with the seed; 0 = all"},
    {"complexity", PARAM_CHOICE, DATA(complexity), .fallback = "\"\"", .choices = complexities,
     .help = "how hard they are"},
};

static const struct param file_rows[] = {
    {"from", PARAM_TEXT, .help = "the file that is copied into the work folder"},
};

static const struct param_table file_table = {file_rows, COUNT(file_rows)};
static const struct param_table dataset_table = {dataset_rows, COUNT(dataset_rows)};

static void remark(struct suite_making *m, const char *text)
{
    if (m->remark_count < COUNT(m->remarks)) m->remarks[m->remark_count++] = text;
}

static const struct value *none_if_empty(const struct value *map)
{
    return map && map->map.count > 0 ? map : NULL;
}

/* ---- cases ---- */

static bool read_cases(struct suite_making *m, const char *source,
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
    const char *path = os_path_below(m->s->base_dir, str_of(source), r->out);
    if (!os_exists(path)) {
        const struct value *at = value_get(m->keys.dataset, "source");
        if (!at) at = m->map;
        return problems_add(r->problems, at->line, at->column,
                            "dataset '%s' does not exist (looked for %s)", source, path);
    }
    return dataset_read_file(path, options, r->out, &m->b->cases, r->problems);
}

static void read_dataset(struct suite_making *m)
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

/* ---- environment ---- */

/* What cannot be read cannot be copied for the agent, nor identified by its content. */
static void check_source(struct suite_making *m, const struct value *from)
{
    struct spec_reader *r = m->s->r;
    struct arena scratch = arena_open();
    struct str bytes = {0};
    struct error err = {0};
    const char *path = os_path_below(m->s->base_dir, from->source, &scratch);
    if (!os_exists(path)) {
        problems_add(r->problems, from->line, from->column, "'%.*s' does not exist",
                     STR_ARG(from->source));
    } else if (!os_read_file(path, SUITE_FILE_MAX, &scratch, &bytes, &err)) {
        problems_add(r->problems, from->line, from->column, "%s", err.text);
    }
    arena_close(&scratch);
}

static void check_files(struct suite_making *m, const struct value *files)
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
        if (pair->value->kind == VALUE_MAP) {
            (void)spec_clean(r, file_table, pair->value, "a file");
        }
        if (!from || from->kind != VALUE_TEXT) {
            problems_add(r->problems, pair->value->line, pair->value->column,
                         "file '%.*s' must be its text or {from: path} (is %s)",
                         STR_ARG(pair->key), value_kind_name(pair->value->kind));
        } else {
            check_source(m, from);
        }
    }
}

static void check_variables(struct suite_making *m, const struct value *env)
{
    for (size_t i = 0; i < env->map.count; i++) {
        const struct value_pair *pair = &env->map.pairs[i];
        struct error err = {0};
        bool is_name = pair->key.n > 0 && !memchr(pair->key.p, '=', pair->key.n);
        if (!is_name) {
            problems_add(m->s->r->problems, pair->line, pair->column,
                         "'%.*s' is not a name of an environment variable", STR_ARG(pair->key));
        }
        if (variable_check(pair->value, &err)) continue;
        problems_add(m->s->r->problems, pair->value->line, pair->value->column,
                     "variable '%.*s' %s", STR_ARG(pair->key), err.text);
    }
}

static const struct value *clean_map(struct suite_making *m, struct param_table table,
                                     const struct value *map, const char *what)
{
    return map ? none_if_empty(spec_clean(m->s->r, table, map, what)) : NULL;
}

static void read_limits(struct suite_making *m)
{
    m->b->constraints =
        clean_map(m, suite_constraints_table, m->keys.constraints, "'constraints'");
    m->b->targets = clean_map(m, suite_targets_table, m->keys.targets, "'targets'");
    m->keys.weights = clean_map(m, suite_weights_table, m->keys.weights, "'weights'");
    m->keys.environment =
        clean_map(m, suite_environment_table, m->keys.environment, "'environment'");
    const struct value *files = value_get(m->keys.environment, "files");
    if (files) check_files(m, files);
    const struct value *env = value_get(m->keys.environment, "env");
    if (env) check_variables(m, env);
    suite_add_variable_secrets(&m->s->secrets, env);
    const struct value *workdir = value_get(m->keys.environment, "workdir");
    if (workdir && !os_is_dir(str_cstr(m->s->r->out, workdir->source))) {
        problems_add(m->s->r->problems, workdir->line, workdir->column,
                     "workdir '%.*s' is not an existing folder", STR_ARG(workdir->source));
    }
}

/* ---- judges ---- */

struct judges {
    struct suite_making *m;
    const struct value *items[16];
    size_t count;
};

static void add_judge(void *context, const char *id)
{
    struct judges *j = context;
    for (size_t i = 0; i < j->count; i++) {
        if (str_is(suite_agent_id(j->items[i]), id)) return;
    }
    const struct value *at = j->m->keys.rubric;
    const struct value *agent = suite_find_agent(j->m->s, str_of(id), at);
    if (!agent) return;
    if (j->count < COUNT(j->items)) {
        j->items[j->count++] = agent;
    } else {
        problems_add(j->m->s->r->problems, at ? at->line : 0, at ? at->column : 0,
                     "benchmark '%s' asks more than %zu judges", j->m->b->id, COUNT(j->items));
    }
}

/* The default rubric is exact. */
static const struct value *read_rubrics(struct suite_making *m)
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

/* ---- what can be known before any work ---- */

/* A field that no case has: a slip of the pen, and every trial would fail of it. Turns of a
 * conversation have fields of their own. */
static void check_template(struct suite_making *m, const struct value *tree)
{
    struct error err = {0};
    const struct case_set *cases = &m->b->cases;
    if (!tree) return;
    for (size_t i = 0; i < cases->count; i++) {
        if (cases->items[i].turn_count > 0) return;
        if (template_check(tree, cases->items[i].fields, &err)) return;
    }
    if (cases->count == 0) return;
    problems_add(m->s->r->problems, tree->line, tree->column, "benchmark '%s': %s", m->b->id,
                 err.text);
}

static void check_templates(struct suite_making *m, const struct value *agents)
{
    const struct value *prompts = m->keys.prompts;
    if (prompts && (prompts->kind == VALUE_MAP || prompts->kind == VALUE_LIST)) {
        check_template(m, prompts);
    }
    for (size_t i = 0; agents && i < agents->list.count; i++) {
        const struct value *http = value_get(agents->list.items[i], "http");
        check_template(m, value_get(http, "body"));
        check_template(m, value_get(http, "url"));
    }
}

static void remark_on_unjudged(struct suite_making *m)
{
    const struct rubric *common = NULL;
    size_t unjudged = 0;
    struct problems ignored = {.arena = m->s->r->out, .file = "rubric"};
    if (m->keys.rubric || !rubric_read(NULL, m->s->r->out, &common, &ignored)) return;
    for (size_t i = 0; i < m->b->cases.count; i++) {
        const struct case_item *item = &m->b->cases.items[i];
        bool has_own = item->rubric != NULL || item->turn_count > 0;
        unjudged += !has_own && !rubric_judges(common, item->expected);
    }
    if (unjudged == 0) return;
    remark(m, arena_printf(m->s->r->out,
                           "%zu of %zu cases have no expected answer and are not judged: give "
                           "'expected', or a rubric that needs none",
                           unjudged, m->b->cases.count));
}

static int by_content(const void *a, const void *b)
{
    const struct case_item *x = *(const struct case_item *const *)a;
    const struct case_item *y = *(const struct case_item *const *)b;
    int order = strcmp(x->hash, y->hash);
    return order ? order : (x->position > y->position) - (x->position < y->position);
}

/* Cases are known by their content (suite/scoring.c): what differs in its id only is one
 * case, asked several times. Whoever wrote it twice should know. */
static void remark_on_equal(struct suite_making *m)
{
    const struct case_set *cases = &m->b->cases;
    struct arena scratch = arena_open();
    const struct case_item **items =
        arena_new(&scratch, const struct case_item *, cases->count);
    for (size_t i = 0; i < cases->count; i++) items[i] = &cases->items[i];
    if (cases->count > 1) qsort(items, cases->count, sizeof *items, by_content);
    const struct case_item *first = NULL;
    const struct case_item *second = NULL;
    size_t distinct = cases->count;
    for (size_t i = 1; i < cases->count; i++) {
        if (strcmp(items[i - 1]->hash, items[i]->hash) != 0) continue;
        distinct--;
        if (first || strcmp(items[i - 1]->id, items[i]->id) == 0) continue;
        first = items[i - 1];
        second = items[i];
    }
    if (first) {
        remark(m,
               arena_printf(m->s->r->out,
                            "%zu of %zu cases are different: '%s' and '%s' have the same input "
                            "and expected answer, and count as one case that is repeated",
                            distinct, cases->count, first->id, second->id));
    }
    arena_close(&scratch);
}

static size_t most_turns(const struct case_set *cases)
{
    size_t most = 1;
    for (size_t i = 0; i < cases->count; i++) {
        if (cases->items[i].turn_count > most) most = cases->items[i].turn_count;
    }
    return most;
}

static void read_scenarios(struct suite_making *m)
{
    const struct value *at = value_get(m->map, "scenario");
    m->b->scenarios = m->keys.scenario;
    if (!at) return;
    suite_check_scenarios(m->s->r, &m->keys.scenario, at);
    if (m->b->test_type && strcmp(m->b->test_type, "stress") == 0) return;
    problems_add(m->s->r->problems, at->line, at->column,
                 "'scenario' needs 'test_type: stress'");
}

void suite_read_benchmark(struct suite_reader *s, const struct value *map,
                          struct spec_entry *entry)
{
    struct spec_reader *r = s->r;
    struct suite_making m = {.s = s, .b = arena_new(r->out, struct suite_benchmark, 1)};
    m.map = spec_clean(r, suite_benchmark_table, map, "a benchmark");
    const struct value *id = value_get(m.map, "id");
    if (!id || spec_is_empty(id)) {
        const struct value *at = id ? id : map;
        problems_add(r->problems, at->line, at->column, "a benchmark needs an 'id'%s",
                     id ? ", which is not empty" : "");
    }
    spec_read(r, suite_benchmark_table, m.map, &m.keys);
    *m.b = (struct suite_benchmark){
        .suite = s->suite,
        .id = m.keys.id ? m.keys.id : "",
        .title = m.keys.name ? m.keys.name : m.keys.id,
        .description = m.keys.description,
        .test_type = m.keys.test_type ? test_types[m.keys.test_type] : NULL,
        .base_dir = s->base_dir,
    };
    read_limits(&m);
    read_dataset(&m);
    const struct value *judges = read_rubrics(&m);
    m.b->settings = suite_make_settings(&m, judges);
    const struct value *agents = suite_choose_agents(&m);
    spec_read_entry(r, suite_make_entry(&m, judges, agents ? agents : s->agents), entry);
    if (!agents) entry->agents = NULL;
    spec_override_entry(r, s->o, entry);
    m.b->metrics = suite_read_metrics(&m, entry);
    read_scenarios(&m);
    check_templates(&m, agents);
    remark_on_unjudged(&m);
    remark_on_equal(&m);
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
