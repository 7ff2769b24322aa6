/* Leaderboard and matrix: one ranking, two shapes of JSON. */
#include "base/human.h"
#include "model/vocabulary.h"
#include "rank/ranking.h"
#include "report/answers.h"
#include "report/table.h"
#include "report/words.h"

#include <math.h>

static const char *const *const names = vocabulary_scores;
static const char *const by_names[] = {[RANK_BY_NOTHING] = NULL,
                                       [RANK_BY_CATEGORY] = "category",
                                       [RANK_BY_COMPLEXITY] = "complexity",
                                       [RANK_BY_TEST_TYPE] = "test_type"};

/* ---- JSON ---- */

/* 0 is not a rank. */
static void put_rank(struct json *j, size_t rank)
{
    if (rank)
        json_int(j, (int64_t)rank);
    else
        json_null(j);
}

#define RANK_OF(function, member)                                              \
    static void function(struct json *j, const void *owner, const void *whole) \
    {                                                                          \
        (void)whole;                                                           \
        put_rank(j, ((const struct ranking_entry *)owner)->member);            \
    }
RANK_OF(put_overall_rank, overall_rank)
RANK_OF(put_rank_low, rank_low)
RANK_OF(put_rank_high, rank_high)
RANK_OF(put_tie_group, tie_group)
RANK_OF(put_best, best)

static void put_tie_groups(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct ranking_entry *e = owner;
    json_list(j);
    for (size_t g = e->tie_group; g > 0 && g <= e->tie_last; g++) json_int(j, (int64_t)g);
    json_end(j);
}

/* By the score that is asked for. */
struct place {
    size_t rank; /* 0: none */
    double score;
    struct ranking_interval interval;
};

static struct place place_of(const struct ranking *r, const struct ranking_entry *e)
{
    int metric = r->question.metric;
    if (metric == RANKING_OVERALL)
        return (struct place){e->overall_rank, e->overall, e->overall_interval};
    return (struct place){e->rank[metric], e->row->mean[metric], e->score[metric]};
}

/* "awk and 2 more": those that it is tied with. */
static const char *rivals_of(const struct ranking_entry *e, struct arena *out)
{
    return e->tied == 1 ? e->rival
                        : arena_printf(out, "%s and %zu more", e->rival, e->tied - 1);
}

/* "bc ranks 1 by overall with 0.902 [0.85, 0.93], decided against all others". */
static const char *sentence_of(const struct ranking *r, const struct ranking_entry *e,
                               struct arena *out)
{
    struct place at = place_of(r, e);
    if (e->rank_low == 0 || at.rank == 0) return arena_printf(out, "%s is not ranked", e->name);
    const char *interval =
        isnan(at.interval.low)
            ? ""
            : arena_printf(out, " [%.2f, %.2f]", at.interval.low, at.interval.high);
    const char *head =
        arena_printf(out, "%s ranks %zu by %s with %.3f%s", e->name, at.rank,
                     ranking_metric_name(r->question.metric), at.score, interval);
    if (e->overtaken_by) {
        return arena_printf(out, "%s; case by case %s is better", head, e->overtaken_by);
    }
    if (e->tied == 0) return arena_printf(out, "%s, decided against all others", head);
    return arena_printf(out, "%s; it may be %zu to %zu: the order against %s is undecided",
                        head, e->rank_low, e->rank_high, rivals_of(e, out));
}

/* What would tell it from the nearest that it is tied with; NULL: nothing is open. */
static const char *next_of(const struct ranking_entry *e, struct arena *out)
{
    const char *need = e->rival ? words_need(e->need, out) : NULL;
    return need ? arena_printf(out, "to tell it from %s: %s", e->rival, need) : NULL;
}

LAYOUT_TOLD_IS(put_sentence, const struct ranking_entry *e, sentence_of(whole, e, scratch))
LAYOUT_SENTENCE_IS(next_sentence, const struct ranking_entry *e, next_of(e, scratch))

