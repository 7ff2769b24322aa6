#include "cli/catalog.h"

#include "agent/agent.h"
#include "check/check.h"
#include "cli/command.h"
#include "experiment/experiment.h"
#include "history/gate.h"
#include "history/regress.h"
#include "instrument/instrument.h"
#include "interop/export.h"
#include "interop/import.h"
#include "judge/profile.h"
#include "judge/stress.h"
#include "judge/versus.h"
#include "report/report.h"
#include "store/store.h"

static const struct catalog_kind kinds[] = {
    {"experiment", "experiments", "what can be measured: `experiment:` in a spec",
     experiment_entry, false},
    {"instrument", "instruments",
     "what is measured around a trial: `instrumentation:` in a spec", instrument_entry, false},
    {"agent", "agents", "what answers tasks: `agents:` in a spec", agent_kind_entry, false},
    {"check", "checks", "what judges an answer: `rubric:` in a suite", check_kind_entry, false},
    {"reporter", "reporters", "what a run can be turned into: `assay report --format`",
     reporter_entry, false},
    {"importer", "importers", "what can be read from other tools: `assay import --format`",
     importer_entry, false},
    {"exporter", "exporters", "what other tools can read: `assay export --format`",
     exporter_entry, false},
    {"regression-rule", "regression-rules", "what `assay regressions` looks for",
     regression_rule_entry, false},
    {"gate-rule", "gate-rules", "what a policy of `assay gate` can demand",
     gate_rule_kind_entry, false},
    {"profile-rule", "profile-rules", "what `assay profile` finds", profile_rule_entry, false},
    {"advice-rule", "advice-rules", "what `assay versus` recommends", versus_rule_entry, false},
    {"scenario", "scenarios", "ways to load an agent: `assay stress --scenario`",
     stress_scenario_entry, false},
    {"store", "stores", "where results are kept: `--store NAME:...`", store_kind_entry, false},
    {"command", "commands", "what the program does: `assay NAME`", command_entry, true},
};

const struct catalog_kind *catalog_at(size_t i)
{
    return i < COUNT(kinds) ? &kinds[i] : NULL;
}

bool catalog_available(const struct registry_entry *entry, struct arena *scratch,
                       struct error *err)
{
    if (!entry->available) return true;
    /* A row that must be set has no default; its owner then sees zeros, as
     * `available` is about the machine. */
    void *config = arena_alloc(scratch, 1, entry->config_size + 1, _Alignof(max_align_t));
    struct error ignored;
    if (!param_read(entry->params, NULL, config, scratch, &ignored)) {
        memset(config, 0, entry->config_size);
    }
    return entry->available(config, err);
}
