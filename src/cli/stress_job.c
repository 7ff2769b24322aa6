#include "cli/stress_job.h"

#include "base/os.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/stored.h"
#include "cli/stress_progress.h"
#include "cli/version.h"
#include "report/answer_stress.h"
#include "report/answers.h"

#include <math.h>

enum { BLOCKS = 10 };

/* ---- limits ---- */

static int judge_load(const struct load_limit *limits, size_t count,
                      const struct load_summary *s)
{
    int code = EXIT_DONE;
    bool is_told = strcmp(s->generator, "ok") == 0;
    for (size_t i = 0; i < count; i++) {
        bool is_broken = load_limit_is_broken(&limits[i], s);
        if (!is_told && (!is_broken || load_limit_is_untold(&limits[i], s))) {
            fprintf(stderr,
                    "assay: --fail-if '%s': undecided, the generator was %s in %zu of %zu "
                    "blocks\n",
                    limits[i].text, s->generator, s->spoiled, s->blocks);
        }
        if (!is_broken || load_limit_is_untold(&limits[i], s)) continue;
        bool is_time = load_limit_is_time(&limits[i]);
        bool grows = is_time && !s->keeps_up;
        bool is_unknown = load_limit_is_unknown(&limits[i], s);
        fprintf(stderr, "assay: --fail-if '%s': it is %.4g%s%s", limits[i].text,
                load_limit_value(&limits[i], s), is_time ? " ms" : "",
                grows ? " and grows: the server does not keep up" : "");
        if (is_unknown)
            fprintf(stderr, "%s or more: %.3g %% of requests have no good answer",
                    grows ? ";" : "", 100 * s->error_share);
        fputc('\n', stderr);
        code = EXIT_FAILED;
    }
    return !is_told && code == EXIT_DONE && count > 0 ? EXIT_UNDECIDED : code;
}

/* A stored phase in numbers. */
static bool summarize(struct context *c, const struct stress_request *q, const char *run_id,
                      const char *execution_id, struct load_summary *summary, struct error *err)
{
    struct view *view = NULL;
    if (!view_load(q->store, run_id, c->arena, &view, err)) return false;
    const struct view_cell *cell = &view->cells[0];
    for (size_t i = 0; execution_id && i < view->cell_count; i++) {
        if (strcmp(view->cells[i].record.id, execution_id) == 0) cell = &view->cells[i];
    }
    if (!load_summary_make(view, cell, c->arena, summary, err)) return false;
    if (q->target->agent) summary->agent = str_cstr(c->arena, suite_agent_id(q->target->agent));
    return true;
}

/* ---- one load ---- */

static int load_once(struct context *c, const struct stress_desk *desk,
                     struct stress_request *q)
{
    struct error err = {0};
    char run_id[UUID_SIZE];
    bool is_interrupted = false;
    struct load_summary summary;
    if (!stress_load_once(q, c->arena, run_id, &is_interrupted, &err) ||
        !summarize(c, q, run_id, NULL, &summary, &err))
        return command_fail(&err);
    int code = stored_answer(c, &answer_load, &summary);
    if (code == EXIT_DONE && is_interrupted) code = EXIT_FAILED;
    if (code == EXIT_DONE && summary.ok == 0) code = EXIT_FAILED;
    return code == EXIT_DONE ? judge_load(desk->limits, desk->limit_count, &summary) : code;
}

/* ---- scenarios ---- */

bool stress_find_scenarios(const struct param_texts *names, const struct stress_scenario **list,
                           size_t *count, struct error *err)
{
    *count = 0;
    for (size_t i = 0; i < names->count; i++) {
        struct str name = str_of(names->items[i]);
        const struct stress_scenario *one = stress_scenario_find(name);
        bool is_all = str_is(name, "all");
        if (!one && !is_all) {
            return error_set(err, ERROR_INVALID, "unknown scenario '%s'%s", names->items[i],
                             registry_hint(stress_scenario_entry, name).text);
        }
        for (size_t k = 0; is_all && stress_scenario_at(k) && *count < STRESS_SCENARIOS_MAX;
             k++)
            list[(*count)++] = stress_scenario_at(k);
        if (one && *count < STRESS_SCENARIOS_MAX) list[(*count)++] = one;
    }
    return true;
}

