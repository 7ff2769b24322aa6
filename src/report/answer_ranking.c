#include "report/answer_ranking.h"

#include "model/vocabulary.h"
#include "report/table.h"

#include <math.h>

static const char *const *const names = vocabulary_scores;
static const char *const by_names[] = {[RANK_BY_NOTHING] = NULL,
                                       [RANK_BY_CATEGORY] = "category",
                                       [RANK_BY_COMPLEXITY] = "complexity",
                                       [RANK_BY_TEST_TYPE] = "test_type"};

/* ---- JSON ---- */

/* 0 is no rank. */
static void put_rank(struct json *j, const char *key, size_t rank)
{
    json_key(j, key);
    if (rank) {
        json_int(j, (int64_t)rank);
    } else {
        json_null(j);
    }
}

static void put_overall(struct json *j, const struct ranking_entry *e)
{
    json_put_text(j, "agent_id", e->row->agent_id);
    json_put_text(j, "agent_name", e->row->agent_name);
    json_put_text(j, "agent_version", e->row->agent_version);
    json_put_real(j, "overall_score", e->overall);
    json_put_real(j, "overall_low", e->overall_interval.low);
    json_put_real(j, "overall_high", e->overall_interval.high);
    put_rank(j, "overall_rank", e->overall_rank);
    put_rank(j, "rank_low", e->rank_low);
    put_rank(j, "rank_high", e->rank_high);
    put_rank(j, "tie_group", e->tie_group);
    json_key(j, "tie_groups");
    json_list(j);
    for (size_t g = e->tie_group; g > 0 && g <= e->tie_last; g++) json_int(j, (int64_t)g);
    json_end(j);
}

static void put_common(struct json *j, const struct ranking *r, const struct ranking_entry *e)
{
    json_put_int(j, "benchmarks_completed", e->row->benchmarks);
    put_rank(j, "best_ranking", e->best);
    json_put_text(j, "last_benchmark_date", e->row->last);
    json_put_int(j, "executions", e->row->executions);
    json_put_real(j, "coverage", e->coverage);
    json_put_real(j, "first_share", e->rank_low ? e->first_share : (double)NAN);
    json_put_bool(j, "partial", e->is_partial);
    json_key(j, "missing");
    json_list(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        if (r->weights[i] > 0 && isnan(e->row->mean[i])) json_text(j, names[i]);
    }
    json_end(j);
}

static void put_leaderboard_row(struct json *j, const struct ranking *r,
                                const struct ranking_entry *e)
{
    const struct rank_filter *filter = &r->question.filter;
    json_object(j);
    put_overall(j, e);
    json_key(j, "scores");
    json_object(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        json_key(j, names[i]);
        json_object(j);
        json_put_real(j, "score", e->row->mean[i]);
        json_put_real(j, "low", e->score[i].low);
        json_put_real(j, "high", e->score[i].high);
        put_rank(j, "rank", e->rank[i]);
        json_end(j);
    }
    json_end(j);
    const char *all = filter->category ? filter->category : "overall";
    bool is_category = filter->by == RANK_BY_CATEGORY;
    json_put_text(j, "benchmark_category", is_category ? e->row->group : all);
    if (filter->by > RANK_BY_CATEGORY) json_put_text(j, by_names[filter->by], e->row->group);
    put_common(j, r, e);
    json_end(j);
}

static void put_matrix_row(struct json *j, const struct ranking *r,
                           const struct ranking_entry *e)
{
    char key[40];
    json_object(j);
    put_overall(j, e);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        snprintf(key, sizeof key, "avg_%s", names[i]);
        json_put_real(j, key, e->row->mean[i]);
    }
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        snprintf(key, sizeof key, "%s_rank", names[i]);
        put_rank(j, key, e->rank[i]);
    }
    put_common(j, r, e);
    json_end(j);
}

