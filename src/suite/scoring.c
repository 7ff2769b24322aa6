/* From rows of the store to scores: notes say which case a trial was about and how it ended,
 * series give its samples, the benchmark its rubric, targets, weights and rules.
 *
 * A trial that ended well is read from the series; one that did not has no samples, so what it
 * used is read from its note, and an answer that is missing counts 0 in every dimension that
 * the rubric names. Cases are known by the hash of their content: equal ones are one case, and
 * their answers are repeats. The same input gives the same bytes, whoever asks. */
#include "suite/scoring.h"

#include "base/text_order.h"
#include "model/detail.h"
#include "suite/suite.h"

#include <math.h>
#include <stdlib.h>

static const struct series_record *measured(const struct scoring_input *in, const char *metric)
{
    return series_find(in->series, in->series_count, PHASE_MEASURED, metric);
}

static const double *samples_of(const struct scoring_input *in, const char *metric, size_t n)
{
    const struct series_record *s = measured(in, metric);
    return s && s->count >= n ? s->samples : NULL;
}

static size_t trial_count(const struct scoring_input *in)
{
    const struct series_record *s = measured(in, "trial.status");
    return s ? s->count : 0;
}

static double at(const double *samples, size_t i)
{
    return samples ? samples[i] : (double)NAN;
}

/* ---- which case a trial was about ---- */

struct cases {
    const char **hashes; /* ascending, each once */
    const char **names;
    size_t count;
    size_t *of_note; /* the case of each note that has one */
};

static const char *name_of(const struct trial_note *note, struct arena *out)
{
    const char *name = detail_case_name(note->detail, out);
    return name ? name : arena_printf(out, "%.12s", note->case_hash);
}

static bool is_of_case(const struct trial_note *note)
{
    return note->phase == PHASE_MEASURED && note->case_hash;
}

/* Cases of equal content are one case: their answers are repeats. It has the name that the
 * first of them has. */
static struct cases find_cases(const struct scoring_input *in, struct arena *out)
{
    size_t most = in->note_count + 1;
    struct cases c = {.hashes = arena_new(out, const char *, most),
                      .names = arena_new(out, const char *, most),
                      .of_note = arena_new(out, size_t, most)};
    struct arena scratch = arena_open();
    const char **hashes = arena_new(&scratch, const char *, most);
    size_t *notes = arena_new(&scratch, size_t, most);
    size_t n = 0;
    for (size_t i = 0; i < in->note_count; i++) {
        if (!is_of_case(&in->notes[i])) continue;
        hashes[n] = in->notes[i].case_hash;
        notes[n++] = i;
    }
    const size_t *order = text_order(hashes, n, &scratch);
    for (size_t i = 0; i < n; i++) {
        const struct trial_note *note = &in->notes[notes[order[i]]];
        bool is_new = c.count == 0 || strcmp(c.hashes[c.count - 1], note->case_hash) != 0;
        if (is_new) {
            c.hashes[c.count] = note->case_hash;
            c.names[c.count++] = name_of(note, out);
        }
        c.of_note[notes[order[i]]] = c.count - 1;
    }
    arena_close(&scratch);
    return c;
}

/* ---- trials ---- */

struct columns {
    const double *status, *duration, *accuracy, *tokens, *cost, *judge_cost, *cpu, *memory,
        *calls;
    const double *dimensions[RUBRIC_DIMENSIONS];
};

static struct columns find_columns(const struct scoring_input *in, size_t n)
{
    struct columns c = {
        .status = samples_of(in, "trial.status", n),
        .duration = samples_of(in, "duration_s", n),
        .accuracy = samples_of(in, "accuracy", n),
        .tokens = samples_of(in, "tokens", n),
        .cost = samples_of(in, "cost_usd", n),
        .judge_cost = samples_of(in, "judge_cost_usd", n),
        .cpu = samples_of(in, "cpu_s", n),
        .memory = samples_of(in, "memory_peak_mb", n),
        .calls = samples_of(in, "api_calls", n),
    };
    for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) {
        c.dimensions[d] = samples_of(in, rubric_dimension_name((enum rubric_dimension)d), n);
    }
    return c;
}

static void add(double *sum, double v)
{
    if (!isnan(v)) *sum = isnan(*sum) ? v : *sum + v;
}

