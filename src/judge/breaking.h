/* breaking.h - at which load does it break, and how?
 *
 * The search is a function of what was measured: given the levels so far it names the next
 * load to measure, or gives its answer. Whoever asks carries out the blocks; a model of a
 * server and a real one are searched by the same code, and a search that was interrupted
 * goes on from the blocks that are stored.
 *
 *     for (;;) {
 *         breaking_ask(levels, count, &terms, &a);
 *         if (a.step != BREAKING_MEASURE) break;
 *         ... carry out a.next_blocks blocks of a.next_seconds at a.next_load
 *     }
 *
 * What it looks for. The breaking point is the load from which on the server no longer meets
 * the objective. In the mean over blocks
 *
 *     errors    more than 1 % of the requests that were due have no good answer,
 *     p95       the 95th percentile of response times is over the limit (10 times that at
 *               the normal load, unless one is given),
 *     growth    or response times grow all through a block: it does not keep up;
 *     died      or it ended in one.
 *
 * Where queueing delay breaks the objective first, that is a little below the highest
 * throughput: for Poisson arrivals by about 3 V / (capacity x limit) of it, V the mean of the
 * squared variations of gaps and service times. A server whose throughput falls back under
 * load breaks where a burst takes it over its peak in about one block of eight, not at the
 * peak; one that runs out of memory where the most that is in flight in a phase is too much.
 *
 * Growth. Over capacity the response time of a request that is due t after the block's
 * begin is (rho - 1) t, so that growth_s, between the means of the last third and of the
 * first, is (rho - 1) x 2/3 of the block. A block of N requests that begins with an empty
 * queue grows at capacity too, by 0.86 sqrt(V / N) for rho - 1 (a Brownian motion that is
 * reflected at 0); that, for V = 1, is the threshold. Below capacity a queue settles within
 * some 2 V / (1 - rho)^2 requests: 200 at 10 % below, 800 at 5 %. Hence blocks of 1000
 * requests, and of 5 times the p95 at the normal load, so that what is in flight settles.
 *
 * Errors of judgement. A level holds if each of the three is on the good side of its limit
 * by a t test over the blocks, and breaks if one is on the bad side. The blocks are looked at
 * after each 5, to 20 at most, and the level of the test is spent over the looks
 * (stats/sequential.h): each of both errors is at most 5 % a limit, however often one looks.
 * Near a limit the blocks run out; then the side of the mean decides and the answer is marked
 * as near. Blocks that the generator spoiled do not count: what it could not send says
 * nothing about the server. They are measured again; a level is given up when at least 10 of
 * them have taken 15 seconds and no other was measured, or 30 where some were. Nor does a phase
 * count in which the server ended while the generator was late, not even with its other blocks:
 * who ends after so many requests holds in all blocks before.
 *
 * The way.
 *   1. Twice the load again and again, from the normal load until a level breaks; half again
 *      and again where the normal load does not hold.
 *   2. The geometric middle between the highest load that holds and the lowest that breaks,
 *      until they are within 5 %.
 *   3. Twice the breaking point, in blocks of twice as many requests: the way in which it
 *      fails shows when it is flooded.
 *
 * Against models with 20 to 2000 answers a second, 1 to 32 servers and service times from
 * constant to a variation of 1.5, the point is within 10 % of what queueing
 * theory says and the mode right in 93 to 99 of 100 (tests/judge/breaking_test.c). The law
 * of stats/usl.h is for closed load, whose number in flight is set; a level that is
 * overloaded has no steady one, and says nothing about it. */
#ifndef JUDGE_BREAKING_H
#define JUDGE_BREAKING_H

#include "base/invariant.h"

struct breaking_block {
    double seconds;       /* its length */
    double scheduled;     /* requests that were due in it */
    double rate;          /* good answers per second, within its time */
    double p50_s, p95_s;  /* response times, time-outs included; NaN: there are none */
    double growth_s;      /* mean response of its last third less that of its first, or NaN */
    double error_share;   /* of scheduled: without a good answer */
    double refused_share; /* of scheduled: failed, neither late nor never sent */
    double memory_mb;     /* of the agent, at its highest; NaN: not known */
    bool is_spoiled;      /* the generator's verdict was not ok */
    bool has_died;        /* the agent ended in it */
};

