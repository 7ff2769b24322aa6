/* answer_outcome.h - what one run shows, on one screen. */
#ifndef REPORT_ANSWER_OUTCOME_H
#define REPORT_ANSWER_OUTCOME_H

#include "base/buf.h"
#include "rank/outcome.h"

struct answer_look;

struct answer_outcome {
    struct outcome outcome;
    const char *run; /* how the next commands name it: "latest", or its id */
    bool is_end;     /* of the run itself: say what to do next */
};

/* The screen: bars with intervals and tie brackets where the terminal shows them, else a line
 * for each agent. Its colours are escape sequences; all else in it is plain. */
void outcome_text(const void *answer, const struct answer_look *look, struct buf *out);

#endif
