#include "run/ring.h"

#include "tests/test.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ring *shared_ring(size_t capacity)
{
    void *memory = mmap(NULL, ring_size(capacity), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    ring_init(memory, capacity);
    return memory;
}

TEST(a_record_comes_out_as_it_went_in)
{
    struct ring *r = shared_ring(4096);
    double values[] = {1.5, -2.5};
    struct record_texts texts = {.error = S("why"),
                                 .case_hash = S("c4"),
                                 .detail = S("{\"a\":1}"),
                                 .histograms = S("gap HIST\n"),
                                 .output = S("out")};
    ring_write(r, &(struct record){.kind = RECORD_TRIAL, .trial = 7, .value_count = 2}, values,
               &texts);
    struct arena a = arena_open();
    struct ring_reader reader = {.ring = r, .capacity = 4096, .arena = &a};
    const struct record *got = ring_next(&reader, ring_head(r));
    assert_non_null(got);
    assert_int_equal(got->trial, 7);
    assert_true(record_values(got)[0] == 1.5 && record_values(got)[1] == -2.5);
    struct record_texts t = record_texts(got);
    assert_true(str_is(t.error, "why") && str_is(t.case_hash, "c4") &&
                str_is(t.detail, "{\"a\":1}") && str_is(t.histograms, "gap HIST\n") &&
                str_is(t.output, "out"));
    assert_null(ring_next(&reader, ring_head(r)));
    assert_false(reader.broken);
    arena_close(&a);
}

/* A small ring goes round many times, with lengths that leave every kind of
 * rest at its end, while producer and consumer are different processes. */
TEST(nothing_is_lost_or_changed_between_processes)
{
    enum { RECORDS = 20000, CAPACITY = 4096 };
    struct ring *r = shared_ring(CAPACITY);
    pid_t child = fork();
    if (child == 0) {
        static const char filler[600] = {0};
        for (int64_t i = 0; i < RECORDS; i++) {
            double value = (double)i;
            struct record_texts texts = {.output = {filler, (size_t)(i * 37 % 600)}};
            ring_write(r, &(struct record){.kind = RECORD_TRIAL, .trial = i, .value_count = 1},
                       &value, &texts);
        }
        _exit(0);
    }
    struct arena a = arena_open();
    struct ring_reader reader = {.ring = r, .capacity = CAPACITY, .arena = &a};
    int64_t next = 0;
    while (next < RECORDS && !reader.broken) {
        const struct record *got = ring_next(&reader, ring_head(r));
        if (!got) {
            usleep(50);
            continue;
        }
        assert_int_equal(got->trial, next);
        assert_true(record_values(got)[0] == (double)next);
        assert_int_equal(record_texts(got).output.n, next * 37 % 600);
        next++;
    }
    assert_false(reader.broken);
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    arena_close(&a);
}

/* Both texts at their largest, wherever in the ring they come to lie. */
TEST(the_longest_record_finds_room_at_every_place)
{
    enum { CAPACITY = 1 << 16, QUARTER = CAPACITY / 4 };
    static const char filler[QUARTER] = {0};
    struct ring *r = shared_ring(CAPACITY);
    struct arena a = arena_open();
    struct ring_reader reader = {.ring = r, .capacity = CAPACITY, .arena = &a};
    struct record_texts texts = {.error = {filler, 1024}, .output = {filler, QUARTER}};
    alarm(5); /* a wait for room would be for ever */
    for (size_t i = 0; i < 400; i++) {
        struct record_texts small = {.output = {filler, i * 37 % 1200}};
        texts.detail = (struct str){filler, QUARTER - i % 20 * 104};
        ring_write(r, &(struct record){.kind = RECORD_TRIAL}, NULL, &small);
        assert_non_null(ring_next(&reader, ring_head(r)));
        assert_null(ring_next(&reader, ring_head(r)));
        ring_write(r, &(struct record){.kind = RECORD_TRIAL}, NULL, &texts);
        const struct record *got = ring_next(&reader, ring_head(r));
        assert_non_null(got);
        assert_int_equal(record_texts(got).output.n, QUARTER);
        assert_null(ring_next(&reader, ring_head(r)));
    }
    alarm(0);
    arena_close(&a);
}

TEST(a_producer_gone_mad_breaks_nothing_but_its_ring)
{
    struct ring *r = shared_ring(4096);
    ring_write(r, &(struct record){.kind = RECORD_TRIAL, .trial = 0, .value_count = 0}, NULL,
               NULL);
    struct record *bad = (struct record *)(void *)r->bytes;
    bad->bytes = 1u << 30;
    struct arena a = arena_open();
    struct ring_reader reader = {.ring = r, .capacity = 4096, .arena = &a};
    assert_null(ring_next(&reader, ring_head(r)));
    assert_true(reader.broken);

    struct ring *s = shared_ring(4096);
    ring_write(s, &(struct record){.kind = RECORD_TRIAL, .trial = 0, .value_count = 0}, NULL,
               NULL);
    ((struct record *)(void *)s->bytes)->value_count = 1u << 20;
    struct ring_reader other = {.ring = s, .capacity = 4096, .arena = &a};
    assert_null(ring_next(&other, ring_head(s)));
    assert_true(other.broken);
    arena_close(&a);
}

/* Lengths are checked once and used later: what the producer writes in between changes
 * nothing of a record that was handed out, nor where the next one begins. */
TEST(a_record_that_was_handed_out_is_nobodys_to_change)
{
    struct ring *r = shared_ring(4096);
    double values[] = {1.5};
    struct record_texts texts = {.detail = S("{}"), .output = S("out")};
    for (int64_t i = 0; i < 2; i++) {
        struct record head = {.kind = RECORD_TRIAL, .trial = i, .value_count = 1};
        ring_write(r, &head, values, &texts);
    }
    struct arena a = arena_open();
    struct ring_reader reader = {.ring = r, .capacity = 4096, .arena = &a};
    const struct record *got = ring_peek(&reader, ring_head(r));
    assert_non_null(got);
    struct record *shared = (struct record *)(void *)r->bytes;
    uint32_t bytes = shared->bytes;
    memset(r->bytes, 0xff, bytes);
    assert_int_equal(got->bytes, bytes);
    assert_int_equal(got->trial, 0);
    assert_true(record_values(got)[0] == 1.5);
    assert_true(str_is(record_texts(got).detail, "{}"));
    assert_true(str_is(record_texts(got).output, "out"));
    assert_ptr_equal(ring_peek(&reader, ring_head(r)), got);
    ring_take(&reader, got);
    got = ring_next(&reader, ring_head(r));
    assert_non_null(got);
    assert_int_equal(got->trial, 1);
    assert_null(ring_next(&reader, ring_head(r)));
    assert_false(reader.broken);
    arena_close(&a);
}

TEST_MAIN(T(a_record_that_was_handed_out_is_nobodys_to_change),
          T(a_record_comes_out_as_it_went_in), T(nothing_is_lost_or_changed_between_processes),
          T(the_longest_record_finds_room_at_every_place),
          T(a_producer_gone_mad_breaks_nothing_but_its_ring))
