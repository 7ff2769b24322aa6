/* databases.h - what the experiments with databases say in the same words. */
#ifndef EXPERIMENT_DATABASES_H
#define EXPERIMENT_DATABASES_H

#include "base/json.h"
#include "experiment/experiment.h"
#include "world/sql.h"

/* For setup: remarks that nothing is synced if the files of the arm are on a tmpfs. */
void databases_remark(const struct experiment_env *env);

/* Members of an object: the pragmas as they were read back. */
void databases_put_pragmas(struct json *j, const struct sql_effective *effective);

#endif
