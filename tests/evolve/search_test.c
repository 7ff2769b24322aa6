#include "evolve/dials.h"
#include "evolve/diversity_metric.h"
#include "evolve/operators.h"
#include "evolve/playbook.h"
#include "evolve/search.h"
#include "tests/test.h"

static struct search_result run_to(int64_t cap, unsigned parts, uint64_t seed, struct arena *a)
{
    const struct challenge *c = dials_challenge("Marketing", 0.5, seed, a);
    struct search_options o = {.parts = parts,
                               .selector = SELECTOR_MATCHING,
                               .detector = CONVERGENCE_PATIENT,
                               .difficulty = 0.5,
                               .cap = cap,
                               .runs_on = SEARCH_TO_CAP,
                               .seed = seed + 1};
    struct search_result r;
    struct error err = {0};
    assert_true(search_run(c, &o, a, &r, &err));
    return r;
}

static struct search_result run(unsigned parts, uint64_t seed, struct arena *a)
{
    return run_to(120, parts, seed, a);
}

static bool same_course(const struct search_result *a, const struct search_result *b)
{
    if (a->iterations != b->iterations) return false;
    return memcmp(a->curve, b->curve, (size_t)a->iterations * sizeof *a->curve) == 0;
}

TEST(dials_plant_a_solution_that_scores_well_and_turn_all_four_knobs)
{
    struct arena a = arena_open();
    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct challenge *c = dials_challenge("x", 0.8, seed, &a);
        assert_true(c->best_known > 0.85 && c->best_known < 1);
        struct genome none;
        for (size_t i = 0; i < c->segments; i++) none.segments[i] = (struct segment){-1, 0};
        assert_close(challenge_fitness(c, &none), 0, 0);
    }
    struct dials easy = dials_at(0.3);
    struct dials hard = dials_at(0.8);
    assert_true(easy.segments < hard.segments && easy.lines < hard.lines);
    assert_true(easy.deceptive < hard.deceptive && easy.noise_sd < hard.noise_sd);
    assert_int_equal(hard.segments, 16);
    assert_int_equal(hard.lines, 48);
    arena_close(&a);
}

TEST(a_lonely_line_does_harm_and_its_partner_mends_it)
{
    struct arena a = arena_open();
    const struct challenge *c = dials_challenge("x", 0.8, 3, &a);
    int16_t line = -1;
    for (size_t i = 0; i < c->line_count; i++) {
        if (c->lines[i].partner >= 0) line = (int16_t)i;
    }
    assert_true(line >= 0);
    struct genome g;
    for (size_t i = 0; i < c->segments; i++) g.segments[i] = (struct segment){-1, 0};
    g.segments[0] = (struct segment){line, c->lines[line].setting};
    struct offer alone = challenge_offer(c, &g);
    assert_int_equal(alone.lonely, 1);
    int16_t partner = (int16_t)c->lines[line].partner;
    assert_int_equal(c->lines[partner].partner, line);
    g.segments[1] = (struct segment){partner, c->lines[partner].setting};
    struct offer both = challenge_offer(c, &g);
    assert_int_equal(both.lonely, 0);
    assert_true(feature_count(&both.has) > feature_count(&alone.has));
    arena_close(&a);
}

TEST(scores_that_are_the_same_are_known_to_be)
{
    struct arena a = arena_open();
    const struct challenge *c = dials_challenge("x", 0.5, 9, &a);
    struct rng rng = rng_seeded(4);
    int same = 0;
    for (int i = 0; i < 300; i++) {
        struct genome g;
        for (size_t k = 0; k < c->segments; k++)
            g.segments[k] = operators_random_segment(c, &rng);
        struct offer before = challenge_offer(c, &g);
        g.segments[0] = operators_random_segment(c, &rng);
        struct offer after = challenge_offer(c, &g);
        for (size_t s = 0; s < c->scenario_count; s++) {
            if (!challenge_is_same(c, s, &after, &before)) continue;
            same++;
            double x = challenge_score(c, s, &before, true);
            assert_true(challenge_score(c, s, &after, true) == x);
        }
    }
    assert_true(same > 1000);
    arena_close(&a);
}

