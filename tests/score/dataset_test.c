#include "score/dataset.h"

#include "base/os.h"
#include "tests/test.h"

static const struct dataset_options all = {0};

static bool load(struct arena *a, enum dataset_format format, const char *text,
                 const struct dataset_options *options, struct case_set *set,
                 struct problems *p)
{
    *p = (struct problems){.arena = a, .file = "cases"};
    bool is_right = dataset_read_bytes(str_of(text), format, options, a, set, p);
    assert_int_equal(is_right, p->total == 0);
    return is_right;
}

static bool has_tags(const struct case_item *item, const char *first, const char *second)
{
    return strcmp(item->tags[0], first) == 0 && strcmp(item->tags[1], second) == 0 &&
           !item->tags[2];
}

static struct case_set must_load(struct arena *a, enum dataset_format format, const char *text,
                                 const struct dataset_options *options)
{
    struct case_set set;
    struct problems p;
    if (!load(a, format, text, options, &set, &p))
        fail_msg("%u: %s", p.items[0].line, p.items[0].text);
    return set;
}

TEST(json_lines)
{
    struct arena a = arena_open();
    struct case_set s = must_load(
        &a, DATASET_JSONL,
        "\xEF\xBB\xBF{\"id\":\"a\",\"input\":\"1+1\",\"expected\":\"2\",\"tags\":[\"x\",3]}\r\n"
        "\n"
        "{\"input\":{\"b\":1,\"a\":[2]},\"expected\":[1,\"one\"],\"complexity\":\"high\",\"k\":"
        "9}\n"
        "{\"id\":7,\"turns\":[{\"input\":\"hi\",\"expected\":\"ho\"},\"and?\"],"
        "\"rubric\":{\"contains\":1}}",
        &all);
    assert_int_equal(s.count, 3);
    assert_string_equal(s.items[0].id, "a");
    assert_true(str_is(s.items[0].input, "1+1"));
    assert_true(has_tags(&s.items[0], "x", "3"));
    assert_int_equal(s.items[0].rubric_index, -1);
    assert_string_equal(s.items[1].id, "2");
    assert_int_equal(s.items[1].line, 3);
    assert_true(s.items[1].is_json && str_is(s.items[1].input, "{\"a\":[2],\"b\":1}"));
    assert_int_equal(s.items[1].expected->list.count, 2);
    assert_string_equal(s.items[1].complexity, "high");
    assert_int_equal(value_get(s.items[1].fields, "k")->integer, 9);
    assert_string_equal(s.items[2].id, "7");
    assert_int_equal(s.items[2].turn_count, 2);
    assert_true(str_is(s.items[2].turns[1].input, "and?"));
    assert_null(s.items[2].turns[1].expected);
    assert_int_equal(s.items[2].rubric_index, 0);
    assert_int_equal(s.rubric_count, 1);
    arena_close(&a);
}

TEST(csv)
{
    struct arena a = arena_open();
    struct case_set s = must_load(&a, DATASET_CSV,
                                  "id,input,expected,tags,note\r\n"
                                  "a,\"1, \"\"one\"\"\nand 2\",2,x; y;,\r\n"
                                  "\r\n"
                                  "b,plain,\"[\"\"p\"\",\"\"q\"\"]\",,[not json\r\n",
                                  &all);
    assert_int_equal(s.count, 2);
    assert_true(str_is(s.items[0].input, "1, \"one\"\nand 2"));
    assert_true(has_tags(&s.items[0], "x", "y"));
    assert_null(value_get(s.items[0].fields, "note"));
    assert_int_equal(s.items[1].line, 5);
    assert_int_equal(s.items[1].expected->kind, VALUE_LIST);
    assert_true(str_is(value_get(s.items[1].fields, "note")->source, "[not json"));
    arena_close(&a);
}

