#include "interop/export.h"
#include "interop/import.h"
#include "tests/registry.h"

TEST(every_importer_is_complete)
{
    struct arena arena = arena_open();
    registry_check("importer", importer_entry, false);
    const struct importer *importer = NULL;
    for (size_t i = 0; (importer = importer_at(i)); i++) {
        assert_non_null(importer->detect);
        assert_non_null(importer->read);
        struct imported *in = NULL;
        struct error err = {0};
        struct import_options none = {0};
        assert_false(importer->detect((struct str){0}));
        assert_false(import_read(importer, S(""), &none, &arena, &in, &err));
        assert_non_null(strstr(err.text, importer->name));
    }
    arena_close(&arena);
}

TEST(an_unknown_format_is_an_error_with_a_way_out)
{
    struct error err = {0};
    assert_null(importer_choose("hyperfin", S(""), &err));
    assert_string_equal(err.text, "unknown format 'hyperfin'; did you mean 'hyperfine'?");
    assert_null(importer_choose("tarball", S(""), &err));
    assert_non_null(strstr(err.text, "unknown format 'tarball'; known: "));
    assert_non_null(strstr(err.text, "hyperfine, google_benchmark"));
    assert_null(importer_choose(NULL, S("?"), &err));
    assert_non_null(strstr(err.text, "name one with --format: "));
}

TEST(every_exporter_is_complete)
{
    registry_check("exporter", exporter_entry, false);
    for (size_t i = 0; exporter_at(i); i++) assert_non_null(exporter_at(i)->put);
}

TEST_MAIN(T(every_importer_is_complete), T(an_unknown_format_is_an_error_with_a_way_out),
          T(every_exporter_is_complete))
