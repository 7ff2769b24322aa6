#include "base/clock.h"
#include "base/json.h"
#include "base/os.h"
#include "cli/options.h"
#include "cli/stored.h"
#include "cli/version.h"
#include "model/environment.h"
#include "report/answer_done.h"
#include "report/answer_recorded.h"

#include <assay/record.h>

#include <math.h>
#include <unistd.h>

struct record_options {
    const char *task;
    double duration;
    int success; /* as in successes */
    const char *version;
    const char *agent;
    double cost;
    double difficulty;
    struct param_texts metadata;
    const char *error;
    const char *file;
    int64_t since;
    const char *metric;
};

#define ROW(field, kind_, word, text)                                                  \
    .name = #field, .type = (kind_), .offset = offsetof(struct record_options, field), \
    .argument = (word), .help = (text)

static const char *const successes[] = {"false", "true", NULL};

static const struct param options[] = {
    {ROW(task, PARAM_TEXT, "TEXT", "what was done; with stats, compare, report: only this")},
    {ROW(duration, PARAM_REAL, "S", "seconds that it took"), .max = INFINITY},
    {ROW(success, PARAM_CHOICE, NULL, "whether it succeeded"), .choices = successes},
    {ROW(version, PARAM_TEXT, "V", "version that did it; with stats: only this")},
    {ROW(agent, PARAM_TEXT, "NAME", "agent that was chosen; with stats, ...: only this")},
    {ROW(cost, PARAM_REAL, "USD", "what it cost"), .max = INFINITY},
    {ROW(difficulty, PARAM_REAL, "D", "how hard the task is"), .max = 1},
    {ROW(metadata, PARAM_TEXT_LIST, "KEY=VALUE", "anything else; may be repeated")},
    {ROW(error, PARAM_TEXT, "TEXT", "why it failed")},
    {ROW(file, PARAM_TEXT, "FILE", "use this JSON file instead of the store")},
    {ROW(since, PARAM_MOMENT, NULL, "stats, compare, report: since then: 7d, 2026-11-15")},
    {ROW(metric, PARAM_TEXT, "NAME", "compare: execution_time, success_rate or cost")},
};

/* ---- recording ---- */

/* "k=v" -> "k", "v", ..., NULL; NULL if one has no '='. */
static const char *const *read_metadata(const struct context *c)
{
    const struct record_options *o = c->options;
    const char **pairs = arena_new(c->arena, const char *, 2 * o->metadata.count + 1);
    for (size_t i = 0; i < o->metadata.count; i++) {
        const char *equals = strchr(o->metadata.items[i], '=');
        if (!equals || equals == o->metadata.items[i]) return NULL;
        pairs[2 * i] =
            arena_copy(c->arena, o->metadata.items[i], (size_t)(equals - o->metadata.items[i]));
        pairs[2 * i + 1] = equals + 1;
    }
    return pairs;
}

static bool from_options(const struct context *c, struct str *json, struct error *err)
{
    const struct record_options *o = c->options;
    if (!options_has(c, "duration"))
        return error_set(err, ERROR_INVALID, "--duration is missing");
    if (!options_has(c, "success"))
        return error_set(err, ERROR_INVALID, "--success is missing");
    const char *const *metadata = read_metadata(c);
    if (!metadata) return error_set(err, ERROR_INVALID, "--metadata is KEY=VALUE");
    struct assay_record r = {.task = o->task,
                             .duration_s = o->duration,
                             .success = o->success,
                             .version = o->version,
                             .agent = o->agent,
                             .error = o->error,
                             .cost_usd = options_has(c, "cost") ? o->cost : -1,
                             .difficulty = options_has(c, "difficulty") ? o->difficulty : -1,
                             .metadata = metadata};
    char *text = arena_new(c->arena, char, ASSAY_RECORD_MAX);
    char why[200];
    int n = assay_record_json(&r, text, ASSAY_RECORD_MAX, why, sizeof why);
    if (n < 0) return error_set(err, ERROR_INVALID, "%s", why);
    *json = (struct str){text, (size_t)n};
    return true;
}

