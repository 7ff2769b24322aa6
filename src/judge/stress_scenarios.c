/* The scenarios, a row each. Every `next` is a pure function of the phases so far, every
 * `conclude` names the rule that decided with the value it saw and its threshold.
 *
 * Scores are 1 for what held and, where a load or size broke it, the share of the way to the
 * highest one asked for, on a scale of doublings: a server that breaks at 5 times its normal
 * load where 10 were asked has log 5 / log 10. */
#include "judge/stress.h"
#include "judge/stress_internal.h"
#include "stats/change_slope.h"

#include <math.h>

#define GROWTH_SHARE     0.05 /* by which a sustained load may worsen */
#define LEAK_P           0.01
#define STILL_P          0.05 /* in the second half, and */
#define STILL_SHARE      0.25 /* of the whole slope */
#define RETROGRADE_SHARE 0.8  /* of the highest rate: more in flight, less done */
#define CUT_OFF_S        0.5
#define FLOOD_FACTOR     1.5  /* times the load that broke it: what does that leave behind? */
#define REST_SHARE       0.25 /* of the safe load, around the flood: leaves room to come back */
#define KNEES_APART      4.0  /* two levels: the law does not describe what was measured */
#define FAULT_AT         0.3  /* of a block (experiment load) */
#define LIMITED_SHARE    0.01 /* of requests answered with 429: the agent limits its rate */

enum {
    LEVELS_MAX = 40,
    SLOPE_BLOCKS = 8, /* at least: to see a slope; of the second half, */
    STILL_BLOCKS = 5, /* which all rise by chance with p = 0.03 */
    FAULT_BLOCKS = 3,
    SIZE_BLOCKS = 3,
    SIZE_FIRST = 1 << 10,
    USL_RESAMPLES = 200,
    USL_LEVELS_MIN = 6,
};

static const char *const common[] = {"response_time", "error_rate", "throughput",
                                     "resource_usage"};
static const char *const of_memory[] = {"response_time", "error_rate", "memory"};
static const char *const of_limits[] = {"error_rate", "throughput", "retry_after"};
static const char *const of_recovery[] = {"lost_requests", "first_success", "recovery_time"};
#define MONITORED(list) .monitored = (list), .monitored_count = COUNT(list)

/* Whoever waits twice the objective has missed it; a queue is not waited for to empty. */
static double cut_off_s(const struct stress_case *c)
{
    return c->terms->cuts_off ? fmax(CUT_OFF_S, 2 * c->objective_s) : 0;
}

static bool is_broken(const struct stress_case *c, const struct stress_phase *p)
{
    if (stress_is_spoiled(p)) return false;
    return stress_errors(p) > c->error_share || STRESS_MEDIAN(p, p95_s) > c->objective_s ||
           isnan(STRESS_MEDIAN(p, p95_s));
}

/* Which part of the objective a phase misses, errors first. */
static void decide_by_objective(const struct stress_case *c, const struct stress_phase *p,
                                struct stress_result *r)
{
    double errors = stress_errors(p), p95 = STRESS_MEDIAN(p, p95_s);
    if (errors > c->error_share || isnan(p95)) {
        stress_decide(r, STRESS_BROKE, "errors_beyond_objective", errors, c->error_share, "1");
    } else if (p95 > c->objective_s) {
        stress_decide(r, STRESS_BROKE, "p95_beyond_objective", p95, c->objective_s, "s");
    } else {
        stress_decide(r, STRESS_HELD, "within_objective", p95, c->objective_s, "s");
    }
}

static double share_of_way(double reached, double normal, double wanted)
{
    if (!(reached > normal)) return 0;
    return fmin(1, log(reached / normal) / log(wanted / normal));
}

/* ---- high_load ---- */

static struct breaking_block block_of(const struct stress_block *b, double seconds)
{
    return (struct breaking_block){
        .seconds = seconds,
        .scheduled = b->scheduled_rate * seconds,
        .rate = b->is_answered ? b->rate : 0,
        .p50_s = b->is_answered ? b->p50_s : (double)NAN,
        .p95_s = b->is_answered ? b->p95_s : (double)NAN,
        .growth_s = b->growth_s,
        .error_share = b->is_answered ? b->error_share : 1,
        .refused_share = b->refused_share,
        .memory_mb = b->memory_mb,
        .is_spoiled = b->is_spoiled,
        .has_died = b->deaths > 0,
    };
}

