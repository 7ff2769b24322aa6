/* An agent judges. It gets a prompt made of the case and the answer and must
 * reply with a score, in one of three forms:
 *
 *     {"score": 7, "why": ".."}     the whole reply; a fence around it is taken off
 *     7                             the whole reply
 *     ...                           text, in which lines of their own state the score:
 *     score: 7                      `score: 7`, `score: 7/10` or an object as above
 *
 * A judge that reasons in free text quotes the answer, and the answer may hold
 * such a line. Which of several lines is the judge's own cannot be known, so
 * the lowest within the scale counts: an agent that writes "score: 10" can
 * lower its score by it, never raise it. A score in the middle of a sentence
 * is none. Any other reply, or no reply, is a harness error: the judge failed,
 * not the agent. What the judge costs is counted apart from what the agent
 * costs.
 *
 * The answer stands in the prompt as it is. An agent that writes to its judge
 * ("give this 10 points") may be heard: hold a judge against answers of known
 * worth before leaning on it. */
#include "base/number.h"
#include "base/pattern.h"
#include "check/check.h"
#include "model/template.h"

#include <math.h>

enum { PROMPT_BYTES_MAX = 64 << 20 };

struct config {
    const char *agent;
    const char *prompt;
    double scale;
};

struct state {
    const struct config *config;
    struct check_env env;
    const struct pattern *score_line; /* the whole of a line */
    const char *source;
};

static const char default_prompt[] =
    "You judge the answer to a task. Judge what it says, not how long it is.\n"
    "\n"
    "Task:\n{{input}}\n"
    "\n"
    "A right answer would be:\n{{expected}}\n"
    "\n"
    "The answer to judge:\n{{output}}\n"
    "\n"
    "Reply with one JSON object and nothing else: {\"score\": a number from 0 (useless) to "
    "{{scale}} (perfect), \"why\": \"one sentence\"}\n";

static const struct param params[] = {
    {"agent", PARAM_TEXT, .offset = offsetof(struct config, agent), .required = true,
     .help = "id of the agent that judges"},
    {"prompt", PARAM_TEXT, .offset = offsetof(struct config, prompt),
     .help = "the prompt, with {{input}}, {{output}}, {{expected}}, {{scale}} and fields of "
             "the case; has a default"},
    {"scale", PARAM_REAL, .offset = offsetof(struct config, scale), .fallback = "1",
     .min = 1e-6, .max = 1e6,
     .help = "the score of a perfect answer; scores are divided by it"},
};

static const char *agent_of(const void *config)
{
    return ((const struct config *)config)->agent;
}

static bool judge_check(const void *config, const struct value *options,
                        struct problems *problems)
{
    const struct config *c = config;
    if (!c->prompt || strstr(c->prompt, "{{output}}") || strstr(c->prompt, "{{ output }}")) {
        return true;
    }
    check_problem(problems, options, "prompt", "'prompt' does not show the answer: {{output}}");
    return false;
}

static bool judge_open(void *state, const void *config, const struct check_env *env,
                       struct error *err)
{
    struct state *s = state;
    s->config = config;
    s->env = *env;
    s->source = arena_printf(env->arena, "agent %s", s->config->agent);
    char scale[32];
    json_format_real(s->config->scale, scale);
    const char *line = arena_printf(
        env->arena,
        "[\\s*_#]*score[\\s*_]*[:=][\\s*_]*([-+]?[0-9]*\\.?[0-9]+)(?:\\s*(?:/|(?:out )?of)\\s*"
        "\\Q%s\\E)?[\\s*_.]*",
        scale);
    return pattern_compile(str_of(line), PATTERN_IGNORE_CASE | PATTERN_WHOLE, env->arena,
                           &s->score_line, err);
}

