/* Commit rule: a trial of 5 ms or more is committed alone, shorter ones
 * together, at the latest 10 ms after the first of them ended: due after 8, at
 * an arm's next bell or, where that is earlier, by the parent's own clock. */
#include "base/clock.h"
#include "base/futex.h"
#include "base/plain.h"
#include "run/merge.h"
#include "run/run_internal.h"
#include "stats/interval.h"
#include "stats/quantile.h"

#include <math.h>

static const int64_t commit_ns = 8000000;

/* ---- committing ---- */

/* Stores the complete trials of every arm in one transaction, then announces
 * them. `all`: also those that wait for an outside instrument in vain. */
bool run_commit(struct run *r, struct group_run *g, bool all, struct error *err)
{
    struct trial_batch batches[PLAN_ARMS_MAX];
    size_t counts[PLAN_ARMS_MAX];
    size_t batch_count = 0;
    for (size_t i = 0; i < g->group->count; i++) {
        counts[i] = all ? g->arms[i].count : intake_ready(&g->arms[i]);
        if (counts[i] > 0) batches[batch_count++] = intake_batch(&g->arms[i], counts[i]);
    }
    if (batch_count == 0) return true;
    if (!store_append(r->request->store, batches, batch_count, err)) {
        return error_wrap(err, "storing trials of run %s", r->record.id);
    }
    for (size_t i = 0; i < g->group->count; i++) {
        if (counts[i] == 0) continue;
        if (g->arms[i].phase == PHASE_MEASURED) r->trials_done += (int64_t)counts[i];
        r->last_trial_ns = clock_ns();
        run_emit_trials(r, &g->arms[i], counts[i]);
        intake_forget(&g->arms[i], counts[i]);
    }
    return true;
}

int64_t run_commit_due_ns(const struct group_run *g)
{
    int64_t due_ns = INT64_MAX;
    for (size_t i = 0; i < g->group->count; i++) {
        const struct intake *in = &g->arms[i];
        if (intake_ready(in) == 0) continue;
        int64_t at_ns = in->has_long_one ? in->oldest_ns : in->oldest_ns + commit_ns;
        if (at_ns < due_ns) due_ns = at_ns;
    }
    return due_ns;
}

/* ---- taking in ---- */

/* True if the arm was stopped early, before the measured trial of another. */
static bool has_ended_before(const struct group_run *g, size_t arm, const struct record *trial)
{
    int64_t round = atomic_load(&g->control->arms[arm].ended_at);
    return round > 0 && trial->phase == PHASE_MEASURED && trial->trial >= round;
}

/* Each arm that was stopped early begins another segment for those that took turns with
 * it: from there on their trials have no pair in it. */
static int64_t segment_of(const struct group_run *g, const struct intake *in,
                          const struct record *trial)
{
    int64_t segment = in->segment;
    if (atomic_load(&g->control->ended_arms) == 0) return segment;
    for (size_t i = 0; i < g->group->count; i++) segment += has_ended_before(g, i, trial);
    return segment;
}

static bool has_place(const struct group_run *g, const struct intake *in,
                      const struct record *record)
{
    bool continues =
        record->kind != RECORD_TRIAL || in->count == 0 ||
        (record->phase == in->phase && segment_of(g, in, record) == in->batch_segment);
    return continues && intake_has_room(in);
}

/* Commits if the record has no place before. There is still none (`waits`) if the trials
 * before it wait for what the runner has to say of them. */
static bool make_place(struct run *r, struct group_run *g, size_t arm,
                       const struct record *record, struct error *err)
{
    struct intake *in = &g->arms[arm];
    if (has_place(g, in, record)) return true;
    if (!run_commit(r, g, false, err)) return false;
    in->waits = !has_place(g, in, record);
    return true;
}

/* Says since when which of the others are missing. */
static void enter_segment(struct group_run *g, struct intake *in, const struct record *trial,
                          int64_t segment)
{
    in->batch_segment = segment;
    for (size_t i = 0; i < g->group->count; i++) {
        if (!has_ended_before(g, i, trial)) continue;
        struct buf note;
        buf_init(&note, 1 << 10);
        buf_printf(&note, "from trial %lld on without ",
                   (long long)atomic_load(&g->control->arms[i].ended_at));
        plain_add_ends(&note, str_of(g->arms[i].cell->label), 60);
        buf_text(&note, ", which was stopped: these trials have no pair there");
        note_add(&in->record.notes, &g->arena, NOTE_REMARK, buf_str(&note));
        buf_release(&note);
    }
}

