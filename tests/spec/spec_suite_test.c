/* Suites as files: what is accepted, what is refused and how it is said, and
 * what the content hash covers. */
#include "base/os.h"
#include "spec/plan.h"
#include "spec/spec_suite.h"
#include "tests/test.h"

struct loaded {
    struct arena arena;
    struct problems problems;
    struct spec *spec;
    bool is_right;
};

static bool find_registered(void *context, const char *name, struct arena *out,
                            const struct value **agent, struct error *err)
{
    (void)context;
    if (strcmp(name, "kept") != 0) return error_set(err, ERROR_NOT_FOUND, "no '%s'", name);
    return value_read_json(S("{\"id\":\"kept\",\"version\":\"7\",\"noop\":{}}"),
                           &value_limits_spec, out, agent, err);
}

static struct loaded load_with(const char *yaml, struct spec_override o)
{
    struct loaded l = {.arena = arena_open()};
    l.problems = (struct problems){.arena = &l.arena};
    o.find_agent = find_registered;
    l.is_right =
        spec_load("tests/spec/s.yaml", str_of(yaml), &o, &l.arena, &l.spec, &l.problems);
    return l;
}

static struct loaded load(const char *yaml)
{
    return load_with(yaml, SPEC_OVERRIDE_NONE);
}

static void close_loaded(struct loaded *l)
{
    arena_close(&l->arena);
}

static struct loaded right(const char *yaml)
{
    struct loaded l = load(yaml);
    if (!l.is_right) {
        fail_msg("%u:%u %s", l.problems.items[0].line, l.problems.items[0].column,
                 l.problems.items[0].text);
    }
    return l;
}

/* One problem of it says `text`. */
static void wrong(const char *yaml, const char *text)
{
    struct loaded l = load(yaml);
    bool is_said = false;
    for (size_t i = 0; i < l.problems.kept; i++)
        is_said |= strstr(l.problems.items[i].text, text) != NULL;
    if (l.is_right || !is_said)
        fail_msg("%s: wanted '%s', got '%s'", yaml, text,
                 l.problems.kept ? l.problems.items[0].text : "nothing");
    close_loaded(&l);
}

#define HEAD  "suite: {id: s}\nagents: [{id: a, noop: {}}]\n"
#define CASES "cases: [{input: x, expected: y}]"
#define BENCH "benchmarks: [{id: b, " CASES "}]\n"

