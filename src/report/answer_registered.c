/* Agents, suites and baselines: what the store keeps by name. */
#include "report/answer_registered.h"

#include "base/human.h"
#include "base/id.h"
#include "report/answers.h"

static const char *or_else(const char *text, const char *other)
{
    return text ? text : other;
}

/* ---- agents ---- */

#define OF struct agent_record
static const struct layout_field agent_fields[] = {
    LAYOUT_FIELD("id", id, "the agent"),
    LAYOUT_FIELD("name", name, "what it is called"),
    LAYOUT_FIELD("kind", kind, "how it is asked"),
    LAYOUT_FIELD("version", version, "the newest that is known"),
    LAYOUT_FIELD("registered", is_registered, "false: known from runs only"),
    LAYOUT_JSON("configuration", configuration, "its entry of the file"),
};
static const struct layout agent_layout = LAYOUT_OF(OF, agent_fields);
#undef OF

#define OF struct answer_registered
static const struct layout_field agents_fields[] = {
    LAYOUT_LIST("agents", rows, count, &agent_layout, "by name"),
};
static const struct layout agents_layout = LAYOUT(agents_fields);
#undef OF

static void put_agent(struct buf *out, const struct agent_record *a, bool is_whole)
{
    const char *met = a->is_registered ? "" : "known from runs only";
    if (is_whole) {
        buf_printf(out, "%s %s (%s)%s%s\n%s\n", a->name, or_else(a->version, ""),
                   or_else(a->kind, "-"), *met ? ", " : "", met,
                   or_else(a->configuration, "{}"));
    } else {
        buf_printf(out, "%-20s %-10s %-12s%s%s\n", a->name, or_else(a->version, "-"),
                   or_else(a->kind, "-"), *met ? "  " : "", met);
    }
}

static void agents_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct answer_registered *a = answer;
    const struct agent_record *rows = a->rows;
    if (a->count == 0) buf_text(out, "no agent is registered; `assay agents add FILE`\n");
    for (size_t i = 0; i < a->count; i++) put_agent(out, &rows[i], a->is_whole);
}

const struct answer answer_agents = {
    ANSWER_NAME("agents"),
    .summary = "the agents that the store knows",
    .layout = &agents_layout,
    .text = agents_text,
};

/* ---- suites ---- */

#define OF struct suite_record
static const struct layout_field suite_fields[] = {
    LAYOUT_FIELD("id", id, "this content of the suite"),
    LAYOUT_FIELD("name", name, "what it is called"),
    LAYOUT_FIELD("title", title, "what people call it"),
    LAYOUT_FIELD("category", category, "what it is about"),
    LAYOUT_FIELD("version", version, "as its file says"),
    LAYOUT_FIELD("content_hash", content_hash, "of what is asked and how it is judged"),
    LAYOUT_FIELD("registered", is_registered, "false: known from runs only"),
    LAYOUT_FIELD("source", source, "the file"),
};
static const struct layout suite_layout = LAYOUT_OF(OF, suite_fields);
#undef OF

#define OF struct answer_registered
static const struct layout_field suites_fields[] = {
    LAYOUT_LIST("suites", rows, count, &suite_layout, "by name"),
};
static const struct layout suites_layout = LAYOUT(suites_fields);
#undef OF

static void suites_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct answer_registered *a = answer;
    const struct suite_record *rows = a->rows;
    if (a->count == 0) buf_text(out, "no suite is registered; `assay suites add FILE`\n");
    for (size_t i = 0; i < a->count; i++) {
        const struct suite_record *s = &rows[i];
        buf_printf(out, "%-20s %-8s %-14s %.12s%s\n", s->name, or_else(s->version, "-"),
                   s->category, or_else(s->content_hash, "-"),
                   s->is_registered ? "" : "  known from runs only");
    }
}

const struct answer answer_suites = {
    ANSWER_NAME("suites"),
    .summary = "the suites that the store knows",
    .layout = &suites_layout,
    .text = suites_text,
};

#define OF struct benchmark_record
static const struct layout_field benchmark_fields[] = {
    LAYOUT_FIELD("id", id, "the benchmark"),
    LAYOUT_FIELD("name", name, "what it is called"),
    LAYOUT_FIELD("description", description, "what it is about"),
    LAYOUT_FIELD("test_type", test_type, "synthetic, real_world, stress, edge_case"),
    LAYOUT_FIELD("content_hash", content_hash, "of what is asked and how it is judged"),
    LAYOUT_JSON("metrics_measured", metrics_measured, "names"),
    LAYOUT_JSON("dataset", dataset, "where its cases come from"),
    LAYOUT_JSON("constraints", constraints, "limits of one answer"),
    LAYOUT_JSON("targets", targets, "what scores are compared with"),
    LAYOUT_JSON("scoring_rubric", scoring_rubric, "how an answer is judged"),
    LAYOUT_JSON("cases", cases, "their hashes"),
};
static const struct layout benchmark_layout = LAYOUT_OF(OF, benchmark_fields);
#undef OF