/* Of a block of the search at most; slow agents get longer ones. */
static double search_max_s(const struct stress_case *c)
{
    return fmax(c->terms->search_max_s, STRESS_REQUESTS_MIN / c->normal_rate);
}

/* No finer than its blocks can tell loads apart (judge/breaking.h: growth by chance). */
static double precision_of(const struct stress_case *c, double highest)
{
    double requests = search_max_s(c) * highest / 2;
    return 1 + fmax(0.05, 0.86 / sqrt(fmax(requests, 1)));
}

/* The phase after the search: a flood and what it leaves behind. NULL: none was measured. */
static const struct stress_phase *find_recovery(const struct stress_case *c)
{
    const struct stress_phase *last = c->count > 0 ? &c->phases[c->count - 1] : NULL;
    return last && strcmp(last->ask.role, "recovery") == 0 ? last : NULL;
}

/* The normal load is its first level. */
static void search(const struct stress_case *c, struct breaking_answer *answer)
{
    struct breaking_level levels[LEVELS_MAX + 1];
    struct breaking_block blocks[(LEVELS_MAX + 1) * BREAKING_BLOCKS_MAX];
    size_t used = 0, count = 0;
    size_t searched = c->count - (find_recovery(c) != NULL);
    for (size_t i = 0; i <= searched && count < COUNT(levels); i++) {
        const struct stress_phase *p = i == 0 ? c->normal : &c->phases[i - 1];
        struct breaking_level *level = &levels[count++];
        *level = (struct breaking_level){.load = p->ask.rate, .blocks = &blocks[used]};
        for (size_t k = 0; k < p->count && used < COUNT(blocks); k++, level->count++)
            blocks[used++] = block_of(&p->blocks[k], p->ask.seconds);
    }
    double highest = c->normal_rate;
    for (size_t i = 0; i < searched; i++) highest = fmax(highest, c->phases[i].ask.rate);
    struct breaking_terms terms = {.normal = c->normal_rate,
                                   .max = c->terms->factor * c->normal_rate,
                                   .p95_s = c->objective_s,
                                   .error_share = c->error_share,
                                   .seconds_min = c->terms->block_s,
                                   .seconds_max = search_max_s(c),
                                   .blocks_max = (size_t)c->terms->search_blocks,
                                   .precision = precision_of(c, highest)};
    breaking_ask(levels, count, &terms, answer);
}

/* More than the breaking point for a fifth of a block, and little around it: twice the time that
 * its queue takes (breaking.h, slow recovery) must fit into the two fifths that are left. */
static bool ask_recovery(const struct stress_case *c, const struct breaking_answer *a,
                         struct stress_ask *ask)
{
    if (!a->has_broken || !(a->safe > 0) || find_recovery(c)) return false;
    *ask = stress_ask_of(c, "recovery");
    ask->rate = fmin(c->normal_rate, REST_SHARE * a->safe);
    ask->shape = "spike";
    ask->factor = FLOOD_FACTOR * a->breaks / ask->rate;
    ask->seconds = stress_disturbed_s(5 * c->block_s, ask->rate, 0.4);
    ask->blocks = STRESS_SPIKE_BLOCKS;
    return true;
}

/* A block is compared with its own beginning. After a flood that it has not come back from, the
 * next block begins slow, and is soon as before: only the first one tells. */
static bool is_back_at_once(const struct stress_phase *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (stress_tells_recovery(&p->blocks[i])) return !isnan(p->blocks[i].recovery_s);
    }
    return false;
}

