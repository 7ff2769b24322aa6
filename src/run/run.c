/* The parent's loop. It sleeps until a bell rings (an arm or the runner has
 * news), a runner has ended, a signal has come or a commit is due; then it
 * takes records in, commits what must be committed, announces it, and decides
 * whether a group has had enough. */
#include "run/run.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/os.h"
#include "model/cell.h"
#include "model/environment.h"
#include "run/disturbance.h"
#include "run/run_internal.h"
#include "run/workdirs.h"
#include "spec/spec_suite.h"
#include "suite/scoring.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int64_t progress_ns = 100000000;

static void stop_all(struct run *r)
{
    r->is_stopping = true;
    for (size_t i = 0; i < r->slot_count; i++) {
        if (!r->slots[i].group) continue;
        atomic_store(&r->slots[i].control->stop, STOP_NOW);
        run_wake(r->slots[i].control);
    }
}

/* ---- the loop ---- */

static struct group_run *free_place(struct run *r)
{
    for (size_t i = 0; i < r->slot_count; i++) {
        if (!r->slots[i].group) return &r->slots[i];
    }
    return NULL;
}

static bool start_groups(struct run *r, struct error *err)
{
    const struct plan *plan = r->request->plan;
    while (!r->is_stopping && r->next_group < plan->group_count) {
        const struct plan_group *group = &plan->groups[r->next_group];
        if (run_is_finished(r, group)) {
            r->outcome->cells_by_status[RUN_SUCCESS] += group->count;
            r->next_group++;
            continue;
        }
        struct group_run *g = free_place(r);
        if (!g) return true;
        r->next_group++;
        if (!run_start_group(r, g, group, err)) {
            run_free_group(g);
            return false;
        }
    }
    return true;
}

static bool has_groups(const struct run *r)
{
    for (size_t i = 0; i < r->slot_count; i++) {
        if (r->slots[i].group) return true;
    }
    return false;
}

static int wait_ms(const struct run *r)
{
    int64_t now_ns = clock_ns();
    int64_t until_ns = now_ns + progress_ns;
    for (size_t i = 0; i < r->slot_count; i++) {
        if (!r->slots[i].group) continue;
        int64_t due_ns = run_commit_due_ns(&r->slots[i]);
        if (due_ns < until_ns) until_ns = due_ns;
    }
    return until_ns <= now_ns ? 0 : (int)((until_ns - now_ns) / 1000000) + 1;
}

/* Which runners have ended: all, if the nursery has. */
static void hear_of_ends(struct run *r)
{
    struct nursery *nursery = r->request->nursery;
    uint32_t slot = 0;
    int status = 0;
    while (nursery_ended(nursery, &slot, &status)) {
        CHECK(slot < r->slot_count);
        r->slots[slot].has_ended = true;
        r->slots[slot].exit_status = status;
    }
    for (size_t i = 0; i < r->slot_count && nursery->is_gone; i++) {
        r->slots[i].has_ended = true;
        r->slots[i].exit_status = SIGKILL; /* as wait gives it */
    }
}

static void wait_for_news(struct run *r)
{
    struct pollfd p[JOBS_MAX + 2];
    size_t n = 0;
    p[n++] = (struct pollfd){.fd = r->signal_fd, .events = POLLIN};
    p[n++] = (struct pollfd){.fd = r->request->nursery->socket, .events = POLLIN};
    for (size_t i = 0; i < r->slot_count; i++) {
        if (r->slots[i].group) {
            p[n++] = (struct pollfd){.fd = r->slots[i].event_fd, .events = POLLIN};
        }
    }
    poll(p, n, wait_ms(r));
    if (p[0].revents) {
        struct signalfd_siginfo info;
        while (read(r->signal_fd, &info, sizeof info) > 0) {
            if (r->outcome->signal == 0) r->outcome->signal = (int)info.ssi_signo;
        }
        r->outcome->interrupted = true;
        stop_all(r);
    }
    hear_of_ends(r);
}

static bool tend_group(struct run *r, struct group_run *g, struct error *err)
{
    uint64_t bells = 0;
    ssize_t n = read(g->event_fd, &bells, sizeof bells);
    (void)n;
    if (g->has_ended) return run_finish_group(r, g, err);
    if (!run_take_in(r, g, err)) return false;
    if (run_commit_due_ns(g) <= clock_ns() && !run_commit(r, g, false, err)) return false;
    if (!run_decide(r, g, err)) return false;
    for (size_t i = 0; i < g->group->count; i++) {
        if (g->arms[i].primary_samples.count > 0) run_emit_progress(r, &g->arms[i]);
    }
    run_emit_estimates(r, g);
    run_emit_progress(r, &g->arms[0]); /* also while the first trial takes its time */
    return true;
}

static bool loop(struct run *r, struct error *err)
{
    for (;;) {
        if (!start_groups(r, err)) return false;
        if (!has_groups(r)) return true;
        wait_for_news(r);
        for (size_t i = 0; i < r->slot_count; i++) {
            if (r->slots[i].group && !tend_group(r, &r->slots[i], err)) return false;
        }
    }
}

