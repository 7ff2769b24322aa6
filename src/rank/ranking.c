/* Rows of means come from the store (rank_row); here they are put into classes that may
 * be ranked together (same group, coverage as asked for, overall over the same
 * scores), ranked within each, and given intervals and tie groups from the latest
 * results (ranking_units.c). What was stored and does not rank is counted and said. Ranks
 * of one class begin at 1; equal means share a rank. */
#include "rank/ranking.h"

#include "base/value.h"
#include "rank/ranking_internal.h"
#include "score/scores.h"

#include <math.h>
#include <stdlib.h>

static const char *text(const char *or_null)
{
    return or_null ? or_null : "";
}

/* Whether the row of `latest` is of the same agent, version and prompt. */
static bool is_of(const struct ranking_work *w, const struct rank_row *row,
                  const struct latest_row *latest)
{
    bool is_merged = w->r->question.filter.merges_versions;
    return strcmp(row->agent_id, latest->agent_id) == 0 &&
           strcmp(text(row->agent_version), text(latest->agent_version)) == 0 &&
           (is_merged || strcmp(text(row->prompt), latest->prompt) == 0);
}

size_t ranking_entry_of(const struct ranking_work *w, const struct ranking_entry *entries,
                        size_t count, size_t i, size_t last)
{
    const struct latest_row *row = &w->latest[i];
    if (last < count && is_of(w, entries[last].row, row)) return last;
    for (size_t k = 0; k < count; k++) {
        if (is_of(w, entries[k].row, row)) return k;
    }
    return count;
}

const char *ranking_prompt_of(const struct ranking_work *w, size_t i)
{
    return w->r->question.filter.merges_versions ? w->latest[i].prompt : "";
}

/* Means that differ by less than 1e-12 are equal, as in the views. */
static double rounded(double mean)
{
    return round(mean * 1e12);
}

void ranking_note(struct ranking_work *w, struct ranking_note note)
{
    struct ranking *r = w->r;
    if (r->note_count == RANKING_NOTES_MAX) return;
    for (size_t i = 0; i < r->note_count; i++) {
        const struct ranking_note *o = &r->notes[i];
        bool is_same_group = !note.group || (o->group && strcmp(o->group, note.group) == 0);
        if (o->code == note.code && o->n == note.n && is_same_group) return;
    }
    r->notes[r->note_count++] = note;
}

/* ---- options that people write ---- */

const char *ranking_metric_name(int metric)
{
    return metric == RANKING_OVERALL ? "overall" : score_name((enum score_id)metric);
}

static int score_named(struct str name)
{
    for (int i = 0; i < SCORE_COUNT; i++) {
        if (str_is(name, score_name((enum score_id)i))) return i;
    }
    return -1;
}

bool ranking_read_weights(const char *text, double weights[SCORE_COUNT], struct error *err)
{
    double total = 0;
    memset(weights, 0, SCORE_COUNT * sizeof *weights);
    for (struct str rest = str_of(text); rest.p;) {
        struct str value = str_trim(str_cut(&rest, ','));
        struct str name = str_trim(str_cut(&value, '='));
        int which = score_named(name);
        double weight = -1;
        if (which < 0 || !value.p || !str_to_real(str_trim(value), &weight) || weight < 0) {
            return error_set(
                err, ERROR_INVALID,
                "weight '%.*s' is not understood; write accuracy=0.5,speed=0.5 with "
                "accuracy, speed, efficiency, cost, reliability and numbers from 0",
                STR_ARG(name));
        }
        weights[which] = weight;
        total += weight;
    }
    if (isinf(total)) {
        return error_set(err, ERROR_INVALID,
                         "weights must add up to a number: write smaller ones");
    }
    return total > 0 || error_set(err, ERROR_INVALID, "weights must not all be 0");
}

/* ---- groups, ranks, order ---- */

static const char *group_of(struct ranking_work *w, const struct latest_row *row,
                            struct error *err)
{
    enum rank_by by = w->r->question.is_matrix ? RANK_BY_NOTHING : w->r->question.filter.by;
    struct benchmark_record b;
    const struct value *complexity;
    switch (by) {
    case RANK_BY_NOTHING: return "overall";
    case RANK_BY_CATEGORY: return row->category;
    case RANK_BY_COMPLEXITY:
        if (!store_find_benchmark(w->store, row->benchmark_id, w->out, &b, err)) return NULL;
        complexity = value_get(value_stored(b.dataset, w->out), "complexity");
        if (!complexity || complexity->kind != VALUE_TEXT) return "unstated";
        return str_cstr(w->out, complexity->source);
    case RANK_BY_TEST_TYPE:
        if (!store_find_benchmark(w->store, row->benchmark_id, w->out, &b, err)) return NULL;
        return b.test_type ? b.test_type : "unstated";
    }
    return NULL;
}

