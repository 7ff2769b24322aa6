#include "cli/spec_file.h"

#include "base/json.h"
#include "base/os.h"
#include "base/plain.h"

#include <inttypes.h>
#include <unistd.h>

static const size_t read_max = (size_t)16 << 20; /* spec_load has the tighter limit */

bool spec_file_read(const char *path, struct arena *out, struct str *bytes, struct error *err)
{
    if (strcmp(path, "-") != 0) return os_read_file(path, read_max, out, bytes, err);
    return os_read_all(STDIN_FILENO, read_max, out, bytes, err) ||
           error_wrap(err, "standard input");
}

/* One line each, whatever the file's words hold, with as much of its place as is known. */
static void print_problem(const struct problem *x, const char *spec)
{
    struct buf line;
    buf_init(&line, 1 << 16);
    bool is_option = x->file[0] == '-' && x->file[1];
    bool is_of_spec = is_option || x->file[0] == '(' || strcmp(x->file, spec) == 0;
    if (x->file[0] == '(' || (x->line == 0 && is_of_spec)) { /* an option's, a one-liner's */
        buf_text(&line, "assay: ");
        if (is_option) plain_add(&line, str_of(x->file), SIZE_MAX);
        if (is_option) buf_text(&line, ": ");
    } else {
        plain_add(&line, str_of(x->file), SIZE_MAX);
        if (x->line > 0) buf_printf(&line, ":%u", x->line);
        if (x->column > 0) buf_printf(&line, ":%u", x->column);
        buf_text(&line, ": ");
    }
    plain_add(&line, str_of(x->text), SIZE_MAX);
    fprintf(stderr, "%s\n", line.p);
    buf_release(&line);
}

int spec_file_problems(struct context *c, const struct problems *p)
{
    if (!c->json) {
        for (size_t i = 0; i < p->kept; i++) print_problem(&p->items[i], p->file);
        if (p->total > p->kept) {
            fprintf(stderr, "and %zu more problem%s\n", p->total - p->kept,
                    p->total - p->kept == 1 ? "" : "s");
        }
        return EXIT_USAGE;
    }
    struct buf b;
    buf_init(&b, (size_t)1 << 20);
    struct json j;
    json_open(&j, &b, "assay.problems/1");
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
    json_close(&j);
    fputs(b.p, c->out);
    buf_release(&b);
    return EXIT_USAGE;
}

int spec_file_load(struct context *c, const char *path, struct str bytes,
                   const struct spec_override *override, struct spec **spec)
{
    struct problems problems = {.arena = c->arena, .file = path};
    if (spec_load(path, bytes, override, c->arena, spec, &problems)) return EXIT_DONE;
    return spec_file_problems(c, &problems);
}

int spec_file_make_plan(const struct context *c, const struct spec *spec,
                        const struct plan **plan)
{
    struct plan *made = NULL;
    struct error err = {0};
    if (!plan_make(spec, c->arena, &made, &err)) {
        error_wrap(&err, "%s", spec->path);
        return command_fail(&err);
    }
    *plan = made;
    return EXIT_DONE;
}

int spec_file_plan(struct context *c, const char *path, struct str bytes,
                   const struct spec_override *override, struct spec **spec,
                   const struct plan **plan)
{
    struct spec *loaded = NULL;
    int code = spec_file_load(c, path, bytes, override, &loaded);
    if (code != EXIT_DONE) return code;
    *spec = loaded;
    return spec_file_make_plan(c, loaded, plan);
}
