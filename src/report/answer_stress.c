/* Where an agent breaks under load, how, and what to do about it. */
#include "report/answer_stress.h"
#include "base/human.h"
#include "base/plain.h"
#include "judge/stress.h"
#include "report/answers.h"
#include "report/stress_document.h"
#include "report/table.h"

#include <math.h>

/* ---- words ---- */

static const char *reason_words(enum stress_reason reason)
{
    static const char *const words[] = {
        [STRESS_NO_REASON] = NULL,
        [STRESS_GENERATOR] = "the generator was saturated, which says nothing about the agent",
        [STRESS_NO_PROCESS] = "assay did not start its process: give it with --serve",
        [STRESS_NO_INPUT] = "requests have no body to make larger: give one with --body",
        [STRESS_NO_MEMORY] = "the memory of the agent's process cannot be read here",
        [STRESS_NO_LIMIT] = "it does not limit its rate, up to the highest one tried",
        [STRESS_UNMEASURED] = "a phase could not be measured",
        [STRESS_UNFINISHED] = "the search did not end: the levels are too near the objective",
        [STRESS_TOO_FEW] = "too few blocks were measured to tell whether anything grows",
        [STRESS_NO_LEAK] = "its memory is not known, so no leak was looked for",
        [STRESS_LAW_OFF] = "the law's knee is far from the measured one: do not trust it",
        [STRESS_FEW_BEFORE] =
            "fewer than 20 answers came before it: what was usual is not known",
        [STRESS_TOO_SHORT] =
            "it was watched for less than twice the time that its queue takes, and not back",
        [STRESS_WATCHED] = "the limit was kept by a look every 10 ms",
    };
    return words[reason];
}

static const char *advice_words(const struct stress_recommendation *r)
{
    static const char *const words[] = {
        [STRESS_ADVISE_LOAD] = "keep the load below the safe rate, or add capacity",
        [STRESS_ADVISE_LIMIT] =
            "refuse requests early (503 or 429): its queue grows without bound",
        [STRESS_ADVISE_WAIT] = "say when to come back: send Retry-After with status 429",
        [STRESS_ADVISE_CONTENT] = "find what requests wait for in line: a lock, one connection",
        [STRESS_ADVISE_COHERENCE] =
            "limit the number in flight: beyond the peak more load means less work done",
        [STRESS_ADVISE_LEAK] = "look for what is kept after each request: it grows with time",
        [STRESS_ADVISE_INPUT] = "refuse inputs beyond a stated size (413), or raise the limit",
        [STRESS_ADVISE_RESTART] = "restart it faster, or keep a second one running",
        [STRESS_ADVISE_SPIKE] = "queue a burst for a moment, or start more of it in advance",
        [STRESS_ADVISE_MEMORY] = "give it the memory that it usually takes, and some more",
    };
    return words[r->advice];
}

/* What each rule saw: words before the value, between it and the threshold, after both.
 * Without `between` neither number says more than the words. */
