/* The answer is JSON that fits a schema (schema.h: a part of draft 2020-12). */
#include "base/schema.h"
#include "check/check.h"

#include "base/os.h"

struct config {
    const struct value *schema;
    const char *file;
    bool unfence;
};

struct state {
    const struct config *config;
    const struct schema *schema;
};

static const struct param params[] = {
    {"schema", PARAM_ANY, .offset = offsetof(struct config, schema),
     .help = "the schema itself"},
    {"file", PARAM_TEXT, .offset = offsetof(struct config, file),
     .help = "a file that holds the schema, JSON or YAML"},
    {"unfence", PARAM_BOOL, .offset = offsetof(struct config, unfence), .fallback = "false",
     .help = "first remove a ``` fence around the answer"},
};

static bool json_schema_check(const void *config, const struct value *options,
                              struct problems *problems)
{
    const struct config *c = config;
    if (!c->schema == !c->file) {
        check_problem(problems, options, "file", "'json_schema' needs 'schema' or 'file'%s",
                      c->schema ? ", not both" : "");
        return false;
    }
    if (!c->schema) return true;
    struct arena scratch = arena_open();
    const struct schema *schema;
    bool is_right = schema_compile(c->schema, &scratch, &schema, problems);
    arena_close(&scratch);
    return is_right;
}

static bool read_file(const struct config *c, const struct check_env *env,
                      const struct value **v, struct error *err)
{
    const char *path = os_path_below(env->base_dir, str_of(c->file), env->arena);
    struct str bytes;
    struct value_error why = {0};
    if (!os_read_file(path, value_limits_spec.max_bytes, env->arena, &bytes, err)) return false;
    if (value_read(bytes, &value_limits_spec, env->arena, v, &why)) return true;
    return error_set(err, ERROR_INVALID, "%s:%u:%u: %s", path, why.line, why.column,
                     why.error.text);
}

/* A schema that no answer can be checked against, such as {$ref: '#'}: its fault, found before
 * the first answer. */
static bool ends(const struct schema *schema, struct error *err)
{
    static const struct value nothing = {.kind = VALUE_NULL};
    struct arena scratch = arena_open();
    const char *why;
    bool done = schema_validate(schema, &nothing, &scratch, &why, err);
    arena_close(&scratch);
    return done;
}

static bool json_schema_open(void *state, const void *config, const struct check_env *env,
                             struct error *err)
{
    struct state *s = state;
    s->config = config;
    const struct value *v = s->config->schema;
    if (!v && !read_file(s->config, env, &v, err)) return false;
    struct problems problems = {.arena = env->arena};
    if (schema_compile(v, env->arena, &s->schema, &problems)) return ends(s->schema, err);
    const struct problem *first = &problems.items[0];
    return error_set(err, ERROR_INVALID, "%s:%u:%u: %s",
                     s->config->file ? s->config->file : "schema", first->line, first->column,
                     first->text);
}

static bool json_schema_score(void *state, const struct check_input *input, struct arena *out,
                              struct check_result *result, struct error *err)
{
    (void)err;
    const struct state *s = state;
    const struct value *v;
    struct error bad = {0};
    if (!check_read_json(input->output, s->config->unfence, out, &v, &bad)) {
        return check_say(result, out, 0, "the answer is not JSON: %s", bad.text);
    }
    const char *why;
    if (!schema_validate(s->schema, v, out, &why, &bad)) {
        return check_say(result, out, 0, "cannot be decided on this answer: %s", bad.text);
    }
    if (why) return check_say(result, out, 0, "%s", why);
    return check_say(result, out, 1, "matches the schema");
}

const struct check_kind check_json_schema = {
    .name = "json_schema",
    .summary = "the answer is JSON that matches a schema",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .check = json_schema_check,
    .open = json_schema_open,
    .score = json_schema_score,
};
