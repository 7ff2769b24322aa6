#include "base/json.h"
#include "model/note.h"
#include "tests/test.h"

TEST(notes_come_back_with_their_kinds)
{
    struct arena a = arena_open();
    struct note_list list = {0};
    assert_null(note_write(&list, &a));
    for (enum note_kind k = 0; k < NOTE_KIND_COUNT; k++) {
        note_add(&list, &a, k, S("the same \"text\""));
    }
    note_add(&list, &a, NOTE_LOST, S("the same \"text\"")); /* again: not added */
    assert_int_equal(list.count, NOTE_KIND_COUNT);
    struct note_list got = note_read(note_write(&list, &a), &a);
    assert_int_equal(got.count, list.count);
    for (size_t i = 0; i < got.count; i++) {
        assert_int_equal(got.items[i].kind, list.items[i].kind);
        assert_string_equal(got.items[i].text, "the same \"text\"");
    }
    arena_close(&a);
}

/* One note is another's beginning: both stay. (They were deduplicated by strstr.) */
TEST(a_note_that_begins_another_is_kept)
{
    struct arena a = arena_open();
    struct note_list list = {0};
    note_add(&list, &a, NOTE_REMARK, S("no cgroups here"));
    note_add(&list, &a, NOTE_REMARK, S("no cgroups"));
    assert_int_equal(list.count, 2);
    arena_close(&a);
}

TEST(lists_of_sentences_of_older_stores_are_read)
{
    struct arena a = arena_open();
    struct note_list got = note_read(
        "[\"speed_score: NULL, the benchmark has no target\",\"answers of run x\"]", &a);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.items[0].kind, NOTE_MISSING);
    assert_int_equal(got.items[1].kind, NOTE_REMARK);
    /* A sentence with a kind is what its kind says, whatever its words. */
    got = note_read(
        "[{\"kind\":\"remark\",\"text\":\"x: NULL, y\"},{\"kind\":\"new\",\"text\":\"z\"}]",
        &a);
    assert_int_equal(got.items[0].kind, NOTE_REMARK);
    assert_int_equal(got.items[1].kind, NOTE_REMARK);
    assert_int_equal(note_read("", &a).count + note_read("[3,{},null]", &a).count +
                         note_read(NULL, &a).count,
                     0);
    got = note_read("{ no", &a); /* of another program */
    assert_int_equal(got.count, 1);
    assert_string_equal(got.items[0].text, "{ no");
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(notes_come_back_with_their_kinds),
        T(a_note_that_begins_another_is_kept),
        T(lists_of_sentences_of_older_stores_are_read),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