static void put_object(struct buf *out, const struct value *v, const char *separator,
                       struct arena *scratch)
{
    char stamp[CLOCK_STAMP_SIZE];
    const struct value *when = value_get(v, "timestamp");
    if (!when || when->kind == VALUE_NULL) {
        clock_stamp(clock_unix_ns(), stamp);
        v = value_with(scratch, v, S("timestamp"), value_new_text(scratch, str_of(stamp)));
    }
    if (out->n) buf_text(out, separator);
    buf_add(out, json_of(v, scratch));
}

/* The objects of a list, of lines, or the one there is, each in one line and with
 * its time. They have been checked before. */
static void put_objects(struct buf *out, struct str bytes, const char *separator,
                        struct arena *scratch)
{
    const struct value *root = NULL;
    if (import_json(bytes, scratch, &root, NULL)) {
        const struct value *list = value_get(root, "metrics");
        if (root->kind == VALUE_LIST) list = root;
        if (!list || list->kind != VALUE_LIST) {
            put_object(out, root, separator, scratch);
            return;
        }
        for (size_t i = 0; i < list->list.count; i++) {
            put_object(out, list->list.items[i], separator, scratch);
        }
        return;
    }
    while (bytes.p) {
        struct str line = str_trim(str_cut(&bytes, '\n'));
        if (line.n && import_json(line, scratch, &root, NULL)) {
            put_object(out, root, separator, scratch);
        }
    }
}

static bool into_file(const struct context *c, struct str bytes, struct error *err)
{
    const struct record_options *o = c->options;
    struct buf text;
    char why[300];
    buf_init(&text, IMPORT_MAX_BYTES);
    bool is_lines =
        str_ends(str_of(o->file), S(".jsonl")) || str_ends(str_of(o->file), S(".ndjson"));
    put_objects(&text, bytes, is_lines ? "\n" : ",\n", c->arena);
    bool done = !text.overflow ||
                error_set(err, ERROR_INVALID, "more than %d MB of records at once; split them",
                          IMPORT_MAX_BYTES >> 20);
    if (done && assay_record_append_json(o->file, text.p, text.n, why, sizeof why) != 0) {
        done = error_set(err, ERROR_IO, "%s", why);
    }
    buf_release(&text);
    return done;
}

static bool into_store(const struct context *c, const struct imported *in,
                       struct run_record *run, struct error *err)
{
    struct store *store = NULL;
    struct store_options how = {
        .create = true, .workspace = c->workspace, .busy_timeout_ms = 60000};
    struct import_origin origin = {
        .command = stored_command_line(c),
        .assay_version = version_text,
        .environment = environment_now(c->arena),
        .vcs = environment_vcs(c->arena),
    };
    bool is_new = false;
    bool done = store_open(c->store_url, &how, &store, err) &&
                import_write(store, in, &origin, c->arena, run, &is_new, err);
    store_close(store);
    return done;
}

static int record(const struct context *c)
{
    struct error failure = {0};
    struct error *err = &failure;
    const struct record_options *o = c->options;
    struct str bytes = {0};
    struct imported *in = NULL;
    struct run_record run;
    struct import_options none = {0};
    bool done = o->task ? from_options(c, &bytes, err)
                        : os_read_all(STDIN_FILENO, IMPORT_MAX_BYTES, c->arena, &bytes, err);
    done = done && import_read(importer_find(S("record")), bytes, &none, c->arena, &in, err) &&
           (o->file ? into_file(c, bytes, err) : into_store(c, in, &run, err));
    if (!done) return command_fail(err);
    const struct answer_record a = {
        .records = imported_trials(in), .run = o->file ? NULL : run.id, .file = o->file};
    return stored_answer(c, &answer_record, &a);
}

/* ---- asking ---- */

