/* The first leaderboard after an insert, from the rollups, against the plain
 * view on the same file: 50 agents, 100 benchmarks, a million executions in
 * the window. Both must give the same rows, ranks and means (to 1e-12). */
#include "base/json.h"
#include "base/value.h"
#include "bench/million.h"
#include "bench/ratio.h"

enum { QUESTIONS = 3 };

struct answer {
    struct rank_row row;
    int64_t ranks[SCORE_COUNT];
};

static double rounded(double x)
{
    return isnan(x) ? -1.0 : round(x * 1e12);
}

static struct answer *ask_rollups(struct store *store, struct arena *out, size_t *count)
{
    char day[CLOCK_STAMP_SIZE];
    struct error err = {0};
    clock_stamp(clock_unix_ns() - (int64_t)30 * 86400 * 1000000000, day);
    day[10] = 0;
    struct rank_filter filter = {.since = day, .by = RANK_BY_CATEGORY};
    struct rank_row *rows = NULL;
    if (!store_leaderboard(store, &filter, out, &rows, count, &err)) million_die(err.text);
    struct answer *answers = arena_new(out, struct answer, *count);
    for (size_t i = 0; i < *count; i++) {
        answers[i].row = rows[i];
        for (size_t m = 0; m < SCORE_COUNT; m++) {
            int64_t *rank = &answers[i].ranks[m];
            *rank = 1;
            for (size_t k = 0; k < *count; k++) {
                *rank += strcmp(rows[k].group, rows[i].group) == 0 &&
                         rounded(rows[k].mean[m]) > rounded(rows[i].mean[m]);
            }
        }
    }
    return answers;
}

static struct answer *ask_view(struct store *store, struct arena *out, size_t *count)
{
    static const char sql[] =
        "SELECT agent_name, benchmark_category, benchmarks_completed, last_benchmark_date,"
        " scores_and_ranks FROM benchmark_leaderboard"
        " ORDER BY benchmark_category, agent_name";
    static const char *const names[] = {"accuracy", "speed", "efficiency", "cost",
                                        "reliability"};
    static const struct value_limits limits = {100000, 8, 1000};
    struct error err = {0};
    struct query q;
    if (!query_open(sqlite_of(store), sql, &q, &err)) million_die(err.text);
    struct answer *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct answer *a = &list[*count];
        a->row.agent_name = query_text(&q, out);
        a->row.group = query_text(&q, out);
        a->row.benchmarks = query_int(&q);
        a->row.last = query_text(&q, out);
        const struct value *scores = NULL;
        if (!value_read_json(str_of(query_peek_text(&q)), &limits, out, &scores, &err)) {
            million_die(err.text);
        }
        for (size_t m = 0; m < SCORE_COUNT; m++) {
            const struct value *one = value_get(scores, names[m]);
            const struct value *score = value_get(one, "score");
            a->row.mean[m] = value_is_number(score) ? value_number(score) : (double)NAN;
            a->ranks[m] = value_get(one, "rank")->integer;
        }
    }
    if (!query_close(&q, &err)) million_die(err.text);
    return list;
}

static bool is_same(const struct answer *a, const struct answer *b)
{
    for (size_t m = 0; m < SCORE_COUNT; m++) {
        bool is_close = fabs(a->row.mean[m] - b->row.mean[m]) <= 1e-12 ||
                        (isnan(a->row.mean[m]) && isnan(b->row.mean[m]));
        if (!is_close || a->ranks[m] != b->ranks[m]) return false;
    }
    return strcmp(a->row.agent_name, b->row.agent_name) == 0 &&
           strcmp(a->row.group, b->row.group) == 0 && strcmp(a->row.last, b->row.last) == 0 &&
           a->row.benchmarks == b->row.benchmarks;
}

/* Without arguments the benchmark; "fill URL COUNT" makes a store of so many executions. */
int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "fill") == 0) {
        million_fill(argv[2], (int)strtol(argv[3], NULL, 10));
        return 0;
    }
    struct arena arena = arena_open();
    const char *dir = NULL;
    const char *url = NULL;
    struct store *store = million_open(&arena, &dir, &url);

    double ours_s[QUESTIONS];
    double view_s[QUESTIONS];
    double ratios[QUESTIONS];
    for (int i = 0; i < QUESTIONS; i++) {
        struct answer *answers[2] = {NULL};
        size_t counts[2] = {0};
        for (int k = 0; k < 2; k++) { /* in turn who goes first */
            bool is_ours = (i + k) % 2 == 0;
            if (k == 0) million_insert(store);
            int64_t begin = clock_ns();
            answers[is_ours] =
                (is_ours ? ask_rollups : ask_view)(store, &arena, &counts[is_ours]);
            (is_ours ? ours_s : view_s)[i] = (double)(clock_ns() - begin) / 1e9;
        }
        ratios[i] = view_s[i] / ours_s[i];
        if (counts[0] != MILLION_AGENTS * MILLION_SUITES || counts[0] != counts[1])
            million_die("unequal rows:");
        for (size_t k = 0; k < counts[0]; k++) {
            if (!is_same(&answers[0][k], &answers[1][k])) million_die("unequal answers:");
        }
    }
    store_close(store);
    os_remove_tree(dir);

    const double target = 50;
    double ratio = ratio_median(ratios, QUESTIONS);
    printf("bench: leaderboard: ours %.2f ms peer %.0f ms ratio %.0f target %.0f %s\n",
           1e3 * ratio_median(ours_s, QUESTIONS), 1e3 * ratio_median(view_s, QUESTIONS), ratio,
           target, ratio >= target ? "ok" : "MISSED");
    arena_close(&arena);
    return ratio >= target ? 0 : 1;
}
