#include "spec/spec.h"

#include "base/os.h"
#include "tests/spec/bench.h"
#include "tests/test.h"

#include <dirent.h>

static struct spec *load(struct arena *a, struct str text, const struct spec_override *o,
                         struct problems *p)
{
    struct spec *spec = NULL;
    struct spec_override none = SPEC_OVERRIDE_NONE;
    *p = (struct problems){.arena = a};
    bool right = spec_load("t.yaml", text, o ? o : &none, a, &spec, p);
    assert_int_equal(right, p->total == 0);
    return right ? spec : NULL;
}

static struct spec *load_right(struct arena *a, const char *text, const struct spec_override *o)
{
    struct problems p;
    struct spec *spec = load(a, str_of(text), o, &p);
    if (!spec) fail_msg("%u:%u: %s", p.items[0].line, p.items[0].column, p.items[0].text);
    return spec;
}

static void list_experiments(struct buf *out)
{
    for (size_t i = 0; i < COUNT(bench_experiments); i++) {
        buf_printf(out, "%s%s", i ? ", " : "", bench_experiments[i].name);
    }
}

/* The messages, one a line, the list of experiments shortened to ^T. */
static struct str said(struct arena *a, const struct problems *p)
{
    struct buf names;
    struct buf b;
    buf_init(&names, 10000);
    buf_init(&b, 100000);
    list_experiments(&names);
    for (size_t i = 0; i < p->kept; i++) {
        struct str text = str_of(p->items[i].text);
        bool lists = str_ends(text, buf_str(&names));
        if (lists) text.n -= names.n;
        buf_printf(&b, "%u:%u: %.*s%s\n", p->items[i].line, p->items[i].column, STR_ARG(text),
                   lists ? "^T" : "");
    }
    struct str all = str_copy(a, buf_str(&b));
    buf_release(&b);
    buf_release(&names);
    return all;
}

/* Takes all up to a line that begins with `mark`; the rest of that line is
 * thrown away. */
static struct str take_until(struct str *rest, const char *mark, struct str *title)
{
    struct str taken = {rest->p, 0};
    while (rest->p) {
        struct str line = str_cut(rest, '\n');
        if (str_starts(line, str_of(mark))) {
            *title = line;
            break;
        }
        taken.n = (size_t)(line.p + line.n + 1 - taken.p);
        if (!rest->p) taken.n--;
    }
    return taken;
}

TEST(every_message_we_promise)
{
    struct arena a = arena_open();
    struct error e;
    struct str rest;
    assert_true(os_read_file("tests/cases/spec.case", 1 << 20, &a, &rest, &e));
    struct str title = {0};
    struct str ignored;
    take_until(&rest, ">>>", &title);
    int cases = 0;
    int wrong = 0;
    while (rest.p) {
        struct str name = title;
        struct str text = take_until(&rest, "<<<", &ignored);
        struct str expected = take_until(&rest, ">>>", &title);
        struct problems p;
        load(&a, text, NULL, &p);
        struct str got = said(&a, &p);
        cases++;
        if (str_equal(got, expected)) continue;
        wrong++;
        print_message("# %.*s\n# expected:\n%.*s# said:\n%.*s", STR_ARG(name),
                      STR_ARG(expected), STR_ARG(got));
    }
    assert_int_equal(wrong, 0);
    assert_true(cases > 40);
    arena_close(&a);
}

TEST(defaults)
{
    struct arena a = arena_open();
    const struct spec *s = load_right(&a, "experiment: plain\n", NULL);
    assert_int_equal(s->entry_count, 1);
    const struct spec_entry *e = &s->entries[0];
    assert_string_equal(e->experiment->name, "plain");
    assert_true(e->warmup == 0 && e->measured == 1 && e->seed == 42 && e->stop_failures == 3);
    assert_true(e->parallelism == 1 && e->time_limit_s == 0 && !e->until.is_set);
    assert_true(e->interleave && !e->factor && !e->claims && !e->agents && !e->output_dir);
    assert_true(e->strategy == STRATEGY_CARTESIAN && e->axis_count == 0);
    assert_int_equal(e->tags->list.count, 0);
    assert_string_equal(e->notes, "");
    assert_int_equal(e->instrument_count, 1);
    assert_string_equal(e->instruments[0].row->name, "timing");
    assert_int_equal(e->params->map.count, 0);
    assert_int_equal(strlen(s->hash), 64);
    arena_close(&a);
}

