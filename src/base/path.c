#include "base/path.h"

#include "base/pointer.h"

static bool add(struct path *path, struct path_step step, struct error *err)
{
    if (path->count == PATH_STEPS_MAX) {
        return error_set(err, ERROR_INVALID, "more than %d steps", PATH_STEPS_MAX);
    }
    path->steps[path->count++] = step;
    return true;
}

/* What stands between brackets: an index or a quoted key. */
static bool parse_bracket(struct str *rest, struct path *path, struct error *err)
{
    char quote = rest->n > 1 ? rest->p[1] : '\0';
    bool is_quoted = quote == '\'' || quote == '"';
    size_t begin = is_quoted ? 2 : 1;
    size_t end = begin;
    while (end < rest->n && rest->p[end] != (is_quoted ? quote : ']')) end++;
    struct str inside = {rest->p + begin, end - begin};
    size_t after = end + (is_quoted ? 2 : 1);
    if (after > rest->n || rest->p[after - 1] != ']') {
        return error_set(err, ERROR_INVALID, "'[' without its ']'");
    }
    struct path_step step = {.key = inside, .is_index = !is_quoted};
    if (!is_quoted && !str_to_int(inside, &step.index)) {
        return error_set(err, ERROR_INVALID,
                         "[%.*s] is not an index; wildcards and filters are not supported",
                         STR_ARG(inside));
    }
    rest->p += after;
    rest->n -= after;
    return add(path, step, err);
}

bool path_parse(struct str text, struct arena *out, struct path *path, struct error *err)
{
    *path = (struct path){.pointer = text};
    if (str_starts(text, S("/"))) return pointer_check(text, err);
    path->steps = arena_new(out, struct path_step, PATH_STEPS_MAX);
    struct str rest = text;
    bool wants_name = true; /* a.b: a name may begin without a dot only here */
    if (str_starts(rest, S("$"))) {
        rest.p++;
        rest.n--;
        wants_name = false;
    }
    while (rest.n > 0) {
        if (rest.p[0] == '[') {
            if (!parse_bracket(&rest, path, err)) return false;
            wants_name = false;
            continue;
        }
        if (!wants_name && rest.p[0] != '.') {
            return error_set(err, ERROR_INVALID, "'.' or '[' expected at '%.*s'",
                             STR_ARG(rest));
        }
        if (!wants_name) {
            rest.p++;
            rest.n--;
        }
        wants_name = false;
        size_t n = 0;
        while (n < rest.n && rest.p[n] != '.' && rest.p[n] != '[') n++;
        struct str key = {rest.p, n};
        if (n == 0 || str_is(key, "*")) {
            return error_set(err, ERROR_INVALID,
                             "a name is missing; wildcards and '..' are not supported");
        }
        rest.p += n;
        rest.n -= n;
        if (!add(path, (struct path_step){.key = key}, err)) return false;
    }
    return true;
}

static const struct value *step_into(const struct path_step *step, const struct value *v)
{
    if (!step->is_index) return value_find(v, step->key);
    int64_t count = v->kind == VALUE_LIST ? (int64_t)v->list.count : 0;
    int64_t at = step->index < 0 ? step->index + count : step->index;
    return at >= 0 && at < count ? v->list.items[at] : NULL;
}

const struct value *path_find(const struct path *path, const struct value *root)
{
    if (!path->steps) return pointer_find(root, path->pointer);
    const struct value *v = root;
    for (size_t i = 0; v && i < path->count; i++) v = step_into(&path->steps[i], v);
    return v;
}