static void note_recovery(const struct stress_case *c, struct breaking_answer *a)
{
    const struct stress_phase *p = find_recovery(c);
    struct stress_recovered n = {0};
    if (!p || stress_is_spoiled(p)) return;
    stress_count_recovered(p, &n);
    if (n.all == 0) return;
    bool is_back = 2 * n.blocks > n.all && is_back_at_once(p);
    double fifth_s = p->ask.seconds / 5;
    struct breaking_recovery r = {.rest = p->ask.rate,
                                  .load = p->ask.rate * p->ask.factor,
                                  .flood_s = fifth_s,
                                  .recovery_s =
                                      is_back ? STRESS_MEDIAN(p, recovery_s) : (double)INFINITY,
                                  .left_s = 2 * fifth_s,
                                  .grain_s = p->ask.seconds / STRESS_GRAINS};
    breaking_note_recovery(a, &r);
}

static bool high_next(const struct stress_case *c, struct stress_ask *ask)
{
    struct breaking_answer a;
    search(c, &a);
    if (a.step == BREAKING_DONE) return ask_recovery(c, &a, ask);
    if (a.step != BREAKING_MEASURE || c->count >= LEVELS_MAX) return false;
    *ask = stress_ask_of(c, "level");
    ask->rate = a.next_load;
    ask->seconds = a.next_seconds;
    ask->blocks = (int64_t)a.next_blocks;
    return true;
}

static void high_conclude(const struct stress_case *c, struct arena *out,
                          struct stress_result *r)
{
    struct breaking_answer *a = arena_new(out, struct breaking_answer, 1);
    search(c, a);
    r->breaking = a;
    if (a->step != BREAKING_DONE) {
        bool is_spoiled = a->step == BREAKING_SPOILED;
        if (is_spoiled && a->holds > 0) {
            stress_add_figure(r, "normal_rate", "1/s", c->normal_rate);
            stress_add_figure(r, "holds", "1/s", a->holds);
        }
        stress_leave_open(r, is_spoiled ? STRESS_GENERATOR : STRESS_UNFINISHED);
        return;
    }
    note_recovery(c, a);
    double wanted = c->terms->factor * c->normal_rate;
    stress_add_figure(r, "normal_rate", "1/s", c->normal_rate);
    stress_add_figure(r, "highest_rate", "1/s", a->highest_rate);
    stress_add_figure(r, "holds", "1/s", a->holds);
    stress_add_figure(r, "safe_rate", "1/s", a->safe);
    stress_add_figure(r, "headroom", "1", a->headroom);
    stress_add_figure(r, "knee", "1/s", a->knee);
    stress_add_figure(r, "precision", "1", a->precision - 1);
    if (isfinite(a->recovery_s)) stress_add_figure(r, "recovery_s", "s", a->recovery_s);
    if (a->has_broken) {
        stress_decide(r, STRESS_BROKE, breaking_mode_name(a->mode), a->why.value,
                      a->why.threshold, a->mode == BREAKING_SLOW_ANSWERS ? "s" : "1");
        r->score = share_of_way(a->holds, c->normal_rate, wanted);
    } else {
        stress_decide(r, STRESS_HELD, "within_objective", a->holds, wanted, "1/s");
        r->score = 1;
    }
}

/* ---- sustained_load ---- */

static bool sustained_next(const struct stress_case *c, struct stress_ask *ask)
{
    if (c->count > 0) return false;
    *ask = stress_ask_of(c, "sustained");
    ask->rate = c->normal_rate;
    ask->blocks = c->terms->sustained;
    return true;
}

/* Does it rise over the phase, for certain, and by how much of where it began? Blocks of a
 * load are close to independent: connections live on, but every queue has been emptied. */
static struct change_slope slope_of(const struct stress_phase *p, size_t offset, size_t least,
                                    struct arena scratch, double *relative)
{
    double *y = arena_new(&scratch, double, p->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        double v = *(const double *)((const char *)&p->blocks[i] + offset);
        if (p->blocks[i].is_answered && !p->blocks[i].is_spoiled && !isnan(v)) y[n++] = v;
    }
    struct change_slope none = {NAN, NAN, NAN, 1};
    if (n < least) return none;
    struct change_slope s = change_slope_of(y, n, NULL, 0, 1, scratch);
    double rise = s.estimate * (double)(n - 1);
    double began = stress_median(p, offset) - rise / 2;
    *relative = began > 0 ? rise / began : (double)INFINITY;
    double share = (double)n / (double)p->count; /* those left out took their time too */
    return (struct change_slope){share * s.estimate, share * s.low, share * s.high, s.p};
}