static const struct {
    const char *rule, *unit, *before, *between, *after;
    bool is_share;
} rule_rows[] = {
    {"within_objective", "s", "95 % of the answers came within ", ", the objective is ", "", 0},
    {"within_objective", "1/s", "it held ", ", the highest rate tried was ", "", 0},
    {"within_objective", "1", "", " of the requests failed, allowed are ", "", 1},
    {"within_objective", "MB", "it held with ", " of memory; it usually takes ", "", 0},
    {"errors_beyond_objective", "1", "", " of the requests failed, allowed are ", "", 1},
    {"p95_beyond_objective", "s", "95 % of the answers took up to ", ", the objective is ", "",
     0},
    {"queue_growth", "1", "requests came ", " times as fast as they were answered", NULL, 0},
    {"load_of_rate", "1", "requests came ", " times as fast as they were answered", NULL, 0},
    {"error_cliff", "1", "", " of the requests were refused, allowed are ", "", 1},
    {"refused_share", "1", "", " of the requests were refused, allowed are ", "", 1},
    {"throughput_falls", "1", "its rate fell by ", " from the highest, allowed are ", "", 1},
    {"fall_from_highest_rate", "1", "its rate fell by ", " from the highest, allowed are ", "",
     1},
    {"slow_recovery", "1", "it took ", " times as long to recover as its queue explains", NULL,
     0},
    {"recovery_of_queue", "1", "it took ", " times as long to recover as its queue explains",
     NULL, 0},
    {"memory_grows", "1", "its memory grew by ", ", allowed are ", "", 1},
    {"spike_lost", "1", "", " of the requests failed, allowed are ", "", 1},
    {"spike_lingers", "1", "it takes ", " times as long as its queue explains, allowed are ",
     "", 0},
    {"spike_stalls", "1", "in the spike it did ", " of the normal rate, demanded are ", "", 1},
    {"recovered", "s", "it was back to normal within ", ", allowed are ", "", 0},
    {"recovered", "1", "it was back to normal after ", " of ", " faults", 0},
    {"no_recovery", "1", "it was back to normal after ", " of ", " faults", 0},
    {"squeezed_errors", "1", "with less memory ", " of the requests failed, allowed are ", "",
     1},
    {"squeezed_p95", "s", "with less memory 95 % of the answers took up to ",
     ", the objective is ", "", 0},
    {"retrograde", "1", "with the most in flight it did ",
     " of its highest rate, demanded are ", "", 1},
    {"input_fails", "1", "", " of the largest inputs failed, allowed are ", "", 1},
    {"no_retry_after", "1", "it refuses requests and does not say when to come back", NULL,
     NULL, 0},
    {"limits_and_says_when", "s", "it limits its rate and says to come back after ", "", NULL,
     0},
};

static const char *rule_number(bool is_share, const char *unit, double v, char *text,
                               struct arena *scratch)
{
    return is_share ? arena_printf(scratch, "%.3g %%", 100 * v) : human_value(unit, v, text);
}

static const char *rule_words(const struct stress_rule *rule, struct arena *scratch)
{
    char value[HUMAN_SIZE], threshold[HUMAN_SIZE];
    if (!rule->name) return NULL;
    for (size_t i = 0; i < COUNT(rule_rows); i++) {
        if (strcmp(rule_rows[i].rule, rule->name) != 0) continue;
        if (strcmp(rule_rows[i].unit, rule->unit) != 0) continue;
        const char *number[2] = {"", ""};
        const char *between = rule_rows[i].between ? rule_rows[i].between : "";
        const char *after = rule_rows[i].after ? rule_rows[i].after : "";
        bool is_share = rule_rows[i].is_share;
        if (rule_rows[i].between)
            number[0] = rule_number(is_share, rule->unit, rule->value, value, scratch);
        if (rule_rows[i].after)
            number[1] = rule_number(is_share, rule->unit, rule->threshold, threshold, scratch);
        return arena_printf(scratch, "%s%s%s%s%s", rule_rows[i].before, number[0], between,
                            number[1], after);
    }
    return arena_printf(scratch, "%s: %s, threshold %s", rule->name,
                        human_value(rule->unit, rule->value, value),
                        human_value(rule->unit, rule->threshold, threshold));
}

static double figure_of(const struct stress_result *r, const char *name)
{
    for (size_t i = 0; i < r->figure_count; i++) {
        if (strcmp(r->figures[i].name, name) == 0) return r->figures[i].value;
    }
    return NAN;
}

/* Both times after a spike: the agent's and its queue's. NULL: they are not known. */
static const char *spike_times(const struct stress_result *r, struct arena *scratch)
{
    char took[HUMAN_SIZE], queue[HUMAN_SIZE];
    double slowest_s = figure_of(r, "slowest_recovery_s"), drain_s = figure_of(r, "drain_s");
    if (isnan(slowest_s) || isnan(drain_s)) return NULL;
    return arena_printf(scratch, "%s %s%s; its queue takes %s",
                        r->outcome == STRESS_HELD ? "it was back to normal within" : "it took",
                        human_value("s", slowest_s, took),
                        r->outcome == STRESS_HELD ? "" : " or longer to be back to normal",
                        human_value("s", drain_s, queue));
}

/* With how much memory it failed; NULL: nothing was squeezed. */
static const char *squeezed_words(const struct stress_result *r, struct arena *scratch)
{
    char had[HUMAN_SIZE], usual[HUMAN_SIZE];
    double had_mb = figure_of(r, "breaks_with_mb");
    if (isnan(had_mb)) return NULL;
    return arena_printf(scratch, "with %s of %s %s", human_value("MB", had_mb, had),
                        human_value("MB", figure_of(r, "usual_memory_mb"), usual),
                        rule_words(&r->rule, scratch) + strlen("with less "));
}

