/* Stored conclusions of stress tests: scenario by scenario, as they were made. */
#include "report/answer_stress_results.h"

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

#define OF struct answer_stress_results
static const struct layout_field fields[] = {
    LAYOUT_FIELD("run_id", run.id, "the run; null: no stress test was stored"),
    LAYOUT_STAMP("started", run.started_ns, "when it began"),
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