TEST(everything_arrives)
{
    struct arena a = arena_open();
    const struct spec *s = load_right(
        &a,
        "experiment: spin\n"
        "params: {n: [1e1, 20], ratio: 0.25}\n"
        "iterations: {warmup: steady, measured: 20}\n"
        "instrumentation: [{name: psutil, interval_ms: 10, optional: true}, timing]\n"
        "tags: one\n"
        "sweep: {sort: [quick, heap], parameters.y: [1, two], sizes: [5, [6, 7]]}\n"
        "strategy: random\nsamples: 5\nuntil: {relative_ci: 0.02, max_seconds: 60}\n"
        "interleave: n\nstop_early: {failures_in_a_row: 0}\ntime_limit_ms: 1500\n",
        NULL);
    const struct spec_entry *e = &s->entries[0];
    assert_true(e->warmup == -1 && e->warmup_max == 500 && e->measured == 20);
    assert_true(e->until.is_set && e->until.relative_ci == 0.02 && e->until.max_seconds == 60);
    assert_true(e->stop_failures == 0 && e->time_limit_s == 1.5 && e->samples == 5);
    assert_true(e->strategy == STRATEGY_RANDOM);
    assert_string_equal(e->factor, "n");
    assert_int_equal(e->instrument_count, 2);
    assert_string_equal(e->instruments[1].row->name, "resources");
    assert_true(e->instruments[1].optional);
    assert_true(value_number(value_get(e->instruments[1].options, "interval_ms")) == 10);
    assert_true(str_is(e->tags->list.items[0]->source, "one"));
    assert_int_equal(e->params->map.count, 1);
    assert_int_equal(e->axis_count, 4);
    static const char *const names[] = {"n", "parameters.y", "sizes", "sort"};
    for (size_t i = 0; i < 4; i++) assert_true(str_is(e->axes[i].name, names[i]));
    assert_true(e->axes[0].role == PARAM_WORKLOAD && e->axes[3].role == PARAM_TREATMENT);
    assert_true(e->axes[0].values[0]->kind == VALUE_INT && e->axes[0].values[0]->integer == 10);
    assert_int_equal(e->axes[2].values[0]->list.count, 1);
    assert_int_equal(e->axes[2].values[1]->list.count, 2);
    arena_close(&a);
}

TEST(own_keys_win_over_shared_ones)
{
    struct arena a = arena_open();
    const struct spec *s = load_right(&a,
                                      "experiments:\n"
                                      "  - {experiment: plain, seed: 1, tags: [own]}\n"
                                      "  - {experiment: spin}\n"
                                      "seed: 9\ntags: [shared]\noutput_dir: out\n",
                                      NULL);
    assert_int_equal(s->entry_count, 2);
    assert_true(s->entries[0].seed == 1 && s->entries[1].seed == 9);
    assert_true(str_is(s->entries[0].tags->list.items[0]->source, "own"));
    assert_true(str_is(s->entries[1].tags->list.items[0]->source, "shared"));
    assert_string_equal(s->entries[0].output_dir, "out");
    assert_int_equal(s->entries[1].line, 3);
    arena_close(&a);
}

static const char *const two = "experiments:\n"
                               "  - experiment: spin\n"
                               "    tags: [sorting]\n"
                               "    sweep: {n: [1, 2]}\n"
                               "  - experiment: plain\n";

