#include "src/stats/hdr.c"

#include "base/base64.h"
#include "base/rng.h"
#include "tests/test.h"

#include <zlib.h>

static struct hdr hour_of_us(struct arena *a)
{
    struct hdr h;
    struct error err = {0};
    if (!hdr_init(&h, 1, 3600000000, 3, a, &err)) fail_msg("%s", err.text);
    return h;
}

static int64_t lowest(const struct hdr *h, int64_t value)
{
    int64_t range;
    return hdr_value_at(h, index_of(h, value), &range);
}

TEST(layout_is_the_published_one)
{
    struct arena a = arena_open();
    struct hdr h = hour_of_us(&a);
    assert_int_equal(h.counts_len, 23552);
    struct error err = {0};
    assert_true(hdr_init(&h, 1, 3600000000, 2, &a, &err));
    assert_int_equal(h.counts_len, 3328);
    arena_close(&a);
}

TEST(values_keep_their_digits)
{
    struct arena a = arena_open();
    struct hdr h = hour_of_us(&a);
    struct rng r = rng_seeded(1);
    for (int i = 0; i < 2000; i++) {
        int64_t v = (int64_t)(3.6e9 * pow(rng_real(&r), 8));
        int64_t low = lowest(&h, v);
        int64_t high = hdr_highest_equivalent(&h, v);
        assert_true(low <= v && v <= high);
        assert_true((double)(high - low) <= 1e-3 * (double)v);
        assert_true(low == 0 || hdr_highest_equivalent(&h, low - 1) == low - 1);
    }
    arena_close(&a);
}

/* Ten thousand requests of 1 ms and one stall of 100 s. */
TEST(percentiles_have_the_rank_that_is_asked_for)
{
    struct arena a = arena_open();
    struct hdr h = hour_of_us(&a);
    assert_true(hdr_record(&h, 1000, 10000));
    assert_true(hdr_record(&h, 100000000, 1));
    assert_int_equal(h.total, 10001);
    assert_int_equal(hdr_percentile(&h, 30), 1000);
    assert_int_equal(hdr_percentile(&h, 99), 1000);
    assert_int_equal(hdr_percentile(&h, 99.99), 1000);
    assert_close((double)hdr_percentile(&h, 99.999), 1e8, 1e-3);
    assert_int_equal(h.max, 100000000);
    arena_close(&a);
}

TEST(what_does_not_fit_is_refused)
{
    struct arena a = arena_open();
    struct error err = {0};
    struct hdr h = hour_of_us(&a);
    assert_false(hdr_record(&h, -1, 1));
    assert_false(hdr_record(&h, INT64_MAX, 1));
    assert_true(hdr_record(&h, 5, INT64_MAX));
    assert_false(hdr_record(&h, 5, 1));
    assert_int_equal(hdr_percentile(&h, 50), 5);
    static const struct {
        int64_t lowest, highest;
        int digits;
    } bad[] = {{0, 10, 3},
               {1, 1, 3},
               {1, 10, 0},
               {1, 10, 6},
               {-4, 10, 2},
               {1, -1, 2},
               {(int64_t)1 << 60, INT64_MAX, 3}};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(hdr_init(&h, bad[i].lowest, bad[i].highest, bad[i].digits, &a, &err));
    assert_true(hdr_init(&h, 1, INT64_MAX, 2, &a, &err));
    assert_true(hdr_record(&h, INT64_MAX, 1));
    assert_true(hdr_percentile(&h, 100) == INT64_MAX);
    arena_close(&a);
}

TEST(an_empty_one_knows_nothing)
{
    struct arena a = arena_open();
    struct hdr h = hour_of_us(&a);
    assert_int_equal(hdr_percentile(&h, 99), 0);
    assert_true(isnan(hdr_mean(&h)));
    arena_close(&a);
}

static void fill(struct hdr *h, uint64_t seed, int n, double top)
{
    struct rng r = rng_seeded(seed);
    for (int i = 0; i < n; i++) assert_true(hdr_record(h, (int64_t)(top * rng_real(&r)), 1));
}