/* A trial that failed has no samples; what it used is in its note. */
static void take_failure(struct scoring *s, struct score_trial *t,
                         const struct trial_note *note, const struct rubric *rubric,
                         struct arena scratch)
{
    for (size_t d = 0; rubric && d < RUBRIC_DIMENSIONS; d++) { /* named, so an answer counts */
        if (rubric_has_dimension(rubric, (enum rubric_dimension)d)) t->dimensions[d] = 0;
    }
    struct detail detail;
    if (!detail_read(note->detail, &scratch, &detail)) return;
    t->is_unjudged = detail.has_judgement && !detail.is_judged;
    add(&t->tokens, detail.usage[DETAIL_INPUT_TOKENS]);
    add(&t->tokens, detail.usage[DETAIL_OUTPUT_TOKENS]);
    t->cost_usd = detail.usage[DETAIL_COST_USD];
    t->cpu_s = detail.usage[DETAIL_CPU_S];
    t->memory_mb = detail.usage[DETAIL_MEMORY_PEAK_MB];
    add(&s->api_calls, detail.usage[DETAIL_API_CALLS]);
    add(&s->judge_cost_usd, detail.judge_cost_usd);
}

static void take_trial(struct scoring *s, struct score_trial *t, const struct columns *c,
                       size_t i)
{
    t->accuracy = at(c->accuracy, i);
    t->is_unjudged = isnan(t->accuracy);
    t->duration_s = at(c->duration, i);
    t->tokens = at(c->tokens, i);
    t->cpu_s = at(c->cpu, i);
    t->memory_mb = at(c->memory, i);
    t->cost_usd = at(c->cost, i);
    for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) t->dimensions[d] = at(c->dimensions[d], i);
    add(&s->api_calls, at(c->calls, i));
    add(&s->judge_cost_usd, at(c->judge_cost, i));
}

static void total_up(struct scoring *s, const struct score_trial *trials, size_t n)
{
    double cpu = 0;
    double wall = 0;
    for (size_t i = 0; i < n; i++) {
        const struct score_trial *t = &trials[i];
        add(&s->tokens, t->tokens);
        add(&s->cost_usd, t->cost_usd);
        if (!isnan(t->memory_mb)) s->memory_peak_mb = fmax(s->memory_peak_mb, t->memory_mb);
        if (isnan(t->cpu_s) || isnan(t->duration_s)) continue;
        cpu += t->cpu_s;
        wall += t->duration_s;
    }
    if (wall > 0) s->cpu_percent = 100 * cpu / wall;
}

static void read_rules(const struct value *settings, struct scoring *s)
{
    const struct value *pass = value_get(settings, "pass_at");
    const struct value *reducer = value_get(settings, "reducer");
    const struct value *ks = value_get(settings, "pass_k");
    bool is_said = pass && value_is_number(pass) && value_number(pass) > 0;
    s->rules.pass_at = is_said ? value_number(pass) : 1; /* 0 was once allowed, and meant 1 */
    for (int i = 0; reducer && reducer->kind == VALUE_TEXT && i < REDUCER_COUNT; i++) {
        if (str_is(reducer->source, reducer_names[i])) s->rules.reducer = (enum reducer)i;
    }
    size_t count = ks && ks->kind == VALUE_LIST ? ks->list.count : 0;
    for (size_t i = 0; i < count && i < SCORING_PASS_MAX; i++) {
        const struct value *k = ks->list.items[i];
        s->pass_k[i] = k->kind == VALUE_INT ? k->integer : 0;
    }
}

/* What a score plan needs, from a benchmark's maps (each may be NULL). */
static void read_score_plan(const struct value *targets, const struct value *settings,
                            struct score_plan *plan)
{
    struct arena scratch = arena_open();
    struct suite_targets t = {0};
    struct suite_weights w = {0};
    const struct value *weights = value_get(settings, "weights");
    bool is_read = param_read(suite_targets_table, targets, &t, &scratch, NULL) &&
                   param_read(suite_weights_table, weights, &w, &scratch, NULL);
    *plan = (struct score_plan){.targets = score_targets_none, .seed = 42};
    if (is_read) {
        plan->targets =
            (struct score_targets){t.duration_s, t.tokens, t.cpu_s, t.memory_mb, t.cost_usd};
        plan->weights[SCORE_ACCURACY] = w.accuracy;
        plan->weights[SCORE_SPEED] = w.speed;
        plan->weights[SCORE_EFFICIENCY] = w.efficiency;
        plan->weights[SCORE_COST] = w.cost;
        plan->weights[SCORE_RELIABILITY] = w.reliability;
    }
    arena_close(&scratch);
}

