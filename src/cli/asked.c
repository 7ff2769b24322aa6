#include "cli/asked.h"

bool asked(const struct context *c, const struct question *question, const void *params,
           const void **answer, struct error *err)
{
    struct store *store = NULL;
    bool done = stored_open(c, true, &store, err) &&
                question->ask(store, params ? params : c->options, c->arena, answer, err);
    store_close(store);
    return done;
}

int asked_run(const struct context *c, const struct question *question, const void *params)
{
    struct error err = {0};
    const void *answer = NULL;
    if (!asked(c, question, params, &answer, &err)) return command_fail(&err);
    return stored_answer(c, question->answer, answer);
}

int asked_plain(struct context *c)
{
    return asked_run(c, c->command->asks, NULL);
}
