/* What the reader of plain JSON takes, jansson reads the same way; what jansson refuses, it
 * refuses too. */
#include "base/value_json.c"

#include "base/rng.h"
#include "tests/test.h"

static const struct value_limits small = {.max_bytes = 4096, .max_depth = 4, .max_nodes = 300};

static bool read_by_jansson(struct str bytes, struct arena *out, const struct value **root)
{
    struct reader r = {.out = out, .nodes_left = small.max_nodes};
    if (memchr(bytes.p, '\0', bytes.n) || deepest(bytes) > small.max_depth) return false;
    json_t *tree = json_loadb(bytes.p, bytes.n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    bool done = tree && convert(&r, tree, root);
    json_decref(tree);
    return done;
}

static bool is_same(const struct value *a, const struct value *b)
{
    if (a->kind != b->kind || !str_equal(a->source, b->source)) return false;
    switch (a->kind) {
    case VALUE_REAL: return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    case VALUE_LIST:
        if (a->list.count != b->list.count) return false;
        for (size_t i = 0; i < a->list.count; i++) {
            if (!is_same(a->list.items[i], b->list.items[i])) return false;
        }
        return true;
    case VALUE_MAP:
        if (a->map.count != b->map.count) return false;
        for (size_t i = 0; i < a->map.count; i++) {
            const struct value_pair *x = &a->map.pairs[i], *y = &b->map.pairs[i];
            if (!str_equal(x->key, y->key) || !is_same(x->value, y->value)) return false;
        }
        return true;
    default: return value_equal(a, b);
    }
}

/* Whether the plain reader took it. */
static bool agree(struct str bytes)
{
    struct arena a = arena_open();
    const struct value *plain = NULL, *full = NULL;
    bool is_plain = read_plain(bytes, &small, &a, &plain);
    bool is_right = read_by_jansson(bytes, &a, &full);
    if (is_plain && !(is_right && is_same(plain, full))) fail_msg("%.*s", STR_ARG(bytes));
    arena_close(&a);
    return is_plain;
}

TEST(plain_texts_are_read_directly)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "\"\"",
        "0",
        "-0",
        "-12",
        "null",
        "true",
        "false",
        "1.5",
        "-0.0",
        "1e3",
        "1E-400",
        "2.5e+10",
        "123456789012345678",
        " { \"a\" : [ 1 , {\"b\":\"c\"} ] }\n",
        "{\"id\":\"c1\",\"input\":\"a\\n\\\"b\\\\\\/\\b\\f\\r\\t\",\"expected\":[[[]]]}"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (!agree(str_of(texts[i]))) fail_msg("%s", texts[i]);
    }
}

TEST(all_else_is_left_to_jansson)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "[1,]",
                                        "[1 2]",
                                        "{\"a\"}",
                                        "{\"a\":1,\"a\":2}",
                                        "{a:1}",
                                        "{\"a\":1,}",
                                        "01",
                                        "-",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "1e",
                                        "1e999",
                                        "1234567890123456789",
                                        "99999999999999999999",
                                        "\"\\u0041\"",
                                        "\"\\x\"",
                                        "\"a",
                                        "\"\n\"",
                                        "\"\xc3\xa4\"",
                                        "\"\xff\"",
                                        "\"\x7f\"",
                                        "nul",
                                        "truely",
                                        "[[[[[]]]]]",
                                        "{} {}",
                                        "[1]]",
                                        "\"\\",
                                        "NaN",
                                        "Infinity"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (agree(str_of(texts[i]))) fail_msg("%s", texts[i]);
    }
}

TEST(limits_are_kept)
{
    struct buf b;
    buf_init(&b, 1 << 12);
    for (int n = 250; n < 320; n++) {
        buf_clear(&b);
        buf_text(&b, "[");
        for (int i = 0; i < n; i++) buf_text(&b, i ? ",1" : "1");
        buf_text(&b, "]");
        assert_int_equal(agree(buf_str(&b)), n <= PENDING_MAX);
    }
    buf_release(&b);
}

/* Texts of the characters that matter, in any order. */
TEST(both_readers_agree_on_anything)
{
    static const char alphabet[] = "{}[]\",:\\ntrue1230.-eE \x01\xc3";
    static const char right[] = "{\"a\":[1,-2.5e3,\"b\\n\",null],\"c\":{\"d\":true}}";
    struct rng rng = rng_seeded(7);
    size_t taken = 0;
    for (int i = 0; i < 40000; i++) {
        char text[64];
        size_t n = 1 + (size_t)rng_below(&rng, 8);
        bool is_near = i % 2;
        if (is_near) n = sizeof right - 1;
        for (size_t k = 0; k < n; k++) text[k] = alphabet[rng_below(&rng, sizeof alphabet - 1)];
        if (is_near) { /* one character is another one */
            char other = text[0];
            memcpy(text, right, n);
            text[rng_below(&rng, n)] = other;
        }
        taken += agree((struct str){text, n});
    }
    assert_true(taken > 1000);
}

TEST_MAIN(T(plain_texts_are_read_directly), T(all_else_is_left_to_jansson), T(limits_are_kept),
          T(both_readers_agree_on_anything))
