/* All trials of an execution are read once, and sums are kept: of each phase (by its name;
 * beyond 127 names the rest are one), of tokens, of processor time, memory and calls, and of
 * each function (once a stack, however often it calls itself). A sum is NaN until somebody
 * reports a part of it: nothing known is not 0. Agents that report no phases get those that
 * their stream shows, or one for the whole answer. profile_rules.c judges the sums. */
#include "judge/profile.h"

#include "base/value.h"
#include "model/detail.h"
#include "view/select.h"

#include <math.h>
#include <stdlib.h>

enum { PHASES_MAX = 128, FUNCTIONS_MAX = 4096 };

struct loader {
    struct store *store;
    struct arena *out;
    struct profile *p;
};

/* A sum that is unknown only while nobody has told. */
static void add(double *sum, double v)
{
    if (isnan(v)) return;
    *sum = isnan(*sum) ? v : *sum + v;
}

/* ---- phases ---- */

static struct profile_phase *phase_of(struct loader *l, struct str name)
{
    struct profile *p = l->p;
    for (size_t i = 0; i < p->phase_count; i++) {
        if (str_equal(p->phases[i].name, name)) return &p->phases[i];
    }
    if (p->phase_count == PHASES_MAX) return &p->phases[PHASES_MAX - 1];
    if (p->phase_count == PHASES_MAX - 1) name = S("(all other phases)");
    struct profile_phase *x = &p->phases[p->phase_count++];
    *x = (struct profile_phase){
        .name = str_copy(l->out, name), .cpu_s = NAN, .memory_mb = NAN, .io_operations = NAN};
    return x;
}

/* Same-named phases of one trial, one after the other and nothing else begun in
 * between: of such a row only the longest would be left if they ran at the same
 * time. */
struct row {
    struct profile_phase *phase;
    double end_s;
    double longest_s;
};

struct rows {
    struct row items[PHASES_MAX];
    size_t count;
    const struct profile_phase *latest; /* that has begun */
    double latest_start_s;
};

static void take_row(struct rows *rows, struct profile_phase *x, double start_s,
                     double duration_s)
{
    static const double slack_s = 1e-4; /* clocks of agents have milliseconds */
    size_t r = 0;
    while (r < rows->count && rows->items[r].phase != x) r++;
    struct row *row = &rows->items[r]; /* one each: there are no more phases than rows */
    bool follows = r < rows->count && start_s >= row->end_s - slack_s;
    bool is_parted = rows->latest != x && rows->latest_start_s >= row->end_s - slack_s;
    if (r == rows->count) rows->count++;
    if (follows && !is_parted) {
        x->avoidable_s += fmin(duration_s, row->longest_s);
        row->longest_s = fmax(row->longest_s, duration_s);
    } else {
        row->longest_s = duration_s;
    }
    row->phase = x;
    row->end_s = start_s + duration_s;
    rows->latest = x;
    rows->latest_start_s = start_s;
}

static void take_phases(struct loader *l, const struct detail_turn *turn)
{
    struct rows rows = {0};
    for (size_t i = 0; i < turn->phase_count; i++) {
        const struct detail_phase *p = &turn->phases[i];
        struct profile_phase *x = phase_of(l, str_of(p->name));
        x->count++;
        x->total_s += p->duration_s;
        add(&x->cpu_s, p->cpu_s);
        add(&x->io_operations, p->io_operations);
        x->memory_mb = fmax(x->memory_mb, p->memory_mb);
        take_row(&rows, x, p->start_s, p->duration_s);
    }
}

static void take_usage(struct profile *p, const double *usage, bool is_ok)
{
    double input = usage[DETAIL_INPUT_TOKENS];
    double output = usage[DETAIL_OUTPUT_TOKENS];
    double again = usage[DETAIL_WASTED_TOKENS]; /* not in input and output */
    if (is_ok) {
        add(&p->io_bytes, usage[DETAIL_IO_BYTES]);
        add(&p->io_operations, usage[DETAIL_IO_OPERATIONS]);
    }
    add(&p->input_tokens, input);
    add(&p->output_tokens, output);
    add(&p->cache_read_tokens, usage[DETAIL_CACHE_READ_TOKENS]);
    add(&p->all_tokens, input);
    add(&p->all_tokens, output);
    add(&p->all_tokens, again);
    add(&p->wasted_tokens, again);
    if (!is_ok) {
        add(&p->wasted_tokens, input);
        add(&p->wasted_tokens, output);
    }
}

