/* The recorder that programs link: what it writes is what `assay import` reads. */
#include "base/os.h"
#include "interop/import.h"
#include "tests/test.h"

#include <assay/record.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena arena;
static const char *dir;

static int open_dir(void **state)
{
    (void)state;
    arena = arena_open();
    struct error err = {0};
    return os_make_temp_dir("record-test", &arena, &dir, &err) ? 0 : -1;
}

static int close_dir(void **state)
{
    (void)state;
    os_remove_tree(dir);
    arena_close(&arena);
    return 0;
}

static const char *in_dir(const char *name)
{
    return arena_printf(&arena, "%s/%s", dir, name);
}

static const struct imported *read_back(const char *path)
{
    struct str bytes;
    struct error err = {0};
    struct imported *in = NULL;
    struct import_options none = {0};
    if (!os_read_file(path, 1 << 20, &arena, &bytes, &err) ||
        !import_read(importer_find(S("record")), bytes, &none, &arena, &in, &err)) {
        fail_msg("%s: %s", path, err.text);
    }
    return in;
}

TEST(what_was_appended_is_read_back)
{
    static const char *const names[] = {"m.json", "m.jsonl", "m.ndjson"};
    for (size_t f = 0; f < COUNT(names); f++) {
        const char *path = in_dir(names[f]);
        char why[200] = "";
        static const char *const metadata[] = {"a{", "b\"\n", NULL};
        struct assay_record r = ASSAY_RECORD_INIT;
        r.task = "t\xFF \"q\"";
        r.duration_s = 0.1;
        r.success = 1;
        r.version = "v1";
        r.timestamp_s = 1700000000.25;
        r.metadata = metadata;
        assert_int_equal(assay_record_append(path, &r, why, sizeof why), 0);
        r.success = 0;
        r.error = "broke";
        r.cost_usd = 0.5;
        r.timestamp_s += 1;
        assert_int_equal(assay_record_append(path, &r, why, sizeof why), 0);
        const struct imported *in = read_back(path);
        assert_int_equal(in->cell_count, 1);
        assert_int_equal(in->started_ns, 1700000000250000000);
        const struct imported_cell *cell = in->cells[0];
        assert_string_equal(cell->name, "t\xEF\xBF\xBD \"q\"");
        assert_string_equal(cell->version, "v1");
        assert_int_equal(cell->trial_count, 2);
        assert_string_equal(cell->metrics[0].metric.name, "duration_s");
        assert_true(cell->metrics[0].values[0] == 0.1 && isnan(cell->metrics[0].values[1]));
        assert_int_equal(cell->statuses[1], TRIAL_FAILED);
        assert_close(cell->starts_s[1], 1, 1e-6);
        assert_string_equal(cell->notes[0].detail, "{\"a{\":\"b\\\"\\n\"}");
        assert_string_equal(cell->notes[1].error, "broke");
    }
}

TEST(what_cannot_be_recorded_says_why_and_leaves_the_file)
{
    const char *path = in_dir("m.json");
    char why[200] = "";
    struct assay_record r = ASSAY_RECORD_INIT;
    assert_int_equal(assay_record_append(path, &r, why, sizeof why), -1);
    assert_string_equal(why, "a record needs a task");
    r.task = "t";
    r.duration_s = -1;
    assert_int_equal(assay_record_append(path, &r, why, sizeof why), -1);
    assert_non_null(strstr(why, "at least 0"));
    assert_false(os_exists(path));
    r.duration_s = 1;
    char *large = arena_new(&arena, char, ASSAY_RECORD_MAX + 1);
    memset(large, 'x', ASSAY_RECORD_MAX);
    r.version = large;
    assert_int_equal(assay_record_append(path, &r, why, sizeof why), -1);
    assert_non_null(strstr(why, "larger than 65536"));
    r.version = NULL;
    assert_int_equal(assay_record_append(in_dir("no/m.json"), &r, why, sizeof why), -1);
    assert_non_null(strstr(why, "cannot open"));
    struct error err = {0};
    assert_true(os_write_file(path, S("{\"not\": \"a list\"}\n"), &err));
    assert_int_equal(assay_record_append(path, &r, why, sizeof why), -1);
    assert_non_null(strstr(why, "is not a list of records"));
    struct str kept;
    assert_true(os_read_file(path, 1000, &arena, &kept, &err));
    assert_true(str_is(kept, "{\"not\": \"a list\"}\n"));
    assert_int_equal(assay_record_append(path, &r, NULL, 0), -1);
}

/* A list is replaced by rename, a line is appended: neither loses what others write. */
TEST(many_processes_append_at_once)
{
    enum { WRITERS = 4, EACH = 10 };
    const char *paths[] = {in_dir("m.json"), in_dir("m.jsonl")};
    for (int w = 0; w < WRITERS; w++) {
        if (fork() != 0) continue;
        int failed = 0;
        for (int i = 0; i < EACH; i++) {
            struct assay_record r = ASSAY_RECORD_INIT;
            r.task = "t";
            r.duration_s = w * EACH + i;
            r.success = 1;
            failed |= assay_record_append(paths[0], &r, NULL, 0);
            failed |= assay_record_append(paths[1], &r, NULL, 0);
        }
        _exit(failed != 0);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = -1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    for (size_t f = 0; f < COUNT(paths); f++) {
        const struct imported_cell *cell = read_back(paths[f])->cells[0];
        assert_int_equal(cell->trial_count, WRITERS * EACH);
        double sum = 0;
        for (size_t i = 0; i < cell->trial_count; i++) sum += cell->metrics[0].values[i];
        assert_true(sum == WRITERS * EACH * (WRITERS * EACH - 1) / 2.0);
    }
}

#define WITH_DIR(name) cmocka_unit_test_setup_teardown(name, open_dir, close_dir)
TEST_MAIN(WITH_DIR(what_was_appended_is_read_back),
          WITH_DIR(what_cannot_be_recorded_says_why_and_leaves_the_file),
          WITH_DIR(many_processes_append_at_once))
