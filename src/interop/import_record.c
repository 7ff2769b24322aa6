/* Executions recorded one by one: an object, a list of them, or one a line. What
 * `assay record` takes on standard input and keeps with --file, and what
 * include/assay/record.h and bench.h write.
 *
 *     {"timestamp": "2026-11-15T20:04:56.123Z", "task": "...", "duration": 3.456,
 *      "success": true, "version": "v2.0", "agent": "...", "cost": 0.00012,
 *      "difficulty": 0.2, "metadata": {...}}
 *
 * The names that other recorders use for the same are read too. A failure's
 * duration is kept in a series of its own. */
#include "interop/import.h"

#include <math.h>

static const struct metric duration = {.name = "duration_s",
                                       .unit = "s",
                                       .direction = DIRECTION_LOWER,
                                       .definition = "recorded.duration/1"};
static const struct metric cost = {.name = "cost_usd",
                                   .unit = "USD",
                                   .direction = DIRECTION_LOWER,
                                   .definition = "recorded.cost/1",
                                   .kind = KIND_SUM};
static const struct metric difficulty = {.name = "difficulty",
                                         .unit = "1",
                                         .direction = DIRECTION_NONE,
                                         .definition = "recorded.difficulty/1"};

enum { ALIASES = 3 };
static const char *const task_keys[ALIASES] = {"task", "task_description", NULL};
static const char *const duration_keys[ALIASES] = {"duration", "duration_s", "execution_time"};
static const char *const agent_keys[ALIASES] = {"agent", "agent_selected", NULL};
static const char *const cost_keys[ALIASES] = {"cost", "cost_usd", "cost_estimated"};
static const char *const success_keys[ALIASES] = {"success", NULL, NULL};
static const char *const version_keys[ALIASES] = {"version", NULL, NULL};
static const char *const time_keys[ALIASES] = {"timestamp", NULL, NULL};
static const char *const difficulty_keys[ALIASES] = {"difficulty", NULL, NULL};
static const char *const error_keys[ALIASES] = {"error", NULL, NULL};
static const char *const metadata_keys[ALIASES] = {"metadata", NULL, NULL};

static const struct value *get(const struct value *v, const char *const *keys)
{
    for (size_t i = 0; i < ALIASES && keys[i]; i++) {
        const struct value *found = value_get(v, keys[i]);
        if (found && found->kind != VALUE_NULL) return found;
    }
    return NULL;
}

static bool detect(struct str bytes)
{
    bool has_duration =
        import_has(bytes, "\"duration\"") || import_has(bytes, "\"execution_time\"");
    bool has_task = import_has(bytes, "\"task\"") || import_has(bytes, "\"task_description\"");
    struct str start = str_trim(bytes);
    return start.n && (start.p[0] == '{' || start.p[0] == '[') && has_duration && has_task &&
           import_has(bytes, "\"success\"");
}

static bool is_one_of(struct str key, const char *const *keys)
{
    for (size_t i = 0; i < ALIASES && keys[i]; i++) {
        if (str_is(key, keys[i])) return true;
    }
    return false;
}

static bool is_known(struct str key)
{
    static const char *const *const all[] = {
        task_keys,    duration_keys, agent_keys,      cost_keys,  success_keys,
        version_keys, time_keys,     difficulty_keys, error_keys, metadata_keys,
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        if (is_one_of(key, all[i])) return true;
    }
    return false;
}

/* The metadata, and whatever else the record says. */
static const char *detail_of(const struct value *v, struct arena *out)
{
    const struct value *metadata = get(v, metadata_keys);
    size_t count = metadata && metadata->kind == VALUE_MAP ? metadata->map.count : 0;
    struct value_pair *pairs = arena_new(out, struct value_pair, count + v->map.count);
    if (count) memcpy(pairs, metadata->map.pairs, count * sizeof *pairs);
    for (size_t i = 0; i < v->map.count; i++) {
        const struct value_pair *p = &v->map.pairs[i];
        if (!is_known(p->key) && p->value->kind != VALUE_NULL) pairs[count++] = *p;
    }
    return count ? import_json_text(value_new_map(out, pairs, count), out) : NULL;
}

static bool check_number(const struct value *v, const char *name, bool is_required,
                         double *number, struct error *err)
{
    *number = NAN;
    if (!v && !is_required) return true;
    if (v && value_is_number(v) && value_number(v) >= 0) {
        *number = value_number(v);
        return true;
    }
    error_set(err, ERROR_INVALID, v ? "'%s' must be a number, at least 0" : "'%s' is missing",
              name);
    return error_blame(err, name);
}

static bool check_text(const struct value *v, const char *name, bool is_required,
                       struct str *text, struct error *err)
{
    *text = (struct str){0};
    if (!v && !is_required) return true;
    bool is_text = v && v->kind == VALUE_TEXT && v->source.n > 0;
    if (is_text) {
        *text = v->source;
        return true;
    }
    error_set(err, ERROR_INVALID, v ? "'%s' must be a text, not empty" : "'%s' is missing",
              name);
    return error_blame(err, name);
}

struct fields {
    struct str task;
    struct str agent;
    struct str version;
    struct str error;
    double duration_s;
    double cost;
    double difficulty;
    bool is_success;
    int64_t at_ns; /* 0 = not said */
};

