/* A real parser on code of which one function has changed: whole, or only where it changed
 * (evolve/syntax_tree.h). One trial parses so many versions in turn. */
#include "evolve/code_sample.h"
#include "evolve/syntax_tree.h"
#include "experiment/experiment.h"

enum { METRIC_STATEMENTS };
enum { MODE_FULL, MODE_INCREMENTAL };
enum { CODE_MAX = 16 << 20 };

struct config {
    int64_t functions;
    int64_t repeats;
    int mode;
};

struct state {
    const struct config *config;
    struct syntax_parser *parser;
    struct syntax_tree before, after;
    struct buf codes[2];
};

static const char *const modes[] = {"full", "incremental", NULL};

#define AT(member) .offset = offsetof(struct config, member)
static const struct param params[] = {
    {"functions", PARAM_INT, AT(functions), .fallback = "100", .min = 1, .max = 100000,
     .help = "functions in the file, of which one has changed"},
    {"repeats", PARAM_INT, AT(repeats), .fallback = "10", .min = 1, .max = 1000000,
     .help = "parses in one trial"},
    {"mode", PARAM_CHOICE, AT(mode), .role = PARAM_TREATMENT, .fallback = "\"full\"",
     .choices = modes, .help = "parse everything, or what the edit touched"},
};

static const struct metric metrics[] = {
    [METRIC_STATEMENTS] = {"statements", "1", DIRECTION_NONE, "syntax_statements/1",
                           "top-level statements in the tree"},
};

static bool syntax_tree_available(const void *config, struct error *err)
{
    (void)config;
    struct arena scratch = arena_open();
    struct syntax_parser *parser;
    bool is_there = syntax_parser_open(&scratch, &parser, err);
    if (is_there) syntax_parser_close(parser);
    arena_close(&scratch);
    return is_there;
}

static bool syntax_tree_setup(const struct experiment_env *env, void *state, struct error *err)
{
    struct state *s = state;
    s->config = env->config;
    if (!syntax_parser_open(env->arena, &s->parser, err)) return false;
    for (size_t i = 0; i < COUNT(s->codes); i++) buf_init(&s->codes[i], CODE_MAX);
    code_sample_write(s->config->functions, 0, 0, &s->codes[0]);
    s->before = syntax_tree_parse(s->parser, buf_str(&s->codes[0]));
    return true;
}

static enum trial_status syntax_tree_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    struct rng rng = rng_seeded(t->workload_seed);
    int64_t changed = 1 + (int64_t)rng_below(&rng, (uint64_t)s->config->functions);
    syntax_tree_release(s->parser, &s->after);
    buf_clear(&s->codes[1]);
    code_sample_write(s->config->functions, changed, 3, &s->codes[1]);
    return TRIAL_OK;
}

static enum trial_status syntax_tree_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    for (int64_t i = 0; i < s->config->repeats; i++) {
        syntax_tree_release(s->parser, &s->after);
        struct str code = buf_str(&s->codes[1]);
        s->after = s->config->mode == MODE_FULL
                       ? syntax_tree_parse(s->parser, code)
                       : syntax_tree_parse_again(s->parser, &s->before, code);
    }
    return TRIAL_OK;
}

static enum trial_status syntax_tree_conclude(struct trial *t, void *state,
                                              enum trial_status status)
{
    const struct state *s = state;
    size_t statements = syntax_tree_statements(s->parser, &s->after);
    t->values[METRIC_STATEMENTS] = (double)statements;
    struct syntax_tree whole = syntax_tree_parse(s->parser, buf_str(&s->codes[1]));
    bool is_right = statements == (size_t)s->config->functions &&
                    !syntax_tree_has_error(s->parser, &s->after) &&
                    syntax_tree_same(s->parser, &s->after, &whole);
    syntax_tree_release(s->parser, &whole);
    if (is_right) return status;
    error_set(&t->error, ERROR_FAILED,
              "the tree (%zu of %lld functions) is not that of a full parse", statements,
              (long long)s->config->functions);
    return TRIAL_FAILED;
}

static bool syntax_tree_teardown(void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    if (!s->parser) return true;
    syntax_tree_release(s->parser, &s->before);
    syntax_tree_release(s->parser, &s->after);
    syntax_parser_close(s->parser);
    for (size_t i = 0; i < COUNT(s->codes); i++) buf_release(&s->codes[i]);
    return true;
}

const struct experiment experiment_syntax_tree = {
    .name = "syntax_tree",
    .summary = "parses Python of which one function has changed: whole, or only the change",
    .help = "Needs libtree-sitter0 and the grammar that `make grammar` builds.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .label_param = "mode",
    .available = syntax_tree_available,
    .setup = syntax_tree_setup,
    .prepare = syntax_tree_prepare,
    .execute_once = syntax_tree_execute_once,
    .conclude = syntax_tree_conclude,
    .teardown = syntax_tree_teardown,
};