static void drop_records(struct ring_reader *reader)
{
    while (ring_next(reader, ring_head(reader->ring))) {
    }
}

/* Lets go of what was written: somebody may wait for room. */
static void drop_all_records(struct group_run *g)
{
    if (!g->group) return;
    drop_records(&g->runner);
    for (size_t i = 0; i < g->group->count * g->lane_count; i++) drop_records(&g->lanes[i]);
}

/* After a store that no longer takes anything: end the runners, keep nothing
 * of what was not announced. */
static void abandon(struct run *r)
{
    stop_all(r);
    int64_t deadline_ns = clock_ns() + 5000000000;
    for (;;) {
        for (size_t i = 0; i < r->slot_count; i++) {
            drop_all_records(&r->slots[i]);
            if (r->slots[i].group && r->slots[i].has_ended) run_free_group(&r->slots[i]);
        }
        if (!has_groups(r) || clock_ns() >= deadline_ns) return;
        struct pollfd p = {.fd = r->request->nursery->socket, .events = POLLIN};
        poll(&p, 1, 100);
        hear_of_ends(r);
    }
}

/* ---- the run's record ---- */

/* Git has its own work with the sources: meanwhile the store gets ready. */
static bool describe_run(struct run *r, struct error *err)
{
    const struct run_request *q = r->request;
    struct environment_vcs *vcs = environment_vcs_begin(r->out);
    bool is_ready = store_make_ready(q->store, err);
    r->record.vcs = environment_vcs_end(vcs);
    if (!is_ready) return false;
    const struct spec *spec = q->plan->spec;
    const struct spec_entry *first = &spec->entries[0];
    id_uuid7(r->record.id);
    if (q->run_id) snprintf(r->record.id, sizeof r->record.id, "%s", q->run_id);
    r->record.status = RUN_RUNNING;
    r->record.seed = first->seed;
    r->record.spec_path = spec->path;
    r->record.spec_text = str_cstr(r->out, spec->text);
    r->record.spec_hash = spec->hash;
    r->record.command = q->command;
    r->record.tags = first->tags ? first->tags : value_new_list(r->out, NULL, 0);
    note_add(&r->record.notes, r->out, NOTE_REMARK, str_of(first->notes));
    r->record.assay_version = q->assay_version;
    r->record.output_dir = first->output_dir;
    r->record.claims = spec_claims(spec, r->out);
    r->record.baseline = first->baseline;
    r->record.started_ns = clock_unix_ns();
    return true;
}

/* What has no version of its own has that of the sources: a cell with trials of two would be
 * a baseline that hides what changed in between. */
static bool has_sources_version(const struct run *r)
{
    const struct plan *plan = r->request->plan;
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct value *agent = plan->cells[i].agent;
        if (!agent || !suite_agent_version(agent, r->out)) return true;
    }
    return false;
}

static bool are_sources_same(struct run *r, struct error *err)
{
    static const struct execution_record any;
    struct run_record now = r->record;
    now.vcs = environment_vcs(r->out);
    struct cell_version before = cell_version(&any, &r->record, false, r->out);
    struct cell_version after = cell_version(&any, &now, false, r->out);
    if (strcmp(before.id, after.id) == 0 || !has_sources_version(r)) return true;
    return error_set(
        err, ERROR_INVALID,
        "run %s began with the sources of %s, and these are %s: trials of both are "
        "not of one version; go back to them, or start a new run without --resume",
        id_short(r->record.id), before.is_run ? "no repository" : before.shown,
        after.is_run ? "of no repository" : after.shown);
}

static bool open_run(struct run *r, struct error *err)
{
    const struct run_request *q = r->request;
    r->start_ns = clock_ns();
    r->call_ns = r->start_ns;
    if (q->resume) {
        r->record = *q->resume;
        int64_t pid = 0;
        if (strcmp(r->record.spec_hash, q->plan->spec->hash) != 0) {
            return error_set(err, ERROR_INVALID,
                             "the spec has changed since run %s began; start a new run "
                             "without --resume",
                             id_short(r->record.id));
        }
        if (r->record.status == RUN_RUNNING &&
            environment_is_alive(r->record.environment, &pid)) {
            return error_set(err, ERROR_INVALID, "run %s is still running (process %lld)",
                             id_short(r->record.id), (long long)pid);
        }
        if (!are_sources_same(r, err)) return false;
        if (!store_list_executions(q->store, r->record.id, r->out, &r->earlier,
                                   &r->earlier_count, err)) {
            return false;
        }
        /* Offsets count from the first start, by the wall clock between; one that was set
         * back meanwhile must not make them negative. */
        int64_t since_ns = clock_unix_ns() - r->record.started_ns;
        int64_t least_ns = r->record.ended_ns - r->record.started_ns;
        if (since_ns < least_ns) since_ns = least_ns;
        r->start_ns -= since_ns > 0 ? since_ns : 0;
        r->record.status = RUN_RUNNING;
        r->record.ended_ns = 0;
    } else if (!describe_run(r, err)) {
        return false;
    }
    r->record.environment = environment_now(r->out);
    if (!store_put_run(q->store, &r->record, err)) return false;
    memcpy(r->outcome->run_id, r->record.id, sizeof r->outcome->run_id);
    return run_put_names(r, err);
}

