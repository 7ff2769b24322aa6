/* assay regressions: what got worse since the baseline? */
#include "cli/progress.h"
#include "cli/stored.h"
#include "cli/version.h"
#include "report/answer_regressions.h"
#include "report/report.h"
#include "study/confirm.h"

struct regressions_options {
    const char *baseline;
    struct option_list threshold;
    const char *agent;
    const char *version;
    double alpha;
    bool all;
    bool decide;
    bool no_keep;
    bool confirm;
    int64_t budget;
    double max_seconds;
};

#define AT(field) .offset = offsetof(struct regressions_options, field)

static const struct regressions_options defaults = {
    .alpha = 0.05, .budget = 200, .max_seconds = 60};

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
     .help = "the newest version of this agent, all its runs, instead of one run"},
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
    {.name = "confirm",
     .kind = OPTION_FLAG,
     AT(confirm),
     .help = "measure both versions of each alarm again, taking turns, and believe that"},
    {.name = "budget",
     .kind = OPTION_INT,
     AT(budget),
     .argument = "N",
     .help = "with --confirm: trials of each version (200); of cases: whole passes"},
    {.name = "max-seconds",
     .kind = OPTION_REAL,
     AT(max_seconds),
     .argument = "S",
     .help = "with --confirm: longest time of measuring one cell (60)"},
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

static bool read_options(struct context *c, struct regress_question *q, struct error *err)
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
    if (!(o->alpha > 0 && o->alpha < 0.5)) {
        return error_set(err, ERROR_INVALID, "--alpha must be above 0 and below 0.5 (is %g)",
                         o->alpha);
    }
    if (o->budget < 10) {
        return error_set(err, ERROR_INVALID, "--budget must be at least 10 (is %lld)",
                         (long long)o->budget);
    }
    if (o->max_seconds > 0) return true;
    return error_set(err, ERROR_INVALID, "--max-seconds must be above 0 (is %g)",
                     o->max_seconds);
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
                                      .command_json = stored_command_line(c),
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
                (o->no_keep || regress_keep(store, &r, c->arena, &err));
    store_close(store);
    if (o->confirm) nursery_end(&nursery);
    return done ? print(c, &r) : command_fail(&err);
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
    if (!read_options(c, &q, &err)) {
        return command_misused(&command_regressions, "%s", err.text);
    }
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
    .options = options,
    .option_count = COUNT(options),
    .options_size = sizeof(struct regressions_options),
    .defaults = &defaults,
    .run = run,
};
