#include "run/environment.h"

#include "base/value.h"
#include "tests/test.h"

#include <unistd.h>

static const struct value *read_back(const char *json, struct arena *arena)
{
    const struct value *root = NULL;
    struct error err = {0};
    if (!value_read_json(str_of(json), &value_limits_spec, arena, &root, &err)) {
        fail_msg("%s", err.text);
    }
    return root;
}

TEST(the_machine_is_described)
{
    struct arena arena = arena_open();
    const struct value *root = read_back(environment_json(&arena), &arena);
    static const char *const texts[] = {"os",     "machine", "hostname",
                                        "kernel", "clock",   "boot_id"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        const struct value *v = value_get(root, texts[i]);
        if (!v || v->kind != VALUE_TEXT) fail_msg("%s is missing", texts[i]);
    }
    assert_int_equal(value_get(root, "cpus")->integer, sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(value_get(root, "pid")->integer, getpid());
    assert_true(value_number(value_get(root, "memory_mb")) > 16);
    assert_int_equal(value_get(root, "warnings")->kind, VALUE_LIST);
    arena_close(&arena);
}

TEST(a_process_that_is_gone_is_not_alive)
{
    struct arena arena = arena_open();
    int64_t pid = 0;
    /* Ourselves: not another process, so nobody to wait for. */
    assert_false(environment_is_alive(environment_json(&arena), &pid));
    assert_false(environment_is_alive("{\"pid\": 1, \"boot_id\": \"another boot\"}", &pid));
    assert_false(environment_is_alive("not json", &pid));
    assert_false(environment_is_alive(NULL, &pid));
    arena_close(&arena);
}

TEST_MAIN(T(the_machine_is_described), T(a_process_that_is_gone_is_not_alive))
