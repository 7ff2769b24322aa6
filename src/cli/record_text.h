/* record_text.h - what `record stats`, `compare` and `report` print. */
#ifndef CLI_RECORD_TEXT_H
#define CLI_RECORD_TEXT_H

#include "cli/command.h"
#include "history/recorded.h"

int record_print_stats(const struct context *c, const struct recorded_list *list,
                       const struct recorded_filter *filter);

/* All three metrics, or the one named. */
int record_print_comparison(const struct context *c, const struct recorded_list *list,
                            const char *version_a, const char *version_b, const char *metric);

/* Each version, each against the one before it, and week over week; `versions`
 * NULL-terminated, empty = all there are. */
int record_print_report(const struct context *c, const struct recorded_list *list,
                        const char *const *versions);

#endif