static bool load(const struct context *c, const struct recorded_filter *filter,
                 struct recorded_list *list, struct error *err)
{
    const struct record_options *o = c->options;
    struct store *store = NULL;
    if (!o->file) {
        bool done = stored_open(c, true, &store, err) &&
                    recorded_from_store(store, filter, c->arena, list, err);
        store_close(store);
        return done;
    }
    struct str bytes = {0};
    struct imported *in = NULL;
    struct import_options none = {0};
    if (!os_read_file(o->file, IMPORT_MAX_BYTES, c->arena, &bytes, err)) return false;
    if (!import_read(importer_find(S("record")), bytes, &none, c->arena, &in, err)) {
        return error_wrap(err, "'%s'", o->file);
    }
    recorded_from_import(in, filter, c->arena, list);
    return true;
}

static int stats(const struct context *c, const struct recorded_list *list,
                 const struct recorded_filter *f)
{
    struct error err;
    if (list->count > 0) {
        const struct answer_recorded_stats a = {
            *f, recorded_stats(list->items, list->count, *c->arena)};
        return stored_answer(c, &answer_record_stats, &a);
    }
    error_set(&err, ERROR_NOT_FOUND, "nothing that was recorded fits%s%s%s%s%s%s",
              f->task ? ": task " : "", f->task ? f->task : "", f->version ? ", version " : "",
              f->version ? f->version : "", f->agent ? ", agent " : "",
              f->agent ? f->agent : "");
    return command_fail(&err);
}

static int compare(const struct context *c, const struct recorded_list *list)
{
    const struct record_options *o = c->options;
    struct error err = {0};
    struct recorded_pair pair = {.version = {c->args[1], c->args[2]}};
    bool done = recorded_pair(list, &pair, o->metric, c->arena, &err);
    return done ? stored_answer(c, &answer_record_compare, &pair) : command_fail(&err);
}

static int report(const struct context *c, const struct recorded_list *list)
{
    struct error err = {0};
    struct recorded_report r;
    bool done = recorded_report(list, c->args + 1, c->arena, &r, &err);
    return done ? stored_answer(c, &answer_record_report, &r) : command_fail(&err);
}

static int ask(const struct context *c)
{
    const struct record_options *o = c->options;
    const char *question = c->args[0];
    bool is_compare = strcmp(question, "compare") == 0;
    bool is_report = strcmp(question, "report") == 0;
    if (!is_compare && !is_report && strcmp(question, "stats") != 0) {
        return command_misused(c->command, "'%s' is not stats, compare or report", question);
    }
    if (is_compare && c->arg_count != 3) {
        return command_misused(c->command, "compare takes two versions");
    }
    if (!is_compare && !is_report && c->arg_count > 1) {
        return command_misused(c->command, "stats takes no argument, got '%s'", c->args[1]);
    }
    struct error err = {0};
    struct recorded_list list;
    struct recorded_filter filter = {.version = is_compare ? NULL : o->version,
                                     .task = o->task,
                                     .agent = o->agent,
                                     .since_ns = o->since};
    if (!load(c, &filter, &list, &err)) return command_fail(&err);
    if (is_compare) return compare(c, &list);
    if (is_report) return report(c, &list);
    return stats(c, &list, &filter);
}

static int run(struct context *c)
{
    const struct record_options *o = c->options;
    if (c->arg_count > 0) return ask(c);
    if (!o->task && isatty(STDIN_FILENO)) {
        return command_misused(c->command,
                               "say what was done with --task, or give JSON on standard input");
    }
    if (!o->task && (options_has(c, "duration") || options_has(c, "success"))) {
        return command_misused(c->command, "say what was done with --task");
    }
    return record(c);
}

static const char *const words[] = {"stats", "compare", "report", NULL};

const struct command command_record = {
    .name = "record",
    .summary = "records executions from outside, and answers questions about them",
    .usage = "--task TEXT --duration S --success true|false [options] | stats | compare V1 V2 "
             "| report [V...]",
    .words = words,
    .examples = "assay record --task build --duration 3.4 --success true --version v2.0\n"
                "assay record --file metrics.json < executions.jsonl\n"
                "assay record stats --version v2.0 --since 30d\n"
                "assay record compare v1.0 v2.0 --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct record_options),
    .run = run,
};
