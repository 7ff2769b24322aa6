/* pytest-benchmark's JSON: `stats.data` has the rounds in seconds (with
 * --benchmark-save-data); without it the mean is a claim over `rounds`. What assay exported has
 * all series, and the claims, under `assay`. */
#include "interop/import.h"

#include "base/json.h"

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

/* A duration that was measured: what is none is refused, for a trial without a value would
 * still count as one that went well. */
static bool take_seconds(struct imported *in, struct imported_cell *cell,
                         const struct value *seconds, struct error *err)
{
    size_t trial = imported_trial(in, cell);
    if (!seconds || !value_is_number(seconds))
        return error_set(err, ERROR_INVALID, "not a number of seconds");
    double s = value_number(seconds);
    if (!(s >= 0)) return error_set(err, ERROR_INVALID, "%g s is not a duration", s);
    imported_sample(in, cell, trial, &duration, s);
    return true;
}

static bool take_mean(struct imported *in, struct imported_cell *cell,
                      const struct value *stats, struct error *err)
{
    if (!take_seconds(in, cell, value_get(stats, "mean"), err))
        return error_wrap(err, "'mean' (there is no 'data')");
    cell->is_claimed = true;
    const struct value *rounds = value_get(stats, "rounds");
    const struct value *detail = stats;
    if (rounds) detail = value_with(in->arena, stats, S("n"), rounds);
    imported_note(in, cell, 0)->detail = import_json_text(detail, in->arena);
    imported_remark(in, cell,
                    "claimed: the source has a mean without its rounds "
                    "(--benchmark-save-data keeps them)");
    return true;
}

static bool take_stats(struct imported *in, struct imported_cell *cell,
                       const struct value *stats, struct error *err)
{
    const struct value *data = value_get(stats, "data");
    if (!data || data->kind != VALUE_LIST || data->list.count == 0)
        return take_mean(in, cell, stats, err);
    for (size_t i = 0; i < data->list.count; i++) {
        if (!take_seconds(in, cell, data->list.items[i], err))
            return error_wrap(err, "round %zu", i + 1);
    }
    return true;
}

/* ---- what assay wrote ---- */

static const char *text_in(struct imported *in, const struct value *map, const char *key)
{
    struct str text = import_text(map, key);
    return text.n && str_is_utf8(text) ? str_cstr(in->arena, text) : NULL;
}

static int64_t index_in(const struct value *map, const char *key, int64_t fallback)
{
    const struct value *v = value_get(map, key);
    bool is_index = v && v->kind == VALUE_INT && v->integer >= 0 && v->integer < INT32_MAX;
    return is_index ? v->integer : fallback;
}

static const struct value *list_at(const struct value *map, const char *key)
{
    static const struct value none = {.kind = VALUE_LIST};
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_LIST ? v : &none;
}

static void take_series(struct imported *in, struct imported_cell *cell, const struct value *s)
{
    const struct value *samples = list_at(s, "samples");
    const char *direction = text_in(in, s, "direction");
    const char *unit = text_in(in, s, "unit");
    const char *definition = text_in(in, s, "definition");
    struct metric m = {.name = text_in(in, s, "metric"),
                       .unit = unit ? unit : "1",
                       .definition = definition ? definition : "pytest_benchmark.extra/1",
                       .kind = kind_parse(text_in(in, s, "kind"))};
    if (!direction || !direction_parse(direction, &m.direction)) m.direction = DIRECTION_NONE;
    for (size_t i = 0; m.name && i < samples->list.count; i++) {
        const struct value *v = samples->list.items[i];
        while (cell->trial_count <= i) imported_trial(in, cell);
        if (value_is_number(v)) imported_sample(in, cell, i, &m, value_number(v));
    }
}

/* False if there is nothing of ours: then `stats` has all there is. */
static bool take_own(struct imported *in, struct imported_cell *cell, const struct value *own)
{
    const struct value *series = list_at(own, "series");
    const struct value *statuses = list_at(own, "statuses");
    struct execution_record *ours = arena_new(in->arena, struct execution_record, 1);
    ours->experiment = text_in(in, own, "experiment");
    ours->label = text_in(in, own, "label");
    if (!ours->experiment || !ours->label || series->list.count == 0) return false;
    ours->factor = text_in(in, own, "factor");
    ours->primary_metric = text_in(in, own, "primary");
    ours->entry_index = index_in(own, "entry", -1);
    ours->group_index = index_in(own, "group", 0);
    ours->arm_index = index_in(own, "arm", 0);
    for (size_t i = 0; i < series->list.count; i++)
        take_series(in, cell, series->list.items[i]);
    for (size_t i = 0; i < statuses->list.count && i < cell->trial_count; i++) {
        const struct value *v = statuses->list.items[i];
        double status = value_is_number(v) ? value_number(v) : (double)TRIAL_HARNESS_ERROR;
        bool is_known = status >= 0 && status < TRIAL_STATUS_COUNT;
        cell->statuses[i] = is_known ? (uint8_t)status : TRIAL_HARNESS_ERROR;
    }
    cell->ours = ours;
    return true;
}

static bool take_benchmark(struct imported *in, const struct value *b, struct error *err)
{
    const struct value *stats = map_at(b, "stats");
    struct str name = import_text(b, "fullname");
    if (name.n == 0) name = import_text(b, "name");
    if (!stats) return error_set(err, ERROR_INVALID, "it has no 'stats'");
    struct imported_cell *cell = imported_cell(in, name, (struct str){0}, (struct str){0}, err);
    if (!cell) return false;
    if (cell->trial_count > 0)
        return error_set(err, ERROR_INVALID,
                         "there is a '%.80s' before it; give each a 'fullname' of its own",
                         cell->name);
    cell->parameters = map_at(b, "params");
    const struct value *own = map_at(map_at(b, "extra_info"), "assay");
    return (own && take_own(in, cell, own)) || take_stats(in, cell, stats, err);
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
        if (!take_benchmark(in, list->list.items[i], err))
            return error_wrap(err, "benchmarks[%zu]", i);
    }
    const struct value *claims = value_get(map_at(root, "assay"), "claims");
    if (claims && claims->kind == VALUE_LIST) in->claims = claims;
    return true;
}

const struct importer importer_pytest_benchmark = {
    .name = "pytest_benchmark",
    .summary = "pytest-benchmark --benchmark-json (samples with --benchmark-save-data)",
    .detect = detect,
    .read = read,
};
