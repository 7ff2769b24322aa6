/* What can be benchmarked. Adding one is adding a file and a line here. */
#include "experiment/experiment.h"

/* clang-format off */
#define ROW struct experiment
#define ROW_OF(id) experiment_##id
#define ROWS(X) \
    X(noop) \
    X(command) \
    X(spin) \
    X(pauses) \
    X(load) \
    X(database_profiler) \
    X(memory_db) \
    X(observation_flow) \
    X(observation_profiler) \
    X(diversity) \
    X(embedding_scan) \
    X(hot_spots) \
    X(operator_choice) \
    X(perception_metrics) \
    X(playbook_suite) \
    X(pragma_profile) \
    X(sparse_memory) \
    X(self_improving) \
    X(spatial_comprehensive) \
    X(spatial_batch) \
    X(spatial_index_profiler) \
    X(spatial_memory_profiler) \
    X(spatial_performance_analyzer) \
    X(redis_memory) \
    X(syntax_tree) \
    X(system_profiler) \
    X(suite)
/* clang-format on */

REGISTRY_ROWS(experiment)
