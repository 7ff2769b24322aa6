/* assay regressions: what got worse since the baseline? */
#include "analysis/regress.h"
#include "cli/stored.h"
#include "report/regressions.h"
#include "report/report.h"

struct regressions_options {
    const char *baseline;
    struct option_list threshold;
    const char *agent;
    const char *version;
    double alpha;
    bool all;
    bool decide;
    bool no_keep;
};

#define AT(field) .offset = offsetof(struct regressions_options, field)

static const struct regressions_options defaults = {.alpha = 0.05};

static const struct option options[] = {
    {.name = "baseline",
     .kind = OPTION_TEXT,
     AT(baseline),
     .argument = "WHAT",
     .help = "a pinned name, a version of the agent, or a run (default: pinned as 'default', "
             "else the last earlier version)"},
    {.name = "threshold",
     .kind = OPTION_LIST,
     AT(threshold),
     .argument = "SHARE",
     .help = "worse by more than this is a regression (0.1); METRIC=SHARE for one metric"},
    {.name = "agent",
     .kind = OPTION_TEXT,
     AT(agent),
     .argument = "NAME",
     .help = "the newest results of this agent, instead of a run's"},
    {.name = "version",
     .kind = OPTION_TEXT,
     AT(version),
     .argument = "TEXT",
     .help = "with --agent: that version of it (its newest)"},
    {.name = "alpha",
     .kind = OPTION_REAL,
     AT(alpha),
     .argument = "SHARE",
     .help = "share of false findings that is accepted (0.05)"},
    {.name = "all",
     .kind = OPTION_FLAG,
     AT(all),
     .help = "also what is not worse, and what is undecided"},
    {.name = "decide",
     .kind = OPTION_FLAG,
     AT(decide),
     .help = "exit 4 if nothing got worse but something is undecided"},
    {.name = "no-keep",
     .kind = OPTION_FLAG,
     AT(no_keep),
     .help = "do not keep what is found in the store"},
};

extern const struct command command_regressions;

static bool read_share(struct str text, double *share, struct error *err)
{
    struct str number = text;
    bool is_percent = str_ends(text, S("%"));
    if (is_percent) number = str_trim((struct str){text.p, text.n - 1});
    if (!str_to_real(number, share) || *share < 0) {
        return error_set(err, ERROR_INVALID,
                         "--threshold '%.*s' is no share: write 0.1, 10%% or duration_s=0.05",
                         STR_ARG(text));
    }
    if (is_percent) *share /= 100;
    return true;
}

static bool read_thresholds(struct context *c, struct regress_question *q, struct error *err)
{
    const struct regressions_options *o = c->options;
    struct regress_limit *limits =
        arena_new(c->arena, struct regress_limit, o->threshold.count + 1);
    for (size_t i = 0; i < o->threshold.count; i++) {
        struct str value = str_of(o->threshold.items[i]);
        struct str name = str_cut(&value, '=');
        double share = 0;
        if (!read_share(value.p ? value : name, &share, err)) return false;
        if (!value.p) {
            q->threshold = share;
        } else {
            limits[q->limit_count++] = (struct regress_limit){str_cstr(c->arena, name), share};
        }
    }
    q->limits = limits;
    if (o->alpha > 0 && o->alpha < 0.5) return true;
    return error_set(err, ERROR_INVALID, "--alpha must be above 0 and below 0.5 (is %g)",
                     o->alpha);
}

static int print(struct context *c, const struct regress *r)
{
    const struct regressions_options *o = c->options;
    struct buf out;
    buf_init(&out, REPORT_MAX_BYTES);
    if (c->json) {
        regressions_json(r, &out);
    } else if (c->quiet) {
        buf_printf(&out, "%s\n", r->overall_health);
    } else {
        regressions_text(r, o->all, &out);
    }
    int code = stored_print(c, &out);
    buf_release(&out);
    if (code != EXIT_DONE) return code;
    if (r->found > 0) return EXIT_FAILED;
    bool is_open = r->undecided > 0 || r->compared == 0;
    return o->decide && is_open ? EXIT_UNDECIDED : EXIT_DONE;
}

static int run(struct context *c)
{
    const struct regressions_options *o = c->options;
    struct error err = {0};
    struct regress_question q = {.alpha = o->alpha};
    if (c->arg_count > 1 || (c->arg_count == 1 && o->agent)) {
        return command_misused(&command_regressions, "takes one run, or --agent");
    }
    if (o->version && !o->agent) {
        return command_misused(&command_regressions, "--version goes with --agent");
    }
    if (!read_thresholds(c, &q, &err)) {
        return command_misused(&command_regressions, "%s", err.text);
    }
    q.which = (struct baseline_question){.run = c->arg_count ? c->args[0] : NULL,
                                         .agent = o->agent,
                                         .version = o->version,
                                         .baseline = o->baseline};
    struct store *store = NULL;
    struct regress r;
    bool done = stored_open(c, o->no_keep, &store, &err) &&
                regress_ask(store, &q, c->arena, &r, &err) &&
                (o->no_keep || regress_keep(store, &r, c->arena, &err));
    store_close(store);
    return done ? print(c, &r) : command_fail(&err);
}

const struct command command_regressions = {
    .name = "regressions",
    .summary = "what got worse since the baseline: how much, how sure, where",
    .usage = "[RUN | --agent NAME [--version V]] [--baseline WHAT] [--threshold SHARE]",
    .examples = "assay regressions\n"
                "assay regressions --agent bc --baseline 1.07\n"
                "assay regressions latest --baseline main --threshold duration_s=0.05 --all",
    .options = options,
    .option_count = COUNT(options),
    .options_size = sizeof(struct regressions_options),
    .defaults = &defaults,
    .run = run,
};