TEST(overrides_stand_above_the_file)
{
    struct arena a = arena_open();
    struct spec_override o = SPEC_OVERRIDE_NONE;
    static const char *const sets[] = {"n=7", "sort=[quick, heap]", "parameters.x=a b"};
    static const char *const instruments[] = {"psutil", "timing"};
    o.set = sets;
    o.set_count = 3;
    o.measured = 11;
    o.warmup = 2;
    o.has_seed = true;
    o.seed = 5;
    o.until = "{relative_ci: 0.1}";
    o.interleave = "no";
    o.output_dir = "there";
    o.instruments = instruments;
    o.instrument_count = 2;
    o.time_limit_s = 3;
    const struct spec *s = load_right(&a, two, &o);
    const struct spec_entry *e = &s->entries[0];
    assert_int_equal(e->axis_count, 1);
    assert_true(str_is(e->axes[0].name, "sort"));
    assert_int_equal(value_get(e->params, "n")->integer, 7);
    assert_true(str_is(value_get(value_get(e->params, "parameters"), "x")->source, "a b"));
    assert_true(e->measured == 11 && e->warmup == 2 && e->seed == 5 && !e->interleave);
    assert_true(e->until.is_set && e->until.relative_ci == 0.1 && e->time_limit_s == 3);
    assert_string_equal(e->output_dir, "there");
    assert_int_equal(e->instrument_count, 2);
    assert_int_equal(s->entries[1].measured, 11);

    const struct spec *plain = load_right(&a, two, NULL);
    assert_string_not_equal(plain->hash, s->hash);
    assert_string_equal(plain->hash, load_right(&a, two, NULL)->hash);

    o = SPEC_OVERRIDE_NONE;
    o.only = (struct param_texts){(const char *const[]){"sorting"}, 1};
    assert_int_equal(load_right(&a, two, &o)->entry_count, 1);
    o.only = (struct param_texts){(const char *const[]){"plain"}, 1};
    assert_string_equal(load_right(&a, two, &o)->entries[0].experiment->name, "plain");
    arena_close(&a);
}

static void refused(struct spec_override o, const char *file, const char *text)
{
    struct arena a = arena_open();
    struct problems p;
    assert_null(load(&a, str_of(two), &o, &p));
    assert_string_equal(p.items[0].text, text);
    assert_string_equal(p.items[0].file, file);
    assert_int_equal(p.items[0].line, 0);
    arena_close(&a);
}

TEST(wrong_overrides_are_said)
{
    struct spec_override o = SPEC_OVERRIDE_NONE;
    const char *set = "n=0";
    o.set = &set;
    o.set_count = 1;
    refused(o, "--set n=0", "'n' must be at least 1 (is 0)");
    set = "m=0";
    refused(o, "t.yaml", "--set m=0: no experiment of this spec has that parameter");
    set = "n";
    refused(o, "t.yaml", "--set n: must be NAME=VALUE");
    char deep[200] = "parameters";
    for (size_t i = 10; i < 180; i += 2) memcpy(deep + i, ".a", 3);
    memcpy(deep + 180, "=1", 3);
    set = deep;
    refused(o,
            "--set parameters.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"
            ".a.a.a.a.a.a.a.a.a.a.a.a",
            "'parameters.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a...' puts this value 85 deep; the limit "
            "is 64");
    o = SPEC_OVERRIDE_NONE;
    o.until = "{relative: 1}";
    refused(o, "--until",
            "unknown key 'relative' of 'until'; it takes relative_ci, max_iterations, "
            "max_seconds");
    o.until = "3";
    refused(o, "t.yaml",
            "--until must be a mapping such as '{relative_ci: 0.02}' (is a number)");
    o = SPEC_OVERRIDE_NONE;
    o.interleave = "sort";
    refused(o, "--interleave",
            "'interleave: sort': that parameter is not swept, so nothing can take turns");
    o = SPEC_OVERRIDE_NONE;
    o.only = (struct param_texts){(const char *const[]){"nothing"}, 1};
    refused(o, "t.yaml", "--only: no experiment is named or tagged 'nothing'");
    o = SPEC_OVERRIDE_NONE;
    o.measured = 0;
    refused(o, "t.yaml", "--measured must be at least 1 (is 0)");
    o.measured = INT64_MAX; /* times cases, it would not fit */
    refused(o, "t.yaml", "--measured must be at most 1000000000 (is 9.223372037e+18)");
    o = SPEC_OVERRIDE_NONE;
    o.warmup = 1000000001;
    refused(o, "t.yaml", "--warmup must be at most 1000000000 (is 1000000001)");
    o = SPEC_OVERRIDE_NONE;
    o.time_limit_s = 1e300;
    refused(o, "t.yaml", "--time-limit must be at most 1000000 (is 1e+300)");
    o = SPEC_OVERRIDE_NONE;
    const char *instrument = "resource";
    o.instruments = &instrument;
    o.instrument_count = 1;
    refused(o, "t.yaml", "unknown instrument 'resource'; did you mean 'resources'?");
}

TEST(twenty_problems_are_kept_and_the_rest_counted)
{
    struct arena a = arena_open();
    struct buf b;
    buf_init(&b, 10000);
    buf_text(&b, "experiment: plain\nparams:\n");
    for (int i = 0; i < 50; i++) buf_printf(&b, "  x%d: 1\n", i);
    struct problems p;
    assert_null(load(&a, buf_str(&b), NULL, &p));
    assert_int_equal(p.kept, PROBLEMS_MAX);
    assert_int_equal(p.total, 50);
    buf_release(&b);
    arena_close(&a);
}

