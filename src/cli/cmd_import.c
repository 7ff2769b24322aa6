#include "base/os.h"
#include "cli/stored.h"
#include "cli/version.h"
#include "interop/bundle.h"
#include "interop/import.h"
#include "report/answer_done.h"

#include <math.h>
#include <unistd.h>

struct import_arguments {
    const char *format;
    struct param_texts columns;
    const char *by;
    const char *time;
    const char *unit;
    int direction; /* enum direction */
    int kind;      /* 0: by the values, else 1 + enum kind */
    const char *name;
    const char *agent;
    const char *version;
    bool runs_only;
};

#define TEXT(field, word, text)                                                                \
    {                                                                                          \
        .name = #field, .type = PARAM_TEXT,                                                    \
        .offset = offsetof(struct import_arguments, field), .argument = (word), .help = (text) \
    }

static const struct param options[] = {
    {"format", PARAM_TEXT, .offset = offsetof(struct import_arguments, format), .letter = 'f',
     .argument = "FORMAT",
     .help = "hyperfine, google_benchmark, pytest_benchmark, agentfarm, record, hlog, jsonl or "
             "csv; without it the contents decide"},
    {"column", PARAM_TEXT_LIST, .offset = offsetof(struct import_arguments, columns),
     .letter = 'c', .argument = "NAME",
     .help = "csv, jsonl: this column is a metric (may be repeated; default: every number)"},
    TEXT(by, "NAME", "csv, jsonl: the column that names the benchmark"),
    TEXT(time, "NAME", "csv, jsonl: the column with the time of a row"),
    TEXT(unit, "UNIT", "csv, jsonl, hlog: unit of the values: ns, us, ms, s, B, MB and others"),
    {"direction", PARAM_CHOICE, .offset = offsetof(struct import_arguments, direction),
     .choices = direction_choices, .fallback = "\"auto\"",
     .help = "csv, jsonl: which values are better; auto: by the names of the columns"},
    {"kind", PARAM_CHOICE, .offset = offsetof(struct import_arguments, kind),
     .choices = kind_choices, .fallback = "\"auto\"",
     .help =
         "csv, jsonl: how the values compare; auto: shares if all are 0 or 1, ratios if all "
         "are above 0, else shifts; sums in USD"},
    TEXT(name, "NAME", "what to call a benchmark that the source does not name"),
    TEXT(agent, "NAME", "whose results they are"),
    TEXT(version, "V", "version of that agent"),
    {"runs-only", PARAM_BOOL, .offset = offsetof(struct import_arguments, runs_only),
     .help = "of a bundle: without its baselines, and without what people said of its alarms"},
};

/* "runs/perf.csv" -> "perf" */
static const char *stem_of(const char *path, struct arena *out)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    return strcmp(path, "-") == 0 ? "stdin" : arena_copy(out, name, n);
}

static bool read_bytes(const char *path, struct arena *out, struct str *bytes,
                       struct error *err)
{
    if (strcmp(path, "-") == 0)
        return os_read_all(STDIN_FILENO, IMPORT_MAX_BYTES, out, bytes, err);
    return os_read_file(path, IMPORT_MAX_BYTES, out, bytes, err);
}

/* All histograms of all tags, merged: what an HdrHistogram reader would say. */
static void add_histograms(struct answer_import *a, const struct imported *in,
                           struct arena *scratch)
{
    int64_t count = 0;
    int64_t highest = 0;
    struct hdr sum;
    const struct hdr *first = NULL;
    for (size_t i = 0; i < in->cell_count; i++) {
        const struct hdr *h = in->cells[i]->histogram;
        if (!h) continue;
        count += (int64_t)in->cells[i]->histogram_count;
        if (!first) first = h;
        if (h->highest > highest) highest = h->highest;
    }
    if (!first) return;
    bool done = hdr_init(&sum, first->lowest, highest, first->digits, scratch, NULL);
    for (size_t i = 0; done && i < in->cell_count; i++) {
        if (in->cells[i]->histogram) done = hdr_merge(&sum, in->cells[i]->histogram, NULL);
    }
    if (!done) sum = *first;
    a->histograms = (double)count;
    a->total = (double)sum.total;
    a->p999 = (double)hdr_percentile(&sum, 99.9);
    a->max = sum.total ? (double)hdr_highest_equivalent(&sum, sum.max) : 0;
}

static size_t count_claimed(const struct imported *in)
{
    size_t count = 0;
    for (size_t i = 0; i < in->cell_count; i++) count += in->cells[i]->is_claimed;
    return count;
}

