/* Every question: complete, and with an answer. What they say is tested where it is
 * computed; that command and route say the same, in tests/cli/serve.bats. */
#include "question/question.h"
#include "tests/registry.h"

TEST(every_row_is_complete)
{
    registry_check("question", question_entry, true);
    struct arena arena = arena_open();
    for (size_t i = 0; question_at(i); i++) {
        const struct question *q = question_at(i);
        assert_non_null(q->answer);
        assert_non_null(q->ask);
        for (size_t k = 0; k < q->params.count; k++)
            registry_check_param(q->name, &q->params.rows[k], q->config_size, &arena);
    }
    arena_close(&arena);
}

TEST_MAIN(T(every_row_is_complete))
