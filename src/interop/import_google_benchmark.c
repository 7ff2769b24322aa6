/* Google Benchmark's JSON. A row of run_type "iteration" (or of none, before 1.5)
 * is one repetition: its time is the mean over its iterations, and is our sample.
 * Aggregates are left out where there are repetitions; where they are all there
 * is (--benchmark_report_aggregates_only), they are claims. */
#include "interop/import.h"

#include <math.h>

static const struct metric real_time = {.name = "duration_s",
                                        .unit = "s",
                                        .direction = DIRECTION_LOWER,
                                        .definition = "google_benchmark.real_time/1"};
static const struct metric cpu_time = {.name = "cpu_s",
                                       .unit = "s",
                                       .direction = DIRECTION_LOWER,
                                       .definition = "google_benchmark.cpu_time/1"};

static bool detect(struct str bytes)
{
    return str_starts(str_trim(bytes), S("{")) && import_has(bytes, "\"benchmarks\"") &&
           import_has(bytes, "\"real_time\"");
}

static bool is_known_key(struct str key)
{
    static const char *const known[] = {
        "name",           "run_name",
        "run_type",       "repetitions",
        "iterations",     "repetition_index",
        "threads",        "real_time",
        "cpu_time",       "time_unit",
        "aggregate_name", "aggregate_unit",
        "family_index",   "per_family_instance_index",
        "error_occurred", "error_message",
        "label",
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        if (str_is(key, known[i])) return true;
    }
    return false;
}

/* Counters: whatever else is a number in the row. */
static void take_counters(struct imported *in, struct imported_cell *cell, size_t trial,
                          const struct value *row)
{
    for (size_t i = 0; i < row->map.count; i++) {
        const struct value_pair *p = &row->map.pairs[i];
        if (is_known_key(p->key) || !value_is_number(p->value)) continue;
        struct metric m = {.name = str_cstr(in->arena, p->key),
                           .definition = "google_benchmark.counter/1",
                           .kind = KIND_UNSAID};
        import_guess(m.name, &m);
        imported_sample(in, cell, trial, &m, value_number(p->value));
    }
}

static double unit_factor(const struct value *row)
{
    const char *unit = NULL;
    struct str written = import_text(row, "time_unit");
    return import_unit(written.n ? written : S("ns"), &unit);
}

static bool is_aggregate(const struct value *row)
{
    return str_is(import_text(row, "run_type"), "aggregate");
}

static struct str name_of(const struct value *row)
{
    struct str run_name = import_text(row, "run_name");
    return run_name.n ? run_name : import_text(row, "name");
}

static void take_row(struct imported *in, struct imported_cell *cell, const struct value *row)
{
    size_t trial = imported_trial(in, cell);
    const struct value *failed = value_get(row, "error_occurred");
    if (failed && failed->kind == VALUE_BOOL && failed->boolean) {
        struct str why = import_text(row, "error_message");
        imported_failure(in, cell, trial, NAN, str_cstr(in->arena, why));
        return;
    }
    double factor = unit_factor(row);
    imported_sample(in, cell, trial, &real_time,
                    import_scaled(import_number(row, "real_time"), factor));
    imported_sample(in, cell, trial, &cpu_time,
                    import_scaled(import_number(row, "cpu_time"), factor));
    take_counters(in, cell, trial, row);
    imported_note(in, cell, trial)->detail = arena_printf(
        in->arena, "{\"iterations\":%.0f}", fmax(0, import_number(row, "iterations")));
}

/* The mean where it is named, else the first aggregate. */
static void take_aggregate(struct imported *in, struct imported_cell *cell,
                           const struct value *row)
{
    struct str kind = import_text(row, "aggregate_name");
    bool is_first = cell->trial_count == 0;
    if (!is_first && !str_is(kind, "mean")) return;
    if (!is_first && !cell->is_claimed) return;
    double factor = unit_factor(row);
    size_t trial = is_first ? imported_trial(in, cell) : 0;
    cell->is_claimed = true;
    imported_sample(in, cell, trial, &real_time,
                    import_scaled(import_number(row, "real_time"), factor));
    imported_sample(in, cell, trial, &cpu_time,
                    import_scaled(import_number(row, "cpu_time"), factor));
    double n = import_number(row, "repetitions");
    if (isnan(n)) n = import_number(row, "iterations");
    imported_note(in, cell, trial)->detail =
        arena_printf(in->arena, "{\"aggregate\":\"%s\",\"n\":%.0f}",
                     str_is(kind, "mean") ? "mean" : "first", fmax(0, n));
    imported_remark(in, cell, "claimed: the source has an aggregate without its repetitions");
}

static void take_context(struct imported *in, const struct value *context)
{
    if (!context || context->kind != VALUE_MAP) return;
    if (!import_time(value_get(context, "date"), &in->started_ns)) in->started_ns = 0;
    struct value_pair *pairs = arena_new(in->arena, struct value_pair, context->map.count + 1);
    memcpy(pairs, context->map.pairs, context->map.count * sizeof *pairs);
    const struct value *host = value_get(context, "host_name");
    size_t count = context->map.count;
    if (host) pairs[count++] = (struct value_pair){.key = S("hostname"), .value = host};
    in->environment = value_new_map(in->arena, pairs, count);
}

static bool read(struct str bytes, const struct import_options *options, struct imported *in,
                 struct error *err)
{
    (void)options;
    const struct value *root = NULL;
    if (!import_json(bytes, in->arena, &root, err)) return false;
    const struct value *rows = value_get(root, "benchmarks");
    if (!rows || rows->kind != VALUE_LIST) {
        return error_set(err, ERROR_INVALID, "no list 'benchmarks'");
    }
    take_context(in, value_get(root, "context"));
    for (size_t pass = 0; pass < 2; pass++) { /* repetitions, then what has none */
        for (size_t i = 0; i < rows->list.count; i++) {
            const struct value *row = rows->list.items[i];
            bool has_time = !isnan(import_number(row, "real_time"));
            bool has_failed = value_get(row, "error_occurred") != NULL;
            if (is_aggregate(row) != (pass == 1) || !(has_time || has_failed)) continue;
            struct imported_cell *cell =
                imported_cell(in, name_of(row), (struct str){0}, (struct str){0}, err);
            if (!cell) return error_wrap(err, "benchmarks[%zu]", i);
            if (pass == 0) take_row(in, cell, row);
            if (pass == 1 && (cell->is_claimed || cell->trial_count == 0)) {
                take_aggregate(in, cell, row);
            }
        }
    }
    return true;
}

const struct importer importer_google_benchmark = {
    .name = "google_benchmark",
    .summary = "Google Benchmark --benchmark_format=json",
    .detect = detect,
    .read = read,
};