TEST(what_is_wrong_is_said_with_its_line)
{
    static const struct {
        enum dataset_format format;
        const char *text;
        const char *said;
    } table[] = {
        {DATASET_JSONL, "", "0: holds no cases"},
        {DATASET_JSONL, "\n\n{\"input\":1",
         "3: not JSON: column 10: '}' expected near end of file"},
        {DATASET_JSONL, "{\"input\":1}\n[1]", "2: a case is an object, not a list"},
        {DATASET_JSONL, "{\"inptu\":1}", "1: has no 'input' (and no 'turns')"},
        {DATASET_JSONL, "{\"input\":1,\"expcted\":1}",
         "1: expects nothing, but has 'expcted'; did you mean 'expected'?"},
        {DATASET_JSONL, "{\"input\":1,\"turns\":[\"x\"]}",
         "1: has both 'input' and 'turns'; a conversation has turns only"},
        {DATASET_JSONL, "{\"turns\":[]}",
         "1: 'turns' must be a list of {input, expected}, not empty"},
        {DATASET_JSONL, "{\"turns\":[{}]}", "1: a turn is {input, expected} or text"},
        {DATASET_JSONL, "{\"input\":1,\"id\":[]}",
         "1: 'id' must be text or a number, not a list"},
        {DATASET_JSONL, "{\"input\":1,\"id\":\"\"}", "1: 'id' is empty"},
        {DATASET_JSONL, "{\"input\":1,\"id\":\"q\"}\n{\"input\":2,\"id\":\"q\"}",
         "2: id 'q' is taken by line 1"},
        {DATASET_JSONL, "{\"input\":1,\"complexity\":\"hard\"}",
         "1: 'complexity' must be one of low, medium, high, extreme"},
        {DATASET_JSONL, "{\"input\":1,\"tags\":{}}", "1: 'tags' must be a list of text"},
        {DATASET_JSONL, "{\"input\":1,\"tags\":[[]]}", "1: a tag is text, not a list"},
        {DATASET_JSONL, "{\"input\":0}\n{\"input\":1,\"rubric\":{\"exakt\":1}}",
         "2: unknown check 'exakt'; did you mean 'exact'?"},
        {DATASET_CSV, "", "1: no header; the first line names the columns"},
        {DATASET_CSV, "input\n", "0: holds no cases"},
        {DATASET_CSV, "input,,x\n", "1: column 2 has no name"},
        {DATASET_CSV, "input,x,input\n", "1: two columns 'input'"},
        {DATASET_CSV, "input,x\n1,2\n1\n", "3: 1 cells; the header has 2"},
        {DATASET_CSV, "input\n\"a\n", "2: a quoted cell is not closed"},
        {DATASET_CSV, "input\na\"b\"\n",
         "2: cell 1: a quote in the middle; quote the whole cell and double the quote"},
        {DATASET_CSV, "input\n\"a\"b\n",
         "2: cell 1: a quote in the middle; quote the whole cell and double the quote"},
        {DATASET_CSV, "input\n\xff\n", "2: not UTF-8 at byte 1 of the record"},
        {DATASET_CSV, "input,rubric\nx,{\n",
         "2: column 'rubric' looks like JSON, but: line 1, column 1: string or '}' expected "
         "near "
         "end of file"},
    };
    struct arena a = arena_open();
    for (size_t i = 0; i < COUNT(table); i++) {
        struct case_set set;
        struct problems p;
        assert_false(load(&a, table[i].format, table[i].text, &all, &set, &p));
        const char *said = arena_printf(&a, "%u: %s", p.items[0].line, p.items[0].text);
        if (strcmp(said, table[i].said) != 0) fail_msg("%s\n-> %s", table[i].text, said);
    }
    arena_close(&a);
}

/* n cases "0".."n-1" as JSON lines. */
static const char *numbers(struct arena *a, int n)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    for (int i = 0; i < n; i++) buf_printf(&b, "{\"input\":%d,\"id\":\"c%d\"}\n", i, i);
    const char *text = str_cstr(a, buf_str(&b));
    buf_release(&b);
    return text;
}

TEST(a_draw_is_stable)
{
    struct arena a = arena_open();
    struct dataset_options ten = {.size = 10, .seed = 42};
    struct case_set first = must_load(&a, DATASET_JSONL, numbers(&a, 100), &ten);
    struct case_set again = must_load(&a, DATASET_JSONL, numbers(&a, 100), &ten);
    assert_int_equal(first.count, 10);
    assert_string_equal(first.hash, again.hash);
    for (size_t i = 1; i < 10; i++) {
        assert_true(first.items[i].position > first.items[i - 1].position);
    }
    /* Ten more cases at the end: those drawn before stay, but for the few that
     * newcomers push out. */
    struct case_set more = must_load(&a, DATASET_JSONL, numbers(&a, 110), &ten);
    size_t kept = 0;
    for (size_t i = 0; i < 10; i++) {
        for (size_t k = 0; k < 10; k++) {
            kept += strcmp(first.items[i].id, more.items[k].id) == 0;
        }
    }
    assert_true(kept >= 6);
    ten.seed = 43;
    struct case_set other = must_load(&a, DATASET_JSONL, numbers(&a, 100), &ten);
    assert_string_not_equal(first.hash, other.hash);
    assert_null(other.note);

    struct dataset_options many = {.size = 200};
    struct case_set whole = must_load(&a, DATASET_JSONL, numbers(&a, 100), &many);
    assert_int_equal(whole.count, 100);
    assert_string_equal(whole.note,
                        "200 cases were requested, but there are 100: all are used");
    arena_close(&a);
}

TEST(a_draw_is_fair)
{
    /* Over 400 seeds each of 20 cases is drawn about 100 times of 5 in 20;
     * binomial sd 8.7, so +-45 is five of them. */
    struct arena a = arena_open();
    int drawn[20] = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct dataset_options five = {.size = 5, .seed = seed};
        struct arena b = arena_open();
        struct case_set s = must_load(&b, DATASET_JSONL, numbers(&b, 20), &five);
        for (size_t i = 0; i < s.count; i++) drawn[s.items[i].position]++;
        arena_close(&b);
    }
    for (int i = 0; i < 20; i++) {
        if (drawn[i] < 55 || drawn[i] > 145) fail_msg("case %d: %d of 400", i, drawn[i]);
    }
    arena_close(&a);
}

