/* Holds the name, so that a PostgreSQL URL gets an answer instead of a file of
 * that name. */
#include "store/store.h"

static bool refuse(struct error *err)
{
    return error_set(err, ERROR_UNAVAILABLE,
                     "this assay cannot store in PostgreSQL yet; use sqlite:PATH");
}

static bool postgresql_open(const char *rest, const struct store_options *options,
                            struct store **store, struct error *err)
{
    (void)rest, (void)options, (void)store;
    return refuse(err);
}

static bool postgresql_migrate(const char *rest, struct store_versions *versions,
                               struct error *err)
{
    (void)rest;
    (void)versions;
    return refuse(err);
}

extern const struct store_kind store_postgresql;
const struct store_kind store_postgresql = {
    .name = "postgresql",
    .summary = "a PostgreSQL server (not in this version)",
    .open = postgresql_open,
    .migrate = postgresql_migrate,
};
