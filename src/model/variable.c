#include "model/variable.h"

#include <stdlib.h>

static bool is_flag(const struct value *v)
{
    return v->kind == VALUE_BOOL;
}

bool variable_check(const struct value *v, struct error *err)
{
    if (v->kind == VALUE_LIST || v->kind == VALUE_NULL) {
        return error_set(err, ERROR_INVALID, "must be a text, a number or {from: NAME} (is %s)",
                         value_kind_name(v->kind));
    }
    if (v->kind != VALUE_MAP) return true;
    const struct value *from = value_get(v, "from");
    const struct value *secret = value_get(v, "secret");
    size_t known = (from != NULL) + (secret != NULL);
    bool is_name = from && from->kind == VALUE_TEXT && from->source.n > 0 &&
                   !memchr(from->source.p, '=', from->source.n);
    if (is_name && known == v->map.count && (!secret || is_flag(secret))) return true;
    return error_set(err, ERROR_INVALID,
                     "must be {from: NAME}, NAME being a variable of assay's environment, with "
                     "'secret: false' if it is not secret");
}

bool variable_read(const struct value *v, struct arena *out, const char **text,
                   struct error *err)
{
    if (!variable_check(v, err)) return false;
    const struct value *from = value_get(v, "from");
    if (from) {
        const char *name = str_cstr(out, from->source);
        *text = getenv(name);
        return *text ? true
                     : error_set(err, ERROR_UNAVAILABLE,
                                 "the environment variable %s is not set", name);
    }
    if (v->kind == VALUE_BOOL && v->source.n == 0) {
        *text = v->boolean ? "true" : "false";
    } else if (v->kind == VALUE_TEXT || v->source.n > 0) {
        *text = str_cstr(out, v->source);
    } else if (v->kind == VALUE_INT) {
        *text = arena_printf(out, "%lld", (long long)v->integer);
    } else {
        *text = arena_printf(out, "%.17g", value_number(v));
    }
    return true;
}

const struct value *variable_secret(const struct value *v)
{
    const struct value *from = value_get(v, "from");
    const struct value *secret = value_get(v, "secret");
    bool is_open = secret && is_flag(secret) && !secret->boolean;
    return from && from->kind == VALUE_TEXT && !is_open ? from : NULL;
}

static bool ends_in(struct str name, const char *word)
{
    size_t n = strlen(word);
    return name.n >= n && strncasecmp(name.p + name.n - n, word, n) == 0;
}

bool variable_looks_like_key(struct str name, struct str value)
{
    static const char *const names[] = {"key",  "token",       "secret",        "password",
                                        "auth", "credentials", "authorization", "passwd"};
    static const char *const starts[] = {"sk-",  "ghp_",    "gho_", "github_pat_", "xoxb-",
                                         "AKIA", "Bearer ", "hf_",  "glpat-",      "AIza"};
    enum { SHORTEST = 12 };
    if (value.n < SHORTEST) return false;
    for (size_t i = 0; i < COUNT(starts); i++) {
        if (str_starts(value, str_of(starts[i]))) return true;
    }
    bool is_one_word = !memchr(value.p, ' ', value.n) && !memchr(value.p, '/', value.n);
    for (size_t i = 0; i < COUNT(names) && is_one_word; i++) {
        if (ends_in(name, names[i])) return true;
    }
    return false;
}
