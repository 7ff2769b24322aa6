#include "analysis/doctor.h"

#include "analysis/rerun.h"
#include "base/os.h"
#include "base/problems.h"
#include "run/preflight.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>

/* Both arms the same: rounds, not a time, so that neither calibrates itself. */
static const char spin_spec[] = "experiments:\n"
                                "  - {experiment: spin, params: {rounds: 500000}}\n"
                                "  - {experiment: spin, params: {rounds: 500000}}\n"
                                "iterations: {warmup: 5, measured: 100}\n";
static const char command_spec[] = "experiments:\n"
                                   "  - {experiment: command, params: {command: 'true'}}\n"
                                   "  - {experiment: command, params: {command: 'true'}}\n"
                                   "iterations: {warmup: 5, measured: 100}\n";

static bool compare(const double *a, const double *b, size_t n, struct arena *out,
                    struct verdict_answer *answer, struct error *err)
{
    struct verdict_question q = {
        .a = a, .a_count = n, .b = b, .b_count = n, .is_paired = true, .is_alternating = true};
    return verdict_compare(&q, out, answer, err);
}

/* The median of what the engine says of blocks of n pairs. */
static bool judge_budget(const double *a, const double *b, size_t pairs, size_t k,
                         struct arena *out, struct doctor_noise *noise, struct error *err)
{
    size_t n = noise->budgets[k];
    size_t blocks = pairs / n;
    double *mdes = arena_new(out, double, blocks + 1);
    for (size_t i = 0; i < blocks; i++) {
        struct verdict_answer answer;
        if (!compare(a + i * n, b + i * n, n, out, &answer, err)) return false;
        mdes[i] = answer.mde;
        if (k > 0) continue;
        noise->blocks++;
        noise->false_verdicts +=
            answer.verdict == VERDICT_BETTER || answer.verdict == VERDICT_WORSE;
    }
    noise->mde[k] = stats_median(*out, mdes, blocks);
    return true;
}

bool doctor_judge(const double *a, const double *b, size_t sessions, size_t trials,
                  struct arena *out, struct doctor_noise *noise, struct error *err)
{
    static const size_t budgets[DOCTOR_BUDGETS] = {10, 30, 100};
    size_t pairs = sessions * trials;
    memcpy(noise->budgets, budgets, sizeof budgets);
    noise->sessions = sessions;
    noise->pairs = pairs;
    noise->blocks = noise->false_verdicts = 0;
    double *all = arena_new(out, double, 2 * pairs + 1);
    memcpy(all, a, pairs * sizeof *all);
    memcpy(all + pairs, b, pairs * sizeof *all);
    size_t kept = 0;
    const double *sorted = stats_sort(out, all, 2 * pairs, &kept);
    noise->median_s = quantile_median(sorted, kept);
    noise->cv = MAD_TO_SIGMA * quantile_mad(*out, sorted, kept) / noise->median_s;
    struct moments spread = {0};
    noise->floor = 0;
    for (size_t s = 0; s < sessions; s++) {
        struct verdict_answer answer;
        const double *of_a = a + s * trials;
        if (!compare(of_a, b + s * trials, trials, out, &answer, err)) return false;
        const struct verdict_effect *e = &answer.effect; /* fmax passes a NaN over */
        noise->floor = fmax(noise->floor, fabs(e->ratio - 1));
        noise->floor = fmax(noise->floor, fmax(fabs(e->low - 1), fabs(e->high - 1)));
        moments_add(&spread, stats_median(*out, of_a, trials));
    }
    noise->session_spread = moments_sd(&spread) / noise->median_s;
    for (size_t k = 0; k < DOCTOR_BUDGETS; k++) {
        if (!judge_budget(a, b, pairs, k, out, noise, err)) return false;
    }
    return compare(a, b, pairs, out, &noise->answer, err);
}

/* ---- through the runner ---- */

struct session {
    const struct doctor_request *request;
    struct store *store;
    const struct plan *plan;
    struct arena *out;
    double *a;
    double *b;
};

/* One run of both arms; their durations behind those of earlier sessions. */
static bool carry_out(struct session *s, size_t at, struct error *err)
{
    struct run_request run = {
        .store = s->store,
        .nursery = s->request->nursery,
        .plan = s->plan,
        .jobs = 1,
        .command_json = "[\"assay\",\"doctor\"]",
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
    struct problems problems = {.arena = out, .file = "(doctor)"};
    struct spec_override none = SPEC_OVERRIDE_NONE;
    struct spec *spec = NULL;
    struct str text = str_of(is_spin ? spin_spec : command_spec);
    if (!spec_load("(doctor)", text, &none, out, &spec, &problems)) {
        return error_set(err, ERROR_FAILED, "the spec of the noise test is wrong: %s",
                         problems.kept ? problems.items[0].text : "?");
    }
    struct buf missing;
    buf_init(&missing, 1 << 16);
    bool can = preflight(spec, out, &missing, err);
    buf_release(&missing);
    return can && rerun_plan(spec, out, plan, err);
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
