#include "cli/registered.h"

#include "cli/asked.h"

int registered_list(struct context *c, const struct registered *kind)
{
    return asked_run(c, kind->question, NULL);
}

static int remove_names(struct context *c, const struct registered *kind)
{
    struct error err = {0};
    struct store *store = NULL;
    if (c->arg_count < 2) return command_misused(c->command, "remove needs a name");
    bool done = stored_open(c, false, &store, &err);
    for (size_t i = 1; done && i < c->arg_count; i++) {
        done = kind->remove(store, c->args[i], &err);
        if (done && !c->quiet && !c->json) {
            fprintf(c->out, "%s %s is no longer registered; its results stay\n", kind->one,
                    c->args[i]);
        }
    }
    store_close(store);
    if (!done) return command_fail(&err);
    return c->json ? registered_list(c, kind) : EXIT_DONE;
}

int registered_run(struct context *c, const struct registered *kind)
{
    const char *word = c->arg_count ? c->args[0] : "list";
    if (strcmp(word, "add") == 0) return kind->add(c);
    if (strcmp(word, "list") == 0) return registered_list(c, kind);
    if (strcmp(word, "show") == 0) return kind->show(c);
    if (strcmp(word, "remove") == 0) return remove_names(c, kind);
    return command_misused(c->command, "no action '%s': add, list, show, remove", word);
}
