#include "cli/run_requested.h"

#include "base/machine.h"
#include "cli/stored.h"
#include "cli/suite_store.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

/* Nobody could cancel or watch a run whose server is gone; the next server goes on with it.
 * One that went before we asked to be told has closed our output. */
static bool end_with_server(FILE *out, struct error *err)
{
    struct pollfd reader = {.fd = fileno(out)};
    bool is_asked = prctl(PR_SET_PDEATHSIG, SIGTERM) == 0;
    bool is_gone = poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR);
    return (is_asked && !is_gone) || error_set(err, ERROR_FAILED, "the server is gone");
}

/* What was asked for, as options; a run of its id that was begun is gone on with. */
static bool read_request(struct context *c, struct store *store, struct run_options *o,
                         struct run_source *file, struct error *err)
{
    struct request_record *rows = NULL;
    size_t count = 0;
    const struct value *agents = NULL;
    struct run_record run;
    struct request_filter filter = {.id = o->request};
    if (!store_list_requests(store, &filter, c->arena, &rows, &count, err)) return false;
    if (count != 1)
        return error_set(err, ERROR_NOT_FOUND, "no run '%s' was asked for", o->request);
    if (!suite_store_find(c, rows[0].suite, &file->suite, err)) return false;
    if (!value_read_json(str_of(rows[0].agents), &value_limits_stored, c->arena, &agents, err))
        return false;
    if (rows[0].configuration &&
        !value_read_json(str_of(rows[0].configuration), &value_limits_stored, c->arena,
                         &o->settings, err)) {
        return false;
    }
    const char **names = arena_new(c->arena, const char *, agents->list.count + 1);
    for (size_t i = 0; i < agents->list.count; i++)
        names[i] = str_cstr(c->arena, agents->list.items[i]->source);
    o->agents = (struct param_texts){names, agents->list.count};
    file->is_registered = true;
    file->path = file->suite.source ? file->suite.source : rows[0].suite;
    file->bytes = str_of(file->suite.spec);
    if (store_find_run(store, rows[0].id, c->arena, &run, NULL)) o->resume = rows[0].id;
    o->request = rows[0].id;
    return true;
}

bool run_requested_read(struct context *c, struct run_options *o, struct run_source *file,
                        struct error *err)
{
    struct store *store = NULL;
    bool done = end_with_server(c->out, err) && machine_take(MACHINE_LOCK, err) &&
                stored_open(c, true, &store, err) && read_request(c, store, o, file, err);
    store_close(store);
    return done;
}
