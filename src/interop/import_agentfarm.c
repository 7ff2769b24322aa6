/* AgentFarm's result files: the runner's (name, iteration_metrics, ...), which
 * assay's own result files keep to; and those of its stand-alone scripts, whose
 * numbers have no samples behind them and are claims. */
#include "interop/import.h"

#include <math.h>

enum { DEPTH_MAX = 8 };

static bool detect(struct str bytes)
{
    return str_starts(str_trim(bytes), S("{")) &&
           (import_has(bytes, "\"iteration_metrics\"") ||
            import_has(bytes, "\"benchmark_name\"") || import_has(bytes, "\"redis_server\"") ||
            import_has(bytes, "\"timestamps\""));
}

static bool is_own_key(struct str key)
{
    return str_is(key, "timestamp") || str_is(key, "metadata") || str_is(key, "verification");
}

/* Numbers below a value become metrics with dotted names. */
struct leaves {
    struct imported *in;
    struct imported_cell *cell;
    const char *definition;
    size_t trial;
    bool has_lists; /* a list of numbers is the samples of its name, another goes by index */
};

static void take_number(const struct leaves *l, size_t trial, const char *name,
                        const struct value *v)
{
    struct metric m = {.name = name, .definition = l->definition, .kind = KIND_UNSAID};
    import_guess(name, &m);
    while (l->cell->trial_count <= trial) imported_trial(l->in, l->cell);
    imported_sample(l->in, l->cell, trial, &m,
                    value_is_number(v) ? value_number(v) : (double)NAN);
}

static bool is_series(const struct value *v)
{
    bool all = v->kind == VALUE_LIST && v->list.count > 0;
    for (size_t i = 0; all && i < v->list.count; i++) {
        const struct value *item = v->list.items[i];
        all = value_is_number(item) || item->kind == VALUE_NULL;
    }
    return all;
}

static void take_leaves(const struct leaves *l, const char *name, const struct value *v,
                        int depth)
{
    const char *dot = name[0] ? "." : "";
    struct arena *out = l->in->arena;
    if (value_is_number(v)) {
        take_number(l, l->trial, name, v);
    } else if (v->kind == VALUE_MAP && depth <= DEPTH_MAX) {
        for (size_t i = 0; i < v->map.count; i++) {
            const struct value_pair *p = &v->map.pairs[i];
            if (!str_is_utf8(p->key) || (depth == 0 && is_own_key(p->key))) continue;
            take_leaves(l, arena_printf(out, "%s%s%.*s", name, dot, STR_ARG(p->key)), p->value,
                        depth + 1);
        }
    } else if (v->kind == VALUE_LIST && l->has_lists && depth <= DEPTH_MAX) {
        bool is_one = is_series(v);
        for (size_t i = 0; i < v->list.count; i++) {
            const struct value *item = v->list.items[i];
            if (is_one)
                take_number(l, i, name, item);
            else
                take_leaves(l, arena_printf(out, "%s%s%zu", name, dot, i), item, depth + 1);
        }
    }
}

/* What assay's own files say of a metric under "assay"; false where nobody does. */
static bool describe(const struct value *ours, struct str name, struct arena *out,
                     struct metric *m)
{
    const struct value *summary = value_get(value_get(ours, "summary"), str_cstr(out, name));
    struct str unit = import_text(summary, "unit");
    struct str definition = import_text(summary, "definition");
    struct str direction = import_text(summary, "direction");
    *m = (struct metric){.name = str_cstr(out, name),
                         .unit = str_cstr(out, unit),
                         .definition = str_cstr(out, definition),
                         .kind = kind_parse(str_cstr(out, import_text(summary, "kind")))};
    return unit.n && definition.n && direction_parse(str_cstr(out, direction), &m->direction);
}

