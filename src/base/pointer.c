#include "base/pointer.h"

/* Compares a key with a part of a pointer, in which ~0 and ~1 are escapes. */
static bool is_key(struct str key, struct str part)
{
    size_t at = 0;
    for (size_t i = 0; i < part.n; i++, at++) {
        char c = part.p[i];
        if (c == '~') c = ++i < part.n && part.p[i] == '1' ? '/' : '~';
        if (at >= key.n || key.p[at] != c) return false;
    }
    return at == key.n;
}

static const struct value *find_below(const struct value *v, struct str part)
{
    if (v->kind == VALUE_MAP) {
        for (size_t i = 0; i < v->map.count; i++) {
            if (is_key(v->map.pairs[i].key, part)) return v->map.pairs[i].value;
        }
        return NULL;
    }
    int64_t index = 0;
    bool is_index = part.n > 0 && part.p[0] >= '0' && part.p[0] <= '9' &&
                    (part.n == 1 || part.p[0] != '0') && str_to_int(part, &index);
    if (v->kind != VALUE_LIST || !is_index || (size_t)index >= v->list.count) return NULL;
    return v->list.items[index];
}

const struct value *pointer_find(const struct value *root, struct str pointer)
{
    if (pointer.n == 0) return root;
    if (pointer.p[0] != '/') return NULL;
    struct str rest = {pointer.p + 1, pointer.n - 1};
    const struct value *v = root;
    while (v && rest.p) v = find_below(v, str_cut(&rest, '/'));
    return v;
}

bool pointer_check(struct str pointer, struct error *err)
{
    if (pointer.n > 0 && pointer.p[0] != '/') {
        return error_set(err, ERROR_INVALID,
                         "'%.*s' is not a JSON pointer; write /%.*s, with / between the parts",
                         STR_ARG(pointer), STR_ARG(pointer));
    }
    for (size_t i = 0; i < pointer.n; i++) {
        bool is_escape =
            i + 1 < pointer.n && (pointer.p[i + 1] == '0' || pointer.p[i + 1] == '1');
        if (pointer.p[i] == '~' && !is_escape) {
            return error_set(err, ERROR_INVALID,
                             "JSON pointer '%.*s': ~ must be written ~0, and / in a key ~1",
                             STR_ARG(pointer));
        }
    }
    return true;
}
