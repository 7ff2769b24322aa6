/* assay regressions: what got worse since the baseline? */
#include "cli/progress.h"
#include "cli/stored.h"
#include "cli/version.h"
#include "report/regress_words.h"
#include "study/confirm.h"

#include <math.h>

struct regressions_options {
    const char *baseline;
    struct param_shares threshold;
    const char *agent;
    const char *version;
    double alpha;
    bool all;
    bool decide;
    bool no_keep;
    bool confirm;
    int64_t budget;
    double max_seconds;
    const char *plot;
};

#define AT(field) .offset = offsetof(struct regressions_options, field)

static const struct param options[] = {
    {"baseline", PARAM_TEXT, AT(baseline), .argument = "WHAT",
     .help = "a pinned name, a version of the agent, or a run (default: pinned as 'default', "
             "else the last earlier version)"},
    {"threshold", PARAM_SHARE_LIST, AT(threshold), .max = INFINITY, .open = true,
     .fallback = "0.1",
     .help = "worse by more than this (5 % or 0.05) is a regression; METRIC=SHARE for one "
             "metric; may be repeated"},
    {"agent", PARAM_TEXT, AT(agent), .argument = "NAME",
     .help = "the newest version of this agent (or name@version), all its runs, not one run"},
    {"version", PARAM_TEXT, AT(version), .argument = "TEXT",
     .help = "with --agent: that version of it (its newest)"},
    {"alpha", PARAM_SHARE, AT(alpha), .fallback = "0.05", .max = 0.5, .open = true,
     .help = "share of false findings that is accepted"},
    {"all", PARAM_BOOL, AT(all), .help = "also what is not worse, and what is undecided"},
    {"decide", PARAM_BOOL, AT(decide),
     .help = "exit 4 if nothing got worse but something is undecided"},
    {"no-keep", PARAM_BOOL, AT(no_keep), .help = "do not keep what is found in the store"},
    {"confirm", PARAM_BOOL, AT(confirm),
     .help = "measure both versions of each alarm again, taking turns, and believe that"},
    {"budget", PARAM_INT, AT(budget), .fallback = "200", .min = 10, .max = INFINITY,
     .help = "with --confirm: trials of each version; of cases: whole passes"},
    {"max-seconds", PARAM_REAL, AT(max_seconds), .argument = "S", .fallback = "60",
     .max = INFINITY, .open = true,
     .help = "with --confirm: longest time of measuring one cell"},
    STORED_PLOT(struct regressions_options),
};

extern const struct command command_regressions;

static void read_thresholds(struct context *c, struct regress_question *q)
{
    const struct regressions_options *o = c->options;
    struct regress_limit *limits =
        arena_new(c->arena, struct regress_limit, o->threshold.count + 1);
    for (size_t i = 0; i < o->threshold.count; i++) {
        const struct param_share *t = &o->threshold.items[i];
        if (!t->name) {
            q->threshold = t->share;
        } else {
            limits[q->limit_count++] = (struct regress_limit){t->name, t->share};
        }
    }
    q->limits = limits;
}

/* A limit of a metric that nothing has would let everything pass. */
static bool limits_are_used(const struct regress_question *q, const struct regress *r,
                            struct error *err)
{
    for (size_t i = 0; i < q->limit_count && r->compared > 0; i++) {
        bool is_used = false;
        for (size_t k = 0; k < r->row_count && !is_used; k++) {
            const char *metric = r->rows[k].metric;
            is_used = metric && strcmp(metric, q->limits[i].metric) == 0;
        }
        if (is_used) continue;
        return error_set(err, ERROR_INVALID, "--threshold %s=...: no metric '%s' was compared",
                         q->limits[i].metric, q->limits[i].metric);
    }
    return true;
}

static int print(struct context *c, const struct regress *r)
{
    const struct regressions_options *o = c->options;
    int code = stored_answer(c, &answer_regressions, r);
    if (code != EXIT_DONE) return code;
    if (r->found > 0) return EXIT_FAILED;
    bool is_open = r->undecided > 0 || r->compared == 0 || r->incomplete > 0;
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
                regress_ask(store, q, c->arena, &r, &err) && limits_are_used(q, &r, &err) &&
                (!o->confirm || confirm(c, store, &nursery, q, &r, &err)) &&
                (o->no_keep || regress_keep(store, &r, regress_words_analysis, c->arena, &err));
    store_close(store);
    if (o->confirm) nursery_end(&nursery);
    return done ? print(c, &r) : command_fail(&err);
}

static int run(struct context *c)
{
    const struct regressions_options *o = c->options;
    struct regress_question q = {.alpha = o->alpha};
    if (c->arg_count > 1 || (c->arg_count == 1 && o->agent)) {
        return command_misused(&command_regressions, "takes one run, or --agent");
    }
    if (o->version && !o->agent) {
        return command_misused(&command_regressions, "--version goes with --agent");
    }
    read_thresholds(c, &q);
    q.which = (struct baseline_question){.run = c->arg_count ? c->args[0] : NULL,
                                         .agent = o->agent,
                                         .version = o->version,
                                         .baseline = o->baseline};
    return ask(c, &q);
}

const struct command command_regressions = {
    .name = "regressions",
    .summary = "what got worse since the baseline: how much, how sure, where",
    .usage = "[RUN | --agent NAME [--version V]] [--baseline WHAT] [--threshold SHARE] "
             "[--confirm]",
    .examples = "assay regressions\n"
                "assay regressions --agent bc --baseline 1.07\n"
                "assay regressions latest --baseline main --threshold duration_s=0.05 --all\n"
                "assay regressions --agent bc --confirm --budget 100 --max-seconds 30",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct regressions_options),
    .run = run,
};
