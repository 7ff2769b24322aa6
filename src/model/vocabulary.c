#include "model/vocabulary.h"

#include <stddef.h>

const char *const vocabulary_scores[] = {"accuracy",    "speed",   "efficiency", "cost",
                                         "reliability", "overall", "all",        NULL};

const char *const vocabulary_categories[] = {"overall",       "speed",       "accuracy",
                                             "cost",          "reliability", "scalability",
                                             "comprehensive", NULL};

const char *const vocabulary_scenarios[] = {"high_load",
                                            "sustained_load",
                                            "spike_load",
                                            "memory_pressure",
                                            "concurrent_requests",
                                            "large_inputs",
                                            "rate_limiting",
                                            "failure_recovery",
                                            "all",
                                            NULL};
