/* Writing and reading of what the processes of a group share. The description goes as
 * JSON because its reader was forked before the parent had read anything: it has no
 * pointer of the parent's, and finds rows of registries by name. Sizes are computed
 * once (lay_out) and stored in the control block; both sides take them from there. */
#include "run/group.h"

#include "base/json.h"
#include "spec/spec_suite.h"
#include "suite/case_pack.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- description ---- */

static void describe_arm(const struct plan *plan, const struct plan_cell *cell,
                         const struct group_progress *progress,
                         const struct protection *protection, struct json *j)
{
    const struct spec_entry *e = cell->entry;
    json_object(j);
    json_put_text(j, "experiment", e->experiment->name);
    json_put_value(j, "params", cell->params);
    json_key(j, "agent");
    if (cell->agent) {
        json_value(j, cell->agent);
    } else {
        json_null(j);
    }
    json_put_int(j, "workload_seed", (int64_t)cell->workload_seed);
    json_put_int(j, "private_seed", (int64_t)cell->private_seed);
    json_put_int(j, "time_limit_ns", (int64_t)(e->time_limit_s * 1e9));
    json_put_int(j, "warmup", e->warmup);
    json_put_int(j, "warmup_max", e->warmup_max);
    json_put_int(j, "done_warmup", progress->done[PHASE_WARMUP]);
    json_put_int(j, "done_measured", progress->done[PHASE_MEASURED]);
    json_put_int(j, "done_profiled", progress->done[PHASE_PROFILED]);
    json_put_int(j, "case_count", e->case_count);
    struct arena scratch = arena_open();
    json_put_text(j, "base_dir",
                  e->benchmark ? e->benchmark->base_dir
                               : suite_dir_of(&scratch, plan->spec->path));
    arena_close(&scratch);
    if (cell->agent && protection) protection_describe(protection, j);
    if (e->benchmark && e->benchmark->suite->secrets) {
        json_put_value(j, "secrets", e->benchmark->suite->secrets);
    }
    json_key_list(j, "instruments");
    for (size_t i = 0; i < e->instrument_count; i++) {
        const struct spec_instrument *s = &e->instruments[i];
        json_object(j);
        json_put_text(j, "name", s->row->name);
        json_put_bool(j, "optional", s->optional);
        if (s->options) {
            json_put_value(j, "options", s->options);
        }
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

/* The stand-in's address is known to the arms only: it is another in each run, and
 * would make other agents of the same. */
static void put_address(const struct spec *spec, struct buf *json)
{
    if (!spec->stub_url) return;
    struct buf whole;
    buf_init(&whole, json->max);
    const char *at = json->p;
    size_t n = strlen(spec->stub_name);
    for (const char *next; (next = strstr(at, spec->stub_name)); at = next + n) {
        buf_add_bytes(&whole, at, (size_t)(next - at));
        buf_text(&whole, spec->stub_url);
    }
    buf_text(&whole, at);
    buf_release(json);
    *json = whole;
}

void group_describe(const struct plan *plan, const struct plan_group *g,
                    const struct group_progress *progress, const struct protection *protection,
                    struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_int(&j, "stop_failures", g->entry->stop_failures);
    json_put_bool(&j, "stop_breach", g->entry->stop_breach);
    json_put_bool(&j, "exclusive", g->entry->experiment->exclusive);
    json_put_int(&j, "lanes", spec_lanes(g->entry));
    json_key_list(&j, "arms");
    for (size_t i = 0; i < g->count; i++) {
        describe_arm(plan, &plan->cells[g->cells[i]], &progress[i], protection, &j);
    }
    json_end(&j);
    json_end(&j);
    put_address(plan->spec, out);
}

static int64_t int_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_INT ? v->integer : 0;
}

static bool bool_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_BOOL && v->boolean;
}

static struct str text_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_TEXT ? v->source : (struct str){0};
}

static const char **texts_of(const struct value *map, const char *key, struct arena *out)
{
    const struct value *list = value_get(map, key);
    size_t count = list ? list->list.count : 0;
    const char **texts = arena_new(out, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        texts[i] = str_cstr(out, list->list.items[i]->source);
    }
    return texts;
}

