/* A policy file becomes rules, or problems with places. */
#include "history/gate.h"

#include <math.h>

struct keys {
    const char *policy;
    const char *baseline;
    int undecided;
    const struct value *retired;
    const struct value *block;
    const struct value *alert;
};

struct rule_keys {
    const char *name;
    const char *metric;
    const char *benchmark;
    double limits[GATE_KIND_COUNT];
};

#define KEY(field)    .offset = offsetof(struct keys, field)
#define RELATIVE_MOST 10 /* 1000 % */
#define RULE(field)   .offset = offsetof(struct rule_keys, field)

/* In the order of enum gate_undecided. */
static const char *const undecided_names[] = {"warn", "pass", "fail", NULL};

static const struct param key_rows[] = {
    {"policy", PARAM_TEXT, KEY(policy), .help = "what to call it"},
    {"baseline", PARAM_TEXT, KEY(baseline), .help = "a pinned name, a version, a run"},
    {"undecided", PARAM_CHOICE, KEY(undecided), .choices = undecided_names,
     .help = "what an undecided block rule does"},
    {"retired", PARAM_ANY, KEY(retired), .help = "cells that may be missing"},
    {"block", PARAM_ANY, KEY(block), .help = "rules that fail the gate"},
    {"alert", PARAM_ANY, KEY(alert), .help = "rules that warn but never fail the gate"},
};

static const struct param rule_rows[] = {
    {"name", PARAM_TEXT, RULE(name), .help = "what to call the rule"},
    {"metric", PARAM_TEXT, RULE(metric), .help = "what it is about"},
    {"benchmark", PARAM_TEXT, RULE(benchmark), .help = "only on this benchmark"},
};

static const struct param_table key_table = {key_rows, COUNT(key_rows)};

static const struct gate_rule_kind kinds[GATE_KIND_COUNT] = {
    [GATE_SLOWER] = {.name = "slower_than",
                     .summary = "longer than the baseline by more than this share",
                     .metric = "duration_s"},
    [GATE_COST] = {.name = "cost_increase",
                   .summary = "more expensive than the baseline by more than this share",
                   .metric = "cost_usd"},
    [GATE_WORSE] = {.name = "worse_by",
                    .summary = "worse than the baseline by more than this share"},
    [GATE_FAILURES] = {.name = "failure_rate_increase",
                       .summary = "more failures than the baseline by more than these points",
                       .metric = UNITS_FAILURES},
    [GATE_IMPROVEMENT] = {.name = "improvement_below",
                          .summary = "better than the baseline by less than this share",
                          .metric = "duration_s"},
    [GATE_BELOW] = {.name = "below",
                    .summary = "below this level, in the metric's unit",
                    .is_absolute = true},
    [GATE_ABOVE] = {.name = "above",
                    .summary = "above this level, in the metric's unit",
                    .is_absolute = true},
};

REGISTRY_TABLE(struct gate_rule_kind, gate_rule_kind, kinds)

const char *gate_kind_name(enum gate_kind kind)
{
    return kinds[kind].name;
}

/* The keys of a rule: those that all have, and one for each kind. */
static struct param_table rule_table(struct arena *out)
{
    size_t count = COUNT(rule_rows) + COUNT(kinds);
    struct param *rows = arena_new(out, struct param, count);
    memcpy(rows, rule_rows, sizeof rule_rows);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        rows[COUNT(rule_rows) + i] = (struct param){
            .name = kinds[i].name,
            .type = kinds[i].is_absolute ? PARAM_REAL : PARAM_SHARE,
            .offset = offsetof(struct rule_keys, limits) + i * sizeof(double),
            .min = kinds[i].is_absolute ? -(double)INFINITY : 0,
            .max = kinds[i].is_absolute ? (double)INFINITY
                                        : (i == GATE_FAILURES ? 1 : RELATIVE_MOST),
            .help = kinds[i].summary,
        };
    }
    return (struct param_table){rows, count};
}

