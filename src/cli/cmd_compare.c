/* assay compare: is B better than A? */
#include "cli/compare_options.h"
#include "cli/progress.h"
#include "cli/stored.h"
#include "cli/version.h"
#include "report/answer_compare.h"
#include "report/answer_samples.h"
#include "report/report.h"
#include "study/rerun.h"
#include "view/samples.h"

extern const struct command command_compare;

static void write_samples(const struct context *c, const struct verdict_answer *answer,
                          const struct samples files[2], struct buf *out)
{
    if (c->json) {
        comparison_json(answer, *c->arena, out);
        return;
    }
    if (c->quiet) {
        buf_printf(out, "%s\n", verdict_name(answer->verdict));
        return;
    }
    struct comparison_side sides[2];
    for (int i = 0; i < 2; i++) {
        sides[i] = (struct comparison_side){files[i].name, files[i].values, files[i].count};
    }
    comparison_text(answer, sides, *c->arena, out);
}

/* Where there is no ratio the engine says so, and takes the shift. */
static enum kind guess(const struct samples files[2])
{
    enum kind kind =
        kind_guess(files[0].values, files[0].count, files[1].values, files[1].count);
    return kind == KIND_SHARE ? KIND_SHARE : KIND_RATIO;
}

/* Plain files of numbers, as ministat takes them. */
static int compare_samples(struct context *c)
{
    const struct compare_options *o = c->options;
    struct error err = {0};
    struct samples files[2];
    for (int i = 0; i < 2; i++) {
        if (!samples_read(c->args[i], o->column, c->arena, &files[i], &err))
            return command_fail(&err);
    }
    struct verdict_question q = {
        .a = files[0].values,
        .a_count = files[0].count,
        .b = files[1].values,
        .b_count = files[1].count,
        .kind = guess(files),
        .is_paired = o->paired,
        .higher_is_better = o->direction == DIRECTION_HIGHER,
        .alpha = o->alpha,
        .margin = o->equivalence,
    };
    if (o->kind > 0) q.kind = (enum kind)(o->kind - 1);
    struct verdict_answer answer;
    if (!verdict_compare(&q, *c->arena, &answer, &err)) return command_fail(&err);
    struct buf out;
    buf_init(&out, REPORT_MAX_BYTES);
    write_samples(c, &answer, files, &out);
    int code = stored_print(c, &out);
    buf_release(&out);
    return code == EXIT_DONE ? compare_options_exit(o, &answer.verdict, 1) : code;
}

static struct compare_how how_of(const struct compare_options *o)
{
    return (struct compare_how){
        .alpha = o->alpha,
        .margin = o->equivalence,
        .is_paired = o->paired,
        .metric = o->metric,
        .direction = (enum direction)o->direction,
        .is_unadjusted = o->adjust == ADJUSTMENT_NONE,
    };
}

static int write_runs(struct context *c, const struct compare *compare,
                      const struct compare_how *how)
{
    struct buf out;
    buf_init(&out, REPORT_MAX_BYTES);
    if (c->json) {
        compare_runs_json(compare, how, *c->arena, &out);
    } else if (c->quiet) {
        buf_printf(&out, "%s\n", verdict_name(compare->wholes[0].answer.verdict));
    } else {
        compare_runs_text(compare, *c->arena, &out);
    }
    int code = stored_print(c, &out);
    buf_release(&out);
    if (code != EXIT_DONE) return code;
    size_t count = compare->row_count + compare->pair_count + compare->whole_count;
    enum verdict *verdicts = arena_new(c->arena, enum verdict, count + 1);
    size_t n = 0;
    /* Metrics as a whole, and the cells that differ. Too few failures to tell is normal. */
    for (size_t i = 0; i < compare->whole_count; i++) {
        enum verdict v = compare->wholes[i].answer.verdict;
        bool is_failures = strcmp(compare->wholes[i].metric, UNITS_FAILURES) == 0;
        if (!is_failures || v != VERDICT_UNDECIDED) verdicts[n++] = v;
    }
    for (size_t i = 0; i < compare->row_count; i++) {
        enum verdict v = compare->rows[i].answer.verdict;
        if (v == VERDICT_WORSE || v == VERDICT_BETTER) verdicts[n++] = v;
    }
    for (size_t i = 0; i < compare->pair_count; i++) {
        enum verdict v = compare->pairs[i].failures.verdict;
        if (v == VERDICT_WORSE || v == VERDICT_BETTER) verdicts[n++] = v;
    }
    return compare_options_exit(c->options, verdicts, n);
}