static bool take_notes(struct loader *l, struct error *err)
{
    struct trial_note *notes = NULL;
    size_t count = 0;
    if (!store_list_notes(l->store, l->p->execution.id, l->out, &notes, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct detail detail;
        bool is_theirs =
            notes[i].phase == PHASE_MEASURED && notes[i].status != TRIAL_HARNESS_ERROR;
        if (!is_theirs || !detail_read(notes[i].detail, l->out, &detail)) continue;
        bool is_ok = notes[i].status == TRIAL_OK;
        for (size_t k = 0; is_ok && k < detail.turn_count; k++)
            take_phases(l, &detail.turns[k]);
        if (detail.has_usage) take_usage(l->p, detail.usage, is_ok);
    }
    return true;
}

/* ---- series ---- */

static double sum_series(const struct series_record *s)
{
    double sum = NAN;
    for (size_t i = 0; i < s->count; i++) add(&sum, s->samples[i]);
    return sum;
}

struct sums { /* of measured series; NaN = not there */
    double cpu_s;
    double user_s; /* and system */
    double first_token_s;
    double rss_mean;
    double resident;
    double rss_peak;
    double io_mb; /* read and written */
    double io_operations;
};

/* A trial that we spoiled is neither. */
static void take_durations(struct profile *p, const struct series_record *s,
                           const struct series_record *status)
{
    double sum = sum_series(s);
    p->duration_s = isnan(sum) ? 0 : sum;
    for (size_t t = 0; t < s->count; t++) {
        bool is_ours = status && t < status->count && status->samples[t] == TRIAL_HARNESS_ERROR;
        bool is_timed = !isnan(s->samples[t]);
        p->trials += is_timed;
        p->failed += !is_timed && !is_ours;
    }
}

static void take_sum(struct sums *sums, const struct series_record *s)
{
    const struct {
        const char *metric;
        double *sum;
    } table[] = {{"cpu_s", &sums->cpu_s},
                 {"user_s", &sums->user_s},
                 {"system_s", &sums->user_s},
                 {"first_token_s", &sums->first_token_s},
                 {"rss_mean_mb", &sums->rss_mean},
                 {"memory_peak_mb", &sums->rss_peak},
                 {"io_read_mb", &sums->io_mb},
                 {"io_write_mb", &sums->io_mb},
                 {"io_operations", &sums->io_operations},
                 {"memory_resident_mb", &sums->resident}};
    for (size_t i = 0; i < COUNT(table); i++) {
        if (strcmp(s->metric, table[i].metric) == 0) add(table[i].sum, sum_series(s));
    }
}

/* Small reads and writes cost a call each: a page or more per call is as good as it gets. */
static void take_io(struct profile *p, const struct sums *sums)
{
    static const double page_bytes = 4096;
    if (isnan(p->io_operations)) {
        p->io_operations = sums->io_operations;
        p->io_bytes = sums->io_mb * 1e6;
    }
    if (p->io_operations > 0) {
        p->io_efficiency = fmin(1, p->io_bytes / p->io_operations / page_bytes);
    }
}

/* An agent on this machine that tells no phases has one: all of it. */
static void measure_whole(struct loader *l)
{
    struct profile *p = l->p;
    if (p->phase_count > 0 || isnan(p->cpu_s) || !(p->duration_s > 0)) return;
    struct profile_phase *x = phase_of(l, S("whole answer"));
    x->count = (int64_t)p->trials;
    x->total_s = p->duration_s;
    x->cpu_s = p->cpu_s;
    x->memory_mb = p->memory_peak_mb;
    x->io_operations = p->io_operations;
    p->phases_are_measured = true;
}

static void take_resources(struct loader *l, const struct sums *sums)
{
    struct profile *p = l->p;
    double cpu_s = isnan(sums->cpu_s) ? sums->user_s : sums->cpu_s;
    p->cpu_s = cpu_s;
    take_io(p, sums);
    if (p->duration_s > 0 && !isnan(cpu_s)) {
        p->cpu_efficiency = fmin(1, cpu_s / p->duration_s);
        p->parallelization_score = cpu_s / (p->duration_s * (double)p->cpus);
    }
    double held = isnan(sums->rss_mean) ? sums->resident : sums->rss_mean;
    p->memory_efficiency = held / sums->rss_peak;
    /* An agent that reports no phases but streams shows two. */
    if (p->phase_count == 0 && p->duration_s > sums->first_token_s) {
        p->phases_are_seen = true;
        phase_of(l, S("until first token"))->total_s = sums->first_token_s;
        phase_of(l, S("after first token"))->total_s = p->duration_s - sums->first_token_s;
    }
    measure_whole(l);
}

static void take_peak(struct profile *p, const struct series_record *s)
{
    for (size_t i = 0; i < s->count; i++) {
        p->memory_peak_mb = fmax(p->memory_peak_mb, s->samples[i]);
    }
}

static bool take_series(struct loader *l, struct error *err)
{
    struct series_record *series = NULL;
    size_t count = 0;
    struct sums sums = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!store_list_series(l->store, l->p->execution.id, l->out, &series, &count, err)) {
        return false;
    }
    const struct series_record *status =
        series_find(series, count, PHASE_MEASURED, "trial.status");
    for (size_t i = 0; i < count; i++) {
        if (series[i].phase != PHASE_MEASURED) continue;
        if (strcmp(series[i].metric, "duration_s") == 0)
            take_durations(l->p, &series[i], status);
        take_sum(&sums, &series[i]);
        if (strcmp(series[i].metric, "memory_peak_mb") == 0) take_peak(l->p, &series[i]);
    }
    take_resources(l, &sums);
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct profile_phase *x = a;
    const struct profile_phase *y = b;
    return (x->total_s < y->total_s) - (x->total_s > y->total_s);
}

