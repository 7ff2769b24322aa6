#include "base/rng.h"
#include "evolve/dials.h"
#include "evolve/ledger.h"
#include "evolve/search.h"
#include "tests/test.h"

#include <sys/resource.h>
#include <sys/wait.h>
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

/* A problem whose playbooks are long: 200 KB of code. */
static struct challenge long_winded(struct arena *a)
{
    struct challenge c = *dials_challenge("x", 0.8, 5, a);
    struct library_line *lines = arena_new(a, struct library_line, c.line_count);
    memcpy(lines, c.lines, c.line_count * sizeof *lines);
    for (size_t i = 0; i < c.line_count; i++) {
        char *text = arena_new(a, char, 1500);
        for (size_t k = 0; k < 1500; k++)
            text[k] = k % 7 == 6 ? ' ' : (char)('a' + (i + k) % 26);
        lines[i].text = (struct str){text, 1500};
    }
    c.lines = lines;
    c.segments = CHALLENGE_SEGMENTS_MAX;
    return c;
}

/* In a process of its own, whose peak is that of the search: exits 0 if it agrees. */
static int search_agrees(unsigned parts, int64_t cap)
{
    struct arena a = arena_open();
    struct challenge c = long_winded(&a);
    struct search_options o = {.parts = parts,
                               .selector = SELECTOR_MATCHING,
                               .detector = CONVERGENCE_PATIENT,
                               .cap = cap,
                               .runs_on = SEARCH_TO_CAP,
                               .pool_max = 1000,
                               .seed = 6};
    size_t before = resident_bytes();
    struct search_result r;
    struct error err = {0};
    if (!search_run(&c, &o, &a, &r, &err)) return 2;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double grown = (double)usage.ru_maxrss * 1024 - (double)before;
    double counted = (double)r.ledger.peak_bytes;
    fprintf(stderr, "# parts %u: counted %.0f, grown by %.0f\n", parts, counted, grown);
    if (counted < 100e6) return 3;
    return fabs(grown / counted - 1) > 0.1;
}

TEST(what_a_large_search_counts_agrees_with_what_the_kernel_gave_within_ten_percent)
{
    NEEDS_PLAIN_MEMORY();
#ifdef __SANITIZE_ADDRESS__
    skip(); /* what was freed stays in its quarantine */
#endif
    static const struct {
        unsigned parts;
        int64_t cap;
    } searches[] = {{0, 200}, {PART_ALL & ~(unsigned)PART_DIVERSITY, 330}};
    for (size_t i = 0; i < COUNT(searches); i++) {
        fflush(NULL);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) _exit(search_agrees(searches[i].parts, searches[i].cap));
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

TEST_MAIN(T(parts_add_up_to_the_whole_and_peaks_stay),
          T(a_block_is_zeroed_aligned_and_counted_with_its_header),
          T(a_list_grows_with_what_is_in_it),
          T(what_is_counted_agrees_with_what_the_kernel_gave_within_ten_percent),
          T(what_a_large_search_counts_agrees_with_what_the_kernel_gave_within_ten_percent))