/* What fills caches grows at first; what leaks grows in the second half too, about as much.
 * Where too little is left of that half, nobody knows which it is. */
static void decide_by_memory(const struct stress_phase *p, const struct change_slope *growth,
                             double relative, struct arena scratch, struct stress_result *r)
{
    struct stress_phase half = *p;
    double ignored = 0;
    half.blocks += p->count / 2;
    half.count -= p->count / 2;
    if (!(growth->p < LEAK_P && relative > GROWTH_SHARE)) return;
    struct change_slope s = slope_of(&half, offsetof(struct stress_block, memory_mb),
                                     STILL_BLOCKS, scratch, &ignored);
    if (isnan(s.estimate))
        stress_leave_open(r, STRESS_TOO_FEW);
    else if (s.estimate > STILL_SHARE * growth->estimate && s.p < STILL_P)
        stress_decide(r, STRESS_BROKE, "memory_grows", relative, GROWTH_SHARE, "1");
}

static void sustained_conclude(const struct stress_case *c, struct arena *out,
                               struct stress_result *r)
{
    const struct stress_phase *p = &c->phases[0];
    double latency = 0, memory = 0;
    struct change_slope of_p95 =
        slope_of(p, offsetof(struct stress_block, p95_s), SLOPE_BLOCKS, *out, &latency);
    struct change_slope growth =
        slope_of(p, offsetof(struct stress_block, memory_mb), SLOPE_BLOCKS, *out, &memory);
    decide_by_objective(c, p, r);
    stress_add_figure(r, "p95_s", "s", STRESS_MEDIAN(p, p95_s));
    stress_add_figure(r, "error_share", "1", stress_errors(p));
    stress_add_figure(r, "duration_s", "s", (double)p->count * p->ask.seconds);
    double per_hour = 3600 / p->ask.seconds;
    const struct {
        const char *name, *unit;
        const struct change_slope *slope;
    } slopes[] = {{"p95_slope", "s/h", &of_p95}, {"memory_slope", "MB/h", &growth}};
    for (size_t i = 0; i < COUNT(slopes); i++) {
        stress_add_figure(r, slopes[i].name, slopes[i].unit,
                          slopes[i].slope->estimate * per_hour);
        if (r->figure_count == 0 || isnan(slopes[i].slope->estimate)) continue;
        struct stress_figure *f = &r->figures[r->figure_count - 1];
        f->low = slopes[i].slope->low * per_hour;
        f->high = slopes[i].slope->high * per_hour;
    }
    if (r->outcome == STRESS_HELD) decide_by_memory(p, &growth, memory, *out, r);
    if (r->outcome != STRESS_BROKE && of_p95.p < LEAK_P && latency > 1) {
        stress_decide(r, STRESS_BROKE, "latency_grows", latency, 1, "1");
        r->reason = STRESS_NO_REASON;
    }
    if (r->outcome == STRESS_SPOILED) return;
    r->score = r->outcome == STRESS_HELD ? 1 : 0;
    if (r->outcome != STRESS_HELD) return;
    if (isnan(of_p95.estimate))
        stress_leave_open(r, STRESS_TOO_FEW);
    else if (isnan(growth.estimate))
        r->reason = STRESS_NO_LEAK;
}

/* ---- memory_pressure ---- */

/* Less and less memory: the usual peak and a tenth, three quarters of it, half of it. */
static const double squeezes[] = {1.1, 0.75, 0.5};

static bool memory_next(const struct stress_case *c, struct stress_ask *ask)
{
    if (c->count >= COUNT(squeezes) || isnan(c->usual_memory_mb)) return false;
    if (c->count > 0 && is_broken(c, &c->phases[c->count - 1])) return false;
    *ask = stress_ask_of(c, "squeezed");
    ask->rate = c->normal_rate;
    ask->memory_limit_mb = ceil(10 * squeezes[c->count] * c->usual_memory_mb) / 10;
    return true;
}

