#include "cli/run_rescore.h"

#include "cli/results.h"
#include "cli/run_options.h"
#include "cli/run_source.h"
#include "cli/spec_file.h"
#include "cli/stored.h"
#include "cli/version.h"
#include "report/answer_done.h"
#include "run/rescore.h"
#include "view/select.h"

int run_rescore(struct context *c)
{
    const struct run_options *o = c->options;
    struct error err = {0};
    struct spec *spec = NULL;
    struct store *store = NULL;
    struct run_record source;
    const char *of_trials = run_options_of_trials(c);
    if (of_trials) {
        return command_misused(
            c->command,
            "--%s does not go with --rescore, which asks no agent: it scores "
            "and stores what is there",
            of_trials);
    }
    if (c->arg_count > 1) return command_misused(c->command, "--rescore takes one suite");
    if (!results_can_be_written(c, NULL, &err)) return command_fail(&err);
    if (c->arg_count == 1) {
        struct run_source file;
        struct spec_override override = run_source_overrides(c, false);
        override.agents_are_optional = true;
        if (!run_source_read(c, c->args[0], &file, &err)) return command_fail(&err);
        int code = spec_file_load(c, file.path, file.bytes, &override, &spec);
        if (code != EXIT_DONE) return code;
        if (!spec->suite) return command_misused(c->command, "'%s' holds no suite", file.path);
    }
    struct rescore_outcome outcome = {0};
    bool done = stored_open(c, false, &store, &err) &&
                select_run(store, o->rescore, c->arena, &source, &err);
    if (done) {
        struct rescore_request request = {.store = store,
                                          .source = &source,
                                          .spec = spec,
                                          .command = stored_command_line(c),
                                          .assay_version = version_text};
        done = rescore_run(&request, c->arena, &outcome, &err);
    }
    if (done) {
        const struct answer_rescore a = {outcome.run_id, source.id, outcome.cells,
                                         outcome.trials, outcome.changed};
        (void)!stored_tell(c, &answer_rescore, &a);
    }
    size_t claims_failing = 0;
    done = done && results_show(c, store, NULL, outcome.run_id, &claims_failing, &err);
    int code =
        done ? results_judge(c, store, outcome.run_id, claims_failing) : command_fail(&err);
    store_close(store);
    return code;
}