/* How a trial ended, as assay's own files say; else whether it has a duration. */
static enum trial_status status_of(const struct value *ours, size_t trial, double seconds)
{
    const struct value *list = value_get(ours, "statuses");
    bool is_told = list && list->kind == VALUE_LIST && trial < list->list.count;
    for (int i = 0; is_told && i < TRIAL_STATUS_COUNT; i++) {
        const char *name = trial_status_name((enum trial_status)i);
        if (str_is(list->list.items[trial]->source, name)) return (enum trial_status)i;
    }
    return isnan(seconds) ? TRIAL_FAILED : TRIAL_OK;
}

static void take_iteration(struct imported *in, struct imported_cell *cell,
                           const struct value *iteration, const struct value *ours)
{
    struct metric duration;
    if (!describe(ours, S("duration_s"), in->arena, &duration)) {
        duration = (struct metric){.name = "duration_s",
                                   .unit = "s",
                                   .direction = DIRECTION_LOWER,
                                   .definition = ours ? "duration/1" : "agentfarm.duration/1"};
    }
    size_t trial = imported_trial(in, cell);
    const struct leaves leaves = {in, cell, "agentfarm.metric/1", trial, false};
    double seconds = import_number(iteration, "duration_s");
    enum trial_status status = status_of(ours, trial, seconds);
    if (status != TRIAL_OK) {
        imported_failure(in, cell, trial, NAN,
                         ours ? NULL : "the source has no duration for it");
        cell->statuses[trial] = (uint8_t)status;
        imported_note(in, cell, trial)->status = status;
    }
    imported_sample(in, cell, trial, &duration, seconds);
    const struct value *metrics = value_get(iteration, "metrics");
    if (!metrics || metrics->kind != VALUE_MAP || (status != TRIAL_OK && !ours)) return;
    for (size_t i = 0; i < metrics->map.count; i++) {
        const struct value_pair *p = &metrics->map.pairs[i];
        struct metric m;
        if (str_is(p->key, "duration_s")) continue;
        if (describe(ours, p->key, in->arena, &m)) {
            imported_sample(in, cell, trial, &m, import_number(metrics, m.name));
        } else if (str_is_utf8(p->key)) {
            take_leaves(&leaves, str_cstr(in->arena, p->key), p->value, 2);
        }
    }
}

static const struct value *of_kind(const struct value *v, enum value_kind kind)
{
    return v && v->kind == kind ? v : NULL;
}

static struct str name_of(const struct value *root, const char *key,
                          const struct import_options *options)
{
    struct str name = import_text(root, key);
    return name.n ? name : str_of(options->name ? options->name : "agentfarm");
}

static bool read_result(const struct value *root, const struct import_options *options,
                        struct imported *in, struct error *err)
{
    const struct value *iterations = value_get(root, "iteration_metrics");
    struct str name = name_of(root, "name", options);
    struct imported_cell *cell = imported_cell(in, name, (struct str){0}, (struct str){0}, err);
    if (!cell) return error_wrap(err, "'name'");
    cell->parameters = of_kind(value_get(root, "parameters"), VALUE_MAP);
    in->environment = of_kind(value_get(root, "environment"), VALUE_MAP);
    const struct value *vcs = value_get(root, "vcs");
    if (import_text(vcs, "commit").n) in->vcs = vcs;
    in->tags = of_kind(value_get(root, "tags"), VALUE_LIST);
    in->notes = import_text(root, "notes");
    const struct value *ours = value_get(root, "assay");
    if (!import_time(value_get(ours, "started"), &in->started_ns)) in->started_ns = 0;
    struct str provenance = import_text(ours, "provenance");
    if (provenance.n && !str_is(provenance, "measured")) {
        cell->is_claimed = true;
        imported_remark(
            in, cell,
            arena_printf(in->arena, "claimed: the source calls it %.*s", STR_ARG(provenance)));
    }
    for (size_t i = 0; i < iterations->list.count; i++) {
        take_iteration(in, cell, iterations->list.items[i], ours);
    }
    return true;
}

/* "Spatial Indexing/KD-Tree/100/uniform" */
static const char *entry_name(struct str benchmark, const struct value *v, size_t index,
                              struct arena *out)
{
    double entities = import_number(v, "entity_count");
    struct str distribution = import_text(v, "distribution");
    return arena_printf(out, "%.*s/%.*s/%.0f%s%.*s", STR_ARG(benchmark),
                        STR_ARG(import_text(v, "implementation")),
                        isnan(entities) ? (double)index : entities, distribution.n ? "/" : "",
                        STR_ARG(distribution));
}

