#include "evolve/search.h"

#include "evolve/diversity_metric.h"
#include "evolve/operators.h"
#include "evolve/playbook.h"

enum {
    POOL_MAX = 50,
    PER_ITERATION = 3,     /* trajectories, in generation 0 too */
    CODE_MAX = 1 << 20,    /* bytes; segments and lines have limits of their own */
    SEEDS = 5,             /* candidates for each trajectory of a restart */
    DIVERSITY_SAMPLE = 10, /* trajectories whose diversity is looked at: the last ones */
};
static const double target_share = 0.95;

enum { STREAM_CHOICE = 1, STREAM_OPERATORS, STREAM_RESTART, STREAM_START };

static const char *const part_names[] = {"operators", "hot_spots", "embeddings",
                                         "stopping",  "diversity", NULL};

static unsigned part_of(struct str name)
{
    for (unsigned i = 0; part_names[i]; i++) {
        if (str_is(name, part_names[i])) return 1U << i;
    }
    return 0;
}

bool search_parts_parse(struct str text, unsigned *parts, struct error *err)
{
    *parts = str_is(text, "all") ? PART_ALL : 0;
    if (*parts || str_is(text, "none")) return true;
    for (struct str rest = text; rest.p;) {
        struct str name = str_cut(&rest, '+');
        unsigned bit = part_of(name);
        if (!bit) {
            const char *near = str_suggest(name, part_names, 5);
            return error_set(err, ERROR_INVALID,
                             "'%.*s' is not a part of the search; write none, all, or some of "
                             "operators, hot_spots, embeddings, stopping, diversity joined "
                             "by +%s%s%s",
                             STR_ARG(name), STR_MEANT(near));
        }
        if (*parts & bit)
            return error_set(err, ERROR_INVALID, "'%.*s' is there twice", STR_ARG(name));
        *parts |= bit;
    }
    return true;
}

struct search {
    const struct challenge *challenge;
    const struct search_options *options;
    struct search_result *result;
    struct ledger ledger;
    struct hot_spots hot_spots;
    struct embedding_cache embeddings;
    struct trajectory_pool pool;
    struct operator_selector selector;
    struct convergence_detector detector;
    struct rng choice, operators, restart;
    struct buf code;
    double *history;   /* best measured fitness, by iteration */
    double *diversity; /* by iteration, since the last restart */
    size_t diversities;
    double best_fitness;
    struct genome best_genome;
    int64_t best_id;
    struct arena *out;
};

static bool has_part(const struct search *s, unsigned part)
{
    return (s->options->parts & part) != 0;
}

/* --- one trajectory --------------------------------------------------------- */

/* Scores that cannot differ from the parent's are taken over where hot spots are on. */
static double score_all(struct search *s, struct trajectory *t, const struct trajectory *parent)
{
    const struct challenge *p = s->challenge;
    double sum = 0;
    for (size_t i = 0; i < p->train_count; i++) {
        if (parent && has_part(s, PART_HOT_SPOTS) &&
            challenge_is_same(p, i, &t->offer, &parent->offer)) {
            t->scores[i] = parent->scores[i];
        } else {
            t->scores[i] = challenge_score(p, i, &t->offer, true);
            s->result->evaluations++;
        }
        sum += t->scores[i];
    }
    return sum / (double)p->train_count - challenge_cost(p, &t->offer);
}

/* Scores a genome and hands it to the pool, which may drop it at once. The fitness. */
static double add(struct search *s, const struct genome *g, const struct trajectory *parent,
                  struct descent d)
{
    struct trajectory *t = ledger_alloc(&s->ledger, LEDGER_TRAJECTORIES, sizeof *t);
    t->genome = *g;
    t->offer = challenge_offer(s->challenge, g);
    t->scores = ledger_alloc(&s->ledger, LEDGER_TRAJECTORIES,
                             s->challenge->train_count * sizeof *t->scores);
    buf_clear(&s->code);
    playbook_code(s->challenge, g, &s->code);
    CHECK(!s->code.overflow);
    t->code = ledger_alloc(&s->ledger, LEDGER_TRAJECTORIES, s->code.n + 1);
    t->code_bytes = s->code.n;
    memcpy(t->code, s->code.p ? s->code.p : "", s->code.n);
    struct code_metrics metrics;
    t->outline = hot_spots_add(&s->hot_spots, buf_str(&s->code), &metrics);
    s->result->parsed_bytes += (int64_t)metrics.bytes_parsed;
    float vector[EMBEDDING_DIMENSIONS];
    embedding_of_text(t->code, t->code_bytes, vector);
    t->embedding = embedding_put(&s->embeddings, vector);
    double fitness = t->fitness = score_all(s, t, parent);
    if (fitness > s->best_fitness || s->pool.added == 0) {
        s->best_fitness = fitness;
        s->best_genome = *g;
        s->best_id = s->pool.added;
    }
    trajectory_pool_add(&s->pool, t, d);
    return fitness;
}

