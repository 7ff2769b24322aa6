/* entities.h - records of a world, kept in one of three ways, and what each takes.
 *
 *     list         a pointer to each record, which has memory of its own
 *     dict         the same in a hash table by number (open addressing, at most 3/4 full)
 *     numpy_array  one block of all records
 *
 * A record is its number, its place and ENTITY_EXTRA more numbers, as a simulated agent
 * carries them. Memory comes from a counted heap. */
#ifndef INDEX_ENTITIES_H
#define INDEX_ENTITIES_H

#include "index/spatial.h"

enum { ENTITY_EXTRA = 100 };

struct entity {
    uint64_t id;
    struct spatial_point at;
    double extra[ENTITY_EXTRA];
};

enum entities_way { ENTITIES_LIST, ENTITIES_DICT, ENTITIES_ARRAY, ENTITIES_WAY_COUNT };
extern const char *const entities_ways[]; /* names by enum entities_way, NULL-terminated */

struct entities {
    enum entities_way way;
    struct heap *heap;
    struct entity **links; /* of a list and a dict; NULL = a free place of the latter */
    struct entity *block;  /* of an array */
    size_t count, capacity;
};

void entities_open(struct entities *e, enum entities_way way, struct heap *heap);
void entities_close(struct entities *e);

/* The next number, 0, 1, ...; its extra numbers are zero. Pointers to records of an array are
 * good until the next one is added. */
struct entity *entities_add(struct entities *e, struct spatial_point at);

struct entity *entities_get(const struct entities *e, uint64_t id); /* must exist */

#endif