TEST(the_same_seed_gives_the_same_search_and_another_another)
{
    struct arena a = arena_open();
    struct search_result r = run(PART_ALL, 7, &a);
    struct search_result again = run(PART_ALL, 7, &a);
    struct search_result other = run(PART_ALL, 8, &a);
    assert_true(same_course(&r, &again));
    assert_false(same_course(&r, &other));
    /* Pinned: gcc, clang and every later build must give these. */
    assert_int_equal(r.stop, 120);
    assert_int_equal(r.to_target, 120);
    assert_close(r.curve[119].held_out, 0.8, 1e-12);
    assert_int_equal(r.evaluations, 1341);
    assert_int_equal(r.ledger.peak_bytes, 274581);
    arena_close(&a);
}

/* Memory is what a search uses, not what it might have come to use. */
TEST(the_cap_takes_no_memory)
{
    struct arena a = arena_open();
    const struct challenge *c = dials_challenge("Marketing", 0.5, 3, &a);
    struct search_result r[2];
    struct error err = {0};
    for (size_t i = 0; i < 2; i++) {
        struct search_options o = {
            .parts = PART_DIVERSITY, .cap = i == 0 ? 500 : 50000, .seed = 4};
        assert_true(search_run(c, &o, &a, &r[i], &err));
    }
    assert_true(r[0].stop < 500);
    assert_int_equal(r[0].stop, r[1].stop);
    assert_int_equal(r[0].ledger.peak_bytes, r[1].ledger.peak_bytes);
    for (int i = 0; i < LEDGER_PARTS; i++)
        assert_int_equal(r[0].ledger.parts[i].peak_bytes, r[1].ledger.parts[i].peak_bytes);
    arena_close(&a);
}

/* Removing a part changes what it should and nothing else. */
TEST(each_part_changes_its_own_numbers)
{
    struct arena a = arena_open();
    for (uint64_t seed = 20; seed < 24; seed++) {
        struct search_result none = run(0, seed, &a);
        struct search_result focus = run(PART_HOT_SPOTS, seed, &a);
        assert_true(same_course(&none, &focus));
        assert_true(focus.evaluations < none.evaluations / 2);
        assert_true(focus.parsed_bytes < none.parsed_bytes / 2);
        assert_true(focus.ledger.parts[LEDGER_SYNTAX].peak_bytes <
                    none.ledger.parts[LEDGER_SYNTAX].peak_bytes);
        assert_int_equal(focus.ledger.parts[LEDGER_TRAJECTORIES].peak_bytes,
                         none.ledger.parts[LEDGER_TRAJECTORIES].peak_bytes);
        assert_int_equal(focus.ledger.parts[LEDGER_EMBEDDINGS].peak_bytes,
                         none.ledger.parts[LEDGER_EMBEDDINGS].peak_bytes);

        struct search_result packed = run(PART_EMBEDDINGS, seed, &a);
        assert_close((double)packed.ledger.parts[LEDGER_EMBEDDINGS].peak_bytes /
                         (double)none.ledger.parts[LEDGER_EMBEDDINGS].peak_bytes,
                     404.0 / 1552, 1e-9);
        assert_int_equal(packed.evaluations, none.evaluations);

        struct search_result stopped = run(PART_STOPPING, seed, &a);
        assert_true(same_course(&none, &stopped)); /* it runs on */
        assert_true(stopped.stop > none.stop);

        struct search_result chosen = run(PART_OPERATORS, seed, &a);
        assert_false(same_course(&none, &chosen));
        assert_int_equal(chosen.restarts, 0);
    }
    arena_close(&a);
}