static struct stress_terms terms_of(const struct stress_options *o,
                                    const struct stress_job *job)
{
    bool quick = o->quick;
    return (struct stress_terms){
        .normal_rate = o->rate,
        .in_flight = o->connections > 0 ? o->connections : 1,
        .factor = o->factor,
        .block_s = quick ? 0.2 : 1,
        .block_max_s = quick ? 0.25 : 30,
        .search_max_s = fmin(quick ? 0.5 : 10.0, o->timeout_s),
        .search_blocks = quick ? 5 : 0,
        .cuts_off = quick,
        .fault_blocks = quick ? 2 : 0,
        .fault_s = quick ? 1.5 : 2,
        .size_blocks = quick ? 2 : 0,
        .sustained = quick ? 16 : 300,
        .concurrency = quick ? 32 : 100,
        .input_bytes = quick ? 256 << 10 : 16 << 20,
        .p95_s = o->p95_s,
        .error_share = o->error_share,
        .has_process = o->serve || (job && stress_job_is_process(job)),
        .has_input = job || o->body != NULL,
    };
}

/* --fail-if broke: what is undecided has not held. */
static int judge_scenarios(struct context *c, const struct stress *s)
{
    enum stress_outcome worst = stress_worst(s);
    for (size_t i = 0; worst == STRESS_SPOILED && i < s->count; i++) {
        const struct stress_result *r = &s->results[i];
        if (r->outcome != STRESS_SPOILED) continue;
        fprintf(stderr, "assay: --fail-if broke: %s is undecided: %s\n", r->scenario->name,
                answer_stress_sentence(r, c->arena));
    }
    return worst == STRESS_SPOILED ? EXIT_UNDECIDED
           : worst == STRESS_BROKE ? EXIT_FAILED
                                   : EXIT_DONE;
}

/* Limits that a scenario's test has to keep are those of the normal load. */
static int judge_usual(struct context *c, const struct stress_request *q,
                       const struct stress *s, const struct load_limit *limits, size_t count)
{
    struct load_summary summary;
    struct error err = {0};
    if (count == 0) return EXIT_DONE;
    if (!summarize(c, q, s->run_id, s->usual.normal->execution_id, &summary, &err))
        return command_fail(&err);
    return judge_load(limits, count, &summary);
}

/* The kind of document follows from its name. */
static bool write_report(const struct context *c, const struct stress_desk *desk,
                         const char *file, const struct stress *stress, struct error *err)
{
    if (!file) return true;
    const char *dot = strrchr(file, '.');
    bool is_html = strcmp(dot, ".html") == 0;
    if (desk->has_several)
        file = arena_printf(c->arena, "%.*s-%s%s", (int)(dot - file), file, stress->agent, dot);
    struct buf out;
    buf_init(&out, ANSWER_MAX_BYTES);
    answer_format_find(&answer_stress, is_html ? "html" : "markdown")->write(stress, &out);
    bool done = stored_write(file, &out, err);
    buf_release(&out);
    return done;
}

static int stress_all(struct context *c, const struct stress_desk *desk,
                      const struct stress_options *o, struct stress_request *q)
{
    struct error err = {0};
    struct stress stress;
    if (!stress_carry_out(q, c->arena, &stress, &err)) return command_fail(&err);
    if (stress.is_interrupted) {
        fprintf(stderr, "assay: interrupted; to continue: the same command with --resume %s\n",
                id_short(stress.run_id));
        return EXIT_FAILED;
    }
    size_t count = 0;
    const struct stress_record *records = answer_stress_records(&stress, c->arena, &count);
    if (!store_put_stress(q->store, stress.run_id, records, count, &err))
        return command_fail(&err);
    int code = desk->is_silent ? EXIT_DONE : stored_answer(c, &answer_stress, &stress);
    if (code != EXIT_DONE) return code;
    if (!write_report(c, desk, o->report, &stress, &err)) return command_fail(&err);
    if (o->fail_if.count > desk->limit_count) code = judge_scenarios(c, &stress);
    if (code == EXIT_FAILED) return code;
    int usual = judge_usual(c, q, &stress, desk->limits, desk->limit_count);
    return usual == EXIT_DONE ? code : usual;
}