TEST(merging_parts_is_recording_all)
{
    struct arena a = arena_open();
    struct error err = {0};
    struct hdr all = hour_of_us(&a);
    struct hdr merged = hour_of_us(&a);
    struct hdr part;
    assert_true(hdr_init(&part, 1, 100000, 3, &a, &err)); /* smaller: still exact */
    fill(&all, 1, 500, 90000);
    fill(&all, 2, 700, 3e9);
    fill(&part, 1, 500, 90000);
    fill(&merged, 2, 700, 3e9);
    assert_true(hdr_merge(&merged, &part, &err));
    assert_int_equal(merged.total, 1200);
    assert_true(merged.min == all.min && merged.max == all.max);
    assert_memory_equal(merged.counts, all.counts, all.counts_len * sizeof *all.counts);

    assert_false(hdr_merge(&part, &merged, &err)); /* no room */
    assert_non_null(strstr(err.text, "cannot hold"));
    struct hdr other;
    assert_true(hdr_init(&other, 1, 100000, 2, &a, &err));
    assert_false(hdr_merge(&merged, &other, &err));
    arena_close(&a);
}

static void expect_round_trip(const struct hdr *h, struct arena *a)
{
    struct buf text;
    struct error err = {0};
    struct hdr back;
    buf_init(&text, 1 << 20);
    hdr_encode(h, &text);
    assert_false(text.overflow);
    if (!hdr_decode(&back, buf_str(&text), a, &err)) fail_msg("%s", err.text);
    assert_true(back.lowest == h->lowest && back.highest == h->highest);
    assert_int_equal(back.digits, h->digits);
    assert_true(back.total == h->total);
    assert_int_equal(back.counts_len, h->counts_len);
    assert_memory_equal(back.counts, h->counts, h->counts_len * sizeof *h->counts);
    if (h->total > 0) {
        assert_true(back.min == lowest(h, h->min));
        assert_true(back.max == hdr_highest_equivalent(h, h->max));
    }
    buf_release(&text);
}

TEST(encoding_round_trips)
{
    struct arena a = arena_open();
    struct error err = {0};
    struct hdr h = hour_of_us(&a);
    expect_round_trip(&h, &a);
    assert_true(hdr_record(&h, 0, 1));
    expect_round_trip(&h, &a);
    fill(&h, 3, 1000, 3.6e9);
    assert_true(hdr_record(&h, 77, (int64_t)1 << 61)); /* nine bytes */
    expect_round_trip(&h, &a);
    assert_true(hdr_init(&h, 1000, INT64_MAX, 1, &a, &err));
    assert_true(hdr_record(&h, INT64_MAX, 3));
    expect_round_trip(&h, &a);
    arena_close(&a);
}

/* Written by the Java, Go and JavaScript libraries. */
TEST(foreign_histograms_are_read)
{
    struct arena a = arena_open();
    struct error err = {0};
    struct hdr h;
    if (!hdr_decode(&h, S("HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AMIKZAEARAtM="), &a, &err))
        fail_msg("%s", err.text);
    assert_int_equal(h.total, 1);
    assert_close(hdr_mean(&h), 42, 0);
    assert_true(hdr_decode(
        &h, S("HISTFAAAACh4nJNpmSzMwMDAwQABTFCaEURcm7yEwf4DROArF1M1230WJgCDWQb1"), &a, &err));
    assert_int_equal(h.highest, 3600000000);
    assert_int_equal(h.digits, 2);
    assert_int_equal(h.counts_len, 3328);
    assert_int_equal(h.max, 22015);

    /* From a log whose line says Interval_Max 2.769 ms, in nanoseconds. */
    assert_true(hdr_decode(&h,
                           S("HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4u"
                             "ASkhIR4nrxg9v2lMaxhvMekILGZkKmcCAEf2CsI="),
                           &a, &err));
    assert_close((double)h.max, 2.769e6, 1e-3);
    assert_true(hdr_decode(&h, S("HISTFAAAABl4nJNpmSzMgADMUFoEyn1h/wHCAgBDogN4"), &a, &err));
    assert_int_equal(h.total, 0);
    arena_close(&a);
}

static void put(unsigned char *p, uint64_t value, size_t bytes)
{
    for (size_t i = bytes; i > 0; i--, value >>= 8) p[i - 1] = (unsigned char)value;
}