static struct genome random_genome(const struct challenge *p, struct rng *rng)
{
    struct genome g = {0};
    for (size_t i = 0; i < p->segments; i++) g.segments[i] = operators_random_segment(p, rng);
    return g;
}

static void begin(struct search *s)
{
    struct rng rng = rng_seeded(rng_derive(s->options->seed, STREAM_START, 0));
    for (int i = 0; i < PER_ITERATION; i++) {
        struct genome g = random_genome(s->challenge, &rng);
        add(s, &g, NULL, (struct descent){{-1, -1}, 0, 0, OPERATOR_BASELINE});
    }
}

/* --- asking somebody else ------------------------------------------------------ */

static const char *const instructions[OPERATOR_COUNT] = {
    "This playbook failed. Propose a different one: keep what works, replace the rest.",
    "Combine these two playbooks into one that has the strengths of both.",
    "This is the best playbook so far. Improve it by changing one or two rows.",
};

static void write_question(struct search *s, int op, const struct operators_child *c,
                           const struct operators_input *in, struct buf *out)
{
    const struct challenge *p = s->challenge;
    buf_printf(out, "operator: %s\n%s\n", operator_names[op], instructions[op]);
    buf_printf(out, "At most %zu rows of the form '- line @setting', setting 0 to %d.\n",
               p->segments, CHALLENGE_SETTINGS - 1);
    for (size_t i = 0; i < 2 && c->parents[i]; i++) {
        buf_printf(out, "score %.3f\n", c->parents[i]->fitness);
        playbook_write(p, &c->parents[i]->genome, out);
    }
    int16_t insights[5];
    size_t count = operators_insights(in, insights, COUNT(insights));
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s%s", i ? ", " : "insights: ", p->lines[insights[i]].name);
    }
    buf_text(out, "\nlibrary:");
    for (size_t i = 0; i < p->line_count; i++) {
        buf_printf(out, "\n%s: %.*s", p->lines[i].name, STR_ARG(p->lines[i].text));
    }
    buf_text(out, "\n");
}

static bool ask(struct search *s, int op, const struct operators_input *in,
                struct operators_child *c, struct error *err)
{
    struct buf question;
    struct buf answer;
    buf_init(&question, CODE_MAX);
    buf_init(&answer, CODE_MAX);
    *c = operators_parents(op, in);
    write_question(s, op, c, in, &question);
    bool done = s->options->proposer->propose(s->options->proposer->state, buf_str(&question),
                                              &answer, err);
    struct error why = {0};
    struct genome g;
    if (done && playbook_parse(s->challenge, buf_str(&answer), &g, &why)) {
        c->genome = g;
    } else {
        s->result->refused++;
    }
    buf_release(&question);
    buf_release(&answer);
    return done;
}

/* --- the loop ----------------------------------------------------------------- */

static bool step(struct search *s, int64_t generation, struct error *err)
{
    struct operators_input in = {s->challenge, &s->pool, &s->embeddings, &s->operators};
    int op = operator_selector_select(&s->selector, &s->choice);
    struct operators_child c;
    if (!s->options->proposer) {
        c = operators_apply(op, &in);
    } else if (!ask(s, op, &in, &c, err)) {
        return false;
    }
    double before = s->best_fitness;
    struct descent d = {
        {c.parents[0]->id, c.parents[1] ? c.parents[1]->id : -1}, generation, 0, op};
    double fitness = add(s, &c.genome, c.parents[0], d);
    operator_selector_update(&s->selector, op, fitness - before);
    s->result->tried[op]++;
    return true;
}

