/* detail.h - what one trial says besides its numbers: the layout of
 * case_results.detail.
 *
 * Stored as a JSON object, written by detail_write and read by detail_read only:
 *
 *     {"duration_s":0.5,                  of a trial that was not ok, whose samples are NaN
 *      "case":"a",                        what people call the case
 *      "phases":[..], "tool_calls":[..],  of the answer; of a conversation in each of
 *      "turns":[{"output_tokens":9, "phases":[..], "tool_calls":[..]}],
 *      "usage":{"input_tokens":12, ..},   turns together
 *      "gaps":{"n":8,"p50_s":..},         between tokens
 *      "flags":["tokens_counted_by_harness"],
 *      "judged":true,                     whether there was something to judge by
 *      "score":1, "rubric":{..}, "not_judged":"why",     of a conversation in each of
 *      "turn_scores":[{"score":1,"rubric":{..}}],
 *      "judge":{"calls":1,"cost_usd":0.01}}
 *
 * Numbers that are not known are left out, and NaN here. Importers keep objects of
 * other tools in the same column: keys that are not listed above are not read. */
#ifndef MODEL_DETAIL_H
#define MODEL_DETAIL_H

#include "base/value.h"

/* A span that the agent reported. */
struct detail_phase {
    const char *name;
    double start_s; /* since the question */
    double duration_s;
    double cpu_s;
    double memory_mb;
    double io_operations;
};

/* A piece of JSON: as text where it was just made, as a value where it was read. */
struct detail_json {
    struct str text;
    const struct value *value;
};

/* One answer, and what was said about it. */
struct detail_turn {
    double output_tokens; /* of turns only: of a single answer it is in the usage */
    const struct detail_phase *phases;
    size_t phase_count;
    struct detail_json tool_calls;
    int64_t tool_calls_bytes; /* of calls too long to be kept; 0 = they are */
    double score;             /* of turns only */
    struct detail_json rubric;
    const char *not_judged;
};

enum detail_usage {
    DETAIL_INPUT_TOKENS,
    DETAIL_OUTPUT_TOKENS,
    DETAIL_CACHE_READ_TOKENS,
    DETAIL_WASTED_TOKENS,
    DETAIL_API_CALLS,
    DETAIL_RETRIES,
    DETAIL_COST_USD,
    DETAIL_CPU_S,
    DETAIL_MEMORY_PEAK_MB,
    DETAIL_IO_BYTES,
    DETAIL_IO_OPERATIONS,
    DETAIL_USAGE_COUNT
};

enum detail_flag {
    DETAIL_OUTPUT_CUT,      /* stored in part: it cannot be judged again */
    DETAIL_TOKENS_COUNTED,  /* by us: the agent does not say */
    DETAIL_ARRIVED_AT_ONCE, /* a stream that came in one piece */
    DETAIL_SIMULATED,       /* a stand-in answered */
    DETAIL_FLAG_COUNT
};

struct detail {
    double duration_s;
    const char *case_name; /* NULL = unknown */
    bool is_talk;          /* a conversation: `turns` are its own; else there is at most one */
    const struct detail_turn *turns;
    size_t turn_count;
    size_t judged_count; /* of turns, those with a judgement: 0 or turn_count when written */
    bool has_usage;
    double usage[DETAIL_USAGE_COUNT];
    int64_t gap_count;
    double gap_p50_s, gap_p95_s, gap_max_s;
    unsigned flags; /* a bit for each detail_flag */
    bool has_judgement;
    bool is_judged; /* something to judge by; see has_judgement */
    double score;
    int64_t judge_calls;
    double judge_cost_usd;
};

/* Everything unknown. */
void detail_init(struct detail *d);

void detail_write(const struct detail *d, struct buf *out);

/* False if `text` is NULL or not a JSON object. */
MUST_USE bool detail_read(const char *text, struct arena *out, struct detail *d);

/* The case's name alone, without reading the rest (0.1 us instead of 3); NULL if
 * there is none. */
const char *detail_case_name(const char *text, struct arena *out);

/* `text` (NULL: an empty object) with the duration of a trial that was not ok. */
const char *detail_with_duration(struct str text, double duration_s, struct arena *out);

#endif
