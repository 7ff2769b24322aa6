#include "cli/stress_source.h"

#include "base/os.h"
#include "cli/run_source.h"
#include "cli/spec_file.h"
#include "cli/suite_store.h"

static void say_taken(const struct context *c, const struct stress_asked *asked)
{
    if (c->quiet || asked->taken == asked->of) return;
    fprintf(stderr, "assay: the load asks %zu of %zu cases, drawn with the seed\n",
            asked->taken, asked->of);
}

/* ---- a registered agent ---- */

static int read_agent(struct context *c, const struct stress_source_options *o,
                      struct stress_job **jobs, size_t *count)
{
    struct error err = {0};
    struct stress_job *job = arena_new(c->arena, struct stress_job, 1);
    if (!suite_store_find_agent(c, o->name, c->arena, &job->agent, &err)) {
        error_set(&err, ERROR_INVALID,
                  "'%s' is neither a file nor a registered suite or agent; `assay agents add "
                  "FILE` registers agents",
                  o->name);
        return command_fail(&err);
    }
    if (!o->input && !o->cases) {
        error_set(&err, ERROR_INVALID,
                  "what is agent '%s' to be asked? Give --body TEXT or --cases FILE, or name "
                  "a suite",
                  o->name);
        return command_fail(&err);
    }
    if (!stress_asked_plain(o->input, o->cases, (uint64_t)o->seed, c->arena, &job->asked, &err))
        return command_fail(&err);
    say_taken(c, &job->asked);
    *jobs = job;
    *count = 1;
    return EXIT_DONE;
}

/* ---- a suite ---- */

static const char *const usual_scenario[] = {"high_load"};

static bool is_stress(const struct spec_entry *e)
{
    return e->benchmark->test_type && strcmp(e->benchmark->test_type, "stress") == 0;
}

static bool is_loaded(const struct suite_stress *stress, const struct value *agent)
{
    if (!stress || stress->agents.count == 0) return true;
    for (size_t i = 0; i < stress->agents.count; i++) {
        if (str_is(suite_agent_id(agent), stress->agents.items[i])) return true;
    }
    return false;
}

struct joblist {
    const struct spec *spec;
    struct arena *out;
    uint64_t seed;
    struct stress_job *jobs;
    size_t count;
};

/* The agents of an entry, with its cases. */
static void add_jobs(struct joblist *l, const struct spec_entry *e,
                     const struct param_texts *scenarios, struct stress_asked *asked)
{
    const struct suite_stress *stress = e->benchmark->suite->stress;
    stress_asked_of(e, l->seed, l->out, asked);
    for (size_t a = 0; a < e->agents->list.count; a++) {
        const struct value *agent = e->agents->list.items[a];
        if (!is_loaded(stress, agent)) continue;
        l->jobs[l->count++] = (struct stress_job){.agent = agent,
                                                  .asked = *asked,
                                                  .spec_path = l->spec->path,
                                                  .is_named = l->spec->is_named,
                                                  .stress = stress,
                                                  .scenarios = *scenarios,
                                                  .stub_name = l->spec->stub_name,
                                                  .stub_url = l->spec->stub_url};
    }
}

static void begin_jobs(struct joblist *l)
{
    size_t most = 1;
    for (size_t i = 0; i < l->spec->entry_count; i++)
        most += 2 * l->spec->entries[i].agents->list.count;
    l->jobs = arena_new(l->out, struct stress_job, most);
}

static struct param_texts scenarios_of(const struct spec_entry *e)
{
    struct param_texts own = e->benchmark->scenarios;
    return own.count > 0 ? own : (struct param_texts){usual_scenario, COUNT(usual_scenario)};
}

void stress_source_of_run(const struct spec *spec, struct arena *out, struct stress_job **jobs,
                          size_t *count)
{
    struct joblist l = {.spec = spec, .out = out};
    struct stress_asked ignored;
    begin_jobs(&l);
    for (size_t i = 0; i < spec->entry_count; i++) {
        const struct spec_entry *e = &spec->entries[i];
        if (!e->benchmark || !is_stress(e)) continue;
        struct param_texts scenarios = scenarios_of(e);
        l.seed = (uint64_t)e->seed;
        add_jobs(&l, e, &scenarios, &ignored);
    }
    *jobs = l.jobs;
    *count = l.count;
}

