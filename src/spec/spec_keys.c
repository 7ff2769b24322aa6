/* The tables of keys, and how a mapping is checked against one. */
#include "spec/spec_internal.h"

#define KEY(field)   .offset = offsetof(struct spec_keys, field)
#define UNTIL(field) .offset = offsetof(struct spec_until, field)
#define ITER(field)  .offset = offsetof(struct spec_iterations, field)

static const char *const strategies[] = {"cartesian", "random", NULL};

static const struct param keys[] = {
    {"experiment", PARAM_TEXT, KEY(experiment),
     .help = "the experiment to run: `assay describe experiments`"},
    {"name", PARAM_ANY, KEY(name),
     .help = "name of its cells, kept when a path changes; a list for swept commands"},
    {"params", PARAM_MAP, KEY(params), .help = "its parameters; a list of values sweeps"},
    {"iterations", PARAM_MAP, KEY(iterations), .help = "how often: {warmup, measured}"},
    {"instrumentation", PARAM_ANY, KEY(instrumentation),
     .help = "what is measured besides time: names, or {name, option: value, optional}"},
    {"output_dir", PARAM_TEXT, KEY(output_dir), .help = "folder for result files"},
    {"tags", PARAM_TEXT_LIST, KEY(tags), .fallback = "[]", .help = "words to find runs by"},
    {"notes", PARAM_TEXT, KEY(notes), .fallback = "\"\"", .help = "why this is measured"},
    {"seed", PARAM_INT, KEY(seed), .fallback = "42", .help = "seed of all random numbers"},
    {"sweep", PARAM_MAP, KEY(sweep), .help = "parameter: list of values"},
    {"strategy", PARAM_CHOICE, KEY(strategy), .fallback = "\"cartesian\"",
     .choices = strategies, .help = "all combinations of a sweep, or random ones"},
    {"samples", PARAM_INT, KEY(samples), .min = 1, .max = 100000,
     .help = "combinations that a random sweep draws"},
    {"parallelism", PARAM_INT, KEY(parallelism), .fallback = "1", .min = 1, .max = 1024,
     .help = "groups run at once; they disturb each other"},
    {"until", PARAM_MAP, KEY(until), .help = "when to stop"},
    {"interleave", PARAM_ANY, KEY(interleave),
     .help = "compared parameter whose values take turns; false: one after the other"},
    {"claims", PARAM_ANY, KEY(claims), .help = "statements that the samples decide"},
    {"agents", PARAM_ANY, KEY(agents), .help = "the agents to benchmark"},
    {"baseline", PARAM_TEXT, KEY(baseline), .help = "what the results are compared with"},
    {"stop_early", PARAM_MAP, KEY(stop_early),
     .help = "when to stop an arm; the others continue"},
    {"time_limit_ms", PARAM_REAL, KEY(time_limit_ms), .min = 0, .max = 1e9, .unit = "ms",
     .fallback = "0", .help = "limit of one trial; 0 = none"},
};

static const struct param iterations[] = {
    {"warmup", PARAM_ANY, ITER(warmup), .help = "trials before the measured ones, or steady"},
    {"warmup_max", PARAM_INT, ITER(warmup_max), .fallback = "500", .min = 10, .max = 1e9,
     .help = "trials after which `warmup: steady` gives up"},
    {"measured", PARAM_INT, ITER(measured), .fallback = "1", .min = 1, .max = 1e9,
     .help = "measured trials"},
};

static const struct param until[] = {
    {"relative_ci", PARAM_REAL, UNTIL(relative_ci), .min = 1e-6, .max = 1,
     .help = "half-width of the median's 95 % interval over the median"},
    {"max_iterations", PARAM_INT, UNTIL(max_iterations), .min = 1, .max = 1e9,
     .help = "most measured trials (10,000)"},
    {"max_seconds", PARAM_REAL, UNTIL(max_seconds), .min = 1e-3, .max = 1e9, .unit = "s",
     .help = "longest measured time of a group"},
};

static const struct param stop_early[] = {
    {"failures_in_a_row", PARAM_INT,
     .offset = offsetof(struct spec_stop_early, failures_in_a_row), .fallback = "3", .min = 0,
     .max = 1e9, .help = "failed trials that end an arm; 0 = never"},
    {"breach", PARAM_BOOL, .offset = offsetof(struct spec_stop_early, breach),
     .fallback = "false", .help = "a time-out or a breach of a limit ends its arm"},
};

const struct param_table spec_keys_table = {keys, COUNT(keys)};
const struct param_table spec_iterations_table = {iterations, COUNT(iterations)};
const struct param_table spec_until_table = {until, COUNT(until)};
const struct param_table spec_stop_early_table = {stop_early, COUNT(stop_early)};

/* A parameter next to `experiment` instead of below `params`? */
static bool is_misplaced(struct spec_reader *r, const struct value *map,
                         const struct value_pair *pair)
{
    const struct value *name = value_get(map, "experiment");
    const struct experiment *e =
        name && name->kind == VALUE_TEXT ? experiment_find(name->source) : NULL;
    if (!e || !param_find(e->params, pair->key)) return false;
    problems_add(r->problems, pair->line, pair->column,
                 "'%.*s' is a parameter of experiment '%s': it goes below 'params'",
                 STR_ARG(pair->key), e->name);
    return true;
}

const struct value *spec_clean(struct spec_reader *r, struct param_table table,
                               const struct value *map, const char *what)
{
    size_t count = map ? map->map.count : 0;
    struct value_pair *kept = arena_new(r->out, struct value_pair, count);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct value_pair *pair = &map->map.pairs[i];
        const struct param *row = param_find(table, pair->key);
        if (!row && is_misplaced(r, map, pair)) continue;
        if (!row) {
            param_unknown(table, pair, "key", what, r->problems);
        } else if (pair->value->kind != VALUE_NULL &&
                   param_check_value(row, pair->value, r->problems)) {
            kept[n++] = *pair;
        }
    }
    struct value *clean = value_new_map(r->out, kept, n);
    if (map) {
        clean->line = map->line;
        clean->column = map->column;
    }
    return clean;
}

void spec_read(struct spec_reader *r, struct param_table table, const struct value *map,
               void *keys_out)
{
    struct error err = {0};
    CHECK(param_read(table, map, keys_out, r->out, &err));
}