struct gate_rule gate_rule_about(const struct gate_rule *rule, const char *metric,
                                 struct arena *out)
{
    struct gate_rule about = *rule;
    bool is_absolute = kinds[rule->kind].is_absolute;
    double shown = is_absolute ? rule->limit : 100 * rule->limit;
    about.metric = metric;
    about.text = arena_printf(out, "%s %s %.4g%s", metric, kinds[rule->kind].name, shown,
                              is_absolute ? "" : " %");
    about.words = about.text;
    if (rule->name) {
        about.words = arena_printf(out, "%s: %s", rule->name, about.text);
        about.text = rule->name;
    }
    return about;
}

static void read_rule(const struct value *map, bool is_block, struct arena *out,
                      struct gate_policy *policy, struct problems *problems)
{
    struct rule_keys keys = {0};
    if (map->kind != VALUE_MAP) {
        problems_add(problems, map->line, map->column,
                     "a rule must be a mapping such as {slower_than: 10 %%} (is %s)",
                     value_kind_name(map->kind));
        return;
    }
    struct param_table table = rule_table(out);
    if (!param_check(table, map, "a rule", problems)) return;
    if (!param_read(table, map, &keys, out, NULL)) return;
    size_t given = 0;
    struct gate_rule rule = {.is_block = is_block, .line = map->line};
    for (int i = 0; i < GATE_KIND_COUNT; i++) {
        if (!value_get(map, kinds[i].name)) continue;
        given++;
        rule.kind = (enum gate_kind)i;
    }
    if (given != 1) {
        problems_add(problems, map->line, map->column,
                     "a rule needs exactly one of %s (has %zu)",
                     registry_names(gate_rule_kind_entry).text, given);
        return;
    }
    const char *key = kinds[rule.kind].name;
    rule.limit = keys.limits[rule.kind];
    rule.is_chosen = keys.metric != NULL;
    rule.name = keys.name;
    const char *metric = keys.metric ? keys.metric : kinds[rule.kind].metric;
    if (!metric) {
        problems_add(problems, map->line, map->column, "'%s' needs 'metric': of what?", key);
        return;
    }
    rule.benchmark = keys.benchmark;
    if (policy->count == GATE_RULES_MAX) {
        problems_add(problems, map->line, map->column, "more than %d rules", GATE_RULES_MAX);
        return;
    }
    policy->rules[policy->count++] = gate_rule_about(&rule, metric, out);
}

static void read_rules(const struct value *list, const char *key, bool is_block,
                       struct arena *out, struct gate_policy *policy, struct problems *problems)
{
    if (!list) return;
    if (list->kind != VALUE_LIST) {
        problems_add(problems, list->line, list->column, "'%s' must be a list of rules (is %s)",
                     key, value_kind_name(list->kind));
        return;
    }
    for (size_t i = 0; i < list->list.count; i++) {
        read_rule(list->list.items[i], is_block, out, policy, problems);
    }
}

bool gate_read(const char *file, struct str bytes, struct arena *out,
               struct gate_policy *policy, struct problems *problems)
{
    const struct value *root = NULL;
    struct value_error error = {0};
    struct keys keys = {0};
    *policy = (struct gate_policy){.file = file};
    if (!value_read(bytes, &value_limits_spec, out, &root, &error)) {
        return problems_add(problems, error.line, error.column, "%s", error.error.text);
    }
    if (root->kind != VALUE_MAP) {
        return problems_add(problems, root->line ? root->line : 1, root->column,
                            "a policy must be a mapping with block and alert (is %s)",
                            value_kind_name(root->kind));
    }
    if (param_check(key_table, root, "the policy", problems) &&
        param_read(key_table, root, &keys, out, NULL)) {
        policy->name = keys.policy ? keys.policy : file;
        policy->baseline = keys.baseline;
        policy->undecided = (enum gate_undecided)keys.undecided;
        policy->retired = keys.retired;
        bool is_list = !keys.retired || keys.retired->kind == VALUE_LIST;
        if (!is_list) {
            problems_add(problems, keys.retired->line, keys.retired->column,
                         "'retired' must be a list of names (is %s)",
                         value_kind_name(keys.retired->kind));
        }
        read_rules(keys.block, "block", true, out, policy, problems);
        read_rules(keys.alert, "alert", false, out, policy, problems);
        bool is_empty = policy->count == 0 && problems->total == 0;
        if (is_empty)
            problems_add(problems, 1, 1, "a policy needs a rule under block or alert");
    }
    problems_sort(problems);
    return problems->total == 0;
}
