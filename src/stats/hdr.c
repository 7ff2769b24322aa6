#include "stats/hdr.h"

#include <inttypes.h>
#include <math.h>

enum { DIGITS_MAX = 5 };

static int log2_floor(int64_t value)
{
    return 63 - __builtin_clzll((unsigned long long)value);
}

bool hdr_init(struct hdr *h, int64_t lowest, int64_t highest, int digits, struct arena *out,
              struct error *err)
{
    if (digits < 1 || digits > DIGITS_MAX)
        return error_set(err, ERROR_INVALID,
                         "a histogram has 1 to %d significant digits, not %d", DIGITS_MAX,
                         digits);
    if (lowest < 1 || highest / 2 < lowest)
        return error_set(err, ERROR_INVALID,
                         "the range of a histogram starts at 1 or more and ends at twice that "
                         "or more, not from %" PRId64 " to %" PRId64,
                         lowest, highest);
    int64_t units = 2;
    for (int i = 0; i < digits; i++) units *= 10;
    int magnitude = log2_floor(units - 1) + 1;
    *h = (struct hdr){.lowest = lowest, .highest = highest, .digits = digits};
    h->unit_magnitude = log2_floor(lowest);
    h->half_magnitude = magnitude - 1;
    if (h->unit_magnitude + magnitude > 61)
        return error_set(err, ERROR_INVALID,
                         "values from %" PRId64 " cannot have %d digits in 64 bits", lowest,
                         digits);
    h->bucket_mask = (((int64_t)1 << magnitude) - 1) << h->unit_magnitude;
    size_t buckets = 1;
    int64_t beyond = (int64_t)1 << (magnitude + h->unit_magnitude);
    while (beyond <= highest) {
        buckets++;
        if (beyond > INT64_MAX / 2) break;
        beyond *= 2;
    }
    h->counts_len = (buckets + 1) << h->half_magnitude;
    h->counts = arena_new(out, int64_t, h->counts_len);
    return true;
}

/* The first bucket's mask keeps small values in bucket 0. */
static int bucket_of(const struct hdr *h, int64_t value)
{
    return log2_floor(value | h->bucket_mask) - h->unit_magnitude - h->half_magnitude;
}

static size_t index_of(const struct hdr *h, int64_t value)
{
    int bucket = bucket_of(h, value);
    size_t unit = (size_t)(value >> (bucket + h->unit_magnitude));
    size_t half = (size_t)1 << h->half_magnitude;
    return ((size_t)(bucket + 1) << h->half_magnitude) + unit - half;
}

int64_t hdr_value_at(const struct hdr *h, size_t index, int64_t *range)
{
    int bucket = (int)(index >> h->half_magnitude) - 1;
    int64_t half = (int64_t)1 << h->half_magnitude;
    int64_t unit = ((int64_t)index & (half - 1)) + half;
    if (bucket < 0) {
        unit -= half;
        bucket = 0;
    }
    *range = (int64_t)1 << (bucket + h->unit_magnitude);
    return unit * *range;
}

void hdr_reset(struct hdr *h)
{
    memset(h->counts, 0, h->counts_len * sizeof *h->counts);
    h->total = h->min = h->max = 0;
}

bool hdr_record(struct hdr *h, int64_t value, int64_t count)
{
    if (value < 0 || count < 0) return false;
    size_t index = index_of(h, value);
    if (index >= h->counts_len || count > INT64_MAX - h->total) return false;
    if (count == 0) return true;
    if (h->total == 0 || value < h->min) h->min = value;
    if (value > h->max) h->max = value;
    h->counts[index] += count;
    h->total += count;
    return true;
}

int64_t hdr_highest_equivalent(const struct hdr *h, int64_t value)
{
    int64_t range;
    int64_t low = hdr_value_at(h, index_of(h, value), &range);
    return low + (range - 1);
}

int64_t hdr_percentile(const struct hdr *h, double percent)
{
    if (h->total == 0) return 0;
    double rank = floor(fmin(fmax(percent, 0), 100) / 100 * (double)h->total + 0.5);
    int64_t wanted = rank < 1 ? 1 : rank >= (double)h->total ? h->total : (int64_t)rank;
    int64_t seen = 0;
    for (size_t i = 0; i < h->counts_len; i++) {
        seen += h->counts[i];
        if (seen >= wanted) {
            int64_t range;
            int64_t low = hdr_value_at(h, i, &range);
            return low + (range - 1);
        }
    }
    return h->max;
}

double hdr_mean(const struct hdr *h)
{
    double sum = 0;
    for (size_t i = 0; i < h->counts_len; i++) {
        if (h->counts[i] == 0) continue;
        int64_t range;
        int64_t low = hdr_value_at(h, i, &range);
        sum += (double)h->counts[i] * ((double)low + (double)(range >> 1));
    }
    if (h->total == 0) return NAN;
    return sum / (double)h->total;
}

bool hdr_merge(struct hdr *h, const struct hdr *other, struct error *err)
{
    if (h->lowest != other->lowest || h->digits != other->digits)
        return error_set(err, ERROR_INVALID,
                         "histograms from %" PRId64 " with %d digits and from %" PRId64
                         " with %d digits cannot be merged",
                         h->lowest, h->digits, other->lowest, other->digits);
    if (other->total == 0) return true;
    if (index_of(h, other->max) >= h->counts_len)
        return error_set(err, ERROR_INVALID,
                         "a histogram up to %" PRId64 " cannot hold %" PRId64, h->highest,
                         other->max);
    if (other->total > INT64_MAX - h->total)
        return error_set(err, ERROR_INVALID, "the merged histogram's total does not fit");
    size_t last = index_of(h, other->max);
    for (size_t i = 0; i <= last; i++) h->counts[i] += other->counts[i];
    if (h->total == 0 || other->min < h->min) h->min = other->min;
    if (other->max > h->max) h->max = other->max;
    h->total += other->total;
    return true;
}

/* Counts of `other` at the middles of its buckets: for histograms of different precision, which
 * cannot be added bucket by bucket. */
static bool add_by_value(struct hdr *h, const struct hdr *other)
{
    for (size_t i = 0; i < other->counts_len; i++) {
        int64_t range = 0;
        if (other->counts[i] == 0) continue;
        int64_t low = hdr_value_at(other, i, &range);
        if (!hdr_record(h, low + range / 2, other->counts[i])) return false;
    }
    return true;
}

bool hdr_gather(struct hdr *h, const struct hdr *other, struct arena *out, bool *is_exact,
                struct error *err)
{
    if (!h->counts || h->highest < other->highest) {
        struct hdr larger;
        const struct hdr *like = h->counts ? h : other;
        if (!hdr_init(&larger, like->lowest, other->highest, like->digits, out, err) ||
            (h->counts && !hdr_merge(&larger, h, err))) {
            return false;
        }
        *h = larger;
    }
    if (hdr_merge(h, other, NULL)) return true;
    *is_exact = false;
    return add_by_value(h, other) ||
           error_set(err, ERROR_INVALID, "the histograms cannot be merged");
}
