#include "stub/answer.h"

#include "base/os.h"
#include "tests/test.h"

TEST(tokens_together_are_the_text)
{
    static const char *const texts[] = {
        "",
        " ",
        "one",
        "two words",
        "  spaces   between  ",
        "averyveryverylongwordindeed",
        "h\xc3\xa4user und \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac",
        "a\nb"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct str rest = str_of(texts[i]);
        char whole[128] = {0};
        size_t at = 0;
        size_t count = 0;
        while (rest.n > 0) {
            struct str token = answer_token(&rest);
            assert_true(token.n > 0);
            assert_true(str_is_utf8(token));
            memcpy(whole + at, token.p, token.n);
            at += token.n;
            count++;
        }
        assert_string_equal(whole, texts[i]);
        assert_int_equal(count, answer_count_tokens(str_of(texts[i])));
    }
}

TEST(words_are_as_many_as_asked_and_a_function_of_the_seed)
{
    struct arena a = arena_open();
    struct rng one = rng_seeded(5);
    struct rng same = rng_seeded(5);
    struct rng other = rng_seeded(6);
    struct str text = answer_words(&one, 40, &a);
    assert_int_equal(answer_count_tokens(text), 40);
    assert_true(str_equal(text, answer_words(&same, 40, &a)));
    assert_false(str_equal(text, answer_words(&other, 40, &a)));
    assert_int_equal(answer_words(&one, 0, &a).n, 0);
    arena_close(&a);
}

static struct answer_table table_of(const char *text, struct arena *a, struct error *err)
{
    const char *folder = NULL;
    struct answer_table table = {0};
    assert_true(os_make_temp_dir("assay-answer", a, &folder, err));
    const char *path = arena_printf(a, "%s/a.jsonl", folder);
    assert_true(os_write_file(path, str_of(text), err));
    if (answer_table_read(&table, path, a, err)) assert_int_equal(err->code, ERROR_NONE);
    os_remove_tree(folder);
    return table;
}

TEST(an_equal_match_wins_then_the_longest_that_is_contained)
{
    struct arena a = arena_open();
    struct error err = {0};
    struct answer_table t = table_of("{\"match\":\"2+2\",\"answer\":\"4\"}\n\n"
                                     "{\"match\":\"12+2\",\"answer\":\"14\"}\n"
                                     "{\"match\":\"call\",\"tool_calls\":[{\"name\":\"f\"}]}\n",
                                     &a, &err);
    assert_int_equal(t.count, 3);
    assert_true(str_is(answer_table_find(&t, S("2+2"))->text, "4"));
    assert_true(str_is(answer_table_find(&t, S("what is 12+2?"))->text, "14"));
    assert_non_null(answer_table_find(&t, S("please call"))->tool_calls);
    assert_null(answer_table_find(&t, S("3+3")));
    arena_close(&a);
}

TEST(a_wrong_line_is_named)
{
    static const char *const wrong[] = {"{\"match\":\"a\",\"answer\":\"b\"}\n{",
                                        "{}",
                                        "[]",
                                        "{\"match\":1,\"answer\":\"b\"}",
                                        "{\"match\":\"a\"}",
                                        "{\"match\":\"a\",\"answer\":1}",
                                        "{\"match\":\"a\",\"tool_calls\":1}"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct arena a = arena_open();
        struct error err = {0};
        table_of(wrong[i], &a, &err);
        assert_int_equal(err.code, ERROR_INVALID);
        assert_non_null(strstr(err.text, i == 0 ? "a.jsonl:2: " : "a.jsonl:1: "));
        arena_close(&a);
    }
}

static double cosine(const char *a, const char *b)
{
    enum { N = 256 };
    float x[N];
    float y[N];
    double dot = 0;
    answer_embed(str_of(a), 42, x, N);
    answer_embed(str_of(b), 42, y, N);
    for (int i = 0; i < N; i++) dot += (double)x[i] * (double)y[i];
    return dot;
}

TEST(texts_that_share_words_are_near)
{
    const char *text = "The cat sat on the mat.";
    assert_close(cosine(text, "the CAT sat on the mat"), 1, 1e-6);
    double near = cosine(text, "A cat sat on a mat");
    double far = cosine(text, "Interest rates rose sharply in spring");
    assert_true(near > 0.4 && far < 0.3);
    assert_close(cosine("", ""), 1, 1e-6);
}

TEST_MAIN(T(tokens_together_are_the_text),
          T(words_are_as_many_as_asked_and_a_function_of_the_seed),
          T(an_equal_match_wins_then_the_longest_that_is_contained), T(a_wrong_line_is_named),
          T(texts_that_share_words_are_near))
