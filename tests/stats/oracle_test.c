/* Our answers against R's on 520 random problems a method: sizes 2 to 2000,
 * ties, constants, heavy tails. tests/reference/oracle.R made the expected
 * values and says how both sides make the data. */
#include "stats/adjust.h"
#include "stats/hodges.h"
#include "stats/ks.h"
#include "stats/proportion.h"
#include "stats/rank.h"
#include "stats/welch.h"

#include "tests/test.h"

enum { COLUMNS_MAX = 10, SIZE_MAX_ROW = 2000 };
#define TOLERANCE 1e-9

/* Relative, so that a p of 1e-40 must be right too. */
#define assert_near(actual, expected)                                                   \
    do {                                                                                \
        double near_a = (actual);                                                       \
        double near_e = (expected);                                                     \
        bool is_near = (isnan(near_a) && isnan(near_e)) || near_a == near_e ||          \
                       fabs(near_a - near_e) <= TOLERANCE * fabs(near_e);               \
        if (!is_near) fail_msg("%s is %.17g, expected %.17g", #actual, near_a, near_e); \
    } while (0)

struct row {
    double cell[COLUMNS_MAX];
    double x[SIZE_MAX_ROW];
    double y[SIZE_MAX_ROW];
    double d[SIZE_MAX_ROW]; /* x - y where the sizes are equal */
    size_t m;
    size_t n;
};

static double generate(uint64_t *seed, int kind)
{
    *seed = *seed * 48271 % 2147483647;
    double u = (double)*seed / 2147483647;
    switch (kind) {
    case 0: return u;
    case 1: return floor(8 * u);
    case 2: return 5;
    case 3: return (2 * u - 1) / (1.0000001 - fabs(2 * u - 1));
    case 4: return floor(40 * u) / 8;
    case 5: return 1 / u;
    default: return u < 0.5 ? 0 : u;
    }
}

/* Columns 0..4: seed, m, n, kind, shift. */
static void make_data(struct row *r)
{
    uint64_t seed = (uint64_t)r->cell[0];
    r->m = (size_t)r->cell[1];
    r->n = (size_t)r->cell[2];
    for (size_t i = 0; i < r->m; i++) r->x[i] = generate(&seed, (int)r->cell[3]);
    for (size_t i = 0; i < r->n; i++) r->y[i] = generate(&seed, (int)r->cell[3]) + r->cell[4];
    for (size_t i = 0; i < r->m && i < r->n; i++) r->d[i] = r->x[i] - r->y[i];
}

static void each_row_of(const char *name, bool has_data, int least,
                        void (*check)(struct arena, struct row *))
{
    char path[100];
    snprintf(path, sizeof path, "tests/reference/%s.tsv", name);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("%s is not there", path);
    struct arena a = arena_open();
    static struct row row;
    char line[600];
    int count = 0;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#') continue;
        char *rest = line;
        for (size_t c = 0; c < COLUMNS_MAX; c++) {
            char *end = rest;
            bool is_missing = strncmp(rest, "NA", 2) == 0;
            row.cell[c] = is_missing ? (double)NAN : strtod(rest, &end);
            rest = is_missing ? rest + 2 : end;
            if (*rest == '\t') rest++;
        }
        if (has_data) make_data(&row);
        check(a, &row);
        count++;
    }
    fclose(f);
    arena_close(&a);
    if (count < least) fail_msg("%s has only %d rows", path, count);
}

static void each_row(const char *name, bool has_data, void (*check)(struct arena, struct row *))
{
    each_row_of(name, has_data, 500, check);
}

/* R answers NaN where all values are equal; we say 1: nothing is told. */
static double or_one(double p)
{
    return isnan(p) ? 1 : p;
}

static void check_mann_whitney(struct arena a, struct row *r)
{
    struct rank_test t =
        rank_mann_whitney(a, r->x, r->m, r->y, r->n, RANK_TWO_SIDED, RANK_AUTO);
    assert_near(t.statistic, r->cell[5]);
    assert_near(t.p, or_one(r->cell[6]));
    double less = rank_mann_whitney(a, r->x, r->m, r->y, r->n, RANK_LESS, RANK_AUTO).p;
    assert_near(less, or_one(r->cell[7]));
    double greater = rank_mann_whitney(a, r->x, r->m, r->y, r->n, RANK_GREATER, RANK_AUTO).p;
    assert_near(greater, or_one(r->cell[8]));
}

static void check_signed_rank(struct arena a, struct row *r)
{
    struct rank_test t = rank_signed(a, r->d, r->m, RANK_TWO_SIDED, RANK_AUTO);
    assert_near(t.statistic, r->cell[5]);
    assert_near(t.p, or_one(r->cell[6]));
    assert_near(rank_signed(a, r->d, r->m, RANK_LESS, RANK_AUTO).p, or_one(r->cell[7]));
    assert_near(rank_signed(a, r->d, r->m, RANK_GREATER, RANK_AUTO).p, or_one(r->cell[8]));
}

static void check_hodges(struct hodges h, const struct row *r)
{
    assert_true(h.is_exact);
    assert_int_equal(h.has_interval, !isnan(r->cell[7]));
    assert_near(h.estimate, r->cell[6]);
    assert_near(h.low, r->cell[7]);
    assert_near(h.high, r->cell[8]);
}

