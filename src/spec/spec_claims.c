/* The shape of claims, and that they speak of what the entry measures. What
 * they come to is decided by analysis, from stored samples. */
#include "model/record.h"
#include "spec/spec_internal.h"
#include "spec/spec_suite.h"

struct claim {
    const char *name;
    const char *metric;
    const char *group;
    const char *also;
    const char *expected;
    const char *reason;
    double order;
    struct param_texts tags;
    const struct value *compare;
    const char *paired_by;
    const struct value *expect;
};

struct compare {
    const char *param;
    const struct value *from;
    const struct value *to;
    struct param_texts agents;
    struct param_texts versions;
    struct param_texts runs;
};

struct expect {
    const struct value *kinds[7];
    double min;
    double max;
    struct param_reals band;
    struct param_reals acceptable;
    bool strict_band;
};

#define CLAIM(field)   .offset = offsetof(struct claim, field)
#define COMPARE(field) .offset = offsetof(struct compare, field)
#define EXPECT(field)  .offset = offsetof(struct expect, field)

static const struct param claim_rows[] = {
    {"name", PARAM_TEXT, CLAIM(name), .required = true, .help = "the statement, for people"},
    {"metric", PARAM_TEXT, CLAIM(metric), .required = true, .help = "what it is about"},
    {"group", PARAM_TEXT, CLAIM(group), .help = "heading under which reports list it"},
    {"also", PARAM_TEXT, CLAIM(also),
     .help = "another metric of the same cells that is always shown with it"},
    {"expected", PARAM_TEXT, CLAIM(expected),
     .help = "the figures that were promised, for people: shown next to the measured ones"},
    {"reason", PARAM_TEXT, CLAIM(reason),
     .help = "why it does not hold, as far as that was found out: shown where it fails"},
    {"order", PARAM_REAL, CLAIM(order),
     .help = "place under its heading: smaller ones first; without it as in the file"},
    {"tags", PARAM_TEXT_LIST, CLAIM(tags),
     .help = "tags of its entry: with --only TAG the claim is made only if it has the tag"},
    {"compare", PARAM_MAP, CLAIM(compare),
     .help = "{param, from, to}, or two of agents, versions, runs"},
    {"paired_by", PARAM_TEXT, CLAIM(paired_by),
     .help = "what makes two values a pair: iteration, seed, case, or a swept parameter"},
    {"expect", PARAM_MAP, CLAIM(expect), .required = true,
     .help = "one of reduction, gain, speedup, difference, equal_within, at_least, at_most"},
};

static const struct param compare_rows[] = {
    {"param", PARAM_TEXT, COMPARE(param), .help = "a swept parameter"},
    {"from", PARAM_ANY, COMPARE(from), .help = "its value in the baseline"},
    {"to", PARAM_ANY, COMPARE(to), .help = "its value in the contender"},
    {"agents", PARAM_TEXT_LIST, COMPARE(agents), .help = "[baseline, contender]"},
    {"versions", PARAM_TEXT_LIST, COMPARE(versions), .help = "[baseline, contender]"},
    {"runs", PARAM_TEXT_LIST, COMPARE(runs), .help = "[baseline, contender]"},
};

enum { KINDS = 7, KINDS_THAT_COMPARE = 5 }; /* of the first rows below */

static const struct param expect_rows[] = {
    {"reduction", PARAM_ANY, EXPECT(kinds[0]), .help = "1 - contender / baseline"},
    {"gain", PARAM_ANY, EXPECT(kinds[1]), .help = "contender / baseline - 1"},
    {"speedup", PARAM_ANY, EXPECT(kinds[2]), .help = "baseline / contender"},
    {"difference", PARAM_ANY, EXPECT(kinds[3]), .help = "contender - baseline"},
    {"equal_within", PARAM_ANY, EXPECT(kinds[4]), .help = "relative margin of equality"},
    {"at_least", PARAM_ANY, EXPECT(kinds[5]), .help = "lower limit of the metric"},
    {"at_most", PARAM_ANY, EXPECT(kinds[6]), .help = "upper limit of the metric"},
    {"band", PARAM_REAL_LIST, EXPECT(band), .help = "expected range [low, high]"},
    {"acceptable", PARAM_REAL_LIST, EXPECT(acceptable),
     .help = "range [low, high] that passes"},
    {"strict_band", PARAM_BOOL, EXPECT(strict_band),
     .help = "a value better than the band fails too"},
};

