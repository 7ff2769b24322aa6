#include "cli/marking.h"

#include "cli/stored.h"

#include <pwd.h>
#include <unistd.h>

static const char *user_name(struct arena *out)
{
    const struct passwd *p = getpwuid(getuid());
    return p && p->pw_name ? str_cstr(out, str_of(p->pw_name)) : NULL;
}

/* "12", or "#12", as texts write it. */
static bool read_ids(struct context *c, struct alarm_choice *choice)
{
    int64_t *ids = arena_new(c->arena, int64_t, c->arg_count + 1);
    for (size_t i = 0; i < c->arg_count; i++) {
        const char *word = c->args[i] + (c->args[i][0] == '#');
        if (!str_to_int(str_of(word), &ids[i]) || ids[i] < 1) return false;
    }
    choice->ids = ids;
    choice->id_count = c->arg_count;
    return true;
}

int marking_run(struct context *c, struct alarm_mark mark)
{
    const struct marking_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    struct alarm_list marked;
    struct alarm_choice choice = {.agent = o->agent,
                                  .benchmark = o->benchmark,
                                  .metric = o->metric,
                                  .version = o->version};
    if (!read_ids(c, &choice)) {
        return command_misused(c->command,
                               "takes numbers of alarms; `assay regressions --stats` "
                               "lists them");
    }
    if (c->arg_count == 0 && !o->agent && !o->benchmark && !o->metric && !o->version) {
        return command_misused(c->command,
                               "needs an alarm's number, or --agent, --benchmark or "
                               "--metric; `assay regressions --stats` lists them");
    }
    mark.clears = o->clear;
    mark.reason = o->reason;
    mark.by = o->by ? o->by : user_name(c->arena);
    bool done = stored_open(c, false, &store, &err) &&
                alarm_mark(store, &choice, &mark, c->arena, &marked, &err);
    store_close(store);
    return done ? stored_answer(c, &answer_marked, &marked) : command_fail(&err);
}