bool scoring_compute(const struct scoring_input *in, struct arena *out, struct scoring *s,
                     struct error *err)
{
    *s = (struct scoring){.benchmark = in->benchmark,
                          .tokens = NAN,
                          .api_calls = NAN,
                          .cost_usd = NAN,
                          .judge_cost_usd = NAN,
                          .memory_peak_mb = NAN,
                          .cpu_percent = NAN};
    size_t n = trial_count(in);
    if (n == 0) return error_set(err, ERROR_INVALID, "no measured trial to score");
    struct columns columns = find_columns(in, n);
    struct cases cases = find_cases(in, out);
    /* One note a trial, unless a bundle says otherwise. */
    struct score_trial *trials = arena_new(out, struct score_trial, in->note_count + 1);
    struct problems ignored = {.arena = out, .file = "rubric"};
    const struct rubric *rubric = NULL;
    if (!rubric_read(value_stored(in->benchmark->scoring_rubric, out), out, &rubric, &ignored))
        rubric = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < in->note_count; i++) {
        const struct trial_note *note = &in->notes[i];
        bool is_trial = note->trial >= 0 && note->trial < (int64_t)n;
        if (!is_of_case(note) || !is_trial) continue;
        struct score_trial *t = &trials[kept++];
        score_trial_init(t);
        t->case_index = cases.of_note[i];
        t->status = note->status;
        if (note->status == TRIAL_OK) {
            take_trial(s, t, &columns, (size_t)note->trial);
        } else {
            take_failure(s, t, note, rubric, *out);
        }
    }
    const struct value *settings = value_stored(in->benchmark->settings, out);
    read_rules(settings, s);
    read_score_plan(value_stored(in->benchmark->targets, out), settings, &s->plan);
    s->trials = n;
    s->hashes = cases.hashes;
    s->names = cases.names;
    s->case_count = cases.count;
    s->cases = score_cases(trials, kept, cases.count, &s->rules, out);
    total_up(s, trials, kept);
    scores_compute(s->cases, s->case_count, &s->plan, out, &s->scores);
    return true;
}

bool scoring_load(struct store *store, const struct execution_record *e, struct arena *out,
                  struct scoring *scoring, struct error *err)
{
    struct benchmark_record *benchmark = arena_new(out, struct benchmark_record, 1);
    struct series_record *series = NULL;
    struct trial_note *notes = NULL;
    struct scoring_input in = {.benchmark = benchmark};
    if (!store_find_benchmark(store, e->benchmark_id, out, benchmark, err) ||
        !store_list_series(store, e->id, out, &series, &in.series_count, err) ||
        !store_list_notes(store, e->id, out, &notes, &in.note_count, err)) {
        return error_wrap(err, "scoring execution %s", e->id);
    }
    in.series = series;
    in.notes = notes;
    return scoring_compute(&in, out, scoring, err);
}

void scoring_fill(const struct scoring *s, struct execution_record *e)
{
    bool is_whole = s->scores.judged == s->scores.total;
    if (e->unranked == UNRANKED_NOT && !is_whole) e->unranked = UNRANKED_UNJUDGED;
    if (e->unranked == UNRANKED_UNJUDGED && is_whole) e->unranked = UNRANKED_NOT;
    for (size_t i = 0; i < SCORE_COUNT; i++) e->scores[i] = s->scores.by[i].value;
    e->tokens_used = s->tokens;
    e->api_calls_made = s->api_calls;
    e->memory_peak_mb = s->memory_peak_mb;
    e->cpu_usage_percent = s->cpu_percent;
    e->output_correctness = s->scores.dimensions[RUBRIC_CORRECTNESS];
    e->output_completeness = s->scores.dimensions[RUBRIC_COMPLETENESS];
    e->output_relevance = s->scores.dimensions[RUBRIC_RELEVANCE];
    e->cost_usd = s->cost_usd;
}

/* ---- what was planned and not made ---- */

