#include "cli/stand_in.h"

#include "base/id.h"
#include "base/os.h"
#include "base/value.h"
#include "spec/spec_suite.h"

static struct stub_options as_told(const char *path, struct str bytes, struct arena *arena)
{
    struct stub_options how = stub_options_default;
    const char **const texts[] = {&how.ttft_ms, &how.gap_ms, &how.tokens, &how.answers};
    static const char *const names[] = {"ttft_ms", "gap_ms", "tokens", "answers"};
    const struct value *root = NULL;
    struct value_error ignored;
    how.listen = "127.0.0.1:0";
    if (!value_read(bytes, &value_limits_spec, arena, &root, &ignored)) return how;
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct value *v = value_get(value_get(root, "stub"), names[i]);
        if (v && v->source.n > 0) *texts[i] = str_cstr(arena, v->source);
    }
    if (how.answers && how.answers[0] != '/') {
        how.answers = arena_printf(arena, "%s/%s", suite_dir_of(arena, path), how.answers);
    }
    return how;
}

static bool find_name(const struct stub_options *how, struct arena *arena, const char **name,
                      struct error *err)
{
    enum { ANSWERS_MAX = 64 << 20 };
    struct str answers = {0};
    char hash[SHA256_HEX_SIZE];
    if (how->answers && !os_read_file(how->answers, ANSWERS_MAX, arena, &answers, err))
        return false;
    const char *all = arena_printf(arena, "%s\n%s\n%s\n%.*s", how->ttft_ms, how->gap_ms,
                                   how->tokens, STR_ARG(answers));
    *name = arena_printf(arena, "http://stub.invalid/%.12s/v1", /* RFC 2606 */
                         id_sha256(str_of(all), hash));
    return true;
}

bool stand_in_start(struct stand_in *s, const char *path, struct str bytes, struct arena *arena,
                    struct error *err)
{
    struct stub_options how = as_told(path, bytes, arena);
    if (!find_name(&how, arena, &s->name, err) || !stub_start(&s->server, &how, err))
        return false;
    s->url = arena_printf(arena, "http://127.0.0.1:%d/v1", s->server.port);
    return true;
}
