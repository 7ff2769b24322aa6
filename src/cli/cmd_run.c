/* assay run: runs spec files or a command, and stores what it measured. */
#include "base/os.h"
#include "base/shell.h"
#include "cli/allowance.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "cli/run_options.h"
#include "cli/run_requested.h"
#include "cli/run_rescore.h"
#include "cli/run_source.h"
#include "cli/spec_file.h"
#include "cli/stand_in.h"
#include "cli/stored.h"
#include "cli/stress_job.h"
#include "cli/suite_store.h"
#include "cli/version.h"
#include "run/preflight.h"
#include "run/run.h"

#include <inttypes.h>

/* The run that --resume means: the one named, else the newest of this spec
 * that did not finish. */
static bool find_resumed(const struct context *c, struct store *store, const struct spec *spec,
                         struct run_record *run, struct error *err)
{
    const struct run_options *o = c->options;
    if (*o->resume) {
        if (!store_find_run(store, o->resume, c->arena, run, err)) return false;
        bool is_same = strcmp(run->spec_hash, spec->hash) == 0;
        if (run->status != RUN_SUCCESS || !is_same) return true;
        return error_set(err, ERROR_INVALID, "run %s has finished: there is nothing to resume",
                         id_short(run->id));
    }
    struct run_record *runs = NULL;
    size_t count = 0;
    struct run_filter newest = {.limit = 1000};
    if (!store_list_runs(store, &newest, c->arena, &runs, &count, err)) return false;
    const struct run_record *changed = NULL;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].status == RUN_SUCCESS) continue;
        if (strcmp(runs[i].spec_hash, spec->hash) == 0) {
            *run = runs[i];
            return true;
        }
        bool is_namesake = spec->path[0] != '(' && runs[i].spec_path &&
                           strcmp(runs[i].spec_path, spec->path) == 0;
        if (is_namesake && !changed) changed = &runs[i];
    }
    if (changed) {
        return error_set(err, ERROR_NOT_FOUND,
                         "no unfinished run of '%s' with this text and these options is in the "
                         "store; run %s was started with others (`assay show %s "
                         "--reproduce`); omit --resume to start one",
                         spec->path, id_short(changed->id), id_short(changed->id));
    }
    return error_set(err, ERROR_NOT_FOUND,
                     "no unfinished run of '%s' is in the store; omit --resume to start one",
                     spec->path);
}

/* How it is reported is not part of the plan, nor is which run was resumed before; of several
 * specs only this one was interrupted. */
static bool is_left_out(const struct context *c, const struct spec *spec, const char *word)
{
    static const char *const telling[] = {"--json", "--quiet", "-q", "--no-color", "--resume"};
    const struct run_options *o = c->options;
    for (size_t i = 0; i < COUNT(telling); i++) {
        if (strcmp(word, telling[i]) == 0) return true;
    }
    if ((o->resume && strcmp(word, o->resume) == 0) || str_starts(str_of(word), S("--resume=")))
        return true;
    bool is_spec = false;
    for (size_t i = 0; i < c->dashes && c->arg_count > 1; i++) is_spec |= word == c->args[i];
    return is_spec && strcmp(word, spec->path) != 0;
}

/* The command once more: with other options the plan would be another, and refused. */
static void say_how_to_resume(const struct context *c, const struct spec *spec,
                              const struct run_outcome *outcome)
{
    struct buf line;
    size_t i = 1;
    buf_init(&line, 1 << 20);
    buf_text(&line, "assay");
    for (; i < c->command_line_count && strcmp(c->command_line[i], "--") != 0; i++) {
        if (is_left_out(c, spec, c->command_line[i])) continue;
        buf_add_char(&line, ' ');
        shell_put_word(&line, str_of(c->command_line[i]));
    }
    buf_printf(&line, " --resume %s", id_short(outcome->run_id));
    for (; i < c->command_line_count; i++) {
        buf_add_char(&line, ' ');
        shell_put_word(&line, str_of(c->command_line[i]));
    }
    fprintf(stderr,
            "assay: interrupted; %" PRId64 " trials are stored in run %s. To continue: %s\n",
            outcome->counts.attempted, id_short(outcome->run_id), line.p);
    buf_release(&line);
}