static void check_hodges_shift(struct arena a, struct row *r)
{
    check_hodges(hodges_shift(a, r->x, r->m, r->y, r->n, r->cell[5]), r);
}

static void check_hodges_centre(struct arena a, struct row *r)
{
    check_hodges(hodges_centre(a, r->d, r->m, r->cell[5]), r);
}

/* The interval's lower end is the rank-th smallest pair: so many lie below it. */
static void check_hodges_rank(struct arena a, struct row *r)
{
    size_t m = (size_t)r->cell[0];
    size_t n = (size_t)r->cell[1];
    uint64_t seed = 11;
    for (size_t i = 0; i < m; i++) r->x[i] = generate(&seed, 0);
    for (size_t i = 0; i < n; i++) r->y[i] = generate(&seed, 0);
    double low = n ? hodges_shift(a, r->x, m, r->y, n, r->cell[2]).low
                   : hodges_centre(a, r->x, m, r->cell[2]).low;
    size_t below = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = n ? 0 : i; j < (n ? n : m); j++) {
            double value = n ? r->x[i] - r->y[j] : (r->x[i] + r->x[j]) / 2;
            below += value < low;
        }
    }
    assert_int_equal(below + 1, (size_t)r->cell[3]);
}

static void check_welch(struct arena a, struct row *r)
{
    (void)a;
    struct moments x = moments_of(r->x, r->m);
    struct moments y = moments_of(r->y, r->n);
    struct welch w = welch_test(&x, &y);
    bool r_refuses = isnan(r->cell[7]); /* "data are essentially constant" */
    assert_int_equal(isnan(w.df), r_refuses);
    if (r_refuses) return;
    assert_near(w.t, r->cell[5]);
    assert_near(w.df, r->cell[6]);
    assert_near(w.p, r->cell[7]);
}

/* R takes its p from 1, so that only the absolute error of small ones says anything. */
static void check_ks(struct arena a, struct row *r)
{
    struct ks k = ks_test(a, r->x, r->m, r->y, r->n);
    assert_close(k.d, r->cell[5], TOLERANCE);
    assert_close(k.p, r->cell[6], TOLERANCE);
}

static void check_mcnemar(struct arena a, struct row *r)
{
    (void)a;
    double p = proportion_mcnemar((int64_t)r->cell[0], (int64_t)r->cell[1]);
    assert_near(p, r->cell[2]);
}

static void check_wilson(struct arena a, struct row *r)
{
    (void)a;
    struct proportion p =
        proportion_wilson((int64_t)r->cell[0], (int64_t)r->cell[1], r->cell[2]);
    assert_near(p.low, r->cell[3]);
    assert_near(p.high, r->cell[4]);
}

static double weighted(const double *p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)(i + 1) / (double)n * p[i];
    return sum;
}

static double least(const double *p, size_t n)
{
    double low = 1;
    for (size_t i = 0; i < n; i++) low = fmin(low, p[i]);
    return low;
}

static int by_value(const void *a, const void *b, void *values)
{
    double x = ((const double *)values)[*(const size_t *)a];
    double y = ((const double *)values)[*(const size_t *)b];
    return (x > y) - (x < y);
}

static void check_adjust(struct arena a, struct row *r)
{
    uint64_t seed = (uint64_t)r->cell[0];
    size_t n = (size_t)r->cell[1];
    int kind = (int)r->cell[2];
    for (size_t i = 0; i < n; i++) {
        double p = fmin(1, generate(&seed, kind % 10) / 8);
        r->x[i] = kind >= 10 ? p * p * p * p : p;
    }
    size_t *order = arena_new(&a, size_t, n + 1);
    for (size_t i = 0; i < n; i++) order[i] = i;
    qsort_r(order, n, sizeof *order, by_value, r->x);
    struct holm steps = holm_begin(n);
    for (size_t i = 0; i < n; i++) r->y[order[i]] = holm_step(&steps, r->x[order[i]], true);
    assert_near(weighted(r->y, n), r->cell[3]);
    assert_near(least(r->y, n), r->cell[4]);
}

TEST(mann_whitney)
{
    each_row("mann_whitney", true, check_mann_whitney);
}

TEST(signed_rank)
{
    each_row("signed_rank", true, check_signed_rank);
}

TEST(exact_hodges_lehmann)
{
    each_row("hodges_shift", true, check_hodges_shift);
    each_row("hodges_centre", true, check_hodges_centre);
    each_row_of("hodges_ranks", false, 57, check_hodges_rank);
}

TEST(welch)
{
    each_row("welch", true, check_welch);
}

TEST(kolmogorov_smirnov)
{
    each_row("ks", true, check_ks);
}

TEST(mcnemar)
{
    each_row("mcnemar", false, check_mcnemar);
}

TEST(wilson)
{
    each_row("wilson", false, check_wilson);
}

TEST(holm)
{
    each_row("adjust", false, check_adjust);
}

TEST_MAIN(T(mann_whitney), T(signed_rank), T(exact_hodges_lehmann), T(welch),
          T(kolmogorov_smirnov), T(mcnemar), T(wilson), T(holm))
