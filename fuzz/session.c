/* Replies of a session agent: whatever bytes come, the answer is sound. */
#include "agent/message.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(enum trial_status status, const struct agent_answer *a)
{
    CHECK(status == TRIAL_OK || status == TRIAL_INVALID_OUTPUT || status == TRIAL_AGENT_ERROR);
    CHECK((status == TRIAL_OK) == (a->error.text[0] == '\0'));
    CHECK(a->phase_count <= AGENT_PHASES_MAX);
    CHECK(!(a->input_tokens < 0) && !(a->cost_usd < 0));
    CHECK(str_is_utf8(a->output));
    for (size_t i = 0; i < a->phase_count; i++) {
        CHECK(status != TRIAL_OK || (a->phases[i].name[0] && a->phases[i].duration_s >= 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    struct arena arena = arena_open();
    struct str rest = {exact, size};
    for (int64_t id = 1; rest.p && id < 64; id++) {
        struct agent_answer a;
        struct str line = str_cut(&rest, '\n');
        agent_answer_init(&a);
        check(message_read_reply(line, id, &arena, &a), &a);
        agent_answer_init(&a);
        struct error err = {0};
        bool done = message_read_usage(line, &arena, &a, &err);
        CHECK(done == (err.code == ERROR_NONE));
        arena_reset(&arena);
    }
    arena_close(&arena);
    free(exact);
    return 0;
}