static void put_missing(struct json *j, const void *owner, const void *whole)
{
    const struct ranking *r = whole;
    const struct ranking_entry *e = owner;
    json_list(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        if (r->weights[i] > 0 && isnan(e->row->mean[i])) json_text(j, names[i]);
    }
    json_end(j);
}

LAYOUT_FIGURE_IS(first_share, const struct ranking_entry *e,
                 e->rank_low ? e->first_share : (double)NAN)

static void put_scores(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct ranking_entry *e = owner;
    json_object(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        json_key(j, names[i]);
        json_object(j);
        json_put_real(j, "score", e->row->mean[i]);
        json_put_real(j, "low", e->score[i].low);
        json_put_real(j, "high", e->score[i].high);
        json_key(j, "rank");
        put_rank(j, e->rank[i]);
        json_end(j);
    }
    json_end(j);
}

static void put_category(struct json *j, const void *owner, const void *whole)
{
    const struct rank_filter *filter = &((const struct ranking *)whole)->question.filter;
    const char *group = ((const struct ranking_entry *)owner)->row->group;
    const char *all = filter->category ? filter->category : "overall";
    json_text(j, filter->by == RANK_BY_CATEGORY ? group : all);
}

static const char *group_of(const struct ranking *r, const struct ranking_entry *e,
                            enum rank_by by)
{
    return r->question.filter.by == by ? e->row->group : NULL;
}

LAYOUT_CALL_IS(put_complexity, json_text, const struct ranking_entry *e,
               group_of(whole, e, RANK_BY_COMPLEXITY))
LAYOUT_CALL_IS(put_test_type, json_text, const struct ranking_entry *e,
               group_of(whole, e, RANK_BY_TEST_TYPE))

#define OF struct rank_row
static const struct layout_field agent_fields[] = {
    LAYOUT_FIELD("agent_id", agent_id, "in the store"),
    LAYOUT_FIELD("agent_name", agent_name, "what people call it"),
    LAYOUT_FIELD("agent_version", agent_version, "null where versions are merged"),
    LAYOUT_FIELD("prompt", prompt, "its name; null: none, or versions are merged"),
};
static const struct layout agent_layout = LAYOUT(agent_fields);

static const struct layout_field met_fields[] = {
    LAYOUT_FIELD("benchmarks_completed", benchmarks, "different ones"),
};
static const struct layout met_layout = LAYOUT(met_fields);

static const struct layout_field count_fields[] = {
    LAYOUT_FIELD("last_benchmark_date", last, "of the newest execution"),
    LAYOUT_FIELD("executions", executions, "that count"),
};
static const struct layout count_layout = LAYOUT(count_fields);

#define AVERAGE(id, i) LAYOUT_FIELD("avg_" #id, mean[i], "mean score; null: none")
static const struct layout_field average_fields[] = {
    AVERAGE(accuracy, SCORE_ACCURACY),       AVERAGE(speed, SCORE_SPEED),
    AVERAGE(efficiency, SCORE_EFFICIENCY),   AVERAGE(cost, SCORE_COST),
    AVERAGE(reliability, SCORE_RELIABILITY),
};
static const struct layout average_layout = LAYOUT(average_fields);
#undef OF

RANK_OF(put_accuracy_rank, rank[SCORE_ACCURACY])
RANK_OF(put_speed_rank, rank[SCORE_SPEED])
RANK_OF(put_efficiency_rank, rank[SCORE_EFFICIENCY])
RANK_OF(put_cost_rank, rank[SCORE_COST])
RANK_OF(put_reliability_rank, rank[SCORE_RELIABILITY])