static void put_stale(struct json *j, const struct ranking *r)
{
    size_t met = r->agent_count - r->stale_count;
    json_key(j, "stale");
    json_object(j);
    json_put_text(j, "since", r->question.stale_since);
    json_put_int(j, "agents", (int64_t)r->agent_count);
    json_put_int(j, "benchmarked", (int64_t)met);
    json_put_real(j, "share",
                  r->agent_count ? (double)met / (double)r->agent_count : (double)NAN);
    json_key(j, "not_benchmarked");
    json_list(j);
    for (size_t i = 0; i < r->stale_count; i++) {
        json_object(j);
        json_put_text(j, "agent_id", r->stale[i].agent_id);
        json_put_text(j, "agent_name", r->stale[i].agent_name);
        json_put_text(j, "last_benchmark_date", r->stale[i].last);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void ranks_json(struct json *j, const struct ranking *r)
{
    bool is_matrix = r->question.is_matrix;
    json_object(j);
    json_put_text(j, "schema", is_matrix ? "assay.matrix/1" : "assay.leaderboard/1");
    json_key(j, "rows");
    json_list(j);
    for (size_t i = 0; i < r->count; i++) {
        (is_matrix ? put_matrix_row : put_leaderboard_row)(j, r, &r->entries[i]);
    }
    json_end(j);
    json_put_text(j, "metric", ranking_metric_name(r->question.metric));
    if (!is_matrix) json_put_text(j, "by", by_names[r->question.filter.by]);
    json_put_text(j, "since", r->question.filter.since);
    json_put_real(j, "min_coverage", r->question.min_coverage);
    json_key(j, "weights");
    json_object(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) json_put_real(j, names[i], r->weights[i]);
    json_end(j);
    json_put_int(j, "left_off", (int64_t)r->left_off);
    if (r->question.stale_since) put_stale(j, r);
    json_key(j, "left_out");
    json_list(j);
    for (size_t i = 0; i < r->left_out_count; i++) {
        json_object(j);
        json_put_text(j, "reason", r->left_out[i].reason);
        json_put_int(j, "executions", r->left_out[i].executions);
        json_put_text(j, "agents", r->left_out[i].agents);
        json_end(j);
    }
    json_end(j);
    json_put_texts(j, "notes", r->notes, r->note_count);
    json_end(j);
}

/* ---- a table ---- */

static const char align[] = "rlrlrlllllrrl";

static void begin(struct table *t, struct arena *arena)
{
    static const char *const head[] = {"rank",     "5-95 %", "tie",    "agent", "overall",
                                       "accuracy", "speed",  "effic.", "cost",  "reliab.",
                                       "first",    "covers", "last"};
    _Static_assert(COUNT(head) == sizeof align - 1, "a letter for each column");
    table_begin(t, align, arena);
    table_row(t, head);
}

static void add_rank(struct table *t, size_t rank)
{
    if (rank) {
        table_add(t, "%zu", rank);
    } else {
        table_add(t, "-");
    }
}

static void add_row(struct table *t, const struct ranking *r, const struct ranking_entry *e)
{
    int metric = r->question.metric;
    size_t rank = metric == RANKING_OVERALL ? e->overall_rank : e->rank[metric];
    bool is_ranked = e->rank_low > 0;
    add_rank(t, e->is_uncovered ? 0 : rank);
    table_add(t, is_ranked ? "%zu-%zu" : "-", e->rank_low, e->rank_high);
    if (e->tie_last > e->tie_group) {
        table_add(t, "%zu-%zu", e->tie_group, e->tie_last);
    } else {
        add_rank(t, e->tie_group);
    }
    table_add(t, "%s", e->name);
    table_add(t, isnan(e->overall) ? "-" : "%.3f%s", e->overall, e->is_partial ? "*" : "");
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        table_add(t, e->rank[i] ? "%.3f (%zu)" : "-", e->row->mean[i], e->rank[i]);
    }
    table_add(t, is_ranked ? "%.0f %%" : "-", 100 * e->first_share);
    table_add(t, "%.0f %%", 100 * e->coverage);
    table_add(t, "%.10s", e->row->last ? e->row->last : "-");
}

static bool starts_class(const struct ranking *r, size_t i)
{
    const struct ranking_entry *e = &r->entries[i];
    const struct ranking_entry *before = i ? e - 1 : NULL;
    bool is_plain_order =
        r->question.metric == RANKING_OVERALL && r->question.order == RANKING_BY_RANK;
    return !before || strcmp(before->row->group, e->row->group) != 0 ||
           (is_plain_order &&
            (before->present != e->present || before->is_uncovered != e->is_uncovered));
}

static void put_class(struct buf *b, const struct ranking *r, const struct ranking_entry *e)
{
    const char *by = by_names[r->question.is_matrix ? RANK_BY_NOTHING : r->question.filter.by];
    if (by) buf_printf(b, "%s: %s\n", by, e->row->group);
    if (e->is_uncovered) {
        buf_printf(b, "not ranked: fewer than %.0f %% of the benchmarks\n",
                   100 * r->question.min_coverage);
    } else if (e->is_partial && r->question.metric == RANKING_OVERALL) {
        buf_text(b, "* overall without");
        for (size_t i = 0; i < SCORE_COUNT; i++) {
            if (r->weights[i] > 0 && isnan(e->row->mean[i])) buf_printf(b, " %s", names[i]);
        }
        buf_text(b, ": ranked only among such\n");
    }
}

static void put_stale_text(struct buf *b, const struct ranking *r)
{
    size_t met = r->agent_count - r->stale_count;
    buf_printf(b, "\n%zu of %zu agents benchmarked since %s", met, r->agent_count,
               r->question.stale_since);
    if (r->agent_count) {
        buf_printf(b, " (%.0f %%)", 100 * (double)met / (double)r->agent_count);
    }
    buf_add_char(b, '\n');
    for (size_t i = 0; i < r->stale_count; i++) {
        buf_printf(b, "  not: %s, %s%.10s\n", r->stale[i].agent_name,
                   r->stale[i].last ? "last " : "",
                   r->stale[i].last ? r->stale[i].last : "never");
    }
}

static void put_tables(struct buf *b, const struct ranking *r, bool quiet)
{
    struct arena scratch = arena_open();
    for (size_t from = 0, to; from < r->count; from = to) {
        struct table t;
        if (!quiet) put_class(b, r, &r->entries[from]);
        begin(&t, &scratch);
        for (to = from; to < r->count && (to == from || !starts_class(r, to)); to++) {
            add_row(&t, r, &r->entries[to]);
        }
        table_write(&t, 0, b);
        if (to < r->count) buf_add_char(b, '\n');
    }
    arena_close(&scratch);
}

void ranks_text(struct buf *b, const struct ranking *r, bool quiet)
{
    put_tables(b, r, quiet);
    if (r->count == 0 && !quiet) {
        const char *since = r->question.filter.since;
        buf_printf(b,
                   "no measured executions of agents on suites%s%s; `assay run SUITE` makes "
                   "some\n",
                   since ? " since " : "", since ? since : "");
    }
    if (r->question.stale_since) put_stale_text(b, r);
    if (quiet) return;
    if (r->left_off) buf_printf(b, "%zu more: --limit 0 shows all\n", r->left_off);
    if (r->note_count) buf_add_char(b, '\n');
    for (size_t i = 0; i < r->note_count; i++) buf_printf(b, "note: %s\n", r->notes[i]);
}