static double count_kills(const struct stress_case *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < c->phases[i].count; k++)
            sum += fmax(0, c->phases[i].blocks[k].memory_kills); /* passes over NaN */
    }
    return sum;
}

static void memory_conclude(const struct stress_case *c, struct arena *out,
                            struct stress_result *r)
{
    (void)out;
    if (c->count == 0) {
        r->outcome = STRESS_NOT_APPLICABLE;
        r->reason = STRESS_NO_MEMORY;
        return;
    }
    double held_mb = NAN;
    size_t held = 0;
    const struct stress_phase *broken = NULL;
    for (size_t i = 0; i < c->count && !broken; i++) {
        const struct stress_phase *p = &c->phases[i];
        if (is_broken(c, p)) {
            broken = p;
        } else {
            held_mb = p->ask.memory_limit_mb;
            held++;
        }
    }
    const struct stress_phase *last = broken ? broken : &c->phases[c->count - 1];
    stress_add_figure(r, "usual_memory_mb", "MB", c->usual_memory_mb);
    stress_add_figure(r, "holds_with_mb", "MB", held_mb);
    stress_add_figure(r, "error_share", "1", stress_errors(last));
    stress_add_figure(r, "p95_s", "s", STRESS_MEDIAN(last, p95_s));
    if (c->has_groups) stress_add_figure(r, "memory_kills", "1", count_kills(c));
    decide_by_objective(c, last, r);
    if (broken) {
        stress_add_figure(r, "breaks_with_mb", "MB", last->ask.memory_limit_mb);
        r->rule.name = strcmp(r->rule.name, "p95_beyond_objective") == 0 ? "squeezed_p95"
                                                                         : "squeezed_errors";
    }
    if (!c->has_groups) r->reason = STRESS_WATCHED;
    size_t all = COUNT(squeezes);
    r->score = (double)held / (double)all;
}

/* ---- concurrent_requests ---- */

static bool concurrent_next(const struct stress_case *c, struct stress_ask *ask)
{
    int64_t next = c->count == 0 ? 1 : 2 * c->phases[c->count - 1].ask.connections;
    int64_t most = c->terms->concurrency;
    bool is_last = c->count > 0 && c->phases[c->count - 1].ask.connections >= most;
    bool has_died = c->count > 0 && stress_errors(&c->phases[c->count - 1]) > 0.5;
    if (is_last || has_died || c->count >= LEVELS_MAX) return false;
    *ask = stress_ask_of(c, "in_flight");
    ask->connections = next < most ? next : most;
    ask->can_be_old = true;
    return true;
}

/* One point a level, but for the one `without`; LEVELS_MAX means none. */
static struct usl_sample sample_of(const struct stress_case *c, size_t without,
                                   struct arena *out)
{
    struct usl_point *points = arena_new(out, struct usl_point, c->count + 1);
    double *p95_s = arena_new(out, double, c->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) {
        double rate = STRESS_MEDIAN(&c->phases[i], rate);
        if (i == without || !(rate > 0)) continue;
        points[n] = (struct usl_point){(double)c->phases[i].ask.connections, rate};
        p95_s[n++] = STRESS_MEDIAN(&c->phases[i], p95_s);
    }
    return (struct usl_sample){.points = points,
                               .p95_s = p95_s,
                               .n = n,
                               .confidence = 0.95,
                               .resamples = USL_RESAMPLES,
                               .seed = 1};
}

static void predict(const struct usl_sample *sample, double load, struct arena *out,
                    struct stress_result *r)
{
    struct stress_prediction *p = &r->predictions[r->prediction_count];
    *p = (struct stress_prediction){.load = load, .measured_rate = NAN, .measured_p95_s = NAN};
    r->prediction_count += usl_predict(sample, load, *out, &p->of, NULL);
}

/* The law, and what it says of a level that was held back and of one that nobody measured:
 * who sees the first hit can trust the second. */