/* Shared keys are like aliases: each experiment pays for them. */
TEST(shared_keys_are_charged_to_each_experiment)
{
    struct arena a = arena_open();
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_text(&b, "experiments:\n");
    for (int i = 0; i < 2000; i++) buf_text(&b, "- experiment: spin\n");
    buf_text(&b, "params: {parameters: {x: [1");
    for (int i = 0; i < 30; i++) buf_text(&b, ", 1");
    buf_text(&b, "]}}\n");
    struct problems p;
    assert_null(load(&a, buf_str(&b), NULL, &p));
    assert_string_equal(p.items[0].text,
                        "the keys shared by 2000 experiments make more than 50000 values (long "
                        "texts count as several); give them only where needed");

    buf_clear(&b);
    buf_text(&b, "experiments:\n");
    for (int i = 0; i < 2000; i++) buf_text(&b, "- experiment: spin\n");
    buf_printf(&b, "notes: x%0100000d\n", 7);
    assert_null(load(&a, buf_str(&b), NULL, &p));
    assert_non_null(strstr(p.items[0].text, "long texts count as several"));
    buf_release(&b);
    arena_close(&a);
}

TEST(agentfarm_files_are_right)
{
    const char *first = shared_data("agentfarm/specs/memory_db_baseline.yaml");
    if (!first) return;
    struct arena a = arena_open();
    char folder[512];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(first, '/') - first), first);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int files = 0;
    for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        if (d->d_name[0] == '.') continue;
        struct error e;
        struct str text;
        const char *path = arena_printf(&a, "%s/%s", folder, d->d_name);
        assert_true(os_read_file(path, 1 << 20, &a, &text, &e));
        struct problems p;
        const struct spec *s = load(&a, text, NULL, &p);
        if (!s) fail_msg("%s:%u: %s", path, p.items[0].line, p.items[0].text);
        files++;
    }
    closedir(dir);
    assert_int_equal(files, 17);
    arena_close(&a);
}

TEST(schema_is_json_and_names_everything)
{
    struct arena a = arena_open();
    struct buf b;
    buf_init(&b, 1 << 20);
    spec_write_schema(&b);
    assert_false(b.overflow);
    const struct value *v = NULL;
    struct error e;
    assert_true(value_read_json(buf_str(&b), &value_limits_spec, &a, &v, &e));
    const struct value *defs = value_get(v, "$defs");
    const struct value *one_of = value_get(value_get(defs, "entry"), "oneOf");
    assert_int_equal(one_of->list.count, COUNT(bench_experiments));
    const struct value *spin = value_get(one_of->list.items[0], "properties");
    const struct value *params = value_get(value_get(spin, "params"), "properties");
    assert_int_equal(params->map.count, COUNT(bench_params));
    assert_non_null(value_get(value_get(params, "n"), "anyOf"));
    const char *save = getenv("SCHEMA_OUT"); /* to try it with another program */
    if (save) assert_true(os_write_file(save, buf_str(&b), &e));
    buf_release(&b);
    arena_close(&a);
}

TEST(a_text_of_no_file_gives_its_first_problem)
{
    struct arena arena = arena_open();
    struct spec *spec = NULL;
    struct error err = {0};
    assert_true(spec_load_text("(x)", S("experiment: plain"), NULL, &arena, &spec, &err));
    assert_string_equal(spec->path, "(x)");
    assert_false(spec_load_text("(x)",
                                S("experiment: plain\niterations: {measured: -1}\nsed: 1"),
                                NULL, &arena, &spec, &err));
    assert_int_equal(err.code, ERROR_INVALID);
    assert_non_null(strstr(err.text, "measured"));
    arena_close(&arena);
}

TEST_MAIN(T(a_text_of_no_file_gives_its_first_problem), T(every_message_we_promise),
          T(defaults), T(everything_arrives), T(own_keys_win_over_shared_ones),
          T(overrides_stand_above_the_file), T(wrong_overrides_are_said),
          T(twenty_problems_are_kept_and_the_rest_counted),
          T(shared_keys_are_charged_to_each_experiment), T(agentfarm_files_are_right),
          T(schema_is_json_and_names_everything))