static int write_rerun(struct context *c, const struct rerun_answer *a,
                       const struct compare_how *how)
{
    if (!c->quiet) {
        bool is_decided = a->compare.rows[0].answer.verdict != VERDICT_UNDECIDED;
        fprintf(stderr, "assay: %s after %lld rounds and %zu look%s, in run %s\n",
                is_decided ? "decided" : "the budget is spent: undecided", (long long)a->rounds,
                a->looks, a->looks == 1 ? "" : "s", id_short(a->run_id));
    }
    struct compare_how at_level = *how;
    at_level.alpha = a->level;
    return write_runs(c, &a->compare, &at_level);
}

/* Both sides again, in turns, until there is a verdict. The nursery comes first,
 * while this process is small. */
static int measure_again(struct context *c)
{
    const struct compare_options *o = c->options;
    struct error err = {0};
    struct nursery nursery = {0};
    struct store *store = NULL;
    struct source side[2];
    if (!nursery_start(&nursery, &err)) return command_fail(&err);
    bool done = stored_open(c, false, &store, &err);
    for (size_t i = 0; i < 2 && done; i++) {
        done = source_load(store, c->args[i], c->arena, &side[i], &err);
        if (done && side[i].view->cell_count != 1) {
            done = error_set(&err, ERROR_INVALID,
                             "--until-decided needs one cell a side; '%s' has %zu: name one as "
                             "RUN:0, RUN:1, ...",
                             c->args[i], side[i].view->cell_count);
        }
    }
    struct progress progress = {.is_live = !c->quiet && !c->json && progress_can_be_live(),
                                .is_quiet = true,
                                .cells = 2};
    struct compare_how how = how_of(o);
    struct rerun_answer answer;
    if (done) {
        struct rerun_request request = {
            .store = store,
            .nursery = &nursery,
            .cells = {&side[0].view->cells[0], &side[1].view->cells[0]},
            .budget = o->budget,
            .max_seconds = o->max_seconds,
            .stops_early = true,
            .how = how,
            .command_json = stored_command_line(c),
            .assay_version = version_text,
            .listener = progress_listener(&progress),
        };
        done = rerun_cells(&request, c->arena, &answer, &err);
        progress_clear(&progress);
    }
    store_close(store);
    nursery_end(&nursery);
    return done ? write_rerun(c, &answer, &how) : command_fail(&err);
}

/* Runs, agents, result files. */
static int compare_runs(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct source side[2];
    struct compare compare;
    struct compare_how how = how_of(c->options);
    bool needs_store = false;
    for (size_t i = 0; i < c->arg_count; i++) needs_store |= !select_is_file(c->args[i]);
    bool done = !needs_store || stored_open(c, true, &store, &err);
    for (size_t i = 0; i < c->arg_count && done; i++) {
        done = source_load(store, c->args[i], c->arena, &side[i], &err);
    }
    store_close(store);
    const struct source *b = c->arg_count == 2 ? &side[1] : NULL;
    done = done && compare_make(&side[0], b, &how, c->arena, &compare, &err);
    return done ? write_runs(c, &compare, &how) : command_fail(&err);
}

static int run(struct context *c)
{
    const struct compare_options *o = c->options;
    bool is_one_run = c->arg_count == 1 && !o->samples;
    if (c->arg_count != 2 && !is_one_run) {
        return command_misused(&command_compare,
                               "takes a baseline A and a contender B, got %zu", c->arg_count);
    }
    if (!o->samples && o->column) {
        return command_misused(&command_compare, "--column goes with --samples");
    }
    if (o->until_decided && (o->samples || c->arg_count != 2)) {
        return command_misused(&command_compare, "--until-decided needs two runs, A and B");
    }
    if (o->until_decided) return measure_again(c);
    return o->samples ? compare_samples(c) : compare_runs(c);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "is B better than A? Effect, interval and verdict",
    .usage = "A B | RUN | --samples A.txt B.txt [options]",
    .examples = "assay compare latest~1 latest\n"
                "assay compare --samples before.txt after.txt\n"
                "assay compare --samples before.txt after.txt --direction higher --json",
    .params = {compare_options_table, COMPARE_OPTION_COUNT},
    .config_size = sizeof(struct compare_options),
    .run = run,
};
