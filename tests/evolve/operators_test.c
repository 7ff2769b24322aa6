#include "evolve/dials.h"
#include "evolve/operators.h"
#include "evolve/playbook.h"
#include "tests/test.h"

/* A pool of random playbooks whose fitness a test decides. */
struct stage {
    struct arena arena;
    const struct challenge *challenge;
    struct ledger ledger;
    struct hot_spots hot_spots;
    struct embedding_cache embeddings;
    struct trajectory_pool pool;
    struct rng rng;
};

static struct operators_input input_of(struct stage *s)
{
    return (struct operators_input){s->challenge, &s->pool, &s->embeddings, &s->rng};
}

static struct genome random_genome(struct stage *s)
{
    struct genome g = {0};
    for (size_t i = 0; i < s->challenge->segments; i++)
        g.segments[i] = operators_random_segment(s->challenge, &s->rng);
    return g;
}

static void put(struct stage *s, const struct genome *g, double fitness)
{
    struct trajectory *t = ledger_alloc(&s->ledger, LEDGER_TRAJECTORIES, sizeof *t);
    t->genome = *g;
    t->fitness = fitness;
    struct buf code;
    buf_init(&code, 1 << 20);
    playbook_code(s->challenge, g, &code);
    float vector[EMBEDDING_DIMENSIONS];
    embedding_of_text(code.p, code.n, vector);
    t->embedding = embedding_put(&s->embeddings, vector);
    buf_release(&code);
    trajectory_pool_add(&s->pool, t, (struct descent){{-1, -1}, 0, 0, OPERATOR_BASELINE});
}

static void open_stage(struct stage *s, const double *fitness, size_t count)
{
    *s = (struct stage){.arena = arena_open(), .rng = rng_seeded(11)};
    s->challenge = dials_challenge("x", 0.5, 17, &s->arena);
    s->hot_spots = hot_spots_new(&s->ledger, false);
    s->embeddings = embedding_cache_new(&s->ledger, LEDGER_EMBEDDINGS, false);
    trajectory_pool_init(&s->pool, &s->ledger, &s->hot_spots, 50);
    for (size_t i = 0; i < count; i++) {
        struct genome g = random_genome(s);
        put(s, &g, fitness[i]);
    }
}

static void close_stage(struct stage *s)
{
    trajectory_pool_release(&s->pool);
    hot_spots_release(&s->hot_spots);
    assert_int_equal(s->ledger.live_bytes, 0);
    arena_close(&s->arena);
}

static bool same_segment(struct segment a, struct segment b)
{
    return a.line == b.line && a.setting == b.setting;
}

static size_t changes(const struct stage *s, const struct genome *a, const struct genome *b)
{
    size_t count = 0;
    for (size_t i = 0; i < s->challenge->segments; i++)
        count += !same_segment(a->segments[i], b->segments[i]);
    return count;
}

/* --- revision ------------------------------------------------------------------ */

TEST(revision_takes_any_of_the_failed_and_replaces_what_satisfied_nothing)
{
    static const double fitness[] = {0.9, 0.29, 0.5, 0.1, 0.2};
    struct stage s;
    open_stage(&s, fitness, COUNT(fitness));
    struct operators_input in = input_of(&s);
    int taken[COUNT(fitness)] = {0};
    size_t replaced = 0;
    size_t useless = 0;
    for (int k = 0; k < 300; k++) {
        struct operators_child c = operators_apply(OPERATOR_REVISION, &in);
        assert_null(c.parents[1]);
        taken[c.parents[0]->id]++;
        struct genome mix = c.parents[0]->genome; /* the child's up to i, the parent's after */
        for (size_t i = 0; i < s.challenge->segments; i++) {
            bool is_changed = !same_segment(c.genome.segments[i], mix.segments[i]);
            if (is_changed) assert_int_equal(challenge_contribution(s.challenge, &mix, i), 0);
            if (challenge_contribution(s.challenge, &mix, i) == 0) useless++;
            replaced += is_changed;
            mix.segments[i] = c.genome.segments[i];
        }
    }
    assert_true(useless > 300 && replaced > useless * 9 / 10); /* some are drawn again */
    assert_int_equal(taken[0] + taken[2], 0);
    assert_true(taken[1] > 60 && taken[3] > 60 && taken[4] > 60);
    close_stage(&s);
}