/* As the libraries before V2 wrote it; `length` as the header claims, of V1. */
static struct str old_text(const struct hdr *h, int version, size_t word, size_t claimed,
                           struct arena *out)
{
    unsigned char plain[4096] = {0}, packed[4096];
    size_t used = h->counts_len, header = version == 0 ? 32 : 40;
    while (used > 1 && h->counts[used - 1] == 0) used--;
    uint64_t numbers[] = {(uint64_t)h->lowest, (uint64_t)h->highest, (uint64_t)h->total};
    uint32_t cookie = (version == 0 ? 0x1c849308U : 0x1c849301U) + (uint32_t)(word << 4);
    uint32_t outer = (version == 0 ? 0x1c849309U : 0x1c849302U) + (uint32_t)(word << 4);
    size_t at = version == 0 ? 4 : 12;
    put(plain, cookie, 4);
    if (version == 1) put(plain + 4, claimed ? claimed : used * word, 4);
    put(plain + at, (uint64_t)h->digits, 4);
    for (size_t i = 0; i < (version == 0 ? 3 : 2); i++)
        put(plain + at + 4 + 8 * i, numbers[i], 8);
    for (size_t i = 0; i < used; i++)
        put(plain + header + i * word, (uint64_t)h->counts[i], word);
    uLongf n = sizeof packed - 8;
    assert_int_equal(compress(packed + 8, &n, plain, (uLong)(header + used * word)), Z_OK);
    put(packed, outer, 4);
    put(packed + 4, n, 4);
    struct buf text;
    buf_init(&text, 1 << 16);
    base64_add(&text, packed, n + 8);
    struct str copy = str_copy(out, buf_str(&text));
    buf_release(&text);
    return copy;
}

TEST(older_encodings_are_read)
{
    static const size_t words[] = {2, 4, 8};
    struct arena a = arena_open();
    struct error err = {0};
    struct hdr h, back;
    assert_true(hdr_init(&h, 1, 10000, 2, &a, &err));
    const int64_t values[] = {1, 7, 7, 120, 999};
    for (size_t i = 0; i < COUNT(values); i++) assert_true(hdr_record(&h, values[i], 100));
    for (int version = 0; version < 2; version++) {
        for (size_t w = 0; w < COUNT(words); w++) {
            struct str text = old_text(&h, version, words[w], 0, &a);
            if (!hdr_decode(&back, text, &a, &err)) fail_msg("%s", err.text);
            assert_int_equal(back.total, 500);
            assert_int_equal(back.lowest, 1);
            assert_int_equal(back.highest, 10000);
            assert_int_equal(back.counts_len, h.counts_len);
            assert_memory_equal(back.counts, h.counts, h.counts_len * sizeof *h.counts);
            assert_int_equal(hdr_percentile(&back, 40), hdr_percentile(&h, 40));
            for (size_t n = 0; n < text.n; n += 4)
                assert_false(hdr_decode(&back, (struct str){text.p, n}, &a, &err));
        }
    }
    /* One that a V1 library wrote, of 2-byte words. */
    assert_true(
        hdr_decode(&back,
                   S("HISTIgAAAFd42pNpmazIwMAYxgABTBDKT4GBgdnNYMcCBvsPUBkeBkYGZqA8MwMb"
                     "AzsDC5DFBCTZgJCDQY1BjkGLQZRBlUEPCB8zWDCYMxgDZZkZhgJgHDibAY8JB/A="),
                   &a, &err));
    assert_int_equal(back.total, 724);
    assert_int_equal(back.lowest, 20000);
    assert_int_equal(back.digits, 2);
    /* More counts than are there; words of 3 bytes; counts beyond the highest value. */
    assert_false(hdr_decode(&back, old_text(&h, 1, 8, 100000, &a), &a, &err));
    assert_false(hdr_decode(&back, old_text(&h, 1, 3, 0, &a), &a, &err));
    assert_non_null(strstr(err.text, "no known encoding"));
    h.highest = 100;
    for (int version = 0; version < 2; version++) {
        assert_false(hdr_decode(&back, old_text(&h, version, 4, 0, &a), &a, &err));
        assert_non_null(strstr(err.text, "beyond its highest value"));
    }
    arena_close(&a);
}

TEST(damaged_text_is_refused)
{
    struct arena a = arena_open();
    struct error err = {0};
    struct hdr h = hour_of_us(&a);
    fill(&h, 9, 50, 1e6);
    struct buf text;
    buf_init(&text, 1 << 20);
    hdr_encode(&h, &text);
    struct str whole = buf_str(&text);
    for (size_t n = 0; n < whole.n; n += 4)
        assert_false(hdr_decode(&h, (struct str){whole.p, n}, &a, &err));
    assert_false(hdr_decode(&h, S("HIST"), &a, &err));
    assert_false(hdr_decode(&h, S("!!!!"), &a, &err));
    buf_release(&text);
    arena_close(&a);
}

TEST_MAIN(T(layout_is_the_published_one), T(values_keep_their_digits),
          T(percentiles_have_the_rank_that_is_asked_for), T(what_does_not_fit_is_refused),
          T(an_empty_one_knows_nothing), T(merging_parts_is_recording_all),
          T(encoding_round_trips), T(foreign_histograms_are_read), T(older_encodings_are_read),
          T(damaged_text_is_refused))
