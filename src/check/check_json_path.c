/* One place of an answer in JSON holds the value that it should. */
#include "base/path.h"
#include "check/check.h"

struct config {
    const char *path;
    const struct value *equals;
    bool exists;
    bool unfence;
};

struct state {
    const struct config *config;
    struct path path;
};

static const struct param params[] = {
    {"path", PARAM_TEXT, .offset = offsetof(struct config, path), .required = true,
     .help = "JSON pointer (/a/0) or simple path ($.a[0])"},
    {"equals", PARAM_ANY, .offset = offsetof(struct config, equals),
     .help = "the value that must be there; default: one of the expected answers"},
    {"exists", PARAM_BOOL, .offset = offsetof(struct config, exists), .fallback = "false",
     .help = "any value is accepted"},
    {"unfence", PARAM_BOOL, .offset = offsetof(struct config, unfence), .fallback = "false",
     .help = "first remove a ``` fence around the answer"},
};

static bool needs_expected(const void *config)
{
    const struct config *c = config;
    return !c->exists && !c->equals;
}

static bool json_path_check(const void *config, const struct value *options,
                            struct problems *problems)
{
    const struct config *c = config;
    struct arena scratch = arena_open();
    struct path path;
    struct error err = {0};
    bool is_right = path_parse(str_of(c->path), &scratch, &path, &err);
    if (!is_right) check_problem(problems, options, "path", "'path' %s: %s", c->path, err.text);
    if (c->exists && c->equals) {
        check_problem(problems, options, "exists", "'exists' and 'equals' exclude each other");
        is_right = false;
    }
    arena_close(&scratch);
    return is_right;
}

static bool json_path_open(void *state, const void *config, const struct check_env *env,
                           struct error *err)
{
    struct state *s = state;
    s->config = config;
    return path_parse(str_of(s->config->path), env->arena, &s->path, err);
}

/* 2 and "2" are the same when what is expected came as text, as in CSV. */
static bool is_same(const struct value *found, const struct value *expected, struct arena *out)
{
    if (value_equal(found, expected)) return true;
    bool is_scalar = value_is_number(found) || found->kind == VALUE_BOOL;
    return expected->kind == VALUE_TEXT && is_scalar &&
           str_equal(check_text_of(found, out), str_trim(expected->source));
}

static bool json_path_score(void *state, const struct check_input *input, struct arena *out,
                            struct check_result *result, struct error *err)
{
    (void)err;
    const struct state *s = state;
    const struct value *root;
    struct error why = {0};
    if (!check_read_json(input->output, s->config->unfence, out, &root, &why)) {
        return check_say(result, out, 0, "the answer is not JSON: %s", why.text);
    }
    const struct value *found = path_find(&s->path, root);
    if (!found) return check_say(result, out, 0, "nothing at %s", s->config->path);
    const char *shown = check_shown(check_text_of(found, out), out);
    if (s->config->exists) {
        return check_say(result, out, 1, "%s is '%s'", s->config->path, shown);
    }
    struct check_input held = {.expected =
                                   s->config->equals ? s->config->equals : input->expected};
    /* As a whole first: an expected list may be the value itself. */
    bool is_right = is_same(found, held.expected, out);
    for (size_t i = 0; !s->config->equals && !is_right && i < check_expected_count(&held);
         i++) {
        is_right = is_same(found, check_expected_at(&held, i), out);
    }
    return check_say(result, out, is_right, "%s is '%s'%s", s->config->path, shown,
                     is_right ? "" : ", which is not expected");
}

const struct check_kind check_json_path = {
    .name = "json_path",
    .summary = "a value in a JSON answer is the expected one",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .needs_expected = needs_expected,
    .check = json_path_check,
    .open = json_path_open,
    .score = json_path_score,
};