/* Timing's metric is column 0, which every trial has. */
static size_t column_share(const struct instrument *row)
{
    return strcmp(row->name, "timing") == 0 ? 0 : row->metric_count;
}

const struct metric *group_metric(const struct experiment *experiment,
                                  const struct spec_instrument *instruments,
                                  size_t instrument_count, size_t column)
{
    if (column == 0) return &metric_duration;
    column--;
    if (column < experiment->metric_count) return &experiment->metrics[column];
    column -= experiment->metric_count;
    for (size_t i = 0; i < instrument_count; i++) {
        size_t share = column_share(instruments[i].row);
        if (column < share) return &instruments[i].row->metrics[column];
        column -= share;
    }
    return NULL;
}

static bool read_instruments(const struct value *list, struct arena *out, struct group_arm *arm,
                             struct error *err)
{
    arm->instrument_count = list ? list->list.count : 0;
    arm->instruments = arena_new(out, struct group_instrument, arm->instrument_count);
    for (size_t i = 0; i < arm->instrument_count; i++) {
        const struct value *v = list->list.items[i];
        struct group_instrument *g = &arm->instruments[i];
        g->row = instrument_find(text_of(v, "name"));
        CHECK(g->row != NULL); /* the parent runs the same program */
        g->optional = bool_of(v, "optional");
        void *config = arena_alloc(out, 1, g->row->config_size + 1, _Alignof(max_align_t));
        if (!param_read(g->row->params, value_get(v, "options"), config, out, err)) {
            return error_wrap(err, "instrument '%s'", g->row->name);
        }
        g->config = config;
        g->first_column = arm->column_count;
        arm->column_count += column_share(g->row);
        if (g->row->own_trials) {
            int64_t wanted = g->row->own_trials(g->config);
            if (wanted > arm->own_trials) arm->own_trials = wanted;
        } else if (g->row->watch_begin) {
            arm->has_watch = true;
        }
    }
    return true;
}

static bool read_arm(const struct value *v, struct arena *out, struct group_arm *arm,
                     struct error *err)
{
    arm->experiment = experiment_find(text_of(v, "experiment"));
    CHECK(arm->experiment != NULL);
    void *config = arena_alloc(out, 1, arm->experiment->config_size + 1, _Alignof(max_align_t));
    if (!param_read(arm->experiment->params, value_get(v, "params"), config, out, err)) {
        return error_wrap(err, "experiment '%s'", arm->experiment->name);
    }
    arm->config = config;
    const struct value *agent = value_get(v, "agent");
    arm->agent = agent && agent->kind != VALUE_NULL ? agent : NULL;
    arm->secrets = value_get(v, "secrets");
    arm->workload_seed = (uint64_t)int_of(v, "workload_seed");
    arm->private_seed = (uint64_t)int_of(v, "private_seed");
    arm->time_limit_ns = int_of(v, "time_limit_ns");
    arm->warmup = int_of(v, "warmup");
    arm->warmup_max = int_of(v, "warmup_max");
    arm->done[PHASE_WARMUP] = int_of(v, "done_warmup");
    arm->done[PHASE_MEASURED] = int_of(v, "done_measured");
    arm->done[PHASE_PROFILED] = int_of(v, "done_profiled");
    arm->case_count = int_of(v, "case_count");
    struct str base = text_of(v, "base_dir");
    arm->base_dir = base.n ? str_cstr(out, base) : NULL;
    arm->hidden = texts_of(v, "hidden", out);
    arm->fixed = texts_of(v, "fixed", out);
    arm->folders = texts_of(v, "folders", out);
    arm->column_count = 1 + arm->experiment->metric_count;
    return read_instruments(value_get(v, "instruments"), out, arm, err);
}