/* The target is one of true fitness: a lucky measurement does not reach it. */
TEST(the_curve_is_that_of_the_best_playbook_and_the_target_ignores_noise)
{
    struct arena a = arena_open();
    int lucky = 0;
    for (uint64_t seed = 0; seed < 25; seed++) {
        const struct challenge *c = dials_challenge("x", 0.3, seed, &a);
        struct challenge noisy = *c;
        noisy.noise_sd = 0.1;
        noisy.best_known = 0.7; /* scores end at 1, and noise hardly lifts those near it */
        struct search_options o = {.cap = 60, .runs_on = SEARCH_TO_CAP, .seed = seed};
        struct search_result r;
        struct error err = {0};
        assert_true(search_run(&noisy, &o, &a, &r, &err));
        int64_t first[2] = {60, 60}; /* with at least 95 %: in truth, and as measured */
        for (int64_t i = 60; i >= 1; i--) {
            double level = 0.95 * noisy.best_known;
            if (r.curve[i - 1].fitness >= level) first[0] = i;
            if (r.curve[i - 1].measured >= level) first[1] = i;
        }
        assert_int_equal(r.to_target, first[0]);
        lucky += first[1] < first[0];
        const struct search_point *stop = &r.curve[r.stop - 1];
        assert_close(stop->fitness, challenge_fitness(c, &r.best), 0);
        assert_close(stop->held_out, challenge_held_out(c, &r.best), 0);
    }
    assert_true(lucky > 0);
    arena_close(&a);
}

TEST(the_lineage_of_the_best_goes_back_to_a_start)
{
    struct arena a = arena_open();
    int pairs = 0;
    for (uint64_t seed = 40; seed < 50; seed++) {
        struct search_result r = run(seed % 2 ? PART_ALL : 0, seed, &a);
        assert_true(r.lineage_count > 1);
        const struct search_ancestor *best = &r.lineage[0];
        assert_close(best->descent.fitness, r.curve[r.stop - 1].measured, 0);
        assert_true(best->descent.generation <= r.stop);
        for (size_t i = 0; i + 1 < r.lineage_count; i++) {
            const struct descent *d = &r.lineage[i].descent;
            int op = d->operator;
            assert_true(op >= 0 && op < OPERATOR_COUNT);
            assert_int_equal(r.lineage[i + 1].id, d->parents[0]);
            assert_true(d->parents[0] < r.lineage[i].id);
            assert_true(d->generation >= r.lineage[i + 1].descent.generation);
            assert_true(d->parents[1] < 0 || op == OPERATOR_RECOMBINATION);
            pairs += d->parents[1] >= 0;
        }
        const struct search_ancestor *first = &r.lineage[r.lineage_count - 1];
        assert_int_equal(first->descent.parents[0], -1);
        bool is_start = first->id < 3;
        assert_int_equal(first->descent.operator,
                         is_start ? OPERATOR_BASELINE : OPERATOR_RESTART);
        assert_true(!is_start || first->descent.generation == 0);
    }
    assert_true(pairs > 0);
    arena_close(&a);
}

/* Seeds that leave the pool at once would restart nothing. */
TEST(restarts_change_the_course_of_a_search_and_nothing_before_them)
{
    struct arena a = arena_open();
    int restarted = 0;
    int others = 0;
    for (uint64_t seed = 20; seed < 32; seed++) {
        arena_reset(&a);
        struct search_result without = run_to(300, PART_OPERATORS, seed, &a);
        struct search_result with = run_to(300, PART_OPERATORS | PART_DIVERSITY, seed, &a);
        assert_memory_equal(without.curve, with.curve, 19 * sizeof *with.curve);
        bool is_same = same_course(&without, &with);
        if (with.restarts == 0) assert_true(is_same);
        restarted += with.restarts > 0;
        others += !is_same;
    }
    print_message("# %d of 12 restarted, %d took another course\n", restarted, others);
    assert_true(restarted > 6);
    assert_true(others > restarted / 4); /* in many the best does not rise any more */
    arena_close(&a);
}

