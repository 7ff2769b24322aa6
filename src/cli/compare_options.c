#include "cli/compare_options.h"

#include "base/str.h"

#define AT(field) .offset = offsetof(struct compare_options, field)

const struct compare_options compare_options_defaults = {
    .alpha = VERDICT_ALPHA,
    .equivalence = VERDICT_MARGIN,
    .adjust = "bh",
    .budget = 200,
    .max_seconds = 60,
};

const struct option compare_options_table[COMPARE_OPTION_COUNT] = {
    {.name = "samples",
     .kind = OPTION_FLAG,
     AT(samples),
     .help = "A and B are plain files of numbers, one a line"},
    {.name = "column",
     .kind = OPTION_TEXT,
     AT(column),
     .argument = "NAME",
     .help = "with --samples: the files are CSV, take this column"},
    {.name = "direction",
     .kind = OPTION_TEXT,
     AT(direction),
     .argument = "lower|higher",
     .help = "which values are better; lower for plain files, else as the metric says"},
    {.name = "paired",
     .kind = OPTION_FLAG,
     AT(paired),
     .help = "value i of A belongs to value i of B"},
    {.name = "alpha",
     .kind = OPTION_REAL,
     AT(alpha),
     .argument = "P",
     .help = "how often a difference may be claimed that is not there (0.05)"},
    {.name = "equivalence",
     .kind = OPTION_REAL,
     AT(equivalence),
     .argument = "SHARE",
     .help = "changes within this share count as none (0.03); 0 never says equivalent"},
    {.name = "metric",
     .kind = OPTION_TEXT,
     AT(metric),
     .argument = "NAME",
     .help = "compare only this metric"},
    {.name = "adjust",
     .kind = OPTION_TEXT,
     AT(adjust),
     .argument = "bh|holm|none",
     .help =
         "for several comparisons at once: share of false findings (bh), or any at all (holm)"},
    {.name = "until-decided",
     .kind = OPTION_FLAG,
     AT(until_decided),
     .help = "measure both sides again, taking turns, until there is a verdict"},
    {.name = "budget",
     .kind = OPTION_INT,
     AT(budget),
     .argument = "N",
     .help = "with --until-decided: trials of each side at most (200); of cases: whole passes"},
    {.name = "max-seconds",
     .kind = OPTION_REAL,
     AT(max_seconds),
     .argument = "S",
     .help = "with --until-decided: no further look after this time (60)"},
    {.name = "fail-on",
     .kind = OPTION_TEXT,
     AT(fail_on),
     .argument = "VERDICTS",
     .help = "exit 1 on these, e.g. worse or worse,undecided"},
    {.name = "decide",
     .kind = OPTION_FLAG,
     AT(decide),
     .help = "exit 4 if a verdict is undecided"},
};

static bool find_verdict(struct str name, enum verdict *verdict)
{
    for (int v = VERDICT_UNDECIDED; v <= VERDICT_EQUIVALENT; v++) {
        if (!str_is(name, verdict_name((enum verdict)v))) continue;
        *verdict = (enum verdict)v;
        return true;
    }
    return false;
}

bool compare_options_check(const struct compare_options *o, struct error *err)
{
    enum direction direction = DIRECTION_NONE;
    enum verdict verdict = VERDICT_UNDECIDED;
    if (!(o->alpha > 0 && o->alpha < 0.5)) {
        return error_set(err, ERROR_INVALID, "--alpha must be above 0 and below 0.5 (is %g)",
                         o->alpha);
    }
    if (!(o->equivalence >= 0 && o->equivalence < 10)) {
        return error_set(err, ERROR_INVALID, "--equivalence must be from 0 to 10 (is %g)",
                         o->equivalence);
    }
    if (o->budget < 10) {
        return error_set(err, ERROR_INVALID, "--budget must be at least 10 (is %lld)",
                         (long long)o->budget);
    }
    if (o->direction && (!direction_parse(o->direction, &direction) || !direction)) {
        return error_set(err, ERROR_INVALID, "--direction must be lower or higher (is '%s')",
                         o->direction);
    }
    if (strcmp(o->adjust, "bh") != 0 && strcmp(o->adjust, "holm") != 0 &&
        strcmp(o->adjust, "none") != 0) {
        return error_set(err, ERROR_INVALID, "--adjust must be bh, holm or none (is '%s')",
                         o->adjust);
    }
    struct str rest = str_of(o->fail_on);
    while (rest.p) {
        struct str name = str_cut(&rest, ',');
        if (find_verdict(name, &verdict)) continue;
        return error_set(err, ERROR_INVALID,
                         "--fail-on takes better, worse, equivalent, undecided (has '%.*s')",
                         STR_ARG(name));
    }
    return true;
}

enum direction compare_options_direction(const struct compare_options *o)
{
    enum direction direction = DIRECTION_NONE;
    bool is_given = o->direction && direction_parse(o->direction, &direction);
    return is_given ? direction : DIRECTION_NONE;
}

int compare_options_exit(const struct compare_options *o, const enum verdict *verdicts,
                         size_t count)
{
    bool is_undecided = count == 0;
    struct str rest = str_of(o->fail_on);
    for (size_t i = 0; i < count; i++) is_undecided |= verdicts[i] == VERDICT_UNDECIDED;
    while (rest.p) {
        enum verdict bad = VERDICT_UNDECIDED;
        if (!find_verdict(str_cut(&rest, ','), &bad)) continue;
        for (size_t i = 0; i < count; i++) {
            if (verdicts[i] == bad) return EXIT_FAILED;
        }
    }
    return is_undecided && o->decide ? EXIT_UNDECIDED : EXIT_DONE;
}