static struct answer_import answer_of(const char *path, const char *format)
{
    struct answer_import a = {.source = path, .format = format};
    a.executions = a.trials = a.claimed = NAN;
    a.histograms = a.total = a.p999 = a.max = NAN;
    a.runs = a.added = a.replaced = a.kept = NAN;
    return a;
}

static bool import_bundle(struct context *c, struct store *store, const char *path,
                          struct str bytes, struct error *err)
{
    const struct import_arguments *given = c->options;
    struct bundle_result r;
    bool done = given->runs_only ? bundle_read_runs(store, bytes, &r, err)
                                 : bundle_read(store, bytes, &r, err);
    if (!done) return false;
    struct answer_import a = answer_of(path, "bundle");
    a.is_new = r.added + r.replaced > 0;
    a.runs = (double)r.runs;
    a.added = (double)r.added;
    a.replaced = (double)r.replaced;
    a.kept = (double)r.kept;
    a.in_future = r.in_future;
    a.marks = r.marks;
    (void)!stored_answer(c, &answer_import, &a);
    return true;
}

/* The store is made when there is something to put into it. */
static bool open_store(const struct context *c, struct store **store, struct error *err)
{
    struct store_options how = {.create = true, .workspace = c->workspace};
    return *store || store_open(c->store_url, &how, store, err);
}

static bool import_one(struct context *c, struct store **store, const char *path,
                       struct error *err)
{
    const struct import_arguments *a = c->options;
    struct import_options o = {
        .columns = a->columns.items,
        .column_count = a->columns.count,
        .by = a->by,
        .time = a->time,
        .unit = a->unit,
        .direction = a->direction ? direction_choices[a->direction] : NULL,
        .kind = a->kind ? kind_choices[a->kind] : NULL,
        .name = a->name,
    };
    struct import_options asked = o; /* the file's name does not make it another source */
    if (!o.name) o.name = stem_of(path, c->arena);
    struct str bytes = {0};
    struct imported *in = NULL;
    if (!read_bytes(path, c->arena, &bytes, err)) return false;
    if (!a->format && bundle_is(bytes))
        return open_store(c, store, err) && import_bundle(c, *store, path, bytes, err);
    const struct importer *importer = importer_choose(a->format, bytes, err);
    if (!importer || !import_read(importer, bytes, &o, c->arena, &in, err)) return false;
    char hash[SHA256_HEX_SIZE];
    struct import_origin origin = {
        .path = strcmp(path, "-") == 0 ? "standard input" : path,
        .command = stored_command_line(c),
        .assay_version = version_text,
        .hash = import_hash(importer, &asked, a->agent, a->version, bytes, hash),
        .agent = a->agent,
        .version = a->version,
    };
    struct run_record run;
    struct run_record latest;
    bool is_new = false;
    if (!open_store(c, store, err) ||
        !import_write(*store, in, &origin, c->arena, &run, &is_new, err) ||
        !store_find_run(*store, "latest", c->arena, &latest, err))
        return false;
    struct answer_import answer = answer_of(path, importer->name);
    answer.run = run.id;
    answer.is_new = is_new;
    answer.is_latest = strcmp(latest.id, run.id) == 0;
    answer.in_future = is_new && run_is_in_future(&run);
    answer.executions = (double)in->cell_count;
    answer.trials = (double)imported_trials(in);
    answer.claimed = (double)count_claimed(in);
    add_histograms(&answer, in, c->arena);
    (void)!stored_answer(c, &answer_import, &answer);
    return true;
}

static int run(struct context *c)
{
    static const char *const standard_input[] = {"-", NULL};
    const char *const *paths = c->arg_count ? c->args : standard_input;
    if (!c->arg_count && isatty(STDIN_FILENO)) {
        return command_misused(c->command, "name a file, or - for standard input");
    }
    struct error err = {0};
    struct store *store = NULL;
    bool done = true;
    for (size_t i = 0; done && paths[i]; i++) {
        done = import_one(c, &store, paths[i], &err) ||
               error_wrap(&err, "importing '%s'", paths[i]);
    }
    store_close(store);
    return done ? EXIT_DONE : command_fail(&err);
}

const struct command command_import = {
    .name = "import",
    .summary = "stores other tools' results, and bundles, as runs",
    .usage = "FILE... [options]",
    .examples = "assay import hyperfine.json\n"
                "assay import history.assay\n"
                "assay import latency.hlog --format hlog --json\n"
                "assay import times.csv --by benchmark --column latency --unit ms",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct import_arguments),
    .run = run,
};
