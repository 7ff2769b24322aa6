/* Drawing `size` of n cases: each gets a number made of the seed and its
 * input, and those with the smallest are kept (bottom-k sampling). This needs a
 * first pass that keeps 16 bytes a case, so that a file larger than memory can
 * be drawn from; the second pass keeps the chosen ones. */
#include "score/dataset.h"

#include "base/id.h"
#include "base/rng.h"
#include "score/dataset_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct loader {
    struct source source;
    struct case_reader reader;
    struct arena *out;
    struct problems *problems;
    struct case_set *set;
};

struct draw {
    uint64_t key;
    size_t position;
};

static void keep(struct loader *l, const struct case_item *item)
{
    l->set->items = arena_grow(l->out, l->set->items, l->set->count, sizeof *l->set->items);
    l->set->items[l->set->count++] = *item;
}

static bool is_too_many(struct loader *l, size_t position, uint32_t line)
{
    if (position < DATASET_CASES_MAX) return false;
    problems_add(l->problems, line, 0, "more than %d cases, which is the limit",
                 DATASET_CASES_MAX);
    return true;
}

static int compare_draws(const void *a, const void *b)
{
    const struct draw *x = a;
    const struct draw *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* One flag per case of the source: is it drawn? NULL = all are. */
static bool choose(struct loader *l, bool **chosen)
{
    *chosen = NULL;
    size_t before = l->problems->total;
    if (!source_start(&l->source, l->out, l->problems)) return false;
    if (l->reader.options->size == 0) return true;
    struct arena scratch = arena_open();
    struct arena keys = arena_open();
    struct draw *draws = NULL;
    size_t count = 0;
    const struct value *fields;
    uint32_t line;
    for (enum source_step step;
         (step = source_next(&l->source, &scratch, &fields, &line, l->problems)) != SOURCE_END;
         arena_reset(&scratch)) {
        if (step == SOURCE_WRONG) continue;
        if (is_too_many(l, count, line)) break;
        const struct value *asked = case_asked(&l->reader, fields, line);
        if (!asked) continue;
        draws = arena_grow(&keys, draws, count, sizeof *draws);
        uint64_t content = id_hash(json_canonical(asked, &scratch));
        draws[count] = (struct draw){rng_derive(l->reader.options->seed, content, 0), count};
        count++;
    }
    size_t size = l->reader.options->size;
    if (size < count) {
        qsort(draws, count, sizeof *draws, compare_draws);
        *chosen = arena_new(l->out, bool, count + 1); /* one past the end is asked for */
        for (size_t i = 0; i < size; i++) (*chosen)[draws[i].position] = true;
    } else if (size > count) {
        l->set->note = arena_printf(
            l->out, "%zu cases were requested, but there are %zu: all are used", size, count);
    }
    arena_close(&keys);
    arena_close(&scratch);
    return l->problems->total == before && source_start(&l->source, l->out, l->problems);
}

static int compare_ids(const void *a, const void *b)
{
    const struct case_item *x = *(const struct case_item *const *)a;
    const struct case_item *y = *(const struct case_item *const *)b;
    int order = strcmp(x->id, y->id);
    if (order) return order;
    return x->position < y->position ? -1 : x->position > y->position;
}

static const struct case_item **sorted(struct loader *l, struct arena *out,
                                       int (*compare)(const void *, const void *))
{
    const struct case_item **items = arena_new(out, const struct case_item *, l->set->count);
    for (size_t i = 0; i < l->set->count; i++) items[i] = &l->set->items[i];
    if (l->set->count) qsort(items, l->set->count, sizeof(struct case_item *), compare);
    return items;
}

static void check_ids(struct loader *l)
{
    struct arena scratch = arena_open();
    const struct case_item **items = sorted(l, &scratch, compare_ids);
    for (size_t i = 1; i < l->set->count; i++) {
        if (strcmp(items[i]->id, items[i - 1]->id) != 0) continue;
        problems_add(l->problems, items[i]->line, 0, "id '%.60s' is taken by line %u",
                     items[i]->id, items[i - 1]->line);
    }
    arena_close(&scratch);
}

/* An own rubric, as the bytes of its canonical JSON. */
struct override {
    struct str json;
    size_t item;
};

static int compare_overrides(const void *a, const void *b)
{
    const struct override *x = a;
    const struct override *y = b;
    int order = str_compare(x->json, y->json);
    if (order) return order;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* Problems of values that do not know their line are those of the case. */
static void place_problems(struct problems *p, size_t before, uint32_t line)
{
    for (size_t i = before; i < p->kept; i++) {
        if (p->items[i].line == 0) p->items[i].line = line;
    }
}

/* Equal overrides share one rubric: a session opens it once. */
static void read_overrides(struct loader *l)
{
    struct arena scratch = arena_open();
    struct override *all = arena_new(&scratch, struct override, l->set->count);
    size_t count = 0;
    for (size_t i = 0; i < l->set->count; i++) {
        const struct value *own = case_own_rubric(l->set->items[i].fields);
        if (own) all[count++] = (struct override){json_canonical(own, &scratch), i};
    }
    if (count) qsort(all, count, sizeof *all, compare_overrides);
    const struct rubric **rubrics = arena_new(l->out, const struct rubric *, count);
    for (size_t i = 0; i < count; i++) {
        struct case_item *item = &l->set->items[all[i].item];
        if (i == 0 || !str_equal(all[i].json, all[i - 1].json)) {
            size_t before = l->problems->kept;
            bool is_right =
                rubric_read(item->rubric, l->out, &rubrics[l->set->rubric_count], l->problems);
            place_problems(l->problems, before, item->line);
            if (!is_right) continue;
            l->set->rubric_count++;
        }
        item->rubric_index = (ptrdiff_t)l->set->rubric_count - 1;
    }
    l->set->rubrics = rubrics;
    arena_close(&scratch);
}

static void hash_set(struct loader *l)
{
    struct buf b;
    buf_init(&b, (size_t)DATASET_CASES_MAX * SHA256_HEX_SIZE);
    for (size_t i = 0; i < l->set->count; i++) buf_text(&b, l->set->items[i].hash);
    char *hash = arena_new(l->out, char, SHA256_HEX_SIZE);
    l->set->hash = id_sha256(buf_str(&b), hash);
    buf_release(&b);
}

static void read_all(struct loader *l)
{
    bool *chosen;
    if (!choose(l, &chosen)) return;
    const struct value *fields;
    uint32_t line;
    size_t position = 0;
    struct arena scratch = arena_open();
    for (;;) {
        /* What is not drawn is read past in memory that is used again. */
        bool is_wanted = !chosen || chosen[position];
        arena_reset(&scratch);
        enum source_step step =
            source_next(&l->source, is_wanted ? l->out : &scratch, &fields, &line, l->problems);
        if (step == SOURCE_END) break;
        if (step == SOURCE_WRONG) continue;
        if (is_too_many(l, position, line)) break;
        struct case_item item;
        if (is_wanted && case_read(&l->reader, fields, line, position, &item)) keep(l, &item);
        position++;
    }
    arena_close(&scratch);
    if (position == 0) problems_add(l->problems, 0, 0, "holds no cases");
}

static bool load(struct loader *l)
{
    size_t before = l->problems->total;
    *l->set = (struct case_set){0};
    source_begin(&l->source);
    read_all(l);
    source_release(&l->source);
    check_ids(l);
    read_overrides(l);
    hash_set(l);
    return l->problems->total == before;
}

bool dataset_read_bytes(struct str bytes, enum dataset_format format,
                        const struct dataset_options *options, struct arena *out,
                        struct case_set *set, struct problems *problems)
{
    struct loader l = {
        .source = {.fd = -1, .format = format, .bytes = bytes},
        .reader = {options, out, problems},
        .out = out,
        .problems = problems,
        .set = set,
    };
    return load(&l);
}

bool dataset_read_list(const struct value *list, const struct dataset_options *options,
                       struct arena *out, struct case_set *set, struct problems *problems)
{
    *set = (struct case_set){0};
    if (list->kind != VALUE_LIST) {
        return problems_add(problems, list->line, list->column,
                            "'cases' must be a list, not %s", value_kind_name(list->kind));
    }
    struct loader l = {
        .source = {.fd = -1, .list = list},
        .reader = {options, out, problems},
        .out = out,
        .problems = problems,
        .set = set,
    };
    return load(&l);
}

static bool format_of(const char *path, enum dataset_format *format)
{
    struct str name = str_of(path);
    *format = str_ends(name, S(".csv")) ? DATASET_CSV : DATASET_JSONL;
    return *format == DATASET_CSV || str_ends(name, S(".jsonl")) ||
           str_ends(name, S(".ndjson"));
}

static bool open_file(struct loader *l, const char *path)
{
    if (!format_of(path, &l->source.format)) {
        return problems_add(l->problems, 0, 0, "the name must end in .jsonl, .ndjson or .csv");
    }
    l->source.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* waits for no pipe */
    if (l->source.fd < 0) {
        return problems_add(l->problems, 0, 0, "cannot be opened: %s", strerror(errno));
    }
    struct stat st;
    if (fstat(l->source.fd, &st) == 0 && S_ISREG(st.st_mode)) return true;
    return problems_add(l->problems, 0, 0, "is not a file");
}

bool dataset_read_file(const char *path, const struct dataset_options *options,
                       struct arena *out, struct case_set *set, struct problems *problems)
{
    const char *outer = problems->file;
    problems->file = arena_printf(problems->arena, "%s", path);
    struct loader l = {
        .source = {.fd = -1},
        .reader = {options, out, problems},
        .out = out,
        .problems = problems,
        .set = set,
    };
    *set = (struct case_set){0};
    bool done = open_file(&l, path) && load(&l);
    if (l.source.fd >= 0) close(l.source.fd);
    problems->file = outer;
    return done;
}
