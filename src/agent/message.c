#include "agent/message.h"

#include <math.h>

static const struct value_limits limits = {
    .max_bytes = (size_t)256 << 20, .max_depth = 64, .max_nodes = 200000};

enum { SHOWN_MAX = 60 };

void message_write_task(struct buf *out, int64_t id, const struct agent_task *task,
                        const struct value *config)
{
    struct json j;
    size_t start = out->n;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_int(&j, "id", id);
    json_put_str(&j, "case", task->case_id);
    json_key(&j, "conversation");
    if (task->conversation.n) {
        json_str(&j, task->conversation);
    } else {
        json_null(&j);
    }
    json_put_int(&j, "turn", task->turn);
    json_key(&j, "input");
    if (task->is_json) {
        json_raw(&j, task->input);
    } else {
        json_str(&j, task->input);
    }
    json_key(&j, "config");
    if (config) {
        json_value(&j, config);
    } else {
        json_raw(&j, S("{}"));
    }
    json_put_int(&j, "seed", (int64_t)(task->seed & (((uint64_t)1 << 53) - 1)));
    json_end(&j);
    for (size_t i = start; i < out->n; i++) { /* of a JSON input in many lines */
        if (out->p[i] == '\n') out->p[i] = ' ';
    }
    buf_add_char(out, '\n');
}

/* ---- reading ---- */

static bool is_null(const struct value *v)
{
    return !v || v->kind == VALUE_NULL;
}

/* Sums of what is beyond would be infinite or not exact. */
static const double count_most = 9007199254740992;

/* A number of at least 0 into *to; one that is absent or null leaves it alone. */
static bool read_count(const struct value *map, const char *key, double scale, double *to,
                       struct error *err)
{
    const struct value *v = value_get(map, key);
    if (is_null(v)) return true;
    if (!value_is_number(v) || value_number(v) < 0) {
        return error_set(err, ERROR_INVALID, "'%s' must be a number of at least 0", key);
    }
    if (!(value_number(v) <= count_most)) {
        return error_set(err, ERROR_INVALID, "'%s' is %g; the most is %.16g", key,
                         value_number(v), count_most);
    }
    *to = value_number(v) * scale;
    return true;
}

static bool read_usage(const struct value *usage, struct agent_answer *a, struct error *err)
{
    if (is_null(usage)) return true;
    if (usage->kind != VALUE_MAP) {
        return error_set(err, ERROR_INVALID, "usage is %s; it must be an object",
                         value_kind_name(usage->kind));
    }
    const struct {
        const char *key;
        double *to;
    } rows[] = {
        {"input_tokens", &a->input_tokens},
        {"output_tokens", &a->output_tokens},
        {"cache_read_tokens", &a->cache_read_tokens},
        {"api_calls", &a->api_calls},
        {"cost_usd", &a->cost_usd},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!read_count(usage, rows[i].key, 1, rows[i].to, err)) {
            return error_wrap(err, "usage");
        }
    }
    return true;
}

static bool read_phase(const struct value *v, struct arena *arena, struct agent_phase *p,
                       struct error *err)
{
    const struct value *name = value_get(v, "name");
    *p = (struct agent_phase){.start_s = NAN,
                              .duration_s = NAN,
                              .cpu_s = NAN,
                              .memory_mb = NAN,
                              .io_operations = NAN};
    if (!name || name->kind != VALUE_TEXT || name->source.n == 0) {
        return error_set(err, ERROR_INVALID, "a phase needs a 'name'");
    }
    if (name->source.n > AGENT_PHASE_NAME_MAX) { /* all of them must fit into the detail */
        return error_set(err, ERROR_INVALID,
                         "the name of a phase has %zu bytes, the most is %d", name->source.n,
                         AGENT_PHASE_NAME_MAX);
    }
    p->name = str_cstr(arena, name->source);
    if (!read_count(v, "start_ms", 1e-3, &p->start_s, err) ||
        !read_count(v, "ms", 1e-3, &p->duration_s, err) ||
        !read_count(v, "cpu_ms", 1e-3, &p->cpu_s, err) ||
        !read_count(v, "memory_mb", 1, &p->memory_mb, err) ||
        !read_count(v, "io_operations", 1, &p->io_operations, err)) {
        return error_wrap(err, "phase '%s'", p->name);
    }
    if (isnan(p->duration_s)) {
        return error_set(err, ERROR_INVALID, "phase '%s' needs 'ms'", p->name);
    }
    return true;
}