static size_t not_made(const struct execution_record *e)
{
    bool was_ended = e->status == RUN_SUCCESS && e->unranked != UNRANKED_SUBSET; /* `until` */
    int64_t left = e->measured_planned - e->counts.attempted;
    return was_ended || left < 0 ? 0 : (size_t)left;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t scoring_untried(const struct scoring *s, const struct execution_record *e,
                       struct arena *out)
{
    size_t left = not_made(e);
    const struct value *all = left > 0 ? value_stored(s->benchmark->cases, out) : NULL;
    size_t count = all && all->kind == VALUE_LIST ? all->list.count : 0;
    const char **hashes = arena_new(out, const char *, count + 1);
    size_t n = 0;
    size_t untried = 0;
    for (size_t i = 0; i < count; i++) {
        hashes[n] = str_cstr(out, all->list.items[i]->source);
        n += !s->case_count ||
             !bsearch(&hashes[n], s->hashes, s->case_count, sizeof *hashes, by_text);
    }
    if (n > 0) qsort(hashes, n, sizeof *hashes, by_text);
    for (size_t i = 0; i < n; i++) { /* equal ones are one case */
        untried += i == 0 || strcmp(hashes[i], hashes[i - 1]) != 0;
    }
    return untried < left ? untried : left;
}

/* Each untried case lacks as many trials as a case was to have; what is left over are
 * further attempts of those that were tried, one each. */
void scoring_ends(const struct scoring *s, const struct execution_record *e, struct arena *out,
                  double ends[2])
{
    struct scores scores = s->scores;
    size_t untried = scoring_untried(s, e, out);
    size_t left = not_made(e);
    size_t count = s->case_count + untried;
    struct score_case *cases = arena_new(out, struct score_case, count + 1);
    memcpy(cases, s->cases, s->case_count * sizeof *cases);
    for (size_t i = 0; i < untried; i++) {
        size_t each = left / (untried - i);
        if (each > (size_t)e->measured_planned / count) each = e->measured_planned / count;
        if (each == 0) each = 1;
        cases[s->case_count + i] = (struct score_case){.missing = (int64_t)each};
        left -= each;
    }
    scores.total += untried;
    for (size_t i = 0; i < s->case_count && left > 0; i++) {
        if (cases[i].missing == 0 && cases[i].judged > 0) scores.judged--;
        cases[i].missing++;
        left--;
    }
    scores_ends(&scores, cases, count, ends);
}

/* ---- among others ---- */

static const double *weights_of(const struct scoring *s)
{
    double total = 0;
    for (size_t i = 0; i < SCORE_COUNT; i++) total += s->plan.weights[i];
    return total > 0 ? s->plan.weights : score_weights_default;
}

/* By how much the overall is above that of `base`, over the scores that both have;
 * `stated` is the base's overall where the suite says it, NaN else. */
static double deviation(const double *scores, const double *base, double stated,
                        const double *weights)
{
    unsigned shared = isnan(stated) ? scores_present(base) : SCORES_ALL;
    double own = scores_overall(scores, weights, shared);
    if (isnan(stated)) stated = scores_overall(base, weights, scores_present(scores));
    return stated > 0 ? own / stated - 1 : (double)NAN;
}

/* What the suite states for this agent. */
static const struct value *stated_scores(const struct value *list, const char *agent,
                                         const char *agent_id)
{
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        const struct value *id = value_get(list->list.items[i], "agent_id");
        if (!id || id->kind != VALUE_TEXT) continue;
        if (str_is(id->source, agent) || str_is(id->source, agent_id)) {
            return value_get(list->list.items[i], "scores");
        }
    }
    return NULL;
}

static bool is_other_version(const struct execution_record *a, const struct execution_record *b)
{
    return a->agent_version && b->agent_version &&
           strcmp(a->agent_version, b->agent_version) != 0;
}

bool scoring_compare(struct store *store, const struct scoring *s, const char *agent,
                     struct execution_record *e, struct arena *scratch, struct error *err)
{
    struct execution_record *others = NULL;
    size_t count = 0;
    struct suite_record suite;
    struct execution_filter filter = {.benchmark_id = e->benchmark_id, .is_success = true};
    if (!store_query_executions(store, &filter, scratch, &others, &count, err) ||
        !store_find_suite_by_id(store, e->suite_id, scratch, &suite, err)) {
        return false;
    }
    const double *weights = weights_of(s);
    double own = scores_overall(e->scores, weights, SCORES_ALL);
    double among = 1; /* itself */
    double beaten = 1;
    const struct execution_record *earlier = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct execution_record *o = &others[i];
        double overall = scores_overall(o->scores, weights, SCORES_ALL);
        bool is_alike = str_is(str_of(o->provenance), e->provenance);
        bool is_copy = o->unranked == UNRANKED_CACHED || o->unranked == UNRANKED_RESCORED ||
                       o->unranked == UNRANKED_UNJUDGED;
        if (strcmp(o->id, e->id) == 0 || !is_alike || is_copy) continue;
        bool is_like = scores_present(o->scores) == scores_present(e->scores);
        if (is_like && !isnan(overall)) { /* partial and full are not ranked together */
            among++;
            if (own >= overall) beaten++;
        }
        if (!earlier && strcmp(o->agent_id, e->agent_id) == 0 && is_other_version(o, e))
            earlier = o;
    }
    e->percentile_rank = isnan(own) ? (double)NAN : beaten / among;
    const struct value *map =
        stated_scores(value_stored(suite.baseline_scores, scratch), agent, e->agent_id);
    if (map) {
        double base[SCORE_COUNT];
        for (size_t i = 0; i < SCORE_COUNT; i++) {
            base[i] = value_real(map, score_name((enum score_id)i));
        }
        e->deviation_from_baseline =
            deviation(e->scores, base, value_real(map, "overall"), weights);
    } else if (earlier) {
        e->deviation_from_baseline = deviation(e->scores, earlier->scores, NAN, weights);
    }
    return true;
}