static const char *result_sentence(const void *owner, struct arena *scratch)
{
    const struct stress_result *r = owner;
    const char *why = reason_words(r->reason);
    if (why && r->error) return arena_printf(scratch, "%s: %s", why, r->error);
    double holds = figure_of(r, "holds");
    if (r->reason == STRESS_GENERATOR && holds > 0)
        return arena_printf(scratch,
                            "held up to %.4g requests per second; beyond that the generator is "
                            "measured, not the agent",
                            holds);
    if (r->outcome == STRESS_NOT_APPLICABLE || r->outcome == STRESS_SPOILED) return why;
    const char *squeezed = squeezed_words(r, scratch);
    if (why)
        return arena_printf(scratch, "%s; %s",
                            squeezed ? squeezed : rule_words(&r->rule, scratch), why);
    if (squeezed) return squeezed;
    const struct breaking_answer *b = r->breaking;
    if (b &&
        b->has_broken) { /* the levels next to it may be judged wrongly: one more each way */
        struct stress_rule seen = {b->why.rule, r->rule.value, r->rule.threshold, r->rule.unit};
        return arena_printf(scratch,
                            "breaks between %.4g and %.4g requests per second by %s; %s",
                            b->holds / b->precision, b->breaks * b->precision,
                            breaking_mode_name(b->mode), rule_words(&seen, scratch));
    }
    const char *times = spike_times(r, scratch);
    return times ? times : rule_words(&r->rule, scratch);
}

const char *answer_stress_sentence(const struct stress_result *r, struct arena *scratch)
{
    return result_sentence(r, scratch);
}

const char *answer_stress_recommendation(const struct stress_recommendation *r,
                                         struct arena *scratch)
{
    return arena_printf(scratch, "%s: %s (%s)", r->scenario, advice_words(r),
                        rule_words(&r->rule, scratch));
}

/* ---- text ---- */

/* A table would cut the sentence. */
static void put_results(const struct stress *s, struct arena *scratch, struct buf *out)
{
    enum { NAME = 19, OUTCOME = 14, WORDS_MAX = 400 };
    for (size_t i = 0; i < s->count; i++) {
        const struct stress_result *r = &s->results[i];
        const char *words = result_sentence(r, scratch);
        buf_printf(out, "  %-*s  %-*s  ", NAME, r->scenario->name, OUTCOME,
                   stress_outcome_name(r->outcome));
        plain_add(out, str_of(words ? words : ""), WORDS_MAX);
        buf_add_char(out, '\n');
    }
}

static void put_figures(const struct stress *s, struct buf *out)
{
    char text[HUMAN_SIZE], low[HUMAN_SIZE], high[HUMAN_SIZE];
    for (size_t i = 0; i < s->count; i++) {
        const struct stress_result *r = &s->results[i];
        if (r->figure_count == 0) continue;
        buf_printf(out, "  %s:", r->scenario->name);
        for (size_t k = 0; k < r->figure_count; k++) {
            const struct stress_figure *f = &r->figures[k];
            buf_printf(out, "%s %s %s", k ? "," : "", f->name,
                       human_value(f->unit, f->value, text));
            if (!isnan(f->low)) {
                buf_printf(out, " [%s, %s]", human_value(f->unit, f->low, low),
                           human_value(f->unit, f->high, high));
            }
        }
        buf_add_char(out, '\n');
    }
}

static void put_predictions(const struct stress *s, struct buf *out)
{
    char text[HUMAN_SIZE];
    for (size_t i = 0; i < s->count; i++) {
        for (size_t k = 0; k < s->results[i].prediction_count; k++) {
            const struct stress_prediction *p = &s->results[i].predictions[k];
            buf_printf(out, "  %.4g in flight: predicted %.4g/s [%.4g, %.4g], p95 %s", p->load,
                       p->of.throughput, p->of.throughput_limits[0], p->of.throughput_limits[1],
                       human_value("s", p->of.p95_s, text));
            if (!isnan(p->measured_rate)) {
                buf_printf(out, "; held back and measured: %.4g/s, p95 %s", p->measured_rate,
                           human_value("s", p->measured_p95_s, text));
            }
            buf_add_char(out, '\n');
        }
    }
}