static void take_record(struct group_run *g, size_t arm, const struct record *record)
{
    bool is_trial = record->kind == RECORD_TRIAL;
    int64_t segment = is_trial ? segment_of(g, &g->arms[arm], record) : 0;
    if (is_trial && segment != g->arms[arm].batch_segment) {
        enter_segment(g, &g->arms[arm], record, segment);
    }
    if (is_trial && record->phase == PHASE_MEASURED && g->measuring_since_ns == 0) {
        g->measuring_since_ns = record->start_ns;
    }
    intake_take(&g->arms[arm], record, &g->arena);
}

static bool take_arm(struct run *r, struct group_run *g, size_t arm, struct error *err)
{
    struct ring_reader *lanes = &g->lanes[arm * g->lane_count];
    struct ring_reader *from = NULL;
    const int64_t *next = g->arms[arm].trials;
    uint64_t heads[GROUP_LANES_MAX];
    bool waits[GROUP_LANES_MAX] = {0}; /* for room; reading takes the flag away */
    for (size_t i = 0; i < g->lane_count; i++) {
        heads[i] = ring_head(lanes[i].ring);
        waits[i] = atomic_load(&lanes[i].ring->waiting);
    }
    g->arms[arm].waits = false;
    for (;;) {
        const struct record *record = merge_next(lanes, heads, g->lane_count, next, &from);
        if (!record) break;
        if (!make_place(r, g, arm, record, err)) return false;
        if (g->arms[arm].waits) return true;
        take_record(g, arm, record);
        ring_take(from, record);
    }
    /* A run that is being ended lets trials under way go, and with them those that
     * wait for their turn after them. */
    bool is_ending = atomic_load(&g->control->stop) == STOP_NOW;
    for (size_t i = 0; i < g->lane_count && is_ending; i++) {
        while (waits[i] && ring_next(&lanes[i], heads[i])) {
        }
    }
    return true;
}

/* True if it is about a trial that has not been taken in, and will be. */
static bool is_early(const struct intake *in, const struct record *record)
{
    return in->waits && record->kind == RECORD_WATCH && record->phase < PHASE_COUNT &&
           record->trial >= in->trials[record->phase];
}

static bool take_runner(struct run *r, struct group_run *g, uint64_t head, struct error *err)
{
    for (const struct record *record; (record = ring_peek(&g->runner, head));) {
        bool is_sound = record->arm < g->group->count && record->kind != RECORD_TRIAL;
        struct intake *in = &g->arms[is_sound ? record->arm : 0];
        if (is_sound && is_early(in, record)) return true;
        if (is_sound && !intake_has_room(in) && !run_commit(r, g, false, err)) return false;
        if (is_sound) take_record(g, record->arm, record);
        ring_take(&g->runner, record);
    }
    return true;
}

/* One look at all rings. What the runner says of a trial comes after what its arm says,
 * so the arms' rings are read between looking at the runner's head and reading up to it. */
static bool look(struct run *r, struct group_run *g, bool *waits, struct error *err)
{
    uint64_t runner_head = ring_head(g->runner.ring);
    *waits = false;
    for (size_t i = 0; i < g->group->count; i++) {
        if (!take_arm(r, g, i, err)) return false;
        *waits |= g->arms[i].waits;
    }
    return take_runner(r, g, runner_head, err);
}

/* A wild write of an experiment: which trials it had is not known any more. */
static void give_up_if_broken(struct group_run *g)
{
    bool is_broken = g->runner.broken;
    for (size_t i = 0; i < g->group->count * g->lane_count; i++)
        is_broken |= g->lanes[i].broken;
    if (!is_broken || g->is_broken) return;
    g->is_broken = true;
    atomic_store(&g->control->stop, STOP_NOW);
    run_wake(g->control);
}

