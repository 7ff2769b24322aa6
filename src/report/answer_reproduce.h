/* answer_reproduce.h - what gives a run again. */
#ifndef REPORT_ANSWER_REPRODUCE_H
#define REPORT_ANSWER_REPRODUCE_H

#include "view/view.h"

struct answer_reproduce {
    const struct view *view;
    bool is_changed; /* the spec's file is not here, or says something else by now */
};

#endif
