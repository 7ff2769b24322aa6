/* A shared library as an agent: include/assay/plugin.h is its manual. */
#include "agent/agent.h"
#include "base/os.h"

#include <assay/plugin.h>
#include <dlfcn.h>
#include <math.h>

enum { CONFIG_MAX_BYTES = 1 << 20 };

/* What every version has: the struct may be shorter than ours. */
enum { SMALLEST = offsetof(struct assay_plugin, close) + sizeof(void (*)(void *)) };

typedef const struct assay_plugin *(*entry_function)(uint32_t host_abi);

struct config {
    const char *library;
};

struct state {
    struct agent_env env;
    void *handle;
    const struct assay_plugin *plugin;
    void *self;
    bool is_open;
    bool is_held; /* an answer that must be released */
    struct assay_task task;
    struct assay_answer answer;
    int result;
};

static const struct param params[] = {
    {"library", PARAM_TEXT, .offset = offsetof(struct config, library), .role = PARAM_TREATMENT,
     .required = true,
     .help = "the shared library; include/assay/plugin.h documents what it exports"},
};

/* dlopen looks a bare name up in the system's folders; a spec means a file. */
static bool plugin_available(const void *config, struct error *err)
{
    const struct config *c = config;
    return os_exists(c->library) ||
           error_set(err, ERROR_NOT_FOUND, "library '%s' does not exist", c->library);
}

static bool load(struct state *s, const char *path, struct error *err)
{
    const char *file = strchr(path, '/') ? path : arena_printf(s->env.arena, "./%s", path);
    s->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!s->handle) return error_set(err, ERROR_NOT_FOUND, "cannot load it: %s", dlerror());
    union { /* POSIX gives functions as void *, which C does not */
        void *object;
        entry_function function;
    } entry = {.object = dlsym(s->handle, "assay_plugin")};
    if (!entry.object) {
        return error_set(err, ERROR_INVALID, "it exports no function 'assay_plugin'");
    }
    s->plugin = entry.function(ASSAY_PLUGIN_ABI);
    if (!s->plugin || s->plugin->abi != ASSAY_PLUGIN_ABI) {
        return error_set(err, ERROR_INVALID,
                         "it does not support version %u of the plugin ABI; build it with this "
                         "version's assay/plugin.h",
                         ASSAY_PLUGIN_ABI);
    }
    if (s->plugin->struct_size < SMALLEST || !s->plugin->answer) {
        return error_set(err, ERROR_INVALID, "its struct assay_plugin is incomplete");
    }
    return true;
}

static bool start(struct state *s, struct error *err)
{
    if (!s->plugin->open) return true;
    struct buf text;
    struct json j;
    char why[400] = "";
    buf_init(&text, CONFIG_MAX_BYTES);
    json_init(&j, &text, 0);
    if (s->env.config) json_value(&j, s->env.config);
    int failed = s->plugin->open(&s->self, s->env.config ? text.p : "{}", why, sizeof why);
    buf_release(&text);
    why[sizeof why - 1] = '\0';
    if (!failed) return true;
    return error_set(err, ERROR_FAILED, "it could not be opened: %s",
                     *why ? why : "no reason given");
}

static bool plugin_open(void *state, const void *config, const struct agent_env *env,
                        struct error *err)
{
    struct state *s = state;
    const struct config *c = config;
    s->env = *env;
    s->is_open = load(s, c->library, err) && start(s, err);
    return s->is_open || error_wrap(err, "plugin '%s'", c->library);
}

static void release(struct state *s)
{
    if (s->is_held && s->plugin->release) s->plugin->release(s->self, &s->answer);
    s->is_held = false;
}

static struct assay_bytes bytes_of(struct str s)
{
    return (struct assay_bytes){s.p ? s.p : "", s.n};
}

static bool plugin_prepare(void *state, const struct agent_task *task, struct error *err)
{
    (void)err;
    struct state *s = state;
    release(s);
    s->task = (struct assay_task){
        .struct_size = sizeof s->task,
        .case_id = bytes_of(task->case_id),
        .conversation = bytes_of(task->conversation),
        .turn = task->turn,
        .input = bytes_of(task->input),
        .input_is_json = task->is_json,
        .seed = task->seed,
    };
    s->answer = (struct assay_answer){
        .struct_size = sizeof s->answer,
        .input_tokens = -1,
        .output_tokens = -1,
        .cache_read_tokens = -1,
        .api_calls = -1,
        .cost_usd = -1,
    };
    return true;
}

static enum trial_status plugin_ask(void *state, const struct agent_task *task)
{
    (void)task;
    struct state *s = state;
    s->result = s->plugin->answer(s->self, &s->task, &s->answer);
    s->is_held = true;
    return s->result == ASSAY_OK ? TRIAL_OK : TRIAL_AGENT_ERROR;
}

static double known(double v)
{
    return v >= 0 ? v : (double)NAN;
}

static enum trial_status read_answer(const struct state *s, enum trial_status status,
                                     struct agent_answer *a)
{
    const struct assay_answer *from = &s->answer;
    if (status != TRIAL_OK) {
        struct str why = {from->error.data, from->error.size};
        if (why.n == 0) why = S("no reason given");
        error_set(&a->error, ERROR_FAILED, "the agent reports: %.*s", STR_ARG(why));
        return status;
    }
    size_t limit = (size_t)s->env.limits.output_bytes;
    if (limit > 0 && from->output.size > limit) {
        error_set(&a->error, ERROR_FAILED, "gave %zu bytes, the limit is %zu",
                  from->output.size, limit);
        return TRIAL_LIMIT_BREACHED;
    }
    a->output = (struct str){from->output.data, from->output.size};
    size_t good = str_utf8_prefix(a->output);
    if (good < a->output.n) {
        error_set(&a->error, ERROR_INVALID, "the output is not UTF-8 at byte %zu of %zu",
                  good + 1, a->output.n);
        return TRIAL_INVALID_OUTPUT;
    }
    return status;
}

static enum trial_status plugin_conclude(void *state, const struct agent_task *task,
                                         enum trial_status status, struct agent_answer *answer)
{
    (void)task;
    const struct state *s = state;
    agent_answer_init(answer);
    answer->input_tokens = known(s->answer.input_tokens);
    answer->output_tokens = known(s->answer.output_tokens);
    answer->cache_read_tokens = known(s->answer.cache_read_tokens);
    answer->api_calls = known(s->answer.api_calls);
    answer->cost_usd = known(s->answer.cost_usd);
    status = read_answer(s, status, answer);
    return agent_answer_settle(answer, &s->env, status);
}

static void plugin_close(void *state)
{
    struct state *s = state;
    if (s->is_open) {
        release(s);
        if (s->plugin->close) s->plugin->close(s->self);
    }
    if (s->handle) dlclose(s->handle);
    *s = (struct state){0};
}

const struct agent_kind agent_plugin = {
    .name = "plugin",
    .summary = "a shared library that answers in the measuring process",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .is_local = true,
    .is_single = true,
    .available = plugin_available,
    .open = plugin_open,
    .prepare = plugin_prepare,
    .ask = plugin_ask,
    .conclude = plugin_conclude,
    .close = plugin_close,
};
