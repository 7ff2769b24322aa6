/* The file as a whole: one experiment, or `experiments:` with shared keys. */
#include "spec/spec.h"

#include "spec/spec_suite.h"
#include "spec/spec_suite_internal.h"

enum { ENTRIES_MAX = 10000 };

/* At most value_limits_spec.max_depth deep. */
size_t spec_weight(const struct value *v)
{
    enum { BYTES_OF_ONE = 64 };
    size_t n = 1 + v->source.n / BYTES_OF_ONE;
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->list.count; i++) {
        n += spec_weight(v->list.items[i]);
    }
    for (size_t i = 0; v->kind == VALUE_MAP && i < v->map.count; i++) {
        n += v->map.pairs[i].key.n / BYTES_OF_ONE + spec_weight(v->map.pairs[i].value);
    }
    return n;
}

/* The keys of `entry`, and those of the file that it does not have itself. */
static const struct value *merged(struct spec_reader *r, const struct value *shared,
                                  const struct value *entry)
{
    size_t most = shared->map.count + entry->map.count;
    struct value_pair *pairs = arena_new(r->out, struct value_pair, most);
    size_t n = 0;
    for (size_t i = 0; i < entry->map.count; i++) pairs[n++] = entry->map.pairs[i];
    for (size_t i = 0; i < shared->map.count; i++) {
        const struct value_pair *pair = &shared->map.pairs[i];
        const struct value *own = value_get(entry, str_cstr(r->out, pair->key));
        if (!own) pairs[n++] = *pair;
    }
    struct value *map = value_new_map(r->out, pairs, n);
    map->line = entry->line;
    map->column = entry->column;
    return map;
}

static const struct value *without_list(struct spec_reader *r, const struct value *root)
{
    struct value_pair *pairs = arena_new(r->out, struct value_pair, root->map.count);
    size_t n = 0;
    for (size_t i = 0; i < root->map.count; i++) {
        if (!str_is(root->map.pairs[i].key, "experiments")) pairs[n++] = root->map.pairs[i];
    }
    return value_new_map(r->out, pairs, n);
}

static bool has_tag(const struct spec_entry *entry, const char *word)
{
    for (size_t i = 0; entry->tags && i < entry->tags->list.count; i++) {
        if (str_is(entry->tags->list.items[i]->source, word)) return true;
    }
    return false;
}

static bool is_called(const struct spec_entry *e, const char *word)
{
    return (e->experiment && strcmp(e->experiment->name, word) == 0) ||
           (e->benchmark && strcmp(e->benchmark->id, word) == 0) || has_tag(e, word);
}

/* Keeps what any of the words means; each must mean something. */
static void keep_only(struct spec_reader *r, struct spec *spec, const struct param_texts *words)
{
    size_t n = 0;
    bool *is_used = arena_new(r->out, bool, words->count);
    for (size_t i = 0; i < spec->entry_count; i++) {
        bool is_kept = false;
        for (size_t k = 0; k < words->count; k++) {
            if (!is_called(&spec->entries[i], words->items[k])) continue;
            is_kept = is_used[k] = true;
        }
        if (is_kept) spec->entries[n++] = spec->entries[i];
    }
    for (size_t k = 0; k < words->count; k++) {
        if (is_used[k]) continue;
        problems_add(r->problems, 0, 0, "--only: no %s is named or tagged '%s'",
                     spec->suite ? "benchmark" : "experiment", words->items[k]);
    }
    spec->is_part = n < spec->entry_count;
    spec->entry_count = n;
    spec->only = *words;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_sets(struct spec_reader *r, const struct spec_override *o, const bool *used)
{
    for (size_t i = 0; i < o->set_count; i++) {
        if (used[i]) continue;
        bool has_value = strchr(o->set[i], '=') != NULL;
        problems_add(r->problems, 0, 0, "--set %s: %s", o->set[i],
                     has_value ? "no experiment of this spec has that parameter"
                               : "must be NAME=VALUE");
    }
}

static void read_list(struct spec_reader *r, const struct value *root, const struct value *list,
                      const struct value **maps, size_t *count)
{
    if (list->kind != VALUE_LIST || list->list.count == 0 || list->list.count > ENTRIES_MAX) {
        problems_add(r->problems, list->line, list->column,
                     "'experiments' must be a list of 1 to %d experiments", ENTRIES_MAX);
        return;
    }
    r->claims_are_shared = list->list.count > 1;
    const struct value *shared =
        spec_clean(r, spec_keys_table, without_list(r, root), "a spec");
    if (spec_weight(shared) * list->list.count > value_limits_spec.max_nodes) {
        problems_add(r->problems, list->line, list->column,
                     "the keys shared by %zu experiments make more than %zu values (long texts "
                     "count as several); give them only where needed",
                     list->list.count, value_limits_spec.max_nodes);
        return;
    }
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *entry = list->list.items[i];
        if (entry->kind != VALUE_MAP) {
            problems_add(r->problems, entry->line, entry->column,
                         "an experiment must be a mapping (is %s)",
                         value_kind_name(entry->kind));
            continue;
        }
        maps[(*count)++] = merged(r, shared, entry);
    }
}