/* Whose cases the `stress` section asks, or who asks for a load by options: the benchmark
 * that it names, or the only one. */
static const struct spec_entry *entry_of(const struct spec *spec,
                                         const struct suite_stress *stress)
{
    for (size_t i = 0; i < spec->entry_count; i++) {
        const char *id = spec->entries[i].benchmark->id;
        if (stress && stress->benchmark && strcmp(id, stress->benchmark) == 0)
            return &spec->entries[i];
    }
    return spec->entry_count == 1 ? &spec->entries[0] : NULL;
}

static int misses_benchmark(const struct spec *spec)
{
    struct error err = {0};
    struct buf names;
    buf_init(&names, 1000);
    for (size_t i = 0; i < spec->entry_count; i++)
        buf_printf(&names, "%s%s", i ? ", " : "", spec->entries[i].benchmark->id);
    error_set(&err, ERROR_INVALID,
              "%s has %zu benchmarks: say whose cases are the requests with --only (%s)",
              spec->path, spec->entry_count, names.p ? names.p : "");
    buf_release(&names);
    return command_fail(&err);
}

static int read_suite(struct context *c, const struct stress_source_options *o,
                      const struct run_source *file, struct stress_job **jobs, size_t *count)
{
    struct spec_override override = SPEC_OVERRIDE_NONE;
    struct error err = {0};
    struct spec *spec = NULL;
    override.agents = o->agents.items;
    override.agent_count = o->agents.count;
    override.only = o->only;
    override.find_agent = suite_store_find_agent;
    override.context = c;
    int code = spec_file_load(c, file->path, file->bytes, &override, &spec);
    if (code != EXIT_DONE) return code;
    spec->is_named = !file->is_registered;
    if (!spec->suite) {
        error_set(&err, ERROR_INVALID, "%s is not a suite: use `assay run`", spec->path);
        return command_fail(&err);
    }
    const struct suite_stress *stress = spec->entries[0].benchmark->suite->stress;
    struct joblist l = {.spec = spec, .out = c->arena, .seed = (uint64_t)o->seed};
    struct stress_asked asked = {0};
    bool has_tests = false;
    begin_jobs(&l);
    for (size_t i = 0; i < spec->entry_count && !stress; i++) {
        const struct spec_entry *e = &spec->entries[i];
        if (!is_stress(e)) continue;
        struct param_texts scenarios = scenarios_of(e);
        add_jobs(&l, e, &scenarios, &asked);
        say_taken(c, &asked);
        has_tests = true;
    }
    const struct spec_entry *e = entry_of(spec, stress);
    if (!has_tests && !e) return misses_benchmark(spec);
    if (!has_tests) {
        struct param_texts scenarios = {0};
        if (stress) scenarios = stress->scenarios;
        add_jobs(&l, e, &scenarios, &asked);
        say_taken(c, &asked);
    }
    *jobs = l.jobs;
    *count = l.count;
    if (l.count > 0) return EXIT_DONE;
    error_set(&err, ERROR_INVALID, "%s: none of these agents is loaded by its `stress` section",
              spec->path);
    return command_fail(&err);
}

int stress_source_read(struct context *c, const struct stress_source_options *o,
                       struct stress_job **jobs, size_t *count)
{
    struct run_source file;
    struct suite_record suite;
    struct error err = {0};
    bool is_file = os_exists(o->name);
    if (!is_file && !suite_store_find(c, o->name, &suite, &err))
        return read_agent(c, o, jobs, count);
    if (!run_source_read(c, o->name, &file, &err)) return command_fail(&err);
    return read_suite(c, o, &file, jobs, count);
}

bool stress_job_is_process(const struct stress_job *job)
{
    const char *kind = suite_agent_kind(job->agent);
    return kind && strcmp(kind, "process") == 0;
}
