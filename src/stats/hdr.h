/* hdr.h - counts of values over many orders of magnitude, at a fixed relative
 * precision: Gil Tene's HdrHistogram, bucket for bucket.
 *
 * Values from `lowest` to `highest` are distinguished to `digits` significant
 * digits. Recording is a few shifts and an increment and never allocates.
 * Histograms of workers and machines merge without loss, since merging adds
 * counts; percentiles never average percentiles.
 *
 * Layout: bucket b holds values whose unit is 2^b times the smallest. A bucket
 * has `half` * 2 units, of which the lower half is covered by the buckets
 * before it, so that only the first bucket stores both halves.
 *
 * Not safe to share between threads: one per worker, merged afterwards. */
#ifndef STATS_HDR_H
#define STATS_HDR_H

#include "base/buf.h"
#include "base/error.h"

struct hdr {
    int64_t lowest;
    int64_t highest;
    int digits;
    int unit_magnitude;  /* log2 of the unit of the first bucket */
    int half_magnitude;  /* log2 of half the units in a bucket */
    int64_t bucket_mask; /* the values of the first bucket */
    size_t counts_len;
    int64_t *counts;
    int64_t total;
    int64_t min; /* as recorded; 0 when empty */
    int64_t max;
};

/* 1 <= lowest, 2 * lowest <= highest, 1 <= digits <= 5. Takes 8 bytes a count:
 * 184 KiB for an hour in microseconds at 3 digits. */
MUST_USE bool hdr_init(struct hdr *h, int64_t lowest, int64_t highest, int digits,
                       struct arena *out, struct error *err);

/* Empty again. */
void hdr_reset(struct hdr *h);

/* False (and nothing recorded) for a value below 0 or beyond the last bucket,
 * or if the total would not fit: count those apart, never drop them silently. */
MUST_USE bool hdr_record(struct hdr *h, int64_t value, int64_t count);

/* The highest value in the same bucket as the value at that rank; the
 * rank is max(1, floor(p / 100 * total + 0.5)). 0 when empty. */
int64_t hdr_percentile(const struct hdr *h, double percent);

/* Of the middles of the buckets; NaN when empty. */
double hdr_mean(const struct hdr *h);

/* Highest value in the bucket of `value`. */
int64_t hdr_highest_equivalent(const struct hdr *h, int64_t value);

/* The lowest value that counts[index] counts, and how many it does. */
int64_t hdr_value_at(const struct hdr *h, size_t index, int64_t *range);

/* Exact. Both must have the same lowest and digits, and `h` must have room for
 * the largest value of `other`. */
MUST_USE bool hdr_merge(struct hdr *h, const struct hdr *other, struct error *err);

/* Adds any other. An empty struct begins as a copy; `h` grows in `out` where it must, and
 * counts of another precision are added at the middles of their buckets: *is_exact becomes
 * false. */
MUST_USE bool hdr_gather(struct hdr *h, const struct hdr *other, struct arena *out,
                         bool *is_exact, struct error *err);

/* The V2 format that all HdrHistogram libraries read and write: zig-zag LEB128
 * counts after a header, compressed by zlib, in base64 ("HISTFAAA..."). V0 and V1, which older
 * ones wrote, are read too. */
void hdr_encode(const struct hdr *h, struct buf *out);
MUST_USE bool hdr_decode(struct hdr *h, struct str text, struct arena *out, struct error *err);

#endif
