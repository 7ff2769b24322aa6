/* Bundles. A gzip file is read as it is. Anything else is packed first: text that
 * begins with a schema as a whole bundle, the rest as rows, sections apart by
 * empty lines, under a manifest that fits them, or no mutation would get past the
 * checksums. What is taken in must come out again, and be shown. */
#include "interop/bundle.h"
#include "base/gzip.h"
#include "base/json.h"
#include "fuzz/store.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
