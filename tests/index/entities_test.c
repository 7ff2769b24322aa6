#include "index/entities.h"
#include "tests/test.h"

TEST(every_way_keeps_the_same_records)
{
    enum { MANY = 1000 };
    for (int way = 0; way < ENTITIES_WAY_COUNT; way++) {
        struct heap heap = {0};
        struct entities e;
        entities_open(&e, (enum entities_way)way, &heap);
        assert_non_null(entities_ways[way]);
        for (int i = 0; i < MANY; i++) {
            struct entity *made = entities_add(&e, (struct spatial_point){i, -i});
            assert_true(made->extra[ENTITY_EXTRA - 1] == 0);
            made->extra[0] = 3 * i;
        }
        for (int i = MANY - 1; i >= 0; i--) {
            const struct entity *kept = entities_get(&e, (uint64_t)i);
            assert_int_equal(kept->id, i);
            assert_true(kept->at.x == i && kept->at.y == -i && kept->extra[0] == 3 * i);
        }
        assert_true(heap.live_bytes >= MANY * sizeof(struct entity));
        entities_close(&e);
        assert_int_equal(heap.live_bytes, 0);
    }
    assert_null(entities_ways[ENTITIES_WAY_COUNT]);
}

TEST_MAIN(T(every_way_keeps_the_same_records))
