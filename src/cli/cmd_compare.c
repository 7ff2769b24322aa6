/* assay compare: is B better than A? */
#include "analysis/samples.h"
#include "cli/compare_options.h"
#include "cli/stored.h"
#include "report/comparison.h"
#include "report/report.h"

extern const struct command command_compare;

static void write_samples(const struct context *c, const struct verdict_answer *answer,
                          const struct samples files[2], struct buf *out)
{
    if (c->json) {
        comparison_json(answer, out);
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
        .is_paired = o->paired,
        .higher_is_better = compare_options_direction(o) == DIRECTION_HIGHER,
        .alpha = o->alpha,
        .margin = o->equivalence,
    };
    struct verdict_answer answer;
    if (!verdict_compare(&q, c->arena, &answer, &err)) return command_fail(&err);
    struct buf out;
    buf_init(&out, REPORT_MAX_BYTES);
    write_samples(c, &answer, files, &out);
    int code = stored_print(c, &out);
    buf_release(&out);
    return code == EXIT_DONE ? compare_options_exit(o, &answer.verdict, 1) : code;
}

static int run(struct context *c)
{
    const struct compare_options *o = c->options;
    struct error err = {0};
    if (!compare_options_check(o, &err)) {
        return command_misused(&command_compare, "%s", err.text);
    }
    if (c->arg_count != 2) {
        return command_misused(&command_compare,
                               "takes a baseline A and a contender B, got %zu", c->arg_count);
    }
    if (!o->samples && o->column) {
        return command_misused(&command_compare, "--column goes with --samples");
    }
    return compare_samples(c);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "is B better than A? Effect, interval and verdict",
    .usage = "A B | --samples A.txt B.txt [options]",
    .examples = "assay compare --samples before.txt after.txt\n"
                "assay compare --samples before.txt after.txt --direction higher --json",
    .options = compare_options_table,
    .option_count = COMPARE_OPTION_COUNT,
    .options_size = sizeof(struct compare_options),
    .defaults = &compare_options_defaults,
    .run = run,
};