static enum run_status judge_run(const struct run *r)
{
    const size_t *by = r->outcome->cells_by_status;
    if (r->outcome->interrupted || by[RUN_PARTIAL] > 0) return RUN_PARTIAL;
    return by[RUN_FAILED] > 0 ? RUN_FAILED : RUN_SUCCESS;
}

static int64_t count_trials(const struct plan *plan)
{
    int64_t total = 0;
    for (size_t i = 0; i < plan->cell_count; i++) total += spec_trials(plan->cells[i].entry);
    return total;
}

/* Ctrl-C, a polite kill, a terminal that is gone: what is there is stored, then we end. */
static bool listen_for_signals(struct run *r, sigset_t *before, struct error *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t ending;
    sigemptyset(&ending);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct sigaction now;
        bool is_ignored = sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_IGN;
        /* nohup and its kind; a shell's background job is started like that, too. */
        if (is_ignored && (numbers[i] == SIGHUP || numbers[i] == SIGQUIT)) continue;
        sigaddset(&ending, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &ending, before);
    r->signal_fd = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    return r->signal_fd >= 0 || error_set_errno(err, errno, "waiting for signals");
}

int64_t run_unix_ns(const struct run *r)
{
    return r->record.started_ns + (clock_ns() - r->start_ns);
}

/* Of a run that was resumed, one part is enough. */
static void judge_disturbance(struct run *r, const struct disturbance *from)
{
    struct disturbance now = disturbance_look();
    double share = disturbance_share(from, &now);
    if (!(share > DISTURBANCE_LIMIT)) return;
    const char *text = arena_printf(r->out,
                                    "other work took %.0f %% of the %d CPUs that it could use "
                                    "(more than %.0f %%): it is no "
                                    "baseline",
                                    100 * share, now.cpus, 100 * DISTURBANCE_LIMIT);
    note_add(&r->record.notes, r->out, NOTE_DISTURBED, str_of(text));
    r->outcome->is_disturbed = true;
}

/* Before the first agent can have changed anything. */
static void protect(struct run *r)
{
    const struct plan *plan = r->request->plan;
    bool has_agents = false;
    for (size_t i = 0; i < plan->cell_count; i++) has_agents |= plan->cells[i].agent != NULL;
    if (!has_agents) return;
    r->protection =
        protection_new(plan->spec, store_path(r->request->store), r->request->others, r->out);
}

bool run_execute(const struct run_request *request, struct arena *out,
                 struct run_outcome *outcome, struct error *err)
{
    *outcome = (struct run_outcome){.status = RUN_FAILED, .cells = request->plan->cell_count};
    struct run *r = arena_new(out, struct run, 1);
    r->request = request;
    r->outcome = outcome;
    r->out = out;
    r->slot_count = request->jobs < 1 ? 1 : (size_t)request->jobs;
    if (r->slot_count > JOBS_MAX) r->slot_count = JOBS_MAX;
    r->trials_planned = count_trials(request->plan);
    if (!workdirs_allowed(request->plan->spec, request->others, out, err)) return false;
    if (!open_run(r, err)) return false;
    struct run_request rest = *request;
    r->request = &rest;

    static const char *const made[] = {"assay-arm", "assay-agent", "assay-rescore",
                                       "assay-cleanup", NULL};
    os_sweep_temp_dirs(made); /* of runs that were killed with all their processes */
    sigset_t before;
    bool is_heard = listen_for_signals(r, &before, err);
    run_emit(r, (struct run_event){.kind = RUN_EVENT_STARTED});
    protect(r);
    struct disturbance before_it = disturbance_look();
    bool is_done =
        is_heard && (!request->cache || run_reuse(r, &rest, err)) && loop(r, err) &&
        (!request->plan->spec->suite || scoring_settle_run(request->store, r->record.id, err));
    if (!is_done) abandon(r);
    outcome->status = is_done ? judge_run(r) : RUN_PARTIAL;
    r->record.status = outcome->status;
    r->record.ended_ns = run_unix_ns(r);
    if (request->is_watched) judge_disturbance(r, &before_it);
    if (is_done) {
        is_done = store_put_run(request->store, &r->record, err);
    } else if (!store_put_run(request->store, &r->record, NULL)) {
        outcome->status = RUN_PARTIAL; /* the first reason stands */
    }
    close(r->signal_fd);
    if (outcome->signal) {
        raise(outcome->signal);
    } else {
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    return is_done;
}