static size_t count_of(const struct stress *s, enum stress_outcome outcome)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) n += s->results[i].outcome == outcome;
    return n;
}

static struct stress_tally tally_of(const struct stress *s)
{
    return (struct stress_tally){.agent = s->agent,
                                 .count = s->count,
                                 .broken = count_of(s, STRESS_BROKE),
                                 .held = count_of(s, STRESS_HELD),
                                 .spoiled = count_of(s, STRESS_SPOILED),
                                 .resilience = s->resilience,
                                 .is_partial = s->is_partial};
}

const char *stress_tally_head(const struct stress_tally *t, struct arena *scratch)
{
    const char *shown =
        t->broken > 0
            ? arena_printf(scratch, " breaks in %zu of %zu scenarios", t->broken, t->count)
        : t->held == t->count ? " holds under load"
        : t->held > 0
            ? arena_printf(scratch, " holds in %zu of %zu scenarios", t->held, t->count)
            : ": nothing was shown";
    size_t idle = t->count - t->broken - t->held - t->spoiled;
    const char *untold =
        t->spoiled > 0 ? arena_printf(scratch, "; %zu undecided", t->spoiled) : "";
    const char *unasked =
        idle > 0 ? arena_printf(scratch, "; %zu do%s not apply", idle, idle == 1 ? "es" : "")
                 : "";
    return arena_printf(scratch, "%s%s%s%s", t->agent, shown, untold, unasked);
}

const char *stress_tally_resilience(const struct stress_tally *t, struct arena *scratch)
{
    size_t decided = t->broken + t->held;
    if (isnan(t->resilience)) return "no scenario could be scored";
    if (!t->is_partial) return arena_printf(scratch, "resilience %.2f", t->resilience);
    return arena_printf(scratch, "resilience %.2f (of %zu scenario%s)", t->resilience, decided,
                        PLURAL(decided));
}

const char *answer_stress_head(const struct stress *s, struct arena *scratch)
{
    const struct stress_tally t = tally_of(s);
    return stress_tally_head(&t, scratch);
}

const char *answer_stress_resilience(const struct stress *s, struct arena *scratch)
{
    const struct stress_tally t = tally_of(s);
    return stress_tally_resilience(&t, scratch);
}

static void stress_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct stress *s = answer;
    struct arena scratch = arena_open();
    char text[HUMAN_SIZE];
    buf_printf(out, "%s; %s\n", answer_stress_head(s, &scratch),
               answer_stress_resilience(s, &scratch));
    put_results(s, &scratch, out);
    if (!look->quiet) {
        buf_printf(out, "\nnormal load: %.4g requests per second, ", s->usual.normal_rate);
        buf_printf(out, "95 %% within %s; ", human_value("s", s->usual.usual_p95_s, text));
        buf_printf(out, "objective: 95 %% within %s, at most %.3g %% errors\n",
                   human_value("s", s->usual.objective_s, text), 100 * s->usual.error_share);
        put_figures(s, out);
        put_predictions(s, out);
        for (size_t i = 0; i < s->recommendation_count; i++) {
            const struct stress_recommendation *r = &s->recommendations[i];
            buf_printf(out, "%s  %s\n", i ? "" : "\nwhat to do:\n",
                       answer_stress_recommendation(r, &scratch));
        }
        buf_printf(out, "\nevery block is in run %s: `assay show %s`\n", s->run_id,
                   id_short(s->run_id));
    }
    arena_close(&scratch);
}

/* ---- JSON ---- */

#define OF struct stress_rule
static const struct layout_field rule_fields[] = {
    LAYOUT_FIELD("rule", name, "that decided"),
    LAYOUT_FIELD("value", value, "what it saw"),
    LAYOUT_FIELD("threshold", threshold, "what that is compared with"),
    LAYOUT_FIELD("unit", unit, "of both"),
};
static const struct layout rule_layout = LAYOUT(rule_fields);
#undef OF

