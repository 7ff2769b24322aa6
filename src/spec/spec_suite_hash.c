/* What a benchmark's content is: a hash over the canonical JSON of everything
 * that decides what is asked and how it is judged. Titles, tags and the number
 * of passes are not content. */
#include "base/os.h"
#include "spec/spec_suite_internal.h"
#include "suite/suite.h"

static void put_value(struct json *j, const char *key, const struct value *v)
{
    if (!v) return;
    json_key(j, key);
    json_value_canonical(j, v);
}

/* Files that come from elsewhere count by their bytes. */
static void put_file_hashes(struct json *j, const struct suite_benchmark *b)
{
    const struct value *files = value_get(value_get(b->settings, "environment"), "files");
    json_key_object(j, "files");
    for (size_t i = 0; files && i < files->map.count; i++) {
        const struct value *from = value_get(files->map.pairs[i].value, "from");
        if (!from) continue;
        struct arena scratch = arena_open();
        struct str bytes = {0};
        char hash[SHA256_HEX_SIZE] = "?";
        const char *path = os_path_below(b->base_dir, from->source, &scratch);
        if (os_read_file(path, SUITE_FILE_MAX, &scratch, &bytes, NULL)) id_sha256(bytes, hash);
        json_key_str(j, files->map.pairs[i].key);
        json_text(j, hash);
        arena_close(&scratch);
    }
    json_end(j);
}

/* What is computed of the passes changes nothing about them. */
static const struct value *without_pass_k(const struct value *settings, struct arena *out)
{
    if (!value_get(settings, "pass_k")) return settings;
    struct value *rest = arena_new(out, struct value, 1);
    struct value_pair *pairs = arena_new(out, struct value_pair, settings->map.count);
    size_t count = 0;
    for (size_t i = 0; i < settings->map.count; i++) {
        if (!str_is(settings->map.pairs[i].key, "pass_k"))
            pairs[count++] = settings->map.pairs[i];
    }
    *rest = *settings;
    rest->map.pairs = pairs;
    rest->map.count = count;
    return rest;
}

void suite_hash_benchmark(struct suite_benchmark *b, struct arena *out)
{
    struct buf text;
    struct json j;
    char hash[SHA256_HEX_SIZE];
    buf_init(&text, SIZE_MAX / 2);
    json_init(&j, &text, 0);
    json_object(&j);
    json_put_text(&j, "id", b->id);
    put_value(&j, "rubric", b->rubric);
    put_value(&j, "constraints", b->constraints);
    put_value(&j, "targets", b->targets);
    put_value(&j, "settings", without_pass_k(b->settings, out));
    put_file_hashes(&j, b);
    json_key_list(&j, "cases");
    for (size_t i = 0; i < b->cases.count; i++) {
        json_list(&j);
        json_text(&j, b->cases.items[i].hash);
        if (b->cases.items[i].fields) json_value_canonical(&j, b->cases.items[i].fields);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    b->content_hash = arena_copy(out, id_sha256(buf_str(&text), hash), SHA256_HEX_SIZE - 1);
    buf_release(&text);
}

void suite_hash(struct spec *spec, struct suite *suite, struct arena *out)
{
    struct buf text;
    struct json j;
    char hash[SHA256_HEX_SIZE];
    buf_init(&text, SIZE_MAX / 2);
    json_init(&j, &text, 0);
    json_list(&j);
    json_text(&j, suite->id);
    json_text(&j, suite->category);
    for (size_t i = 0; i < spec->entry_count; i++) {
        json_text(&j, spec->entries[i].benchmark->content_hash);
    }
    json_end(&j);
    suite->content_hash = arena_copy(out, id_sha256(buf_str(&text), hash), SHA256_HEX_SIZE - 1);
    buf_release(&text);
}

bool suite_keep_cases(struct spec_entry *entry,
                      bool (*keep)(void *context, const struct case_item *item), void *context,
                      struct arena *out)
{
    struct suite_benchmark *b = arena_new(out, struct suite_benchmark, 1);
    *b = *entry->benchmark;
    b->cases.items = arena_new(out, struct case_item, entry->benchmark->cases.count);
    b->cases.count = 0;
    for (size_t i = 0; i < entry->benchmark->cases.count; i++) {
        const struct case_item *item = &entry->benchmark->cases.items[i];
        if (keep(context, item)) b->cases.items[b->cases.count++] = *item;
    }
    bool is_all = b->cases.count == entry->benchmark->cases.count;
    if (is_all || b->cases.count == 0) return b->cases.count > 0;
    const char **remarks = arena_new(out, const char *, b->remark_count + 1);
    for (size_t i = 0; i < b->remark_count; i++) remarks[i] = b->remarks[i];
    remarks[b->remark_count++] = arena_printf(out,
                                              "%zu of %zu cases: the content differs from the "
                                              "whole benchmark's, so the two are not compared",
                                              b->cases.count, entry->benchmark->cases.count);
    b->remarks = remarks;
    b->is_subset = true;
    suite_hash_benchmark(b, out);
    entry->benchmark = b;
    entry->case_count = (int64_t)b->cases.count;
    return true;
}

void suite_rehash(struct spec *spec, struct arena *out)
{
    struct suite *suite = arena_new(out, struct suite, 1);
    *suite = *spec->entries[0].benchmark->suite;
    for (size_t i = 0; i < spec->entry_count; i++) {
        struct suite_benchmark *copy = arena_new(out, struct suite_benchmark, 1);
        *copy = *spec->entries[i].benchmark;
        copy->suite = suite;
        spec->entries[i].benchmark = copy;
    }
    suite_hash(spec, suite, out);
    const char *both = arena_printf(out, "%s %s", spec->hash, suite->content_hash);
    id_sha256(str_of(both), spec->hash); /* another plan: not to be resumed as the whole */
}
