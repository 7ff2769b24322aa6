#include "cli/catalog.h"

#include "agent/agent.h"
#include "check/check.h"
#include "experiment/experiment.h"
#include "instrument/instrument.h"
#include "report/report.h"
#include "store/store.h"

static bool experiment_entry(size_t i, struct catalog_entry *e)
{
    const struct experiment *row = experiment_at(i);
    if (!row) return false;
    *e = (struct catalog_entry){.name = row->name,
                                .summary = row->summary,
                                .help = row->help,
                                .params = row->params,
                                .metrics = row->metrics,
                                .metric_count = row->metric_count,
                                .histograms = row->histograms,
                                .histogram_count = row->histogram_count};
    return true;
}

static bool instrument_entry(size_t i, struct catalog_entry *e)
{
    const struct instrument *row = instrument_at(i);
    if (!row) return false;
    *e = (struct catalog_entry){.name = row->name,
                                .alias = row->alias,
                                .summary = row->summary,
                                .params = row->options,
                                .metrics = row->metrics,
                                .metric_count = row->metric_count};
    return true;
}

static bool agent_entry(size_t i, struct catalog_entry *e)
{
    const struct agent_kind *row = agent_kind_at(i);
    if (!row) return false;
    *e = (struct catalog_entry){.name = row->name,
                                .summary = row->summary,
                                .params = row->params,
                                .metrics = row->metrics,
                                .metric_count = row->metric_count};
    return true;
}

static bool check_entry(size_t i, struct catalog_entry *e)
{
    const struct check_kind *row = check_kind_at(i);
    if (!row) return false;
    *e = (struct catalog_entry){
        .name = row->name, .summary = row->summary, .params = row->params};
    return true;
}

static bool reporter_entry(size_t i, struct catalog_entry *e)
{
    const struct reporter *row = reporter_at(i);
    if (!row) return false;
    *e = (struct catalog_entry){
        .name = row->name, .alias = row->extension, .summary = row->summary};
    return true;
}

static bool store_entry(size_t i, struct catalog_entry *e)
{
    const struct store_kind *row = store_kind_at(i);
    if (!row) return false;
    *e = (struct catalog_entry){.name = row->name, .summary = row->summary};
    return true;
}

static bool command_entry(size_t i, struct catalog_entry *e)
{
    const struct command *row = command_at(i);
    if (!row) return false;
    *e = (struct catalog_entry){.name = row->name, .summary = row->summary, .command = row};
    return true;
}

static const struct kind_row {
    const char *name;
    const char *plural;
    const char *purpose;
    bool (*entry)(size_t i, struct catalog_entry *e);
} kinds[CATALOG_KIND_COUNT] = {
    [CATALOG_EXPERIMENT] = {"experiment", "experiments",
                            "what can be put on the bench: `experiment:` in a spec",
                            experiment_entry},
    [CATALOG_INSTRUMENT] = {"instrument", "instruments",
                            "what is measured around a trial: `instrumentation:` in a spec",
                            instrument_entry},
    [CATALOG_AGENT] = {"agent", "agents", "what answers tasks: `agents:` in a spec",
                       agent_entry},
    [CATALOG_CHECK] = {"check", "checks", "what judges an answer: `rubric:` in a suite",
                       check_entry},
    [CATALOG_REPORTER] = {"reporter", "reporters",
                          "what a run can be turned into: `assay report --format`",
                          reporter_entry},
    [CATALOG_STORE] = {"store", "stores", "where results are kept: `--store NAME:...`",
                       store_entry},
    [CATALOG_COMMAND] = {"command", "commands", "what the program does: `assay NAME`",
                         command_entry},
};

const char *catalog_kind_name(enum catalog_kind kind)
{
    return kinds[kind].name;
}

const char *catalog_plural(enum catalog_kind kind)
{
    return kinds[kind].plural;
}

const char *catalog_purpose(enum catalog_kind kind)
{
    return kinds[kind].purpose;
}

bool catalog_at(enum catalog_kind kind, size_t i, struct catalog_entry *entry)
{
    if (!kinds[kind].entry(i, entry)) return false;
    entry->kind = kind;
    return true;
}

/* The settings that a spec without any would give. A row that must be set has
 * none; its owner then sees zeros, as `available` is about the machine. */
static const void *default_config(struct param_table table, size_t size, struct arena *scratch)
{
    void *config = arena_alloc(scratch, 1, size + 1, _Alignof(max_align_t));
    struct error ignored;
    if (!param_read(table, NULL, config, scratch, &ignored)) memset(config, 0, size);
    return config;
}

bool catalog_available(const struct catalog_entry *entry, struct arena *scratch,
                       struct error *err)
{
    if (entry->kind == CATALOG_EXPERIMENT) {
        const struct experiment *row = experiment_find(str_of(entry->name));
        return !row->available || row->available(err);
    }
    if (entry->kind == CATALOG_INSTRUMENT) {
        const struct instrument *row = instrument_find(str_of(entry->name));
        return !row->available ||
               row->available(default_config(row->options, row->config_size, scratch), err);
    }
    if (entry->kind == CATALOG_AGENT) {
        const struct agent_kind *row = agent_kind_find(str_of(entry->name));
        return !row->available ||
               row->available(default_config(row->params, row->config_size, scratch), err);
    }
    return true;
}