#define OF struct breaking_evidence
static const struct layout_field evidence_fields[] = {
    LAYOUT_FIELD("rule", rule, "what was looked at"),
    LAYOUT_FIELD("value", value, "what it saw"),
    LAYOUT_FIELD("threshold", threshold, "what that is compared with"),
};
static const struct layout evidence_layout = LAYOUT(evidence_fields);
#undef OF

#define OF struct breaking_answer
LAYOUT_WORD_IS(mode_of, const struct breaking_answer *x, breaking_mode_name(x->mode))
static const struct layout_field breaking_fields[] = {
    LAYOUT_FIELD("load", point, "requests per second at which it breaks"),
    LAYOUT_FIELD("holds", holds, "the highest load that was held"),
    LAYOUT_FIELD("breaks", breaks, "the lowest that was not; null: none"),
    LAYOUT_FIELD("safe", safe, "load with room for what a week brings"),
    LAYOUT_FIELD("headroom", headroom, "holds / normal - 1"),
    LAYOUT_FIELD("knee", knee, "from there on waiting grows faster than work done"),
    LAYOUT_FIELD("highest_rate", highest_rate, "good answers per second at most"),
    LAYOUT_FIELD(
        "recovery_s", recovery_s,
        "after a flood of 1.5 times the load that broke it; null: not within the block, or "
        "not known"),
    LAYOUT_WORD("failure_mode", mode_of, "how it fails"),
    LAYOUT_OBJECT("evidence", why, &evidence_layout, "of the failure mode"),
    LAYOUT_OBJECT("limit", limit, &evidence_layout,
                  "that the lowest load that was not held has missed: errors (share), p95 (s), "
                  "growth (share of the time) or died"),
    LAYOUT_FIELD("precision", precision, "breaks / holds that was sought: 1.05 is 5 %"),
    LAYOUT_FIELD("is_near", is_near,
                 "a level was so near the limit that its blocks did not tell"),
};
static const struct layout breaking_layout = LAYOUT(breaking_fields);
#undef OF

LAYOUT_WORD_IS(name_of, const struct stress_result *x, x->scenario->name)
LAYOUT_WORD_IS(description_of, const struct stress_result *x, x->scenario->summary)
LAYOUT_WORD_IS(outcome_of, const struct stress_result *x, stress_outcome_name(x->outcome))
LAYOUT_WORD_IS(reason_of, const struct stress_result *x, stress_reason_name(x->reason))
LAYOUT_CALL_IS(put_broke, json_bool, const struct stress_result *x, x->outcome == STRESS_BROKE)

static void put_monitored(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct stress_result *r = owner;
    json_list(j);
    for (size_t i = 0; i < r->scenario->monitored_count; i++)
        json_text(j, r->scenario->monitored[i]);
    json_end(j);
}

/* The heaviest phase, by the requirement's names. */
static void put_parameters(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct stress_result *r = owner;
    double rate = 0, seconds = 0;
    int64_t in_flight = 0;
    for (size_t i = 0; i < r->phase_count; i++) {
        const struct stress_ask *a = &r->phases[i].ask;
        rate = fmax(rate, a->rate * (a->factor > 0 ? a->factor : 1));
        seconds += a->seconds * (double)a->blocks;
        /* A load by its rate has as many in flight as it takes. */
        double most = (double)a->connections;
        for (size_t b = 0; a->connections == 0 && b < r->phases[i].count; b++)
            most = fmax(most, r->phases[i].blocks[b].in_flight);
        if (most > (double)in_flight) in_flight = (int64_t)most;
    }
    json_object(j);
    json_put_int(j, "concurrent_requests", in_flight);
    json_put_real(j, "duration_seconds", seconds);
    json_put_real(j, "request_rate", rate);
    json_end(j);
}

static void put_metrics(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct stress_result *r = owner;
    json_object(j);
    for (size_t i = 0; i < r->figure_count; i++) {
        const struct stress_figure *f = &r->figures[i];
        char name[64];
        json_put_real(j, f->name, f->value);
        if (isnan(f->low)) continue;
        snprintf(name, sizeof name, "%s_low", f->name);
        json_put_real(j, name, f->low);
        snprintf(name, sizeof name, "%s_high", f->name);
        json_put_real(j, name, f->high);
    }
    json_end(j);
}

