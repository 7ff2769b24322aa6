/* assay regressions: what got worse since the baseline? */
#include "cli/asked.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "question/question_regressions.h"
#include "report/regress_words.h"
#include "study/confirm.h"

#include <math.h>

struct regressions_options {
    struct regressions_params asked;
    bool all;
    bool decide;
    bool no_keep;
    bool confirm;
    bool stats;
    int64_t budget;
    double max_seconds;
    const char *plot;
};

#define AT(field) .offset = offsetof(struct regressions_options, field)

static const struct param options[] = {
    REGRESSIONS_ROWS,
    {"all", PARAM_BOOL, AT(all), .help = "also what is not worse, and what is undecided"},
    {"decide", PARAM_BOOL, AT(decide),
     .help = "exit 4 if nothing got worse but something is undecided"},
    {"stats", PARAM_BOOL, AT(stats),
     .help = "past alarms, and how good they were by what `assay ack` said of them"},
    {"no-keep", PARAM_BOOL, AT(no_keep), .help = "do not keep what is found in the store"},
    {"confirm", PARAM_BOOL, AT(confirm),
     .help = "measure both versions of each alarm again, taking turns, and decide by the new "
             "trials"},
    {"budget", PARAM_INT, AT(budget), .fallback = "200", .min = 10, .max = INFINITY,
     .help = "with --confirm: trials of each version; of cases: whole passes"},
    {"max-seconds", PARAM_REAL, AT(max_seconds), .argument = "S", .fallback = "60",
     .max = INFINITY, .open = true,
     .help = "with --confirm: longest time of measuring one cell"},
    STORED_PLOT(struct regressions_options),
};

static int print(struct context *c, const struct regress *r)
{
    const struct regressions_options *o = c->options;
    int code = stored_answer(c, &answer_regressions, r);
    if (code != EXIT_DONE) return code;
    if (r->found > r->quiet || r->unfinished > 0) return EXIT_FAILED;
    bool is_open = r->undecided > 0 || r->compared == 0 || r->incomplete > 0 || r->is_cut;
    return o->decide && is_open ? EXIT_UNDECIDED : EXIT_DONE;
}

static bool confirm(struct context *c, struct store *store, struct nursery *nursery,
                    const struct regress_question *q, struct regress *r, struct error *err)
{
    const struct regressions_options *o = c->options;
    struct progress progress = {.is_live = !c->quiet && !c->json && progress_can_be_live(),
                                .is_quiet = true,
                                .cells = 2};
    struct confirm_request request = {.store = store,
                                      .nursery = nursery,
                                      .question = q,
                                      .budget = o->budget,
                                      .max_seconds = o->max_seconds,
                                      .command = stored_command_line(c),
                                      .assay_version = version_text,
                                      .listener = progress_listener(&progress)};
    bool done = confirm_alarms(&request, c->arena, r, err);
    progress_clear(&progress);
    return done;
}

/* With --confirm the nursery comes first, while this process is small. */
static int ask(struct context *c, const struct regress_question *q)
{
    const struct regressions_options *o = c->options;
    struct error err = {0};
    struct nursery nursery = {0};
    struct store *store = NULL;
    struct regress r;
    if (o->confirm && !nursery_start(&nursery, &err)) return command_fail(&err);
    bool is_read_only = o->no_keep && !o->confirm;
    bool done = stored_open(c, is_read_only, &store, &err) &&
                question_regressions_ask(store, q, c->arena, &r, &err) &&
                (!o->confirm || confirm(c, store, &nursery, q, &r, &err)) &&
                (o->no_keep || regress_keep(store, &r, regress_words_analysis, c->arena, &err));
    store_close(store);
    if (o->confirm) nursery_end(&nursery);
    return done ? print(c, &r) : command_fail(&err);
}

static int run(struct context *c)
{
    const struct regressions_options *o = c->options;
    struct regressions_params params = o->asked;
    if (o->stats && c->arg_count == 0)
        return asked_run(c, &question_alarms, &(struct alarms_params){params.agent});
    if (o->stats) return command_misused(c->command, "--stats takes no run");
    if (c->arg_count > 1 || (c->arg_count == 1 && params.agent)) {
        return command_misused(c->command, "takes one run, or --agent");
    }
    if (params.version && !params.agent) {
        return command_misused(c->command, "--version goes with --agent");
    }
    params.run = c->arg_count ? c->args[0] : NULL;
    struct regress_question q = question_regressions_of(&params, c->arena);
    return ask(c, &q);
}

const struct command command_regressions = {
    .name = "regressions",
    .summary = "what got worse since the baseline: how much, how sure, where",
    .usage = "[RUN | --agent NAME [--version V]] [--baseline WHAT] [--threshold SHARE] "
             "[--confirm] | --stats",
    .takes_runs = true,
    .examples = "assay regressions\n"
                "assay regressions --agent bc --baseline 1.07\n"
                "assay regressions latest --baseline main --threshold duration_s=0.05 --all\n"
                "assay regressions --agent bc --confirm --budget 100 --max-seconds 30\n"
                "assay regressions --stats",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct regressions_options),
    .run = run,
};
