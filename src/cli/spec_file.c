#include "cli/spec_file.h"

#include "base/json.h"
#include "base/os.h"

#include <inttypes.h>
#include <unistd.h>

static const size_t read_max = (size_t)16 << 20; /* spec_load has the tighter limit */

bool spec_file_read(const char *path, struct arena *out, struct str *bytes, struct error *err)
{
    if (strcmp(path, "-") != 0) return os_read_file(path, read_max, out, bytes, err);
    return os_read_all(STDIN_FILENO, read_max, out, bytes, err) ||
           error_wrap(err, "standard input");
}

static void print_problems(struct context *c, const struct problems *p)
{
    if (!c->json) {
        for (size_t i = 0; i < p->kept; i++) {
            const struct problem *x = &p->items[i];
            fprintf(stderr, "%s:%u:%u: %s\n", x->file, x->line, x->column, x->text);
        }
        if (p->total > p->kept) {
            fprintf(stderr, "and %zu more problem%s\n", p->total - p->kept,
                    p->total - p->kept == 1 ? "" : "s");
        }
        return;
    }
    struct buf b;
    buf_init(&b, (size_t)1 << 20);
    struct json j;
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_text(&j, "schema", "assay.problems/1");
    json_put_int(&j, "total", (int64_t)p->total);
    json_key(&j, "problems");
    json_list(&j);
    for (size_t i = 0; i < p->kept; i++) {
        json_object(&j);
        json_put_text(&j, "file", p->items[i].file);
        json_put_int(&j, "line", p->items[i].line);
        json_put_int(&j, "column", p->items[i].column);
        json_put_text(&j, "text", p->items[i].text);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    fprintf(c->out, "%s\n", b.p);
    buf_release(&b);
}

int spec_file_plan(struct context *c, const char *path, struct str bytes,
                   const struct spec_override *override, const struct spec **spec,
                   const struct plan **plan)
{
    struct problems problems = {.arena = c->arena, .file = path};
    struct spec *loaded = NULL;
    if (!spec_load(path, bytes, override, c->arena, &loaded, &problems)) {
        print_problems(c, &problems);
        return EXIT_USAGE;
    }
    struct plan *made = NULL;
    struct error err = {0};
    if (!plan_make(loaded, c->arena, &made, &err)) {
        error_wrap(&err, "%s", path);
        return command_fail(&err);
    }
    *spec = loaded;
    *plan = made;
    return EXIT_DONE;
}

/* ---- showing ---- */

static int64_t rounds_of(const struct spec_entry *e)
{
    return e->until.is_set && e->until.max_iterations > 0 ? e->until.max_iterations
                                                          : e->measured;
}

static void show_plan_json(struct context *c, const struct plan *plan)
{
    struct buf b;
    buf_init(&b, (size_t)256 << 20);
    struct json j;
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_text(&j, "schema", "assay.plan/1");
    json_put_text(&j, "spec", plan->spec->path);
    json_put_int(&j, "groups", (int64_t)plan->group_count);
    json_key(&j, "cells");
    json_list(&j);
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct plan_cell *cell = &plan->cells[i];
        json_object(&j);
        json_put_int(&j, "cell", (int64_t)cell->index);
        json_put_int(&j, "group", (int64_t)cell->group);
        json_put_int(&j, "arm", (int64_t)cell->arm);
        json_put_text(&j, "key", cell->key);
        json_put_text(&j, "experiment", cell->entry->experiment->name);
        json_put_text(&j, "label", cell->label);
        json_key(&j, "parameters");
        json_raw(&j, str_of(cell->params_json));
        json_put_int(&j, "warmup", cell->entry->warmup);
        json_put_int(&j, "measured", rounds_of(cell->entry));
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    fprintf(c->out, "%s\n", b.p);
    buf_release(&b);
}

static void show_group(struct context *c, const struct plan *plan, const struct plan_group *g)
{
    const struct spec_entry *e = g->entry;
    char warmup[40] = "until steady";
    if (e->warmup >= 0) snprintf(warmup, sizeof warmup, "%" PRId64, e->warmup);
    fprintf(c->out, "group %zu: %s, %zu arm%s%s%s, warm-up %s, measured %s%" PRId64 "\n",
            g->index + 1, e->experiment->name, g->count, g->count == 1 ? "" : "s",
            g->factor ? " taking turns over " : "", g->factor ? g->factor : "", warmup,
            e->until.is_set ? "at most " : "", rounds_of(e));
    for (size_t i = 0; i < g->count; i++) {
        const struct plan_cell *cell = &plan->cells[g->cells[i]];
        fprintf(c->out, "  cell %zu  %s\n", cell->index + 1, cell->label);
    }
}

void spec_file_show_plan(struct context *c, const struct plan *plan)
{
    if (c->json) {
        show_plan_json(c, plan);
        return;
    }
    int64_t trials = 0;
    for (size_t i = 0; i < plan->cell_count; i++) trials += rounds_of(plan->cells[i].entry);
    fprintf(c->out, "%s: %zu cell%s in %zu group%s, %" PRId64 " measured trials\n",
            plan->spec->path, plan->cell_count, plan->cell_count == 1 ? "" : "s",
            plan->group_count, plan->group_count == 1 ? "" : "s", trials);
    for (size_t i = 0; i < plan->group_count; i++) show_group(c, plan, &plan->groups[i]);
}
