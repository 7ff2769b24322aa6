/* Every spec in docs/spec.md is right, held against the program's own tables. */
#include "base/os.h"
#include "spec/plan.h"
#include "tests/test.h"

static void check_block(struct str text, int line)
{
    struct arena a = arena_open();
    struct problems p = {.arena = &a};
    struct spec_override none = SPEC_OVERRIDE_NONE;
    struct spec *spec = NULL;
    struct plan *plan = NULL;
    struct error e = {0};
    if (!spec_load("docs/spec.md", text, &none, &a, &spec, &p)) {
        fail_msg("docs/spec.md:%d: %s", line + (int)p.items[0].line, p.items[0].text);
    }
    if (!plan_make(spec, &a, &plan, &e)) fail_msg("docs/spec.md:%d: %s", line, e.text);
    arena_close(&a);
}

TEST(every_example_is_right)
{
    struct arena a = arena_open();
    struct str rest;
    struct error e;
    assert_true(os_read_file("docs/spec.md", 1 << 20, &a, &rest, &e));
    struct str block = {0};
    int start = 0;
    int blocks = 0;
    for (int number = 1; rest.p; number++) {
        struct str line = str_cut(&rest, '\n');
        if (str_starts(line, S("```yaml"))) {
            block.p = line.p + line.n + 1;
            start = number;
        } else if (block.p && str_starts(line, S("```"))) {
            block.n = (size_t)(line.p - block.p);
            check_block(block, start);
            block = (struct str){0};
            blocks++;
        }
    }
    assert_int_equal(blocks, 10);
    arena_close(&a);
}

TEST_MAIN(T(every_example_is_right))