static bool make_prompt(const struct state *s, const struct check_input *input,
                        struct arena *out, struct str *prompt, struct error *err)
{
    const struct value *none = value_new_text(out, S("(not given)"));
    const struct value *output = value_new_text(out, input->output);
    const struct value *asked = value_new_text(out, input->input);
    const struct value *fields = input->fields;
    fields = value_with(out, fields, S("input"), asked);
    fields = value_with(out, fields, S("output"), output);
    fields = value_with(out, fields, S("expected"), input->expected ? input->expected : none);
    fields = value_with(out, fields, S("scale"), value_new_real(out, s->config->scale));
    struct agent_task task = {.fields = fields};
    const char *text = s->config->prompt ? s->config->prompt : default_prompt;
    struct buf b;
    buf_init(&b, PROMPT_BYTES_MAX);
    bool done = template_fill(str_of(text), false, &task, &b, err);
    if (done && b.overflow) {
        done = error_set(err, ERROR_INVALID, "a prompt of more than %d MiB",
                         PROMPT_BYTES_MAX >> 20);
    }
    if (done) *prompt = str_copy(out, buf_str(&b));
    buf_release(&b);
    return done;
}

struct verdict {
    double score; /* NaN = the text states none */
    const char *why;
};

static bool read_object(struct str text, bool unfence, struct arena *out, struct verdict *v)
{
    const struct value *map = NULL;
    if (!check_read_json(text, unfence, out, &map, NULL) || map->kind != VALUE_MAP)
        return false;
    const struct value *score = value_get(map, "score");
    const struct value *why = value_get(map, "why");
    if (score && value_is_number(score)) v->score = value_number(score);
    if (why && why->kind == VALUE_TEXT) v->why = check_shown(why->source, out);
    return true;
}

static bool read_line(const struct state *s, struct str line, struct arena *out,
                      struct verdict *v, struct error *err)
{
    bool is_found;
    struct str number;
    if (line.n > 0 && line.p[0] == '{') {
        (void)read_object(line, false, out, v);
        return true;
    }
    if (!pattern_find(s->score_line, line, &is_found, &number, err)) return false;
    if (is_found && !number_read(number, 0, &v->score)) v->score = NAN;
    return true;
}

static bool is_within(const struct state *s, double score)
{
    return score >= 0 && score <= s->config->scale;
}

/* The lowest of the scores that lines of their own state. */
static bool read_lines(const struct state *s, struct str reply, struct arena *out,
                       struct verdict *v, struct error *err)
{
    struct str rest = reply;
    size_t different = 0;
    while (rest.p) {
        struct verdict one = {NAN, check_shown(str_trim(reply), out)};
        if (!read_line(s, str_trim(str_cut(&rest, '\n')), out, &one, err)) return false;
        if (!is_within(s, one.score) || one.score == v->score) continue;
        different++;
        if (isnan(v->score) || one.score < v->score) *v = one;
    }
    if (different > 1) {
        v->why = arena_printf(out, "the lowest of several scores in the reply: %s", v->why);
    }
    return true;
}

/* True with a score of NaN where the reply has none. */
static bool find_score(const struct state *s, struct str reply, struct arena *out,
                       struct verdict *v, struct error *err)
{
    *v = (struct verdict){NAN, "the judge gave no reason"};
    if (number_read(reply, 0, &v->score) || read_object(reply, true, out, v)) return true;
    v->score = NAN;
    return read_lines(s, reply, out, v, err);
}

static bool judge_score(void *state, const struct check_input *input, struct arena *out,
                        struct check_result *result, struct error *err)
{
    struct state *s = state;
    result->source = s->source;
    struct str prompt;
    if (!make_prompt(s, input, out, &prompt, err)) return false;
    struct check_reply reply = {.cost_usd = NAN, .tokens = NAN};
    result->calls = 1;
    if (!s->env.ask(s->env.ask_context, s->config->agent, prompt, out, &reply, err)) {
        result->cost_usd = NAN;
        return error_wrap(err, "asking agent '%s' to judge", s->config->agent);
    }
    result->cost_usd = reply.cost_usd;
    struct verdict v;
    if (!find_score(s, reply.output, out, &v, err)) return false;
    if (is_within(s, v.score)) {
        return check_say(result, out, v.score / s->config->scale, "%s", v.why);
    }
    char shown[32];
    return error_set(err, ERROR_FAILED,
                     "agent '%s' replied '%s', which has no score from 0 to %s",
                     s->config->agent, check_shown(str_trim(reply.output), out),
                     json_format_real(s->config->scale, shown));
}

const struct check_kind check_judge = {
    .name = "judge",
    .summary = "an agent judges the answer",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .agent_of = agent_of,
    .check = judge_check,
    .open = judge_open,
    .score = judge_score,
};
