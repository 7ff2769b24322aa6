/* Copies of executions: what --rescore and --cache made of trials that another one made. A copy
 * says what it was made from, which may be a copy itself. */
#include "view/baseline_internal.h"

bool baseline_find_record(struct baseline_finder *f, const char *execution_id,
                          struct execution_record *record)
{
    struct error why = {0};
    if (f->broken.code) return false;
    return store_find_execution(f->store, execution_id, f->out, record, &why) ||
           error_unless_absent(&f->broken, &why);
}

static struct baseline_origin find_origin(struct baseline_finder *f,
                                          const struct execution_record *e)
{
    enum { COPIES_MAX = 1000 }; /* of copies: what refers to itself ends as well */
    struct baseline_origin found = {e->id, e->id, e->run_id};
    if (!e->made_from) return found;
    for (size_t i = 0; i < f->origin_count; i++) {
        if (strcmp(f->origins[i].id, e->id) == 0) return f->origins[i];
    }
    const char *from = e->made_from;
    for (int i = 0; from && i < COPIES_MAX; i++) {
        struct execution_record source;
        bool is_there = baseline_find_record(f, from, &source);
        found.origin_id = from;
        found.run_id = is_there ? str_cstr(f->out, str_of(source.run_id)) : NULL;
        from = is_there ? source.made_from : NULL;
    }
    f->origins = arena_grow(f->out, f->origins, f->origin_count, sizeof *f->origins);
    f->origins[f->origin_count++] = found;
    return found;
}

bool baseline_is_same_origin(struct baseline_finder *f, const struct execution_record *a,
                             const struct execution_record *b)
{
    return strcmp(find_origin(f, a).origin_id, find_origin(f, b).origin_id) == 0;
}

const struct run_record *baseline_origin_run(struct baseline_finder *f,
                                             const struct execution_record *e)
{
    const char *id = find_origin(f, e).run_id;
    return baseline_load_run(f, id ? id : e->run_id);
}
