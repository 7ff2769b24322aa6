#include "base/layout.h"
#include "tests/test.h"

#include <math.h>

struct inner {
    int64_t n;
    const char *name;
};

struct outer {
    char id[8];
    const char *label;
    double x;
    size_t size;
    int small;
    bool is_set;
    struct str slice;
    struct inner one;
    const struct inner *maybe;
    struct inner *many;
    size_t many_count;
    const char *const *texts;
    size_t text_count;
    double pair[2];
    double *reals;
    size_t real_count;
    struct inner few[2];
    size_t few_count;
    const char *json;
    int64_t at_ns;
    uint32_t line;
};

static const char *first_name(const void *owner)
{
    return ((const struct outer *)owner)->one.name;
}

static double half(const void *owner)
{
    return ((const struct outer *)owner)->x / 2;
}

static void put_twice(struct json *j, const void *owner, const void *whole)
{
    json_real(j, 2 * ((const struct outer *)owner)->x + ((const struct outer *)whole)->small);
}

static bool is_odd(const void *item, const void *whole)
{
    (void)whole;
    return ((const struct inner *)item)->n % 2 != 0;
}

#define OF struct inner
static const struct layout_field inner_fields[] = {
    LAYOUT_FIELD("n", n, "a count"),
    LAYOUT_FIELD("name", name, "a text"),
};
static const struct layout inner_layout = LAYOUT_OF(OF, inner_fields);
#undef OF

#define OF struct outer
static const struct layout_field group_fields[] = {
    LAYOUT_FIELD("size", size, "bytes"),
    LAYOUT_FIELD("small", small, "an int"),
};
static const struct layout group_layout = LAYOUT(group_fields);

static const struct layout_field outer_fields[] = {
    LAYOUT_FIELD("id", id, "an id"),
    LAYOUT_FIELD("label", label, "a label"),
    LAYOUT_FIELD("x", x, "a real"),
    LAYOUT_FIELD("is_set", is_set, "a flag"),
    LAYOUT_FIELD("slice", slice, "a slice"),
    LAYOUT_GROUP("sizes", &group_layout, "a group"),
    LAYOUT_OBJECT("one", one, &inner_layout, "an object"),
    LAYOUT_POINTER("maybe", maybe, &inner_layout, "an object or null"),
    LAYOUT_LIST_IF("odd", many, many_count, &inner_layout, is_odd, "some"),
    LAYOUT_TEXTS("texts", texts, text_count, "texts"),
    LAYOUT_ROW("pair", pair, "two reals"),
    LAYOUT_CALL("twice", put_twice, "number", "computed"),
    LAYOUT_CONST("rule", "a-rule", "a constant"),
    LAYOUT_PART(one, &inner_layout),
    LAYOUT_ITEMS("reals", reals, real_count, "reals"),
    LAYOUT_ARRAY("few", few, few_count, &inner_layout, "structs in the struct"),
    LAYOUT_JSON("json", json, "ready JSON"),
    LAYOUT_STAMP("at", at_ns, "a time"),
    LAYOUT_FIELD("line", line, "unsigned"),
    LAYOUT_WORD("word", first_name, "a text that is computed"),
    LAYOUT_FIGURE("half", half, "a number that is computed"),
};
static const struct layout outer_layout = LAYOUT(outer_fields);
#undef OF

static const char *written(const struct outer *o)
{
    static char memory[4096];
    struct buf b;
    buf_over(&b, memory, sizeof memory - 1);
    struct json j;
    json_init(&j, &b, 0);
    layout_put(&j, &outer_layout, o, o);
    memory[b.n] = '\0';
    return memory;
}

TEST(a_struct_is_written_as_its_rows_say)
{
    struct inner many[] = {{1, "a"}, {2, "b"}, {3, NULL}};
    const char *const texts[] = {"t", "u"};
    struct outer o = {.id = "abc",
                      .label = "l",
                      .x = 1.5,
                      .size = 7,
                      .small = -2,
                      .is_set = true,
                      .slice = S("s"),
                      .one = {4, "one"},
                      .maybe = &many[1],
                      .many = many,
                      .many_count = 3,
                      .texts = texts,
                      .text_count = 2,
                      .pair = {1, NAN},
                      .reals = (double[]){0.5, NAN},
                      .real_count = 2,
                      .few = {{5, "f"}},
                      .few_count = 1,
                      .json = "{\"k\": [1, 2.5]}",
                      .at_ns = 1500000000,
                      .line = 4000000000};
    assert_string_equal(
        written(&o),
        "{\"id\":\"abc\",\"label\":\"l\",\"x\":1.5,\"is_set\":true,\"slice\":\"s\","
        "\"sizes\":{\"size\":7,\"small\":-2},\"one\":{\"n\":4,\"name\":\"one\"},"
        "\"maybe\":{\"n\":2,\"name\":\"b\"},\"odd\":[{\"n\":1,\"name\":\"a\"},{\"n\":3,"
        "\"name\":null}],\"texts\":[\"t\",\"u\"],\"pair\":[1,null],\"twice\":1,"
        "\"rule\":\"a-rule\",\"n\":4,\"name\":\"one\",\"reals\":[0.5,null],"
        "\"few\":[{\"n\":5,\"name\":\"f\"}],\"json\":{\"k\":[1,2.5]},"
        "\"at\":\"1970-01-01T00:00:01.500Z\",\"line\":4000000000,\"word\":\"one\","
        "\"half\":0.75}");
    o.json = "not JSON";
    assert_non_null(strstr(written(&o), "\"json\":\"not JSON\""));
}

