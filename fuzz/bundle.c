/* Bundles. A gzip file is read as it is. Anything else is packed first: text that
 * begins with a schema as a whole bundle, the rest as rows, sections apart by
 * empty lines, under a manifest that fits them, or no mutation would get past the
 * checksums. What is taken in must come out again, and be shown. */
#include "interop/bundle.h"
#include "base/gzip.h"
#include "base/json.h"
#include "base/rng.h"
#include "fuzz/store.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static const char run_id[] = "01a1e198-37b8-72a4-bb3a-c877da52c7bc";

static void put_section(struct json *j, struct str lines)
{
    char hash[SHA256_HEX_SIZE];
    int64_t rows = 0;
    for (size_t i = 0; i < lines.n; i++) rows += lines.p[i] == '\n';
    json_put_int(j, "rows", rows);
    json_put_text(j, "sha256", id_sha256(lines, hash));
}

/* Up to the next empty line, which is left out. */
static struct str cut_section(struct str *rest)
{
    const char *empty = rest->n ? memmem(rest->p, rest->n, "\n\n", 2) : NULL;
    size_t n = empty ? (size_t)(empty - rest->p) + 1 : rest->n;
    struct str section = {rest->p, n};
    size_t used = empty ? n + 1 : n;
    *rest = (struct str){rest->p + used, rest->n - used};
    while (section.n > 0 && section.p[section.n - 1] != '\n') section.n--;
    return section;
}

static void put_bundle(struct str rest, struct buf *text)
{
    struct str shared = cut_section(&rest);
    struct str run = cut_section(&rest);
    struct str baselines = cut_section(&rest);
    struct json j;
    json_init(&j, text, 0);
    json_object(&j);
    json_put_text(&j, "schema", "assay.bundle/1");
    json_key(&j, "shared");
    json_object(&j);
    put_section(&j, shared);
    json_end(&j);
    json_key(&j, "runs");
    json_list(&j);
    json_object(&j);
    json_put_text(&j, "id", run_id);
    json_put_text(&j, "status", "success");
    put_section(&j, run);
    json_end(&j);
    json_end(&j);
    json_key(&j, "baselines");
    json_object(&j);
    put_section(&j, baselines);
    json_end(&j);
    json_end(&j);
    buf_add_char(text, '\n');
    buf_add(text, shared);
    buf_add(text, run);
    buf_add(text, baselines);
}

static void write_again(struct fuzz_store *f)
{
    struct run_record *runs = NULL;
    struct run_filter all = {0};
    struct error err = {0};
    size_t count = 0;
    if (!store_list_runs(f->store, &all, &f->arena, &runs, &count, &err)) return;
    struct buf out;
    buf_init(&out, BUNDLE_MAX_BYTES);
    if (!bundle_write(f->store, runs, count, "fuzz", &out, &err)) CHECK(err.text[0]);
    struct bundle_result result;
    /* The store that gave it takes it: every run is there, and the same. */
    CHECK(out.n == 0 || (bundle_read(f->store, buf_str(&out), &result, &err) && !result.added));
    buf_release(&out);
}

/* ---- mutations that leave rows rows ----
 *
 * Plain mutations break the JSON, and 5771 of them found nothing; 261 rows with
 * another value in a column found two errors. */

static const char *const values[] = {
    "null",
    "0",
    "-1",
    "3",
    "2147483648",
    "9223372036854775807",
    "1e308",
    "0.5",
    "\"\"",
    "\"x\"",
    "\"measured\"",
    "\"running\"",
    "\"failed\"",
    "\"[]\"",
    "\"{\"",
    "\"{}\"",
    "{\"b\":\"\"}",
    "{\"b\":\"AAAAAAAA+H8=\"}",
    "{\"x\":\"inf\"}",
    "{\"t\":\"/w==\"}",
};

/* The end of the value at i: a text, what stands in braces, or up to a comma. */
static size_t value_end(struct str s, size_t i)
{
    size_t depth = 0;
    bool in_text = false;
    for (; i < s.n && s.p[i] != '\n'; i++) {
        char c = s.p[i];
        if (in_text && c == '\\') i++;
        if (c == '"') in_text = !in_text;
        if (in_text) continue;
        if (depth == 0 && (c == ',' || c == '}')) return i;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
    }
    return i < s.n ? i : s.n;
}

static struct str line_at(struct str s, size_t i)
{
    size_t from = i;
    while (from > 0 && s.p[from - 1] != '\n') from--;
    const char *end = memchr(s.p + i, '\n', s.n - i);
    return (struct str){s.p + from, end ? (size_t)(end - s.p) + 1 - from : s.n - from};
}

/* data[from..to) becomes `text`; the old size if there is no room. */
static size_t replace(uint8_t *data, size_t size, size_t max, size_t from, size_t to,
                      struct str text)
{
    if (size - (to - from) + text.n > max) return size;
    char *copy = malloc(text.n + 1); /* it may be a part of the data */
    memcpy(copy, text.p, text.n);
    memmove(data + from + text.n, data + to, size - to);
    memcpy(data + from, copy, text.n);
    free(copy);
    return size - (to - from) + text.n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct rng rng = rng_seeded(seed);
    struct str s = {(const char *)data, size};
    uint64_t how = rng_below(&rng, 10);
    if (size < 2 || how == 0 || bundle_is(s)) return LLVMFuzzerMutate(data, size, max);
    size_t at = rng_below(&rng, size - 1);
    struct str line = line_at(s, at);
    size_t from = (size_t)(line.p - s.p);
    if (how == 1) return replace(data, size, max, from, from + line.n, S(""));
    if (how == 2) return replace(data, size, max, from, from, line);
    const char *colon = memmem(s.p + at, size - at, "\":", 2);
    if (!colon) return LLVMFuzzerMutate(data, size, max);
    size_t begin = (size_t)(colon - s.p) + 2;
    struct str value = str_of(values[rng_below(&rng, COUNT(values))]);
    return replace(data, size, max, begin, value_end(s, begin), value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    struct str bytes = {exact, size};
    struct fuzz_store f = fuzz_store_open();
    struct buf text;
    struct buf packed;
    buf_init(&text, 1 << 24);
    buf_init(&packed, 1 << 24);
    if (str_starts(bytes, S("{\"schema\""))) {
        gzip_pack(bytes, &packed);
    } else if (!bundle_is(bytes)) {
        put_bundle(bytes, &text);
        gzip_pack(buf_str(&text), &packed);
    }
    struct bundle_result result;
    struct error err = {0};
    if (bundle_read(f.store, packed.n ? buf_str(&packed) : bytes, &result, &err)) {
        fuzz_store_show(&f);
        write_again(&f);
    } else {
        CHECK(err.text[0]);
    }
    buf_release(&packed);
    buf_release(&text);
    fuzz_store_close(&f);
    free(exact);
    return 0;
}
