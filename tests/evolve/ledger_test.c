#include "base/rng.h"
#include "evolve/ledger.h"
#include "tests/test.h"

#include <unistd.h>

TEST(parts_add_up_to_the_whole_and_peaks_stay)
{
    struct ledger l = {0};
    void *blocks[64] = {0};
    struct rng rng = rng_seeded(1);
    for (int i = 0; i < 5000; i++) {
        size_t at = (size_t)rng_below(&rng, COUNT(blocks));
        ledger_free(&l, blocks[at]);
        blocks[at] = NULL;
        int part = (int)rng_below(&rng, LEDGER_PARTS);
        size_t bytes = (size_t)rng_below(&rng, 2000);
        if (rng_below(&rng, 3) > 0) blocks[at] = ledger_alloc(&l, part, bytes);
        ledger_check(&l);
        assert_true(l.live_bytes <= l.peak_bytes);
    }
    size_t peaks = 0;
    for (int i = 0; i < LEDGER_PARTS; i++) peaks += l.parts[i].peak_bytes;
    assert_true(l.peak_bytes <= peaks);
    for (size_t i = 0; i < COUNT(blocks); i++) ledger_free(&l, blocks[i]);
    assert_int_equal(l.live_bytes, 0);
}

TEST(a_block_is_zeroed_aligned_and_counted_with_its_header)
{
    struct ledger l = {0};
    unsigned char *p = ledger_alloc(&l, LEDGER_SYNTAX, 100);
    assert_int_equal((uintptr_t)p % 16, 0);
    for (int i = 0; i < 100; i++) assert_int_equal(p[i], 0);
    assert_int_equal(l.parts[LEDGER_SYNTAX].live_bytes, 116);
    assert_int_equal(l.parts[LEDGER_OTHER].live_bytes, 0);
    ledger_free(&l, p);
    ledger_free(&l, NULL);
    assert_int_equal(l.parts[LEDGER_SYNTAX].peak_bytes, 116);
}

TEST(a_list_grows_with_what_is_in_it)
{
    struct ledger l = {0};
    int *list = NULL;
    for (int i = 0; i < 200; i++) {
        list = ledger_room(&l, LEDGER_OTHER, list, (size_t)i, sizeof *list);
        list[i] = i;
        ledger_check(&l);
        assert_int_equal(l.live_bytes, 16 + (size_t)(i / 64 + 1) * 64 * sizeof *list);
        assert_int_equal(l.peak_bytes, l.live_bytes);
    }
    for (int i = 0; i < 200; i++) assert_int_equal(list[i], i);
    list = ledger_room(&l, LEDGER_OTHER, list, 0, sizeof *list); /* begins anew */
    assert_int_equal(l.live_bytes, 16 + 64 * sizeof *list);
    ledger_free(&l, list);
    assert_int_equal(l.live_bytes, 0);
    ledger_check(&l);
}

static size_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    char line[128];
    assert_non_null(fgets(line, sizeof line, f));
    pages = strtoul(strchr(line, ' '), NULL, 10);
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* As many embeddings as make 100 MB, in blocks as the cache has them. */
TEST(what_is_counted_agrees_with_what_the_kernel_gave_within_ten_percent)
{
    NEEDS_PLAIN_MEMORY();
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its red zones are larger than the blocks */
#endif
    struct ledger l = {0};
    size_t before = resident_bytes();
    static void *blocks[65000];
    for (size_t i = 0; i < COUNT(blocks); i++)
        blocks[i] = ledger_alloc(&l, LEDGER_EMBEDDINGS, 1536);
    double grown = (double)(resident_bytes() - before);
    print_message("# counted %zu, grown by %.0f\n", l.live_bytes, grown);
    assert_true(l.live_bytes > 100000000);
    assert_close(grown / (double)l.live_bytes, 1, 0.1);
    for (size_t i = 0; i < COUNT(blocks); i++) ledger_free(&l, blocks[i]);
}

TEST_MAIN(T(parts_add_up_to_the_whole_and_peaks_stay),
          T(a_block_is_zeroed_aligned_and_counted_with_its_header),
          T(a_list_grows_with_what_is_in_it),
          T(what_is_counted_agrees_with_what_the_kernel_gave_within_ten_percent))