/* Of a registered one; others cannot be started. */
static const struct value *spec_of(const struct answer_suite *a, struct arena *out)
{
    const struct value *root = NULL;
    struct value_error why;
    if (!a->suite.spec) return NULL;
    return value_read(str_of(a->suite.spec), &value_limits_stored, out, &root, &why) ? root
                                                                                     : NULL;
}

/* The texts of a list, or the ids of its maps. */
static void put_names(struct json *j, const struct answer_suite *a, const char *key)
{
    struct arena scratch = arena_open();
    const struct value *list = value_get(spec_of(a, &scratch), key);
    bool is_list = list && list->kind == VALUE_LIST;
    json_list(j);
    for (size_t i = 0; is_list && i < list->list.count; i++) {
        const struct value *item = list->list.items[i];
        struct str name = item->kind == VALUE_TEXT ? item->source : value_text(item, "id");
        if (name.n) json_str(j, name);
    }
    json_end(j);
    arena_close(&scratch);
}

static void put_overridable(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    put_names(j, owner, "overridable");
}

static void put_own_agents(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    put_names(j, owner, "agents");
}

#define OF struct answer_suite
static const struct layout_field one_suite_fields[] = {
    LAYOUT_PART(suite, &suite_layout),
    LAYOUT_CALL("overridable", put_overridable, "array",
                "what who starts it may set; of a registered one"),
    LAYOUT_CALL("agents", put_own_agents, "array", "that its file names; likewise"),
    LAYOUT_LIST("benchmarks", benchmarks, count, &benchmark_layout, "in the suite's order"),
};
static const struct layout one_suite_layout = LAYOUT(one_suite_fields);
#undef OF

/* Hashes in a JSON list. */
static size_t count_cases(const char *list)
{
    size_t quotes = 0;
    for (const char *p = list; p && *p; p++) quotes += *p == '"';
    return quotes / 2;
}

static void suite_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct answer_suite *a = answer;
    const struct suite_record *s = &a->suite;
    buf_printf(out, "%s: %s, %s, version %s\ncontent %.12s, from %s\n", s->name,
               or_else(s->title, s->name), s->category, or_else(s->version, "-"),
               or_else(s->content_hash, "-"), or_else(s->source, "a run"));
    for (size_t i = 0; i < a->count; i++) {
        const struct benchmark_record *b = &a->benchmarks[i];
        size_t cases = count_cases(b->cases);
        buf_printf(out, "  %-20s %-10s %zu case%s  %s\n", b->name, or_else(b->test_type, "-"),
                   cases, PLURAL(cases), or_else(b->description, ""));
    }
}

const struct answer answer_suite = {
    ANSWER_NAME("suite"),
    .summary = "a suite and its benchmarks",
    .layout = &one_suite_layout,
    .text = suite_text,
};

/* ---- baselines ---- */

#define OF struct baseline_record
static const struct layout_field baseline_fields[] = {
    LAYOUT_FIELD("name", name, "that it is pinned under"),
    LAYOUT_FIELD("agent", agent, "whose results they are"),
    LAYOUT_FIELD("agent_version", version, "of that agent"),
    LAYOUT_FIELD("benchmark", benchmark, "what was asked"),
    LAYOUT_FIELD("cell", label, "its label"),
    LAYOUT_FIELD("run", run_id, "null: forgotten"),
    LAYOUT_FIELD("execution_id", execution_id, "null: forgotten"),
    LAYOUT_FIELD("created_at", created_at, "when it was pinned"),
};
static const struct layout baseline_layout = LAYOUT_OF(OF, baseline_fields);
#undef OF

#define OF struct answer_registered
static const struct layout_field baselines_fields[] = {
    LAYOUT_LIST("baselines", rows, count, &baseline_layout, "one for each cell"),
};
static const struct layout baselines_layout = LAYOUT(baselines_fields);
#undef OF

static void baselines_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_registered *a = answer;
    const struct baseline_record *rows = a->rows;
    if (a->count == 0 && !look->quiet)
        buf_text(out, "no baseline is pinned; `assay baseline set NAME RUN` pins one\n");
    for (size_t i = 0; i < a->count; i++) {
        const struct baseline_record *b = &rows[i];
        buf_printf(out, "%-16s  %-12s  %.10s  %s on %s%s%s\n", b->name,
                   b->run_id ? id_short(b->run_id) : "(forgotten)", b->created_at, b->agent,
                   b->benchmark, b->label ? ": " : "", b->label ? b->label : "");
    }
}

const struct answer answer_baselines = {
    ANSWER_NAME("baselines"),
    .summary = "the runs that are pinned under names",
    .layout = &baselines_layout,
    .text = baselines_text,
};
