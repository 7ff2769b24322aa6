#include "cli/compare_options.h"

#include "cli/stored.h"

#include <math.h>

#define AT(field) .offset = offsetof(struct compare_options, field)

static const char *const verdicts[] = {"undecided", "better", "worse", "equivalent", NULL};

const struct param compare_options_table[COMPARE_OPTION_COUNT] = {
    COMPARE_ROWS,
    {"samples", PARAM_BOOL, AT(samples),
     .help = "A and B are plain files of numbers, one per line"},
    {"column", PARAM_TEXT, AT(column), .argument = "NAME",
     .help = "with --samples: the files are CSV, take this column"},
    {"kind", PARAM_CHOICE, AT(kind), .choices = kind_choices, .fallback = "\"auto\"",
     .help =
         "with --samples: how the values compare; auto: shares if all are 0 or 1, ratios if "
         "all are above 0, else shifts"},
    {"until-decided", PARAM_BOOL, AT(until_decided),
     .help = "measure both sides again, taking turns, until there is a verdict"},
    {"budget", PARAM_INT, AT(budget), .fallback = "200", .min = 10, .max = INFINITY,
     .help = "with --until-decided: trials of each side at most; of cases: whole passes"},
    {"max-seconds", PARAM_REAL, AT(max_seconds), .argument = "S", .fallback = "60",
     .max = INFINITY, .help = "with --until-decided: no further look after this time"},
    {"fail-on", PARAM_CHOICE_LIST, AT(fail_on), .choices = verdicts, .argument = "VERDICTS",
     .help = "exit 1 on these: better, worse, equivalent, undecided, or several of them with "
             "commas"},
    {"decide", PARAM_BOOL, AT(decide), .help = "exit 4 if a verdict is undecided"},
    STORED_PLOT(struct compare_options),
};

static bool fails_on(const struct compare_options *o, enum verdict found)
{
    for (size_t i = 0; i < o->fail_on.count; i++) {
        if (o->fail_on.items[i] == (int64_t)found) return true;
    }
    return false;
}

int compare_options_exit(const struct compare_options *o, const enum verdict *found,
                         size_t count, bool is_missing)
{
    bool is_undecided = count == 0 || is_missing;
    if (is_missing && fails_on(o, VERDICT_UNDECIDED)) return EXIT_FAILED;
    for (size_t i = 0; i < count; i++) {
        is_undecided |= found[i] == VERDICT_UNDECIDED;
        if (fails_on(o, found[i])) return EXIT_FAILED;
    }
    /* What is not there may be what is asked about: a check is not passed without it. */
    bool is_open = (is_undecided && o->decide) || (is_missing && o->fail_on.count > 0);
    return is_open ? EXIT_UNDECIDED : EXIT_DONE;
}