static size_t latest_codes(const struct search *s, struct str *codes)
{
    size_t count = s->pool.count < DIVERSITY_SAMPLE ? s->pool.count : DIVERSITY_SAMPLE;
    for (size_t i = 0; i < count; i++) {
        const struct trajectory *t = s->pool.items[s->pool.count - count + i];
        codes[i] = (struct str){t->code, t->code_bytes};
    }
    return count;
}

/* Of five random playbooks the one that is most different from the pool. */
static struct genome diverse_seed(struct search *s)
{
    struct genome seeds[SEEDS];
    struct str codes[SEEDS];
    struct str pool[DIVERSITY_SAMPLE];
    struct arena scratch = *s->out;
    for (size_t i = 0; i < SEEDS; i++) {
        seeds[i] = random_genome(s->challenge, &s->restart);
        buf_clear(&s->code);
        playbook_code(s->challenge, &seeds[i], &s->code);
        codes[i] = str_copy(&scratch, buf_str(&s->code));
    }
    return seeds[diversity_farthest(codes, SEEDS, pool, latest_codes(s, pool))];
}

/* All leave but the best: in a full pool of good ones a fresh seed is the worst, and is dropped
 * at once. */
static void restart(struct search *s, int64_t generation)
{
    struct genome seeds[PER_ITERATION];
    for (int i = 0; i < PER_ITERATION; i++) seeds[i] = diverse_seed(s);
    trajectory_pool_keep_best(&s->pool);
    for (int i = 0; i < PER_ITERATION; i++) {
        add(s, &seeds[i], NULL, (struct descent){{-1, -1}, generation, 0, OPERATOR_RESTART});
    }
    s->result->restarts++;
}

static void look_at_diversity(struct search *s, int64_t generation)
{
    struct str codes[DIVERSITY_SAMPLE];
    size_t count = latest_codes(s, codes);
    s->diversity = ledger_room(&s->ledger, LEDGER_OTHER, s->diversity, s->diversities,
                               sizeof *s->diversity);
    s->diversity[s->diversities++] = diversity_of(codes, count, DIVERSITY_HAMMING, *s->out);
    if (!diversity_should_restart(s->diversity, s->diversities, generation)) return;
    restart(s, generation);
    s->diversities = 0;
}

static void note_point(struct search *s, int64_t generation)
{
    struct search_result *r = s->result;
    struct search_point *now = &r->curve[generation - 1];
    const struct search_point *last = generation > 1 ? now - 1 : NULL;
    s->history = ledger_room(&s->ledger, LEDGER_OTHER, s->history, (size_t)generation - 1,
                             sizeof *s->history);
    s->history[generation - 1] = s->best_fitness;
    if (last && last->measured == s->best_fitness) {
        *now = *last;
    } else {
        now->measured = s->best_fitness;
        now->fitness = challenge_fitness(s->challenge, &s->best_genome);
        now->held_out = challenge_held_out(s->challenge, &s->best_genome);
    }
    if (!r->has_reached && now->fitness >= target_share * s->challenge->best_known) {
        r->has_reached = true;
        r->to_target = generation;
    }
}

static void trace_best(struct search *s)
{
    struct search_result *r = s->result;
    const struct descent *all = s->pool.descent;
    for (int64_t id = s->best_id; id >= 0; id = all[id].parents[0]) r->lineage_count++;
    r->lineage = arena_new(s->out, struct search_ancestor, r->lineage_count);
    int64_t id = s->best_id;
    for (size_t i = 0; i < r->lineage_count; i++) {
        r->lineage[i] = (struct search_ancestor){id, all[id]};
        id = all[id].parents[0];
    }
}

static void look_for_stop(struct search *s, int64_t generation)
{
    struct search_result *r = s->result;
    r->reason = convergence_check(&s->detector, s->history, (size_t)generation);
    if (r->reason == CONVERGENCE_NOT_YET) return;
    r->stop = generation;
    r->best = s->best_genome;
    trace_best(s);
}

static bool is_over(const struct search *s)
{
    const struct search_result *r = s->result;
    switch (s->options->runs_on) {
    case SEARCH_TO_STOP: return r->stop > 0;
    case SEARCH_TO_JUDGEMENT:
        return convergence_is_known((size_t)r->iterations, (size_t)r->stop);
    case SEARCH_TO_CAP: break;
    }
    return false;
}