static void fit(const struct stress_case *c, struct arena *out, struct stress_result *r)
{
    struct usl_sample all = sample_of(c, LEVELS_MAX, out);
    struct usl *u = arena_new(out, struct usl, 1);
    struct usl_interval *interval = arena_new(out, struct usl_interval, 1);
    if (!usl_fit(all.points, all.n, u, NULL)) return;
    r->usl = u;
    if (usl_bootstrap(&all, *out, interval, NULL)) r->usl_interval = interval;
    if (c->count < USL_LEVELS_MIN) return;
    const struct stress_phase *held = &c->phases[c->count - 2];
    struct usl_sample rest = sample_of(c, c->count - 2, out);
    predict(&rest, (double)held->ask.connections, out, r);
    if (r->prediction_count > 0) {
        r->predictions[0].measured_rate = STRESS_MEDIAN(held, rate);
        r->predictions[0].measured_p95_s = STRESS_MEDIAN(held, p95_s);
    }
    predict(&all, 1.5 * (double)c->phases[c->count - 1].ask.connections, out, r);
}

/* Every block of one phase did less than every block of the other: with five of each p =
 * 0.008 that it is chance. */
static bool is_below(const struct stress_phase *p, const struct stress_phase *other)
{
    double highest = 0, lowest = INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        if (!p->blocks[i].is_spoiled) highest = fmax(highest, p->blocks[i].rate);
    }
    for (size_t i = 0; i < other->count; i++) {
        if (!other->blocks[i].is_spoiled) lowest = fmin(lowest, other->blocks[i].rate);
    }
    return highest < lowest;
}

/* In flight, where the rate per median response is highest (Kleinrock 1979). */
static double measured_knee(const struct stress_case *c)
{
    double power = 0, knee = NAN;
    for (size_t i = 0; i < c->count; i++) {
        double of = STRESS_MEDIAN(&c->phases[i], rate) / STRESS_MEDIAN(&c->phases[i], p50_s);
        if (!(of > power)) continue;
        power = of;
        knee = (double)c->phases[i].ask.connections;
    }
    return knee;
}

/* Both knees, of the law and of what it was fitted to: apart from each other, its predictions
 * are of no use. */
static void check_law(const struct stress_case *c, struct stress_result *r)
{
    if (!r->usl) return;
    double highest = (double)c->phases[c->count - 1].ask.connections;
    double law = fmin(fmax(1, usl_knee(r->usl)), highest);
    double knee = measured_knee(c);
    stress_add_figure(r, "knee_in_flight", "1", knee);
    stress_add_figure(r, "usl_knee_in_flight", "1", law);
    if (fmax(knee / law, law / knee) > KNEES_APART) r->reason = STRESS_LAW_OFF;
}

static void concurrent_conclude(const struct stress_case *c, struct arena *out,
                                struct stress_result *r)
{
    double best = 0;
    const struct stress_phase *broken = NULL, *peak = &c->phases[0];
    for (size_t i = 0; i < c->count; i++) {
        const struct stress_phase *p = &c->phases[i];
        double rate = STRESS_MEDIAN(p, rate);
        if (rate > best) {
            best = rate;
            peak = p;
        }
        if (!broken && stress_errors(p) > c->error_share) broken = p;
    }
    fit(c, out, r);
    const struct stress_phase *last = &c->phases[c->count - 1];
    double final_rate = STRESS_MEDIAN(last, rate);
    double best_at = (double)peak->ask.connections;
    bool is_retrograde = final_rate < RETROGRADE_SHARE * best && is_below(last, peak);
    stress_add_figure(r, "highest_rate", "1/s", best);
    stress_add_figure(r, "peak_in_flight", "1", best_at);
    stress_add_figure(r, "highest_in_flight", "1", (double)last->ask.connections);
    if (r->usl) {
        stress_add_figure(r, "usl_lambda", "1/s", r->usl->lambda);
        stress_add_figure(r, "usl_sigma", "1", r->usl->sigma);
        stress_add_figure(r, "usl_kappa", "1", r->usl->kappa);
    }
    check_law(c, r);
    if (broken) {
        stress_decide(r, STRESS_BROKE, "errors_beyond_objective", stress_errors(broken),
                      c->error_share, "1");
        r->score =
            share_of_way((double)broken->ask.connections / 2, 1, (double)c->terms->concurrency);
        stress_add_figure(r, "breaks_in_flight", "1", (double)broken->ask.connections);
    } else if (is_retrograde) {
        stress_decide(r, STRESS_BROKE, "retrograde", final_rate / best, RETROGRADE_SHARE, "1");
        r->score = share_of_way(best_at, 1, (double)c->terms->concurrency);
    } else {
        stress_decide(r, STRESS_HELD, "within_objective", stress_errors(last), c->error_share,
                      "1");
        r->score = 1;
    }
}