/* Inside of a kind: {min: 0.45, band: [0.45, 0.55]}. */
static const struct param bound_rows[] = {
    {"min", PARAM_REAL, EXPECT(min), .help = "at least"},
    {"max", PARAM_REAL, EXPECT(max), .help = "at most"},
    {"band", PARAM_REAL_LIST, EXPECT(band), .help = "expected range [low, high]"},
    {"acceptable", PARAM_REAL_LIST, EXPECT(acceptable),
     .help = "range [low, high] that passes"},
    {"strict_band", PARAM_BOOL, EXPECT(strict_band),
     .help = "a value better than the band fails too"},
};

const struct param_table spec_claim_table = {claim_rows, COUNT(claim_rows)};
static const struct param_table compare_table = {compare_rows, COUNT(compare_rows)};
static const struct param_table expect_table = {expect_rows, COUNT(expect_rows)};
static const struct param_table bound_table = {bound_rows, COUNT(bound_rows)};

static void check_interval(struct spec_reader *r, const struct value *map, const char *key,
                           struct param_reals given)
{
    const struct value *at = value_get(map, key);
    if (!at || (given.count == 2 && given.items[0] <= given.items[1])) return;
    problems_add(r->problems, at->line, at->column, "'%s' must be [low, high]", key);
}

/* `map` is the expect or the bound of a kind. */
static const struct value *read_bounds(struct spec_reader *r, struct param_table table,
                                       const struct value *map, const char *what,
                                       struct expect *into)
{
    const struct value *clean = spec_clean(r, table, map, what);
    spec_read(r, table, clean, into);
    check_interval(r, clean, "band", into->band);
    check_interval(r, clean, "acceptable", into->acceptable);
    return clean;
}

/* A limit on the side that the kind does not look at would say something else than it. */
static void check_sides(struct spec_reader *r, const char *name, const struct value *v,
                        const struct expect *e)
{
    static const char *const never[][2] = {
        {"equal_within", "min"}, {"at_least", "max"}, {"at_most", "min"}};
    for (size_t i = 0; i < COUNT(never); i++) {
        const struct value *side = value_get(v, never[i][1]);
        if (strcmp(name, never[i][0]) != 0 || !side) continue;
        problems_add(r->problems, side->line, side->column, "'%s' takes no '%s'", name,
                     never[i][1]);
    }
    if (value_get(v, "min") && value_get(v, "max") && e->min > e->max) {
        problems_add(r->problems, v->line, v->column,
                     "'min' %g is above 'max' %g: no value is both", e->min, e->max);
    }
}

static void check_margin(struct spec_reader *r, const struct value *v, const struct expect *e)
{
    double margin = value_is_number(v)    ? value_number(v)
                    : value_get(v, "max") ? e->max
                    : e->band.count == 2  ? e->band.items[1]
                                          : 0;
    if (margin >= 0) return;
    problems_add(r->problems, v->line, v->column,
                 "'equal_within' is a relative margin, 0 or more (is %g)", margin);
}

static void check_kind(struct spec_reader *r, const char *name, const struct value *v)
{
    struct expect inner = {0};
    bool is_margin = strcmp(name, "equal_within") == 0;
    if (value_is_number(v)) {
        if (is_margin) check_margin(r, v, &inner);
        return;
    }
    if (v->kind != VALUE_MAP) {
        problems_add(
            r->problems, v->line, v->column,
            "'%s' must be a number or {min, max, band, acceptable, strict_band} (is %s)", name,
            value_kind_name(v->kind));
        return;
    }
    const char *what = arena_printf(r->out, "'%s'", name);
    const struct value *clean = read_bounds(r, bound_table, v, what, &inner);
    check_sides(r, name, clean, &inner);
    if (is_margin) check_margin(r, clean, &inner);
    if (value_get(clean, "min") || value_get(clean, "max") || value_get(clean, "band")) return;
    problems_add(r->problems, v->line, v->column, "'%s' needs min, max or band", name);
}

