/* dataset_internal.h - what the files of the loader share.
 *
 * A source gives one case after the other as a mapping, wherever from. Lines are read from
 * a descriptor or from memory; a CSV record is one or more lines. */
#ifndef SCORE_DATASET_INTERNAL_H
#define SCORE_DATASET_INTERNAL_H

#include "base/buf.h"
#include "base/problems.h"
#include "score/dataset.h"

enum source_step {
    SOURCE_CASE,
    SOURCE_WRONG, /* noted as a problem; the next one may be right */
    SOURCE_END,
};

struct source {
    const struct value *list; /* of a spec; else lines */
    size_t next_item;
    enum dataset_format format;
    int fd; /* -1 = all is in `bytes` */
    struct str bytes;
    struct buf read; /* from fd: read, not yet given out from `taken` on */
    size_t taken;
    bool is_at_end;
    uint32_t line;     /* number of the line given out last */
    struct buf record; /* a CSV record of several lines */
    struct str *header;
    size_t columns;
};

/* Format and bytes, descriptor or list are set by the caller, the rest is 0. */
void source_begin(struct source *s);
void source_release(struct source *s);

/* To the beginning; reads the header of a CSV file into `out`. */
MUST_USE bool source_start(struct source *s, struct arena *out, struct problems *problems);

/* The next case into `out`; *line is where it begins. */
enum source_step source_next(struct source *s, struct arena *out, const struct value **fields,
                             uint32_t *line, struct problems *problems);

struct case_reader {
    const struct dataset_options *options;
    struct arena *out;
    struct problems *problems;
};

MUST_USE bool case_read(const struct case_reader *r, const struct value *fields, uint32_t line,
                        size_t position, struct case_item *item);

/* What is asked: the input or the turns; NULL with a problem if both or none. */
const struct value *case_asked(const struct case_reader *r, const struct value *fields,
                               uint32_t line);

const struct value *case_own_rubric(const struct value *fields); /* NULL = none */

#endif
