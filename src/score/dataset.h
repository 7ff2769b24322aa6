/* dataset.h - the cases of a benchmark, from a file or from the spec.
 *
 * JSON lines (one object a line) or CSV (RFC 4180, a header row), read as a
 * stream: a line or record is at most 16 MiB, a file may be larger than memory
 * when `size` draws from it. Keys of a case:
 *
 *     input        text, or anything that JSON can say (given to agents as JSON)
 *     turns        a conversation instead: [{input, expected}, ...]
 *     expected     the answer; a list = any of these is accepted
 *                  (expected_output and expected_outputs are the same)
 *     id           unique; without it the position, from 1
 *     rubric       instead of the benchmark's (scoring_rubric is the same)
 *     tags         list of text; in CSV separated by ;
 *     complexity   low, medium, high, extreme
 *     other keys   are kept: {{key}} in prompts and bodies
 *
 * In CSV a cell of expected, turns or rubric that begins with [ or { is read as
 * JSON, every other cell is text; an empty cell is absent. */
#ifndef SCORE_DATASET_H
#define SCORE_DATASET_H

#include "score/rubric.h"

enum { DATASET_LINE_MAX = 16 << 20, DATASET_CASES_MAX = 1000000 };

struct case_turn {
    struct str input; /* text, or JSON text where is_json */
    bool is_json;
    const struct value *expected; /* NULL = any answer will do; not judged */
    const struct value *fields;   /* the turn as written */
};

struct case_item {
    const char *id;
    const char *hash; /* SHA-256 of the canonical JSON of input or turns, expected, rubric */
    struct str input; /* empty where there are turns */
    bool is_json;
    const struct value *expected;  /* own, else the benchmark's; NULL = none */
    const struct value *rubric;    /* as written in effect; NULL = default rubric */
    ptrdiff_t rubric_index;        /* into case_set.rubrics; -1 = the benchmark's */
    const char *const *tags;       /* NULL-terminated */
    const char *complexity;        /* NULL = that of the benchmark */
    const struct case_turn *turns; /* of a conversation */
    size_t turn_count;             /* 0 = not a conversation */
    const struct value *fields;    /* the whole case as a map */
    size_t position;               /* in the source, from 0 */
    uint32_t line;                 /* where it begins; 0 = made by the program */
};

struct case_set {
    struct case_item *items; /* in the order of the source */
    size_t count;
    const struct rubric *const *rubrics; /* the different overrides, each once */
    size_t rubric_count;
    const char *hash; /* of all cases, in order */
    const char *note; /* NULL, or what the reader of a result should know */
};

struct dataset_options {
    size_t size;                  /* that many, drawn without replacement; 0 = all */
    uint64_t seed;                /* of the draw: the same cases for every agent */
    const struct value *expected; /* the benchmark's expected_outputs; may be NULL */
    const struct value *rubric;   /* the benchmark's; may be NULL */
};

/* Which cases are drawn depends on the seed and each case's input, not on its
 * neighbours or its rubric: adding cases changes few of those drawn before.
 * The name gives the format: .jsonl, .ndjson, .csv. Problems name the file and
 * the line. True if there was none. */
MUST_USE bool dataset_read_file(const char *path, const struct dataset_options *options,
                                struct arena *out, struct case_set *set,
                                struct problems *problems);

enum dataset_format { DATASET_JSONL, DATASET_CSV };

/* The same for bytes in memory; they must outlive the set. */
MUST_USE bool dataset_read_bytes(struct str bytes, enum dataset_format format,
                                 const struct dataset_options *options, struct arena *out,
                                 struct case_set *set, struct problems *problems);

/* The list under `cases:` of a spec. */
MUST_USE bool dataset_read_list(const struct value *list, const struct dataset_options *options,
                                struct arena *out, struct case_set *set,
                                struct problems *problems);

#endif