/* Asked of the store as others find it: ours may have been removed under our hands. */
static bool is_kept(const struct context *c, const char *run_id)
{
    struct store *store = NULL;
    struct run_record run;
    bool is_there = run_id[0] && stored_open(c, true, &store, NULL) &&
                    store_find_run(store, run_id, c->arena, &run, NULL);
    store_close(store);
    return is_there;
}

static int judge(struct context *c, struct store *store, const struct run_outcome *outcome,
                 size_t claims_failing)
{
    if (outcome->interrupted) return EXIT_FAILED;
    if (outcome->cells_unavailable == outcome->cells) return EXIT_UNAVAILABLE;
    /* Harness errors alone leave it partial: --allow-failures judges them. */
    if (outcome->status == RUN_FAILED) return EXIT_FAILED;
    return results_judge(c, store, outcome->run_id, claims_failing);
}

/* Benchmarks that are stress tests, after their cases were asked one by one; each is a run of
 * its own. Of `run --json`, whose lines are events, the store has the answers. */
static int run_stress_tests(struct context *c, const struct run_request *run,
                            const struct spec *spec, int code)
{
    struct stress_desk desk = {
        .nursery = run->nursery, .store = run->store, .is_silent = c->json};
    struct stress_options usual = {0};
    struct stress_job *jobs = NULL;
    struct error err = {0};
    size_t count = 0;
    int worst = code;
    if (spec->suite && code != EXIT_UNAVAILABLE)
        stress_source_of_run(spec, c->arena, &jobs, &count);
    if (count == 0) return code;
    if (!param_read(stress_options_table, NULL, &usual, c->arena, &err))
        return command_fail(&err);
    usual.quick = true;
    for (size_t i = 0; i < count; i++) {
        struct stress_options own = stress_job_options(NULL, &usual, &jobs[i]);
        own.seed = spec->entries[0].seed;
        worst = command_heavier(worst, stress_job_run(c, &desk, &own, &jobs[i]));
    }
    return worst;
}

/* The specs that are run by this command. */
static const char *const *others_of(const struct context *c)
{
    const char **list = arena_new(c->arena, const char *, c->arg_count + 1);
    for (size_t i = 0; i < c->arg_count && !run_options_is_one_liner(c); i++) {
        list[i] = c->args[i];
    }
    return list;
}

static int carry_out(struct context *c, struct nursery *nursery, const struct spec *spec,
                     const struct plan *plan, bool *interrupted)
{
    const struct run_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    struct store_options how = {
        .create = true, .workspace = c->workspace, .durable = o->durable};
    if (!store_open(c->store_url, &how, &store, &err)) return command_fail(&err);

    struct progress progress = {
        .json = c->json ? c->out : NULL,
        .is_live = !c->quiet && !c->json && progress_can_be_live(),
        .is_quiet = c->quiet || c->json,
        .cells = plan->cell_count,
    };
    if (progress.is_live) progress.live = live_new(plan, c->arena);
    struct run_record resumed;
    struct run_request request = {
        .store = store,
        .nursery = nursery,
        .plan = plan,
        .others = others_of(c),
        .cache = o->cache,
        .run_id = o->request,
        .is_watched = o->request != NULL,
        .jobs = o->jobs > 0 ? o->jobs : spec->entries[0].parallelism,
        .command = stored_command_line(c),
        .assay_version = version_text,
        .listener = progress_listener(&progress),
    };
    if (request.jobs > 1 && plan->group_count > 1 && !c->quiet) {
        fprintf(stderr,
                "assay: %" PRId64 " groups at once: parallel groups disturb each other's "
                "measurements\n",
                request.jobs);
    }
    int code = EXIT_DONE;
    struct run_outcome outcome = {0};
    bool is_found = !o->resume || find_resumed(c, store, spec, &resumed, &err);
    if (o->resume) request.resume = &resumed;
    size_t claims_failing = 0;
    bool is_run = is_found && run_execute(&request, c->arena, &outcome, &err);
    progress_clear(&progress);
    if (is_run) {
        progress_finished(&progress, &outcome);
        *interrupted = outcome.interrupted;
        if (outcome.interrupted) {
            say_how_to_resume(c, spec, &outcome);
        } else if (!results_show(c, store, spec, outcome.run_id, &claims_failing, &err)) {
            code = command_fail(&err);
        }
        if (code == EXIT_DONE) code = judge(c, store, &outcome, claims_failing);
        if (!outcome.interrupted) code = run_stress_tests(c, &request, spec, code);
    } else {
        code = command_fail(&err);
        if (outcome.run_id[0]) progress_finished(&progress, &outcome);
        if (is_kept(c, outcome.run_id)) {
            fprintf(stderr, "assay: finished work is kept in run %s\n",
                    id_short(outcome.run_id));
        }
    }
    store_close(store);
    return code;
}