/* ---- large_inputs ---- */

static bool large_next(const struct stress_case *c, struct stress_ask *ask)
{
    int64_t next = c->count == 0 ? SIZE_FIRST : 2 * c->phases[c->count - 1].ask.body_bytes;
    if (next > c->terms->input_bytes || c->count >= LEVELS_MAX) return false;
    if (c->count > 0 && stress_errors(&c->phases[c->count - 1]) > c->error_share) return false;
    *ask = stress_ask_of(c, "size");
    ask->connections = 1;
    ask->body_bytes = next;
    ask->blocks = c->terms->size_blocks > 0 ? c->terms->size_blocks : SIZE_BLOCKS;
    return true;
}

static void large_conclude(const struct stress_case *c, struct arena *out,
                           struct stress_result *r)
{
    (void)out;
    double largest = 0;
    const struct stress_phase *last = &c->phases[c->count - 1];
    for (size_t i = 0; i < c->count; i++) {
        if (stress_errors(&c->phases[i]) <= c->error_share)
            largest = (double)c->phases[i].ask.body_bytes;
    }
    stress_add_figure(r, "largest_input_bytes", "bytes", largest);
    stress_add_figure(r, "p95_at_largest_s", "s", STRESS_MEDIAN(last, p95_s));
    double errors = stress_errors(last);
    if (errors > c->error_share) {
        stress_decide(r, STRESS_BROKE, "input_fails", errors, c->error_share, "1");
        r->score =
            share_of_way(fmax(largest, SIZE_FIRST), SIZE_FIRST, (double)c->terms->input_bytes);
    } else {
        stress_decide(r, STRESS_HELD, "within_objective", errors, c->error_share, "1");
        r->score = 1;
    }
}

/* ---- rate_limiting ---- */

static bool is_limited(const struct stress_phase *p)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->blocks[i].is_spoiled) continue;
        sum += p->blocks[i].limited_share;
        n++;
    }
    return sum > LIMITED_SHARE * (double)n;
}

static bool limiting_next(const struct stress_case *c, struct stress_ask *ask)
{
    double most = c->terms->factor * c->normal_rate;
    double last = c->count == 0 ? 0 : c->phases[c->count - 1].ask.rate;
    if (c->count > 0 && (last >= most || is_limited(&c->phases[c->count - 1]))) return false;
    *ask = stress_ask_of(c, "level");
    ask->rate = fmin(most, c->count == 0 ? c->normal_rate : 2 * last);
    ask->timeout_s = cut_off_s(c);
    ask->can_be_old = true;
    return true;
}

static void limiting_conclude(const struct stress_case *c, struct arena *out,
                              struct stress_result *r)
{
    (void)out;
    const struct stress_phase *last = &c->phases[c->count - 1];
    if (!is_limited(last)) {
        stress_add_figure(r, "tried_rate", "1/s", last->ask.rate);
        r->outcome = STRESS_NOT_APPLICABLE;
        r->reason = STRESS_NO_LIMIT;
        return;
    }
    double retry_s = NAN, allowed = NAN;
    for (size_t i = 0; i < last->count; i++) {
        const struct stress_block *b = &last->blocks[i];
        if (b->is_spoiled) continue;
        retry_s = fmax(retry_s, b->retry_after_s); /* passes over NaN */
        /* Of the last: what a limit lets through at once is used up. */
        allowed = b->is_answered ? b->rate : 0;
    }
    stress_add_figure(r, "limited_at", "1/s", last->ask.rate);
    stress_add_figure(r, "allowed_rate", "1/s", allowed);
    stress_add_figure(r, "retry_after_s", "s", retry_s);
    if (isnan(retry_s)) {
        stress_decide(r, STRESS_BROKE, "no_retry_after", 0, 1, "1");
        r->score = 0.5;
    } else {
        stress_decide(r, STRESS_HELD, "limits_and_says_when", retry_s, 0, "s");
        r->score = 1;
    }
}

