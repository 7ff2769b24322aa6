/* What the command line sets above the file. */
#include "spec/spec_internal.h"
#include "spec/spec_suite.h"

static const struct value *parse(struct spec_reader *r, const char *option, struct str text)
{
    const struct value *v = NULL;
    struct value_error e;
    if (value_read(text, &value_limits_spec, r->out, &v, &e)) return v;
    problems_add(r->problems, 0, 0, "%s: %s", option, e.error.text);
    return NULL;
}

static const struct value *without(struct spec_reader *r, const struct value *map,
                                   struct str key)
{
    struct value_pair *pairs = arena_new(r->out, struct value_pair, map->map.count);
    size_t n = 0;
    for (size_t i = 0; i < map->map.count; i++) {
        if (!str_equal(map->map.pairs[i].key, key)) pairs[n++] = map->map.pairs[i];
    }
    struct value *rest = value_new_map(r->out, pairs, n);
    rest->line = map->line;
    rest->column = map->column;
    return rest;
}

/* One --set into the merged map of an entry: into params, out of sweep. */
static const struct value *apply_set(struct spec_reader *r, const struct value *map,
                                     struct str key, const struct value *v)
{
    const struct value *params = value_get(map, "params");
    const struct value *sweep = value_get(map, "sweep");
    if (params && params->kind != VALUE_MAP) params = NULL;
    map = value_with(r->out, map, S("params"), value_with(r->out, params, key, v));
    if (!sweep || sweep->kind != VALUE_MAP) return map;
    return value_with(r->out, map, S("sweep"), without(r, sweep, key));
}

/* Between the two, problems are those of an option: its name stands for the
 * file's, and they have no place. */
static const char *begin_option(struct spec_reader *r, const char *option, size_t *kept)
{
    const char *file = r->problems->file;
    r->problems->file = option;
    *kept = r->problems->kept;
    return file;
}

static void end_option(struct spec_reader *r, const char *file, size_t kept)
{
    r->problems->file = file;
    for (size_t i = kept; i < r->problems->kept; i++) {
        r->problems->items[i].line = 0;
        r->problems->items[i].column = 0;
    }
}

/* Only what fits is set: a wrong value is a problem of the option, not of the
 * file. */
static bool set_fits(struct spec_reader *r, const char *option,
                     const struct experiment *experiment, struct str key, const struct value *v)
{
    struct spec_entry part = {.experiment = experiment};
    size_t before = r->problems->total;
    size_t kept = 0;
    const char *file = begin_option(r, option, &kept);
    if (spec_fits_depth(r, key, v)) {
        spec_read_params(r, value_with(r->out, NULL, key, v), NULL, false, &part);
    }
    end_option(r, file, kept);
    return r->problems->total == before;
}

const struct value *spec_override_map(struct spec_reader *r, const struct value *map,
                                      const struct spec_override *o, bool *set_used)
{
    const struct value *name = value_get(map, "experiment");
    const struct experiment *experiment = name ? experiment_find(name->source) : NULL;
    for (size_t i = 0; experiment && i < o->set_count; i++) {
        struct str rest = str_of(o->set[i]);
        struct str key = str_cut(&rest, '=');
        const char *option = arena_printf(r->out, "--set %.100s", o->set[i]);
        bool is_below = false;
        if (!rest.p || !spec_find_param(experiment, key, &is_below)) continue;
        set_used[i] = true;
        const struct value *v = parse(r, option, rest);
        bool is_right = v && set_fits(r, option, experiment, key, v);
        if (is_right) map = apply_set(r, map, key, v);
    }
    return map;
}

bool spec_is_set(const struct spec_reader *r, const char *key)
{
    for (size_t i = 0; i < r->override->set_count; i++) {
        struct str rest = str_of(r->override->set[i]);
        if (str_is(str_cut(&rest, '='), key)) return true;
    }
    return false;
}

static void override_until(struct spec_reader *r, const char *text, struct spec_entry *entry)
{
    const struct value *map = parse(r, "--until", str_of(text));
    if (!map) return;
    if (map->kind != VALUE_MAP) {
        problems_add(r->problems, 0, 0,
                     "--until must be a mapping such as '{relative_ci: 0.02}' (is %s)",
                     value_kind_name(map->kind));
        return;
    }
    size_t kept = 0;
    const char *file = begin_option(r, "--until", &kept);
    entry->until = (struct spec_until){0};
    spec_read_until(r, map, entry);
    end_option(r, file, kept);
}

