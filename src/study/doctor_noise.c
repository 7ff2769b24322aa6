/* The same work as both arms of a group, through the real runner and into a store of its
 * own, which is removed. Sessions are runs of their own, so that what differs between runs
 * shows as well as what differs between trials. */
#include "study/doctor_noise.h"

#include "base/os.h"
#include "study/rerun.h"
#include "study/rerun_internal.h"

/* Both arms the same: rounds, not a time, so that neither calibrates itself. */
static const char spin_spec[] = "experiments:\n"
                                "  - {experiment: spin, params: {rounds: 500000}}\n"
                                "  - {experiment: spin, params: {rounds: 500000}}\n"
                                "iterations: {warmup: 5, measured: 100}\n";
static const char command_spec[] = "experiments:\n"
                                   "  - {experiment: command, params: {command: 'true'}}\n"
                                   "  - {experiment: command, params: {command: 'true'}}\n"
                                   "iterations: {warmup: 5, measured: 100}\n";

struct session {
    const struct doctor_request *request;
    struct store *store;
    const struct plan *plan;
    struct arena *out;
    double *a;
    double *b;
};

/* One run of both arms; their durations follow those of earlier sessions. */
static bool carry_out(struct session *s, size_t at, struct error *err)
{
    struct run_request run = {
        .store = s->store,
        .nursery = s->request->nursery,
        .plan = s->plan,
        .jobs = 1,
        .assay_version = s->request->assay_version,
    };
    struct run_outcome outcome = {0};
    struct view *view = NULL;
    if (!run_execute(&run, s->out, &outcome, err)) return false;
    if (outcome.interrupted) return error_set(err, ERROR_FAILED, "interrupted");
    if (!view_load(s->store, outcome.run_id, s->out, &view, err)) return false;
    for (size_t arm = 0; arm < 2; arm++) {
        const struct view_metric *m = view_find_metric(&view->cells[arm], "duration_s");
        if (!m || m->count != DOCTOR_TRIALS) {
            return error_set(err, ERROR_FAILED, "the trials of the noise test failed");
        }
        memcpy((arm ? s->b : s->a) + at, m->samples, DOCTOR_TRIALS * sizeof(double));
    }
    return true;
}

static bool make_plan(const char *workload, struct arena *out, struct plan **plan,
                      struct error *err)
{
    bool is_spin = strcmp(workload, "spin") == 0;
    struct spec *spec = NULL;
    struct str text = str_of(is_spin ? spin_spec : command_spec);
    if (!spec_load_text("(doctor)", text, NULL, out, &spec, err))
        return error_wrap(err, "the spec of the noise test");
    return rerun_check(spec, out, err) && rerun_plan(spec, out, plan, err);
}

bool doctor_measure(const struct doctor_request *q, struct arena *out,
                    struct doctor_noise *noise, struct error *err)
{
    *noise = (struct doctor_noise){.workload = q->workload};
    struct plan *plan = NULL;
    const char *dir = NULL;
    if (!make_plan(q->workload, out, &plan, err) ||
        !os_make_temp_dir("assay-doctor-", out, &dir, err))
        return false;
    size_t pairs = q->sessions * DOCTOR_TRIALS;
    struct session s = {.request = q,
                        .plan = plan,
                        .out = out,
                        .a = arena_new(out, double, pairs + 1),
                        .b = arena_new(out, double, pairs + 1)};
    struct store_options how = {.create = true};
    bool done = store_open(arena_printf(out, "sqlite:%s/doctor.db", dir), &how, &s.store, err);
    for (size_t i = 0; done && i < q->sessions; i++) {
        done = carry_out(&s, i * DOCTOR_TRIALS, err);
    }
    store_close(s.store);
    os_remove_tree(dir);
    if (!done) return error_wrap(err, "the A/A test of '%s'", q->workload);
    return doctor_judge(s.a, s.b, q->sessions, DOCTOR_TRIALS, out, noise, err);
}
