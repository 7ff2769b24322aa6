#include "experiment/declared.h"

#include "experiment/experiment.h"
#include "instrument/instrument.h"
#include "tests/test.h"

static const double parts[] = {0.498, 0.419, 0.7};

static struct series_record series(const char *metric, const char *definition, const char *unit,
                                   enum kind kind)
{
    return (struct series_record){.metric = metric,
                                  .unit = unit,
                                  .direction = DIRECTION_HIGHER,
                                  .definition = definition,
                                  .kind = kind,
                                  .count = COUNT(parts),
                                  .samples = parts};
}

TEST(what_is_stored_holds_whatever_the_values_are)
{
    struct series_record s = series("speedup", "generic/1", "1", KIND_SHARE);
    assert_int_equal(declared_kind_of(&s), KIND_SHARE);
    s.kind = KIND_RATIO;
    assert_int_equal(declared_kind_of(&s), KIND_RATIO);
}

TEST(an_older_row_has_the_kind_of_its_declaration)
{
    static const struct {
        const char *metric, *definition, *unit;
        enum kind kind;
    } rows[] = {
        {"duration_s", "duration/1", "s", KIND_RATIO},
        {"speedup", "spatial_batch_speedup/1", "1", KIND_RATIO},
        {"memory_efficiency", "spatial_memory_efficiency/1", "1", KIND_RATIO},
        {"accuracy", "rubric_score/1", "1", KIND_SHARE},
        {"output_relevance", "rubric_dimension/1", "1", KIND_SHARE},
        {"error_share", "load_error_share/1", "1", KIND_SHARE},
        {"false_stop_by_twice", "evolve_false_stop/2", "1", KIND_SHARE},
        {"cost_usd", "cost/1", "USD", KIND_SUM},
        {"cost_usd", "recorded.cost/1", "USD", KIND_SUM},
        {"speedup", "generic/1", "1", KIND_RATIO}, /* nobody's: by its values */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct series_record s =
            series(rows[i].metric, rows[i].definition, rows[i].unit, KIND_UNSAID);
        if (declared_kind_of(&s) != rows[i].kind)
            fail_msg("%s is a %s", rows[i].metric, kind_name(declared_kind_of(&s)));
    }
}

TEST(seconds_are_no_shares_even_if_each_is_one)
{
    static const double ones[] = {1, 1, 1};
    assert_int_equal(metric_guess_kind("s", ones, 3), KIND_RATIO);
    assert_int_equal(metric_guess_kind("1", ones, 3), KIND_SHARE);
    assert_int_equal(metric_guess_kind("USD", ones, 3), KIND_SUM);
}

/* One name and definition, one kind: whichever row is found first. Money is a sum. */
TEST(tables_agree_with_each_other)
{
    static registry_entry_at *const registries[] = {experiment_entry, instrument_entry};
    for (size_t r = 0; r < COUNT(registries); r++) {
        for (size_t i = 0; registries[r](i); i++) {
            const struct registry_entry *e = registries[r](i);
            for (size_t k = 0; k < e->metric_count; k++) {
                const struct metric *m = &e->metrics[k];
                bool is_money = strcmp(m->unit, "USD") == 0;
                if (declared_kind(m->name, m->definition) != m->kind ||
                    m->kind == KIND_UNSAID || is_money != (m->kind == KIND_SUM))
                    fail_msg("%s of %s is not of one kind", m->name, e->name);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_is_stored_holds_whatever_the_values_are),
        T(an_older_row_has_the_kind_of_its_declaration),
        T(seconds_are_no_shares_even_if_each_is_one),
        T(tables_agree_with_each_other),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