static bool read_phases(const struct value *list, struct arena *arena, struct agent_answer *a,
                        struct error *err)
{
    if (is_null(list)) return true;
    if (list->kind != VALUE_LIST || list->list.count > AGENT_PHASES_MAX) {
        return error_set(err, ERROR_INVALID, "'phases' must be a list of at most %d",
                         AGENT_PHASES_MAX);
    }
    struct agent_phase *phases = arena_new(arena, struct agent_phase, list->list.count);
    for (size_t i = 0; i < list->list.count; i++) {
        if (!read_phase(list->list.items[i], arena, &phases[i], err)) return false;
    }
    a->phases = phases;
    a->phase_count = list->list.count;
    return true;
}

static struct str as_text(const struct value *v, struct arena *arena)
{
    if (v->kind == VALUE_TEXT) return v->source;
    return json_of(v, arena);
}

static bool read_id(const struct value *reply, int64_t id, struct error *err)
{
    const struct value *v = value_get(reply, "id");
    if (!v)
        return error_set(err, ERROR_INVALID, "the reply has no 'id' (expected %lld)",
                         (long long)id);
    if (v->kind != VALUE_INT) {
        return error_set(err, ERROR_INVALID, "the reply's 'id' is %s (expected %lld)",
                         value_kind_name(v->kind), (long long)id);
    }
    if (v->integer == id) return true;
    return error_set(err, ERROR_INVALID, "the reply is to task %lld%s (expected %lld)",
                     (long long)v->integer,
                     v->integer > 0 && v->integer < id ? ", which has ended" : "",
                     (long long)id);
}

static bool read_tree(struct str line, struct arena *arena, const struct value **reply,
                      struct error *err)
{
    size_t good = str_utf8_prefix(line);
    if (good < line.n) {
        return error_set(err, ERROR_INVALID, "the reply %s at byte %zu",
                         line.p[good] ? "is not UTF-8" : "has a NUL", good + 1);
    }
    struct error why = {0};
    bool is_read = value_read_json(line, &limits, arena, reply, &why);
    if (is_read && (*reply)->kind == VALUE_MAP) return true;
    size_t shown = line.n < SHOWN_MAX ? line.n : SHOWN_MAX;
    bool has_reason = !is_read && line.n > 0;
    return error_set(err, ERROR_INVALID, "the reply is not a JSON object: %.*s%s%s%s%s",
                     (int)shown, line.p ? line.p : "", shown < line.n ? "..." : "",
                     has_reason ? " (" : "", has_reason ? why.text : "", has_reason ? ")" : "");
}

static bool read_parts(const struct value *from, struct arena *arena, struct agent_answer *a)
{
    struct error *err = &a->error;
    if (!read_usage(value_get(from, "usage"), a, err) ||
        !read_phases(value_get(from, "phases"), arena, a, err)) {
        return false;
    }
    const struct value *output = value_get(from, "output");
    if (!is_null(output)) a->output = as_text(output, arena);
    if (is_null(output) && is_null(value_get(from, "error"))) {
        return error_set(err, ERROR_INVALID, "the reply has neither 'output' nor 'error'");
    }
    return true;
}

enum trial_status message_read_answer(const struct value *from, struct arena *arena,
                                      struct agent_answer *answer)
{
    if (!read_parts(from, arena, answer)) return TRIAL_INVALID_OUTPUT;
    const struct value *problem = value_get(from, "error");
    if (is_null(problem)) return TRIAL_OK;
    struct str text = as_text(problem, arena);
    error_set(&answer->error, ERROR_FAILED, "the agent reports: %.*s", STR_ARG(text));
    return TRIAL_AGENT_ERROR;
}

enum trial_status message_read_reply(struct str line, int64_t id, struct arena *arena,
                                     struct agent_answer *answer)
{
    const struct value *reply = NULL;
    if (!read_tree(line, arena, &reply, &answer->error) ||
        !read_id(reply, id, &answer->error)) {
        return TRIAL_INVALID_OUTPUT;
    }
    return message_read_answer(reply, arena, answer);
}

bool message_read_usage(struct str text, struct arena *arena, struct agent_answer *answer,
                        struct error *err)
{
    const struct value *usage = NULL;
    return value_read_json(text, &limits, arena, &usage, err) && read_usage(usage, answer, err);
}
