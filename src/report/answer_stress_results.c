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

/* An outcome that this version has no name for is not known. */
static enum stress_outcome outcome_of(const struct stress_record *row, struct str name)
{
    for (int o = STRESS_HELD; o <= STRESS_SPOILED; o++) {
        if (str_is(name, stress_outcome_name((enum stress_outcome)o)))
            return (enum stress_outcome)o;
    }
    return row->broke ? STRESS_BROKE : STRESS_SPOILED;
}

const struct stress_conclusion *answer_stress_conclusions(const struct stress_record *rows,
                                                          size_t count, struct arena *out)
{
    struct stress_conclusion *all = arena_new(out, struct stress_conclusion, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct value *result = value_stored(rows[i].result, out);
        all[i].outcome = outcome_of(&rows[i], value_text(result, "outcome"));
        all[i].is_of_generator =
            all[i].outcome == STRESS_SPOILED &&
            str_is(value_text(result, "reason"), stress_reason_name(STRESS_GENERATOR));
        all[i].advice = value_text(result, "recommendation");
    }
    return all;
}

static struct stress_tally tally_of(const struct answer_stress_results *a)
{
    size_t all = 0;
    while (stress_scenario_at(all)) all++;
    struct stress_tally t = {.agent = a->agent ? a->agent : "it", .count = a->count};
    for (size_t i = 0; i < a->count; i++) {
        t.broken += a->conclusions[i].outcome == STRESS_BROKE;
        t.held += a->conclusions[i].outcome == STRESS_HELD;
        t.spoiled += a->conclusions[i].outcome == STRESS_SPOILED;
        t.resilience = a->rows[i].resilience_score; /* of the whole test: the same in each */
    }
    t.is_partial = t.broken + t.held < all;
    return t;
}

static const char *whole_sentence(const void *owner, struct arena *out)
{
    const struct answer_stress_results *a = owner;
    if (a->count == 0) return NULL;
    const struct stress_tally t = tally_of(a);
    return arena_printf(out, "%s; %s", stress_tally_head(&t, out),
                        stress_tally_resilience(&t, out));
}

static size_t spoiled_by_generator(const struct answer_stress_results *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++) n += a->conclusions[i].is_of_generator;
    return n;
}

static const char *whole_generator(const void *owner, struct arena *out)
{
    const struct answer_stress_results *a = owner;
    if (a->count == 0) return NULL;
    size_t n = spoiled_by_generator(a);
    if (n == 0) return "the generator kept up";
    return arena_printf(out, "the generator was saturated in %zu of %zu scenarios", n,
                        a->count);
}

/* What the first scenario that has advice says; else what would decide the others. */
static const char *whole_next(const void *owner, struct arena *out)
{
    const struct answer_stress_results *a = owner;
    for (size_t i = 0; i < a->count; i++) {
        struct str advice = a->conclusions[i].advice;
        if (advice.n)
            return arena_printf(out, "%s: %.*s", a->rows[i].scenario, STR_ARG(advice));
    }
    if (a->count == 0 || spoiled_by_generator(a) == 0) return NULL;
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
    static const char *const words[] = {[STRESS_HELD] = "did not break",
                                        [STRESS_BROKE] = "broke",
                                        [STRESS_NOT_APPLICABLE] = "not applicable",
                                        [STRESS_SPOILED] = "undecided"};
    (void)look;
    const struct answer_stress_results *a = answer;
    if (a->count == 0) buf_text(out, "no stress test is stored; `assay stress` makes one\n");
    for (size_t i = 0; i < a->count; i++)
        buf_printf(out, "%s %s\n", a->rows[i].scenario, words[a->conclusions[i].outcome]);
}

const struct answer answer_stress_results = {
    ANSWER_NAME("stress_results"),
    .summary = "stored conclusions of a stress test",
    .layout = &layout,
    .text = text,
};
