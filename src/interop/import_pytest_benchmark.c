/* pytest-benchmark's JSON: `stats.data` has the rounds in seconds (with
 * --benchmark-save-data); without it the mean is a claim over `rounds`. */
#include "interop/import.h"

#include "base/json.h"

#include <math.h>

static const struct metric duration = {.name = "duration_s",
                                       .unit = "s",
                                       .direction = DIRECTION_LOWER,
                                       .definition = "pytest_benchmark.round/1"};

static bool detect(struct str bytes)
{
    return str_starts(str_trim(bytes), S("{")) && import_has(bytes, "\"benchmarks\"") &&
           (import_has(bytes, "\"machine_info\"") || import_has(bytes, "\"fullname\""));
}

static const struct value *map_at(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_MAP ? v : NULL;
}

/* {"commit", "branch", "dirty"} from their commit_info. */
static const struct value *vcs_of(const struct value *commit, struct arena *out)
{
    struct str id = import_text(commit, "id");
    if (id.n == 0) return NULL;
    const struct value *dirty = value_get(commit, "dirty");
    struct value_pair pairs[] = {
        {.key = S("commit"), .value = value_new_text(out, id)},
        {.key = S("branch"), .value = value_new_text(out, import_text(commit, "branch"))},
        {.key = S("dirty"),
         .value = value_new_bool(out, dirty && dirty->kind == VALUE_BOOL && dirty->boolean)},
    };
    return value_new_map(out, pairs, COUNT(pairs));
}

/* Their machine_info under our key for the host. */
static const struct value *environment_of(const struct value *machine, struct arena *out)
{
    if (!machine) return NULL;
    struct str node = import_text(machine, "node");
    if (node.n) machine = value_with(out, machine, S("hostname"), value_new_text(out, node));
    return machine;
}

static void take_stats(struct imported *in, struct imported_cell *cell,
                       const struct value *stats)
{
    const struct value *data = value_get(stats, "data");
    if (data && data->kind == VALUE_LIST && data->list.count > 0) {
        for (size_t i = 0; i < data->list.count; i++) {
            const struct value *v = data->list.items[i];
            size_t trial = imported_trial(in, cell);
            if (value_is_number(v)) {
                imported_sample(in, cell, trial, &duration, value_number(v));
            }
        }
        return;
    }
    size_t trial = imported_trial(in, cell);
    cell->is_claimed = true;
    imported_sample(in, cell, trial, &duration, import_number(stats, "mean"));
    const struct value *rounds = value_get(stats, "rounds");
    const struct value *detail = stats;
    if (rounds) detail = value_with(in->arena, stats, S("n"), rounds);
    imported_note(in, cell, trial)->detail = import_json_text(detail, in->arena);
    imported_remark(in, cell,
                    "claimed: the source has a mean without its rounds "
                    "(--benchmark-save-data keeps them)");
}

static bool read(struct str bytes, const struct import_options *options, struct imported *in,
                 struct error *err)
{
    (void)options;
    const struct value *root = NULL;
    if (!import_json(bytes, in->arena, &root, err)) return false;
    const struct value *list = value_get(root, "benchmarks");
    if (!list || list->kind != VALUE_LIST) {
        return error_set(err, ERROR_INVALID, "no list 'benchmarks'");
    }
    if (!import_time(value_get(root, "datetime"), &in->started_ns)) in->started_ns = 0;
    in->environment = environment_of(map_at(root, "machine_info"), in->arena);
    in->vcs = vcs_of(map_at(root, "commit_info"), in->arena);
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *b = list->list.items[i];
        const struct value *stats = map_at(b, "stats");
        struct str name = import_text(b, "fullname");
        if (name.n == 0) name = import_text(b, "name");
        if (!stats) return error_set(err, ERROR_INVALID, "benchmarks[%zu] has no 'stats'", i);
        struct imported_cell *cell =
            imported_cell(in, name, (struct str){0}, (struct str){0}, err);
        if (!cell) return error_wrap(err, "benchmarks[%zu]", i);
        cell->parameters = map_at(b, "params");
        take_stats(in, cell, stats);
    }
    return true;
}

const struct importer importer_pytest_benchmark = {
    .name = "pytest_benchmark",
    .summary = "pytest-benchmark --benchmark-json (samples with --benchmark-save-data)",
    .detect = detect,
    .read = read,
};