/* ---- failure_recovery ---- */

static bool failure_next(const struct stress_case *c, struct stress_ask *ask)
{
    static const char *const faults[] = {"stop", "kill"};
    if (c->count >= COUNT(faults)) return false;
    *ask = stress_ask_of(c, faults[c->count]);
    ask->rate = c->normal_rate;
    ask->fault = faults[c->count];
    double least_s = fmax(5 * c->block_s, c->terms->fault_s);
    ask->seconds = stress_disturbed_s(least_s, ask->rate, FAULT_AT);
    ask->blocks = c->terms->fault_blocks > 0 ? c->terms->fault_blocks : FAULT_BLOCKS;
    return true;
}

static void failure_conclude(const struct stress_case *c, struct arena *out,
                             struct stress_result *r)
{
    (void)out;
    struct stress_recovered n = {0};
    for (size_t i = 0; i < c->count; i++) {
        const struct stress_phase *p = &c->phases[i];
        stress_count_recovered(p, &n);
        if (strcmp(p->ask.fault, "stop") == 0) {
            stress_add_figure(r, "stop_recovery_s", "s", STRESS_MEDIAN(p, recovery_s));
            continue;
        }
        stress_add_figure(r, "kill_lost_requests", "1", STRESS_MEDIAN(p, lost));
        stress_add_figure(r, "kill_first_success_s", "s", STRESS_MEDIAN(p, first_success_s));
        stress_add_figure(r, "kill_recovery_s", "s", STRESS_MEDIAN(p, recovery_s));
    }
    if (n.all == 0) {
        stress_leave_open(r, STRESS_FEW_BEFORE);
        return;
    }
    bool has_held = n.blocks == n.all;
    stress_decide(r, has_held ? STRESS_HELD : STRESS_BROKE,
                  has_held ? "recovered" : "no_recovery", (double)n.blocks, (double)n.all, "1");
    r->score = (double)n.blocks / (double)n.all;
}

static const struct stress_scenario scenarios[] = {
    {.name = "high_load",
     .summary = "ten times the normal load, step by step, to where it breaks",
     MONITORED(common),
     .takes_spoiled = true,
     .next = high_next,
     .conclude = high_conclude},
    {.name = "sustained_load",
     .summary = "the normal load for a long time: do memory or response times grow?",
     MONITORED(common),
     .next = sustained_next,
     .conclude = sustained_conclude},
    {.name = "spike_load",
     .summary = "ten times the normal load for a moment: how long until all is as before?",
     MONITORED(common),
     .next = stress_spike_next,
     .conclude = stress_spike_conclude},
    {.name = "memory_pressure",
     .summary = "the normal load with less and less memory",
     MONITORED(of_memory),
     .needs = STRESS_NO_PROCESS,
     .next = memory_next,
     .conclude = memory_conclude},
    {.name = "concurrent_requests",
     .summary = "more and more requests in flight: how does the rate scale?",
     MONITORED(common),
     .next = concurrent_next,
     .conclude = concurrent_conclude},
    {.name = "large_inputs",
     .summary = "inputs of twice the size again and again, until one fails",
     MONITORED(of_memory),
     .needs = STRESS_NO_INPUT,
     .next = large_next,
     .conclude = large_conclude},
    {.name = "rate_limiting",
     .summary = "the rate that is allowed, and whether refusals say when to come back",
     MONITORED(of_limits),
     .next = limiting_next,
     .conclude = limiting_conclude},
    {.name = "failure_recovery",
     .summary = "stopped and killed under load: what is lost, and how long until it is back?",
     MONITORED(of_recovery),
     .needs = STRESS_NO_PROCESS,
     .next = failure_next,
     .conclude = failure_conclude},
};
REGISTRY_TABLE(struct stress_scenario, stress_scenario, scenarios)
