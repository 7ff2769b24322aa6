/* assay compare: is B better than A? */
#include "base/human.h"
#include "cli/asked.h"
#include "cli/compare_options.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "report/words.h"
#include "study/rerun.h"

/* Plain files of numbers. */
static int compare_samples(struct context *c)
{
    const struct compare_options *o = c->options;
    struct compare_how how = question_compare_how(&o->asked);
    how.kind = o->kind;
    struct error err = {0};
    struct compare_samples samples;
    for (int i = 0; i < 2; i++) {
        if (!samples_read(c->args[i], o->column, c->arena, &samples.side[i], &err))
            return command_fail(&err);
    }
    if (!compare_plain(&how, *c->arena, &samples, &err)) return command_fail(&err);
    int code = stored_answer(c, &answer_samples, &samples);
    if (code != EXIT_DONE) return code;
    bool is_missing = samples.side[0].missing + samples.side[1].missing > 0;
    return compare_options_exit(o, &samples.answer.verdict, 1, is_missing);
}

/* Outcomes of B that nobody knows, and that may decide it. */
static bool is_open(const struct compare_row *row)
{
    return row->ask.units[1].unknown > 0 && row->answer.verdict == VERDICT_UNDECIDED;
}

/* B lacks what A has: a cell, a metric of one, or values of its cases. */
static bool is_short(const struct compare *compare)
{
    bool is = false;
    for (size_t i = 0; i < compare->unmatched_count; i++) is |= compare->unmatched[i].side == 0;
    for (size_t i = 0; i < compare->refusal_count; i++)
        is |= compare->refusals[i].gap.code == COMPARE_B_LACKS;
    for (size_t i = 0; i < compare->pair_count; i++) { /* one that failed has no values */
        const struct view_cell *const *cell = compare->pairs[i].cell;
        is |= cell[1]->record.status == RUN_FAILED && cell[0]->record.status != RUN_FAILED;
    }
    for (size_t i = 0; i < compare->row_count; i++)
        is |= ask_is_short(&compare->rows[i].ask) || is_open(&compare->rows[i]);
    return is;
}

static int write_runs(struct context *c, const struct compare *compare)
{
    int code = stored_answer(c, &answer_compare, compare);
    if (code != EXIT_DONE) return code;
    size_t count = compare->row_count + compare->pair_count + compare->whole_count;
    enum verdict *verdicts = arena_new(c->arena, enum verdict, count + 2);
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
    return compare_options_exit(c->options, verdicts, n, is_short(compare));
}

static int write_rerun(struct context *c, const struct rerun_answer *a)
{
    if (!c->quiet) {
        bool is_decided = a->compare.rows[0].answer.verdict != VERDICT_UNDECIDED;
        fprintf(stderr, "assay: %s after %lld rounds and %zu look%s, in run %s\n",
                is_decided ? "decided" : "the budget is spent: undecided", (long long)a->rounds,
                a->looks, PLURAL(a->looks), id_short(a->run_id));
    }
    return write_runs(c, &a->compare);
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
    struct compare_how how = question_compare_how(&o->asked);
    struct rerun_answer answer = {0};
    if (done) {
        struct rerun_request request = {
            .store = store,
            .nursery = &nursery,
            .cells = {&side[0].view->cells[0], &side[1].view->cells[0]},
            .budget = o->budget,
            .max_seconds = o->max_seconds,
            .stops_early = true,
            .how = how,
            .command = stored_command_line(c),
            .assay_version = version_text,
            .listener = progress_listener(&progress),
        };
        done = rerun_cells(&request, c->arena, &answer, &err) ||
               words_refuse(&answer.compare.refused, &err);
        progress_clear(&progress);
    }
    store_close(store);
    nursery_end(&nursery);
    return done ? write_rerun(c, &answer) : command_fail(&err);
}

/* Runs, agents, result files, which need no store. */
static int compare_runs(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    const void *compare = NULL;
    struct compare_params params = ((const struct compare_options *)c->options)->asked;
    params.a = c->args[0];
    params.b = c->arg_count == 2 ? c->args[1] : NULL;
    bool needs_store = false;
    for (size_t i = 0; i < c->arg_count; i++) needs_store |= !select_is_file(c->args[i]);
    bool done = (!needs_store || stored_open(c, true, &store, &err)) &&
                question_compare.ask(store, &params, c->arena, &compare, &err);
    store_close(store);
    return done ? write_runs(c, compare) : command_fail(&err);
}

static int run(struct context *c)
{
    const struct compare_options *o = c->options;
    bool is_one_run = c->arg_count == 1 && !o->samples;
    if (c->arg_count != 2 && !is_one_run) {
        return command_misused(c->command, "takes a baseline A and a contender B, got %zu",
                               c->arg_count);
    }
    if (!o->samples && o->column) {
        return command_misused(c->command, "--column goes with --samples");
    }
    if (o->until_decided && (o->samples || c->arg_count != 2)) {
        return command_misused(c->command, "--until-decided needs two runs, A and B");
    }
    if (o->until_decided) return measure_again(c);
    return o->samples ? compare_samples(c) : compare_runs(c);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "is B better than A? Effect, interval and verdict",
    .usage = "A B | RUN | --samples A.txt B.txt [options]",
    .takes_runs = true,
    .examples = "assay compare latest~1 latest\n"
                "assay compare --samples before.txt after.txt\n"
                "assay compare --samples before.txt after.txt --direction higher --json",
    .params = {compare_options_table, COMPARE_OPTION_COUNT},
    .config_size = sizeof(struct compare_options),
    .run = run,
};