TEST(wrong_files_are_told_with_their_places)
{
    static const struct {
        const char *yaml;
        const char *place; /* "line:column", "" = any */
        const char *text;  /* part of it */
    } table[] = {
        {"suite: {name: x}\nagents: [{id: a, noop: {}}]\n" BENCH, "1:8", "needs an id"},
        {"suite: {id: ''}\nagents: [{id: a, noop: {}}]\n" BENCH, "1:13",
         "needs an id, which is not empty"},
        {"suite: {id: s}\nagents: [{id: '', noop: {}}]\n" BENCH, "2:15",
         "an agent needs an 'id', which is not empty"},
        {HEAD "benchmarks: [{id: ' ', " CASES "}]\n", "3:19",
         "a benchmark needs an 'id', which is not empty"},
        {"suite: {id: s, categry: speed}\nagents: [{id: a, noop: {}}]\n" BENCH, "1:16",
         "did you mean 'category'"},
        {"suite: {id: s, category: fast}\nagents: [{id: a, noop: {}}]\n" BENCH, "1:26",
         "speed"},
        {"suite: {id: s}\nagens: [{id: a, noop: {}}]\n" BENCH, "2:1", "did you mean 'agents'"},
        {"suite: {id: s}\n" BENCH, "", "a suite needs agents"},
        {"suite: {id: s}\nagents: []\n" BENCH, "2:9", "is empty"},
        {"suite: {id: s}\nagents: [{id: a}]\n" BENCH, "2:10", "exactly one of"},
        {"suite: {id: s}\nagents: [{id: a, noop: {}, process: {command: cat}}]\n" BENCH, "2:10",
         "exactly one of"},
        {"suite: {id: s}\nagents: [{id: a, processs: {command: cat}}]\n" BENCH, "2:18",
         "did you mean 'process'"},
        {"suite: {id: s}\nagents: [{id: a, process: {comand: cat}}]\n" BENCH, "2:28",
         "did you mean 'command'"},
        {"suite: {id: s}\nagents: [{id: a, process: {mode: session}}]\n" BENCH, "",
         "needs parameter 'command'"},
        {"suite: {id: s}\nagents: [{id: a, noop: {}}, {id: a, noop: {}}]\n" BENCH, "2:29",
         "two agents have the id 'a'"},
        {"suite: {id: s}\nagents: [{id: a, noop: {}, prices: {inputs: 3}}]\n" BENCH, "2:37",
         "did you mean 'input'"},
        {"suite: {id: s}\nagents: [nobody]\n" BENCH, "2:10", "no agent 'nobody'"},
        {"suite: {id: s}\ninclude: nothing.yaml\n" BENCH, "2:10", "include:"},
        {HEAD, "", "'benchmarks': a list"},
        {HEAD "benchmarks: [{" CASES "}]\n", "3:14", "needs an 'id'"},
        {HEAD "benchmarks: [{id: b}]\n", "3:14", "needs cases"},
        {HEAD "benchmarks: [{id: b, dataset: {source: none.jsonl}}]\n", "3:40",
         "does not exist"},
        {HEAD "benchmarks: [{id: b, " CASES "}, {id: b, " CASES "}]\n",
         "3:", "two benchmarks have the id 'b'"},
        {HEAD "benchmarks: [{id: b, test_type: slow, " CASES "}]\n", "3:33", "synthetic"},
        {HEAD "benchmarks: [{id: b, constraints: {time_limit: 3}, " CASES "}]\n", "3:36",
         "did you mean 'time_limit_ms'"},
        {HEAD "benchmarks: [{id: b, constraints: {time_limit_ms: -3}, " CASES "}]\n", "3:51",
         "at least 0"},
        {HEAD "benchmarks: [{id: b, targets: {duration: 3}, " CASES "}]\n", "3:32",
         "duration_s"},
        {HEAD "benchmarks: [{id: b, rubric: [{check: exakt, weight: 1}], " CASES "}]\n",
         "3:", "exact"},
        {HEAD "benchmarks: [{id: b, rubric: [{check: exact, weight: 0.4}], " CASES "}]\n",
         "3:", "1"},
        {HEAD "benchmarks: [{id: b, rubric: exact, scoring_rubric: exact, " CASES "}]\n",
         "3:37", "two names of one key"},
        {HEAD "benchmarks: [{id: b, num_runs: 3, iterations: {measured: 2}, " CASES "}]\n", "",
         "two names of one key"},
        {HEAD "benchmarks: [{id: b, iterations: {warmups: 2}, " CASES "}]\n", "3:35",
         "did you mean 'warmup'"},
        {HEAD "benchmarks: [{id: b, stop_early: {breech: true}, " CASES "}]\n", "3:35",
         "did you mean 'breach'"},
        {HEAD "benchmarks: [{id: b, environment: {files: {/etc/x: y}}, " CASES "}]\n", "3:44",
         "inside the work folder"},
        {HEAD "benchmarks: [{id: b, environment: {files: {x: {from: gone}}}, " CASES "}]\n",
         "3:54", "does not exist"},
        {HEAD "benchmarks: [{id: b, environment: {files: {x: {from: /}}}, " CASES "}]\n",
         "3:54", "'/' is a folder"},
        {HEAD "benchmarks: [{id: b, environment: {files: {x: {from: /dev/zero}}}, " CASES
              "}]\n",
         "3:54", "larger than the limit"},
        {HEAD "benchmarks: [{id: b, environment: {workdir: /gone}, " CASES "}]\n", "3:45",
         "is not an existing folder"},
        {HEAD "benchmarks: [{id: b, environment: {env: {A=B: c}}, " CASES "}]\n", "3:42",
         "'A=B' is not a name of an environment variable"},
        {HEAD "benchmarks: [{id: b, environment: {env: {A: [c]}}, " CASES "}]\n", "3:45",
         "must be a text, a number or {from: NAME} (is a list)"},
        {HEAD "benchmarks: [{id: b, environment: {files: {x: {from: gone, mode: 7}}}, " CASES
              "}]\n",
         "3:60", "unknown key 'mode' of a file; it takes from"},
        {HEAD "benchmarks: [{id: b, prompts: 3, " CASES "}]\n", "3:31", "{name: text}"},
        {HEAD "benchmarks: [{id: b, pass_at: 0, " CASES "}]\n", "3:31",
         "'pass_at' must be at least 1e-06 (is 0)"},
        {HEAD "benchmarks: [{id: b, weights: {accurcy: 1}, " CASES "}]\n", "3:32",
         "did you mean 'accuracy'"},
        {"suite: {id: s}\nagents: {id: a}\n" BENCH, "2:9",
         "must be a list of names or mappings"},
        {"suite: {id: s}\nagents: []\n" BENCH, "2:9", "(is empty)"},
        {HEAD "claims: [{name: c, metric: acuracy, expect: {at_least: 1}}]\n" BENCH, "3:28",
         "did you mean 'accuracy'"},
        {HEAD "judges: me\n" BENCH, "3:9", "'judges' must be a list"},
        {HEAD "include: 3\n" BENCH, "3:10", "'include' must be a file name or a list"},
        {HEAD "include: gone.yaml\n" BENCH, "3:10", "include: cannot open"},
        {"suite: {id: s}\nagents: [{id: a, noop: {}, process: {command: x}}]\n" BENCH, "2:10",
         "exactly one of"},
        {"suite: {id: s}\nagents: [7]\n" BENCH, "2:10", "(is a number)"},
        {HEAD "baseline_scores: [{agent: a}]\n" BENCH, "3:19", "agent_id"},
        {HEAD "baseline_scores: [{agent_id: a, scores: {accuracy: good}}]\n" BENCH, "3:52",
         "must be a number"},
        {HEAD "baseline_scores: [{agent_id: a, scores: {acuracy: 1}}]\n" BENCH, "3:42",
         "did you mean 'accuracy'"},
        {"suite: {id: s}\nsuite_id: s\nagents: [{id: a, noop: {}}]\n" BENCH, "2:1",
         "belongs under 'suite'"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct loaded l = load(table[i].yaml);
        if (l.is_right) fail_msg("accepted: %s", table[i].yaml);
        size_t k = 0;
        while (k < l.problems.kept && !strstr(l.problems.items[k].text, table[i].text)) k++;
        const struct problem *p = &l.problems.items[k % PROBLEMS_MAX];
        if (k == l.problems.kept)
            fail_msg("%s\nsays '%s', expected '%s'", table[i].yaml, l.problems.items[0].text,
                     table[i].text);
        char place[40];
        snprintf(place, sizeof place, "%u:%u", p->line, p->column);
        if (strncmp(place, table[i].place, strlen(table[i].place)) != 0)
            fail_msg("%s\nat %s, expected %s: %s", table[i].yaml, place, table[i].place,
                     p->text);
        close_loaded(&l);
    }
}

TEST(all_problems_are_told_at_once)
{
    struct loaded l = load("suite: {id: s, categry: x}\nagents: [{id: a, noop: {}}]\n"
                           "benchmarks: [{id: b, constraints: {tim: 1}}, {cases: 3}]\n");
    assert_false(l.is_right);
    assert_true(l.problems.total >= 4);
    close_loaded(&l);
}

TEST(a_suite_becomes_one_entry_per_benchmark)
{
    struct loaded l =
        right(HEAD "seed: 7\n"
                   "benchmarks:\n"
                   "  - {id: one, tags: [t], " CASES "}\n"
                   "  - {id: two, iterations: {warmup: 0, measured: 2},\n"
                   "     stop_early: {failures_in_a_row: 4, breach: true},\n"
                   "     constraints: {time_limit_ms: 1500},\n"
                   "     cases: [{turns: [{input: a}, {input: b}], expected: c},\n"
                   "             {input: d, expected: e}]}\n");
    assert_int_equal(l.spec->entry_count, 2);
    const struct spec_entry *one = &l.spec->entries[0];
    const struct spec_entry *two = &l.spec->entries[1];
    assert_string_equal(one->experiment->name, "suite");
    assert_int_equal(one->warmup, 3);
    assert_int_equal(one->measured, 5);
    assert_int_equal(one->seed, 7);
    assert_int_equal(one->stop_failures, 0); /* an agent that fails is measured on */
    assert_int_equal(one->case_count, 1);
    assert_int_equal(two->warmup, 0);
    assert_int_equal(two->case_count, 2);
    assert_int_equal(spec_trials(two), 4);
    assert_int_equal(two->stop_failures, 4);
    assert_true(two->stop_breach);
    assert_close(two->time_limit_s, 3.0, 1e-12); /* each of the two turns has its limit */
    close_loaded(&l);
}

/* Requirement 1.1, key by key. */
TEST(the_shape_of_the_requirement_is_taken)
{
    const char *dir = NULL;
    struct error err = {0};
    struct arena arena = arena_open();
    assert_true(os_make_temp_dir("suite-test", &arena, &dir, &err));
    assert_true(os_write_file(arena_printf(&arena, "%s/d.jsonl", dir),
                              S("{\"input\":\"1\"}\n{\"input\":\"2\"}\n{\"input\":\"3\"}\n"),
                              &err));
    const char *text = arena_printf(
        &arena,
        "{\"suite_id\":\"r\",\"suite_name\":\"R\",\"category\":\"reliability\",\"benchmarks\":"
        "[{\"benchmark_id\":\"b1\",\"name\":\"B\",\"description\":\"d\",\"test_type\":"
        "\"edge_case\",\"metrics_measured\":[\"duration_s\",\"accuracy\"],\"dataset\":{"
        "\"size\":"
        "2,\"complexity\":\"extreme\",\"data_source\":\"%s/d.jsonl\"},\"constraints\":{"
        "\"time_limit_ms\":900,\"memory_limit_mb\":64,\"token_limit\":9,\"cost_limit_usd\":1},"
        "\"expected_outputs\":[\"1\",\"2\",\"3\"],\"scoring_rubric\":{\"exact\":1}}],"
        "\"baseline_scores\":[{\"agent_id\":\"kept\",\"scores\":{\"accuracy\":0.5}}],"
        "\"version\":\"2.1\",\"created_at\":\"2026-01-01T00:00:00Z\"}",
        dir);
    const char *agents[] = {"kept"};
    struct spec_override o = SPEC_OVERRIDE_NONE;
    o.agents = agents;
    o.agent_count = 1;
    struct loaded l = load_with(text, o);
    if (!l.is_right) fail_msg("%s", l.problems.items[0].text);
    const struct suite_benchmark *b = l.spec->entries[0].benchmark;
    assert_string_equal(b->suite->id, "r");
    assert_string_equal(b->suite->title, "R");
    assert_string_equal(b->suite->category, "reliability");
    assert_string_equal(b->suite->version, "2.1");
    assert_string_equal(b->id, "b1");
    assert_string_equal(b->test_type, "edge_case");
    assert_string_equal(b->complexity, "extreme");
    assert_int_equal(b->cases.count, 2);
    assert_int_equal(b->cases.items[0].expected->list.count, 3);
    assert_int_equal(l.spec->entries[0].agents->list.count, 1);
    close_loaded(&l);
    os_remove_tree(dir);
    arena_close(&arena);
}

static const char *hash_of(const char *yaml, struct arena *out)
{
    struct loaded l = right(yaml);
    const char *hash = arena_copy(out, l.spec->entries[0].benchmark->content_hash, 64);
    close_loaded(&l);
    return hash;
}

TEST(content_is_what_is_asked_and_how_it_is_judged)
{
    struct arena out = arena_open();
    const char *plain = hash_of(HEAD BENCH, &out);
    static const char *const same[] = {
        HEAD "benchmarks: [{id: b, name: Other, tags: [t], " CASES "}]\n",
        HEAD "benchmarks: [{id: b, iterations: {measured: 9}, " CASES "}]\n",
        "suite: {id: s, version: '2'}\nagents: [{id: z, noop: {}}]\n" BENCH,
    };
    static const char *const other[] = {
        HEAD "benchmarks: [{id: c, " CASES "}]\n",
        HEAD "benchmarks: [{id: b, cases: [{input: x, expected: z}]}]\n",
        HEAD "benchmarks: [{id: b, cases: [{input: x, expected: y, hint: h}]}]\n",
        HEAD "benchmarks: [{id: b, rubric: contains, " CASES "}]\n",
        HEAD "benchmarks: [{id: b, constraints: {token_limit: 5}, " CASES "}]\n",
        HEAD "benchmarks: [{id: b, targets: {duration_s: 5}, " CASES "}]\n",
        HEAD "benchmarks: [{id: b, environment: {env: {A: b}}, " CASES "}]\n",
        HEAD "benchmarks: [{id: b, pass_at: 0.5, " CASES "}]\n",
    };
    for (size_t i = 0; i < COUNT(same); i++) assert_string_equal(hash_of(same[i], &out), plain);
    for (size_t i = 0; i < COUNT(other); i++)
        assert_string_not_equal(hash_of(other[i], &out), plain);
    arena_close(&out);
}

static bool keep_first(void *context, const struct case_item *item)
{
    (void)context;
    return item->position == 0;
}

TEST(some_of_the_cases_are_another_content)
{
    struct loaded l = right(HEAD "benchmarks: [{id: b, cases: [{input: x, expected: y}, "
                                 "{input: z, expected: y}]}]\n");
    struct spec_entry *e = &l.spec->entries[0];
    const char *before = e->benchmark->content_hash;
    char whole[SHA256_HEX_SIZE];
    memcpy(whole, l.spec->hash, sizeof whole);
    assert_true(suite_keep_cases(e, keep_first, NULL, &l.arena));
    suite_rehash(l.spec, &l.arena);
    assert_int_equal(e->case_count, 1);
    assert_string_not_equal(e->benchmark->content_hash, before);
    assert_string_not_equal(l.spec->hash, whole);
    assert_int_equal(e->benchmark->remark_count, 1);
    close_loaded(&l);
}

TEST(agents_are_chosen_listed_and_multiplied_by_prompts)
{
    const char *yaml = "suite: {id: s}\n"
                       "agents: [{id: a, version: '1', noop: {}}, {id: a, version: '2', "
                       "noop: {}}, kept]\n"
                       "prompts: {short: '{{input}}', long: 'please {{input}}'}\n" BENCH;
    struct loaded l = right(yaml);
    struct plan *plan = NULL;
    struct error err = {0};
    assert_true(plan_make(l.spec, &l.arena, &plan, &err));
    assert_int_equal(plan->cell_count, 6);
    assert_int_equal(plan->group_count, 2); /* agents take turns, prompts do not */
    assert_string_equal(plan->groups[0].factor, "agent");
    close_loaded(&l);

    const char *chosen[] = {"a@2"};
    struct spec_override o = SPEC_OVERRIDE_NONE;
    o.agents = chosen;
    o.agent_count = 1;
    l = load_with(yaml, o);
    assert_true(l.is_right);
    assert_int_equal(l.spec->entries[0].agents->list.count, 1);
    assert_string_equal(suite_agent_version(l.spec->entries[0].agents->list.items[0], &l.arena),
                        "2");
    close_loaded(&l);
    chosen[0] = "kept";
    l = load_with(yaml, o);
    assert_true(l.is_right);
    close_loaded(&l);
}

/* A dot in a name is a dot, not a level. */
TEST(a_prompt_may_have_any_name)
{
    struct loaded l = right(HEAD "prompts: {v1.2: '{{input}}', v1.3: 'now {{input}}'}\n" BENCH);
    struct plan *plan = NULL;
    struct error err = {0};
    assert_true(plan_make(l.spec, &l.arena, &plan, &err));
    assert_int_equal(plan->cell_count, 2);
    assert_non_null(strstr(plan->cells[1].params_json, "\"v1.3\":\"now {{input}}\""));
    close_loaded(&l);
}

TEST(models_are_replaced_by_the_stub)
{
    struct spec_override o = SPEC_OVERRIDE_NONE;
    o.stub_name = "http://stub.invalid/1/v1";
    struct loaded l = load_with("suite: {id: s}\nagents: [{id: a, noop: {}}, {id: m, openai: "
                                "{url: 'http://far/v1', model: big, system: be kind}}]\n" BENCH,
                                o);
    if (!l.is_right) fail_msg("%s", l.problems.items[0].text);
    const struct value *agents = l.spec->entries[0].agents;
    assert_false(suite_agent_is_simulated(agents->list.items[0]));
    assert_true(suite_agent_is_simulated(agents->list.items[1]));
    const struct value *url = value_get(value_get(agents->list.items[1], "openai"), "url");
    assert_true(str_is(url->source, o.stub_name));
    assert_non_null(value_get(value_get(agents->list.items[1], "openai"), "system"));
    close_loaded(&l);
}

TEST(only_chooses_benchmarks_by_id_or_tag)
{
    const char *yaml =
        HEAD "benchmarks: [{id: one, tags: [x], " CASES "}, {id: two, " CASES "}]\n";
    static const char *const words[] = {"one", "x"};
    for (size_t i = 0; i < COUNT(words); i++) {
        struct spec_override o = SPEC_OVERRIDE_NONE;
        o.only = (struct param_texts){&words[i], 1};
        struct loaded l = load_with(yaml, o);
        assert_true(l.is_right);
        assert_int_equal(l.spec->entry_count, 1);
        assert_string_equal(l.spec->entries[0].benchmark->id, "one");
        close_loaded(&l);
    }
    struct spec_override o = SPEC_OVERRIDE_NONE;
    o.only = (struct param_texts){(const char *const[]){"two", "x"}, 2};
    struct loaded l = load_with(yaml, o);
    assert_true(l.is_right);
    assert_int_equal(l.spec->entry_count, 2);
    close_loaded(&l);
    o.only = (struct param_texts){(const char *const[]){"one", "three"}, 2};
    l = load_with(yaml, o);
    assert_false(l.is_right); /* a word that means nothing is a slip, whatever the others do */
    close_loaded(&l);
}

#define TWO                                                                               \
    "suite: {id: s}\nagents: [{id: a, noop: {}}, {id: b, noop: {}}]\n"                    \
    "benchmarks: [{id: one, agents: [a], " CASES "}, {id: two, agents: [b], " CASES "}, " \
    "{id: both, " CASES "}]\n"

TEST(a_benchmark_may_ask_some_of_the_agents)
{
    struct loaded l = right(TWO);
    assert_int_equal(l.spec->entry_count, 3);
    assert_int_equal(l.spec->entries[0].agents->list.count, 1);
    assert_true(str_is(suite_agent_id(l.spec->entries[1].agents->list.items[0]), "b"));
    assert_int_equal(l.spec->entries[2].agents->list.count, 2);
    const char *whole = l.spec->entries[0].benchmark->suite->content_hash;

    static const char *const names[] = {"a", "kept"};
    struct spec_override o = SPEC_OVERRIDE_NONE;
    o.agents = names;
    o.agent_count = 1;
    struct loaded chosen = load_with(TWO, o);
    assert_true(chosen.is_right);
    assert_int_equal(chosen.spec->entry_count, 2); /* nobody is left for `two` */
    assert_string_equal(chosen.spec->entries[1].benchmark->id, "both");
    assert_string_equal(chosen.spec->entries[0].benchmark->suite->content_hash, whole);
    close_loaded(&chosen);

    o.agents = names + 1; /* from outside: asked everything */
    chosen = load_with(TWO, o);
    assert_true(chosen.is_right);
    assert_int_equal(chosen.spec->entry_count, 3);
    close_loaded(&chosen);
    close_loaded(&l);

    l = load("suite: {id: s}\nagents: [{id: abc, noop: {}}]\nbenchmarks: [{id: b, agents: "
             "[abd], " CASES "}]\n");
    assert_false(l.is_right);
    assert_non_null(strstr(l.problems.items[0].text, "did you mean 'abc'"));
    close_loaded(&l);
}

static const char *dir;

/* The suite that includes `text` as a file; the problem that it has, or "". */
static const char *said_of_included(const char *text, struct arena *a)
{
    struct error err = {0};
    const char *path = arena_printf(a, "%s/agents.yaml", dir);
    assert_true(os_write_file(path, str_of(text), &err));
    struct loaded l = load(arena_printf(a, "suite: {id: s}\ninclude: [%s]\n%s", path, BENCH));
    const char *said = "";
    if (!l.is_right) {
        const struct problem *p = &l.problems.items[0];
        said = arena_printf(a, "%s:%u:%u: %s", strrchr(p->file, '/') + 1, p->line, p->column,
                            p->text);
    }
    close_loaded(&l);
    return said;
}

TEST(agents_may_stand_in_files_of_their_own)
{
    static const char *const right_ones[] = {"agents: [{id: a, noop: {}}]",
                                             "- {id: a, noop: {}}", "{id: a, noop: {}}"};
    static const char *const wrong_ones[][2] = {
        {"a: [", "agents.yaml:2:1: not YAML"},
        {"agents: []", "agents.yaml:1:1: a file of agents has 'agents: [...]', or is a list"},
        {"3", "agents.yaml:1:1: a file of agents has"},
        {"[kept]",
         "agents.yaml:1:2: an agent must be a name or a mapping with an 'id' (is text)"},
        {"[{id: a, nop: {}}]",
         "agents.yaml:1:10: unknown parameter 'nop' of agent 'a'; did you"},
        {"[{id: a}]", "agents.yaml:1:2: agent 'a' needs exactly one of"},
        {"[{id: a, noop: {}, prices: {in: 1}}]", "agents.yaml:1:29: unknown parameter 'in'"},
        {"[{id: a, noop: {}}, {id: a, noop: {}}]",
         "s.yaml:1:21: two agents have the id 'a' and the same version"},
    };
    struct arena a = arena_open();
    struct error err = {0};
    assert_true(os_make_temp_dir("assay-suite-test", &a, &dir, &err));
    for (size_t i = 0; i < COUNT(right_ones); i++) {
        assert_string_equal(said_of_included(right_ones[i], &a), "");
        struct problems p = {.arena = &a};
        const struct value *list = NULL;
        assert_true(suite_load_agents("x", str_of(right_ones[i]), &a, &list, &p));
        assert_true(list->list.count == 1 && str_is(suite_agent_id(list->list.items[0]), "a"));
    }
    for (size_t i = 0; i < COUNT(wrong_ones); i++) {
        const char *said = said_of_included(wrong_ones[i][0], &a);
        if (strncmp(said, wrong_ones[i][1], strlen(wrong_ones[i][1])) != 0) {
            fail_msg("'%s' of '%s'", said, wrong_ones[i][0]);
        }
        struct problems p = {.arena = &a};
        const struct value *list = NULL;
        bool is_double = i + 1 == COUNT(wrong_ones); /* which the store tells apart */
        bool is_right = suite_load_agents("x", str_of(wrong_ones[i][0]), &a, &list, &p);
        assert_int_equal(is_right, is_double);
    }
    os_remove_tree(dir);
    arena_close(&a);
}

TEST(more_agents_than_are_taken_are_refused)
{
    struct buf b;
    buf_init(&b, 10000);
    buf_text(&b, "suite: {id: s}\nagents:\n");
    for (int i = 0; i < 65; i++) buf_printf(&b, "- {id: a%d, noop: {}}\n", i);
    buf_text(&b, BENCH);
    struct loaded l = load(b.p);
    assert_false(l.is_right);
    assert_string_equal(l.problems.items[0].text, "more than 64 agents");
    assert_int_equal(l.problems.items[0].line, 67);
    close_loaded(&l);
    buf_release(&b);
}

TEST(an_agent_is_chosen_by_its_version)
{
    static const char two[] = "suite: {id: s}\nagents: [{id: a, version: '1', noop: {}}, "
                              "{id: a, version: '2', noop: {}}]\n" BENCH;
    struct spec_override o = SPEC_OVERRIDE_NONE;
    const char *name = "a@2";
    o.agents = &name;
    o.agent_count = 1;
    struct loaded l = load_with(two, o);
    assert_true(l.is_right && l.spec->entries[0].agents->list.count == 1);
    assert_string_equal(suite_agent_version(l.spec->entries[0].agents->list.items[0], &l.arena),
                        "2");
    close_loaded(&l);
    name = "a@3";
    l = load_with(two, o);
    assert_false(l.is_right);
    assert_string_equal(l.problems.items[0].file, "--agent");
    close_loaded(&l);
}

/* What a reader of the result must know, and the file does not say loudly. */
TEST(remarks_say_what_was_not_carried_out)
{
    struct loaded l = right(HEAD "benchmarks: [{id: b, dataset: {size: 9}, " CASES "}]\n");
    const struct suite_benchmark *b = l.spec->entries[0].benchmark;
    assert_int_equal(b->remark_count, 1);
    assert_string_equal(b->remarks[0], "9 cases were requested, but there are 1: all are used");
    close_loaded(&l);
    l = right(HEAD BENCH);
    assert_int_equal(l.spec->entries[0].benchmark->remark_count, 0);
    close_loaded(&l);
}

/* Everything of it is checked before any work. */
TEST(a_stress_section_is_read_and_checked)
{
    struct loaded l =
        right(HEAD "stress: {scenarios: [spike_load, all], rate: 50, quick: true, "
                   "benchmark: b, allow_hosts: [far.example]}\n" BENCH);
    const struct suite_stress *s = l.spec->entries[0].benchmark->suite->stress;
    assert_non_null(s);
    assert_int_equal(s->scenarios.count, 2);
    assert_string_equal(s->scenarios.items[0], "spike_load");
    assert_true(s->quick && s->rate == 50 && s->factor == 10 && s->max_errors == 0.01);
    assert_string_equal(s->allow_hosts.items[0], "far.example");
    close_loaded(&l);
    l = right(HEAD "stress: [spike_load]\n" BENCH);
    assert_int_equal(l.spec->entries[0].benchmark->suite->stress->scenarios.count, 1);
    close_loaded(&l);
    l = right(HEAD "benchmarks: [{id: b, test_type: stress, scenario: large_inputs, " CASES
                   "}]");
    assert_string_equal(l.spec->entries[0].benchmark->scenarios.items[0], "large_inputs");
    close_loaded(&l);
    wrong(HEAD "stress: {x: 1}\n" BENCH, "unknown key 'x'");
    wrong(HEAD "stress: spike_lod\n" BENCH,
          "unknown scenario 'spike_lod'; did you mean 'spike_load'?");
    wrong(HEAD "stress: {agents: [nobody]}\n" BENCH, "no agent 'nobody'");
    wrong(HEAD "stress: {benchmark: other}\n" BENCH, "'stress': no benchmark 'other'");
    wrong(HEAD "stress: 3\n" BENCH, "must be a mapping");
    wrong(HEAD "benchmarks: [{id: b, scenario: all, " CASES "}]", "needs 'test_type: stress'");
}

TEST(shared_keys_are_charged_to_each_benchmark)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_printf(&b, HEAD "environment: {files: {x: 'y%0100000d'}}\nbenchmarks:\n", 7);
    for (int i = 0; i < 100; i++) buf_printf(&b, "- {id: b%d, " CASES "}\n", i);
    struct loaded l = load(b.p);
    assert_false(l.is_right);
    assert_non_null(strstr(l.problems.items[0].text, "the keys shared by 100 benchmarks"));
    close_loaded(&l);
    buf_release(&b);
}

TEST_MAIN(T(wrong_files_are_told_with_their_places), T(all_problems_are_told_at_once),
          T(a_suite_becomes_one_entry_per_benchmark), T(the_shape_of_the_requirement_is_taken),
          T(content_is_what_is_asked_and_how_it_is_judged),
          T(some_of_the_cases_are_another_content),
          T(agents_are_chosen_listed_and_multiplied_by_prompts), T(a_prompt_may_have_any_name),
          T(models_are_replaced_by_the_stub), T(only_chooses_benchmarks_by_id_or_tag),
          T(a_benchmark_may_ask_some_of_the_agents), T(agents_may_stand_in_files_of_their_own),
          T(more_agents_than_are_taken_are_refused), T(an_agent_is_chosen_by_its_version),
          T(remarks_say_what_was_not_carried_out), T(shared_keys_are_charged_to_each_benchmark),
          T(a_stress_section_is_read_and_checked))