/* One run has one folder of results, one number of groups at once, and one baseline. */
static void check_whole(struct spec_reader *r, const struct spec *spec)
{
    const struct spec_entry *first = &spec->entries[0];
    for (size_t i = 1; i < spec->entry_count; i++) {
        const struct spec_entry *e = &spec->entries[i];
        const char *unlike = !is_same(e->output_dir, first->output_dir) ? "output_dir"
                             : !is_same(e->baseline, first->baseline)   ? "baseline"
                             : e->parallelism != first->parallelism     ? "parallelism"
                                                                        : NULL;
        if (!unlike) continue;
        problems_add(r->problems, e->line, 1,
                     "'%s' applies to the whole run and cannot differ between experiments: "
                     "give it next to 'experiments'",
                     unlike);
    }
}

static void read_root(struct spec_reader *r, const struct value *root,
                      const struct spec_override *o, struct spec *spec)
{
    bool *set_used = arena_new(r->out, bool, o->set_count);
    if (spec_is_suite(root)) {
        spec_read_suite(r, root, o, spec);
        if (r->problems->total == 0) check_sets(r, o, set_used);
        if (o->only.count && r->problems->total == 0) keep_only(r, spec, &o->only);
        if (r->problems->total == 0) spec_override_concurrency(r, o, spec);
        return;
    }
    const struct value *list = value_get(root, "experiments");
    bool is_list = list && list->kind == VALUE_LIST;
    const struct value **maps =
        arena_new(r->out, const struct value *, is_list ? list->list.count + 1 : 1);
    size_t count = 0;
    if (list) {
        read_list(r, root, list, maps, &count);
    } else {
        maps[count++] = root;
    }
    spec->entries = arena_new(r->out, struct spec_entry, count);
    for (size_t i = 0; i < count; i++) {
        const struct value *map = spec_override_map(r, maps[i], o, set_used);
        spec_read_entry(r, map, &spec->entries[i]);
        spec_override_entry(r, o, &spec->entries[i]);
    }
    spec->entry_count = count;
    if (count > 0) check_whole(r, spec);
    if (r->problems->total == 0) check_sets(r, o, set_used);
    if (o->only.count && r->problems->total == 0) keep_only(r, spec, &o->only);
    if (r->problems->total == 0) spec_override_concurrency(r, o, spec);
}

/* What a suite's file does not say itself: datasets, included and registered
 * agents. */
static void put_contents(struct json *j, const struct spec *spec)
{
    json_key_list(j, "contents");
    for (size_t i = 0; i < spec->entry_count; i++) {
        const struct spec_entry *e = &spec->entries[i];
        json_text(j, e->benchmark->content_hash);
        if (e->agents) json_value_canonical(j, e->agents);
    }
    json_end(j);
}

/* The same file under other overrides is another plan. */
static void hash_spec(const struct spec_override *o, struct spec *spec)
{
    struct buf b;
    struct json j;
    buf_init(&b, SIZE_MAX / 2);
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_str(&j, "text", spec->text);
    json_put_texts(&j, "set", o->set, o->set_count);
    json_put_texts(&j, "instruments", o->instruments, o->instrument_count);
    json_put_int(&j, "measured", o->measured);
    json_put_int(&j, "warmup", o->warmup);
    json_put_bool(&j, "has_seed", o->has_seed);
    json_put_int(&j, "seed", o->seed);
    json_put_text(&j, "until", o->until);
    json_put_text(&j, "interleave", o->interleave);
    if (o->only.count > 1) {
        json_put_texts(&j, "only", o->only.items, o->only.count);
    } else {
        json_put_text(&j, "only", o->only.count ? o->only.items[0] : NULL);
    }
    json_put_real(&j, "time_limit_s", o->time_limit_s);
    if (o->concurrency > 1) json_put_int(&j, "concurrency", o->concurrency);
    if (spec->suite) put_contents(&j, spec);
    json_end(&j);
    id_sha256(buf_str(&b), spec->hash);
    buf_release(&b);
}

bool spec_load(const char *path, struct str bytes, const struct spec_override *override,
               struct arena *out, struct spec **spec, struct problems *problems)
{
    struct spec_reader r = {.out = out, .problems = problems, .override = override};
    const struct value *root = NULL;
    struct value_error e;
    problems->file = path;
    size_t before = problems->total;
    if (!value_read(bytes, &value_limits_spec, out, &root, &e)) {
        return problems_add(problems, e.line, e.column, "%s", e.error.text);
    }
    if (root->kind != VALUE_MAP) {
        return problems_add(problems, 1, 1, "a spec is a mapping with 'experiment' (is %s)",
                            root->kind == VALUE_NULL ? "empty" : value_kind_name(root->kind));
    }
    *spec = arena_new(out, struct spec, 1);
    **spec = (struct spec){
        .path = path, .text = str_copy(out, bytes), .claims = value_get(root, "claims")};
    struct spec_override with = *override;
    if (with.settings) suite_apply_settings(&r, root, &with);
    read_root(&r, root, &with, *spec);
    problems_sort(problems);
    if (problems->total > before) return false;
    hash_spec(&with, *spec);
    return true;
}

bool spec_load_text(const char *name, struct str text, const struct spec_override *override,
                    struct arena *out, struct spec **spec, struct error *err)
{
    struct problems problems = {.arena = out};
    const struct spec_override none = SPEC_OVERRIDE_NONE;
    if (spec_load(name, text, override ? override : &none, out, spec, &problems)) return true;
    return error_set(err, ERROR_INVALID, "%s",
                     problems.kept ? problems.items[0].text : "it is wrong");
}
