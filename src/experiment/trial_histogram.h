/* trial_histogram.h - histograms on their way from a trial to its row in the store.
 *
 * A trial that sees more values than anybody would keep one by one (the latencies of a step
 * of load) counts them in an HDR histogram and hands that up besides its numbers. The row of
 * the experiment declares what it counts (`histograms`); the text of a trial is a line
 * "name HISTFAAA..." for each. It travels in the trial's own record and is stored in the
 * trial's own transaction: a histogram is there exactly if its trial is. */
#ifndef EXPERIMENT_TRIAL_HISTOGRAM_H
#define EXPERIMENT_TRIAL_HISTOGRAM_H

#include "experiment/experiment.h"
#include "model/record.h"
#include "stats/hdr.h"

/* In `conclude`: hands up the counts of one of the experiment's `histograms`, twice at most
 * the last. One too large for the record is dropped, and the result says so. */
void trial_put_histogram(struct trial *t, const struct metric *what, const struct hdr *h);

/* The next one of such a text, and what it counts; NULL at its end. What is not a histogram
 * of the experiment, or cannot be decoded, is passed over: *damaged then. Trial and phase are
 * the caller's. */
const struct metric *trial_next_histogram(struct str *text, const struct experiment *e,
                                          struct arena *out, struct histogram_record *h,
                                          bool *damaged);

#endif