#define OF struct ranking_entry
static const struct layout_field place_fields[] = {
    LAYOUT_PART_OF(row, &agent_layout),
    LAYOUT_FIELD("overall_score", overall, "weighted mean of the scores that are there"),
    LAYOUT_FIELD("overall_low", overall_interval.low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("overall_high", overall_interval.high, "upper end"),
    LAYOUT_CALL("overall_rank", put_overall_rank, "integer",
                "among agents that have the same scores; null: not ranked"),
    LAYOUT_CALL("rank_low", put_rank_low, "integer", "best rank, of its 95 % interval"),
    LAYOUT_CALL("rank_high", put_rank_high, "integer", "worst rank, of its 95 % interval"),
    LAYOUT_CALL("tie_group", put_tie_group, "integer", "agents whose order is undecided"),
    LAYOUT_CALL("tie_groups", put_tie_groups, "array", "all groups that it is in"),
};
static const struct layout place_layout = LAYOUT(place_fields);

static const struct layout_field cover_fields[] = {
    LAYOUT_PART_OF(row, &met_layout),
    LAYOUT_CALL("best_ranking", put_best, "integer", "the best rank in any score"),
    LAYOUT_PART_OF(row, &count_layout),
    LAYOUT_FIELD("coverage", coverage, "share of the benchmarks with a success"),
    LAYOUT_FIGURE("first_share", first_share, "share of all weightings in which it is first"),
    LAYOUT_FIELD("partial", is_partial, "a weighted score is missing"),
    LAYOUT_CALL("missing", put_missing, "array", "which"),
    LAYOUT_CALL("sentence", put_sentence, "string", "its place, and what it is tied with"),
    LAYOUT_SENTENCE("next", next_sentence, "what would tell them apart; null: nothing is open"),
};
static const struct layout cover_layout = LAYOUT(cover_fields);

static const struct layout_field leader_fields[] = {
    LAYOUT_ALSO(&place_layout),
    LAYOUT_CALL("scores", put_scores, "object", "each score with interval and rank"),
    LAYOUT_CALL("benchmark_category", put_category, "string", "the category, or overall"),
    LAYOUT_CALL("complexity", put_complexity, "string", "with --by complexity; else null"),
    LAYOUT_CALL("test_type", put_test_type, "string", "with --by test_type; else null"),
    LAYOUT_ALSO(&cover_layout),
};
static const struct layout leader_layout = LAYOUT_OF(OF, leader_fields);

static const struct layout_field matrix_row_fields[] = {
    LAYOUT_ALSO(&place_layout),
    LAYOUT_PART_OF(row, &average_layout),
    LAYOUT_CALL("accuracy_rank", put_accuracy_rank, "integer", "null: has no such score"),
    LAYOUT_CALL("speed_rank", put_speed_rank, "integer", "null: has no such score"),
    LAYOUT_CALL("efficiency_rank", put_efficiency_rank, "integer", "null: has no such score"),
    LAYOUT_CALL("cost_rank", put_cost_rank, "integer", "null: has no such score"),
    LAYOUT_CALL("reliability_rank", put_reliability_rank, "integer", "null: has no such score"),
    LAYOUT_ALSO(&cover_layout),
};
static const struct layout matrix_row_layout = LAYOUT_OF(OF, matrix_row_fields);
#undef OF

#define OF struct ranking_stale
static const struct layout_field stale_agent_fields[] = {
    LAYOUT_FIELD("agent_id", agent_id, "in the store"),
    LAYOUT_FIELD("agent_name", agent_name, "what people call it"),
    LAYOUT_FIELD("last_benchmark_date", last, "null: never"),
};
static const struct layout stale_agent_layout = LAYOUT_OF(OF, stale_agent_fields);
#undef OF

#define OF struct left_out_row
static const struct layout_field left_out_fields[] = {
    LAYOUT_FIELD("reason", reason, "why they do not rank"),
    LAYOUT_FIELD("executions", executions, "how many"),
    LAYOUT_FIELD("agents", agents, "of these agents"),
};
static const struct layout left_out_layout = LAYOUT_OF(OF, left_out_fields);
#undef OF

LAYOUT_WORD_IS(metric_of, const struct ranking *x, ranking_metric_name(x->question.metric))
LAYOUT_WORD_IS(by_of, const struct ranking *x, by_names[x->question.filter.by])

static void put_weights(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct ranking *r = owner;
    json_object(j);
    for (size_t i = 0; i < SCORE_COUNT; i++) json_put_real(j, names[i], r->weights[i]);
    json_end(j);
}

static size_t met_of(const struct ranking *r)
{
    return r->agent_count - r->stale_count;
}

LAYOUT_CALL_IS(put_benchmarked, json_int, const struct ranking *r, (int64_t)met_of(r))
LAYOUT_FIGURE_IS(met_share, const struct ranking *r,
                 r->agent_count ? (double)met_of(r) / (double)r->agent_count : (double)NAN)

#define OF struct ranking
static const struct layout_field stale_fields[] = {
    LAYOUT_FIELD("since", question.stale_since, "first UTC day that counts as recent"),
    LAYOUT_FIELD("agents", agent_count, "known to the store"),
    LAYOUT_CALL("benchmarked", put_benchmarked, "integer", "those with a result since then"),
    LAYOUT_FIGURE("share", met_share, "of the agents"),
    LAYOUT_LIST("not_benchmarked", stale, stale_count, &stale_agent_layout, "the others"),
};
static const struct layout stale_layout = LAYOUT(stale_fields);

static void put_stale(struct json *j, const void *owner, const void *whole)
{
    if (((const struct ranking *)owner)->question.stale_since)
        layout_put(j, &stale_layout, owner, whole);
    else
        json_null(j);
}

static const char *note_text(const struct ranking_note *n, struct arena *out)
{
    const char *what = n->of_cases ? "cases" : "benchmarks";
    switch (n->code) {
    case RANKING_UNEVEN:
        return "agents were run on different benchmarks: see coverage, or leave out the "
               "rest with --min-coverage 1";
    case RANKING_CLASSES:
        return "some agents lack a score that others have: overall scores over other parts are "
               "ranked apart";
    case RANKING_OWN_WEIGHTS:
        return "a suite states weights of its own: its overall in `show` and `versus` is by "
               "these, here it is by those of the ranking (--weights)";
    case RANKING_UNITS:
        return arena_printf(out, "%s: ranks compare %zu %s", n->group, n->n, what);
    case RANKING_FEW_UNITS:
        return arena_printf(out, "%s: %zu %s are too few to tell agents apart (%d could)",
                            n->group, n->n, what, RANKING_UNITS_LEAST);
    case RANKING_UNLIKE:
        return arena_printf(out,
                            "%s: in %zu executions the metric has another unit or definition "
                            "than in others of the same benchmark: these are not compared with "
                            "each other",
                            n->group, n->n);
    }
    return "";
}

static const char *left_out_text(const struct left_out_row *row, struct arena *out)
{
    struct buf b;
    buf_init(&b, 4096);
    struct str rest = str_of(row->agents);
    for (bool is_first = true; rest.p && rest.n; is_first = false) {
        struct str name = str_cut(&rest, ',');
        buf_printf(&b, "%s%.*s", is_first ? "" : ", ", STR_ARG(name));
    }
    return arena_printf(out, "not ranked: %lld execution%s of %.200s: %s",
                        (long long)row->executions, PLURAL(row->executions), buf_keep(&b, out),
                        words_unranked(row->reason, true));
}

static void add_notes(const void *owner, struct sentences *notes)
{
    const struct ranking *r = owner;
    for (size_t i = 0; i < r->note_count; i++)
        sentences_keep(notes, note_text(&r->notes[i], notes->out));
    for (size_t i = 0; i < r->left_out_count; i++)
        sentences_keep(notes, left_out_text(&r->left_out[i], notes->out));
    if (r->has_loads) {
        sentences_keep(notes,
                       "not all had as many cases in flight at once (--concurrency): speed "
                       "scores under different loads are ranked together");
    }
}

/* The first of those that have the most scores, whatever the order of the rows; NULL: none is
 * ranked, or --limit left it off. */
static const struct ranking_entry *leader(const struct ranking *r)
{
    const struct ranking_entry *best = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const struct ranking_entry *e = &r->entries[i];
        bool is_first = e->rank_low > 0 && e->place == 0 &&
                        strcmp(e->row->group, r->entries[0].row->group) == 0;
        bool has_more =
            !best || __builtin_popcount(e->present) > __builtin_popcount(best->present);
        if (is_first && has_more) best = e;
    }
    return best;
}