TEST(revision_takes_the_worst_where_none_failed)
{
    static const double fitness[] = {0.9, 0.35, 0.31, 0.5};
    struct stage s;
    open_stage(&s, fitness, COUNT(fitness));
    struct operators_input in = input_of(&s);
    for (int k = 0; k < 20; k++)
        assert_int_equal(operators_apply(OPERATOR_REVISION, &in).parents[0]->id, 2);
    close_stage(&s);
}

static bool is_all_useful(const struct challenge *c, const struct genome *g)
{
    for (size_t i = 0; i < c->segments; i++) {
        if (challenge_contribution(c, g, i) == 0) return false;
    }
    return true;
}

TEST(revision_replaces_one_segment_where_all_were_of_use)
{
    struct stage s;
    open_stage(&s, NULL, 0);
    struct challenge three = *s.challenge;
    three.segments = 3;
    s.challenge = &three;
    struct genome g = random_genome(&s);
    while (!is_all_useful(&three, &g)) g = random_genome(&s);
    put(&s, &g, 0.1);
    struct operators_input in = input_of(&s);
    size_t most = 0;
    bool is_hit[3] = {0};
    for (int k = 0; k < 60; k++) {
        struct operators_child c = operators_apply(OPERATOR_REVISION, &in);
        size_t changed = changes(&s, &c.genome, &g);
        most = changed > most ? changed : most;
        for (size_t i = 0; i < 3; i++)
            is_hit[i] |= !same_segment(c.genome.segments[i], g.segments[i]);
    }
    assert_int_equal(most, 1);
    assert_true(is_hit[0] && is_hit[1] && is_hit[2]);
    close_stage(&s);
}

/* --- recombination -------------------------------------------------------------- */

TEST(recombination_mixes_two_successful_ones_place_by_place)
{
    static const double fitness[] = {0.9, 0.2, 0.75, 0.69, 0.8, 0.7};
    struct stage s;
    open_stage(&s, fitness, COUNT(fitness));
    struct operators_input in = input_of(&s);
    bool is_first[COUNT(fitness)] = {0};
    double from_second = 0;
    double places = 0;
    for (int k = 0; k < 200; k++) {
        struct operators_child c = operators_apply(OPERATOR_RECOMBINATION, &in);
        const struct trajectory *a = c.parents[0];
        const struct trajectory *b = c.parents[1];
        assert_true(a && b && a != b);
        assert_true(trajectory_is_successful(a) && trajectory_is_successful(b));
        is_first[a->id] = true;
        for (size_t i = 0; i < s.challenge->segments; i++) {
            struct segment x = a->genome.segments[i];
            struct segment y = b->genome.segments[i];
            struct segment now = c.genome.segments[i];
            assert_true(same_segment(now, x) || same_segment(now, y));
            if (same_segment(x, y)) continue;
            places++;
            from_second += same_segment(now, y);
        }
    }
    assert_close(from_second / places, 0.5, 0.1);
    assert_true(is_first[0] && is_first[2] && is_first[4] && is_first[5]);
    close_stage(&s);
}

TEST(recombination_takes_the_mate_that_is_most_different)
{
    struct stage s;
    open_stage(&s, NULL, 0);
    struct genome g = random_genome(&s);
    struct genome near = g;
    struct genome far = random_genome(&s);
    near.segments[0] = far.segments[0];
    struct genome failed = random_genome(&s);
    put(&s, &g, 0.9);
    put(&s, &near, 0.95);
    put(&s, &far, 0.8);
    put(&s, &failed, 0.1);
    struct operators_input in = input_of(&s);
    for (int k = 0; k < 60; k++) {
        struct operators_child c = operators_parents(OPERATOR_RECOMBINATION, &in);
        if (c.parents[0]->id != 2) assert_int_equal(c.parents[1]->id, 2);
        const struct trajectory *a = c.parents[0];
        double mate = embedding_cosine(&s.embeddings, a->embedding, c.parents[1]->embedding);
        for (size_t i = 0; i < 3; i++) {
            const struct trajectory *t = s.pool.items[i];
            if (t == a) continue;
            assert_true(mate <= embedding_cosine(&s.embeddings, a->embedding, t->embedding));
        }
    }
    close_stage(&s);
}