static void finish_phases(struct profile *p)
{
    for (size_t i = 0; i < p->phase_count; i++) {
        struct profile_phase *x = &p->phases[i];
        x->share = p->duration_s > 0 ? x->total_s / p->duration_s : 0;
        x->mean_s = p->trials ? x->total_s / (double)p->trials : 0;
    }
    if (p->phase_count > 1) qsort(p->phases, p->phase_count, sizeof *p->phases, by_time);
    if (p->all_tokens > 0) {
        double wasted = isnan(p->wasted_tokens) ? 0 : p->wasted_tokens;
        p->token_efficiency = 1 - wasted / p->all_tokens;
    }
}

/* ---- sampled stacks ---- */

static struct profile_function *function_of(struct profile *p, struct str name)
{
    for (size_t i = 0; i < p->function_count; i++) {
        if (str_equal(p->functions[i].name, name)) return &p->functions[i];
    }
    if (p->function_count == FUNCTIONS_MAX) return &p->functions[FUNCTIONS_MAX - 1];
    if (p->function_count == FUNCTIONS_MAX - 1) name = S("(all other functions)");
    p->functions[p->function_count].name = name;
    return &p->functions[p->function_count++];
}

/* A function counts once per stack, however often it calls itself. */
static void take_stack(struct profile *p, struct str stack, int64_t samples)
{
    struct str seen[128];
    size_t depth = 0;
    struct str leaf = {0};
    str_cut(&stack, ';'); /* the program */
    while (stack.p && depth < COUNT(seen)) {
        leaf = str_cut(&stack, ';');
        bool is_new = true;
        for (size_t i = 0; i < depth; i++) is_new = is_new && !str_equal(seen[i], leaf);
        if (is_new) function_of(p, leaf)->total += samples;
        seen[depth++] = leaf;
    }
    if (leaf.n) function_of(p, leaf)->self += samples;
    p->samples += samples;
}

static int by_self(const void *a, const void *b)
{
    const struct profile_function *x = a;
    const struct profile_function *y = b;
    if (x->self != y->self) return x->self < y->self ? 1 : -1;
    return str_compare(x->name, y->name);
}

