/* What holds for every answer: its row is whole, its keys are explained in the row and
 * told in docs/json.md. */
#include "base/os.h"
#include "report/answers.h"
#include "report/events.h"
#include "report/suite_section.h"
#include "tests/registry.h"

static struct str json_md;

static bool is_told(const char *text)
{
    return memmem(json_md.p, json_md.n, text, strlen(text)) != NULL;
}

static bool is_list(enum layout_type type)
{
    return type == LAYOUT_IS_LIST || type == LAYOUT_IS_ARRAY || type == LAYOUT_IS_ROW;
}

static void check_layout(const char *name, const struct layout *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct layout_field *f = &layout->fields[i];
        if (f->of && is_list(f->type) && f->of->size == 0)
            fail_msg("%s.%s: a list of what has no size", name, f->key);
        if (f->of) check_layout(name, f->of);
        if (f->type == LAYOUT_IS_PART || f->type == LAYOUT_IS_PART_OF) continue;
        if (!f->key || !*f->key) fail_msg("%s: row %zu has no key", name, i);
        if (!registry_is_line(f->help)) fail_msg("%s.%s: help", name, f->key);
        if (f->type == LAYOUT_IS_CALL && (!f->put || !f->as))
            fail_msg("%s.%s: what it puts, and as what", name, f->key);
        char quoted[100];
        snprintf(quoted, sizeof quoted, "`%s`", f->key);
        if (!is_told(quoted)) fail_msg("%s: docs/json.md does not know %s", name, quoted);
        for (size_t k = 0; k < i; k++) {
            if (layout->fields[k].key && strcmp(layout->fields[k].key, f->key) == 0)
                fail_msg("%s: two keys '%s' in one object", name, f->key);
        }
    }
}

TEST(every_row_is_complete_and_its_keys_are_documented)
{
    struct arena arena = arena_open();
    struct error err = {0};
    assert_true(os_read_file("docs/json.md", 1 << 20, &arena, &json_md, &err));
    for (size_t i = 0; answer_at(i); i++) {
        const struct answer *a = answer_at(i);
        registry_check_name("answer", a->name);
        if (!registry_is_line(a->summary)) fail_msg("%s: summary", a->name);
        if (!a->text) fail_msg("%s: no text", a->name);
        if (!str_starts(str_of(a->schema), S("assay."))) fail_msg("%s: schema", a->name);
        if (!is_told(a->schema)) fail_msg("docs/json.md does not know %s", a->schema);
        check_layout(a->name, a->layout);
    }
    check_layout("scores", &suite_layout);
    arena_close(&arena);
}

TEST(every_event_and_its_keys_are_documented)
{
    struct arena arena = arena_open();
    struct error err = {0};
    assert_true(os_read_file("docs/json.md", 1 << 20, &arena, &json_md, &err));
    size_t told = 0;
    for (size_t i = 0; event_at(i); i++) {
        if (!event_at(i)->name) continue;
        char quoted[100];
        snprintf(quoted, sizeof quoted, "`%s`", event_at(i)->name);
        if (!is_told(quoted)) fail_msg("docs/json.md does not know the event %s", quoted);
        check_layout(event_at(i)->name, event_at(i)->layout);
        told++;
    }
    assert_int_equal(told, 9);
    arena_close(&arena);
}

TEST(names_and_schemas_are_unique)
{
    for (size_t i = 0; answer_at(i); i++) {
        assert_ptr_equal(answer_find(str_of(answer_at(i)->name)), answer_at(i));
        for (size_t k = 0; k < i; k++) {
            if (strcmp(answer_at(i)->schema, answer_at(k)->schema) == 0)
                fail_msg("two answers of schema %s", answer_at(i)->schema);
        }
    }
    assert_null(answer_find(S("no such thing")));
}

TEST_MAIN(T(every_row_is_complete_and_its_keys_are_documented),
          T(every_event_and_its_keys_are_documented), T(names_and_schemas_are_unique))