struct breaking_level {
    double load; /* requests per second */
    const struct breaking_block *blocks;
    size_t count;
};

struct breaking_terms {
    double normal;          /* the load to begin with */
    double max;             /* loads beyond are not tried */
    double p95_s;           /* the objective; 0: 10 times the p95 at the normal load */
    double error_share;     /* at most; 0: none may fail */
    double precision;       /* of the point; 0: 1.05 */
    double seconds_min;     /* of a block; 0: 1 */
    double seconds_max;     /* 0: 10; no longer than the limit of a request */
    size_t blocks_max;      /* of a level; 0: BREAKING_BLOCKS_MAX, which is the most */
    double memory_limit_mb; /* of the agent; 0 or NaN: none known */
};

enum breaking_mode {
    BREAKING_NONE,             /* it holds up to the highest load tried */
    BREAKING_QUEUE_GROWTH,     /* requests come faster than they are answered */
    BREAKING_ERROR_CLIFF,      /* it refuses what is too much */
    BREAKING_THROUGHPUT_FALLS, /* more load, fewer answers */
    BREAKING_MEMORY,           /* out of memory */
    BREAKING_SLOW_RECOVERY,    /* when the load has gone it takes longer than its queue does */
    BREAKING_SLOW_ANSWERS,     /* it keeps up, later than the objective allows */
    BREAKING_MODES,
};
const char *breaking_mode_name(enum breaking_mode m);

enum breaking_step {
    BREAKING_MEASURE, /* `next_blocks` blocks of `next_seconds` at `next_load` */
    BREAKING_DONE,
    BREAKING_SPOILED, /* the generator spoils all at `next_load`; it holds up to `holds` */
};

/* A rule with what it looked at: the value is beyond the threshold. */
struct breaking_evidence {
    const char *rule;
    double value;
    double threshold;
};

struct breaking_answer {
    enum breaking_step step;
    double next_load;
    double next_seconds;
    size_t next_blocks;

    bool has_broken;
    bool is_near;        /* a level was so near the limit that the blocks did not tell */
    double holds;        /* the highest load that holds, at most `highest_rate` where a higher
                          * one breaks; 0: none that was tried */
    double breaks;       /* the lowest that breaks; infinite: none */
    double point;        /* the geometric middle of both, at most `highest_rate` unless it
                          * died; NaN: it did not break */
    double safe;         /* 80 % of `holds`: p95 of a queue is far from its limit there */
    double headroom;     /* holds / normal - 1 */
    double knee;         /* load with the highest rate per median response (Kleinrock 1979):
                          * from there on waiting grows faster than work done */
    double highest_rate; /* good answers per second */
    double recovery_s;   /* after a flood, until all is as before; infinite: not in the time
                          * that was left; NaN: not known */
    double precision;    /* breaks / holds that was sought */
    double objective_s;  /* the p95 that was demanded */
    struct breaking_evidence limit; /* "errors", "p95", "growth", "died": at `breaks` */
    enum breaking_mode mode;
    struct breaking_evidence why; /* of the mode */
};

enum { BREAKING_BLOCKS = 5, BREAKING_BLOCKS_MAX = 20, BREAKING_LEVELS_MAX = 64 };

/* What the levels say: the next step, or the answer. Levels in any order; several of one
 * load are one level, and each of them a phase, which the server was started for. */
void breaking_ask(const struct breaking_level *levels, size_t count,
                  const struct breaking_terms *terms, struct breaking_answer *answer);

/* What a flood of `load` for `flood_s` has left behind, at a load of `rest` before and after. */
struct breaking_recovery {
    double rest, load;
    double flood_s;
    double recovery_s; /* infinite: not within `left_s` */
    double left_s;     /* after the flood */
    double grain_s;    /* how finely recoveries are known */
};

/* Into an answer of a search that is done. The queue of a flood, (load - highest rate) x
 * flood_s, is worked off at highest rate - rest a second. Where growth is all that is known of
 * the mode and it takes more than twice as long as that, and more than three grains longer,
 * the way back is what fails. */
void breaking_note_recovery(struct breaking_answer *answer, const struct breaking_recovery *r);

#endif
