#include "api/cache.h"
#include "tests/test.h"

static struct arena arena;
static struct cache cache;

static void open_cache(void)
{
    arena = arena_open();
    cache_init(&cache, &arena);
}

static void close_cache(void)
{
    cache_release(&cache);
    assert_int_equal(cache.bytes, 0);
    arena_close(&arena);
}

TEST(a_body_is_kept_while_store_and_day_are_the_same)
{
    open_cache();
    struct cache_age age = {.generation = 7, .day = 20000};
    cache_put(&cache, S("k"), age, S("body"));
    const struct cached *kept = cache_find(&cache, S("k"), age);
    assert_non_null(kept);
    assert_true(str_is(buf_str(&kept->body->bytes), "body"));
    assert_int_equal(strlen(kept->etag), 18);
    assert_null(cache_find(&cache, S("other"), age));
    assert_null(cache_find(&cache, S("k"), (struct cache_age){8, 20000}));
    assert_null(cache_find(&cache, S("k"), (struct cache_age){7, 20001}));
    cache_put(&cache, S("k"), (struct cache_age){8, 20000}, S("newer"));
    assert_null(cache_find(&cache, S("k"), age));
    assert_int_equal(cache.bytes, 5);
    assert_int_equal(cache.looked, 5);
    assert_int_equal(cache.hits, 1);
    close_cache();
}

TEST(a_body_that_is_being_sent_stays_when_its_entry_goes)
{
    open_cache();
    struct cache_age age = {1, 1};
    cache_put(&cache, S("k"), age, S("first"));
    struct cached_body *sent = cache_use(cache_find(&cache, S("k"), age));
    cache_put(&cache, S("k"), age, S("second"));
    assert_true(str_is(buf_str(&sent->bytes), "first"));
    cache_unuse(&cache, sent);
    assert_ptr_equal(cache.free, sent);
    /* One whose entry is still there is not freed by its last user. */
    struct cached_body *again = cache_use(cache_find(&cache, S("k"), age));
    cache_unuse(&cache, again);
    assert_non_null(cache_find(&cache, S("k"), age));
    close_cache();
}

TEST(the_one_that_was_not_asked_for_longest_goes_first)
{
    open_cache();
    struct cache_age age = {1, 1};
    char key[32];
    for (int i = 0; i < CACHE_ENTRIES; i++) {
        snprintf(key, sizeof key, "%d", i);
        cache_put(&cache, str_of(key), age, S("x"));
    }
    assert_non_null(cache_find(&cache, S("0"), age));
    cache_put(&cache, S("one more"), age, S("x"));
    assert_non_null(cache_find(&cache, S("0"), age));
    assert_null(cache_find(&cache, S("1"), age));
    assert_int_equal(cache.bytes, CACHE_ENTRIES);
    close_cache();
}

TEST(at_most_so_many_bytes_are_kept)
{
    open_cache();
    struct cache_age age = {1, 1};
    size_t size = CACHE_BYTES / 4;
    struct str large = {arena_new(&arena, char, size + 1), size};
    for (int i = 0; i < 6; i++) {
        char key[8] = {(char)('a' + i)};
        cache_put(&cache, str_of(key), age, large);
        assert_true(cache.bytes <= CACHE_BYTES);
    }
    assert_null(cache_find(&cache, S("a"), age));
    assert_non_null(cache_find(&cache, S("f"), age));
    cache_put(&cache, S("f"), age, (struct str){large.p, size + 1});
    assert_null(cache_find(&cache, S("f"), age));
    close_cache();
}

TEST_MAIN(T(a_body_is_kept_while_store_and_day_are_the_same),
          T(a_body_that_is_being_sent_stays_when_its_entry_goes),
          T(the_one_that_was_not_asked_for_longest_goes_first),
          T(at_most_so_many_bytes_are_kept))