/* "bc is best: 0.908 overall, 0.119 ahead of awk by their latest runs; first in 99 % of all
 * weightings". The score is of all runs of the window, so the lead is not the difference of two
 * scores. */
static const char *whole_sentence(const void *owner, struct arena *out)
{
    const struct ranking *r = owner;
    const struct ranking_entry *e = leader(r);
    if (!e) return NULL;
    const char *metric = ranking_metric_name(r->question.metric);
    double score = place_of(r, e).score;
    const char *share =
        arena_printf(out, "first in %s of all weightings", words_part(e->first_share, out));
    if (!e->lead.over) {
        return arena_printf(out, "%s is the only one ranked%s: %.3f %s; %s", e->name,
                            r->count > 1 ? " with these scores" : "", score, metric, share);
    }
    if (e->tied > 0) {
        return arena_printf(
            out, "%s leads with %.3f %s, but the order against %s is not decided; %s", e->name,
            score, metric, rivals_of(e, out), share);
    }
    return arena_printf(out, "%s is best: %.3f %s, %.3f ahead of %s by their latest runs; %s",
                        e->name, score, metric, e->lead.by, e->lead.over, share);
}

/* "decided: bc is ahead of awk by 0.119 [0.054, 0.173] over 33 cases of their latest runs, p = 0.001
 * adjusted". */
