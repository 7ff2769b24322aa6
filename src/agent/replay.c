/* Answers from an earlier run, from a file of JSON lines:
 *
 *     {"case":"c1","turn":0,"output":"4","usage":{...},"phases":[...],"error":null}
 *
 * as in message.h, with the case instead of an id. A line that names another "benchmark"
 * than is asked is passed over: cases of two benchmarks may have one id. A case may have many
 * answers (a run of many passes): they are given in order, and again from the
 * first. What is measured is us; what is scored are the answers. */
#include "agent/agent.h"
#include "agent/message.h"
#include "base/os.h"

enum { FILE_MAX_BYTES = 256 << 20 };

static const struct value_limits line_limits = {
    .max_bytes = (size_t)16 << 20, .max_depth = 64, .max_nodes = 200000};

struct config {
    const char *answers;
};

struct entry {
    struct str case_id;
    bool is_of_another; /* benchmark */
    int64_t turn;
    size_t place; /* in the file: lines of one case stay in order */
    struct str line;
};

struct state {
    struct agent_env env;
    struct entry *entries; /* sorted by case, turn, place */
    size_t count;
    size_t *given; /* how often, at the first entry of each case and turn */
    const struct entry *next;
    struct arena answers;
    bool is_open;
};

static const struct param params[] = {
    {"answers", PARAM_TEXT, .offset = offsetof(struct config, answers), .role = PARAM_TREATMENT,
     .required = true, .help = "file of JSON lines: case, turn, output, usage"},
};

static bool replay_available(const void *config, struct error *err)
{
    const struct config *c = config;
    return os_exists(c->answers) ||
           error_set(err, ERROR_NOT_FOUND, "the file of answers '%s' does not exist",
                     c->answers);
}

static int by_task(const struct entry *a, struct str case_id, int64_t turn)
{
    int order = str_compare(a->case_id, case_id);
    return order ? order : (a->turn > turn) - (a->turn < turn);
}

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = by_task(x, y->case_id, y->turn);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static bool name_entry(const struct value *v, const struct agent_env *env, struct entry *e,
                       struct error *err)
{
    const struct value *case_id = value_get(v, "case");
    const struct value *turn = value_get(v, "turn");
    const struct value *benchmark = value_get(v, "benchmark");
    e->is_of_another = benchmark && benchmark->kind == VALUE_TEXT && env->benchmark &&
                       !str_is(benchmark->source, env->benchmark);
    if (!case_id || case_id->kind != VALUE_TEXT) {
        return error_set(err, ERROR_INVALID, "an answer needs a 'case'");
    }
    if (turn && turn->kind != VALUE_INT) {
        return error_set(err, ERROR_INVALID, "'turn' must be an integer");
    }
    e->case_id = str_copy(env->arena, case_id->source);
    e->turn = turn ? turn->integer : 0;
    return true;
}

static bool read_entry(struct str line, const struct agent_env *env, struct entry *e,
                       struct error *err)
{
    struct arena scratch = arena_open();
    const struct value *v = NULL;
    e->line = line;
    bool done =
        value_read_json(line, &line_limits, &scratch, &v, err) && name_entry(v, env, e, err);
    arena_close(&scratch);
    return done;
}

static size_t count_lines(struct str text)
{
    size_t n = 0;
    while (text.p) n += str_trim(str_cut(&text, '\n')).n > 0;
    return n;
}

static bool read_entries(struct state *s, struct str text, struct error *err)
{
    struct arena *arena = s->env.arena;
    size_t max = count_lines(text);
    s->entries = arena_new(arena, struct entry, max);
    s->given = arena_new(arena, size_t, max);
    for (size_t number = 1; text.p; number++) {
        struct str line = str_trim(str_cut(&text, '\n'));
        if (line.n == 0) continue;
        struct entry *e = &s->entries[s->count];
        e->place = s->count;
        if (!read_entry(line, &s->env, e, err)) return error_wrap(err, "line %zu", number);
        s->count += !e->is_of_another;
    }
    qsort(s->entries, s->count, sizeof s->entries[0], by_place);
    return true;
}

static bool replay_open(void *state, const void *config, const struct agent_env *env,
                        struct error *err)
{
    struct state *s = state;
    const struct config *c = config;
    struct str text = {0};
    s->env = *env;
    s->answers = arena_open();
    s->is_open = true;
    if (!os_read_file(c->answers, FILE_MAX_BYTES, env->arena, &text, err)) return false;
    return read_entries(s, text, err) || error_wrap(err, "answers '%s'", c->answers);
}

static bool replay_prepare(void *state, const struct agent_task *task, struct error *err)
{
    struct state *s = state;
    arena_reset(&s->answers);
    size_t low = 0, high = s->count; /* the first entry that is not before the task */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_task(&s->entries[middle], task->case_id, task->turn) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t end = low;
    while (end < s->count && by_task(&s->entries[end], task->case_id, task->turn) == 0) end++;
    if (end == low) {
        return error_set(err, ERROR_NOT_FOUND,
                         "the earlier run has no answer to case '%.*s', turn %lld",
                         STR_ARG(task->case_id), (long long)task->turn);
    }
    s->next = &s->entries[low + s->given[low] % (end - low)];
    s->given[low]++;
    return true;
}

static enum trial_status replay_ask(void *state, const struct agent_task *task)
{
    (void)state;
    (void)task;
    return TRIAL_OK;
}

static enum trial_status replay_conclude(void *state, const struct agent_task *task,
                                         enum trial_status status, struct agent_answer *answer)
{
    (void)task;
    (void)status;
    struct state *s = state;
    const struct value *v = NULL;
    agent_answer_init(answer);
    if (!value_read_json(s->next->line, &line_limits, &s->answers, &v, &answer->error)) {
        return TRIAL_HARNESS_ERROR; /* it was read before */
    }
    status = message_read_answer(v, &s->answers, answer);
    return agent_answer_settle(answer, &s->env, status);
}

static void replay_close(void *state)
{
    struct state *s = state;
    if (s->is_open) arena_close(&s->answers);
    *s = (struct state){0};
}

const struct agent_kind agent_replay = {
    .name = "replay",
    .summary = "stored answers, given again",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .is_single = true,
    .is_replayed = true,
    .available = replay_available,
    .open = replay_open,
    .prepare = replay_prepare,
    .ask = replay_ask,
    .conclude = replay_conclude,
    .close = replay_close,
};
