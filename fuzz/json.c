/* What is read and written again reads as the same value; where both readers
 * take a text, they take it for the same. */
#include "base/json.h"
#include "base/value.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(const struct value *v, struct arena *arena)
{
    struct value_limits wide = value_limits_spec; /* escapes lengthen a text */
    wide.max_bytes *= 8;
    struct buf b;
    struct json j;
    buf_init(&b, wide.max_bytes);
    json_init(&j, &b, 0);
    json_value_canonical(&j, v);
    const struct value *again = NULL;
    struct error err = {0};
    CHECK(value_read_json(buf_str(&b), &wide, arena, &again, &err));
    CHECK(value_equal(v, again));
    buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size ? size : 1);
    CHECK(bytes != NULL);
    if (size > 0) memcpy(bytes, data, size);
    struct arena arena = arena_open();
    const struct value *v = NULL;
    const struct value *yaml = NULL;
    struct error err = {0};
    struct value_error place = {0};
    struct str text = {bytes, size};
    if (value_read_json(text, &value_limits_spec, &arena, &v, &err)) {
        round_trip(v, &arena);
    } else {
        CHECK(err.code == ERROR_INVALID && err.text[0] != '\0');
        v = NULL;
    }
    if (value_read(text, &value_limits_spec, &arena, &yaml, &place)) {
        round_trip(yaml, &arena);
        CHECK(!v || value_equal(v, yaml));
    } else {
        CHECK(place.line > 0 && place.column > 0 && place.error.text[0] != '\0');
    }
    arena_close(&arena);
    free(bytes);
    return 0;
}
