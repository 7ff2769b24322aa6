/* Stored conclusions of stress tests: scenario by scenario, as they were made. */
#include "report/answer_stress_results.h"

#include "base/value.h"
#include "report/answer_stress.h"
#include "report/answers.h"

#define OF struct stress_record
static const struct layout_field row_fields[] = {
    LAYOUT_FIELD("scenario", scenario, "its name"),
    LAYOUT_FIELD("execution_id", execution_id,
                 "the last of its phases; of a scenario without one the normal load"),
    LAYOUT_JSON("parameters", parameters, "of the scenario"),
    LAYOUT_JSON("result", result, "as an item of test_results in assay.stress/1"),
    LAYOUT_JSON("breaking_point", breaking_point, "null: none was searched for, or found"),
    LAYOUT_FIELD("broke", broke, "whether it broke"),
    LAYOUT_FIELD("resilience_score", resilience_score, "of the whole test, 0 to 1"),
};
static const struct layout row_layout = LAYOUT_OF(OF, row_fields);
#undef OF

static const struct value *result_of(const struct stress_record *row, struct arena *out)
{
    const struct value *result = NULL;
    bool done = value_read_json(str_of(row->result), &value_limits_stored, out, &result, NULL);
    return done ? result : NULL;
}

static struct stress_tally tally_of(const struct answer_stress_results *a, struct arena *out)
{
    size_t all = 0;
    while (stress_scenario_at(all)) all++;
    struct stress_tally t = {.agent = a->agent ? a->agent : "it", .count = a->count};
    for (size_t i = 0; i < a->count; i++) {
        struct str outcome = value_text(result_of(&a->rows[i], out), "outcome");
        t.broken += str_is(outcome, stress_outcome_name(STRESS_BROKE));
        t.held += str_is(outcome, stress_outcome_name(STRESS_HELD));
        t.spoiled += str_is(outcome, stress_outcome_name(STRESS_SPOILED));
        t.resilience = a->rows[i].resilience_score; /* of the whole test: the same in each */
    }
    t.is_partial = t.broken + t.held < all;
    return t;
}

static const char *whole_sentence(const void *owner, struct arena *out)
{
    const struct answer_stress_results *a = owner;
    if (a->count == 0) return NULL;
    const struct stress_tally t = tally_of(a, out);
    return arena_printf(out, "%s; %s", stress_tally_head(&t, out),
                        stress_tally_resilience(&t, out));
}

static size_t spoiled_by_generator(const struct answer_stress_results *a, struct arena *out)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct value *result = result_of(&a->rows[i], out);
        n += str_is(value_text(result, "outcome"), stress_outcome_name(STRESS_SPOILED)) &&
             str_is(value_text(result, "reason"), stress_reason_name(STRESS_GENERATOR));
    }
    return n;
}

static const char *whole_generator(const void *owner, struct arena *out)
{
    const struct answer_stress_results *a = owner;
    if (a->count == 0) return NULL;
    size_t n = spoiled_by_generator(a, out);
    if (n == 0) return "the generator kept up";
    return arena_printf(out, "the generator was saturated in %zu of %zu scenarios", n,
                        a->count);
}

/* What the first scenario that has advice says; else what would decide the others. */
static const char *whole_next(const void *owner, struct arena *out)
{
    const struct answer_stress_results *a = owner;
    for (size_t i = 0; i < a->count; i++) {
        struct str advice = value_text(result_of(&a->rows[i], out), "recommendation");
        if (advice.n)
            return arena_printf(out, "%s: %.*s", a->rows[i].scenario, STR_ARG(advice));
    }
    if (a->count == 0 || spoiled_by_generator(a, out) == 0) return NULL;
    return "run it again with the generator on a machine of its own, or at a lower `--rate`";
}

#define OF struct answer_stress_results
static const struct layout_field fields[] = {
    LAYOUT_FIELD("run_id", run.id, "the run; null: no stress test was stored"),
    LAYOUT_STAMP("started", run.started_ns, "when it began"),
    LAYOUT_FIELD("agent", agent, "its URL or name"),
    LAYOUT_SENTENCE("sentence", whole_sentence, "what was shown, of how many scenarios"),
    LAYOUT_SENTENCE("next", whole_next, "what to do; null: nothing"),
    LAYOUT_SENTENCE("generator", whole_generator, "whether the load was what it should be"),
    LAYOUT_FIELD("environment", run.environment, "the machine"),
    LAYOUT_LIST("results", rows, count, &row_layout, "one for each scenario"),
};
static const struct layout layout = LAYOUT(fields);
#undef OF

static void text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct answer_stress_results *a = answer;
    if (a->count == 0) buf_text(out, "no stress test is stored; `assay stress` makes one\n");
    for (size_t i = 0; i < a->count; i++) {
        buf_printf(out, "%s %s\n", a->rows[i].scenario,
                   a->rows[i].broke ? "broke" : "did not break");
    }
}

const struct answer answer_stress_results = {
    .name = "stress_results",
    .summary = "stored conclusions of a stress test",
    .schema = "assay.stress_results/1",
    .layout = &layout,
    .text = text,
};
