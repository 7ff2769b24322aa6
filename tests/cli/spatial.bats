#!/usr/bin/env bats
# The spatial experiments from the command line.
load ../helper

cat_spec() {
    cat > s.yaml <<'YAML'
experiment: spatial_comprehensive
params: {algorithms: [quadtree, spatial_hash, kd_tree], agent_counts: [100, 200], steps: 3}
iterations: {warmup: 0, measured: 2}
seed: 42
YAML
}

# Cell by cell: what was drawn, without the times that it took.
digests() { sqlite3 "$1" "select detail ->> 'entity_count', detail ->> 'workload_digest' from case_results" | sort; }

@test "a seed gives the same workload to all contenders, at any --jobs" {
    cat_spec
    assay run s.yaml --store one.db --jobs 1 > /dev/null
    assay run s.yaml --store two.db --jobs 2 > /dev/null
    digests one.db > one
    digests two.db > two
    cmp one two
    [ "$(wc -l < one)" = 12 ]
    [ "$(sort -u one | wc -l)" = 4 ] # two counts, two iterations; three indexes share each
    assay run s.yaml --store other.db --seed 43 > /dev/null
    digests other.db > other
    [ -z "$(comm -12 one other)" ]
}

@test "a list of indexes sweeps; one that does not exist is named" {
    cat_spec
    assay check s.yaml | grep -q "6 cells"
    fails_with 2 "kd_tree" assay run s.yaml --set algorithms=rtree
}

@test "the peer's spatial specs run unchanged" {
    peer=${ASSAY_SHARED:-$ROOT/../shared}/data/agentfarm/specs
    [ -d "$peer" ] || skip "$peer is not there"
    assay run "$peer/spatial_comprehensive_sweep.yaml" --out out > text
    grep -q "algorithms=spatial_hash" text
    for spec in "$peer"/spatial_*.yaml; do assay check "$spec" > /dev/null; done
}