TEST(with_one_success_the_two_best_are_recombined_and_one_alone_is_copied)
{
    static const double fitness[] = {0.3, 0.9, 0.2, 0.5, 0.1};
    struct stage s;
    open_stage(&s, fitness, COUNT(fitness));
    struct operators_input in = input_of(&s);
    for (int k = 0; k < 30; k++) {
        struct operators_child c = operators_apply(OPERATOR_RECOMBINATION, &in);
        assert_int_equal(c.parents[0]->id + c.parents[1]->id, 1 + 3);
    }
    close_stage(&s);
    open_stage(&s, fitness, 1);
    in = input_of(&s);
    struct operators_child c = operators_apply(OPERATOR_RECOMBINATION, &in);
    assert_null(c.parents[1]);
    assert_int_equal(changes(&s, &c.genome, &c.parents[0]->genome), 0);
    close_stage(&s);
}

/* --- refinement ------------------------------------------------------------------ */

TEST(refinement_changes_one_or_two_segments_of_the_best)
{
    static const double fitness[] = {0.3, 0.9, 0.2, 0.5, 0.1, 0.8};
    struct stage s;
    open_stage(&s, fitness, COUNT(fitness));
    struct operators_input in = input_of(&s);
    int by_count[3] = {0};
    int emptied = 0;
    int turned = 0;
    for (int k = 0; k < 400; k++) {
        struct operators_child c = operators_apply(OPERATOR_REFINEMENT, &in);
        assert_int_equal(c.parents[0]->id, 1);
        assert_null(c.parents[1]);
        const struct genome *from = &c.parents[0]->genome;
        size_t changed = changes(&s, &c.genome, from);
        assert_true(changed <= 2); /* 0: what was drawn is what was there */
        by_count[changed]++;
        for (size_t i = 0; i < s.challenge->segments; i++) {
            struct segment now = c.genome.segments[i];
            emptied += now.line < 0;
            turned +=
                now.line == from->segments[i].line && now.setting != from->segments[i].setting;
        }
    }
    assert_true(by_count[1] > 100 && by_count[2] > 50);
    assert_true(emptied > 10 && turned > 10);
    close_stage(&s);
}

/* Of 16 the best four have line 3, half of the others line 5. */
TEST(insights_are_the_lines_that_the_best_quarter_has_more_often)
{
    struct stage s;
    open_stage(&s, NULL, 0);
    for (int k = 0; k < 16; k++) {
        struct genome g = {0};
        for (size_t i = 0; i < s.challenge->segments; i++)
            g.segments[i] = (struct segment){-1, 0};
        g.segments[0].line = 1; /* everybody has it */
        if (k < 4) g.segments[1].line = 3;
        if (k < 2) g.segments[2].line = 7;
        if (k >= 4 && k % 2) g.segments[1].line = 5;
        put(&s, &g, 0.9 - 0.01 * k);
    }
    struct operators_input in = input_of(&s);
    int16_t lines[5];
    assert_int_equal(operators_insights(&in, lines, COUNT(lines)), 2);
    assert_int_equal(lines[0], 3);
    assert_int_equal(lines[1], 7);
    assert_int_equal(operators_insights(&in, lines, 1), 1);
    assert_int_equal(lines[0], 3);
    size_t used = 0; /* of the best's places that got a line: more than by chance */
    size_t given = 0;
    const struct genome *best = &trajectory_pool_best(&s.pool)->genome;
    struct genome bare = *best;
    bare.segments[1].line = -1;
    bare.segments[2].line = -1;
    put(&s, &bare, 0.95);
    for (int k = 0; k < 400; k++) {
        struct operators_child c = operators_apply(OPERATOR_REFINEMENT, &in);
        for (size_t i = 1; i < s.challenge->segments; i++) {
            int16_t line = c.genome.segments[i].line;
            given += line >= 0;
            used += line == 3 || line == 7;
        }
    }
    assert_true(given > 200);
    assert_true((double)used > 3 * 2.0 / (double)s.challenge->line_count * (double)given);
    close_stage(&s);
}

TEST_MAIN(T(revision_takes_any_of_the_failed_and_replaces_what_satisfied_nothing),
          T(revision_takes_the_worst_where_none_failed),
          T(revision_replaces_one_segment_where_all_were_of_use),
          T(recombination_mixes_two_successful_ones_place_by_place),
          T(recombination_takes_the_mate_that_is_most_different),
          T(with_one_success_the_two_best_are_recombined_and_one_alone_is_copied),
          T(refinement_changes_one_or_two_segments_of_the_best),
          T(insights_are_the_lines_that_the_best_quarter_has_more_often))