TEST(what_is_not_there_is_null_and_never_left_out)
{
    struct outer o = {.x = NAN};
    assert_string_equal(written(&o),
                        "{\"id\":null,\"label\":null,\"x\":null,\"is_set\":false,"
                        "\"slice\":null,\"sizes\":{\"size\":0,\"small\":0},\"one\":{\"n\":0,"
                        "\"name\":null},\"maybe\":null,\"odd\":[],\"texts\":[],\"pair\":[0,0],"
                        "\"twice\":null,\"rule\":\"a-rule\",\"n\":0,\"name\":null,"
                        "\"reals\":[],\"few\":[],\"json\":null,\"at\":null,\"line\":0,"
                        "\"word\":null,\"half\":null}");
}

TEST(the_schema_has_every_key_with_its_type)
{
    char memory[16384];
    struct buf b;
    buf_over(&b, memory, sizeof memory - 1);
    layout_write_schema(&outer_layout, "assay.test/1", &b);
    memory[b.n] = '\0';
    static const char *const parts[] = {
        "\"const\": \"assay.test/1\"",
        "\"is_set\": {\n      \"description\": \"a flag\"",
        "\"type\": \"boolean\"",
        "\"maybe\"",
        "\"const\": \"a-rule\"",
        "\"required\"",
        "\"description\": \"computed\"",
        "\"reals\": {\n      \"description\": \"reals\",\n      \"type\": \"array\""};
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!strstr(memory, parts[i])) fail_msg("no %s in %s", parts[i], memory);
    }
}

struct several {
    struct inner two[2];
    const struct inner *part;
};

static const char *make_sentence(const void *owner, struct arena *scratch)
{
    const struct several *s = owner;
    return s->part ? arena_printf(scratch, "part %s", s->part->name) : NULL;
}

static void add_notes(const void *owner, struct sentences *notes)
{
    const struct several *s = owner;
    for (int i = 0; i < 2; i++) sentences_keep(notes, s->two[i].name);
}

#define OF struct several
static const struct layout_field several_fields[] = {
    LAYOUT_ROW_OF("two", two, &inner_layout, "structs in the struct"),
    LAYOUT_SENTENCE("sentence", make_sentence, "made of several"),
    LAYOUT_PART_OF(part, &inner_layout),
    LAYOUT_NOTES("notes", add_notes, "each once"),
};
static const struct layout several_layout = LAYOUT(several_fields);
#undef OF

static const char *several_written(const struct several *s)
{
    static char memory[1024];
    struct buf b;
    buf_over(&b, memory, sizeof memory - 1);
    struct json j;
    json_init(&j, &b, 0);
    layout_put(&j, &several_layout, s, s);
    memory[b.n] = '\0';
    return memory;
}

TEST(arrays_in_a_struct_sentences_and_parts_by_pointer)
{
    struct several s = {.two = {{1, "a"}, {2, "b"}}, .part = &s.two[1]};
    assert_string_equal(several_written(&s),
                        "{\"two\":[{\"n\":1,\"name\":\"a\"},{\"n\":2,\"name\":\"b\"}],"
                        "\"sentence\":\"part b\",\"n\":2,"
                        "\"name\":\"b\",\"notes\":[\"a\",\"b\"]}");
    s.part = NULL;
    s.two[1].name = "a";
    assert_string_equal(several_written(&s),
                        "{\"two\":[{\"n\":1,\"name\":\"a\"},{\"n\":2,\"name\":\"a\"}],"
                        "\"sentence\":null,\"n\":null,\"name\":null,"
                        "\"notes\":[\"a\"]}");
}

TEST_MAIN(T(arrays_in_a_struct_sentences_and_parts_by_pointer),
          T(a_struct_is_written_as_its_rows_say),
          T(what_is_not_there_is_null_and_never_left_out),
          T(the_schema_has_every_key_with_its_type))