static bool iterate(struct search *s, struct error *err)
{
    struct search_result *r = s->result;
    for (int64_t i = 1; i <= s->options->cap; i++) {
        for (int k = 0; k < PER_ITERATION; k++) {
            if (!step(s, i, err)) return false;
        }
        r->iterations = i;
        if (has_part(s, PART_DIVERSITY)) look_at_diversity(s, i);
        note_point(s, i);
        if (r->stop == 0) look_for_stop(s, i);
        if (is_over(s)) break;
    }
    size_t stop = (size_t)r->stop;
    r->is_judged = convergence_is_known((size_t)r->iterations, stop); /* never at the cap */
    r->is_false_stop =
        r->is_judged && convergence_is_false(s->history, stop, CONVERGENCE_WATCHED * stop);
    r->is_false_by_cap = convergence_is_false(s->history, stop, (size_t)r->iterations);
    return true;
}

static void open_search(struct search *s)
{
    const struct search_options *o = s->options;
    size_t pool_max = o->pool_max ? o->pool_max : POOL_MAX;
    s->hot_spots = hot_spots_new(&s->ledger, has_part(s, PART_HOT_SPOTS));
    s->embeddings =
        embedding_cache_new(&s->ledger, LEDGER_EMBEDDINGS, has_part(s, PART_EMBEDDINGS));
    trajectory_pool_init(&s->pool, &s->ledger, &s->hot_spots, pool_max);
    s->selector =
        operator_selector_new(has_part(s, PART_OPERATORS) ? o->selector : SELECTOR_UNIFORM);
    s->detector = (struct convergence_detector){
        has_part(s, PART_STOPPING) ? o->detector : CONVERGENCE_PLATEAU, o->difficulty, o->cap};
    s->choice = rng_seeded(rng_derive(o->seed, STREAM_CHOICE, 0));
    s->operators = rng_seeded(rng_derive(o->seed, STREAM_OPERATORS, 0));
    s->restart = rng_seeded(rng_derive(o->seed, STREAM_RESTART, 0));
    buf_init(&s->code, CODE_MAX);
}

static void keep_scores(struct search *s)
{
    struct search_result *r = s->result;
    r->scored_count = s->pool.count;
    r->scored = arena_new(s->out, struct search_scored, r->scored_count);
    for (size_t i = 0; i < r->scored_count; i++) {
        const struct trajectory *t = s->pool.items[i];
        r->scored[i] = (struct search_scored){t->genome, t->fitness};
    }
}

bool search_run(const struct challenge *p, const struct search_options *o, struct arena *out,
                struct search_result *r, struct error *err)
{
    CHECK(o->cap > 0 && p->train_count > 0 && p->line_count > 0);
    *r = (struct search_result){.to_target = o->cap};
    r->curve = arena_new(out, struct search_point, (size_t)o->cap);
    struct search s = {.challenge = p, .options = o, .result = r, .out = out};
    open_search(&s);
    begin(&s);
    bool done = iterate(&s, err);
    ledger_check(&s.ledger);
    keep_scores(&s);
    trajectory_pool_release(&s.pool);
    hot_spots_release(&s.hot_spots);
    ledger_free(&s.ledger, s.history);
    ledger_free(&s.ledger, s.diversity);
    buf_release(&s.code);
    CHECK(s.ledger.live_bytes == 0);
    r->ledger = s.ledger;
    return done;
}

static bool is_worth(const struct challenge *p, const struct genome *g, double taken_for,
                     struct error *err)
{
    double is = challenge_measured(p, g);
    return is == taken_for ||
           error_set(err, ERROR_FAILED, "a playbook was taken to score %.9g, and scores %.9g",
                     taken_for, is);
}

bool search_is_right(const struct challenge *p, const struct search_result *r,
                     struct error *err)
{
    for (size_t i = 0; i < r->scored_count; i++) {
        if (!is_worth(p, &r->scored[i].genome, r->scored[i].measured, err)) return false;
    }
    return is_worth(p, &r->best, r->curve[r->stop - 1].measured, err);
}