static void override_interleave(struct spec_reader *r, const char *word,
                                struct spec_entry *entry)
{
    static const char *const yes[] = {"yes", "true", "on"};
    static const char *const no[] = {"no", "false", "off"};
    for (size_t i = 0; i < COUNT(yes); i++) {
        bool is_no = strcmp(word, no[i]) == 0;
        if (!is_no && strcmp(word, yes[i]) != 0) continue;
        entry->interleave = !is_no;
        if (is_no) entry->factor = NULL;
        return;
    }
    entry->interleave = true;
    size_t kept = 0;
    const char *file = begin_option(r, "--interleave", &kept);
    spec_read_interleave(r, value_new_text(r->out, str_of(word)), entry);
    end_option(r, file, kept);
}

static void override_instrument(struct spec_reader *r, const char *name,
                                struct spec_entry *entry)
{
    const struct instrument *row = instrument_find(str_of(name));
    if (!row) {
        problems_add(r->problems, 0, 0, "unknown instrument '%s'%s", name,
                     registry_hint(instrument_entry, str_of(name)).text);
        return;
    }
    for (size_t i = 0; i < entry->instrument_count; i++) {
        if (entry->instruments[i].row == row) return;
    }
    spec_add_instrument(r, entry, (struct spec_instrument){.row = row});
}

/* What a file may say at most. */
enum { TRIALS_MAX = 1000000000, SECONDS_MAX = 1000000 };

static void check_most(struct spec_reader *r, const char *option, double x, int most)
{
    if (x <= most) return;
    problems_add(r->problems, 0, 0, "%s must be at most %d (is %.10g)", option, most, x);
}

void spec_override_entry(struct spec_reader *r, const struct spec_override *o,
                         struct spec_entry *entry)
{
    if (o->measured == 0)
        problems_add(r->problems, 0, 0, "--measured must be at least 1 (is 0)");
    check_most(r, "--measured", (double)o->measured, TRIALS_MAX);
    check_most(r, "--warmup", (double)o->warmup, TRIALS_MAX);
    check_most(r, "--time-limit", o->time_limit_s, SECONDS_MAX);
    if (o->measured > 0) entry->measured = o->measured;
    if (o->warmup >= 0) entry->warmup = o->warmup;
    if (o->has_seed) entry->seed = o->seed;
    if (o->until) override_until(r, o->until, entry);
    if (o->interleave) override_interleave(r, o->interleave, entry);
    if (o->output_dir) entry->output_dir = o->output_dir;
    if (o->time_limit_s > 0) entry->time_limit_s = o->time_limit_s;
    for (size_t i = 0; i < o->instrument_count; i++) {
        override_instrument(r, o->instruments[i], entry);
    }
}

/* The reason why cases of this entry cannot be in flight at once, or NULL. */
static const char *why_one_by_one(struct spec_reader *r, const struct spec_entry *entry)
{
    if (!entry->benchmark) {
        return arena_printf(r->out,
                            "experiment '%s' asks no agent: only cases of a suite can be in "
                            "flight at once; --jobs runs several groups at once",
                            entry->experiment->name);
    }
    const char *id = entry->benchmark ? entry->benchmark->id : entry->experiment->name;
    if (value_get(value_get(entry->params, "environment"), "workdir")) {
        return arena_printf(
            r->out,
            "benchmark '%s' uses an existing folder ('workdir'), which concurrent agents would "
            "share; give each its own with 'files', or omit --concurrency",
            id);
    }
    for (size_t i = 0; i < entry->instrument_count; i++) {
        const struct instrument *row = entry->instruments[i].row;
        if (!row->watch_begin || row->own_trials) continue;
        return arena_printf(
            r->out,
            "instrument '%s' of benchmark '%s' watches one trial at a time; measure without it "
            "('rusage' keeps trials apart), or omit --concurrency",
            row->name, id);
    }
    return NULL;
}

void spec_override_concurrency(struct spec_reader *r, const struct spec_override *o,
                               struct spec *spec)
{
    if (o->concurrency < 0 || o->concurrency > SPEC_CONCURRENCY_MAX) {
        problems_add(r->problems, 0, 0, "--concurrency must be 1 to %d (is %lld)",
                     SPEC_CONCURRENCY_MAX,
                     (long long)(o->concurrency < 0 ? 0 : o->concurrency));
        return;
    }
    for (size_t i = 0; i < spec->entry_count && o->concurrency > 1; i++) {
        const char *why = why_one_by_one(r, &spec->entries[i]);
        if (why) problems_add(r->problems, 0, 0, "--concurrency: %s", why);
        spec->entries[i].concurrency = o->concurrency;
    }
}