static void put_executions(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct stress_result *r = owner;
    json_list(j);
    for (size_t i = 0; i < r->phase_count; i++) {
        if (r->phases[i].execution_id) json_text(j, r->phases[i].execution_id);
    }
    json_end(j);
}

static void put_advice_of(struct json *j, const void *owner, const void *whole)
{
    const struct stress_result *r = owner;
    const struct stress *s = whole;
    const char *advice = NULL;
    for (size_t i = 0; i < s->recommendation_count && !advice; i++) {
        bool is_of_it = strcmp(s->recommendations[i].scenario, r->scenario->name) == 0;
        if (is_of_it) advice = advice_words(&s->recommendations[i]);
    }
    json_text(j, advice);
}

#define OF struct stress_prediction
static const struct layout_field prediction_fields[] = {
    LAYOUT_FIELD("in_flight", load, "requests in flight"),
    LAYOUT_FIELD("rate", of.throughput, "good answers per second, by the law"),
    LAYOUT_ROW("rate_limits", of.throughput_limits, "95 % limits of a measurement"),
    LAYOUT_FIELD("p95_s", of.p95_s, "of response times"),
    LAYOUT_ROW("p95_limits", of.p95_limits, "95 % limits"),
    LAYOUT_FIELD("measured_rate", measured_rate, "of a level held back; null: not measured"),
    LAYOUT_FIELD("measured_p95_s", measured_p95_s, "the same"),
};
static const struct layout prediction_layout = LAYOUT_OF(OF, prediction_fields);
#undef OF

#define OF struct usl
static const struct layout_field usl_fields[] = {
    LAYOUT_FIELD("lambda", lambda, "good answers per second of one in flight"),
    LAYOUT_FIELD("sigma", sigma, "share that waits in line"),
    LAYOUT_FIELD("kappa", kappa, "price of agreeing with each other"),
    LAYOUT_FIELD("peak_load", peak_load, "in flight; null: no peak"),
    LAYOUT_FIELD("peak_throughput", peak_throughput, "good answers per second there"),
};
static const struct layout usl_layout = LAYOUT(usl_fields);
#undef OF

#define OF struct usl_interval
static const struct layout_field usl_interval_fields[] = {
    LAYOUT_ROW("lambda", lambda, "95 % interval"),
    LAYOUT_ROW("sigma", sigma, "95 % interval"),
    LAYOUT_ROW("kappa", kappa, "95 % interval; above 0: retrograde"),
};
static const struct layout usl_interval_layout = LAYOUT(usl_interval_fields);
#undef OF

#define OF struct stress_result
static const struct layout_field result_fields[] = {
    LAYOUT_WORD("name", name_of, "of the scenario"),
    LAYOUT_WORD("description", description_of, "what it does"),
    LAYOUT_CALL("parameters", put_parameters, "object",
                "of its heaviest phase, and their length"),
    LAYOUT_CALL("metrics_to_monitor", put_monitored, "array", "what it looks at"),
    LAYOUT_WORD("outcome", outcome_of, "held, broke, not_applicable or spoiled"),
    LAYOUT_CALL("broke", put_broke, "boolean", "true: it broke"),
    LAYOUT_WORD(
        "reason", reason_of,
        "code of not_applicable and spoiled, or of what another leaves open; else null"),
    LAYOUT_SENTENCE("sentence", result_sentence, "the same in words"),
    LAYOUT_OBJECT("evidence", rule, &rule_layout, "the rule that decided"),
    LAYOUT_CALL("recommendation", put_advice_of, "string", "what to do; null: nothing"),
    LAYOUT_CALL("metrics", put_metrics, "object", "what was found"),
    LAYOUT_FIELD("score", score, "0 to 1; null: not judged"),
    LAYOUT_POINTER("breaking_point", breaking, &breaking_layout, "of a search; else null"),
    LAYOUT_POINTER("usl", usl, &usl_layout, "law of scaling, fitted; else null"),
    LAYOUT_POINTER("usl_interval", usl_interval, &usl_interval_layout, "of its parameters"),
    LAYOUT_ARRAY("predictions", predictions, prediction_count, &prediction_layout,
                 "what the law says of loads that it has not seen"),
    LAYOUT_CALL("executions", put_executions, "array", "ids of the phases it rests on"),
};
static const struct layout result_layout = LAYOUT_OF(OF, result_fields);
#undef OF