TEST(a_pool_keeps_its_best_and_the_descent_of_all)
{
    struct ledger ledger = {0};
    struct hot_spots none = hot_spots_new(&ledger, true);
    struct trajectory_pool pool;
    trajectory_pool_init(&pool, &ledger, &none, 3);
    static const double fitness[] = {0.2, 0.8, 0.5};
    for (size_t i = 0; i < COUNT(fitness); i++) {
        struct trajectory *t = ledger_alloc(&ledger, LEDGER_TRAJECTORIES, sizeof *t);
        struct code_metrics metrics;
        *t = (struct trajectory){.fitness = fitness[i]};
        t->scores = ledger_alloc(&ledger, LEDGER_TRAJECTORIES, sizeof(double));
        t->code = ledger_alloc(&ledger, LEDGER_TRAJECTORIES, 1);
        t->embedding = ledger_alloc(&ledger, LEDGER_EMBEDDINGS, 1);
        t->outline = hot_spots_add(&none, S("x = 1\n"), &metrics);
        trajectory_pool_add(&pool, t, (struct descent){{-1, -1}, 1, 0, OPERATOR_BASELINE});
    }
    trajectory_pool_keep_best(&pool);
    assert_int_equal(pool.count, 1);
    assert_int_equal(pool.items[0]->id, 1);
    assert_int_equal(pool.added, 3);
    assert_close(pool.descent[2].fitness, 0.5, 0);
    trajectory_pool_release(&pool);
    hot_spots_release(&none);
    assert_int_equal(ledger.live_bytes, 0);
}

TEST(every_combination_of_parts_runs_and_reports_consistently)
{
    struct arena a = arena_open();
    for (unsigned parts = 0; parts <= PART_ALL; parts++) {
        struct search_result r = run(parts, 31, &a);
        assert_int_equal(r.iterations, 120);
        assert_true(r.stop >= 1 && r.stop <= 120);
        assert_int_equal(r.tried[0] + r.tried[1] + r.tried[2], 3 * 120);
        for (int64_t i = 1; i < r.iterations; i++)
            assert_true(r.curve[i].measured >= r.curve[i - 1].measured);
        size_t parts_peak = 0;
        for (int i = 0; i < LEDGER_PARTS; i++) parts_peak += r.ledger.parts[i].peak_bytes;
        assert_true(r.ledger.peak_bytes <= parts_peak);
        assert_true(r.ledger.peak_bytes > parts_peak * 9 / 10);
    }
    arena_close(&a);
}

TEST(parts_are_written_by_name)
{
    unsigned parts;
    struct error err = {0};
    assert_true(search_parts_parse(S("none"), &parts, &err));
    assert_int_equal(parts, 0);
    assert_true(search_parts_parse(S("all"), &parts, &err));
    assert_int_equal(parts, PART_ALL);
    assert_true(search_parts_parse(S("stopping+operators"), &parts, &err));
    assert_int_equal(parts, PART_STOPPING | PART_OPERATORS);
    assert_false(search_parts_parse(S("operator"), &parts, &err));
    assert_non_null(strstr(err.text, "did you mean 'operators'?"));
    assert_false(search_parts_parse(S(""), &parts, &err));
    assert_false(search_parts_parse(S("operators+"), &parts, &err));
#define FIVE "operators+hot_spots+embeddings+stopping+diversity"
    assert_true(search_parts_parse(S(FIVE), &parts, &err));
    assert_int_equal(parts, PART_ALL);
    assert_false(search_parts_parse(S(FIVE "+garbage"), &parts, &err));
    assert_false(search_parts_parse(S(FIVE "+"), &parts, &err));
    assert_false(search_parts_parse(S("stopping+stopping"), &parts, &err));
    assert_string_equal(err.text, "'stopping' is there twice");
#undef FIVE
}

/* --- a model proposes ------------------------------------------------------ */

struct scripted {
    const struct challenge *c;
    int asked;
    bool is_mute;
};

