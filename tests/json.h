/* json.h - a value written as JSON, for records that tests make. */
#ifndef TESTS_JSON_H
#define TESTS_JSON_H

#include "base/value.h"
#include "tests/test.h"

/* Lives as long as the test's process. */
static inline const struct value *from_json(const char *text)
{
    static struct arena kept;
    static bool is_open;
    const struct value *v = NULL;
    struct error err = {0};
    if (!is_open) kept = arena_open();
    is_open = true;
    if (!value_read_json(str_of(text), &value_limits_stored, &kept, &v, &err))
        fail_msg("%s: %s", text, err.text);
    return v;
}

#endif