LAYOUT_WORD_IS(recommendation_words, const struct stress_recommendation *x, advice_words(x))

#define OF struct stress_recommendation
static const struct layout_field recommendation_fields[] = {
    LAYOUT_FIELD("scenario", scenario, "that showed it"),
    LAYOUT_WORD("recommendation", recommendation_words, "what to do"),
    LAYOUT_OBJECT("evidence", rule, &rule_layout, "why"),
};
static const struct layout recommendation_layout = LAYOUT_OF(OF, recommendation_fields);
#undef OF

#define OF struct stress_limits
static const struct layout_field limit_fields[] = {
    LAYOUT_FIELD("safe_rate", safe_rate, "requests per second with headroom"),
    LAYOUT_FIELD("highest_rate", highest_rate, "good answers per second at most"),
    LAYOUT_FIELD("peak_in_flight", peak_in_flight, "requests in flight with the highest rate"),
    LAYOUT_FIELD("allowed_rate", allowed_rate, "what its rate limit lets through"),
    LAYOUT_FIELD("largest_input_bytes", largest_input_bytes, "that was answered"),
};
static const struct layout limit_layout = LAYOUT(limit_fields);
#undef OF

#define OF struct stress
static const struct layout_field usual_fields[] = {
    LAYOUT_FIELD("normal_rate", usual.normal_rate, "requests per second"),
    LAYOUT_FIELD("p95_s", usual.usual_p95_s, "of response times at the normal load"),
    LAYOUT_FIELD("accuracy", usual.usual_accuracy,
                 "of answers at the normal load; null: not judged"),
    LAYOUT_FIELD("objective_p95_s", usual.objective_s, "what is demanded"),
    LAYOUT_FIELD("objective_error_share", usual.error_share, "what is demanded"),
};
static const struct layout usual_layout = LAYOUT(usual_fields);

static const struct breaking_answer *breaking_of(const struct stress *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct breaking_answer *b = s->results[i].breaking;
        if (b && b->has_broken) return b;
    }
    return NULL;
}

static void put_breaking(struct json *j, const void *owner, const void *whole)
{
    const struct breaking_answer *b = breaking_of(owner);
    if (b) {
        layout_put(j, &breaking_layout, b, whole);
    } else {
        json_null(j);
    }
}

static const struct layout_field stress_fields[] = {
    LAYOUT_FIELD("agent_id", agent, "what was loaded"),
    LAYOUT_FIELD("run_id", run_id, "the run that holds the phases"),
    LAYOUT_GROUP("usual", &usual_layout, "measured before any scenario"),
    LAYOUT_LIST("stress_test_results", results, count, &result_layout, "one a scenario"),
    LAYOUT_CALL("breaking_point", put_breaking, "object",
                "where it breaks; null: nowhere tried"),
    LAYOUT_FIELD("resilience_score", resilience, "mean score of the scenarios that apply"),
    LAYOUT_FIELD("is_partial", is_partial, "not every scenario applies or was asked for"),
    LAYOUT_OBJECT("scaling_limits", limits, &limit_layout, "null: not known"),
    LAYOUT_LIST("recommendations", recommendations, recommendation_count,
                &recommendation_layout, "each with its evidence"),
};
static const struct layout stress_layout = LAYOUT(stress_fields);
#undef OF

/* ---- records ---- */

static const char *text_of(const struct layout *layout, const void *owner,
                           const struct stress *whole, struct arena *out)
{
    struct buf text;
    struct json j;
    buf_init(&text, ANSWER_MAX_BYTES);
    json_init(&j, &text, 0);
    layout_put(&j, layout, owner, whole);
    return buf_keep(&text, out);
}

static const struct layout_field parameter_field[] = {
    LAYOUT_CALL("parameters", put_parameters, "object", "of its heaviest phase"),
};
static const struct layout parameter_layout = LAYOUT(parameter_field);