/* Knows the library: proposes the lines that the parents do not have, two at a time. */
static bool propose(void *state, struct str question, struct buf *answer, struct error *err)
{
    struct scripted *s = state;
    s->asked++;
    assert_non_null(memmem(question.p, question.n, "library:", 8));
    if (s->is_mute) return error_set(err, ERROR_IO, "nobody there");
    if (s->asked % 3 == 0) {
        buf_text(answer, "I would rather not.\n- no_such_line @1\n");
        return true;
    }
    buf_text(answer, "Here it is:\n");
    for (size_t i = 0; i < s->c->segments; i++) {
        size_t line = ((size_t)s->asked * 5 + i) % s->c->line_count;
        buf_printf(answer, "- %s @%d\n", s->c->lines[line].name, s->c->lines[line].setting);
    }
    return true;
}

TEST(a_proposer_is_asked_and_its_refusals_are_counted)
{
    struct arena a = arena_open();
    const struct challenge *c = dials_challenge("x", 0.3, 5, &a);
    struct scripted script = {.c = c};
    struct proposer proposer = {&script, propose};
    struct search_options o = {.parts = PART_ALL,
                               .cap = 30,
                               .runs_on = SEARCH_TO_CAP,
                               .seed = 1,
                               .proposer = &proposer};
    struct search_result r;
    struct error err = {0};
    assert_true(search_run(c, &o, &a, &r, &err));
    assert_int_equal(script.asked, 90);
    assert_int_equal(r.refused, 30);
    assert_true(r.curve[29].fitness > 0.4);
    script.is_mute = true;
    assert_false(search_run(c, &o, &a, &r, &err));
    assert_string_equal(err.text, "nobody there");
    arena_close(&a);
}

struct climber {
    const struct challenge *c;
    struct rng rng;
    size_t asked;
    char operators[90][16], scores[90][2][16];
    struct genome shown[90][2], answered[90];
    size_t shown_count[90];
};

/* The playbooks of a question, each after its score. */
static void read_question(struct climber *s, struct str question)
{
    size_t k = s->asked;
    struct str rest = question;
    struct str op = str_cut(&rest, '\n');
    assert_true(str_starts(op, S("operator: ")));
    snprintf(s->operators[k], sizeof s->operators[k], "%.*s", (int)op.n - 10, op.p + 10);
    while (s->shown_count[k] < 2) {
        const char *at = memmem(rest.p, rest.n, "score ", 6);
        if (!at) break;
        size_t n = s->shown_count[k]++;
        struct str text = {at + 6, rest.n - (size_t)(at + 6 - rest.p)};
        struct str score = str_cut(&text, '\n');
        snprintf(s->scores[k][n], sizeof s->scores[k][n], "%.*s", (int)score.n, score.p);
        const char *end = memmem(text.p, text.n, "score ", 6);
        if (!end) end = memmem(text.p, text.n, "library:", 8);
        struct error err = {0};
        struct str book = {text.p, (size_t)(end - text.p)};
        if (!playbook_parse(s->c, book, &s->shown[k][n], &err)) fail_msg("%s", err.text);
        rest = text;
    }
    assert_true(s->shown_count[k] > 0);
}

/* Changes one place of what it is shown. */
static bool climb(void *state, struct str question, struct buf *answer, struct error *err)
{
    (void)err;
    struct climber *s = state;
    assert_true(s->asked < COUNT(s->answered));
    read_question(s, question);
    struct genome g = s->shown[s->asked][0];
    g.segments[rng_below(&s->rng, s->c->segments)] = operators_random_segment(s->c, &s->rng);
    playbook_write(s->c, &g, answer);
    s->answered[s->asked++] = g;
    return true;
}

static bool same_rows(const struct challenge *c, const struct genome *a, const struct genome *b)
{
    struct buf texts[2];
    for (size_t i = 0; i < 2; i++) {
        buf_init(&texts[i], 1 << 16);
        playbook_write(c, i == 0 ? a : b, &texts[i]);
    }
    bool is_same = str_equal(buf_str(&texts[0]), buf_str(&texts[1]));
    for (size_t i = 0; i < 2; i++) buf_release(&texts[i]);
    return is_same;
}

