#include "cli/spec_file.h"

#include "base/os.h"
#include "base/plain.h"
#include "cli/stored.h"
#include "report/answer_plan.h"
#include "spec/spec_suite.h"

#include <unistd.h>

static const size_t read_max = (size_t)16 << 20; /* spec_load has the tighter limit */

bool spec_file_read(const char *path, struct arena *out, struct str *bytes, struct error *err)
{
    if (strcmp(path, "-") != 0) return os_read_file(path, read_max, out, bytes, err);
    return os_read_all(STDIN_FILENO, read_max, out, bytes, err) ||
           error_wrap(err, "standard input");
}

int spec_file_problems(struct context *c, const struct problems *p)
{
    (void)!stored_tell(c, &answer_problems, p);
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

int spec_file_show(struct context *c, const struct plan *plan, bool all)
{
    const struct answer_plan a = {*plan, estimate_plan(c->store_url, c->workspace, plan), all};
    return stored_answer(c, &answer_plan, &a);
}

void spec_file_remark(const struct context *c, const struct spec *spec)
{
    for (size_t i = 0; i < spec->entry_count; i++) {
        const struct suite_benchmark *b = spec->entries[i].benchmark;
        for (size_t k = 0; b && k < b->remark_count; k++) {
            fprintf(stderr, "benchmark '%s': %s\n", plain_line(b->id, c->arena),
                    plain_line(b->remarks[k], c->arena));
        }
    }
}