/* Every execution of the run is stored when the first is placed among the others: the
 * order in which cells ended decides nothing. */
bool scoring_settle_run(struct store *store, const char *run_id, struct error *err)
{
    struct arena list_arena = arena_open();
    struct execution_record *list = NULL;
    struct agent_record *agents = NULL;
    size_t count = 0;
    size_t agent_count = 0;
    bool done = store_list_executions(store, run_id, &list_arena, &list, &count, err) &&
                store_list_agents(store, true, &list_arena, &agents, &agent_count, err);
    for (size_t i = 0; i < count && done; i++) {
        struct execution_record *e = &list[i];
        struct arena scratch = arena_open();
        struct benchmark_record b;
        struct scoring s = {0};
        bool is_suite = strcmp(e->experiment, "suite") == 0;
        if (is_suite && e->status == RUN_SUCCESS && e->counts.attempted > 0) {
            const char *name = agent_record_name(agents, agent_count, e->agent_id);
            done = store_find_benchmark(store, e->benchmark_id, &scratch, &b, err);
            if (done) read_score_plan(NULL, value_stored(b.settings, &scratch), &s.plan);
            done = done && scoring_compare(store, &s, name ? name : "", e, &scratch, err) &&
                   store_put_execution(store, e, err) &&
                   (e->unranked != UNRANKED_NOT || store_settle_rank(store, e, err));
        }
        arena_close(&scratch);
    }
    arena_close(&list_arena);
    return done ||
           error_wrap(err, "placing the scores of run %s among others", id_short(run_id));
}

/* ---- why not ---- */

void scoring_explain(const struct scoring *s, const struct execution_record *e,
                     struct note_list *notes, struct arena *out)
{
    char text[600];
    struct buf b;
    const struct {
        const char *name;
        double value;
    } told[] =
        {
            {"tokens_used", e->tokens_used},
            {"api_calls_made", e->api_calls_made},
            {"memory_peak_mb", e->memory_peak_mb},
            {"cpu_usage_percent", e->cpu_usage_percent},
            {"cost_usd", e->cost_usd},
        },
      judged[] = {
          {"output_correctness", e->output_correctness},
          {"output_completeness", e->output_completeness},
          {"output_relevance", e->output_relevance},
      };
    buf_over(&b, text, sizeof text);
    for (size_t i = 0; i < COUNT(told); i++) {
        if (isnan(told[i].value)) buf_printf(&b, "%s%s", b.n ? ", " : "", told[i].name);
    }
    if (b.n > 0) {
        buf_text(&b, ": NULL, not reported by the agent");
        note_add(notes, out, NOTE_MISSING, buf_str(&b));
    }
    buf_over(&b, text, sizeof text);
    for (size_t i = 0; i < COUNT(judged); i++) {
        if (isnan(judged[i].value)) buf_printf(&b, "%s%s", b.n ? ", " : "", judged[i].name);
    }
    if (b.n > 0) {
        buf_text(&b, ": NULL, no check of the rubric names that dimension");
        note_add(notes, out, NOTE_MISSING, buf_str(&b));
    }
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        const struct score *score = &s->scores.by[i];
        if (!isnan(score->value)) continue;
        buf_over(&b, text, sizeof text);
        buf_printf(&b, "%s_score: NULL, %s", score_name((enum score_id)i),
                   score->reason ? score->reason : "not computed");
        note_add(notes, out, NOTE_MISSING, buf_str(&b));
    }
    if (isnan(e->deviation_from_baseline)) {
        note_add(notes, out, NOTE_MISSING,
                 S("deviation_from_baseline: NULL, no baseline: the agent has no "
                   "baseline_scores and no other version"));
    }
}
