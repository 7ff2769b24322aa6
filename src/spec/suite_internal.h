/* suite_internal.h - what the files of the suite reader share. */
#ifndef SPEC_SUITE_INTERNAL_H
#define SPEC_SUITE_INTERNAL_H

#include "spec/spec_internal.h"
#include "spec/suite.h"

struct suite_reader {
    struct spec_reader *r;
    const struct spec_override *o;
    const char *base_dir;
    struct suite *suite;
    const struct value *root;   /* cleaned */
    const struct value *agents; /* list of maps: who is put on the bench */
    const struct value *pool;   /* list of maps: every agent that the file knows */
};

/* A copy of `map` in which the keys of `names` (old, new, old, new, ...) have
 * their new names; both of one is a problem. */
const struct value *suite_rename(struct spec_reader *r, const struct value *map,
                                 const char *const *names, size_t count);

/* base_dir/name, or name if it is absolute. */
const char *suite_path(struct arena *out, const char *base_dir, struct str name);

/* Checks one agent's map; true if it is right. */
bool suite_check_agent(struct spec_reader *r, const struct value *agent);

/* suite_agents.c: fills pool and agents. */
void suite_read_agents(struct suite_reader *s, const struct value *agents,
                       const struct value *judges, const struct value *include);

/* The map of an agent by id, from the pool or registered; NULL with a problem. */
const struct value *suite_find_agent(struct suite_reader *s, struct str name,
                                     const struct value *at);

/* suite_benchmark.c. An entry without agents is one that none of the chosen is asked. */
extern const struct param_table suite_benchmark_table;
void suite_read_benchmark(struct suite_reader *s, const struct value *map,
                          struct spec_entry *entry);

/* suite_hash.c: fills content_hash. */
void suite_hash_benchmark(struct suite_benchmark *b, struct arena *out);
void suite_hash(struct spec *spec, struct suite *suite, struct arena *out);

#endif