/* A parent that was held up (stopped, or by a busy store) finds more than an arm has room
 * for: then it takes turns between the arms and the runner. A second look in vain means that
 * the runner has ended and will not speak of these trials. */
bool run_take_in(struct run *r, struct group_run *g, struct error *err)
{
    int in_vain = 0;
    for (bool waits = true; waits;) {
        uint64_t before = g->runner.next;
        if (!look(r, g, &waits, err)) return false;
        in_vain = g->runner.next == before ? in_vain + 1 : 0;
        if (waits && in_vain > 1 && !run_commit(r, g, true, err)) return false;
    }
    give_up_if_broken(g);
    return true;
}

/* ---- deciding ---- */

void run_wake(struct group_control *c)
{
    atomic_fetch_add(&c->commands, 1);
    futex_wake(&c->commands);
}

double run_precision(const struct run *r, const struct intake *in)
{
    struct arena scratch = *r->out;
    size_t n = 0;
    const double *sorted =
        stats_sort(&scratch, in->primary_samples.items, in->primary_samples.count, &n);
    struct interval ci;
    if (!interval_median(sorted, n, 0.95, &ci)) return NAN;
    double half = (ci.high - ci.low) / 2;
    double median = fabs(quantile_median(sorted, n));
    return half == 0 ? 0 : median > 0 ? half / median : (double)INFINITY;
}

/* It gets no more trials; the others do not wait for it. */
static bool has_ended(const struct intake *in)
{
    return in->has_failed_setup || in->was_stopped;
}

static bool are_precise(const struct run *r, const struct group_run *g)
{
    double wanted = g->group->entry->until.relative_ci;
    if (wanted <= 0) return false;
    for (size_t i = 0; i < g->group->count; i++) {
        if (has_ended(&g->arms[i])) continue;
        if (!(run_precision(r, &g->arms[i]) <= wanted)) return false; /* NaN: not known */
    }
    return true;
}

int64_t run_rounds_done(const struct group_run *g)
{
    int64_t rounds = INT64_MAX;
    for (size_t i = 0; i < g->group->count; i++) {
        if (has_ended(&g->arms[i])) continue;
        int64_t done = g->arms[i].trials[PHASE_MEASURED];
        if (done < rounds) rounds = done;
    }
    return rounds == INT64_MAX ? 0 : rounds;
}

/* The decider sees what the store has, so all of it goes there first. It compares the arms:
 * once one has been stopped, more trials of the others would give it no information. */
static bool ask_decider(struct run *r, struct group_run *g, int64_t rounds, bool *is_enough,
                        struct error *err)
{
    const struct run_decider *d = &r->request->decider;
    if (!d->is_enough) return true;
    if (!run_commit(r, g, false, err)) return false;
    *is_enough = atomic_load(&g->control->ended_arms) > 0 ||
                 d->is_enough(d->context, r->record.id, rounds);
    return true;
}

/* `until`: enough when every arm is precise, at the looks after 10, 20, 40, ...
 * rounds; or when rounds or seconds are used up. */
bool run_decide(struct run *r, struct group_run *g, struct error *err)
{
    const struct spec_until *until = &g->group->entry->until;
    if (!until->is_set || atomic_load(&g->control->limit_is_last)) return true;
    if (until->max_seconds > 0 && g->measuring_since_ns > 0 &&
        (double)(clock_ns() - g->measuring_since_ns) / 1e9 >= until->max_seconds) {
        atomic_store(&g->control->limit_is_last, 1);
        atomic_store(&g->control->stop, STOP_SOON);
        run_wake(g->control);
        return true;
    }
    int64_t most = spec_trials(g->group->entry);
    int64_t rounds = run_rounds_done(g);
    if (rounds < g->look_at) return true;
    bool is_enough = g->look_at >= most || are_precise(r, g);
    if (!is_enough && !ask_decider(r, g, rounds, &is_enough, err)) return false;
    if (is_enough) {
        atomic_store(&g->control->limit_is_last, 1);
    } else {
        g->look_at = g->look_at * 2 < most ? g->look_at * 2 : most;
        atomic_store(&g->control->round_limit, g->look_at);
    }
    run_wake(g->control);
    return true;
}