/* All prompts of it. */
static bool is_asked_for(const struct ranking_question *q, const struct rank_row *row)
{
    for (size_t i = 0; i < q->agent_count; i++) {
        if (agent_ref_fits(&q->agents[i], row->agent_id, row->agent_version)) return true;
    }
    return false;
}

/* Those that are asked for, and what is known of them. */
static void keep_agents(struct ranking_work *w, struct rank_row *rows, size_t *count)
{
    const struct ranking_question *q = &w->r->question;
    size_t kept = 0;
    size_t kept_latest = 0;
    for (size_t i = 0; i < *count; i++) {
        if (is_asked_for(q, &rows[i])) rows[kept++] = rows[i];
    }
    for (size_t i = 0; i < w->latest_count; i++) {
        bool is_kept = false;
        for (size_t k = 0; k < kept && !is_kept; k++)
            is_kept = is_of(w, &rows[k], &w->latest[i]);
        if (!is_kept) continue;
        w->groups[kept_latest] = w->groups[i];
        w->latest[kept_latest++] = w->latest[i];
    }
    *count = kept;
    w->latest_count = kept_latest;
}

/* Prompts of a benchmark next to each other. */
static int by_agent(const void *a, const void *b)
{
    const struct latest_row *x = a;
    const struct latest_row *y = b;
    int agent = strcmp(x->agent_id, y->agent_id);
    int benchmark = strcmp(x->benchmark_id, y->benchmark_id);
    if (agent) return agent;
    return benchmark ? benchmark : strcmp(x->prompt, y->prompt);
}

static bool load_latest(struct ranking_work *w, struct error *err)
{
    const struct rank_filter *filter = &w->r->question.filter;
    if (!store_latest(w->store, filter, w->out, &w->latest, &w->latest_count, err))
        return false;
    if (filter->merges_versions && w->latest_count > 0)
        qsort(w->latest, w->latest_count, sizeof *w->latest, by_agent);
    w->groups = arena_new(w->out, const char *, w->latest_count + 1);
    for (size_t i = 0; i < w->latest_count; i++) {
        w->groups[i] = group_of(w, &w->latest[i], err);
        if (!w->groups[i]) return false;
    }
    return true;
}

/* What an entry meets once: a benchmark, with each prompt where the entry has several. */
struct task {
    const char *benchmark_id;
    const char *prompt;
};

static int by_task(const void *a, const void *b)
{
    const struct task *x = a;
    const struct task *y = b;
    int benchmark = strcmp(x->benchmark_id, y->benchmark_id);
    return benchmark ? benchmark : strcmp(x->prompt, y->prompt);
}

/* Different ones that anybody has a success on, in one group. */
static size_t count_tasks(const struct ranking_work *w, const char *group, struct arena scratch)
{
    struct task *tasks = arena_new(&scratch, struct task, w->latest_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < w->latest_count; i++) {
        if (strcmp(w->groups[i], group) == 0)
            tasks[n++] = (struct task){w->latest[i].benchmark_id, ranking_prompt_of(w, i)};
    }
    qsort(tasks, n, sizeof *tasks, by_task);
    size_t different = 0;
    for (size_t i = 0; i < n; i++) different += i == 0 || by_task(&tasks[i], &tasks[i - 1]);
    return different;
}

static void fill_coverage(struct ranking_work *w, struct ranking_entry *entries, size_t count)
{
    const char *group = entries[0].row->group;
    size_t all = count_tasks(w, group, *w->out);
    bool is_uneven = false; /* as many of them each may be other ones */
    for (size_t k = 0, agent = count; k < w->latest_count; k++) {
        agent = ranking_entry_of(w, entries, count, k, agent);
        if (agent < count) entries[agent].covered += strcmp(w->groups[k], group) == 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct ranking_entry *e = &entries[i];
        e->coverage = all > 0 ? (double)e->covered / (double)all : 0;
        e->is_uncovered = e->coverage < w->r->question.min_coverage;
        is_uneven = is_uneven || e->covered < (int64_t)all;
    }
    if (is_uneven && w->r->question.min_coverage <= 0) {
        ranking_note(w, (struct ranking_note){.code = RANKING_UNEVEN});
    }
}

static void fill_ranks(struct ranking_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ranking_entry *e = &entries[i];
        for (size_t m = 0; m < SCORE_COUNT; m++) {
            if (isnan(e->row->mean[m])) continue;
            e->rank[m] = 1;
            for (size_t k = 0; k < count; k++) {
                e->rank[m] += rounded(entries[k].row->mean[m]) > rounded(e->row->mean[m]);
            }
            if (e->best == 0 || e->rank[m] < e->best) e->best = e->rank[m];
        }
    }
}

