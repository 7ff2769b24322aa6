/* The order of calls around a trial is the measurement: prepare before the instruments begin,
 * the clock innermost, instruments ended in reverse, conclude after everything has been read.
 *
 * Every random stream follows from the seed, the pass and the case alone, never from the order
 * of execution: arms of a group get the same data and the same order of cases in each pass, and
 * a trial that is repeated gets the data that it had. Warm-ups have streams of their own. */
#include "run/measure.h"

#include "base/clock.h"
#include "stats/quantile.h"

#include <math.h>

static void begin_instruments(const struct measure *m)
{
    for (size_t i = 0; i < m->plan->instrument_count; i++) {
        const struct instrument *row = m->plan->instruments[i].row;
        if (m->instrument_states[i] && row->begin) row->begin(m->instrument_states[i]);
    }
}

/* In reverse, so that the first to begin is the last to end. */
static void end_instruments(const struct measure *m)
{
    for (size_t i = m->plan->instrument_count; i-- > 0;) {
        const struct instrument *row = m->plan->instruments[i].row;
        if (m->instrument_states[i] && row->end) row->end(m->instrument_states[i]);
    }
}

static void give_instruments(const struct measure *m, double duration_s)
{
    for (size_t i = 0; i < m->plan->instrument_count; i++) {
        const struct group_instrument *g = &m->plan->instruments[i];
        if (!m->instrument_states[i] || !g->row->give) continue;
        g->row->give(m->instrument_states[i], duration_s, &m->trial.usage,
                     m->values + g->first_column);
    }
}

/* Cases in a seeded order of each pass, the same in every arm. */
static int64_t case_of(struct measure *m, int64_t iteration, int64_t place)
{
    if (m->case_order_of != iteration) {
        struct rng r =
            rng_seeded(rng_derive(m->plan->workload_seed, 0xCA5E, (uint64_t)iteration));
        rng_permutation(&r, m->case_order, (size_t)m->plan->case_count);
        m->case_order_of = iteration;
    }
    return m->case_order[place];
}

uint32_t measure_case_of(const struct group_arm *plan, int64_t trial, struct arena scratch)
{
    if (plan->case_count <= 1) return 0;
    struct measure m = {.plan = plan, .case_order_of = -1};
    m.case_order = arena_new(&scratch, uint32_t, (size_t)plan->case_count);
    return (uint32_t)case_of(&m, trial / plan->case_count, trial % plan->case_count);
}

static void name_trial(struct measure *m, enum trial_phase phase, int64_t index)
{
    struct trial *t = &m->trial;
    t->phase = phase;
    t->iteration = index;
    t->case_index = 0;
    if (m->plan->case_count > 1) {
        t->iteration = index / m->plan->case_count;
        t->case_index = case_of(m, t->iteration, index % m->plan->case_count);
    }
    /* A warm-up has streams of its own: its data are not those of trial 0. */
    uint64_t which = (uint64_t)t->iteration * 2 + (phase == PHASE_WARMUP);
    t->workload_seed = rng_nth(m->plan->workload_seed, which);
    t->private_seed = rng_nth(m->plan->private_seed, which);
    if (t->case_index > 0) {
        t->workload_seed = rng_nth(t->workload_seed, (uint64_t)t->case_index);
        t->private_seed = rng_nth(t->private_seed, (uint64_t)t->case_index);
    }
    t->case_hash = NULL;
    t->is_simulated = t->is_untimed = false;
    t->usage.is_set = false;
    t->start_ns = t->end_ns = 0;
    t->error.code = ERROR_NONE;
    t->error.text[0] = '\0';
    if (m->detail.n) buf_clear(&m->detail);
    if (m->output.n) buf_clear(&m->output);
    if (m->histograms.n || m->histograms.overflow) buf_clear(&m->histograms);
    for (size_t i = 0; i < m->plan->column_count; i++) m->values[i] = NAN;
}

static void count_limit_from(const struct measure *m, int64_t now_ns)
{
    if (m->limit_from_ns) {
        atomic_store_explicit(m->limit_from_ns, now_ns, memory_order_relaxed);
    }
}

struct reading measure_trial(struct measure *m, enum trial_phase phase, int64_t index)
{
    const struct experiment *e = m->plan->experiment;
    struct trial *t = &m->trial;
    name_trial(m, phase, index);
    if (e->prepare) {
        enum trial_status status = e->prepare(t, m->state);
        if (status != TRIAL_OK) {
            int64_t now_ns = clock_ns();
            return (struct reading){status, now_ns, now_ns};
        }
        count_limit_from(m, clock_ns());
    }

    if (m->has_hooks) begin_instruments(m);
    int64_t start_ns = clock_ns();
    enum trial_status status = e->execute_once(t, m->state);
    int64_t end_ns = clock_ns();
    if (m->has_hooks) end_instruments(m);

    if (e->conclude) {
        /* What others do after a trial (a judge, a step) has limits of its own. */
        count_limit_from(m, e->spawns ? 0 : end_ns);
        status = e->conclude(t, m->state, status);
    }
    if (t->end_ns > 0) {
        start_ns = t->start_ns;
        end_ns = t->end_ns;
    }
    m->values[0] = t->is_untimed ? (double)NAN : (double)(end_ns - start_ns) / 1e9;
    if (m->has_hooks) give_instruments(m, m->values[0]);
    return (struct reading){status, start_ns, end_ns};
}

double measure_overhead(struct measure *m)
{
    enum { READINGS = 101 };
    double readings[READINGS];
    const struct experiment *empty = experiment_find(S("noop"));
    CHECK(empty != NULL);
    for (int i = 0; i < READINGS; i++) {
        begin_instruments(m);
        int64_t start_ns = clock_ns();
        empty->execute_once(&m->trial, m->state);
        int64_t end_ns = clock_ns();
        end_instruments(m);
        readings[i] = (double)(end_ns - start_ns) / 1e9;
    }
    stats_sort_inplace(readings, READINGS);
    return quantile_median(readings, READINGS);
}