static bool read_fields(const struct value *v, struct fields *f, struct error *err)
{
    if (v->kind != VALUE_MAP) return error_set(err, ERROR_INVALID, "not a JSON object");
    if (!check_text(get(v, task_keys), "task", true, &f->task, err) ||
        !check_text(get(v, agent_keys), "agent", false, &f->agent, err) ||
        !check_text(get(v, version_keys), "version", false, &f->version, err) ||
        !check_number(get(v, duration_keys), "duration", true, &f->duration_s, err) ||
        !check_number(get(v, cost_keys), "cost", false, &f->cost, err) ||
        !check_number(get(v, difficulty_keys), "difficulty", false, &f->difficulty, err)) {
        return false;
    }
    const struct value *error = get(v, error_keys);
    f->error = error && error->kind == VALUE_TEXT ? error->source : (struct str){0};
    const struct value *success = get(v, success_keys);
    if (!success || success->kind != VALUE_BOOL) {
        error_set(err, ERROR_INVALID, "'success' must be true or false");
        return error_blame(err, "success");
    }
    f->is_success = success->boolean;
    const struct value *when = get(v, time_keys);
    f->at_ns = 0;
    if (when && !import_time(when, &f->at_ns)) {
        error_set(err, ERROR_INVALID,
                  "'timestamp' must be a time such as 2026-11-15T20:04:56Z, or seconds since "
                  "1970");
        return error_blame(err, "timestamp");
    }
    return true;
}

static bool take_record(struct imported *in, const struct value *v, struct error *err)
{
    struct fields f = {0};
    if (!read_fields(v, &f, err)) return false;
    struct imported_cell *cell = imported_cell(in, f.task, f.agent, f.version, err);
    if (!cell) return false;
    size_t trial = imported_trial(in, cell);
    /* Seconds since 1970 for now; since the first once all are known. */
    if (f.at_ns) cell->starts_s[trial] = (double)f.at_ns / 1e9;
    if (f.at_ns && (!in->started_ns || f.at_ns < in->started_ns)) in->started_ns = f.at_ns;
    if (f.is_success) {
        imported_sample(in, cell, trial, &duration, f.duration_s);
    } else {
        imported_failure(in, cell, trial, f.duration_s,
                         f.error.n ? str_cstr(in->arena, f.error) : NULL);
    }
    imported_sample(in, cell, trial, &cost, f.cost);
    imported_sample(in, cell, trial, &difficulty, f.difficulty);
    const char *detail = detail_of(v, in->arena);
    if (detail) imported_note(in, cell, trial)->detail = detail;
    return true;
}

static void settle_starts(struct imported *in)
{
    double first_s = (double)in->started_ns / 1e9;
    for (size_t c = 0; c < in->cell_count; c++) {
        struct imported_cell *cell = in->cells[c];
        for (size_t i = 0; i < cell->trial_count; i++) cell->starts_s[i] -= first_s;
    }
}

static bool take_list(struct imported *in, const struct value *list, struct error *err)
{
    for (size_t i = 0; i < list->list.count; i++) {
        if (!take_record(in, list->list.items[i], err)) {
            return error_wrap(err, "record %zu", i + 1);
        }
    }
    return true;
}

static bool take_lines(struct imported *in, struct str bytes, struct error *err)
{
    static const struct value_limits limits = {16 << 20, 64, 100000};
    size_t number = 0;
    while (bytes.p) {
        struct str line = str_trim(str_cut(&bytes, '\n'));
        number++;
        if (line.n == 0) continue;
        struct arena scratch = arena_open();
        const struct value *v = NULL;
        bool done =
            value_read_json(line, &limits, &scratch, &v, err) && take_record(in, v, err);
        arena_close(&scratch);
        if (!done) return error_wrap(err, "line %zu", number);
    }
    return true;
}

/* More than one object: the first line is one by itself, and another follows. */
static bool is_lines(struct str bytes, struct arena scratch)
{
    static const struct value_limits limits = {16 << 20, 64, 100000};
    struct str rest = str_trim(bytes);
    struct str line = str_trim(str_cut(&rest, '\n'));
    const struct value *v = NULL;
    return rest.p && value_read_json(line, &limits, &scratch, &v, NULL) && v->kind == VALUE_MAP;
}

static bool read(struct str bytes, const struct import_options *options, struct imported *in,
                 struct error *err)
{
    (void)options;
    const struct value *root = NULL;
    in->suite = "recorded";
    bool done;
    if (is_lines(bytes, *in->arena)) {
        done = take_lines(in, bytes, err);
    } else if (!import_json(bytes, in->arena, &root, err)) {
        return false;
    } else {
        const struct value *list = value_get(root, "metrics");
        if (root->kind == VALUE_LIST) list = root;
        done = list && list->kind == VALUE_LIST ? take_list(in, list, err)
                                                : take_record(in, root, err);
    }
    if (done) settle_starts(in);
    return done;
}

const struct importer importer_record = {
    .name = "record",
    .summary = "executions recorded one by one (assay record --file, JSON lines)",
    .detect = detect,
    .read = read,
};