static int keep_failed(struct context *c, struct spec *spec)
{
    const struct run_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    bool done = stored_open(c, true, &store, &err) &&
                suite_store_keep_failed(c, store, o->only_failed, spec, &err);
    store_close(store);
    return done ? EXIT_DONE : command_fail(&err);
}

/* A spec that was checked: planned, and run if the machine can. */
static int run_checked(struct context *c, struct nursery *nursery, struct spec *spec,
                       bool *interrupted)
{
    const struct run_options *o = c->options;
    const struct plan *plan = NULL;
    int code = o->only_failed ? keep_failed(c, spec) : EXIT_DONE;
    if (code == EXIT_DONE) code = spec_file_make_plan(c, spec, &plan);
    if (code != EXIT_DONE) return code;
    if (o->dry_run) return spec_file_show(c, plan, false);
    struct error err = {0};
    const char *needless = spec->suite ? NULL : run_options_of_suites(c);
    if (needless) {
        error_set(&err, ERROR_INVALID, "--%s is for suites; '%s' is not one", needless,
                  spec->path);
        return command_fail(&err);
    }
    struct buf missing;
    buf_init(&missing, 1 << 16);
    bool can =
        results_can_be_written(c, spec, &err) && preflight(spec, c->arena, &missing, &err);
    if (missing.n && !c->quiet) fprintf(stderr, "%s", missing.p);
    buf_release(&missing);
    if (can && !c->quiet) spec_file_remark(c, spec);
    return can ? carry_out(c, nursery, spec, plan, interrupted) : command_fail(&err);
}

/* One spec, from its bytes to its exit code. */
static int run_spec(struct context *c, struct nursery *nursery, const struct run_source *file,
                    bool *interrupted)
{
    const struct run_options *o = c->options;
    const char *path = file->path;
    struct str bytes = file->bytes;
    struct spec_override override = run_source_overrides(c, file->is_one_liner);
    struct stand_in stub = {0};
    struct error err = {0};
    struct spec *spec = NULL;
    if (o->stub && !stand_in_start(&stub, path, bytes, c->arena, &err)) {
        return command_fail(&err);
    }
    override.stub_name = stub.name;
    int code = spec_file_load(c, path, bytes, &override, &spec);
    if (code == EXIT_DONE) spec->is_named = !file->is_registered;
    if (code == EXIT_DONE && o->stub) {
        spec->stub_name = stub.name;
        spec->stub_url = stub.url;
    }
    bool is_as_written = !override.has_seed && override.set_count == 0;
    if (code == EXIT_DONE && file->is_registered && is_as_written) {
        suite_store_warn(c, &file->suite, spec);
    }
    if (code == EXIT_DONE) code = run_checked(c, nursery, spec, interrupted);
    if (o->stub) stub_stop(&stub.server);
    return code;
}

static int run_one_liner(struct context *c, struct nursery *nursery)
{
    const struct run_options *o = c->options;
    struct error err = {0};
    struct buf text;
    buf_init(&text, (size_t)512 << 10);
    bool done = run_options_write_spec(c, &text, &err);
    if (done && o->save_spec) done = os_write_file(o->save_spec, buf_str(&text), &err);
    int code = EXIT_DONE;
    if (done) {
        const char *name = o->save_spec ? o->save_spec : "(command line)";
        struct run_source file = {
            .path = name, .bytes = str_copy(c->arena, buf_str(&text)), .is_one_liner = true};
        bool interrupted = false;
        code = run_spec(c, nursery, &file, &interrupted);
    } else {
        code = command_fail(&err);
    }
    buf_release(&text);
    return code;
}

