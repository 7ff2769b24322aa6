#include "model/record.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/value.h"

#include <math.h>

static const char *const names[RUN_STATUS_COUNT] = {
    [RUN_RUNNING] = "running", [RUN_SUCCESS] = "success",     [RUN_PARTIAL] = "partial",
    [RUN_FAILED] = "failed",   [RUN_CANCELLED] = "cancelled",
};

const char *run_status_name(enum run_status s)
{
    CHECK(s < RUN_STATUS_COUNT);
    return names[s];
}

bool run_status_parse(const char *name, enum run_status *out)
{
    for (int i = 0; i < RUN_STATUS_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum run_status)i;
            return true;
        }
    }
    return false;
}

const char *request_state_name(enum request_state state)
{
    static const char *const states[REQUEST_STATE_COUNT] = {
        [REQUEST_QUEUED] = "queued", [REQUEST_RUNNING] = "running",
        [REQUEST_PARKED] = "parked", [REQUEST_DONE] = "done",
        [REQUEST_FAILED] = "failed", [REQUEST_CANCELLED] = "cancelled",
    };
    CHECK(state < REQUEST_STATE_COUNT);
    return states[state];
}

void execution_record_init(struct execution_record *e)
{
    *e = (struct execution_record){
        .steady_at = -2,
        .entry_index = -1,
        .segments = 1,
        .concurrency = 1,
        .overhead_s = NAN,
        .scores = {NAN, NAN, NAN, NAN, NAN},
        .tokens_used = NAN,
        .api_calls_made = NAN,
        .memory_peak_mb = NAN,
        .cpu_usage_percent = NAN,
        .output_correctness = NAN,
        .output_completeness = NAN,
        .output_relevance = NAN,
        .percentile_rank = NAN,
        .deviation_from_baseline = NAN,
        .cost_usd = NAN,
    };
}

static const char *const version_kinds[VERSION_KIND_COUNT] = {
    [VERSION_STATED] = "stated", [VERSION_HASH] = "hash", [VERSION_COMMIT] = "commit",
    [VERSION_TREE] = "tree",     [VERSION_RUN] = "run",
};

const char *case_record_hash(const struct case_record *c, bool has_turns, char *hex)
{
    const struct {
        const char *key;
        const char *value;
    } parts[] = {{"\"expected\":", c->expected},
                 {has_turns ? "\"turns\":" : "\"input\":", c->input},
                 {"\"rubric\":", c->rubric}};
    struct buf b;
    buf_init(&b, (size_t)1 << 30);
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!parts[i].value) continue;
        buf_text(&b, b.n == 0 ? "{" : ",");
        buf_text(&b, parts[i].key);
        buf_text(&b, parts[i].value);
    }
    buf_add_char(&b, '}');
    id_sha256(buf_str(&b), hex);
    buf_release(&b);
    return hex;
}

bool run_is_in_future(const struct run_record *run)
{
    return run->started_ns > clock_unix_ns() + RUN_CLOCK_SLACK_NS;
}

struct run_vcs run_vcs(const struct run_record *run)
{
    const struct value *dirty = value_get(run->vcs, "dirty");
    struct str stamp = value_text(run->vcs, "committed_at");
    char text[CLOCK_STAMP_SIZE];
    struct run_vcs v = {.commit = value_text(run->vcs, "commit"),
                        .branch = value_text(run->vcs, "branch"),
                        .parent = value_text(run->vcs, "parent"),
                        .is_dirty = dirty && dirty->kind == VALUE_BOOL && dirty->boolean,
                        .changes = value_text(run->vcs, "changes")};
    snprintf(text, sizeof text, "%.*s", STR_ARG(stamp));
    if (!clock_parse_stamp(text, &v.committed_ns)) v.committed_ns = 0;
    return v;
}

const char *version_kind_name(enum version_kind k)
{
    CHECK(k < VERSION_KIND_COUNT);
    return version_kinds[k];
}

static const char *const unranked_names[UNRANKED_COUNT] = {
    [UNRANKED_SUBSET] = "subset",       [UNRANKED_CACHED] = "cached",
    [UNRANKED_RESCORED] = "rescored",   [UNRANKED_SIMULATED] = "simulated",
    [UNRANKED_CONTENT] = "old_content", [UNRANKED_UNJUDGED] = "unjudged",
};

const char *unranked_name(enum unranked u)
{
    CHECK(u < UNRANKED_COUNT);
    return unranked_names[u];
}

bool run_is_same_host(const struct run_record *a, const struct run_record *b)
{
    const struct value *x = value_get(a->environment, "hostname");
    const struct value *y = value_get(b->environment, "hostname");
    return !x || !y || value_equal(x, y);
}

bool run_is_same_command(const struct run_record *a, const struct run_record *b)
{
    static const char *const same[] = {"boot_id", "pid"};
    for (size_t i = 0; i < COUNT(same); i++) {
        const struct value *x = value_get(a->environment, same[i]);
        const struct value *y = value_get(b->environment, same[i]);
        if (!x || !y || !value_equal(x, y)) return false;
    }
    return a->command && b->command && value_equal(a->command, b->command);
}

bool execution_stands(const struct execution_record *e)
{
    bool is_unjudged = e->status == RUN_PARTIAL && e->counts.by_status[TRIAL_HARNESS_ERROR] > 0;
    return e->status == RUN_SUCCESS ||
           (is_unjudged && e->counts.attempted >= e->measured_planned);
}

bool execution_represents(const struct execution_record *e)
{
    bool is_part = e->unranked == UNRANKED_SUBSET || e->unranked == UNRANKED_SIMULATED ||
                   e->unranked == UNRANKED_RESCORED;
    return execution_stands(e) && !is_part && strcmp(e->provenance, "measured") == 0;
}

bool execution_is_sound(const struct execution_record *e)
{
    return e->status == RUN_SUCCESS && strcmp(e->provenance, "measured") == 0;
}

int64_t execution_lanes(const struct execution_record *e)
{
    return e->concurrency > 1 ? e->concurrency : 1;
}

const struct series_record *series_find(const struct series_record *list, size_t count,
                                        enum trial_phase phase, const char *metric)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].phase == phase && strcmp(list[i].metric, metric) == 0) return &list[i];
    }
    return NULL;
}

struct metric series_metric(const struct series_record *s)
{
    return (struct metric){.name = s->metric,
                           .unit = s->unit,
                           .direction = s->direction,
                           .definition = s->definition,
                           .kind = s->kind};
}

bool agent_ref_fits(const struct agent_ref *ref, const char *id, const char *version)
{
    bool is_version = !ref->version || (version && strcmp(version, ref->version) == 0);
    return is_version && strcmp(id, ref->id) == 0;
}

struct agent_name agent_name_split(struct str text)
{
    for (size_t at = text.n; at-- > 1;) {
        if (text.p[at] != '@') continue;
        return (struct agent_name){{text.p, at}, {text.p + at + 1, text.n - at - 1}};
    }
    return (struct agent_name){.name = text};
}

bool agent_name_fits(struct str text, struct str name, const char *version)
{
    struct agent_name parts = agent_name_split(text);
    if (str_equal(text, name)) return true;
    return parts.version.p && version && str_equal(parts.name, name) &&
           str_is(parts.version, version);
}

const char *agent_record_name(const struct agent_record *agents, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(agents[i].id, id) == 0) return agents[i].name;
    }
    return NULL;
}