static const char *whole_sure(const void *owner, struct arena *out)
{
    const struct ranking_entry *e = leader(owner);
    if (!e || !e->lead.over) return NULL;
    const struct ranking_lead *l = &e->lead;
    if (l->n == 0) {
        return arena_printf(out, "not decided: no case is common to %s and %s", e->name,
                            l->over);
    }
    const char *interval = isnan(l->low)
                               ? ""
                               : arena_printf(out, " [%.3f, %.3f]", words_thousandth(l->low),
                                              words_thousandth(l->high));
    double by = words_thousandth(l->by);
    const char *lead = by == 0
                           ? arena_printf(out, "level with %s case by case", l->over)
                           : arena_printf(out, "%s %s by %.3f", by < 0 ? "behind" : "ahead of",
                                          l->over, fabs(by));
    return arena_printf(out, "%s: %s is %s%s over %zu cases of their latest runs, %s adjusted",
                        l->is_told ? "decided" : "not decided", e->name, lead, interval, l->n,
                        HUMAN_P(l->p));
}

/* Of the first that is tied with another: what would tell them apart. */
static const char *whole_next(const void *owner, struct arena *out)
{
    const struct ranking *r = owner;
    for (size_t i = 0; i < r->count; i++) {
        const struct ranking_entry *e = &r->entries[i];
        const char *need = e->rival ? words_need(e->need, out) : NULL;
        if (need) return arena_printf(out, "to tell %s from %s: %s", e->name, e->rival, need);
    }
    return NULL;
}

#define SINCE LAYOUT_FIELD("since", question.filter.since, "first UTC day; null: all")
#define ASKED                                                                              \
    LAYOUT_FIELD("min_coverage", question.min_coverage, "agents below it are not ranked"), \
        LAYOUT_CALL("weights", put_weights, "object", "of the overall score, as used"),    \
        LAYOUT_FIELD("left_off", left_off, "rows beyond --limit")
#define REST                                                            \
    LAYOUT_LIST("left_out", left_out, left_out_count, &left_out_layout, \
                "executions that do not rank"),                         \
        LAYOUT_NOTES("notes", add_notes, "what else to know")