static void check_expect(struct spec_reader *r, const struct value *map, bool has_compare)
{
    struct expect e = {0};
    read_bounds(r, expect_table, map, "'expect'", &e);
    size_t count = 0;
    size_t last = 0;
    for (size_t i = 0; i < KINDS; i++) {
        if (!e.kinds[i]) continue;
        count++;
        last = i;
        check_kind(r, expect_rows[i].name, e.kinds[i]);
    }
    if (count != 1) {
        problems_add(r->problems, map->line, map->column,
                     "'expect' needs exactly one of reduction, gain, speedup, difference, "
                     "equal_within, at_least, at_most (has %zu)",
                     count);
    } else if (last < KINDS_THAT_COMPARE && !has_compare) {
        problems_add(r->problems, map->line, map->column, "'%s' needs 'compare': the two sides",
                     expect_rows[last].name);
    }
}

static void check_param(struct spec_reader *r, const struct spec_entry *entry,
                        const struct value *map, const struct compare *c)
{
    const struct value *at = value_get(map, "param");
    if (!c->from || !c->to) {
        problems_add(r->problems, at->line, at->column, "'compare: {param: %.60s}' needs %s",
                     c->param, c->from ? "'to'" : "'from'");
        return;
    }
    if (!entry->experiment || r->claims_are_shared) return;
    const struct spec_axis *axis = NULL;
    for (size_t i = 0; i < entry->axis_count; i++) {
        if (str_is(entry->axes[i].name, c->param)) axis = &entry->axes[i];
    }
    if (!axis && spec_is_set(r, c->param))
        return; /* the claim will find no data to decide it */
    if (!axis) {
        problems_add(r->problems, at->line, at->column,
                     "'%.60s' is compared but not swept: there is one value of it, or none",
                     c->param);
        return;
    }
    const struct value *ends[] = {c->from, c->to};
    bool is_below = false;
    const struct param *row = spec_find_param(entry->experiment, axis->name, &is_below);
    for (size_t k = 0; k < COUNT(ends); k++) {
        bool found = false;
        if (!is_below && param_fits(row, ends[k], NULL)) {
            ends[k] = param_normal(row, ends[k], r->out);
        }
        for (size_t i = 0; i < axis->count && !found; i++) {
            found = value_equal(axis->values[i], ends[k]);
        }
        if (found) continue;
        problems_add(r->problems, ends[k]->line, ends[k]->column,
                     "'%.60s' is not swept over this value, so it cannot be compared",
                     c->param);
    }
}

/* An agent that states no version may report one when it is asked. */
static bool is_agent_meant(struct str name, const struct value *agent, struct arena *out)
{
    const struct value *id = value_get(agent, "id");
    const struct value *version = value_get(agent, "version");
    if (!id) return false;
    if (version) return agent_name_fits(name, id->source, str_cstr(out, version->source));
    return str_equal(name, id->source) || str_equal(agent_name_split(name).name, id->source);
}

/* As it is to be written, with its version where the misspelt name has one. */
static const char *agent_word(const struct value *agent, struct str name, struct arena *out)
{
    const struct value *id = value_get(agent, "id");
    const struct value *version = value_get(agent, "version");
    if (!id) return "";
    if (!version || !agent_name_split(name).version.p) return str_cstr(out, id->source);
    return arena_printf(out, "%.*s@%.*s", STR_ARG(id->source), STR_ARG(version->source));
}

/* Of a suite that says who is asked: id, or id@version. */
static void check_agents(struct spec_reader *r, const struct value *names)
{
    const struct value *agents = r->known_agents;
    const char *known[128];
    size_t count = agents ? agents->list.count : 0;
    if (count == 0) return;
    for (size_t k = 0; k < names->list.count; k++) {
        struct str name = names->list.items[k]->source;
        bool is_known = false;
        for (size_t i = 0; i < count && !is_known; i++)
            is_known = is_agent_meant(name, agents->list.items[i], r->out);
        if (is_known) continue;
        size_t most = count < COUNT(known) ? count : COUNT(known);
        for (size_t i = 0; i < most; i++)
            known[i] = agent_word(agents->list.items[i], name, r->out);
        const char *near = str_suggest(name, known, most);
        problems_add(r->problems, names->list.items[k]->line, names->list.items[k]->column,
                     "'compare': no agent '%.*s' is in this suite%s%s%s", STR_ARG(name),
                     STR_MEANT(near));
    }
}