static void fill_overall(const struct ranking *r, struct ranking_entry *e)
{
    unsigned weighted = 0;
    for (size_t i = 0; i < SCORE_COUNT; i++) weighted |= r->weights[i] > 0 ? 1u << i : 0u;
    e->present = scores_present(e->row->mean) & weighted;
    e->is_partial = e->present != weighted;
    e->overall = scores_overall(e->row->mean, r->weights, weighted);
}

/* What must not be ranked together is kept apart: groups, agents below the
 * coverage asked for, overalls over other scores. */
static int compare_class(const struct ranking_entry *a, const struct ranking_entry *b)
{
    int by_group = strcmp(a->row->group, b->row->group);
    if (by_group) return by_group;
    if (a->is_uncovered != b->is_uncovered) return a->is_uncovered ? 1 : -1;
    int parts = __builtin_popcount(b->present) - __builtin_popcount(a->present);
    if (parts) return parts;
    return (a->present > b->present) - (a->present < b->present);
}

static double value_of(const struct ranking_entry *e, int metric)
{
    double v = metric == RANKING_OVERALL ? e->overall : e->row->mean[metric];
    return isnan(v) ? -(double)INFINITY : rounded(v);
}

static int by_overall(const void *a, const void *b)
{
    const struct ranking_entry *x = a;
    const struct ranking_entry *y = b;
    int class = compare_class(x, y);
    if (class) return class;
    double vx = value_of(x, RANKING_OVERALL);
    double vy = value_of(y, RANKING_OVERALL);
    if (vx != vy) return vx > vy ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_metric(const void *a, const void *b, void *metric)
{
    const struct ranking_entry *x = a;
    const struct ranking_entry *y = b;
    int by_group = strcmp(x->row->group, y->row->group);
    if (by_group) return by_group;
    if (x->is_uncovered != y->is_uncovered) return x->is_uncovered ? 1 : -1;
    double vx = value_of(x, *(int *)metric);
    double vy = value_of(y, *(int *)metric);
    if (vx != vy) return vx > vy ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_best(const void *a, const void *b)
{
    const struct ranking_entry *x = a;
    const struct ranking_entry *y = b;
    int by_group = strcmp(x->row->group, y->row->group);
    if (by_group) return by_group;
    size_t bx = x->best ? x->best : SIZE_MAX;
    size_t by = y->best ? y->best : SIZE_MAX;
    if (bx != by) return bx < by ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void rank_class(struct ranking_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ranking_entry *e = &entries[i];
        if (e->is_uncovered || isnan(e->overall)) continue;
        bool is_tie =
            i > 0 && value_of(e, RANKING_OVERALL) == value_of(&entries[i - 1], RANKING_OVERALL);
        e->overall_rank = is_tie ? entries[i - 1].overall_rank : i + 1;
    }
}

/* One group: ranks of each score, overall ranks class by class, intervals. */
static bool rank_group(struct ranking_work *w, struct ranking_entry *entries, size_t count,
                       struct error *err)
{
    struct ranking *r = w->r;
    int metric = r->question.metric;
    fill_coverage(w, entries, count);
    fill_ranks(entries, count);
    qsort(entries, count, sizeof *entries, by_overall);
    size_t classes = 0;
    for (size_t from = 0, to; from < count; from = to, classes++) {
        for (to = from + 1; to < count && !compare_class(&entries[from], &entries[to]);) to++;
        rank_class(entries + from, to - from);
        if (metric != RANKING_OVERALL || entries[from].overall_rank == 0) continue;
        if (!ranking_units(w, entries + from, to - from, err)) return false;
    }
    if (metric == RANKING_OVERALL) {
        if (classes > 1 && entries[0].present != entries[count - 1].present) {
            ranking_note(w, (struct ranking_note){.code = RANKING_CLASSES});
        }
        return true;
    }
    qsort_r(entries, count, sizeof *entries, by_metric, &metric);
    size_t ranked = 0;
    while (ranked < count && !entries[ranked].is_uncovered && entries[ranked].rank[metric]) {
        ranked++;
    }
    return ranked == 0 || ranking_units(w, entries, ranked, err);
}

static bool rank_all(struct ranking_work *w, struct ranking_entry *entries, size_t count,
                     struct error *err)
{
    struct ranking *r = w->r;
    size_t limit = r->question.limit ? r->question.limit : count;
    for (size_t from = 0, to; from < count; from = to) {
        const char *group = entries[from].row->group;
        for (to = from + 1; to < count && strcmp(entries[to].row->group, group) == 0;) to++;
        if (!rank_group(w, entries + from, to - from, err)) return false;
        if (r->question.order == RANKING_BY_BEST) {
            qsort(entries + from, to - from, sizeof *entries, by_best);
        }
        size_t kept = to - from < limit ? to - from : limit;
        memmove(r->entries + r->count, entries + from, kept * sizeof *entries);
        r->count += kept;
        r->left_off += to - from - kept;
    }
    return true;
}

/* ---- agents that nobody has asked lately ---- */

/* Whether any version of it is asked for. */
static bool is_named(const struct ranking_question *q, const char *agent_id)
{
    for (size_t i = 0; i < q->agent_count; i++) {
        if (strcmp(q->agents[i].id, agent_id) == 0) return true;
    }
    return q->agent_count == 0;
}

/* Results of the suite, the category and the versions that are asked for, whenever. */
static bool find_stale(struct ranking_work *w, struct error *err)
{
    struct ranking *r = w->r;
    const struct ranking_question *q = &r->question;
    struct agent_record *agents = NULL;
    struct rank_row *rows = NULL;
    size_t agent_count = 0;
    size_t count = 0;
    const struct rank_filter ever = {.category = q->filter.category,
                                     .suite = q->filter.suite,
                                     .benchmark = q->filter.benchmark};
    if (!store_list_agents(w->store, true, w->out, &agents, &agent_count, err) ||
        !store_leaderboard(w->store, &ever, w->out, &rows, &count, err)) {
        return false;
    }
    r->stale = arena_new(w->out, struct ranking_stale, agent_count + 1);
    for (size_t i = 0; i < agent_count; i++) {
        const char *last = NULL;
        if (!is_named(q, agents[i].id)) continue;
        r->agent_count++;
        for (size_t k = 0; k < count; k++) {
            bool is_of = strcmp(rows[k].agent_id, agents[i].id) == 0 &&
                         (q->agent_count == 0 || is_asked_for(q, &rows[k]));
            if (is_of && (!last || strcmp(last, rows[k].last) < 0)) last = rows[k].last;
        }
        if (last && strcmp(last, q->stale_since) >= 0) continue;
        r->stale[r->stale_count++] = (struct ranking_stale){
            str_cstr(w->out, str_of(agents[i].id)), agents[i].name, last};
    }
    return true;
}

static void set_weights(struct ranking *r)
{
    double total = 0;
    for (size_t i = 0; i < SCORE_COUNT; i++) total += r->question.weights[i];
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        r->weights[i] = total > 0 ? r->question.weights[i] / total : score_weights_default[i];
    }
}

/* What was stored in the window and does not rank, with the reason. */
static bool find_left_out(struct ranking_work *w, struct error *err)
{
    struct left_out_row *rows = NULL;
    if (!store_left_out(w->store, &w->r->question.filter, w->out, &rows, &w->r->left_out_count,
                        err))
        return false;
    w->r->left_out = rows;
    return true;
}

/* A speed under load next to one without it. */
static bool has_loads(const struct ranking_work *w)
{
    for (size_t i = 1; i < w->latest_count; i++) {
        if (w->latest[i].concurrency != w->latest[0].concurrency) return true;
    }
    return false;
}

/* "gpt", "gpt 1.2", "gpt 1.2 prompt short". */
static const char *name_of(const struct rank_row *row, struct arena *out)
{
    return arena_printf(out, "%s%s%s%s%s", row->agent_name, row->agent_version ? " " : "",
                        text(row->agent_version), row->prompt ? " prompt " : "",
                        text(row->prompt));
}

bool ranking_ask(struct store *store, const struct ranking_question *question,
                 struct arena *out, struct ranking **ranking, struct error *err)
{
    struct ranking *r = arena_new(out, struct ranking, 1);
    struct ranking_work w = {.store = store, .r = r, .out = out};
    struct rank_row *rows = NULL;
    size_t count = 0;
    r->question = *question;
    set_weights(r);
    bool done = question->is_matrix
                    ? store_matrix(store, &question->filter, out, &rows, &count, err)
                    : store_leaderboard(store, &question->filter, out, &rows, &count, err);
    if (!done || !load_latest(&w, err)) return false;
    if (question->agent_count) keep_agents(&w, rows, &count);
    struct ranking_entry *entries = arena_new(out, struct ranking_entry, count + 1);
    r->entries = arena_new(out, struct ranking_entry, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct ranking_interval none = {NAN, NAN};
        entries[i].row = &rows[i];
        entries[i].name = name_of(&rows[i], out);
        entries[i].overall_interval = none;
        for (size_t k = 0; k < SCORE_COUNT; k++) entries[i].score[k] = none;
        fill_overall(r, &entries[i]);
    }
    if (!rank_all(&w, entries, count, err) || !find_left_out(&w, err)) return false;
    r->has_loads = has_loads(&w);
    if (question->stale_since && !find_stale(&w, err)) return false;
    *ranking = r;
    return true;
}
