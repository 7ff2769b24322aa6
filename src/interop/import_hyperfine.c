/* hyperfine --export-json: one result per command, `times` in seconds and the
 * exit code of each. Failed runs are in `times` too (hyperfine -i). */
#include "interop/import.h"

#include <math.h>

static const struct metric duration = {.name = "duration_s",
                                       .unit = "s",
                                       .direction = DIRECTION_LOWER,
                                       .definition = "hyperfine.time/1"};
static const struct metric user = {.name = "user_s",
                                   .unit = "s",
                                   .direction = DIRECTION_LOWER,
                                   .definition = "hyperfine.user.mean/1"};
static const struct metric system_time = {.name = "system_s",
                                          .unit = "s",
                                          .direction = DIRECTION_LOWER,
                                          .definition = "hyperfine.system.mean/1"};
static const struct metric memory = {.name = "memory_peak_mb",
                                     .unit = "MB",
                                     .direction = DIRECTION_LOWER,
                                     .definition = "hyperfine.memory/1"};

static bool detect(struct str bytes)
{
    return str_starts(str_trim(bytes), S("{")) && import_has(bytes, "\"results\"") &&
           import_has(bytes, "\"command\"") && !import_has(bytes, "\"benchmark_name\"");
}

static const struct value *item_at(const struct value *list, size_t i)
{
    bool has = list && list->kind == VALUE_LIST && i < list->list.count;
    return has ? list->list.items[i] : NULL;
}

static void take_times(struct imported *in, struct imported_cell *cell,
                       const struct value *result, const struct value *times)
{
    const struct value *codes = value_get(result, "exit_codes");
    const struct value *sizes = value_get(result, "memory_usage_byte");
    for (size_t i = 0; i < times->list.count; i++) {
        const struct value *time = times->list.items[i];
        const struct value *code = item_at(codes, i);
        const struct value *size = item_at(sizes, i);
        size_t trial = imported_trial(in, cell);
        double seconds = value_is_number(time) ? value_number(time) : (double)NAN;
        if (code && value_is_number(code) && value_number(code) != 0) {
            imported_failure(in, cell, trial, seconds,
                             arena_printf(in->arena, "exit code %g", value_number(code)));
            continue;
        }
        imported_sample(in, cell, trial, &duration, seconds);
        if (size && value_is_number(size)) {
            imported_sample(in, cell, trial, &memory, value_number(size) / 1e6);
        }
    }
}

/* The source has the mean only (older hyperfine, or edited). */
static void take_summary(struct imported *in, struct imported_cell *cell,
                         const struct value *result)
{
    size_t trial = imported_trial(in, cell);
    cell->is_claimed = true;
    imported_sample(in, cell, trial, &duration, import_number(result, "mean"));
    imported_note(in, cell, trial)->detail = import_json_text(result, in->arena);
    imported_remark(in, cell, "claimed: the source has a mean without its samples");
}

static bool read(struct str bytes, const struct import_options *options, struct imported *in,
                 struct error *err)
{
    (void)options;
    const struct value *root = NULL;
    if (!import_json(bytes, in->arena, &root, err)) return false;
    const struct value *results = value_get(root, "results");
    if (!results || results->kind != VALUE_LIST) {
        return error_set(err, ERROR_INVALID, "no list 'results'");
    }
    for (size_t i = 0; i < results->list.count; i++) {
        const struct value *r = results->list.items[i];
        struct imported_cell *cell =
            imported_cell(in, import_text(r, "command"), (struct str){0}, (struct str){0}, err);
        if (!cell) return error_wrap(err, "results[%zu]: command", i);
        const struct value *parameters = value_get(r, "parameters");
        if (parameters && parameters->kind == VALUE_MAP) {
            cell->parameters = parameters;
        }
        const struct value *times = value_get(r, "times");
        size_t first = cell->trial_count;
        if (times && times->kind == VALUE_LIST && times->list.count > 0) {
            take_times(in, cell, r, times);
        } else {
            take_summary(in, cell, r);
        }
        /* hyperfine keeps only the means of these: one value, in the first slot. */
        imported_sample(in, cell, first, &user, import_number(r, "user"));
        imported_sample(in, cell, first, &system_time, import_number(r, "system"));
    }
    return true;
}

const struct importer importer_hyperfine = {
    .name = "hyperfine",
    .summary = "hyperfine --export-json",
    .detect = detect,
    .read = read,
};
