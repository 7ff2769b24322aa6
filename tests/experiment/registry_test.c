#include "experiment/experiment.h"
#include "instrument/instrument.h"
#include "tests/registry.h"

TEST(every_row_is_complete)
{
    registry_check("experiment", experiment_entry, false);
    for (size_t i = 0; experiment_at(i); i++) {
        if (!experiment_at(i)->execute_once)
            fail_msg("%s: execute_once is required", experiment_at(i)->name);
    }
}

TEST(no_metric_hides_the_duration_and_the_primary_exists)
{
    for (size_t i = 0; experiment_at(i); i++) {
        const struct experiment *e = experiment_at(i);
        bool has_primary = !e->primary || strcmp(e->primary, "duration_s") == 0;
        for (size_t m = 0; m < e->metric_count; m++) {
            assert_string_not_equal(e->metrics[m].name, "duration_s");
            if (e->primary && strcmp(e->metrics[m].name, e->primary) == 0) has_primary = true;
        }
        if (!has_primary) fail_msg("%s: primary '%s' is not a metric", e->name, e->primary);
    }
}

static const struct metric *metric_of(const struct experiment *e, const char *name)
{
    if (strcmp(name, "duration_s") == 0) return &metric_duration;
    for (size_t i = 0; i < e->metric_count; i++) {
        if (strcmp(e->metrics[i].name, name) == 0) return &e->metrics[i];
    }
    fail_msg("%s: a plot of '%s', which is no metric", e->name, name);
    return NULL;
}

TEST(plots_are_of_its_own_parameters_and_of_metrics_of_one_unit)
{
    for (size_t i = 0; experiment_at(i); i++) {
        const struct experiment *e = experiment_at(i);
        for (size_t k = 0; k < e->plot_count; k++) {
            const struct experiment_plot *plot = &e->plots[k];
            assert_true(registry_is_line(plot->title));
            assert_non_null(plot->y[0]);
            bool is_swept = plot->kind != EXPERIMENT_CURVES; /* those are within a trial */
            if (is_swept && plot->x && !param_find(e->params, str_of(plot->x)))
                fail_msg("%s: a plot over '%s', which is no parameter", e->name, plot->x);
            for (size_t y = 0; plot->y[y]; y++) {
                assert_string_equal(metric_of(e, plot->y[y])->unit,
                                    metric_of(e, plot->y[0])->unit);
            }
        }
    }
}

/* A trial's values are kept by name: where an experiment and an instrument both
 * give one, it must be the same thing. */
TEST(one_name_is_one_metric)
{
    for (size_t i = 0; experiment_at(i); i++) {
        const struct experiment *e = experiment_at(i);
        for (size_t k = 0; instrument_at(k); k++) {
            registry_check_same(e->metrics, e->metric_count, instrument_at(k)->metrics,
                                instrument_at(k)->metric_count);
        }
    }
    for (size_t i = 0; instrument_at(i); i++) {
        for (size_t k = 0; k < i; k++) {
            registry_check_same(instrument_at(i)->metrics, instrument_at(i)->metric_count,
                                instrument_at(k)->metrics, instrument_at(k)->metric_count);
        }
    }
}

TEST_MAIN(T(every_row_is_complete),
          T(plots_are_of_its_own_parameters_and_of_metrics_of_one_unit),
          T(no_metric_hides_the_duration_and_the_primary_exists), T(one_name_is_one_metric))