static void check_compare(struct spec_reader *r, const struct spec_entry *entry,
                          const struct value *map)
{
    struct compare c = {0};
    const struct value *clean = spec_clean(r, compare_table, map, "'compare'");
    spec_read(r, compare_table, clean, &c);
    const struct param_texts *pairs[] = {&c.agents, &c.versions, &c.runs};
    static const char *const names[] = {"agents", "versions", "runs"};
    size_t count = c.param ? 1 : 0;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const struct value *at = value_get(clean, names[i]);
        if (!at) continue;
        count++;
        if (pairs[i]->count == 2) continue;
        problems_add(r->problems, at->line, at->column, "'%s' must be [baseline, contender]",
                     names[i]);
    }
    if (count != 1) {
        problems_add(
            r->problems, map->line, map->column,
            "'compare' needs exactly one of {param, from, to}, agents, versions, runs");
    } else if (c.param) {
        check_param(r, entry, clean, &c);
    } else if (c.agents.count == 2) {
        check_agents(r, value_get(clean, "agents"));
    }
}

/* By the number of the trial, whatever that is called, or by the values of a parameter: a slip in
 * its name would ask another question. */
static void check_pairing(struct spec_reader *r, const struct spec_entry *entry,
                          const struct value *by)
{
    const char *known[64] = {"iteration", "seed", "case"};
    size_t count = 3;
    if (!entry->experiment || r->claims_are_shared) return;
    if (spec_is_set(r, str_cstr(r->out, by->source))) return;
    for (size_t i = 0; i < entry->axis_count && count < COUNT(known); i++) {
        known[count++] = str_cstr(r->out, entry->axes[i].name);
    }
    for (size_t i = 0; i < count; i++) {
        if (str_is(by->source, known[i])) return;
    }
    const char *near = str_suggest(by->source, known, count);
    problems_add(
        r->problems, by->line, by->column,
        "'paired_by' must be iteration, seed, case or a swept parameter (is '%.60s'%s%s%s)",
        str_cstr(r->out, by->source), near ? "; did you mean '" : "", near ? near : "",
        near ? "'?" : "");
}

size_t spec_list_metrics(const struct spec_entry *entry, const char **names, size_t room)
{
    size_t n = 0;
    names[n++] = metric_duration.name;
    names[n++] = "success_rate"; /* of any entry's trials */
    names[n++] = "failure_rate";
    for (size_t i = 0; i < entry->experiment->metric_count && n < room; i++) {
        names[n++] = entry->experiment->metrics[i].name;
    }
    for (size_t i = 1; i < entry->instrument_count; i++) {
        const struct instrument *row = entry->instruments[i].row;
        for (size_t k = 0; k < row->metric_count && n < room; k++) {
            names[n++] = row->metrics[k].name;
        }
    }
    return n;
}