bool group_read(struct str json, struct arena *out, struct group **group, struct error *err)
{
    static const struct value_limits ours = {
        .max_bytes = (size_t)64 << 20, .max_depth = 80, .max_nodes = 4000000};
    const struct value *root = NULL;
    if (!value_read_json(json, &ours, out, &root, err)) return false;
    struct group *g = arena_new(out, struct group, 1);
    g->stop_failures = int_of(root, "stop_failures");
    g->stop_breach = bool_of(root, "stop_breach");
    g->exclusive = bool_of(root, "exclusive");
    g->lane_count = (size_t)int_of(root, "lanes");
    const struct value *arms = value_get(root, "arms");
    g->arm_count = arms->list.count;
    g->arms = arena_new(out, struct group_arm, g->arm_count);
    for (size_t i = 0; i < g->arm_count; i++) {
        if (!read_arm(arms->list.items[i], out, &g->arms[i], err)) return false;
    }
    *group = g;
    return true;
}

/* ---- shared memory ---- */

static size_t align_up(size_t n, size_t to)
{
    return (n + to - 1) & ~(to - 1);
}

/* An arm that only starts other processes stays small: what it has touched of
 * its ring is part of the resident set that Linux carries over into its
 * children's peak. A quarter of it must hold the longest answer of an agent, an eighth the
 * histograms of a trial. */
static size_t ring_capacity(const struct experiment *e)
{
    bool is_wordy = e->takes_agent || e->histogram_count > 0;
    if (e->spawns && is_wordy) return (size_t)1 << 20;
    return e->spawns ? (size_t)256 << 10 : (size_t)4 << 20;
}

static void pack_cases(const struct plan_group *g, struct buf *out)
{
    buf_init(out, (size_t)4 << 30);
    if (g->entry->benchmark) case_pack_write(&g->entry->benchmark->cases, out);
    CHECK(!out->overflow);
}

/* Where everything lies. */
static struct group_control lay_out(const struct plan_group *g, size_t json, size_t cases)
{
    size_t lanes = (size_t)spec_lanes(g->entry);
    struct group_control c = {
        .config_offset = align_up(sizeof c, 64),
        .config_bytes = json,
        .cases_bytes = cases,
        .lane_count = lanes,
        .runner_capacity = (size_t)1 << 20,
        .lane_capacity = ring_capacity(g->entry->experiment),
    };
    c.cases_offset = align_up(c.config_offset + json + 1, 64);
    c.lanes_offset = align_up(c.cases_offset + cases, 4096);
    c.runner_ring =
        align_up(c.lanes_offset + g->count * lanes * sizeof(struct lane_control), 4096);
    c.lane_rings = align_up(c.runner_ring + ring_size(c.runner_capacity), 4096);
    c.lane_ring_stride = align_up(ring_size(c.lane_capacity), 4096);
    c.total_bytes = c.lane_rings + g->count * lanes * c.lane_ring_stride;
    return c;
}

bool group_share(const struct plan_group *g, struct str json, struct group_control **control,
                 int *fd, struct error *err)
{
    CHECK(g->count <= PLAN_ARMS_MAX);
    struct buf pack;
    pack_cases(g, &pack);
    struct group_control layout = lay_out(g, json.n, pack.n);
    size_t at = layout.total_bytes;

    *fd = memfd_create("assay-group", MFD_CLOEXEC);
    void *memory = MAP_FAILED;
    if (*fd >= 0 && ftruncate(*fd, (off_t)at) == 0) {
        memory = mmap(NULL, at, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    }
    if (memory == MAP_FAILED) {
        error_set_errno(err, errno, "sharing %zu bytes with the runner", at);
        if (*fd >= 0) close(*fd);
        buf_release(&pack);
        return false;
    }
    memcpy(memory, &layout, sizeof layout);
    memcpy((char *)memory + layout.config_offset, json.p, json.n);
    if (pack.n) memcpy((char *)memory + layout.cases_offset, pack.p, pack.n);
    buf_release(&pack);
    *control = memory;
    ring_init(group_runner_ring(*control), layout.runner_capacity);
    for (size_t i = 0; i < g->count * layout.lane_count; i++) {
        ring_init(group_ring(*control, 0, i), layout.lane_capacity);
    }
    return true;
}

bool group_map(int fd, struct group_control **control, struct error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return error_set_errno(err, errno, "fstat");
    void *memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return error_set_errno(err, errno, "mmap");
    *control = memory;
    return true;
}

void group_unmap(struct group_control *control)
{
    if (control) munmap(control, control->total_bytes);
}
