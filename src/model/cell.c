/* The identity is the SHA-256 of a JSON list of its parts: canonical, so that neither the
 * order of keys nor the spelling of a number counts, and flat, so that one parameter can be
 * left out wherever it is nested. */
#include "model/cell.h"

#include "base/json.h"

#include <stdlib.h>

enum { TEXT_MAX = 64 << 20, COMMIT_SHOWN = 8 };

/* ---- settings ---- */

static size_t count_leaves(const struct value *map)
{
    size_t n = 0;
    for (size_t i = 0; i < map->map.count; i++) {
        const struct value *v = map->map.pairs[i].value;
        n += v->kind == VALUE_MAP ? count_leaves(v) : 1;
    }
    return n;
}

/* The depth is limited by the reader. */
static void flatten(const struct value *map, struct str prefix, struct value_pair *pairs,
                    size_t *count, struct arena *out)
{
    for (size_t i = 0; i < map->map.count; i++) {
        struct value_pair pair = map->map.pairs[i];
        if (prefix.n > 0) {
            pair.key =
                str_of(arena_printf(out, "%.*s.%.*s", STR_ARG(prefix), STR_ARG(pair.key)));
        }
        if (pair.value->kind == VALUE_MAP) {
            flatten(pair.value, pair.key, pairs, count, out);
        } else {
            pairs[(*count)++] = pair;
        }
    }
}

const struct value_pair *cell_settings(const struct value *map, struct arena *out,
                                       size_t *count)
{
    *count = 0;
    if (!map) return NULL;
    struct value_pair *pairs = arena_new(out, struct value_pair, count_leaves(map) + 1);
    flatten(map, (struct str){0}, pairs, count, out);
    return pairs;
}

/* ---- identity ---- */

static int by_key(const void *a, const void *b)
{
    return str_compare(((const struct value_pair *)a)->key,
                       ((const struct value_pair *)b)->key);
}

static bool is_left_out(struct str key, const char *const *but)
{
    for (; but && *but; but++) {
        struct str name = str_of(*but);
        bool is_below = str_starts(key, name) && key.n > name.n && key.p[name.n] == '.';
        if (str_equal(key, name) || is_below) return true;
    }
    return false;
}

/* Beyond it a double is not every whole number, and far beyond not an int64_t. */
static bool is_whole(double x)
{
    return x > -9e15 && x < 9e15 && x == (double)(int64_t)x;
}

static const struct value *plain_list(const struct value *v, struct arena *out)
{
    const struct value **items = arena_new(out, const struct value *, v->list.count + 1);
    for (size_t i = 0; i < v->list.count; i++)
        items[i] = cell_plain_value(v->list.items[i], out);
    return value_new_list(out, items, v->list.count);
}

static const struct value *plain_map(const struct value *v, struct arena *out)
{
    struct value_pair *pairs = arena_new(out, struct value_pair, v->map.count + 1);
    for (size_t i = 0; i < v->map.count; i++) {
        pairs[i] = v->map.pairs[i];
        pairs[i].value = cell_plain_value(v->map.pairs[i].value, out);
    }
    return value_new_map(out, pairs, v->map.count);
}

/* The depth is limited by the reader. */
const struct value *cell_plain_value(const struct value *v, struct arena *out)
{
    if (v->kind == VALUE_REAL && is_whole(v->real)) return value_new_int(out, (int64_t)v->real);
    if (v->kind == VALUE_LIST) return plain_list(v, out);
    return v->kind == VALUE_MAP ? plain_map(v, out) : v;
}

static void put_settings(struct json *j, const struct execution_record *e,
                         const char *const *but, struct arena *scratch)
{
    size_t count = 0;
    const struct value_pair *stored = cell_settings(e->parameters, scratch, &count);
    struct value_pair *pairs = arena_new(scratch, struct value_pair, count + 1);
    if (count) memcpy(pairs, stored, count * sizeof *pairs);
    qsort(pairs, count, sizeof *pairs, by_key);
    bool is_suite = strcmp(e->experiment, "suite") == 0;
    json_list(j);
    for (size_t i = 0; i < count; i++) {
        bool is_text_of_prompt = is_suite && str_starts(pairs[i].key, S("prompts."));
        if (is_text_of_prompt || is_left_out(pairs[i].key, but)) continue;
        json_str(j, pairs[i].key);
        json_value_canonical(j, cell_plain_value(pairs[i].value, scratch));
    }
    json_end(j);
}