static bool take_stacks(struct loader *l, struct error *err)
{
    struct profile *p = l->p;
    struct artifact_record *artifacts = NULL;
    size_t count = 0;
    if (!store_list_artifacts(l->store, p->execution.id, l->out, &artifacts, &count, err)) {
        return false;
    }
    struct buf all;
    buf_init(&all, (size_t)64 << 20);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(artifacts[i].kind, "folded") == 0) buf_add(&all, artifacts[i].bytes);
    }
    p->folded = str_copy(l->out, buf_str(&all));
    buf_release(&all);
    if (p->folded.n == 0) return true;
    p->functions = arena_new(l->out, struct profile_function, FUNCTIONS_MAX);
    struct str rest = p->folded;
    while (rest.p) {
        struct str line = str_cut(&rest, '\n');
        size_t space = line.n;
        while (space > 0 && line.p[space - 1] != ' ') space--;
        int64_t samples = 0;
        if (space < 2 || !str_to_int((struct str){line.p + space, line.n - space}, &samples)) {
            continue;
        }
        take_stack(p, (struct str){line.p, space - 1}, samples);
    }
    if (p->function_count > 1) {
        qsort(p->functions, p->function_count, sizeof *p->functions, by_self);
    }
    return true;
}

/* ---- all of it ---- */

static bool name_it(struct loader *l, struct error *err)
{
    struct profile *p = l->p;
    p->benchmark = p->execution.experiment;
    if (strcmp(p->execution.experiment, "suite") != 0) return true;
    struct benchmark_record benchmark;
    struct agent_record *agents = NULL;
    size_t count = 0;
    if (!store_find_benchmark(l->store, p->execution.benchmark_id, l->out, &benchmark, err) ||
        !store_list_agents(l->store, true, l->out, &agents, &count, err)) {
        return false;
    }
    p->benchmark = benchmark.name;
    p->agent = agent_record_name(agents, count, p->execution.agent_id);
    return true;
}

static int64_t cpus_of(const struct run_record *run)
{
    const struct value *cpus = value_get(run->environment, "cpus");
    return cpus && cpus->kind == VALUE_INT && cpus->integer > 0 ? cpus->integer : 1;
}

static const struct run_record *run_of(const struct selection *s,
                                       const struct execution_record *e)
{
    size_t i = 0;
    while (i + 1 < s->run_count && strcmp(s->runs[i].id, e->run_id) != 0) i++;
    return &s->runs[i];
}

bool profile_load(struct store *store, const char *selector, struct arena *out,
                  struct profile_list *list, struct error *err)
{
    struct selection selection;
    struct execution_record *executions = NULL;
    if (!select_executions(store, selector, out, &selection, &executions, &list->count, err))
        return false;
    list->items = arena_new(out, struct profile, list->count + 1);
    for (size_t i = 0; i < list->count; i++) {
        struct profile *p = &list->items[i];
        *p = (struct profile){.execution = executions[i],
                              .cpus = cpus_of(run_of(&selection, &executions[i])),
                              .input_tokens = NAN,
                              .output_tokens = NAN,
                              .cache_read_tokens = NAN,
                              .all_tokens = NAN,
                              .wasted_tokens = NAN,
                              .token_efficiency = NAN,
                              .cpu_efficiency = NAN,
                              .memory_efficiency = NAN,
                              .io_efficiency = NAN,
                              .cpu_s = NAN,
                              .memory_peak_mb = NAN,
                              .io_operations = NAN,
                              .io_bytes = NAN,
                              .parallelization_score = NAN};
        p->phases = arena_new(out, struct profile_phase, PHASES_MAX);
        struct loader l = {.store = store, .out = out, .p = p};
        if (!name_it(&l, err) || !take_notes(&l, err) || !take_series(&l, err) ||
            !take_stacks(&l, err)) {
            return false;
        }
        finish_phases(p);
        profile_judge(p, out);
    }
    return true;
}

bool profile_keep(struct profile_list *list, const struct agent_ref *agent, size_t top,
                  struct error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct profile *p = &list->items[i];
        const struct execution_record *e = &p->execution;
        if (agent && !agent_ref_fits(agent, e->agent_id, e->agent_version)) continue;
        if (p->function_count > top) p->function_count = top;
        list->items[kept++] = *p;
    }
    list->count = kept;
    return kept > 0 || !agent ||
           error_set(err, ERROR_NOT_FOUND, "this run has no agent '%s'", agent->name);
}