static bool take_claim(struct imported *in, struct str name, const struct value *v,
                       struct error *err)
{
    struct imported_cell *cell = imported_cell(in, name, (struct str){0}, (struct str){0}, err);
    if (!cell) return false;
    cell->is_claimed = true;
    const struct leaves leaves = {in, cell, "agentfarm.summary/1", imported_trial(in, cell),
                                  true};
    take_leaves(&leaves, "", v, 0);
    imported_remark(in, cell, "claimed: the source has summaries without samples");
    return true;
}

/* One claimed cell per entry of `results`, else one for the file. */
static bool read_summary(const struct value *root, const struct import_options *options,
                         struct imported *in, struct error *err)
{
    struct str name = name_of(root, "benchmark_name", options);
    const struct value *when = value_get(root, "timestamp");
    if (!when) when = value_get(value_get(root, "metadata"), "timestamp");
    if (!import_time(when, &in->started_ns)) in->started_ns = 0;
    const struct value *results = value_get(root, "results");
    if (!results || results->kind != VALUE_LIST) return take_claim(in, name, root, err);
    for (size_t i = 0; i < results->list.count; i++) {
        const struct value *v = results->list.items[i];
        if (!take_claim(in, str_of(entry_name(name, v, i, in->arena)), v, err)) return false;
    }
    return true;
}

/* {"timestamps": [...], "write_ops": [...], ...}: one entry of each list a trial. */
static bool read_history(const struct value *root, const struct value *stamps,
                         const struct import_options *options, struct imported *in,
                         struct error *err)
{
    struct str name = str_of(options->name ? options->name : "agentfarm");
    struct imported_cell *cell = imported_cell(in, name, (struct str){0}, (struct str){0}, err);
    if (!cell) return false;
    cell->is_claimed = true;
    imported_remark(in, cell, "claimed: the source has summaries without samples");
    for (size_t i = 0; i < stamps->list.count; i++) {
        int64_t at_ns = 0;
        size_t trial = imported_trial(in, cell);
        if (!import_time(stamps->list.items[i], &at_ns)) {
            return error_set(err, ERROR_INVALID, "timestamps[%zu] is not a time", i);
        }
        if (i == 0) in->started_ns = at_ns;
        cell->starts_s[trial] = (double)(at_ns - in->started_ns) / 1e9;
        for (size_t k = 0; k < root->map.count; k++) {
            const struct value *list = root->map.pairs[k].value;
            bool has = list->kind == VALUE_LIST && i < list->list.count &&
                       value_is_number(list->list.items[i]);
            if (!has) continue;
            struct metric m = {.name = str_cstr(in->arena, root->map.pairs[k].key),
                               .definition = "agentfarm.history/1",
                               .kind = KIND_UNSAID};
            import_guess(m.name, &m);
            imported_sample(in, cell, trial, &m, value_number(list->list.items[i]));
        }
    }
    return true;
}

static bool read(struct str bytes, const struct import_options *options, struct imported *in,
                 struct error *err)
{
    const struct value *root = NULL;
    if (!import_json(bytes, in->arena, &root, err)) return false;
    if (root->kind != VALUE_MAP) return error_set(err, ERROR_INVALID, "not a JSON object");
    const struct value *iterations = value_get(root, "iteration_metrics");
    if (iterations && iterations->kind == VALUE_LIST) {
        return read_result(root, options, in, err);
    }
    const struct value *stamps = value_get(root, "timestamps");
    if (stamps && stamps->kind == VALUE_LIST) {
        return read_history(root, stamps, options, in, err);
    }
    return read_summary(root, options, in, err);
}

const struct importer importer_agentfarm = {
    .name = "agentfarm",
    .summary = "AgentFarm result JSON, which assay's result files are too",
    .detect = detect,
    .read = read,
};