static void check_metric(struct spec_reader *r, const struct spec_entry *entry,
                         const struct value *name)
{
    const char *names[256];
    bool takes_agent =
        entry->experiment && entry->experiment->takes_agent && !entry->experiment->agent_or;
    if (!entry->experiment || (r->claims_are_shared && !takes_agent)) return;
    size_t count = spec_list_metrics(entry, names, COUNT(names));
    for (size_t i = 0; i < count; i++) {
        if (str_is(name->source, names[i])) return;
    }
    const char *near = str_suggest(name->source, names, count);
    if (takes_agent && !near) return; /* agents may report others; a slip is none */
    problems_add(r->problems, name->line, name->column,
                 "experiment '%s' with these instruments gives no metric '%.60s'%s%s%s",
                 entry->experiment->name, str_cstr(r->out, name->source),
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* A list of texts may be a single one. */
static size_t texts_of(const struct value *v, const struct value *const **texts,
                       const struct value **single)
{
    *single = v;
    *texts = v && v->kind == VALUE_LIST ? v->list.items : single;
    return v && v->kind == VALUE_LIST ? v->list.count : v != NULL;
}

static bool has_text(const struct value *list, struct str text)
{
    const struct value *const *texts;
    const struct value *single;
    size_t count = texts_of(list, &texts, &single);
    for (size_t i = 0; i < count; i++) {
        if (str_equal(texts[i]->source, text)) return true;
    }
    return false;
}

static void check_tags(struct spec_reader *r, const struct spec_entry *entry,
                       const struct value *tags)
{
    const struct value *const *texts;
    const struct value *single;
    size_t count = texts_of(tags, &texts, &single);
    for (size_t i = 0; i < count && !r->claims_are_shared; i++) {
        if (has_text(entry->tags, texts[i]->source)) continue;
        problems_add(r->problems, texts[i]->line, texts[i]->column,
                     "'%.*s' is not a tag of the entry: --only would never choose it",
                     STR_ARG(texts[i]->source));
    }
}

static void check_claim(struct spec_reader *r, const struct spec_entry *entry,
                        const struct value *map)
{
    if (map->kind != VALUE_MAP) {
        problems_add(r->problems, map->line, map->column,
                     "a claim must be a mapping {name, metric, compare, expect} (is %s)",
                     value_kind_name(map->kind));
        return;
    }
    const struct value *clean = spec_clean(r, spec_claim_table, map, "a claim");
    for (size_t i = 0; i < COUNT(claim_rows); i++) {
        if (!claim_rows[i].required || value_get(map, claim_rows[i].name)) continue;
        problems_add(r->problems, map->line, map->column, "a claim needs '%s': %s",
                     claim_rows[i].name, claim_rows[i].help);
    }
    const struct value *metric = value_get(clean, "metric");
    const struct value *compare = value_get(clean, "compare");
    const struct value *expect = value_get(clean, "expect");
    const struct value *paired_by = value_get(clean, "paired_by");
    check_tags(r, entry, value_get(clean, "tags"));
    if (metric) check_metric(r, entry, metric);
    if (compare) check_compare(r, entry, compare);
    if (paired_by) check_pairing(r, entry, paired_by);
    if (expect) check_expect(r, expect, compare != NULL);
}

void spec_check_claims(struct spec_reader *r, const struct spec_entry *entry)
{
    const struct value *claims = entry->claims;
    if (claims->kind != VALUE_LIST) {
        problems_add(r->problems, claims->line, claims->column,
                     "'claims' must be a list (is %s)", value_kind_name(claims->kind));
        return;
    }
    for (size_t i = 0; i < claims->list.count; i++) {
        check_claim(r, entry, claims->list.items[i]);
    }
}

static size_t count_claims(const struct value *list)
{
    return list && list->kind == VALUE_LIST ? list->list.count : 0;
}

/* By its tags; by the name of an experiment or benchmark all claims of the entry are. */
static bool is_chosen(const struct spec *spec, const struct spec_entry *entry,
                      const struct value *claim)
{
    const struct value *tags = value_get(claim, "tags");
    bool is_chosen = !tags || spec->only.count == 0;
    for (size_t i = 0; i < spec->only.count && !is_chosen; i++) {
        struct str word = str_of(spec->only.items[i]);
        bool is_name = entry && ((entry->experiment && str_is(word, entry->experiment->name)) ||
                                 (entry->benchmark && str_is(word, entry->benchmark->id)));
        is_chosen = is_name || has_text(tags, word);
    }
    return is_chosen;
}

static void mark_part(const struct value **items, size_t count, struct arena *out)
{
    for (size_t i = 0; i < count; i++)
        items[i] = value_with(out, items[i], S("part"), value_new_bool(out, true));
}

const struct value *spec_claims(const struct spec *spec, struct arena *out)
{
    size_t room = count_claims(spec->claims);
    for (size_t i = 0; i < spec->entry_count; i++)
        room += count_claims(spec->entries[i].claims);
    const struct value **items = arena_new(out, const struct value *, room);
    size_t n = 0;
    for (size_t k = 0; k < count_claims(spec->claims); k++) {
        const struct value *claim = spec->claims->list.items[k];
        if (is_chosen(spec, NULL, claim)) items[n++] = claim;
    }
    for (size_t i = 0; i < spec->entry_count; i++) {
        const struct value *own = spec->entries[i].claims;
        if (!own || (spec->claims && value_equal(own, spec->claims))) continue;
        const struct value *entry = value_new_int(out, (int64_t)i);
        for (size_t k = 0; k < count_claims(own); k++) {
            const struct value *claim = own->list.items[k];
            if (is_chosen(spec, &spec->entries[i], claim))
                items[n++] = value_with(out, claim, S("entry"), entry);
        }
    }
    if (spec->is_part) mark_part(items, n, out);
    return value_new_list(out, items, n);
}