static const struct layout_field leaderboard_fields[] = {
    LAYOUT_LIST("rows", entries, count, &leader_layout, "in the order asked for"),
    LAYOUT_WORD("metric", metric_of, "that is ranked by"),
    LAYOUT_WORD("by", by_of, "one ranking for each of these; null: one"),
    SINCE,
    ASKED,
    LAYOUT_CALL("stale", put_stale, "object", "with --stale: agents without a recent result"),
    REST,
    LAYOUT_SENTENCE("sentence", whole_sentence, "who is best, by how much; null: nobody"),
    LAYOUT_SENTENCE("sure", whole_sure, "how sure that is; null: nothing to compare with"),
    LAYOUT_SENTENCE("next", whole_next, "what would settle an open order; null: none is open"),
};
static const struct layout leaderboard_layout = LAYOUT(leaderboard_fields);

static const struct layout_field matrix_fields[] = {
    LAYOUT_LIST("rows", entries, count, &matrix_row_layout, "in the order asked for"),
    LAYOUT_WORD("metric", metric_of, "that is ranked by"),
    SINCE,
    ASKED,
    REST,
};
static const struct layout matrix_layout = LAYOUT(matrix_fields);
#undef OF

/* ---- a table ---- */

static const char align[] = "rlrlrlllllrrl";

static void begin(struct table *t, struct arena *arena)
{
    static const char *const head[] = {"rank",     "95 %",   "tie",    "agent", "overall",
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
    bool is_ranked = e->rank_low > 0;
    add_rank(t, e->is_uncovered ? 0 : place_of(r, e).rank);
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
    struct arena scratch = arena_open();
    table_add(t, "%s", is_ranked ? words_part(e->first_share, &scratch) : "-");
    table_add(t, "%s", words_part(e->coverage, &scratch));
    arena_close(&scratch);
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
    buf_printf(b, "\n%zu of %zu agents benchmarked since %s", met_of(r), r->agent_count,
               r->question.stale_since);
    struct arena scratch = arena_open();
    if (r->agent_count) buf_printf(b, " (%s)", words_part(met_share(r), &scratch));
    arena_close(&scratch);
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

/* The score that is ranked by, of those that have it. */
static struct plot_list ranking_plots(const void *answer, struct arena *out)
{
    const struct ranking *r = answer;
    struct plot_point *points = arena_new(out, struct plot_point, r->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct ranking_entry *e = &r->entries[i];
        struct place at = place_of(r, e);
        if (isnan(at.score)) continue;
        bool has_group = r->question.filter.by != RANK_BY_NOTHING && !r->question.is_matrix;
        points[n++] = (struct plot_point){
            .label = has_group ? arena_printf(out, "%s, %s", e->name, e->row->group) : e->name,
            .y = at.score,
            .low = at.interval.low,
            .high = at.interval.high};
    }
    if (n == 0) return (struct plot_list){0};
    const char *name = ranking_metric_name(r->question.metric);
    const struct plot plot = {.title = "Agents",
                              .kind = PLOT_INTERVALS,
                              .y = {arena_printf(out, "%s score", name), NULL}};
    return plot_one(&plot, points, n, out);
}

static void ranking_text(const void *answer, const struct answer_look *look, struct buf *b)
{
    const struct ranking *r = answer;
    bool quiet = look->quiet;
    put_tables(b, r, quiet);
    if (!quiet && r->count > 1) {
        struct arena scratch = arena_open();
        struct plot_list plots = ranking_plots(r, &scratch);
        buf_add_char(b, '\n');
        if (plots.count > 0) plot_text(&plots.items[0], look->width, scratch, b);
        arena_close(&scratch);
    }
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
    struct arena scratch = arena_open();
    struct sentences notes = {.out = &scratch};
    add_notes(r, &notes);
    if (notes.count) buf_add_char(b, '\n');
    sentences_put(&notes, "note: ", b);
    arena_close(&scratch);
}

const struct answer answer_leaderboard = {
    ANSWER_NAME("leaderboard"),
    .summary = "who is first, how sure is that, and on what does it depend?",
    .layout = &leaderboard_layout,
    .judges = true,
    .text = ranking_text,
    .plots = ranking_plots,
};

const struct answer answer_matrix = {
    ANSWER_NAME("matrix"),    .summary = "all agents by their latest success on each benchmark",
    .layout = &matrix_layout, .judges = true,
    .text = ranking_text,     .plots = ranking_plots,
};
