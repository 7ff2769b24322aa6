#include "instrument/instrument.h"
#include "tests/registry.h"

static void check_hooks(const struct instrument *it)
{
    if (!it->begin != !it->end) fail_msg("%s: begin and end come together", it->name);
    if (it->begin && !it->give) fail_msg("%s: measures, but gives nothing", it->name);
    if (it->close && !it->open) fail_msg("%s: close without open", it->name);
    int watch = !!it->watch_interval_ns + !!it->watch_open + !!it->watch_begin +
                !!it->watch_tick + !!it->watch_end + !!it->watch_close;
    if (watch != 0 && watch != 6) fail_msg("%s: %d of 6 watch hooks", it->name, watch);
    if (it->begin && it->state_size == 0) fail_msg("%s: hooks without a state", it->name);
}

TEST(every_row_is_complete)
{
    for (size_t i = 0; instrument_at(i); i++) {
        const struct instrument *it = instrument_at(i);
        registry_check_name("instrument", it->name);
        if (!registry_is_line(it->summary)) fail_msg("%s: summary", it->name);
        if (it->metric_count == 0 && !it->own_trials)
            fail_msg("%s: measures nothing", it->name);
        registry_check_params(it->name, it->options, it->config_size);
        registry_check_metrics(it->name, it->metrics, it->metric_count);
        check_hooks(it);
    }
}

TEST(every_name_and_alias_is_unique_and_found)
{
    for (size_t i = 0; instrument_at(i); i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(instrument_at(i)->name, instrument_at(k)->name) == 0)
                fail_msg("two instruments '%s'", instrument_at(i)->name);
        }
    }
    for (size_t i = 0; instrument_at(i); i++) {
        const struct instrument *it = instrument_at(i);
        if (instrument_find(str_of(it->name)) != it) fail_msg("two instruments '%s'", it->name);
        if (it->alias && instrument_find(str_of(it->alias)) != it)
            fail_msg("two instruments '%s'", it->alias);
    }
    assert_null(instrument_find(S("no such thing")));
    assert_null(instrument_find((struct str){0}));
}

/* An instrument that this machine lacks must say so, with a reason. */
TEST(what_is_unavailable_says_why)
{
    for (size_t i = 0; instrument_at(i); i++) {
        const struct instrument *it = instrument_at(i);
        if (!it->available) continue;
        struct arena arena = arena_open();
        void *config = arena_alloc(&arena, 1, it->config_size + 1, 16);
        struct error err = {0};
        assert_true(param_read(it->options, NULL, config, &arena, &err));
        if (!it->available(config, &err)) {
            assert_int_equal(err.code, ERROR_UNAVAILABLE);
            assert_true(strlen(err.text) > 10);
        }
        arena_close(&arena);
    }
}

TEST_MAIN(T(every_row_is_complete), T(every_name_and_alias_is_unique_and_found),
          T(what_is_unavailable_says_why))