/* ---- what the suite says ---- */

static bool is_said(const struct context *c, const char *option)
{
    return c && options_has(c, option);
}

struct stress_options stress_job_options(const struct context *c,
                                         const struct stress_options *options,
                                         const struct stress_job *job)
{
    struct stress_options o = *options;
    const struct suite_stress *s = job ? job->stress : NULL;
    if (job && !is_said(c, "scenario")) o.scenarios = job->scenarios;
    if (!s) return o;
    if (s->rate > 0 && !is_said(c, "rate")) o.rate = s->rate;
    if (s->connections > 0 && !is_said(c, "connections")) o.connections = s->connections;
    if (!is_said(c, "factor")) o.factor = s->factor;
    if (s->p95_ms > 0 && !is_said(c, "p95")) o.p95_s = s->p95_ms / 1e3;
    if (!is_said(c, "max-errors")) o.error_share = s->max_errors;
    if (!is_said(c, "timeout")) o.timeout_s = s->timeout_ms / 1e3;
    if (!is_said(c, "serve")) o.serve = s->serve;
    if (!is_said(c, "quick")) o.quick = s->quick;
    if (!is_said(c, "allow-host") && job->is_named) o.allow_hosts = s->allow_hosts;
    return o;
}

static struct stress_target target_of(const struct stress_options *o,
                                      const struct stress_job *job)
{
    struct stress_target target = {
        .url = o->url,
        .serve = o->serve,
        .method = o->method,
        .body = o->body,
        .headers = o->headers,
        .allow_hosts = o->allow_hosts,
        .arrivals = stress_arrivals[o->arrivals],
        .threads = o->threads,
        .timeout_s = o->timeout_s,
        .objective_s = o->p95_s,
    };
    if (!job) return target;
    target.agent = job->agent;
    target.asked = job->asked.params;
    target.spec_path = job->spec_path;
    target.stub_name = job->stub_name;
    target.stub_url = job->stub_url;
    if (job->asked.time_limit_s > 0) target.timeout_s = job->asked.time_limit_s;
    return target;
}

int stress_job_run(struct context *c, const struct stress_desk *desk,
                   const struct stress_options *o, const struct stress_job *job)
{
    struct error err = {0};
    const struct stress_scenario *list[STRESS_SCENARIOS_MAX];
    size_t count = 0;
    if (!stress_find_scenarios(&o->scenarios, list, &count, &err)) return command_fail(&err);
    struct stress_target target = target_of(o, job);
    struct stress_terms terms = terms_of(o, job);
    struct stress_progress progress = {.is_live =
                                           !c->quiet && !c->json && progress_can_be_live(),
                                       .is_quiet = c->quiet || c->json};
    struct stress_request q = {.store = desk->store,
                               .nursery = desk->nursery,
                               .target = &target,
                               .terms = &terms,
                               .scenarios = list,
                               .scenario_count = count,
                               .resume = desk->resume,
                               .ask = {.role = "load",
                                       .rate = o->rate,
                                       .connections = o->connections,
                                       .seconds = o->duration_s / BLOCKS,
                                       .blocks = BLOCKS,
                                       .shape = "constant",
                                       .fault = "none"},
                               .seed = o->seed,
                               .command = stored_command_line(c),
                               .assay_version = version_text,
                               .listener = stress_progress_listener(&progress)};
    int code = count > 0 ? stress_all(c, desk, o, &q) : load_once(c, desk, &q);
    stress_progress_clear(&progress);
    return code;
}