TEST(a_hash_is_of_what_is_asked_and_how_it_is_judged)
{
    struct arena a = arena_open();
    const char *text = "{\"input\":{\"a\":1,\"b\":2},\"expected\":3,\"id\":\"x\"}";
    const char *same = "{\"tags\":[\"t\"],\"expected\":3.0,\"input\":{\"b\":2,\"a\":1}}";
    const char *hash = must_load(&a, DATASET_JSONL, text, &all).items[0].hash;
    assert_int_equal(strlen(hash), 64);
    struct dataset_options judged = {.rubric = value_new_text(&a, S("contains"))};
    struct dataset_options answers = {.expected = value_new_int(&a, 3)};
    const char *bare = "{\"input\":{\"a\":1,\"b\":2}}";
    assert_string_not_equal(hash, must_load(&a, DATASET_JSONL, bare, &all).items[0].hash);
    assert_string_equal(hash, must_load(&a, DATASET_JSONL, bare, &answers).items[0].hash);
    assert_string_not_equal(hash, must_load(&a, DATASET_JSONL, text, &judged).items[0].hash);
    /* 3 and 3.0, key order and what is beside it do not matter. */
    assert_string_equal(hash, must_load(&a, DATASET_JSONL, same, &all).items[0].hash);
    arena_close(&a);
}

TEST(cases_of_a_spec)
{
    struct arena a = arena_open();
    const struct value *v = NULL;
    struct value_error ve;
    assert_true(value_read(S("- {input: 1+1, expected: 2}\n- {inptu: x}\n- 3\n"),
                           &value_limits_spec, &a, &v, &ve));
    struct case_set set;
    struct problems p = {.arena = &a};
    assert_false(dataset_read_list(v, &all, &a, &set, &p));
    assert_int_equal(p.kept, 2);
    assert_int_equal(p.items[0].line, 2);
    assert_string_equal(p.items[1].text, "a case is a mapping, not a number");
    assert_int_equal(set.count, 1);
    arena_close(&a);
}

TEST(files)
{
    struct arena a = arena_open();
    struct error err = {0};
    const char *dir = NULL;
    assert_true(os_make_temp_dir("dataset", &a, &dir, &err));
    const char *path = arena_printf(&a, "%s/c.jsonl", dir);
    /* More than one read, and lines across their borders. */
    const char *text = numbers(&a, 9000);
    assert_true(os_write_file(path, str_of(text), &err));
    struct case_set set;
    struct problems p = {.arena = &a, .file = "spec.yaml"};
    assert_true(dataset_read_file(path, &all, &a, &set, &p));
    assert_int_equal(set.count, 9000);
    assert_string_equal(set.items[8999].id, "c8999");
    assert_string_equal(set.hash, must_load(&a, DATASET_JSONL, text, &all).hash);
    struct dataset_options few = {.size = 3};
    assert_true(dataset_read_file(path, &few, &a, &set, &p));
    assert_string_equal(set.hash, must_load(&a, DATASET_JSONL, text, &few).hash);

    assert_false(dataset_read_file(arena_printf(&a, "%s/no.csv", dir), &all, &a, &set, &p));
    assert_true(strstr(p.items[0].file, "/no.csv") != NULL);
    assert_string_equal(p.items[0].text, "cannot be opened: No such file or directory");
    assert_string_equal(p.file, "spec.yaml");
    assert_false(dataset_read_file(dir, &all, &a, &set, &p));
    assert_non_null(strstr(p.items[1].text, "must end in .jsonl"));
    os_remove_tree(dir);
    arena_close(&a);
}

TEST(a_line_has_a_limit)
{
    struct arena a = arena_open();
    struct error err = {0};
    const char *dir = NULL;
    assert_true(os_make_temp_dir("dataset", &a, &dir, &err));
    const char *path = arena_printf(&a, "%s/c.jsonl", dir);
    size_t n = DATASET_LINE_MAX + 100;
    char *text = arena_new(&a, char, n);
    memset(text, 'x', n);
    assert_true(os_write_file(path, (struct str){text, n}, &err));
    struct case_set set;
    struct problems p = {.arena = &a};
    assert_false(dataset_read_file(path, &all, &a, &set, &p));
    assert_string_equal(p.items[0].text, "longer than 16 MiB, which is the limit");
    p = (struct problems){.arena = &a};
    assert_false(dataset_read_bytes((struct str){text, n}, DATASET_CSV, &all, &a, &set, &p));
    assert_string_equal(p.items[0].text, "longer than 16 MiB, which is the limit");
    os_remove_tree(dir);
    arena_close(&a);
}

TEST_MAIN(T(json_lines), T(csv), T(what_is_wrong_is_said_with_its_line), T(a_draw_is_stable),
          T(a_draw_is_fair), T(a_hash_is_of_what_is_asked_and_how_it_is_judged),
          T(cases_of_a_spec), T(files), T(a_line_has_a_limit))