static const char *text(const char *t)
{
    return t ? t : "";
}

static struct cell_identity make(const struct execution_record *e, unsigned parts,
                                 const char *const *but, bool by_name)
{
    struct arena scratch = arena_open();
    struct cell_identity id;
    struct buf b;
    struct json j;
    buf_init(&b, TEXT_MAX);
    json_init(&j, &b, 0);
    json_list(&j);
    if (parts & CELL_WHAT) {
        json_text(&j, text(e->experiment));
        if (by_name && e->name) {
            json_text(&j, e->name);
        } else {
            put_settings(&j, e, but, &scratch);
        }
    }
    if (parts & CELL_AGENT) json_text(&j, e->agent_id);
    if (parts & CELL_BENCHMARK) json_text(&j, e->benchmark_id);
    if (parts & CELL_LANES) json_int(&j, execution_lanes(e));
    if (parts & CELL_VERSION) {
        json_text(&j, text(e->agent_version));
        json_text(&j, text(e->model_configuration));
    }
    json_end(&j);
    id_sha256(buf_str(&b), id.hex);
    buf_release(&b);
    arena_close(&scratch);
    return id;
}

struct cell_identity cell_identity(const struct execution_record *e, unsigned parts)
{
    return make(e, parts, NULL, true);
}

struct cell_identity cell_identity_but(const struct execution_record *e, unsigned parts,
                                       const char *const *but)
{
    return make(e, parts, but, false);
}

bool cell_is_same(const struct execution_record *a, const struct execution_record *b,
                  unsigned parts)
{
    struct cell_identity x = cell_identity(a, parts);
    struct cell_identity y = cell_identity(b, parts);
    return strcmp(x.hex, y.hex) == 0;
}

bool cell_has_key(const struct execution_record *e, const char *key)
{
    return e->cell_key && e->cell_key[0] && strcmp(e->cell_key, key) == 0;
}

/* ---- versions ---- */

const char *cell_commit(const struct run_record *run, struct arena *out)
{
    struct run_vcs v = run_vcs(run);
    if (v.commit.n == 0) return NULL;
    int shown = v.commit.n < COMMIT_SHOWN ? (int)v.commit.n : COMMIT_SHOWN;
    if (!v.is_dirty) return arena_printf(out, "%.*s", shown, v.commit.p);
    if (v.changes.n == 0) return arena_printf(out, "%.*s + changes", shown, v.commit.p);
    return arena_printf(out, "%.*s + changes %.*s", shown, v.commit.p,
                        v.changes.n < COMMIT_SHOWN ? (int)v.changes.n : COMMIT_SHOWN,
                        v.changes.p);
}

const char *cell_full_commit(const struct run_record *run, struct arena *out)
{
    struct str commit = run_vcs(run).commit;
    return commit.n ? str_cstr(out, commit) : NULL;
}

static const char *configuration_hash(const struct execution_record *e, struct arena *out)
{
    char hash[SHA256_HEX_SIZE] = "";
    if (e->model_configuration) id_sha256(str_of(e->model_configuration), hash);
    return arena_printf(out, "%s", hash);
}

struct cell_version cell_version(const struct execution_record *e, const struct run_record *run,
                                 bool is_agent, struct arena *out)
{
    const char *configuration = configuration_hash(e, out);
    if (is_agent && e->agent_version) {
        return (struct cell_version){
            .id = arena_printf(out, "%s|%s", e->agent_version, configuration),
            .shown = e->agent_version};
    }
    struct run_vcs v = run_vcs(run);
    if (v.commit.n == 0) {
        return (struct cell_version){.id = run->id,
                                     .shown = arena_printf(out, "run %s", id_short(run->id)),
                                     .is_run = true};
    }
    /* Changes that nobody knows are those of this run alone. */
    struct str which = v.is_dirty && v.changes.n == 0 ? str_of(run->id) : v.changes;
    return (struct cell_version){.id = arena_printf(out, "%.*s|%.*s|%s", STR_ARG(v.commit),
                                                    v.is_dirty ? (int)which.n : 0,
                                                    which.n ? which.p : "", configuration),
                                 .shown =
                                     arena_printf(out, "commit %s", cell_commit(run, out))};
}