struct stress_record *answer_stress_records(const struct stress *s, struct arena *out,
                                            size_t *count)
{
    struct stress_record *rows = arena_new(out, struct stress_record, s->count + 1);
    *count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct stress_result *r = &s->results[i];
        /* What asked for no phase is decided by the normal load, or before any. */
        const struct stress_phase *last =
            r->phase_count > 0 ? &r->phases[r->phase_count - 1] : s->usual.normal;
        if (!last || !last->execution_id) continue;
        rows[(*count)++] = (struct stress_record){
            .execution_id = last->execution_id,
            .scenario = r->scenario->name,
            .parameters = text_of(&parameter_layout, r, s, out),
            .result = text_of(&result_layout, r, s, out),
            .breaking_point = r->breaking && r->breaking->has_broken
                                  ? text_of(&breaking_layout, r->breaking, s, out)
                                  : NULL,
            .broke = r->outcome == STRESS_BROKE,
            .resilience_score = s->resilience,
        };
    }
    return rows;
}

/* ---- plots ---- */

enum { POINTS_MAX = 1024 };

/* Response times of the search's blocks by load. */
static struct plot search_plot(const struct stress *s, const struct stress_result *r,
                               struct arena *out)
{
    struct plot_point *points = arena_new(out, struct plot_point, POINTS_MAX);
    struct plot_series *series = arena_new(out, struct plot_series, 1);
    struct plot_mark *marks = arena_new(out, struct plot_mark, 2);
    size_t n = 0;
    for (size_t k = 0; k < r->phase_count; k++) {
        bool is_level = !(r->phases[k].ask.factor > 0); /* not the flood after them */
        for (size_t b = 0; is_level && b < r->phases[k].count && n < POINTS_MAX; b++) {
            const struct stress_block *block = &r->phases[k].blocks[b];
            if (!block->is_answered) continue;
            points[n++] = (struct plot_point){
                .x = r->phases[k].ask.rate, .y = block->p95_s, .low = NAN, .high = NAN};
        }
    }
    marks[0] = (struct plot_mark){"objective", s->usual.objective_s, false};
    marks[1] = (struct plot_mark){"breaks", r->breaking->point, true};
    *series = (struct plot_series){NULL, points, n};
    return (struct plot){.title = "Response time by load",
                         .kind = PLOT_POINTS,
                         .x = {"requests per second", "1/s"},
                         .y = {"p95", "s"},
                         .series = series,
                         .series_count = 1,
                         .marks = marks,
                         .mark_count = r->breaking->has_broken ? 2 : 1};
}

/* The rate by the number in flight: as measured, and by the law. */
static struct plot scaling_plot(const struct stress_result *r, struct arena *out)
{
    struct plot_point *measured = arena_new(out, struct plot_point, POINTS_MAX);
    struct plot_point *law = arena_new(out, struct plot_point, r->phase_count + 1);
    struct plot_series *series = arena_new(out, struct plot_series, 2);
    size_t n = 0;
    for (size_t k = 0; k < r->phase_count; k++) {
        double load = (double)r->phases[k].ask.connections;
        law[k] = (struct plot_point){
            .x = load, .y = usl_throughput(r->usl, load), .low = NAN, .high = NAN};
        for (size_t b = 0; b < r->phases[k].count && n < POINTS_MAX; b++) {
            measured[n++] = (struct plot_point){
                .x = load, .y = r->phases[k].blocks[b].rate, .low = NAN, .high = NAN};
        }
    }
    series[0] = (struct plot_series){"measured", measured, n};
    series[1] = (struct plot_series){"law of scaling", law, r->phase_count};
    return (struct plot){.title = "Rate by requests in flight",
                         .kind = PLOT_POINTS,
                         .x = {"in flight", NULL},
                         .y = {"rate", "1/s"},
                         .series = series,
                         .series_count = 2};
}

static struct plot_list stress_plots(const void *answer, struct arena *out)
{
    const struct stress *s = answer;
    struct plot *plots = arena_new(out, struct plot, 2 * s->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct stress_result *r = &s->results[i];
        if (r->breaking && r->phase_count > 0) plots[n++] = search_plot(s, r, out);
        if (r->usl) plots[n++] = scaling_plot(r, out);
    }
    return (struct plot_list){plots, n};
}

const struct answer answer_stress = {
    ANSWER_NAME("stress"),
    .summary = "where an agent breaks under load, how, and what to do about it",
    .layout = &stress_layout,
    .text = stress_text,
    .plots = stress_plots,
    .formats = {{"markdown", stress_document_markdown}, {"html", stress_document_html}},
};