static int run_requested(struct context *c, struct nursery *nursery)
{
    struct error err = {0};
    struct run_source file = {0};
    struct context mine = *c;
    struct run_options *o = arena_new(c->arena, struct run_options, 1);
    bool interrupted = false;
    *o = *(const struct run_options *)c->options;
    mine.options = o;
    bool done = run_requested_read(&mine, o, &file, &err);
    return done ? run_spec(&mine, nursery, &file, &interrupted) : command_fail(&err);
}

/* What is neither there nor named like a spec is most likely a command. */
static bool is_for_the_shell(const char *name)
{
    static const char *const endings[] = {".yaml", ".yml", ".json"};
    for (size_t i = 0; i < COUNT(endings); i++) {
        if (str_ends(str_of(name), str_of(endings[i]))) return false;
    }
    return !os_exists(name);
}

static int run_files(struct context *c, struct nursery *nursery)
{
    int worst = EXIT_DONE;
    bool interrupted = false;
    for (size_t i = 0; i < c->arg_count && !interrupted; i++) {
        struct error err = {0};
        struct run_source file;
        bool is_read = run_source_read(c, c->args[i], &file, &err);
        if (!is_read && is_for_the_shell(c->args[i])) {
            return command_misused(
                c->command,
                "'%s' is neither a spec file nor a registered suite; a command is "
                "timed with -c '%s', or after --",
                c->args[i], c->args[i]);
        }
        int code = is_read ? run_spec(c, nursery, &file, &interrupted) : command_fail(&err);
        worst = command_heavier(worst, code);
    }
    if (c->arg_count > 1 && !c->quiet && !interrupted) {
        fprintf(
            stderr,
            "assay: %zu files are %zu runs: `gate`, `regressions` and `baseline set` without "
            "a run take all of them; `latest` is the last\n",
            c->arg_count, c->arg_count);
    }
    return worst;
}

static int run(struct context *c)
{
    const struct run_options *o = c->options;
    struct allowance allowance;
    struct error err = {0};
    if (!allowance_parse(o->allow_failures, &allowance, &err)) {
        return command_misused(c->command, "%s", err.text);
    }
    if (o->rescore) return run_rescore(c);
    bool is_one_liner = run_options_is_one_liner(c);
    if (!is_one_liner && c->arg_count == 0 && o->resume) {
        return command_misused(c->command,
                               "--resume goes after the spec or the command that was "
                               "interrupted: assay run SPEC --resume; `assay show RUN "
                               "--reproduce` prints it");
    }
    if (o->request && (is_one_liner || c->arg_count > 0 || o->resume)) {
        return command_misused(c->command, "--request says which suite and agents");
    }
    if (!is_one_liner && c->arg_count == 0 && !o->request) {
        return command_misused(c->command, "name a spec file, or a command after --");
    }
    const char *of_commands = is_one_liner ? NULL : run_options_of_commands(c);
    if (of_commands) {
        return command_misused(c->command,
                               "--%s goes with a command (-c or --), not with a spec file: say "
                               "it there, or --set",
                               of_commands);
    }
    /* Before anything is loaded: what it forks stays this small. */
    struct nursery nursery = {0};
    if (!nursery_start(&nursery, &err)) return command_fail(&err);
    int code = o->request     ? run_requested(c, &nursery)
               : is_one_liner ? run_one_liner(c, &nursery)
                              : run_files(c, &nursery);
    nursery_end(&nursery);
    return code;
}

const struct command command_run = {
    .name = "run",
    .summary = "runs specs, or times a command, and stores every sample",
    .usage = "SPEC... | [-c CMD]... | -- PROGRAM [ARGUMENT]...",
    .examples = "assay run -n 20 -- true\n"
                "assay run -n 10 -w 2 -L n 1,2 -- sleep 0.0{n}\n"
                "assay run -n 20 -c 'seq 1000 | sort -n' -c 'seq 1000 | sort'\n"
                "assay run suite.yaml --concurrency 8",
    .params = {run_options_table, RUN_OPTION_COUNT},
    .config_size = sizeof(struct run_options),
    .run = run,
};
