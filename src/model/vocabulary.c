#include "model/vocabulary.h"

#include <stddef.h>

const char *const vocabulary_scores[] = {"accuracy",    "speed",   "efficiency", "cost",
                                         "reliability", "overall", "all",        NULL};

const char *const vocabulary_categories[] = {"overall",       "speed",       "accuracy",
                                             "cost",          "reliability", "scalability",
                                             "comprehensive", NULL};
