/* Bencher Metric Format: {"benchmark": {"measure": {"value", "lower_value",
 * "upper_value"}}}. Values are the levels that `show` has, with their 95 % interval (none where
 * values are too few): in a suite over cases. `failure_rate` is how often trials failed: an
 * agent does not become better by what it does not answer. Bencher's built-in measure of time
 * is `latency`, in nanoseconds: duration_s goes there; other metrics keep their names and units.
 * Of several executions with one name the first counts: runs come newest first. */
#include "interop/export.h"

#include "base/json.h"

#include <math.h>

enum { NAMES_MAX = 100000 };

struct state {
    struct arena arena;
    bool is_open;
    struct json j;
    const char **names;
    size_t count;
};

static bool is_taken(const struct state *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->names[i], name) == 0) return true;
    }
    return s->count == NAMES_MAX;
}

static void put_level(struct json *j, const struct export_level *l)
{
    bool is_latency = strcmp(l->metric, metric_duration.name) == 0;
    double factor = is_latency ? 1e9 : 1;
    if (!isfinite(l->centre)) return; /* no value, or most were timed out */
    json_key_object(j, is_latency ? "latency" : l->metric);
    json_put_real(j, "value", factor * l->centre);
    if (isfinite(l->low)) json_put_real(j, "lower_value", factor * l->low);
    if (isfinite(l->high)) json_put_real(j, "upper_value", factor * l->high);
    json_end(j);
}

static void put(const struct exported *x, void *state, struct buf *out)
{
    struct state *s = state;
    if (!s->is_open) {
        s->arena = arena_open();
        s->names = arena_new(&s->arena, const char *, NAMES_MAX);
        json_init(&s->j, out, 2);
        json_object(&s->j);
        s->is_open = true;
    }
    const char *name = x->e->label ? x->e->label : x->e->experiment;
    if (!name || is_taken(s, name)) return;
    s->names[s->count++] = str_cstr(&s->arena, str_of(name));
    json_key_object(&s->j, name);
    for (size_t i = 0; i < x->levels.count; i++) put_level(&s->j, &x->levels.items[i]);
    json_end(&s->j);
}

static void end(void *state, struct buf *out)
{
    struct state *s = state;
    if (s->is_open) {
        json_end(&s->j);
        arena_close(&s->arena);
    } else {
        buf_text(out, "{}");
    }
    buf_add_char(out, '\n');
}

const struct exporter exporter_bencher = {
    .name = "bencher",
    .summary = "Bencher Metric Format: medians, or means of shares and costs, with intervals",
    .is_latest = true,
    .wants_levels = true,
    .put = put,
    .end = end,
    .state_size = sizeof(struct state),
};