/* Trajectory 3 + k is the answer to question k: what it was shown were its parents. */
TEST(a_proposer_is_shown_the_parents_of_its_child_with_their_scores)
{
    struct arena a = arena_open();
    const struct challenge *c = dials_challenge("x", 0.3, 5, &a);
    struct climber *s = arena_new(&a, struct climber, 1);
    s->c = c;
    s->rng = rng_seeded(3);
    struct proposer proposer = {s, climb};
    struct search_options o = {
        .cap = 30, .runs_on = SEARCH_TO_CAP, .seed = 1, .proposer = &proposer};
    o.parts = PART_STOPPING;
    o.detector = CONVERGENCE_PATIENT;
    struct search_result r;
    struct error err = {0};
    assert_true(search_run(c, &o, &a, &r, &err));
    assert_int_equal(s->asked, 90);
    assert_int_equal(r.refused, 0);
    assert_true(r.lineage_count > 3);
    int known = 0;
    for (size_t i = 0; i + 1 < r.lineage_count; i++) {
        const struct descent *d = &r.lineage[i].descent;
        size_t k = (size_t)r.lineage[i].id - 3;
        assert_string_equal(s->operators[k], descent_operator_name(d));
        assert_int_equal(s->shown_count[k], d->parents[1] >= 0 ? 2 : 1);
        char score[16];
        snprintf(score, sizeof score, "%.3f", r.lineage[i + 1].descent.fitness);
        assert_string_equal(s->scores[k][0], score);
        for (size_t n = 0; n < s->shown_count[k]; n++) {
            if (d->parents[n] < 3) continue; /* of the start */
            assert_true(same_rows(c, &s->shown[k][n], &s->answered[d->parents[n] - 3]));
            known++;
        }
    }
    assert_true(known > 0);
    arena_close(&a);
}

/* Always answers the same, so that the pool becomes uniform, and notes what else it is shown
 * once that is so: the seeds of restarts. */
struct repeater {
    const struct challenge *c;
    struct genome answer;
    int asked;
    bool has_seed;
    struct genome seed;
};

static bool repeat(void *state, struct str question, struct buf *answer, struct error *err)
{
    struct repeater *s = state;
    const char *from = memmem(question.p, question.n, "score ", 6);
    const char *end = memmem(question.p, question.n, "library:", 8);
    const char *next = memmem(from + 6, (size_t)(end - from) - 6, "score ", 6);
    struct genome shown;
    struct str book = {from, (size_t)((next ? next : end) - from)};
    assert_true(playbook_parse(s->c, book, &shown, err));
    bool is_worst = str_starts(question, S("operator: revision"));
    if (++s->asked > 60 && is_worst && !s->has_seed && !same_rows(s->c, &shown, &s->answer)) {
        s->has_seed = true;
        s->seed = shown;
    }
    playbook_write(s->c, &s->answer, answer);
    return true;
}

static double code_distance(const struct challenge *c, const struct genome *a,
                            const struct genome *b)
{
    struct buf codes[2];
    for (size_t i = 0; i < 2; i++) {
        buf_init(&codes[i], 1 << 20);
        playbook_code(c, i == 0 ? a : b, &codes[i]);
    }
    size_t distance = diversity_hamming(buf_str(&codes[0]), buf_str(&codes[1]));
    for (size_t i = 0; i < 2; i++) buf_release(&codes[i]);
    return (double)distance;
}

/* Neither failed nor successful: the seed of a restart is the worst, and stays for a while. */
static struct genome middling(const struct challenge *c, struct rng *rng)
{
    for (;;) {
        struct genome g = {0};
        for (size_t i = 0; i < c->segments; i++)
            g.segments[i] = operators_random_segment(c, rng);
        double fitness = challenge_fitness(c, &g);
        if (fitness > 0.4 && fitness < 0.6) return g;
    }
}

/* The most different of five is farther off than a random one: on average by 0.7 standard
 * deviations, and the first of five by none. */
