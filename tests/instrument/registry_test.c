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
    registry_check("instrument", instrument_entry, false);
    for (size_t i = 0; instrument_at(i); i++) {
        const struct instrument *it = instrument_at(i);
        if (it->metric_count == 0 && !it->own_trials)
            fail_msg("%s: measures nothing", it->name);
        check_hooks(it);
    }
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
        assert_true(param_read(it->params, NULL, config, &arena, &err));
        if (!it->available(config, &err)) {
            assert_int_equal(err.code, ERROR_UNAVAILABLE);
            assert_true(strlen(err.text) > 10);
        }
        arena_close(&arena);
    }
}

TEST_MAIN(T(every_row_is_complete), T(what_is_unavailable_says_why))
