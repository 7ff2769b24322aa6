#include "base/heap.h"
#include "tests/test.h"

TEST(bytes_are_counted_as_they_are_asked_for)
{
    struct heap heap = {0};
    int32_t *list = heap_new(&heap, int32_t, 10);
    assert_int_equal(heap.live_bytes, 40);
    list[9] = 7;
    list = heap_grow(&heap, list, 10, 100);
    assert_int_equal(list[9], 7);
    assert_int_equal(heap.live_bytes, 400);
    list = heap_grow(&heap, list, 100, 5);
    assert_int_equal(heap.live_bytes, 20);
    assert_int_equal(heap.peak_bytes, 400);
    assert_int_equal(heap.request_count, 3);
    assert_null(heap_grow(&heap, list, 5, 0));
    assert_int_equal(heap.live_bytes, 0);
    heap_free(&heap, NULL, 0);
    assert_int_equal(heap.peak_bytes, 400);
}

TEST_MAIN(T(bytes_are_counted_as_they_are_asked_for))