TEST(a_restart_begins_with_a_playbook_that_is_unlike_the_pool)
{
    enum { SEARCHES = 80 };
    struct arena a = arena_open();
    double seeds = 0;
    int found = 0;
    for (uint64_t i = 0; i < SEARCHES; i++) {
        const struct challenge *c = dials_challenge("x", 0.3, i, &a);
        struct rng rng = rng_seeded(i);
        struct repeater s = {.c = c, .answer = middling(c, &rng)};
        struct proposer proposer = {&s, repeat};
        struct search_options o = {.parts = PART_DIVERSITY,
                                   .cap = 40,
                                   .runs_on = SEARCH_TO_CAP,
                                   .seed = i,
                                   .proposer = &proposer};
        struct search_result r;
        struct error err = {0};
        assert_true(search_run(c, &o, &a, &r, &err));
        assert_true(r.restarts > 0);
        if (!s.has_seed) continue;
        found++;
        double mean = 0;
        double square = 0;
        enum { DRAWN = 50 };
        for (int k = 0; k < DRAWN; k++) {
            struct genome g = {0};
            for (size_t n = 0; n < c->segments; n++)
                g.segments[n] = operators_random_segment(c, &rng);
            double distance = code_distance(c, &g, &s.answer);
            mean += distance / DRAWN;
            square += distance * distance / DRAWN;
        }
        double sd = sqrt(square - mean * mean);
        seeds += (code_distance(c, &s.seed, &s.answer) - mean) / sd;
    }
    print_message("# %d seeds, on average %.2f sd farther than a random one\n", found,
                  seeds / found);
    assert_true(found > SEARCHES / 2);
    assert_true(seeds / found > 0.35);
    arena_close(&a);
}

TEST(playbooks_read_back_as_they_were_written)
{
    struct arena a = arena_open();
    const struct challenge *c = dials_challenge("x", 0.8, 5, &a);
    struct rng rng = rng_seeded(8);
    struct buf text;
    buf_init(&text, 1 << 16);
    struct error err = {0};
    for (int k = 0; k < 50; k++) {
        struct genome g;
        struct genome back;
        for (size_t i = 0; i < c->segments; i++)
            g.segments[i] = operators_random_segment(c, &rng);
        buf_clear(&text);
        playbook_write(c, &g, &text);
        assert_true(playbook_parse(c, buf_str(&text), &back, &err));
        for (size_t i = 0; i < c->segments; i++) {
            assert_int_equal(back.segments[i].line, g.segments[i].line);
            assert_int_equal(back.segments[i].setting, g.segments[i].setting);
        }
    }
    struct genome g;
    assert_false(playbook_parse(c, S("nothing"), &g, &err));
    assert_false(playbook_parse(c, S("- line_000 @9"), &g, &err));
    assert_string_equal(err.text, "row 1: the setting of 'line_000' must be 0 to 1");
    buf_clear(&text);
    for (size_t i = 0; i <= c->segments; i++) buf_text(&text, "- line_000\n");
    assert_false(playbook_parse(c, buf_str(&text), &g, &err));
    buf_release(&text);
    arena_close(&a);
}

TEST_MAIN(T(dials_plant_a_solution_that_scores_well_and_turn_all_four_knobs),
          T(a_lonely_line_does_harm_and_its_partner_mends_it),
          T(scores_that_are_the_same_are_known_to_be),
          T(the_same_seed_gives_the_same_search_and_another_another),
          T(the_cap_takes_no_memory), T(each_part_changes_its_own_numbers),
          T(the_curve_is_that_of_the_best_playbook_and_the_target_ignores_noise),
          T(the_lineage_of_the_best_goes_back_to_a_start),
          T(restarts_change_the_course_of_a_search_and_nothing_before_them),
          T(a_pool_keeps_its_best_and_the_descent_of_all),
          T(every_combination_of_parts_runs_and_reports_consistently),
          T(parts_are_written_by_name), T(a_proposer_is_asked_and_its_refusals_are_counted),
          T(a_proposer_is_shown_the_parents_of_its_child_with_their_scores),
          T(a_restart_begins_with_a_playbook_that_is_unlike_the_pool),
          T(playbooks_read_back_as_they_were_written))
